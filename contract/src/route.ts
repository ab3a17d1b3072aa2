/**
 * An endpoint as data. A row says everything that is decided before and after a handler runs: the credential, the
 * shape of what comes in, the shape of what goes out, and the refusals that are the endpoint's own.
 */
import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { PlatformScope } from './scopes.ts'
import type { Role } from './tenancy.ts'

/**
 * Who may call.
 *
 * any_key        any of the three key types
 * publishable    a publishable key, from one of its origins
 * secret         a secret key of the environment; `role`: or an administrator with at least this role
 * platform       a platform key with the scope, or an administrator with at least this role
 * administrator  an administrator with at least this role in the tenant of the path; `null`: with or without a tenant.
 *                `own_role`: the role that is enough where the path names the caller's own id
 * client, bearer, session  OAuth's own, judged there
 */
export type Credential =
  | { kind: 'none' }
  | { kind: 'any_key' }
  | { kind: 'publishable' }
  | { kind: 'secret'; role: Role | null }
  | { kind: 'platform'; scope: PlatformScope; role: Role }
  | { kind: 'administrator'; role: Role | null; own_role?: Role }
  | { kind: 'client' }
  | { kind: 'bearer' }
  | { kind: 'session' }

export const open: Credential = { kind: 'none' }
export const client: Credential = { kind: 'client' }
export const bearer: Credential = { kind: 'bearer' }
export const session: Credential = { kind: 'session' }
export const anyKey = { kind: 'any_key' } as const
export const publishable = { kind: 'publishable' } as const
export const secret = (role: Role | null) => ({ kind: 'secret', role }) as const
/** Without `role`, a viewer may read and a developer may write. */
export const platform = (scope: PlatformScope, role: Role = scope.endsWith(':read') ? 'viewer' : 'developer') =>
  ({ kind: 'platform', scope, role }) as const
export const administrator = (role: Role | null, own_role?: Role) =>
  ({ kind: 'administrator', role, ...(own_role === undefined ? {} : { own_role }) }) as const

/**
 * What an operator may do with a row in the root tenant. A row that says nothing may be read there and not written.
 *
 * allowed   the write too
 * a schema  the write too, with a body that this schema also accepts
 * hidden    nothing: 404, as for an object that does not exist
 */
export type Operators = 'allowed' | 'hidden' | z.ZodType

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Route {
  method: Method
  path: string
  credential: Credential
  summary: string
  query?: z.ZodObject
  body?: z.ZodType
  /** `returns[1]` is null where the answer has no JSON body. */
  returns: readonly [status: number, body: z.ZodType | null]
  /** Cache-Control of a good answer, which is then tagged by its content. Without it nothing may be kept. */
  cache?: string
  /** The answer is a list that is given whole, an object a line, to whoever prefers this type. */
  lines?: 'application/jsonl'
  /** The member of the answer that is told once: never stored, and null when the answer is repeated. */
  shown_once?: string
  operators?: Operators
  /** The answer is a page for a person, an error too. Other endpoints answer in JSON. */
  page?: true
  /** Whose scripts may read the answer: those of `every` origin, or of the pages of the environment's own `applications`. */
  cross_origin?: 'every' | 'applications'
  fails?: readonly ErrorCode[]
}

type Rest = Omit<Route, 'method' | 'path' | 'credential' | 'summary'>

const row =
  <M extends Method>(method: M) =>
  <const C extends Credential, const R extends Rest>(path: string, credential: C, summary: string, rest: R) => ({
    method,
    path,
    credential,
    summary,
    ...rest,
  })

export const get = row('GET')
export const post = row('POST')
export const patch = row('PATCH')
export const del = row('DELETE')
