/**
 * Authenticates and authorizes a request. The contract defines the order of the checks: credential, address, origin, rate limit, key
 * type, then tenant, role or scope. Handlers do not check credentials.
 */
import type { ApiKey } from '@ostiary/contract/api-key.ts'
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { type Credential, type Route, scopesOf } from '@ostiary/contract/route.ts'
import type { PlatformScope } from '@ostiary/contract/scopes.ts'
import { type EnvironmentType, type Role, roles } from '@ostiary/contract/tenancy.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { digestOf } from '../base/digest.ts'
import { type Reason, reason } from '../base/reason.ts'
import { refusedValue } from '../base/refusal.ts'
import type { Counters } from '../deployment/counters.ts'
import { byKey, byUser } from '../domain/events/origin.ts'
import type { Actor } from '../domain/events/store.ts'
import { recogniseKey } from '../domain/keys/format.ts'
import { ipAllowed, keyIsUsable, originAllowed, rateLimitOf, scopesAllow } from '../domain/keys/policy.ts'
import type { KeyRow, KeyStore } from '../domain/keys/store.ts'
import { ApiError, notFound } from '../http/problem.ts'
import { type RateLimiter, type RateLimitPolicy, type RateLimitResult, rateLimitHeaders } from '../http/rate-limit.ts'
import type { Administrator, Administrators } from './administrators.ts'
import { keyInUrl, misplacedCredential } from './misplaced.ts'
import { refuseOperator } from './operators.ts'

export interface Caller {
  readonly actor: Actor
  /** On a route without a tenant, the root tenant: every administrator is a user of it. */
  readonly tenant_id: TenantId
  readonly key: KeyRow | null
  readonly administrator: Administrator | null
  /** The role of the administrator in this tenant. */
  readonly role: Role | null
  /** The caller is an operator, and the call is for the root tenant. */
  readonly is_operator: boolean
  /** The environment of a secret key, or the one in the X-Environment-Id header of an administrator. */
  readonly environment: CallerEnvironment | null
}

export interface CallerEnvironment {
  readonly id: EnvironmentId
  readonly type: EnvironmentType
  readonly tenant_id: TenantId
  readonly project_id: string
}

export interface Gate {
  readonly keys: KeyStore
  readonly limiter: RateLimiter
  readonly administrators: Administrators
  readonly counters: Counters
  readonly now: () => Date
}

/** Who sent a call, as far as its credential shows, even where the call is refused. */
export type Claimant = { readonly key: KeyRow } | { readonly administrator: Administrator }

/** The reason before it is known whether the key was rotated; see `deployment/refused-calls/owners.ts`. */
const unknown_key = reason`No key has this text. It was mistyped, rotated or never existed.`

type Guarded = Exclude<Credential, { kind: 'none' | 'client' | 'bearer' | 'session' }>

/** Describes the access that a call asks for. */
interface Asked<R extends Route = Route> {
  readonly route: R
  /** The scopes beside those of the row that a call of this key needs, by what it touches; `null` where the row asks for no others. */
  readonly more: ((key: KeyRow) => Promise<readonly PlatformScope[]>) | null
}

export function authenticate(gate: Gate, { route, more }: Asked, request: FastifyRequest, reply: FastifyReply): Promise<Caller> | null {
  const { credential } = route
  switch (credential.kind) {
    case 'none':
    case 'client':
    case 'bearer':
    case 'session':
      return null
    default:
      return authenticateGuarded(gate, { route: route as GuardedRoute, more }, request, reply) // as: the other kinds are above
  }
}

type GuardedRoute = Route & { credential: Guarded }

async function authenticateGuarded(
  gate: Gate,
  { route, more }: Asked<GuardedRoute>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const { credential } = route
  const sent = readCredential(request, credential)
  if ('bearer' in sent) {
    const administrator = await gate.administrators.identify(sent.bearer)
    if (!administrator) throw invalidKey(credential, sent, reason`The access token is unknown, expired or revoked, or is not for this API.`)
    request.claimant = { administrator }
    await takeCall(gate, administrator.user_id, administrator_limit, reply)
    return admitAdministrator(gate, route, administrator, request)
  }
  const is_well_formed = recogniseKey(sent.key) !== null
  const key = is_well_formed ? await gate.keys.findByDigest(digestOf(sent.key)) : null
  if (!key)
    throw invalidKey(credential, sent, is_well_formed ? unknown_key : reason`The text of the key is mistyped: its checksum is wrong.`)
  request.claimant = { key }
  const { key_id, tenant_id } = key
  if (key.revoked_at !== null) throw invalidKey(credential, sent, reason`The key ${key_id} is revoked.`)
  if (!keyIsUsable(key, gate.now())) throw invalidKey(credential, sent, reason`The key ${key_id} has expired.`)
  const counted = { key_id, tenant_id, route: route.path, ip: request.ip_address, at: gate.now() }
  try {
    checkSource(credential, key, request, reply)
    const counting = takeCall(gate, key_id, rateLimitOf(key), reply)
    if (counting) await counting
    gate.keys.noteUse(key_id, gate.now(), request.ip_address)
    if (key.environment_id) gate.counters.count(key.environment_id, 'key_use', key_id)
    const caller = admitKey(credential, key)
    const missing = missingScopes(key, scopesOf(credential))
    if (missing.length > 0) throw lacksScopes([...missing, ...(more ? missingScopes(key, await more(key)) : [])])
    gate.keys.countCall(counted, false)
    return caller
  } catch (error) {
    gate.keys.countCall(counted, true)
    throw error
  }
}

/** One limit for each administrator, over all their tokens and tenants. */
const administrator_limit: RateLimitPolicy = { limit: 1_000, window_seconds: 10 }

/** Counts the call of a key or an administrator. The in-memory limiter returns no promise, which saves a turn of the event loop. */
function takeCall({ limiter }: Gate, id: string, policy: RateLimitPolicy, reply: FastifyReply): Promise<void> | null {
  const settle = (result: RateLimitResult) => {
    reply.extra_headers = { ...reply.extra_headers, ...rateLimitHeaders(policy, result) }
    if (result.allowed) return
    throw new ApiError(
      'rate_limited',
      `The limit of this credential is ${policy.limit} requests in ${policy.window_seconds} s. Try again in ${result.retry_after_seconds} s.`,
      { reason: reason`The limit of the credential is ${policy.limit} requests in ${policy.window_seconds} s.` },
    )
  }
  const taken = limiter.take(id, policy)
  if (taken instanceof Promise) return taken.then(settle)
  settle(taken)
  return null
}

/** Checks the IP allowlist and the allowed origins of a key. */
function checkSource(credential: Guarded, key: ApiKey, request: FastifyRequest, reply: FastifyReply): void {
  const ip = request.ip_address
  if (!ipAllowed(key.ip_allowlist, ip))
    throw new ApiError('ip_not_allowed', `The key may not be used from ${ip ?? 'an unknown address'}.`, {
      reason: reason`The address of the caller is not in ip_allowlist of the key ${key.key_id}.`,
    })
  if (key.type === 'auth_publishable') {
    const { origin } = request.headers
    if (origin === undefined || !originAllowed(key.allowed_origins, origin)) {
      throw new ApiError(
        'origin_not_allowed',
        origin ? `The key may not be used from ${origin}.` : 'A publishable key needs an Origin header, which browsers send.',
        {
          reason: origin
            ? reason`The Origin header is not in allowed_origins of the key ${key.key_id}.`
            : reason`The call with the publishable key ${key.key_id} has no Origin header.`,
          refused: origin ? refusedValue('origin', origin) : null,
        },
      )
    }
    if (isForBrowsers(credential))
      reply.extra_headers = {
        ...reply.extra_headers,
        'access-control-allow-origin': origin,
        'access-control-expose-headers': exposed_headers,
      }
  }
}

/** Whether scripts of other origins can read the response: on routes that accept a publishable key. */
export const isForBrowsers = ({ kind }: Credential) => kind === 'publishable' || kind === 'any_key'

const exposed_headers = 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id'

/** Checks the type of the key. */
function admitKey(credential: Guarded, key: KeyRow): Caller {
  const { type } = accepts[credential.kind]
  if (type !== null && key.type !== type) throw wrongKeyType(credential, keyNames[key.type], reason`The key is of the type ${key.type}.`)
  const { environment_id, environment_type, project_id, tenant_id } = key
  const environment =
    environment_id && environment_type && project_id ? { id: environment_id, type: environment_type, tenant_id, project_id } : null
  return { actor: byKey(key.key_id), tenant_id, key, administrator: null, role: null, is_operator: false, environment }
}

const missingScopes = (key: Pick<KeyRow, 'scopes'>, scopes: readonly PlatformScope[]) =>
  scopes.filter((scope) => !scopesAllow(key.scopes, scope))

function lacksScopes(missing: readonly PlatformScope[]): ApiError {
  const names = missing.map((scope) => reason`${scope}`).reduce((names, scope) => reason`${names}, ${scope}`)
  const detail = missing.length === 1 ? reason`The key lacks the scope ${names}.` : reason`The key lacks the scopes ${names}.`
  return new ApiError('insufficient_scope', detail, { required_scopes: missing })
}

/** @throws ApiError with every scope that the key lacks */
export function refuseMissingScopes(key: Pick<KeyRow, 'scopes'>, scopes: readonly PlatformScope[]): void {
  const missing = missingScopes(key, scopes)
  if (missing.length > 0) throw lacksScopes(missing)
}

const keyNames: Record<ApiKey['type'], string> = {
  auth_publishable: 'a publishable key (svc_auth_pk_…)',
  auth_secret: 'a secret key of an environment (svc_auth_sk_…)',
  platform_secret: 'a platform key (svc_platform_sk_…)',
}
const token_name = 'the access token of an administrator'

// biome-ignore format: this table is read by column
const accepts: Record<Guarded['kind'], { type: ApiKey['type'] | null | 'none'; name: string }> = {
  any_key:       { type: null,               name: 'an API key' },
  publishable:   { type: 'auth_publishable', name: keyNames.auth_publishable },
  secret:        { type: 'auth_secret',      name: keyNames.auth_secret },
  platform:      { type: 'platform_secret',  name: keyNames.platform_secret },
  administrator: { type: 'none',             name: token_name },
}

/** Names what the row needs and what was sent. */
function wrongKeyType(credential: Guarded, sent: string, has: Reason): ApiError {
  const { kind } = credential
  const or_token = kind !== 'administrator' && admitsAdministrators(credential) ? `, or ${token_name}` : ''
  return new ApiError('wrong_key_type', `This call needs ${accepts[kind].name}${or_token}. You sent ${sent}.`, {
    reason: reason`${has} ${needs[kind]}`,
  })
}

const is_administrator = reason`The call has the access token of an administrator.`

const needs: Record<Guarded['kind'], Reason> = {
  any_key: reason`The call needs an API key.`,
  publishable: reason`The call needs a publishable key.`,
  secret: reason`The call needs a secret key of an environment.`,
  platform: reason`The call needs a platform key.`,
  administrator: reason`The call needs the access token of an administrator.`,
}

async function admitAdministrator(
  { administrators }: Gate,
  route: GuardedRoute,
  administrator: Administrator,
  request: FastifyRequest,
): Promise<Caller> {
  const { credential } = route
  const actor = byUser(administrator.user_id)
  const base = { actor, key: null, administrator, is_operator: false, environment: null }
  if (credential.kind === 'any_key' || credential.kind === 'publishable') throw wrongKeyType(credential, token_name, is_administrator)
  const needed = neededRole(credential, administrator, request)
  if (needed === null) {
    if (credential.kind === 'administrator') return { ...base, tenant_id: administrators.root_tenant_id, role: null }
    throw wrongKeyType(credential, token_name, is_administrator)
  }

  const tenant_id = tenantOf(credential, request)
  const membership = administrator.memberships.find((candidate) => candidate.tenant_id === tenant_id)
  if (!membership) throw notFound(reason`The administrator is not a member of the tenant that the call names.`)
  if (roles.indexOf(membership.role) < roles.indexOf(needed))
    throw new ApiError('insufficient_role', reason`This needs the role ${needed}; yours is ${membership.role}.`)
  const is_operator = membership.tenant_id === administrators.root_tenant_id
  if (is_operator) refuseOperator(route)
  const environment =
    credential.kind === 'secret' ? await administrators.findEnvironment(membership.tenant_id, headerOf(request, 'x-environment-id')) : null
  return { ...base, tenant_id: membership.tenant_id, role: membership.role, is_operator, environment }
}

/** The role that the row requires for this path, without a database query. `null`: no role. */
function neededRole(
  credential: Exclude<Guarded, { kind: 'any_key' | 'publishable' }>,
  { user_id }: Administrator,
  request: FastifyRequest,
): Role | null {
  const is_own = Object.values(request.params as Record<string, string>).includes(user_id) // as: Fastify types them unknown
  return credential.kind === 'administrator' && credential.own_role !== undefined && is_own ? credential.own_role : credential.role
}

function tenantOf(credential: Guarded, request: FastifyRequest): string {
  const { tenant_id } = request.params as { tenant_id?: string } // as: Fastify types them unknown
  if (credential.kind === 'administrator' && tenant_id !== undefined) return tenant_id
  return headerOf(request, 'x-tenant-id')
}

function headerOf(request: FastifyRequest, name: 'x-tenant-id' | 'x-environment-id'): string {
  const value = request.headers[name]
  if (typeof value !== 'string' || value === '')
    throw new ApiError('tenant_required', `Send the header ${name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())}.`, {
      reason: reason`The administrator did not send the header ${name}.`,
    })
  return value
}

/** The credential of a request: a key in X-API-Key or Authorization: ApiKey (or the same key in both), or the token of an administrator. */
function readCredential({ headers, url }: FastifyRequest, credential: Guarded): { key: string } | { bearer: string } {
  if (headers.authorization === undefined && isOneKey(headers['x-api-key'])) return { key: headers['x-api-key'] } // fast path
  const [, scheme, value = ''] = /^(ApiKey|Bearer) +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  const bearer = scheme?.toLowerCase() === 'bearer' ? value : undefined
  // RFC 9110 §5.3: Node joins repeated headers into one list.
  const listed = [headers['x-api-key'] ?? []].flat().flatMap((line) => line.split(',').map((key) => key.trim()))
  const sent = new Set([...listed, ...(bearer === undefined && scheme ? [value] : [])])
  if (sent.size + (bearer === undefined ? 0 : 1) > 1)
    throw new ApiError('conflicting_credentials', 'The request carries two different credentials. Send one.')
  if (bearer !== undefined) return { bearer }
  const [key] = sent
  if (key !== undefined && key !== '') return { key }
  if (headers.authorization !== undefined)
    throw invalidKey(credential, null, reason`The Authorization header has neither an API key nor a bearer token.`)
  const advice =
    credential.kind === 'administrator'
      ? 'Send the access token of an administrator as Authorization: Bearer.'
      : 'Send an API key in the header X-API-Key, or as Authorization: ApiKey.'
  throw new ApiError('unauthenticated', keyInUrl(url) ?? advice, {
    ...challenge(credential),
    reason: reason`The request has no credential in its headers.`,
  })
}

const isOneKey = (value: string | string[] | undefined): value is string => typeof value === 'string' && /^[^\s,]+$/.test(value)

function invalidKey(credential: Guarded, sent: { key: string } | { bearer: string } | null, why: Reason): ApiError {
  const misplaced = sent && misplacedCredential(sent)
  const detail = misplaced ?? 'The credential is invalid. It may be mistyped, expired, rotated or revoked.'
  return new ApiError('invalid_key', detail, { ...challenge(credential), reason: why })
}

/** RFC 9110 §11.6.1: the authentication schemes of the row. */
function challenge(credential: Guarded): { headers: Record<string, string> } {
  return { headers: { 'www-authenticate': admitsAdministrators(credential) ? 'ApiKey, Bearer' : 'ApiKey' } }
}

const admitsAdministrators = (credential: Guarded): boolean =>
  credential.kind === 'administrator' || ('role' in credential && credential.role !== null)
