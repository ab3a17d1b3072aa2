/**
 * The id of a provider that is about to be added, so that its redirect URI can be registered first: `prv_` and a UUIDv7 (RFC 9562 §5.7) in
 * Crockford base32, as the service makes them. A pure function.
 */
const digits = '0123456789abcdefghjkmnpqrstvwxyz'

/** @param random ten random bytes, of which 74 bits are used */
export function providerId(now_ms: number, random: Uint8Array): string {
  const chance = random.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  const [high, low] = [(chance >> 62n) & 0xfffn, chance & ((1n << 62n) - 1n)]
  let rest = (BigInt(now_ms) << 80n) | (7n << 76n) | (high << 64n) | (2n << 62n) | low
  let text = ''
  for (let count = 0; count < 26; count++, rest >>= 5n) text = (digits[Number(rest & 31n)] ?? '') + text
  return `prv_${text}`
}
