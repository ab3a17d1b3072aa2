/** Finds the environment of a request to a path under `/environments/{environment_id}`. */
import type { Caller } from '../api/authenticate.ts'
import type { Deployment } from '../deployment.ts'
import { notFound } from '../http/problem.ts'
import { reason } from '../reason.ts'
import { type EnvironmentRow, findEnvironment } from './store.ts'

interface PlatformCall {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
}

/** Returns the environment in the path. An environment of another tenant is a 404, like one that does not exist. */
export async function environmentOf({ db }: Pick<Deployment, 'db'>, { caller, params }: PlatformCall): Promise<EnvironmentRow> {
  const environment = await findEnvironment(db, caller.tenant_id, params.project_id ?? '', params.environment_id ?? '')
  if (!environment) throw notFound(reason`The tenant has no environment with the ids of the path.`)
  return environment
}

/** Returns the default issuer of a new environment. It is stored with the environment and never derived again. */
export function issuerOf(base_url: string, environment_id: string): string {
  return `${base_url}/e/${environment_id}`
}
