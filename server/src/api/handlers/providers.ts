import { provider } from '@ostiary/contract/objects/provider.ts'
import { quotaDetail } from '../../base/config/limits.ts'
import { patched } from '../../base/patched.ts'
import { originOf } from '../../domain/events/origin.ts'
import * as changes from '../../domain/providers/changes.ts'
import { issuerOfProvider, providerProblems } from '../../domain/providers/kinds.ts'
import { UpstreamFailed, type UpstreamFailure } from '../../domain/providers/profile.ts'
import * as store from '../../domain/providers/store.ts'
import { placeIn } from '../../domain/tenancy/objects.ts'
import { type EnvironmentRow, findSettings } from '../../domain/tenancy/store.ts'
import { environmentKeepsWayIn } from '../../domain/tenancy/ways-in.ts'
import { badField, found, rateLimited, validationFailed } from '../../http/problem.ts'
import type { RateLimitPolicy } from '../../http/rate-limit.ts'
import { environmentOf, finderOf } from '../environment.ts'
import { refusePastExpiry } from '../expiry.ts'
import type { Call, Handler } from '../handler.ts'
import { changeObject, createObject, deleteObject, listObjects } from '../objects.ts'
import type { Services } from '../services.ts'

const table = 'providers'

export const listProviders: Handler<'listProviders'> = (services, call) => listObjects(services, call, 'providers', store.listProviders)

export const createProvider: Handler<'createProvider'> = async (services, call) => {
  const { config, db, now, newId } = services
  const environment = await environmentOf(services, call)
  const { id: environment_id } = environment
  const { id = newId('prv'), slug, type, client_secret = null, private_key = null } = call.body
  const secrets = { client_secret, private_key }
  const fields = patched(provider, type, {}, call.body)
  refusePastExpiry(fields.secret_expires_at, now(), { name: 'secret_expires_at' })
  refuseProblems(providerProblems(type, fields, changes.hasAfter(secrets), placeOf(services, environment)))
  const refuseTakenId = async () => {
    if (await store.hasProviderId(db, environment_id, id))
      throw badField(['id'], 'A provider of this environment has this id, or one that was deleted a moment ago.')
  }
  if (call.body.id !== undefined) await refuseTakenId()
  return createObject(services, call, {
    scope: { table, environment_id },
    slug,
    name: fields.display_name,
    room: store.roomForProvider(environment_id, config.limits.providers),
    created: (slug) => changes.created(services, placeIn(environment, now()), { id, slug, type }, { fields, secrets }),
    refuseWithoutRoom: () => call.fail('quota_exceeded', quotaDetail('providers', config.limits)),
    refuse: refuseTakenId,
  })
}

export const getProvider: Handler<'getProvider'> = async (services, call) => found((await finder(services, call))())

const finder = (services: Services, call: Pick<Call<'getProvider'>, 'caller' | 'params'>) =>
  finderOf(services, call, store.findProvider, call.params.provider_id)

export const changeProvider: Handler<'changeProvider'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const { client_secret, private_key } = call.body
  const secrets = { client_secret, private_key }
  return changeObject(services, call, {
    find: await finder(services, call),
    next: (current) => {
      const fields = patched(provider, current.type, current, call.body)
      refusePastExpiry(fields.secret_expires_at, services.now(), { name: 'secret_expires_at', kept: current.secret_expires_at })
      refuseProblems(providerProblems(current.type, fields, changes.hasAfter(secrets, current), placeOf(services, environment)))
      if (issuerOfProvider({ type: current.type, issuer: fields.issuer }) !== issuerOfProvider(current)) refuseKeptSecrets(current, secrets)
      return fields
    },
    sent_secrets: Object.entries(secrets).flatMap(([name, value]) => (value === undefined ? [] : [name])),
    guards: async (current, { enabled }) =>
      current.enabled && !enabled ? [await wayInOf(services, call, environment, { id: current.id, path: ['enabled'] })] : [],
    changed: (current, edit) => changes.changed(services, current, edit, secrets),
  })
}

const placeOf = ({ config }: Services, { type }: EnvironmentRow) => ({
  base_url: config.base_url,
  environment_type: type,
  allowed: config.webhook_allowed_networks,
})

/** Sessions and grants of the provider end at once (decision 0065). Its identities are deleted in slices, each with its event. */
export const deleteProvider: Handler<'deleteProvider'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  await deleteObject(services, call, await finder(services, call), async (current, at) => {
    const way_in = current.enabled ? [await wayInOf(services, call, environment, { id: current.id, path: [] })] : []
    const deleted = changes.deleted(current, originOf(services, call.caller.actor, call.request_id), at)
    return { ...deleted, statements: [...way_in, ...deleted.statements] }
  })
  return null
}

const check_limit: RateLimitPolicy = { limit: 10, window_seconds: 3_600 }

/** Reads metadata and keys while the client waits. A failure is noted beside those of sign-ins, and a success forgets one that it disproves. */
export const checkProvider: Handler<'checkProvider'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const provider = await found(store.findWithSecrets(services.db, environment.id, call.params.provider_id ?? ''))
  const taken = await services.limiter.take(`provider_check.${environment.id}`, check_limit)
  if (!taken.allowed)
    throw rateLimited(
      `The limit of this environment is ${check_limit.limit} checks of providers an hour. Try again in ${taken.retry_after_seconds} s.`,
      taken.retry_after_seconds,
    )
  const failure = await failureOf(services, provider)
  const at = services.now()
  const noted = failure ? store.noteFailure(provider, { ...failure, is_checked: true }, at) : store.forgetFailure(provider)
  const answer = { ok: failure === null, cause: failure?.cause ?? null, detail: failure?.detail ?? null }
  await call.commit({ statements: [noted], before: null, answer, object: { type: 'provider', id: provider.id } }, at)
  return answer
}

async function failureOf({ upstreams }: Services, provider: store.Upstream): Promise<UpstreamFailure | null> {
  try {
    await upstreams.check(provider)
    return null
  } catch (error) {
    if (error instanceof UpstreamFailed) return error.failure
    throw error
  }
}

/** A provider that goes must not be the last way in. */
async function wayInOf(
  { db }: Services,
  { caller }: Pick<Call<'changeProvider'>, 'caller'>,
  { id: environment_id, project_id }: EnvironmentRow,
  provider: { id: string; path: readonly string[] },
) {
  const settings = await found(findSettings(db, caller.tenant_id, project_id, environment_id))
  return environmentKeepsWayIn(db, settings, provider.id, provider.path)
}

/** A secret must not be sent to another issuer, so a change of the issuer needs a new secret. */
function refuseKeptSecrets(current: store.ProviderRow, sent: { client_secret?: unknown; private_key?: unknown }): void {
  const kept = (['client_secret', 'private_key'] as const).filter((name) => current[`has_${name}`] && sent[name] === undefined)
  const detail = 'A new issuer needs its own secret. Send it in the same request.'
  refuseProblems(kept.map((name) => ({ pointer: `/${name}`, code: 'required', detail })))
}

function refuseProblems(problems: ReturnType<typeof providerProblems>): void {
  if (problems.length > 0) throw validationFailed(problems)
}
