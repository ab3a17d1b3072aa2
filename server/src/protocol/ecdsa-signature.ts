// pure
/**
 * The two forms of an ECDSA signature by P-256: the 64 bytes of a JWS, r and then s (RFC 7518 §3.4), and DER (RFC 3279 §2.2.3), which
 * `node:crypto` makes and reads without a conversion of its own. Its `dsaEncoding` for the 64 bytes is slower.
 */

/** The bytes of r, and of s. */
const half = 32
export const es256_bytes = 2 * half

const sequence = 0x30
const integer = 0x02
const sign_bit = 0x80

/** The 64 bytes of a signature that this process made. Throws for anything but the DER of two numbers of at most 32 bytes. */
export function joseOfDer(der: Buffer): Buffer {
  const jose = Buffer.alloc(es256_bytes)
  const r_end = copyNumber(der, 2, jose, half)
  const s_end = copyNumber(der, r_end, jose, es256_bytes)
  if (der[0] !== sequence || der[1] !== der.length - 2 || s_end !== der.length) throw new Error('The signature is not DER of P-256.')
  return jose
}

/** Copies the number at a place so that it ends at `end`. Returns the place after it. */
function copyNumber(der: Buffer, at: number, jose: Buffer, end: number): number {
  const length = der[at + 1] ?? 0
  const after = at + 2 + length
  // X.690 §8.3: a number whose first bit is set has a zero byte before it, which is not among the 32.
  const start = at + 2 + (der[at + 2] === 0 ? 1 : 0)
  if (der[at] !== integer || length === 0 || after > der.length || after - start > half)
    throw new Error('The signature is not DER of P-256.')
  der.copy(jose, end - (after - start), start, after)
  return after
}

/** The DER of a signature of a JWS. Throws for another length than 64 bytes (RFC 7518 §3.4): read it first. */
export function derOfJose(jose: Uint8Array): Buffer {
  if (jose.length !== es256_bytes) throw new Error('The signature does not have 64 bytes.')
  const [r, s] = [numberOf(jose.subarray(0, half)), numberOf(jose.subarray(half))]
  return Buffer.from([sequence, r.length + s.length, ...r, ...s])
}

/** X.690 §8.3: the fewest bytes, and a zero byte before a number whose first bit is set. */
function numberOf(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first === -1 ? [0] : [...bytes.subarray(first)]
  const padded = (digits[0] ?? 0) >= sign_bit ? [0, ...digits] : digits
  return [integer, padded.length, ...padded]
}
