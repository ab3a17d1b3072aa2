// pure
/**
 * Cursors of lists: the sort key of the last element on the page, with a MAC. A cursor is valid only for the list and the filters
 * that returned it, and cannot be forged.
 */
import { timingSafeEqual } from 'node:crypto'

/** A keyed hash (RFC 2104) of at least 16 bytes under a secret of this deployment. */
export type Mac = (data: string) => Buffer

const mac_bytes = 16 // RFC 2104 §5: half of SHA-256 is sufficient

/** `list` names the list and everything that selects its elements: route, parents and filters. */
export function encodeCursor(list: string, key: string, mac: Mac): string {
  return Buffer.concat([macOf(list, key, mac), Buffer.from(key)]).toString('base64url')
}

/** Longer than any cursor of this service, which has a MAC and an id. */
const longest_cursor = 500

/** The sort key in the cursor; `null` for a cursor of another list and for any other string. */
export function decodeCursor(list: string, cursor: string, mac: Mac): string | null {
  if (cursor.length > longest_cursor) return null
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length <= mac_bytes || bytes.toString('base64url') !== cursor) return null // RFC 4648 §3.5: the canonical encoding only
  const key = bytes.toString('utf8', mac_bytes)
  return timingSafeEqual(bytes.subarray(0, mac_bytes), macOf(list, key, mac)) ? key : null
}

/** The JSON array separates the list from the key unambiguously. */
function macOf(list: string, key: string, mac: Mac): Buffer {
  return mac(JSON.stringify(['cursor', list, key])).subarray(0, mac_bytes)
}
