/**
 * Finds the uses of an object that a promotion created: a revert would take it away from people. A revert names them, and its batch checks
 * again: an object that is used in between stays.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { holdProvider } from '../providers/store.ts'
import { haveRoom } from '../tenancy/store.ts'

const One = z.object({ id: z.string() })

export async function hasGrants(db: Db, environment_id: EnvironmentId, application_id: string): Promise<boolean> {
  const found = await db.of(environment_id).maybeOne(One, sql`select g.id ${grantsOf(environment_id, application_id)} limit 1`)
  return found !== null
}

/** The condition is that of the index of an application's open grants. The environment is not looked up in another index. */
const grantsOf = (environment_id: EnvironmentId, application_id: string) =>
  sql`from grants g where g.application_id = ${application_id} and ${inEnvironment(environment_id, 'g')} and coalesce(g.ended_at, 0) = 0`

/**
 * For the batch that deletes an application. On PostgreSQL a grant whose batch runs at this very moment is not seen: a sign-in does not wait
 * for its application. It ends with the application, like one of the moment before.
 */
export const holdWithoutGrants = (environment_id: EnvironmentId, id: string): Statement =>
  guard(sql`update applications set version = version
    where environment_id = ${environment_id} and id = ${id} and not exists (select 1 ${grantsOf(environment_id, id)})`)

export async function hasIdentities(db: Db, environment_id: EnvironmentId, provider_id: string): Promise<boolean> {
  const found = await db.of(environment_id).maybeOne(One, sql`select id ${identitiesOf(environment_id, provider_id)} limit 1`)
  return found !== null
}

const identitiesOf = (environment_id: EnvironmentId, provider_id: string) =>
  sql`from identities where environment_id = ${environment_id} and provider_id = ${provider_id}`

export async function hasHolders(db: Db, environment_id: EnvironmentId, role_id: string): Promise<boolean> {
  const found = await db.of(environment_id).maybeOne(Holder, sql`select role_id ${holdersOf(environment_id, role_id)} limit 1`)
  return found !== null
}

const Holder = z.object({ role_id: z.string() })

const holdersOf = (environment_id: EnvironmentId, role_id: string) =>
  sql`from role_holders where role_id = ${role_id} and ${inEnvironment(environment_id)}`

/** For the batch that deletes a role. One that is given at this very moment is gone, like one of the moment before. */
export const holdWithoutHolders = (environment_id: EnvironmentId, id: string): Statement =>
  guard(sql`update roles set version = version
    where environment_id = ${environment_id} and id = ${id} and not exists (select 1 ${holdersOf(environment_id, id)})`)

/** For the batch that deletes a provider. Each link of a person holds the provider first. */
export const holdWithoutIdentities = (environment_id: EnvironmentId, id: string): Statement[] =>
  haveRoom(holdProvider(environment_id, id), sql`not exists (select 1 ${identitiesOf(environment_id, id)})`)
