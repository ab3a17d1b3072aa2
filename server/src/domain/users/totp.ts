// pure
/**
 * Codes of authenticator apps: TOTP (RFC 6238) over HOTP (RFC 4226) with SHA-1, six digits and steps of 30 seconds, which every
 * authenticator app supports.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** RFC 4226 §4, R6: 160 bits are recommended. */
export const totp_secret_bytes = 20
const digits = 6
const period_seconds = 30
/** RFC 6238 §5.2: one step before and one after, for clocks that differ and people who type slowly. */
const tolerance = [0, -1, 1]

/** The time step of a moment (RFC 6238 §4.2). */
export const stepAt = (at: Date): number => Math.floor(at.getTime() / (period_seconds * 1_000))

/** RFC 4226 §5.3: the code of a counter, which for TOTP is the time step. */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac[mac.length - 1] ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * The step that a code belongs to; `null` if it is wrong. A code of the last used step or of an earlier one is wrong (RFC 6238 §5.2).
 * Only the guard of `useTotp` decides that a step is used once.
 */
export function matchingStep(secret: Buffer, code: string, { last_step, now }: { last_step: number; now: Date }): number | null {
  const sent = Buffer.from(code)
  let found: number | null = null
  for (const distance of tolerance) {
    const step = stepAt(now) + distance
    const expected = Buffer.from(step < 0 ? '' : codeAt(secret, step))
    if (step > last_step && sent.length === expected.length && timingSafeEqual(sent, expected)) found ??= step
  }
  return found
}

/** In characters. Nobody types a longer code. */
const longest_typed = 40

/** A code as a person types or pastes it: without spaces and dashes. A text that cannot be a code is refused, even where a part of it is one. */
export const typedCode = (text: string): string => (text.length > longest_typed ? '' : text.replaceAll(/[\s-]/gu, ''))

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 §6, without padding. */
export function base32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet.charAt((value >> bits) & 31)
    }
    value &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + alphabet.charAt((value << (5 - bits)) & 31)
}

/** The link that an authenticator app opens or scans. The names must not contain a colon (Key URI Format). */
export function otpauthUrl({ issuer, account, secret }: { issuer: string; account: string; secret: Buffer }): string {
  const name = named(issuer, 40)
  const label = named(account, 80)
  return `otpauth://totp/${name}:${label}?secret=${base32(secret)}&issuer=${name}&algorithm=SHA1&digits=${digits}&period=${period_seconds}`
}

/** Cut, so that every link fits into a QR code. */
const named = (text: string, longest: number) =>
  encodeURIComponent([...text.replaceAll(':', ' ').toWellFormed()].slice(0, longest).join(''))
