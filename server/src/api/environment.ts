/** Finds the environment of a request to a path under `/environments/{environment_id}`. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { reason } from '../base/reason.ts'
import type { Db } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { type EnvironmentRow, findEnvironment } from '../domain/tenancy/store.ts'
import { notFound } from '../http/problem.ts'
import type { Caller } from './authenticate.ts'

export interface PlatformCall {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
}

/** Returns the environment in the path. An environment of another tenant is a 404, like one that does not exist. */
export async function environmentOf({ db }: Pick<Deployment, 'db'>, { caller, params }: PlatformCall): Promise<EnvironmentRow> {
  const environment = await findEnvironment(db, caller.tenant_id, params.project_id ?? '', params.environment_id ?? '')
  if (!environment) throw notFound(reason`The tenant has no environment with the ids of the path.`)
  return environment
}

/** Returns a function that reads an object of the environment in the path, which `changeVersioned` calls before every try. */
export async function finderOf<T>(
  services: Pick<Deployment, 'db'>,
  call: PlatformCall,
  find: (db: Db, environment_id: EnvironmentId, id: string) => Promise<T | null>,
  id: string | undefined,
): Promise<() => Promise<T | null>> {
  const environment = await environmentOf(services, call)
  return () => find(services.db, environment.id, id ?? '')
}
