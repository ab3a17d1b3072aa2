// pure
/**
 * The hash chain of an audit log. Each entry contains the next sequence number and the hash of the previous entry, and its own
 * hash covers both. Altering, removing, inserting or moving an entry breaks a link. Verifying an exported log takes no secret.
 */
import { sha256 } from '../../base/digest.ts'
import { canonicalJson } from './canonical.ts'

/** The last entry of a chain. */
export interface ChainEnd {
  sequence: number
  hash: string
}

/** The end of an empty chain. */
export const beginning: ChainEnd = { sequence: 0, hash: '0'.repeat(64) }

/** A stored entry. `before_change` and `after_change` are canonical JSON. */
export interface StoredEntry {
  id: string
  tenant_id: string
  created_at: string
  action: string
  actor_type: string
  actor_id: string | null
  actor_label: string | null
  object_type: string
  object_id: string
  project_id: string | null
  environment_id: string | null
  request_id: string | null
  ip: string | null
  before_change: string | null
  after_change: string | null
}

export interface Link {
  sequence: number
  previous_hash: string
  hash: string
}

/** Links an entry to the end of a chain. */
export function linkAfter(end: ChainEnd, entry: StoredEntry): Link {
  const position = { sequence: end.sequence + 1, previous_hash: end.hash }
  return { ...position, hash: entryHash(entry, position) }
}

/**
 * SHA-256 of the entry as the API returns it, without `hash`, in the canonical form of RFC 8785. Both states are hashed as
 * stored, so a change of whitespace alone changes the hash.
 */
function entryHash(entry: StoredEntry, { sequence, previous_hash }: Omit<Link, 'hash'>): string {
  const { id, tenant_id, created_at, action, project_id, environment_id, request_id, ip } = entry
  const actor = { id: entry.actor_id, label: entry.actor_label, type: entry.actor_type }
  const object = { id: entry.object_id, type: entry.object_type }
  const members = { id, tenant_id, created_at, action, project_id, environment_id, request_id, ip, actor, object, sequence, previous_hash }
  const canonical = Object.entries(members).map(([name, value]) => [name, canonicalJson(value)])
  const text = [...canonical, ['before', stateText(entry.before_change)], ['after', stateText(entry.after_change)]]
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')
  return sha256(`{${text}}`, 'hex')
}

/** An absent state is stored as SQL null. The service never stores the text "null", so that text gets a different hash. */
const stateText = (stored: string | null) => (stored === 'null' ? ' null' : (stored ?? 'null'))

/** Describes what is wrong with the entry that follows `end`. `null` means the link is intact. */
export function linkProblem(end: ChainEnd, entry: StoredEntry & Link): string | null {
  const { sequence, previous_hash } = entry
  if (sequence > end.sequence + 1) {
    const missing = sequence - 1 === end.sequence + 1 ? `entry ${sequence - 1} is` : `entries ${end.sequence + 1} to ${sequence - 1} are`
    return `${missing} missing`
  }
  const follows = previous_hash === end.hash
  const is_intact = entry.hash === entryHash(entry, { sequence, previous_hash })
  if (follows && is_intact) return null
  if (follows) return `entry ${sequence} was altered`
  return is_intact ? `entry ${sequence} does not follow the one before it` : `entry ${sequence} was moved or replaced`
}
