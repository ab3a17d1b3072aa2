import type { Provider } from '@ostiary/contract/provider.ts'
import { changedFields } from '../../base/changed-fields.ts'
import { quotaDetail } from '../../config/limits.ts'
import { changedProvider, newProvider } from '../../configuration/shown.ts'
import { originOf } from '../../events/origin.ts'
import { badField, notFound, rateLimited, validationFailed } from '../../http/problem.ts'
import type { RateLimitPolicy } from '../../http/rate-limit.ts'
import { readNamedPage } from '../../lists/search.ts'
import { changeVersioned } from '../../lists/versions.ts'
import { issuerOfProvider, type ProviderFields, providerDefaults, providerProblems } from '../../providers/kinds.ts'
import { UpstreamFailed, type UpstreamFailure } from '../../providers/profile.ts'
import * as store from '../../providers/store.ts'
import { sealed_columns } from '../../secrets/sealed-columns.ts'
import { createWithSlug, slugStatements } from '../../slugs/choose.ts'
import { type EnvironmentRow, findSettings, haveRoom, holdEnvironment, isThereRoom } from '../../tenancy/store.ts'
import { environmentKeepsWayIn } from '../../tenancy/ways-in.ts'
import { environmentOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

const table = 'providers'

export const listProviders: Handler<'listProviders'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return readNamedPage(services, call, `providers.${environment.id}`, (rest) => store.listProviders(services.db, environment.id, rest))
}

export const createProvider: Handler<'createProvider'> = async (services, call) => {
  const { config, db, now, newId } = services
  const environment = await environmentOf(services, call)
  const { id = newId('prv'), slug, type, client_secret = null, private_key = null, ...sent } = call.body
  const fields: ProviderFields = { ...providerDefaults(type), client_id: sent.client_id, ...settled(type, sent) }
  const has = { client_secret: client_secret !== null, private_key: private_key !== null }
  refuseProblems(providerProblems(type, fields, has, placeOf(services, environment)))
  const refuseTakenId = async () => {
    if (await store.hasProviderId(db, environment.id, id))
      throw badField(['id'], 'A provider of this environment has this id, or one that was deleted a moment ago.')
  }
  if (call.body.id !== undefined) await refuseTakenId()

  const at = now()
  const { tenant_id, project_id, issuer } = environment
  const place = { tenant_id, project_id, environment_id: environment.id, issuer, at }
  const has_secrets = { has_client_secret: has.client_secret, has_private_key: has.private_key }
  const provider = (slug: string) => newProvider(place, { id, slug, type, ...has_secrets }, fields)
  const seal = sealer(services, environment.id, id)
  const sealed = { client_secret: seal('client_secret', client_secret), private_key: seal('private_key', private_key) }
  const room = store.roomForProvider(environment.id, config.limits.providers)
  const create = async (slug: string) => {
    const answer = provider(slug)
    const created = await call.commit(
      {
        statements: [
          ...haveRoom(holdEnvironment(environment.tenant_id, environment.id), room),
          store.insertProvider(environment.id, { id, slug, type }, { fields, sealed }, at),
        ],
        before: null,
        answer,
        event: { environment_id: environment.id, type: 'provider.created', data: { provider_id: id, slug, type } },
      },
      at,
    )
    return created ? answer : null
  }
  const scope = { table, environment_id: environment.id } as const
  return createWithSlug(services, scope, {
    slug,
    name: fields.display_name,
    create,
    refuse: async () => {
      if (!(await isThereRoom(db, room))) call.fail('quota_exceeded', quotaDetail('providers', config.limits))
      await refuseTakenId()
    },
    fail: call.fail,
  })
}

export const getProvider: Handler<'getProvider'> = async (services, call) => {
  const provider = await (await finder(services, call))()
  if (!provider) throw notFound()
  return provider
}

async function finder(services: Services, call: Pick<Call<'getProvider'>, 'caller' | 'params'>) {
  const environment = await environmentOf(services, call)
  return () => store.findProvider(services.db, environment.id, call.params.provider_id ?? '')
}

export const changeProvider: Handler<'changeProvider'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const { slug = current.slug, client_secret, private_key, ...sent } = call.body
    const fields = { ...fieldsOf(current), ...settled(current.type, sent) }
    const has = {
      client_secret: client_secret === undefined ? current.has_client_secret : client_secret !== null,
      private_key: private_key === undefined ? current.has_private_key : private_key !== null,
    }
    refuseProblems(providerProblems(current.type, fields, has, placeOf(services, environment)))
    if (issuerOfProvider({ type: current.type, issuer: fields.issuer }) !== issuerOfProvider(current)) refuseKeptSecrets(current, call.body)
    const way_in =
      current.enabled && !fields.enabled ? [await wayInOf(services, call, environment, { id: current.id, path: ['enabled'] })] : []
    const given_slug = await slugStatements(
      services.db,
      { table, environment_id: environment.id },
      { current, sent: call.body.slug },
      call.fail,
    )
    // A secret that is sent counts as changed: the one before cannot be compared.
    const secrets = Object.entries({ client_secret, private_key }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
    const changed = [...changedFields(Object.keys(call.body), current, { ...current, slug, ...fields }), ...secrets]
    if (changed.length === 0) return current
    const at = services.now()
    const has_secrets = { has_client_secret: has.client_secret, has_private_key: has.private_key }
    const provider = changedProvider({ ...current, slug }, fields, has_secrets, at)
    const seal = sealer(services, environment.id, current.id)
    const sealed = {
      client_secret: client_secret === undefined ? undefined : seal('client_secret', client_secret),
      private_key: private_key === undefined ? undefined : seal('private_key', private_key),
    }
    const written = await call.commit(
      {
        statements: [...way_in, ...store.updateProvider(current, fields, sealed, at), ...given_slug],
        before: current,
        answer: provider,
        event: {
          environment_id: environment.id,
          type: 'provider.updated',
          data: { provider_id: current.id, changed },
        },
      },
      at,
    )
    return written ? provider : null
  })
}

const placeOf = ({ config }: Services, { type }: EnvironmentRow) => ({
  base_url: config.base_url,
  environment_type: type,
  allowed: config.webhook_allowed_networks,
})

/** What began there ends at once (decision 0065). The identities go a slice at a time, each with its event. */
export const deleteProvider: Handler<'deleteProvider'> = async (services, call) => {
  const { now } = services
  const environment = await environmentOf(services, call)
  await changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const { environment_id, id, slug, type } = current
    const way_in = current.enabled ? [await wayInOf(services, call, environment, { id: current.id, path: [] })] : []
    const at = now()
    const origin = originOf(services, call.caller.actor, call.request_id)
    const deleted = await call.commit(
      {
        statements: [...way_in, ...store.deleteProvider(current, origin, at)],
        before: current,
        answer: null,
        event: { environment_id, type: 'provider.deleted', data: { provider_id: id, slug, type } },
      },
      at,
    )
    return deleted || null
  })
  return null
}

const check_limit: RateLimitPolicy = { limit: 10, window_seconds: 3_600 }

/** Reads metadata and keys while the client waits. A failure is noted beside those of sign-ins, and a success forgets one that it disproves. */
export const checkProvider: Handler<'checkProvider'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const provider = await store.findWithSecrets(services.db, environment.id, call.params.provider_id ?? '')
  if (!provider) throw notFound()
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
  const settings = await findSettings(db, caller.tenant_id, project_id, environment_id)
  if (!settings) throw notFound()
  return environmentKeepsWayIn(db, settings, provider.id, provider.path)
}

/** A secret must not be sent to another issuer, so a change of the issuer needs a new secret. */
function refuseKeptSecrets(current: store.ProviderRow, sent: { client_secret?: unknown; private_key?: unknown }): void {
  const kept = (['client_secret', 'private_key'] as const).filter((name) => current[`has_${name}`] && sent[name] === undefined)
  const detail = 'A new issuer needs its own secret. Send it in the same request.'
  refuseProblems(kept.map((name) => ({ pointer: `/${name}`, code: 'required', detail })))
}

/** RFC 7396: `null` restores the default of a field. */
function settled(type: Provider['type'], sent: object): Partial<ProviderFields> {
  const defaults: Record<string, unknown> = providerDefaults(type)
  return Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, value ?? defaults[name] ?? null]])),
  )
}

function fieldsOf({
  display_name,
  issuer,
  client_id,
  scopes,
  enabled,
  link_by_verified_email,
  accept_preferred_username,
  sign_out,
  team_id,
  key_id,
}: ProviderFields): ProviderFields {
  return { display_name, issuer, client_id, scopes, enabled, link_by_verified_email, accept_preferred_username, sign_out, team_id, key_id }
}

function sealer({ secrets }: Pick<Services, 'secrets'>, environment_id: string, id: string) {
  return (name: 'client_secret' | 'private_key', value: string | null) =>
    value === null ? null : secrets.seal(value, sealed_columns.providers.associatedData(environment_id, id, name))
}

function refuseProblems(problems: ReturnType<typeof providerProblems>): void {
  if (problems.length > 0) throw validationFailed(problems)
}
