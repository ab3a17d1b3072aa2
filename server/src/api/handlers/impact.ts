/** Who would be hurt by a deletion, a revocation or a switch that goes off. */
import { type Counted, most_counted } from '@ostiary/contract/activity.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Impact } from '@ostiary/contract/impact.ts'
import { findApplication } from '../../domain/applications/store.ts'
import { countWithoutWay, type Ways } from '../../domain/promotions/people.ts'
import { findProvider } from '../../domain/providers/store.ts'
import { findResourceServer } from '../../domain/resource-servers/store.ts'
import { effectiveSettings } from '../../domain/tenancy/settings.ts'
import { findSettings } from '../../domain/tenancy/store.ts'
import { findEnabledProviders } from '../../domain/tenancy/ways-in.ts'
import * as usage from '../../domain/usage/impact.ts'
import { badField, found } from '../../http/problem.ts'
import { environmentOf, type PlatformCall } from '../environment.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

const none = { grants: null, people: null, locked_out: null, calls_30_days: null } satisfies Impact

export const getApplicationImpact: Handler<'getApplicationImpact'> = async (services, call) => {
  const { db, now } = services
  const { id: environment_id } = await environmentOf(services, call)
  const { id } = await found(findApplication(db, environment_id, call.params.application_id ?? ''))
  const counted = await usage.countGrantsOfApplication(db, environment_id, id, now())
  return { ...none, ...counted, calls_30_days: await usage.countUses(db, environment_id, { metric: 'application_use', label: id }, now()) }
}

export const getResourceServerImpact: Handler<'getResourceServerImpact'> = async (services, call) => {
  const { db, now } = services
  const { scope } = call.query
  const { id: environment_id } = await environmentOf(services, call)
  const { id, identifier, scopes } = await found(findResourceServer(db, environment_id, call.params.resource_server_id ?? ''))
  if (scope !== undefined && !scopes.some(({ name }) => name === scope)) throw badField(['scope'], 'The resource server has no such scope.')
  const counted = await usage.countGrantsOfServer(db, environment_id, { identifier, scope }, now())
  const calls_30_days =
    scope === undefined ? await usage.countUses(db, environment_id, { metric: 'resource_server_use', label: id }, now()) : null
  return { ...none, ...counted, calls_30_days }
}

export const getProviderImpact: Handler<'getProviderImpact'> = async (services, call) => {
  const { db, now } = services
  const { id: environment_id } = await environmentOf(services, call)
  const { id } = await found(findProvider(db, environment_id, call.params.provider_id ?? ''))
  const ways = await waysOf(services, call)
  const { grants } = await usage.countGrantsOfProvider(db, environment_id, id, now())
  return {
    grants,
    people: await usage.countPeopleOfProvider(db, environment_id, id),
    locked_out: await countLockedOut(services, environment_id, ways, {
      ...ways,
      provider_ids: ways.provider_ids.filter((each) => each !== id),
    }),
    calls_30_days: await usage.countUses(db, environment_id, { metric: 'provider_use', label: id }, now()),
  }
}

export const getMethodImpact: Handler<'getMethodImpact'> = async (services, call) => {
  const { db, now } = services
  const { method } = call.query
  const { id: environment_id } = await environmentOf(services, call)
  const ways = await waysOf(services, call)
  return {
    ...none,
    locked_out: await countLockedOut(services, environment_id, ways, { ...ways, [method]: false }),
    calls_30_days: await usage.countUses(db, environment_id, { metric: 'sign_in', label: `${method}.succeeded` }, now()),
  }
}

export const getAuthKeyImpact: Handler<'getAuthKeyImpact'> = async (services, call) => {
  const { db, keys, now } = services
  const { tenant_id, project_id, id: environment_id } = await environmentOf(services, call)
  const { id } = await found(keys.find({ tenant_id, project_id, environment_id }, call.params.key_id ?? ''))
  return { ...none, calls_30_days: await usage.countUses(db, environment_id, { metric: 'key_use', label: id }, now()) }
}

/** The ways in of the environment, as they are now. */
async function waysOf({ db }: Services, { caller, params }: PlatformCall): Promise<Ways> {
  const { environment_id, type, settings } = await found(
    findSettings(db, caller.tenant_id, params.project_id ?? '', params.environment_id ?? ''),
  )
  const { password, email_code, passkey } = effectiveSettings(type, settings).sign_in
  return { password, email_code, passkey, provider_ids: await findEnabledProviders(db, environment_id) }
}

async function countLockedOut({ db }: Services, environment_id: EnvironmentId, before: Ways, after: Ways): Promise<Counted> {
  const count = await countWithoutWay(db, environment_id, before, after)
  return { count, or_more: count === most_counted }
}
