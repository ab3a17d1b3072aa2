// pure
/**
 * What a change looks like in the audit log: what it was made to, and the members that differ. Secrets never get here,
 * and of what people entered about themselves only the names: an audit log outlives the accounts it tells of.
 */
import { prefixes } from '@ostiary/contract/ids.ts'

type State = Record<string, unknown>

export interface AuditedObject {
  type: string
  id: string
}

export interface NewAuditEntry {
  object: AuditedObject
  project_id: string | null
  environment_id: string | null
  before: State | null
  after: State | null
}

/**
 * An object as the API shows it, before and after; `null` where it does not exist. Without `before` it was created,
 * without `after` deleted.
 * @param object where its id does not tell what it is
 */
export function describeChange(before: object | null, after: object | null, object?: AuditedObject): NewAuditEntry {
  const shown: State = { ...before, ...after }
  const { type, id } = object ?? objectOf(shown)
  const [from, to] = before && after ? differing({ ...before }, { ...after }) : [before && { ...before }, after && { ...after }]
  const is_person = type === 'user' || type === 'session'
  return {
    object: { type, id },
    project_id: type === 'project' ? id : text(shown.project_id),
    environment_id: type === 'environment' ? id : text(shown.environment_id),
    before: from && told(from, is_person),
    after: to && told(to, is_person),
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : null)

/** An id says what it is the id of. A member has the id of a user; settings have that of their environment. */
function objectOf(shown: State): AuditedObject {
  const id = text(shown.id)
  if (id === null) return { type: 'settings', id: text(shown.environment_id) ?? '' }
  if ('role' in shown && id.startsWith('usr_')) return { type: 'member', id }
  return { type: Object.entries(prefixes).find(([, prefix]) => id.startsWith(`${prefix}_`))?.[0] ?? 'unknown', id }
}

/** The members that are not the same, down to where they differ. A list is one value. */
function differing(before: State, after: State): [State, State] {
  const from: State = {}
  const to: State = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [memberOf(before, name), memberOf(after, name)]
    if (JSON.stringify(old) === JSON.stringify(now)) continue
    ;[from[name], to[name]] = isState(old) && isState(now) ? differing(old, now) : [old, now]
  }
  return [from, to]
}

/** `null` where there is none, also for a name like `constructor`, which every object inherits. */
const memberOf = (state: State, name: string) => (Object.hasOwn(state, name) ? (state[name] ?? null) : null)

function isState(value: unknown): value is State {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** These say no more than the entry itself does. */
const beside_the_point = /^(version|updated_at)$/

/** Write-only values, and what is told once: absent here, as they are where the object is read. */
const secret = /^(key|secret|client_secret|password|private_key|digest|password_hash|client_secret_hash|token|token_hash|invitation_url)$/

/** OIDC Core §5.1, and what else belongs to a person who signs in to a customer's application. */
const personal =
  /^(email|phone_number|name|given_name|family_name|nickname|preferred_username|picture|locale|zoneinfo|metadata|ip|user_agent)$/

/** What is kept of an object. */
function told(state: State, is_person: boolean): State {
  return Object.fromEntries(
    Object.entries(state)
      .filter(([name]) => !secret.test(name) && !beside_the_point.test(name))
      .map(([name, value]) => [name, is_person && personal.test(name) && value !== null ? '[personal]' : toldValue(value)]),
  )
}

function toldValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toldValue)
  return isState(value) ? told(value, false) : value
}
