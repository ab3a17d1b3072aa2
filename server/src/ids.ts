// pure
/** Makes ids: UUIDv7 (RFC 9562 §5.7) in base32 behind the prefix of the kind. They sort by time, also within a millisecond. */
import type { IdPrefix } from '@ostiary/contract/ids.ts'

const digits = '0123456789abcdefghjkmnpqrstvwxyz'

export type NewId = <P extends IdPrefix>(prefix: P) => `${P}_${string}`

const random_bytes = 10
/** Random bytes are drawn for so many ids at once: it is the drawing that takes time. An id is no secret. */
const drawn_at_once = 100

export function createIds(now: () => Date, random: (bytes: number) => Uint8Array): NewId {
  let drawn = new Uint8Array(0)
  let used = 0
  let last_ms = -1
  let counter = 0
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)

  return (prefix) => {
    if (used === drawn.length) {
      drawn = Uint8Array.from(random(random_bytes * drawn_at_once))
      used = 0
    }
    bytes.set(drawn.subarray(used, used + random_bytes), 6)
    used += random_bytes
    const ms = now().getTime()
    // 12 bits count within the millisecond from a random start, so that ids of one process keep their order.
    counter = ms === last_ms ? (counter + 1) & 0xfff : view.getUint16(6) & 0x7ff
    last_ms = ms
    view.setUint32(0, Math.floor(ms / 0x1_0000))
    view.setUint16(4, ms & 0xffff)
    view.setUint16(6, 0x7000 | counter)
    view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f))
    return `${prefix}_${base32(bytes)}`
  }
}

/** 128 bits as 26 digits of five, most significant first; the first two of the 130 are zero. */
function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 2
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += digits.charAt((held >> (bits - 5)) & 31)
  }
  return text
}
