// pure
/**
 * Cursors of lists: the id of the last element that was seen, with a seal. A cursor belongs to the list that gave it,
 * filters included, and nobody else can make one.
 */
import { timingSafeEqual } from 'node:crypto'

/** A keyed hash (RFC 2104) of at least 16 bytes under a secret of this deployment. */
export type Mac = (data: string) => Buffer

const seal_bytes = 16 // RFC 2104 §5: half of SHA-256 is enough

/** `list` names the list and everything that selects its elements: route, parents and filters. */
export function encodeCursor(list: string, last_id: string, mac: Mac): string {
  return Buffer.concat([sealOf(list, last_id, mac), Buffer.from(last_id)]).toString('base64url')
}

/** Ours are shorter: a seal and an id. */
const longest_cursor = 500

/** The id of the last element seen; `null` for a cursor of another list, and for anything that is not a cursor of ours. */
export function decodeCursor(list: string, cursor: string, mac: Mac): string | null {
  if (cursor.length > longest_cursor) return null
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length <= seal_bytes || bytes.toString('base64url') !== cursor) return null // RFC 4648 §3.5: one spelling only
  const last_id = bytes.toString('utf8', seal_bytes)
  return timingSafeEqual(bytes.subarray(0, seal_bytes), sealOf(list, last_id, mac)) ? last_id : null
}

/** As a JSON array, so that no list and id can be cut into another list and id. */
function sealOf(list: string, last_id: string, mac: Mac): Buffer {
  return mac(JSON.stringify(['cursor', list, last_id])).subarray(0, seal_bytes)
}
