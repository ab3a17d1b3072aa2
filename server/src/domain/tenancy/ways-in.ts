/**
 * An environment has a way in: a method of its own, or an enabled provider (decision 0047). A change of settings and a change of
 * a provider judge each other's table. Both batches write the row of the environment first (`raiseConfigVersion`), so they wait for each
 * other, and the guards here see what the other one left.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, guard, requires, type Statement, sql } from '../../db/db.ts'
import { onEveryNode } from '../../db/environment.ts'
import { badField } from '../../http/problem.ts'
import { effectiveSettings, offersOwnMethod } from './settings.ts'
import type { SettingsRow } from './store.ts'

/** Whether the settings alone leave a way in. */
export function hasOwnMethod({ type, settings }: Pick<SettingsRow, 'type' | 'settings'>): boolean {
  return offersOwnMethod(effectiveSettings(type, settings))
}

const enabledProvider = (environment_id: EnvironmentId, but: string | null) =>
  sql`select id from providers where environment_id = ${environment_id} and enabled = 1 and id <> ${but ?? ''}`

const IdRow = z.object({ id: z.string() })

/** The ids of the enabled providers, which the quota bounds. */
export async function findEnabledProviders(db: Db, environment_id: EnvironmentId): Promise<string[]> {
  return (await db.of(environment_id).all(IdRow, sql`${enabledProvider(environment_id, null)} order by id`)).map(({ id }) => id)
}

/** `but`: a provider that is about to go. */
export async function hasEnabledProvider(db: Db, environment_id: EnvironmentId, but: string | null): Promise<boolean> {
  return (await db.of(environment_id).maybeOne(IdRow, sql`${enabledProvider(environment_id, but)} order by id limit 1`)) !== null
}

/** Fails as a guard if no other provider is enabled. */
export const keepsProvider = (environment_id: EnvironmentId, but: string | null): Statement =>
  requires(sql`exists (${enabledProvider(environment_id, but)})`)

/**
 * For the batch that switches off or deletes a provider: the guard that a way in is left. It refuses the last way in.
 *
 * @throws ApiError
 */
export async function environmentKeepsWayIn(
  db: Db,
  row: SettingsRow,
  provider_id: string,
  path: readonly PropertyKey[],
): Promise<Statement> {
  const { environment_id, version } = row
  if (hasOwnMethod(row))
    return guard(onEveryNode`update environments set settings_version = settings_version
    where id = ${environment_id} and settings_version = ${version}`)
  if (await hasEnabledProvider(db, environment_id, provider_id)) return keepsProvider(environment_id, provider_id)
  throw badField(path, 'This provider is the last way in. Switch on a method in sign_in, or another provider, first.')
}
