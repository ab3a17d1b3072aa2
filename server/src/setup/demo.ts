/**
 * Creates the demo on the first `npm start`: a tenant with a project, and in its Test environment two users, an application that the dashboard can
 * try out, and an API that takes roles (`demo-access.ts`). The demo's password is stored sealed and shown at every start.
 */
import type { TenantId } from '@ostiary/contract/ids.ts'
import { application } from '@ostiary/contract/objects/application.ts'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import { z } from 'zod'
import { patched } from '../base/patched.ts'
import { slugFrom } from '../base/slug.ts'
import { sql } from '../db/db.ts'
import { insertInto } from '../db/rows.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { sealed_columns } from '../deployment/secrets/sealed-columns.ts'
import * as applications from '../domain/applications/changes.ts'
import { beginCounter } from '../domain/events/numbering.ts'
import { defaultIssuer } from '../domain/tenancy/default-issuer.ts'
import { insertEnvironment, insertProject } from '../domain/tenancy/store.ts'
import type { Passwords } from '../domain/users/password.ts'
import { insertUser } from '../domain/users/store.ts'
import { deletes_orders, demoAccess, reads_orders } from './demo-access.ts'
import { createFirstTenant, hasTenant, SetupRefused } from './first-tenant.ts'

const Demo = z.object({
  issuer: z.string(),
  environment_id: z.string(),
  client_id: z.string(),
  project_id: z.string(),
  email: z.string(),
  /** The email of the second user, with the same password. A demo of an earlier version has none. */
  viewer_email: z.string().optional(),
  password: z.string(),
})
export type Demo = z.infer<typeof Demo>

export const demo_names = { project_name: 'Demo Shop', application_name: 'Storefront' }
const slugs = { tenant: 'demo', project: 'shop', environment: 'test' }
/** The overview of the demo's Test environment, below the path of the dashboard. Slugs never change. */
export const demo_path = `/t/${slugs.tenant}/p/${slugs.project}/${slugs.environment}`

const Stored = z.object({ value: z.string() })
const associated_data = sealed_columns.deployment.associatedData('demo')

export async function findDemo({ db, secrets }: Pick<Deployment, 'db' | 'secrets'>): Promise<Demo | null> {
  const row = await db.maybeOne(Stored, sql`select value from deployment where name = 'demo'`)
  return row && Demo.parse(JSON.parse(secrets.unseal(row.value, associated_data)))
}

/** Creates the demo on a deployment without tenants. `key` is its platform key, shown only once. Returns `null` if there is a tenant. */
export async function createDemo(deployment: Deployment, passwords: Passwords): Promise<{ demo: Demo; key: string } | null> {
  if (await hasTenant(deployment)) return null
  const { config, db, now, newId, random, secrets } = deployment
  const at = now()
  // Lists are newest first, so Live is created before Test.
  const live_id = newId('env')
  const environment_id = newId('env') as `env_${string}` // as: newId gives exactly this
  const project_id = newId('prj')
  const demo = {
    environment_id,
    project_id,
    issuer: defaultIssuer(config.base_url, environment_id),
    client_id: newId('app'),
    email: 'demo@example.com',
    viewer_email: 'viewer@example.com',
    password: readablePassword(random(16)),
  }
  const own = {
    name: demo_names.application_name,
    redirect_uris: [config.base_url + serviceRoutes.tryCallback.path],
    allowed_scopes: [...oidcScopes, reads_orders, deletes_orders],
  }
  const facts = { id: demo.client_id, slug: slugFrom(own.name, 'applications'), application_type: 'spa', template: null } as const
  const placeIn = (tenant_id: TenantId) => ({ tenant_id, project_id, environment_id, issuer: demo.issuer, at })
  const user_id = newId('usr')
  const environments = [
    { id: environment_id, slug: slugs.environment, name: 'Test', type: 'test' },
    { id: live_id, slug: 'live', name: 'Live', type: 'live' },
  ] as const
  const [password_hash, viewer_hash] = await Promise.all([passwords.hash(demo.password), passwords.hash(demo.password)])
  const viewer = { email: demo.viewer_email, password_hash: viewer_hash }
  const first = { email: demo.email, password: demo.password, tenant_name: 'Demo', slug: slugs.tenant }
  try {
    const { key, tenant_id } = await createFirstTenant(deployment, passwords, first, {
      also: (tenant_id) => [
        insertProject(tenant_id, project_id, { slug: slugs.project, name: demo_names.project_name }, at),
        ...environments.map(({ id, ...named }) =>
          insertEnvironment({ tenant_id, project_id }, { id, issuer: defaultIssuer(config.base_url, id) }, named, at),
        ),
        ...applications.created(deployment, placeIn(tenant_id), facts, patched(application, 'spa', {}, own)).statements,
        ...insertUser(
          { environment_id, id: user_id },
          { email: demo.email, email_verified: true, name: 'Demo Example', given_name: 'Demo', family_name: 'Example', locale: 'en' },
          password_hash,
          at,
        ),
        insertInto('deployment', { name: 'demo', value: secrets.seal(JSON.stringify(demo), associated_data) }),
        ...environments.map(({ id }) => beginCounter(id)),
      ],
    })
    await db.of(environment_id).batch(demoAccess(placeIn(tenant_id), { ...config, newId }, { administrator: user_id, viewer }))
    return { demo, key }
  } catch (error) {
    if (error instanceof SetupRefused) return null // a bootstrap at the same time created the first tenant
    throw error
  }
}

/** 16 letters in groups of four, which are easy to copy by hand: 80 bits. */
function readablePassword(bytes: Uint8Array): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  return [...bytes].map((byte, i) => (i > 0 && i % 4 === 0 ? '-' : '') + letters.charAt(byte % 32)).join('')
}
