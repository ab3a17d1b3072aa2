// pure
/**
 * The chain of an audit log. Every entry has the number after the one before it, and the hash of that one; its own hash
 * covers both. So an entry cannot be altered, taken out, put in or moved without breaking a link, and whoever knows the
 * last hash knows them all. Everybody with an export can check it: nothing here is secret.
 */
import { hash } from 'node:crypto'
import { canonicalJson } from './canonical.ts'

/** Where a chain ends. */
export interface ChainEnd {
  sequence: number
  hash: string
}

/** Before the first entry. */
export const beginning: ChainEnd = { sequence: 0, hash: '0'.repeat(64) }

/** An entry as it is stored. Both states are canonical JSON. */
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

/** The link that puts an entry behind the end of a chain. */
export function linkAfter(end: ChainEnd, entry: StoredEntry): Link {
  const place = { sequence: end.sequence + 1, previous_hash: end.hash }
  return { ...place, hash: entryHash(entry, place) }
}

/**
 * SHA-256 of the entry as the API shows it, without `hash`, in the canonical form of RFC 8785. The states are taken as
 * they are stored, so that a change of spelling is a change.
 */
function entryHash(entry: StoredEntry, { sequence, previous_hash }: Omit<Link, 'hash'>): string {
  const { id, tenant_id, created_at, action, project_id, environment_id, request_id, ip } = entry
  const actor = { id: entry.actor_id, label: entry.actor_label, type: entry.actor_type }
  const object = { id: entry.object_id, type: entry.object_type }
  const members = { id, tenant_id, created_at, action, project_id, environment_id, request_id, ip, actor, object, sequence, previous_hash }
  const written = Object.entries(members).map(([name, value]) => [name, canonicalJson(value)])
  const text = [...written, ['before', stateText(entry.before_change)], ['after', stateText(entry.after_change)]]
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')
  return hash('sha256', `{${text}}`, 'hex')
}

/** A state that is not there is stored as nothing, so the word in its place was put there by somebody else, and hashes to another text. */
const stateText = (stored: string | null) => (stored === 'null' ? ' null' : (stored ?? 'null'))

/** What is wrong with an entry that is found where `end` is the one before; `null` where nothing is. */
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
