/** Base64url without padding (RFC 7515 §2), and the JSON objects in it. */

/** The bytes of a text. `null` if it is not base64url, or not the only spelling of its bytes. */
export function decode(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
  const binary = atob(base64)
  if (btoa(binary).replaceAll('=', '') !== base64) return null
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** The JSON object that a part of a JWT encodes. `null` if it encodes something else. */
export function parseObject(part: string): Record<string, unknown> | null {
  const bytes = decode(part)
  if (!bytes) return null
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null // not UTF-8, or not JSON
  }
}
