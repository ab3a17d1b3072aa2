/**
 * The dashboard as an OpenID Connect client of the root environment. It authenticates by `private_key_jwt`. The key is created with the
 * application, at the first start of a deployment that has none, and stored sealed.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { application } from '@ostiary/contract/objects/application.ts'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import { z } from 'zod'
import { patched } from '../../base/patched.ts'
import { guard, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { insertApplication } from '../../domain/applications/store.ts'
import { raiseConfigVersion } from '../../domain/tenancy/store.ts'
import type { Root } from '../../setup/root.ts'

export interface DashboardClient {
  readonly client_id: string
  readonly redirect_uri: string
  readonly private_key: KeyObject
}

const Stored = z.object({ value: z.string() })
const Sealed = z.object({ client_id: z.string(), private_key: z.string() })

const associated_data = sealed_columns.deployment.associatedData('dashboard')
const key_id = 'dashboard'

/** Several processes that start at the same time agree on one application. */
export async function ensureDashboardClient(deployment: Deployment, root: Root): Promise<DashboardClient> {
  const { db, secrets, now, config } = deployment
  const { environment_id } = root
  const redirect_uri = config.base_url + serviceRoutes.dashboardCallback.path
  const read = () => db.maybeOne(Stored, sql`select value from deployment where name = 'dashboard'`)
  if (!(await read())) await register(deployment, environment_id, redirect_uri)
  const row = await read()
  if (!row) throw new Error('The dashboard was registered and cannot be read.')
  const { client_id, private_key } = Sealed.parse(JSON.parse(secrets.unseal(row.value, associated_data)))
  // The public address may have changed since.
  await db.of(environment_id).batch([
    raiseConfigVersion(environment_id, now()),
    guard(sql`update applications set redirect_uris = ${[redirect_uri]}, version = version + 1, updated_at = ${now()}
      where environment_id = ${environment_id} and id = ${client_id} and redirect_uris <> ${[redirect_uri]}`),
  ])
  return { client_id, redirect_uri, private_key: createPrivateKey(private_key) }
}

async function register({ db, secrets, now, newId }: Deployment, environment_id: EnvironmentId, redirect_uri: string): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const client_id = newId('app')
  const stored = JSON.stringify({ client_id, private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) })
  const own = {
    name: 'Ostiary dashboard',
    redirect_uris: [redirect_uri],
    token_endpoint_auth_method: 'private_key_jwt',
    nonce_replaces_pkce: false, // it always sends PKCE
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kty: 'EC', kid: key_id, alg: 'ES256', use: 'sig' }] },
  }
  await db
    .of(environment_id)
    .batch([
      guard(
        insertInto('deployment', { name: 'dashboard', value: secrets.seal(stored, associated_data) }, sql`on conflict (name) do nothing`),
      ),
      ...insertApplication(
        environment_id,
        { id: client_id, slug: 'dashboard', application_type: 'web', template: null, secret: null },
        patched(application, 'web', {}, own),
        now(),
      ),
    ])
}

const assertion_lives_seconds = 60

/** Makes a client assertion (RFC 7523 §2.2) for one request to the issuer. */
export function makeAssertion(
  { now, random }: Pick<Deployment, 'now' | 'random'>,
  { client_id, private_key }: DashboardClient,
  issuer: string,
) {
  const iat = Math.floor(now().getTime() / 1000)
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = {
    iss: client_id,
    sub: client_id,
    aud: issuer,
    jti: random(16).toString('base64url'),
    iat,
    exp: iat + assertion_lives_seconds,
  }
  const input = `${encode({ alg: 'ES256', typ: 'client-authentication+jwt', kid: key_id })}.${encode(claims)}`
  return `${input}.${sign('sha256', Buffer.from(input), { key: private_key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}
