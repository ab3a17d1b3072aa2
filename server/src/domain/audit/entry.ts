// pure
/**
 * Describes a change for the audit log: the changed object and the members that differ. Secrets are left out. Personal data
 * of users is replaced by a placeholder, because an audit log outlives the accounts in it.
 */
import { prefixes } from '@ostiary/contract/ids.ts'
import { isRecord } from '../../base/record.ts'

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
 * Takes an object as the API returns it, before and after the change. `before` is `null` for a creation, `after` for a deletion.
 * @param object required when the prefix of the id does not name the type
 */
export function describeChange(before: object | null, after: object | null, object?: AuditedObject): NewAuditEntry {
  const shown: State = { ...before, ...after }
  const { type, id } = object ?? objectOf(shown)
  const [from, to] = before && after ? differences({ ...before }, { ...after }) : [before && { ...before }, after && { ...after }]
  const whole = type === 'organization_member' ? { organization_id: shown.organization_id } : {}
  const personal = personal_of[type]
  return {
    object: { type, id },
    project_id: type === 'project' ? id : text(shown.project_id),
    environment_id: type === 'environment' ? id : text(shown.environment_id),
    before: from && redacted({ ...whole, ...from }, personal),
    after: to && redacted({ ...whole, ...to }, personal),
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : null)

/** The prefix of an id names the type. A member has the id of a user; settings have the id of their environment. */
function objectOf(shown: State): AuditedObject {
  const [id, user_id] = [text(shown.id), text(shown.user_id)]
  if (id === null && user_id !== null) return { type: 'organization_member', id: user_id }
  if (id === null) return { type: 'settings', id: text(shown.environment_id) ?? '' }
  if ('role' in shown && id.startsWith('usr_')) return { type: 'member', id }
  return { type: Object.entries(prefixes).find(([, prefix]) => id.startsWith(`${prefix}_`))?.[0] ?? 'unknown', id }
}

/** The members that differ, at the depth where they differ. A list is one value. */
function differences(before: State, after: State): [State, State] {
  const from: State = {}
  const to: State = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [memberOf(before, name), memberOf(after, name)]
    if (JSON.stringify(old) === JSON.stringify(now)) continue
    ;[from[name], to[name]] = isRecord(old) && isRecord(now) ? differences(old, now) : [old, now]
  }
  return [from, to]
}

/** `null` if the object has no such member. Inherited names like `constructor` are ignored. */
const memberOf = (state: State, name: string) => (Object.hasOwn(state, name) ? (state[name] ?? null) : null)

/** Members that repeat what the entry says itself. */
const redundant = /^(version|updated_at)$/

/**
 * Write-only values and values that are shown only once. A secret is text: the settings have a group `password` and a switch
 * `sign_in.password`, which are not secrets.
 */
const secret = /^(key|secret|client_secret|password|private_key|digest|password_hash|client_secret_hash|token|token_hash|invitation_url)$/

const isSecret = (name: string, value: unknown) => secret.test(name) && (typeof value === 'string' || value === null)

/** Personal data of users: claims of OIDC Core §5.1, a `sub` that a backend chose, a new address, metadata, claims for tokens, and where a session comes from. */
const personal =
  /^(sub|email|pending_email|phone_number|name|given_name|family_name|nickname|preferred_username|picture|locale|zoneinfo|metadata|claims|ip|user_agent)$/

/** Which members of an object are personal, by its type. The data of a backend about a customer can be about its people. */
const personal_of: Readonly<Record<string, RegExp>> = {
  user: personal,
  session: personal,
  organization_member: personal,
  organization: /^metadata$/,
  organization_invitation: /^email$/,
}

/** Drops secrets and redundant members, and replaces personal data. */
function redacted(state: State, personal: RegExp | undefined): State {
  const redactedValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(redactedValue)
    return isRecord(value) ? redacted(value, personal) : value
  }
  return Object.fromEntries(
    Object.entries(state)
      .filter(([name, value]) => !isSecret(name, value) && !redundant.test(name))
      .map(([name, value]) => [name, personal?.test(name) && value !== null ? '[personal]' : redactedValue(value)]),
  )
}
