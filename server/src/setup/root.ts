/**
 * Creates the root tenant at the first start. Administrators sign in to its one environment, and command lines use its public
 * application. Two first starts at the same time create it once.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { application } from '@ostiary/contract/objects/application.ts'
import { z } from 'zod'
import { patched } from '../base/patched.ts'
import { slugFrom } from '../base/slug.ts'
import { type Db, guard, type Statement, sql } from '../db/db.ts'
import { insertInto } from '../db/rows.ts'
import type { Deployment } from '../deployment/deployment.ts'
import * as applications from '../domain/applications/changes.ts'
import { anchorLog } from '../domain/audit/chaining.ts'
import { beginCounter } from '../domain/events/numbering.ts'
import { findAudiences, insertResourceServer } from '../domain/resource-servers/store.ts'
import { createWithSlug } from '../domain/slugs/choose.ts'
import { defaultIssuer } from '../domain/tenancy/default-issuer.ts'
import { insertEnvironment, insertProject, insertTenant, raiseConfigVersion } from '../domain/tenancy/store.ts'
import { service_name } from '../pages/service.ts'

const Root = z.object({ tenant_id: z.string(), environment_id: z.custom<EnvironmentId>(), issuer: z.string(), client_id: z.string() })
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
    const { environment_id } = existing
    const [this_api] = await findAudiences(db, environment_id, [config.base_url])
    if (!this_api) await addThisApi(deployment, environment_id, at)
    return existing
  }

  const tenant_id = newId('ten') as `ten_${string}` // as: newId gives exactly this
  const project_id = newId('prj')
  const environment_id = newId('env') as EnvironmentId // as: newId gives exactly this
  const client_id = newId('app')
  const root = { tenant_id, environment_id, issuer: defaultIssuer(config.base_url, environment_id), client_id }
  const place = { tenant_id, project_id, environment_id, issuer: root.issuer, at }
  const own = { name: 'Ostiary command line', redirect_uris: [cli_redirect_uri], allow_loopback_port: true }
  const facts = { id: client_id, slug: slugFrom(own.name, 'applications'), application_type: 'native', template: null } as const
  const command_line = applications.created(deployment, place, facts, patched(application, 'native', {}, own))
  await db.of(environment_id).batch([
    insertTenant(tenant_id, { slug: 'ostiary', name: 'Ostiary' }, at),
    insertProject(tenant_id, project_id, { slug: 'console', name: service_name }, at),
    // Administrators join by invitation, so sign-up is closed.
    insertEnvironment(
      { tenant_id, project_id },
      { id: environment_id, issuer: root.issuer, settings: { sign_up: { mode: 'closed' } } },
      { slug: 'live', name: 'Live', type: 'live' },
      at,
    ),
    guard(insertInto('deployment', { name: 'root', value: root }, sql`on conflict (name) do nothing`)),
    anchorLog(secrets, tenant_id),
    ...insertThisApi(deployment, environment_id, slugFrom(api_name, 'resource_servers'), at),
    ...command_line.statements,
    beginCounter(environment_id),
  ])
  const created = await findRoot(db)
  if (!created) throw new Error('The root tenant was created and cannot be read.')
  return created
}

const api_name = 'Ostiary API'

/** Adds the management API at a new address. Another process may add it at the same time. */
async function addThisApi(deployment: Deployment, environment_id: `env_${string}`, at: Date): Promise<void> {
  const { db, config } = deployment
  const isThere = async () => (await findAudiences(db, environment_id, [config.base_url])).length > 0
  await createWithSlug(
    deployment,
    { table: 'resource_servers', environment_id },
    {
      slug: undefined,
      name: api_name,
      create: async (slug) => {
        const added = await db
          .of(environment_id)
          .batch([raiseConfigVersion(environment_id, at), ...insertThisApi(deployment, environment_id, slug, at)])
        return added !== null || (await isThere()) || null
      },
      refuse: async () => {},
      fail: (code) => {
        throw new Error(code)
      },
    },
  )
}

/** Registers the management API at its present address, as the audience of administrators' access tokens. */
function insertThisApi(
  { config, newId }: Pick<Deployment, 'config' | 'newId'>,
  environment_id: `env_${string}`,
  slug: string,
  at: Date,
): Statement[] {
  const kind = {
    access_token_ttl_seconds: null,
    access_token_format: 'jwt',
    access_token_signing_alg: 'RS256',
    require_roles: false,
    organizations: 'none',
    roles_claim: null,
    data_claims: false,
    allow_metadata_clients: false,
  } as const
  const this_api = { identifier: config.base_url, name: api_name, scopes: [], ...kind }
  return insertResourceServer(environment_id, { id: newId('rs'), slug }, this_api, at)
}
