// pure
/**
 * The quotas of a deployment: their names in OSTIARY_LIMITS, their defaults, and the message for a caller that is at a limit. The
 * statement that creates an object enforces its quota. It runs after a statement that serialises creations under the same parent
 * (`hold…` in the stores). Sessions and grants of a user are refused to no one: the oldest end (`domain/sessions/bounds.ts`).
 */
import { JsonError, parseJson } from '../json.ts'
import { type Reason, reason } from '../reason.ts'
import { isRecord } from '../record.ts'

interface Limit {
  default: number
  /** The counted objects, as in "The limit is 20 …". */
  counts: string
  /** The action that makes room; `null` if the caller has none. */
  makes_room: string | null
}

// biome-ignore format: this table is read by column
const table = {
  tenants_per_person:       { default: 20,    counts: 'tenants created by one person',                makes_room: null },
  projects_per_tenant:      { default: 100,   counts: 'projects in a tenant',                         makes_room: null },
  environments_per_project: { default: 20,    counts: 'environments in a project',                    makes_room: null },
  applications:             { default: 1_000, counts: 'applications in an environment',               makes_room: 'Delete an application' },
  metadata_clients:         { default: 1_000, counts: 'metadata clients in an environment',           makes_room: 'Delete a metadata client' },
  resource_servers:         { default: 1_000, counts: 'resource servers in an environment',           makes_room: 'Delete a resource server' },
  roles:                    { default: 200,   counts: 'roles in an environment',                      makes_room: 'Delete a role' },
  role_permissions:         { default: 1_000, counts: 'scopes in the permissions of a role',          makes_room: 'Name fewer scopes' },
  organizations:            { default: 100_000, counts: 'organizations in an environment',            makes_room: 'Delete an organization' },
  members_per_organization: { default: 100_000, counts: 'members of an organization',                 makes_room: 'Remove a member' },
  organizations_per_user:   { default: 5_000, counts: 'organizations of a user',                      makes_room: 'Remove the user from an organization' },
  organization_invitations_pending:     { default: 500, counts: 'pending invitations to an organization', makes_room: 'Delete a pending invitation' },
  organization_invitations_per_day:     { default: 200, counts: 'invitations to an organization in 24 hours, those sent again included', makes_room: 'Wait until tomorrow' },
  organization_invitations_per_address: { default: 3,   counts: 'invitations to an address in 24 hours, from all organizations of an environment', makes_room: 'Wait until tomorrow' },
  providers:                { default: 100,   counts: 'identity providers in an environment',         makes_room: 'Delete a provider' },
  keys:                     { default: 1_000, counts: 'keys that are not revoked in an environment, and of platform keys in a tenant', makes_room: 'Revoke a key' },
  webhooks:                 { default: 20,    counts: 'webhooks in an environment',                   makes_room: 'Delete a webhook of this environment' },
  webhooks_per_tenant:      { default: 200,   counts: 'webhooks in all environments of a tenant',     makes_room: 'Delete a webhook of this tenant' },
  invitations_pending:      { default: 50,    counts: 'pending invitations of a tenant',              makes_room: 'Delete an invitation' },
  invitations_per_day:      { default: 100,   counts: 'invitations of a tenant in 24 hours',          makes_room: 'Wait until tomorrow' },
  mails_per_address:        { default: 30,    counts: 'mails to one address in a day',                makes_room: 'Wait until tomorrow' },
  sessions_per_person:      { default: 200,   counts: 'live sessions of a user',                      makes_room: null },
  grants_per_person:        { default: 100,   counts: 'grants with offline_access of a user for one application', makes_room: null },
  sign_ins_per_person:      { default: 300,   counts: 'sign-ins of a user in an hour',                makes_room: null },
  invitations_per_address:  { default: 3,     counts: 'invitations of a tenant to one address in 24 hours', makes_room: 'Wait until tomorrow' },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof table
export type Limits = Readonly<Record<LimitName, number>>

const names = Object.keys(table) as LimitName[] // as: keys of a const object are exactly its names

export const default_limits: Limits = limitsFrom((name) => table[name].default)

/** Returns the detail of a 422 `quota_exceeded`: the limit, its value and what to do. */
export function quotaDetail(name: LimitName, limits: Limits): Reason {
  const { counts, makes_room } = table[name]
  const advice = makes_room === null ? reason`Ask` : reason`${makes_room}, or ask`
  return reason`The limit is ${limits[name]} ${counts} (${name}). ${advice} the operator of this service for a higher limit.`
}

/** Reads OSTIARY_LIMITS: a JSON object with some of the names. Reports every mistake in it. */
export function parseLimits(text: string): { value: Limits } | { problem: string } {
  const example = 'such as {"keys": 2000}'
  let document: unknown
  try {
    document = parseJson(Buffer.from(text))
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    return { problem: `Expected well-formed JSON without repeated names, ${example}.` }
  }
  if (!isRecord(document)) return { problem: `Expected a JSON object, ${example}.` }
  const problems = Object.entries(document).flatMap(([name, value]) => {
    if (!names.some((known) => known === name)) return [`There is no limit "${name}".`]
    return isLimit(value) ? [] : [`"${name}" must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}.`]
  })
  const has_unknown = problems.some((problem) => problem.startsWith('There is no limit'))
  if (problems.length > 0) return { problem: [...problems, ...(has_unknown ? [`The limits are ${names.join(', ')}.`] : [])].join(' ') }
  const set = new Map(Object.entries(document))
  return {
    value: limitsFrom((name) => {
      const value = set.get(name)
      return isLimit(value) ? value : table[name].default
    }),
  }
}

/** Lists all limits, for `ostiary doctor`. */
export function describeLimits(limits: Limits): string {
  return names.map((name) => `${name} ${limits[name]}`).join(', ')
}

function limitsFrom(valueFor: (name: LimitName) => number): Limits {
  return Object.fromEntries(names.map((name) => [name, valueFor(name)])) as Record<LimitName, number> // as: every name is there
}

const isLimit = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0)
