/** Manages API keys. The three types share their handlers; they differ in their owner and in the fields that may be set. */
import { type KeyIdentity, type KeyType, type KeyUsage, RateLimit } from '@ostiary/contract/api-key.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { quotaDetail } from '../../base/config/limits.ts'
import { day_ms } from '../../base/durations.ts'
import { mergePatch } from '../../base/merge-patch.ts'
import { makeApiKey } from '../../domain/keys/format.ts'
import { effectiveScopes, ipAllowlistProblem, originProblem } from '../../domain/keys/policy.ts'
import * as store from '../../domain/keys/store.ts'
import { findKeyUsage } from '../../domain/keys/usage.ts'
import { type PageCall, readPage } from '../../domain/lists/lists.ts'
import { timeRange } from '../../domain/lists/time-range.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { findKeyOwner, haveRoom, holdEnvironment, holdTenant } from '../../domain/tenancy/store.ts'
import type { Fail } from '../../http/problem.ts'
import { type FieldError, fieldErrors, found, validationFailed } from '../../http/problem.ts'
import { environmentOf } from '../environment.ts'
import { refusePastExpiry } from '../expiry.ts'
import type { AnyCall, Call, Handler } from '../handler.ts'
import { peopleBehind } from '../people-behind.ts'
import type { Services } from '../services.ts'

/** Auth keys belong to an environment, platform keys to a tenant. */
type Owner = store.KeyOwner & { environment_type: EnvironmentType | null }

type OwnerCall = Pick<AnyCall, 'caller' | 'params'>
type KeyCall = Pick<AnyCall, 'caller' | 'params' | 'if_match' | 'commit'>

export const whoami: Handler<'whoami'> = (services, { caller, ip }) => identify(services, services.keys.current(caller.key), ip)

export const listAuthKeys: Handler<'listAuthKeys'> = async (services, call) => list(services, call, await environmentOwner(services, call))

export const createAuthKey: Handler<'createAuthKey'> = async (services, call) => {
  const { type, ...sent } = call.body
  return create(services, call, await environmentOwner(services, call), { type, ...withDefaults(sent) })
}

export const getAuthKey: Handler<'getAuthKey'> = async (services, call) => find(services, call, await environmentOwner(services, call))

export const changeAuthKey: Handler<'changeAuthKey'> = async (services, call) =>
  change(services, call, await environmentOwner(services, call), call.body)

export const rotateAuthKey: Handler<'rotateAuthKey'> = async (services, call) =>
  rotate(services, call, await environmentOwner(services, call))

export const revokeAuthKey: Handler<'revokeAuthKey'> = async (services, call) =>
  revoke(services, call, await environmentOwner(services, call))

export const listPlatformKeys: Handler<'listPlatformKeys'> = (services, call) => list(services, call, tenantOwner(call))

export const createPlatformKey: Handler<'createPlatformKey'> = async (services, call) =>
  create(services, call, tenantOwner(call), { type: 'platform_secret', ...withDefaults(call.body) })

export const getPlatformKey: Handler<'getPlatformKey'> = (services, call) => find(services, call, tenantOwner(call))

export const changePlatformKey: Handler<'changePlatformKey'> = (services, call) => change(services, call, tenantOwner(call), call.body)

export const rotatePlatformKey: Handler<'rotatePlatformKey'> = (services, call) => rotate(services, call, tenantOwner(call))

export const revokePlatformKey: Handler<'revokePlatformKey'> = (services, call) => revoke(services, call, tenantOwner(call))

export const authKeyUsage: Handler<'authKeyUsage'> = async (services, call) => usage(services, call, await environmentOwner(services, call))

export const platformKeyUsage: Handler<'platformKeyUsage'> = (services, call) => usage(services, call, tenantOwner(call))

async function environmentOwner(services: Services, call: OwnerCall): Promise<Owner> {
  const { tenant_id, project_id, id, type } = await environmentOf(services, call)
  return { tenant_id, project_id, environment_id: id, environment_type: type }
}

function tenantOwner({ caller }: Pick<OwnerCall, 'caller'>): Owner {
  return { tenant_id: caller.tenant_id, project_id: null, environment_id: null, environment_type: null }
}

function list(services: Services, call: PageCall, owner: Owner) {
  return readPage(services, call, `keys.${owner.environment_id ?? owner.tenant_id}`, (rest) => services.keys.list(owner, rest))
}

async function find({ keys }: Services, { params }: Pick<KeyCall, 'params'>, owner: Owner) {
  return found(keys.find(owner, params.key_id ?? ''))
}

const usage_range = { name: 'uses of a key', default_ms: day_ms, max_ms: 7 * day_ms }

async function usage(services: Services, call: Pick<Call<'authKeyUsage'>, 'params' | 'query'>, owner: Owner): Promise<KeyUsage> {
  const { tenant_id, id } = await find(services, call, owner)
  const { from, to } = timeRange(call.query, usage_range, services.now())
  return { data: await findKeyUsage(services.db, tenant_id, id, { from, to }) }
}

async function create(
  { config, db, now, newId, random }: Services,
  { caller, commit, fail }: Pick<KeyCall, 'caller' | 'commit'> & { fail: Fail<'quota_exceeded'> },
  owner: Owner,
  { type, ...fields }: { type: KeyType } & store.KeyFields,
) {
  refuseProblems(type, owner.environment_type, fields, config.base_url)
  const at = now()
  refusePastExpiry(fields.expires_at, at)
  const id = newId('key')
  const { key, ...made } = makeApiKey(type, owner.environment_type, random)
  const record = {
    id,
    key_id: id,
    type,
    ...owner,
    ...fields,
    start: made.start,
    last4: made.last4,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
    last_used_at: null,
    last_used_ip: null,
    rotated_at: null,
    revoked_at: null,
    version: 1,
    key,
  }
  const { tenant_id, environment_id } = owner
  const hold = environment_id === null ? holdTenant(tenant_id) : holdEnvironment(tenant_id, environment_id)
  const created = await commit(
    {
      statements: [
        ...haveRoom(hold, store.roomForKey(owner, config.limits.keys)),
        store.insertKey(owner, { id, type, made_by: await peopleBehind(db, caller), ...made, key }, fields, at),
      ],
      before: null,
      answer: record,
      ...eventOf(owner, 'auth_key.created', id),
    },
    at,
  )
  return created ? record : fail('quota_exceeded', quotaDetail('keys', config.limits))
}

function change({ config, now, keys }: Services, call: KeyCall & { fail: Fail<'key_revoked'> }, owner: Owner, patch: object) {
  return changeVersioned(
    call.if_match,
    () => keys.find(owner, call.params.key_id ?? ''),
    async (current) => {
      if (current.revoked_at !== null) return call.fail('key_revoked', 'The key is revoked and cannot be changed.')
      const fields = withDefaults(mergePatch(fieldsOf(current), patch))
      refuseProblems(current.type, owner.environment_type, fields, config.base_url)
      const at = now()
      refusePastExpiry(fields.expires_at, at, { kept: current.expires_at })
      if (JSON.stringify(fields) === JSON.stringify(fieldsOf(current))) return current
      const next = { ...current, ...fields, version: current.version + 1, updated_at: at.toISOString() }
      const changed = await call.commit({ statements: [store.updateKey(current, fields, null, at)], before: current, answer: next }, at)
      return changed ? next : null
    },
  )
}

/** The old key stops working with the commit: there is no grace period. */
function rotate({ db, now, random, keys }: Services, call: KeyCall & { fail: Fail<'key_revoked'> }, owner: Owner) {
  return changeVersioned(
    call.if_match,
    () => keys.find(owner, call.params.key_id ?? ''),
    async (current) => {
      if (current.revoked_at !== null) return call.fail('key_revoked', 'The key is revoked. Create a new one.')
      const at = now()
      const { key, ...made } = makeApiKey(current.type, owner.environment_type, random)
      const next = {
        ...current,
        start: made.start,
        last4: made.last4,
        rotated_at: at.toISOString(),
        updated_at: at.toISOString(),
        version: current.version + 1,
        key,
      }
      const makers = await store.findMakers(db, current.tenant_id, current.id)
      const made_by = [...new Set([...makers, ...(await peopleBehind(db, call.caller))])]
      const changed = await call.commit(
        {
          statements: [...store.keepRotated(current, at), store.updateKey(current, fieldsOf(current), { ...made, key, made_by }, at)],
          before: current,
          answer: next,
          ...eventOf(owner, 'auth_key.rotated', current.id),
        },
        at,
      )
      return changed ? next : null
    },
  )
}

/** Revoking is idempotent: a revoked key answers 204 again. */
async function revoke({ now, keys }: Services, call: KeyCall, owner: Owner): Promise<null> {
  await changeVersioned(
    call.if_match,
    () => keys.find(owner, call.params.key_id ?? ''),
    async (current) => {
      if (current.revoked_at !== null) return current
      const at = now()
      const revoked = await call.commit(
        {
          statements: [store.revokeKey(current, at)],
          before: current,
          after: { ...current, revoked_at: at.toISOString() },
          answer: null,
          ...eventOf(owner, 'auth_key.revoked', current.id),
        },
        at,
      )
      return revoked ? current : null
    },
  )
  return null
}

/** Events belong to environments. Changes of platform keys are only in the audit log of the tenant. */
function eventOf({ environment_id }: Owner, type: `auth_key.${'created' | 'rotated' | 'revoked'}`, key_id: string) {
  return environment_id === null ? {} : { event: { environment_id, type, data: { key_id } } }
}

const defaults: store.KeyFields = { label: null, scopes: [], allowed_origins: [], ip_allowlist: [], rate_limit: null, expires_at: null }

const Limited = z.object({ rate_limit: RateLimit.nullable() })

/** Fills in the defaults of missing and `null` fields, checks the merged rate limit, and writes `expires_at` in UTC. */
function withDefaults(sent: unknown): store.KeyFields {
  const set = Object.entries(sent as object).filter(([, value]) => value !== undefined && value !== null) // as: made by a schema or a merge of objects
  const fields: store.KeyFields = { ...defaults, ...Object.fromEntries(set) }
  const limited = Limited.safeParse(fields)
  if (!limited.success) throw validationFailed(fieldErrors(limited.error))
  const expires_at = fields.expires_at === null ? null : new Date(fields.expires_at).toISOString()
  return { ...fields, ...limited.data, expires_at }
}

function fieldsOf({ label, scopes, allowed_origins, ip_allowlist, rate_limit, expires_at }: store.KeyFields): store.KeyFields {
  return { label, scopes, allowed_origins, ip_allowlist, rate_limit, expires_at }
}

function refuseProblems(type: KeyType, environment_type: EnvironmentType | null, fields: store.KeyFields, base_url: string): void {
  const problems: FieldError[] = []
  const refuse = (pointer: string, detail: string) => problems.push({ pointer, code: 'not_allowed', detail })
  if (type === 'auth_publishable' && fields.allowed_origins.length === 0) {
    problems.push({
      pointer: '/allowed_origins',
      code: 'required',
      detail: 'A publishable key needs at least one allowed origin, such as https://app.example.com.',
    })
  }
  if (type !== 'auth_publishable' && fields.allowed_origins.length > 0)
    refuse('/allowed_origins', 'Only publishable keys have allowed origins: a secret key must not be used in a browser.')
  fields.allowed_origins.forEach((origin, i) => {
    const problem = originProblem(origin, environment_type ?? 'live', base_url)
    if (problem) refuse(`/allowed_origins/${i}`, problem)
  })
  fields.ip_allowlist.forEach((entry, i) => {
    const problem = ipAllowlistProblem(entry)
    if (problem) refuse(`/ip_allowlist/${i}`, problem)
  })
  if (problems.length > 0) throw validationFailed(problems)
}

async function identify(
  { db }: Services,
  key: store.KeyRow,
  ip: string | null,
): Promise<z.input<typeof KeyIdentity> & { version: undefined }> {
  const owner = await findKeyOwner(db, key.tenant_id, key.environment_id)
  if (!owner) throw new Error('The tenant of a key does not exist.')
  const { tenant_id, project_id, environment_id, environment_type } = key
  const { tenant_slug, tenant_name, project_slug, project_name, issuer } = owner
  return {
    ...key,
    version: undefined, // no ETag: using the key changes this response and not the version
    tenant: { id: tenant_id, slug: tenant_slug, name: tenant_name },
    project: project_id && { id: project_id, slug: project_slug ?? '', name: project_name ?? '' },
    environment: environment_id && environment_type && { id: environment_id, type: environment_type, issuer: issuer ?? '' },
    effective_scopes: effectiveScopes(key.scopes),
    request: { ip },
  }
}
