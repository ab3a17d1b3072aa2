/** Keys of all three types are managed alike; what differs is where they belong and what may be written into them. */
import { type ApiKey, type KeyIdentity, type KeyType, RateLimit } from '@ostiary/contract/api-key.ts'
import type { Route } from '@ostiary/contract/route.ts'
import type { routes } from '@ostiary/contract/routes.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { readPage } from '../api/lists.ts'
import { mergePatch } from '../api/merge-patch.ts'
import type { Call, Handlers } from '../api/mount.ts'
import { changeVersioned } from '../api/versions.ts'
import type { Deployment } from '../deployment.ts'
import { type FieldError, fieldErrors, notFound, quotaExceeded, validationFailed } from '../http/problem.ts'
import { environmentOf } from '../tenancy/environment.ts'
import { findKeyOwner, haveRoom, holdEnvironment, holdTenant } from '../tenancy/store.ts'
import { makeKey } from './format.ts'
import { effectiveScopes, ipAllowlistProblem, originProblem } from './policy.ts'
import * as store from './store.ts'

type Names =
  | 'whoami'
  | `${'list' | 'create' | 'get' | 'change' | 'revoke' | 'rotate'}${'AuthKey' | 'PlatformKey'}`
  | 'listAuthKeys'
  | 'listPlatformKeys'
type Table = Pick<typeof routes, Extract<Names, keyof typeof routes>>

/** What the handlers of both kinds need to know of a call. */
type KeyCall = Pick<Call<Route>, 'caller' | 'params' | 'if_match' | 'fail' | 'commit'>

type Place = store.KeyOwner & { environment_type: EnvironmentType | null }

export function createKeyHandlers(keys: store.KeyStore): Handlers<Table> {
  const inEnvironment = async (deployment: Deployment, call: Pick<KeyCall, 'caller' | 'params'>): Promise<Place> => {
    const { tenant_id, project_id, id, type } = await environmentOf(deployment, call)
    return { tenant_id, project_id, environment_id: id, environment_type: type }
  }
  const inTenant = async ({ caller }: Pick<KeyCall, 'caller'>): Promise<Place> => {
    return { tenant_id: caller.tenant_id, project_id: null, environment_id: null, environment_type: null }
  }
  const listName = ({ tenant_id, environment_id }: Place) => `keys.${environment_id ?? tenant_id}`

  const find = async (place: Place, call: Pick<KeyCall, 'params'>) => {
    const key = await keys.find(place, call.params.key_id ?? '')
    if (!key) throw notFound()
    return key
  }

  async function create({ config, now, newId, random }: Deployment, call: KeyCall, place: Place, type: KeyType, fields: store.KeyFields) {
    refuseProblems(type, place.environment_type, fields, config.base_url)
    const at = now()
    const id = newId('key') as ApiKey['id'] // as: newId gives exactly this
    const { key, ...made } = makeKey(type, place.environment_type, random)
    const record = {
      id,
      key_id: id,
      type,
      ...place,
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
    const { tenant_id, environment_id } = place
    const hold = environment_id === null ? holdTenant(tenant_id) : holdEnvironment(tenant_id, environment_id)
    const created = await call.commit(
      {
        statements: [
          ...haveRoom(hold, store.roomForKey(place, config.limits.keys)),
          store.insertKey(place, id, type, { ...made, key }, fields, at),
        ],
        before: null,
        answer: record,
        ...told(place, 'auth_key.created', id),
      },
      at,
    )
    if (!created) throw quotaExceeded('keys', config.limits)
    return record
  }

  function change({ config, now }: Deployment, call: KeyCall, place: Place, patch: object) {
    return changeVersioned(
      call.if_match,
      () => keys.find(place, call.params.key_id ?? ''),
      async (current) => {
        if (current.revoked_at !== null) return call.fail('key_revoked', 'The key is revoked and cannot be changed.')
        const fields = complete(mergePatch(fieldsOf(current), patch))
        refuseProblems(current.type, place.environment_type, fields, config.base_url)
        if (JSON.stringify(fields) === JSON.stringify(fieldsOf(current))) return current
        const at = now()
        const next = { ...current, ...fields, version: current.version + 1, updated_at: at.toISOString() }
        const changed = await call.commit({ statements: [store.updateKey(current, fields, null, at)], before: current, answer: next }, at)
        return changed ? next : null
      },
    )
  }

  /** The old plaintext stops working with the commit: there is no grace window. */
  function rotate({ now, random }: Deployment, call: KeyCall, place: Place) {
    return changeVersioned(
      call.if_match,
      () => keys.find(place, call.params.key_id ?? ''),
      async (current) => {
        if (current.revoked_at !== null) return call.fail('key_revoked', 'The key is revoked. Create a new one.')
        const at = now()
        const { key, ...made } = makeKey(current.type, place.environment_type, random)
        const next = {
          ...current,
          start: made.start,
          last4: made.last4,
          rotated_at: at.toISOString(),
          updated_at: at.toISOString(),
          version: current.version + 1,
          key,
        }
        const changed = await call.commit(
          {
            statements: [store.updateKey(current, fieldsOf(current), { ...made, key }, at)],
            before: current,
            answer: next,
            ...told(place, 'auth_key.rotated', current.id),
          },
          at,
        )
        return changed ? next : null
      },
    )
  }

  /** Revoking what is revoked already is 204 again: whoever revokes wants it gone. */
  async function revoke({ now }: Deployment, call: KeyCall, place: Place): Promise<null> {
    await changeVersioned(
      call.if_match,
      () => keys.find(place, call.params.key_id ?? ''),
      async (current) => {
        if (current.revoked_at !== null) return current
        const at = now()
        const revoked = await call.commit(
          {
            statements: [store.revokeKey(current, at)],
            before: current,
            after: { ...current, revoked_at: at.toISOString() },
            answer: null,
            ...told(place, 'auth_key.revoked', current.id),
          },
          at,
        )
        return revoked ? current : null
      },
    )
    return null
  }

  return {
    whoami: (deployment, call) => identify(deployment, keys.current(call.caller.key), call.ip),

    async listAuthKeys(deployment, call) {
      const place = await inEnvironment(deployment, call)
      return readPage(deployment, listName(place), call.query, (rest) => keys.list(place, rest))
    },
    async createAuthKey(deployment, call) {
      const { type, ...sent } = call.body
      return create(deployment, call, await inEnvironment(deployment, call), type, complete(sent))
    },
    getAuthKey: async (deployment, call) => find(await inEnvironment(deployment, call), call),
    changeAuthKey: async (deployment, call) => change(deployment, call, await inEnvironment(deployment, call), call.body),
    rotateAuthKey: async (deployment, call) => rotate(deployment, call, await inEnvironment(deployment, call)),
    revokeAuthKey: async (deployment, call) => revoke(deployment, call, await inEnvironment(deployment, call)),

    async listPlatformKeys(deployment, call) {
      const place = await inTenant(call)
      return readPage(deployment, listName(place), call.query, (rest) => keys.list(place, rest))
    },
    createPlatformKey: async (deployment, call) => create(deployment, call, await inTenant(call), 'platform_secret', complete(call.body)),
    getPlatformKey: async (_, call) => find(await inTenant(call), call),
    changePlatformKey: async (deployment, call) => change(deployment, call, await inTenant(call), call.body),
    rotatePlatformKey: async (deployment, call) => rotate(deployment, call, await inTenant(call)),
    revokePlatformKey: async (deployment, call) => revoke(deployment, call, await inTenant(call)),
  }
}

/** Events belong to environments; what happens to platform keys stands in the audit log of the tenant. */
function told({ environment_id }: Place, type: `auth_key.${'created' | 'rotated' | 'revoked'}`, key_id: string) {
  return environment_id === null ? {} : { event: { environment_id, type, data: { key_id } } }
}

const defaults: store.KeyFields = { label: null, scopes: [], allowed_origins: [], ip_allowlist: [], rate_limit: null, expires_at: null }

const Limited = z.object({ rate_limit: RateLimit.nullable() })

/** Whatever is missing or `null` has its default. A limit is whole, and a time in one spelling, however they were sent. */
function complete(sent: unknown): store.KeyFields {
  const set = Object.entries(sent as object).filter(([, value]) => value !== undefined && value !== null) // as: what a schema or a merge of objects made
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
    refuse('/allowed_origins', 'Origins belong to publishable keys: a secret key must not be in a browser.')
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
  { db }: Deployment,
  key: store.KeyRow,
  ip: string | null,
): Promise<z.input<typeof KeyIdentity> & { version: undefined }> {
  const place = await findKeyOwner(db, key.tenant_id, key.environment_id)
  if (!place) throw new Error('The tenant of a key is gone.')
  const { tenant_id, project_id, environment_id, environment_type } = key
  const { tenant_slug, tenant_name, project_slug, project_name, issuer } = place
  return {
    ...key,
    version: undefined, // a use of the key is no version of it
    tenant: { id: tenant_id, slug: tenant_slug, name: tenant_name },
    project: project_id && { id: project_id, slug: project_slug ?? '', name: project_name ?? '' },
    environment: environment_id && environment_type && { id: environment_id, type: environment_type, issuer: issuer ?? '' },
    effective_scopes: effectiveScopes(key.scopes),
    request: { ip },
  }
}
