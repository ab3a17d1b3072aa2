/** Finds the environment of a request to a path under `/environments/{environment_id}`. */
import { reason } from '../base/reason.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { type EnvironmentRow, findEnvironment } from '../domain/tenancy/store.ts'
import { notFound } from '../http/problem.ts'
import type { Caller } from './authenticate.ts'

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
