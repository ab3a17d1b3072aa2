// pure
/** Makes ids: UUIDv7 (RFC 9562 §5.7) in base32 behind the prefix of the kind. They sort by time, also within a millisecond. */
import type { IdPrefix } from '@ostiary/contract/ids.ts'

const digits = '0123456789abcdefghjkmnpqrstvwxyz'

export type NewId = <P extends IdPrefix>(prefix: P) => `${P}_${string}`

const random_bytes = 14
/** Random bytes are drawn for this many ids at once: the drawing takes the time. An id is not a secret. */
const drawn_at_once = 100

/**
 * The 128 bits as 26 digits of five bits, most significant first, with two zero bits before them. So the 48 bits of time are
 * the first ten digits, the version, the counter and the variant fill four more except two bits, and chance is the rest.
 */
export function createIds(now: () => Date, random: (bytes: number) => Uint8Array): NewId {
  let drawn = new Uint8Array(0)
  let used = 0
  let last_ms = -1
  let time = ''
  let counter = 0
  const twoBytes = () => ((drawn[used++] ?? 0) << 8) | (drawn[used++] ?? 0)

  return (prefix) => {
    if (used === drawn.length) {
      drawn = Uint8Array.from(random(random_bytes * drawn_at_once))
      used = 0
    }
    const chance = twoBytes()
    const ms = now().getTime()
    // 12 bits count within the millisecond from a random start, so that ids of one process keep their order.
    counter = ms === last_ms ? (counter + 1) & 0xfff : chance & 0x7ff
    if (ms !== last_ms) time = digitsOf(BigInt(ms), 10)
    last_ms = ms
    const version_and_counter = (0x7000 | counter) << 4
    const middle = version_and_counter | (0b10 << 2) | (chance >> 14)
    const last = pair(twoBytes()) + pair(twoBytes()) + pair(twoBytes()) + pair(twoBytes()) + pair(twoBytes()) + pair(twoBytes())
    return `${prefix}_${time}${pair(middle >> 10) + pair(middle)}${last}`
  }
}

const pairs = Array.from({ length: 1024 }, (_, bits) => digits.charAt(bits >> 5) + digits.charAt(bits & 31))
/** The two digits of the last ten bits: short texts that are put together stay one piece, and writing them takes no second walk. */
const pair = (bits: number): string => pairs[bits & 1023] ?? ''
const digit = (bits: number) => digits.charAt(bits & 31)

/** The lowest id of a kind that can be made at this time. Ids compare by time, so an index of ids finds rows by their time. */
export function lowestId<P extends IdPrefix>(prefix: P, at: Date): `${P}_${string}` {
  return `${prefix}_${digitsOf(BigInt(Math.max(at.getTime(), 0)), 10)}${'0'.repeat(16)}`
}

/** Twelve digits like the last ones of an id, which are chance. */
export const chanceDigits = (bytes: Uint8Array): string => Array.from(bytes.subarray(0, 12), digit).join('')

/** The ten digits that ids of this time begin with. */
export const timeDigits = (at: Date): string => digitsOf(BigInt(at.getTime()), 10)

function digitsOf(value: bigint, count: number): string {
  let text = ''
  for (let rest = value; text.length < count; rest >>= 5n) text = digit(Number(rest & 31n)) + text
  return text
}
