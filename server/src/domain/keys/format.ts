// pure
/**
 * The format of an API key: `svc_auth_sk_test_`, 32 random base62 characters and a checksum of 6. The checksum lets the service
 * refuse a mistyped or invented key without a database query, and lets secret scanners distinguish a real key from a placeholder.
 * policy.ts decides who may use a key; store.ts stores keys.
 */
import { crc32 } from 'node:zlib'
import type { KeyType } from '@ostiary/contract/api-key.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { digestOf } from '../../base/digest.ts'

export interface KeyKind {
  type: KeyType
  environment_type: EnvironmentType | null
}
export interface NewKey {
  /** The plaintext: shown once, never stored. */
  key: string
  digest: string
  start: string
  last4: string
}

// biome-ignore format: this table is read by column
const kinds: readonly (KeyKind & { prefix: string })[] = [
  { type: 'auth_publishable', environment_type: 'test', prefix: 'svc_auth_pk_test_' },
  { type: 'auth_publishable', environment_type: 'live', prefix: 'svc_auth_pk_live_' },
  { type: 'auth_secret',      environment_type: 'test', prefix: 'svc_auth_sk_test_' },
  { type: 'auth_secret',      environment_type: 'live', prefix: 'svc_auth_sk_live_' },
  { type: 'platform_secret',  environment_type: null,   prefix: 'svc_platform_sk_'  },
]

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const random_length = 32 // 190 bits
const checksum_length = 6
const secret_part = new RegExp(`^[0-9A-Za-z]{${random_length + checksum_length}}$`)

/** Makes a key. `random` is a CSPRNG that returns `n` bytes. */
export function makeApiKey(type: KeyType, environment_type: EnvironmentType | null, random: (n: number) => Uint8Array): NewKey {
  const kind = kinds.find((each) => each.type === type && each.environment_type === environment_type)
  if (!kind) throw new TypeError(`There are no ${type} keys for the environment type ${environment_type}.`)

  const body = kind.prefix + randomDigits(random_length, random)
  const key = body + checksumOf(body)
  return { key, digest: digestOf(key), start: startOf(key), last4: key.slice(-4) }
}

/** The part of a key that may be shown: its prefix and four characters. */
export const startOf = (key: string): string => key.slice(0, key.lastIndexOf('_') + 5)

/** Returns the kind of a well-formed key, `null` for any other text. Does not check whether the key exists. */
export function recogniseKey(text: string): KeyKind | null {
  const kind = kinds.find(({ prefix }) => text.startsWith(prefix))
  if (!kind || !secret_part.test(text.slice(kind.prefix.length))) return null
  if (checksumOf(text.slice(0, -checksum_length)) !== text.slice(-checksum_length)) return null
  return { type: kind.type, environment_type: kind.environment_type }
}

/** CRC-32/ISO-HDLC of the preceding ASCII text, in base62, most significant digit first. */
function checksumOf(body: string): string {
  let rest = crc32(body)
  let checksum = ''
  while (checksum.length < checksum_length) {
    checksum = digits.charAt(rest % 62) + checksum
    rest = Math.floor(rest / 62)
  }
  return checksum
}

/** Returns digits that are all equally likely. Rejects bytes from 248 on, because 256 is not a multiple of 62. */
function randomDigits(length: number, random: (n: number) => Uint8Array): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < 248) text += digits.charAt(byte % 62)
    }
  }
  return text
}
