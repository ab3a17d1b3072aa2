/** What every handler below `/environments/{environment_id}` begins with. */

import type { Caller } from '../api/authenticate.ts'
import type { Deployment } from '../deployment.ts'
import { notFound } from '../http/problem.ts'
import { type EnvironmentRow, findEnvironment } from './store.ts'

interface PlatformCall {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
}

/** The environment that the path names, if it is the caller's; otherwise the same 404 as for one that never existed. */
export async function environmentOf({ db }: Pick<Deployment, 'db'>, { caller, params }: PlatformCall): Promise<EnvironmentRow> {
  const environment = await findEnvironment(db, caller.tenant_id, params.project_id ?? '', params.environment_id ?? '')
  if (!environment) throw notFound()
  return environment
}

/** The default place of an issuer. It is stored with the environment and never derived again. */
export function issuerOf(base_url: string, environment_id: string): string {
  return `${base_url}/e/${environment_id}`
}
