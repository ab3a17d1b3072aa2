/**
 * Creates the root tenant at the first start. Administrators sign in to its one environment, and command lines use its public
 * application. Two first starts at the same time create it once.
 */
import { z } from 'zod'
import { mergeApplication } from '../applications/rules.ts'
import { insertApplication } from '../applications/store.ts'
import { anchorLog } from '../audit/chaining.ts'
import { type Db, guard, type Statement, sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { findAudiences, insertResourceServer } from '../resource-servers/store.ts'
import { issuerOf } from '../tenancy/environment.ts'
import { insertEnvironment, insertProject, insertTenant } from '../tenancy/store.ts'

const Root = z.object({ tenant_id: z.string(), environment_id: z.string(), issuer: z.string(), client_id: z.string() })
export type Root = z.infer<typeof Root>

export const cli_redirect_uri = 'http://127.0.0.1/callback'

const Stored = z.object({ root: z.record(z.string(), z.string()) })

/** `null` before the first start. */
export async function findRoot(db: Db): Promise<Root | null> {
  const row = await db.maybeOne(Stored, sql`select value as root from deployment where name = 'root'`)
  return row && Root.parse(row.root)
}

export async function ensureRoot(deployment: Deployment): Promise<Root> {
  const { db, config, secrets, now, newId } = deployment
  const at = now()
  const existing = await findRoot(db)
  if (existing) {
    // After a change of the public address, administrators need tokens for the new one.
    const environment_id = existing.environment_id as `env_${string}` // as: stored by us
    const [this_api] = await findAudiences(db, environment_id, [config.base_url])
    if (!this_api) await db.run(insertThisApi(deployment, environment_id, at))
    return existing
  }

  const tenant_id = newId('ten') as `ten_${string}` // as: newId gives exactly this
  const project_id = newId('prj')
  const environment_id = newId('env') as `env_${string}` // as: see above
  const client_id = newId('app')
  const root = { tenant_id, environment_id, issuer: issuerOf(config.base_url, environment_id), client_id }
  const command_line = mergeApplication(
    'native',
    { name: 'Ostiary command line', redirect_uris: [cli_redirect_uri], allow_loopback_port: true },
    {},
  )
  await db.batch([
    guard(sql`insert into deployment (name, value) values ('root', ${root}) on conflict (name) do nothing`),
    insertTenant(tenant_id, { slug: 'ostiary', name: 'Ostiary' }, at),
    anchorLog(secrets, tenant_id),
    insertProject(tenant_id, project_id, { slug: 'console', name: 'Ostiary console' }, at),
    // Administrators join by invitation, so sign-up is closed.
    insertEnvironment(tenant_id, project_id, environment_id, { slug: 'live', name: 'Live', type: 'live' }, root.issuer, at, {
      sign_up: { mode: 'closed' },
    }),
    insertThisApi(deployment, environment_id, at),
    insertApplication(environment_id, client_id, 'native', command_line, null, at),
  ])
  const created = await findRoot(db)
  if (!created) throw new Error('The root tenant was created and cannot be read.')
  return created
}

/** Registers the management API at its present address, as the audience of administrators' access tokens. */
function insertThisApi({ config, newId }: Pick<Deployment, 'config' | 'newId'>, environment_id: `env_${string}`, at: Date): Statement {
  const kind = { access_token_ttl_seconds: null, access_token_format: 'jwt' } as const
  const this_api = { identifier: config.base_url, name: 'Ostiary API', scopes: [], ...kind }
  return insertResourceServer(environment_id, newId('rs'), this_api, at)
}
