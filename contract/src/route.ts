/**
 * The type of a row of the route table: the credential, the schemas of the request and the response, and the errors that the handler
 * can answer.
 */
import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Fresh } from './fresh.ts'
import type { PlatformScope } from './scopes.ts'
import type { Role } from './tenancy.ts'

/**
 * The credentials that a row accepts.
 *
 * any_key        any of the three key types
 * publishable    a publishable key, from one of its allowed origins
 * secret         a secret key of the environment, or an administrator with at least this role; `null`: the key only
 * platform       a platform key with the scope and those of `also`, or an administrator with at least this role
 * administrator  an administrator with at least this role in the tenant of the path or, where it has none, of the header; `null`: in no tenant.
 *                `own_role` is sufficient if the path contains the caller's own id
 * client         client authentication (RFC 6749 §2.3)
 * bearer         an access token (RFC 6750)
 * session        the form of a hosted page
 */
export type Credential =
  | { kind: 'none' }
  | { kind: 'any_key' }
  | { kind: 'publishable' }
  | { kind: 'secret'; role: Role | null }
  | { kind: 'platform'; scope: PlatformScope; role: Role; also?: readonly PlatformScope[] }
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
/** By default a viewer can read and a developer can write. */
export const platform = (scope: PlatformScope, role: Role = scope.endsWith(':read') ? 'viewer' : 'developer') =>
  ({ kind: 'platform', scope, role }) as const
/** A key needs every one of these scopes; a viewer can read. */
export const platformWithAll = (scope: PlatformScope, ...also: PlatformScope[]) => ({ ...platform(scope), also }) as const
/** The scopes that a key needs for a row. */
export const scopesOf = (credential: Credential): readonly PlatformScope[] =>
  credential.kind === 'platform' ? [credential.scope, ...(credential.also ?? [])] : []
export const administrator = (role: Role | null, own_role?: Role) =>
  ({ kind: 'administrator', role, ...(own_role === undefined ? {} : { own_role }) }) as const

/**
 * Whether an operator can use a row in the root tenant. By default operators can use GET rows only.
 *
 * allowed   operators can write
 * a schema  operators can write a body that this schema also accepts
 * hidden    the row answers 404
 * refused   the row answers 403: the root environment has no such thing
 */
export type Operators = 'allowed' | 'hidden' | 'refused' | z.ZodType

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Route {
  method: Method
  path: string
  credential: Credential
  summary: string
  query?: z.ZodObject
  body?: z.ZodType
  /** The body is `null` when the response has no JSON body. */
  returns: readonly [status: number, body: z.ZodType | null]
  /** Cache-Control of a successful response, whose ETag is then a hash of its content. The default is `no-store`. */
  cache?: string
  /** A client that accepts this type gets the complete list, one object per line; as `text/csv` after a line of their members. */
  lines?: 'application/jsonl' | 'text/csv'
  /** The member of the response with the plaintext secret. It is never stored, and `null` when the response is repeated. */
  shown_once?: string
  operators?: Operators
  /** The member of the body that can be large: the body then has at most 4 MiB and 200,000 values. The handler judges the member. */
  large_member?: string
  /** The member that a body has in place of the large one. It has exactly one of them. */
  instead_of_large?: string
  /** The call creates an object that is not done yet: its answer, which is 202, has the `Location` of the object. */
  creates?: true
  /** When an administrator needs a fresh sign-in. Each row that changes something says when, or why never. */
  fresh?: Fresh
  /** The row changes the configuration of the environment in the path: a commit raises its `config_version`. */
  configures?: true
  /** All responses are HTML pages, errors included. Other rows answer JSON. */
  page?: true
  /** The origins whose scripts can read the response: `every` origin, or those of the environment's `applications`. */
  cross_origin?: 'every' | 'applications' | 'clients'
  /** The errors that the handler can answer, besides `generalErrors`. */
  fails?: readonly ErrorCode[]
}

/** A POST that needs nothing of its body: it takes none, `{}`, or its optional fields, with or without a Content-Type. */
export const isAction = ({ method, body }: Pick<Route, 'method' | 'body'>): boolean =>
  method === 'POST' && (body === undefined || body.safeParse({}).success)

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
