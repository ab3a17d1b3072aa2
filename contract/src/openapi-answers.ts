/** The errors that an operation can answer: the general ones that its row allows, and those it declares. */
import { type ErrorCode, errors } from './errors.ts'
import { needsFreshSignIn } from './fresh.ts'
import type { Credential, Route } from './route.ts'

const roleOf = (credential: Credential) => ('role' in credential ? credential.role : null)

/** Whether the row needs the tenant of an administrator by header. */
export const takesTenant = ({ credential, path }: Route): boolean =>
  roleOf(credential) !== null && (credential.kind !== 'administrator' || !path.includes('{tenant_id}'))

const takesBody = ({ method }: Route): boolean => method === 'POST' || method === 'PATCH'

/** Whether a row compares If-Match: those that change one existing object. */
export const takesIfMatch = ({ method }: Route): boolean => method === 'PATCH' || method === 'DELETE'

/** When a row can answer a general error. The pipeline decides all others for every row. */
const conditions: Partial<Record<ErrorCode, (route: Route) => boolean>> = {
  tenant_required: takesTenant,
  insufficient_scope: ({ credential }) => credential.kind === 'platform',
  insufficient_role: ({ credential, operators, method }) =>
    roleOf(credential) !== null &&
    (roleOf(credential) !== 'viewer' || operators === 'refused' || (operators === undefined && method !== 'GET')),
  reauthentication_required: ({ fresh }) => needsFreshSignIn(fresh),
  not_found: (route) => route.path.includes('{') || roleOf(route.credential) !== null,
  method_not_allowed: () => false, // another method is another operation
  idempotency_in_progress: ({ method }) => method === 'POST',
  idempotency_mismatch: ({ method }) => method === 'POST',
  stale_version: takesIfMatch,
  body_too_large: takesBody,
  unsupported_media_type: takesBody,
  validation_failed: (route) => takesBody(route) || route.query !== undefined,
}

/** The errors of an operation itself, those of its row first. All others are common: every operation can answer them. */
export function ownErrorsOf(route: Route, general: readonly ErrorCode[]): ErrorCode[] {
  const declared = route.fails ?? []
  const conditional = general.filter((code) => !isCommon(code) && conditions[code]?.(route))
  return [...new Set([...declared, ...conditional])]
}

/** Whether every operation that takes a body, a key or a version can answer this error, whatever it does. */
export const isCommon = (code: ErrorCode): boolean => !own_of_rows.includes(code)

const own_of_rows: readonly ErrorCode[] = [
  'not_found',
  'validation_failed',
  'insufficient_scope',
  'insufficient_role',
  'reauthentication_required',
  'stale_version',
]

export function errorsOf(route: Route, general: readonly ErrorCode[]): ErrorCode[] {
  const possible = general.filter((code) => conditions[code]?.(route) ?? true)
  return [...new Set([...possible, ...(route.fails ?? [])])].sort((a, b) => errors[a].status - errors[b].status)
}
