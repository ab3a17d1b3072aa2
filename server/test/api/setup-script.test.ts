/** An automation that has only a platform key creates a complete project, and can run again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { createPerson } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()

/** Creates a project with everything that its environments need. Repeats take effect once. */
async function setUp() {
  const replies: Reply[] = []
  const call = async (method: string, path: string, body?: object) => {
    const headers = method === 'POST' ? { 'idempotency-key': `setup ${method} ${path} ${JSON.stringify(body)}` } : {}
    const reply = await w.call(method, path, { body, headers })
    assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`)
    replies.push(reply)
    return reply.body
  }
  const project = await call('POST', '/v1/platform/projects', { slug: 'storefront', name: 'Storefront' })
  const environments = `/v1/platform/projects/${project.id}/environments`
  await call('POST', environments, { slug: 'staging', name: 'Staging', type: 'test' })
  const made = []
  for (const environment of (await call('GET', environments)).data) {
    const path = `${environments}/${environment.id}`
    await call('PATCH', `${path}/settings`, {
      tokens: { access_token_ttl_seconds: 900 },
      branding: { display_name: 'Storefront' },
      sign_up: { mode: 'closed' },
    })
    await call('POST', `${path}/resource-servers`, {
      identifier: 'https://api.example.com',
      name: 'API',
      scopes: [{ name: 'orders:read', description: 'Read orders' }],
    })
    const web = await call('POST', `${path}/applications`, {
      name: 'Web',
      application_type: 'web',
      redirect_uris: ['https://app.example.com/callback'],
    })
    await call('POST', `${path}/applications`, { name: 'SPA', application_type: 'spa', redirect_uris: ['https://app.example.com/'] })
    await call('PATCH', `${path}/applications/${web.id}`, { post_logout_redirect_uris: ['https://app.example.com/bye'] })
    await call('POST', `${path}/providers`, {
      type: 'oidc',
      issuer: 'https://sso.example.com',
      client_id: 'storefront',
      client_secret: 'a secret of the provider',
    })
    const publishable = await call('POST', `${path}/auth-keys`, { type: 'auth_publishable', allowed_origins: ['https://app.example.com'] })
    const secret = await call('POST', `${path}/auth-keys`, { type: 'auth_secret', label: 'backend' })
    await call('POST', `${path}/webhooks`, { url: 'https://app.example.com/hooks', events: ['user.created'], disabled: true })
    made.push({ environment, web, publishable, secret })
  }
  return { replies, made }
}

const tables = {
  projects: sql`projects`,
  environments: sql`environments`,
  applications: sql`applications`,
  api_keys: sql`api_keys`,
  resource_servers: sql`resource_servers`,
  providers: sql`providers`,
  webhooks: sql`webhooks`,
  audit_log: sql`audit_log`,
  events: sql`events`,
  idempotency_records: sql`idempotency_records`,
}

async function counts(): Promise<Record<string, number | undefined>> {
  const row = z.object({ n: z.int() })
  const count = async (table: Statement) => (await w.deployment.db.maybeOne(row, sql`select count(*) as n from ${table}`))?.n
  return Object.fromEntries(await Promise.all(Object.entries(tables).map(async ([name, table]) => [name, await count(table)])))
}

test('a setup script with only a platform key succeeds; a second run changes nothing and gets the same responses', async () => {
  const first = await setUp()
  const before = await counts()
  const second = await setUp()
  assert.deepEqual(await counts(), before)

  const secrets = ['key', 'client_secret', 'secret']
  const withoutSecrets = ({ status, headers, body }: Reply) => [
    status,
    headers.get('etag'),
    headers.get('location'),
    // The first run lists the environments before their configuration, the second after it.
    Array.isArray(body.data)
      ? body.data.map(({ id }: { id: string }) => id)
      : { ...body, ...Object.fromEntries(secrets.filter((name) => name in body).map((name) => [name, null])) },
  ]
  const isList = (reply: Reply) => Array.isArray(reply.body.data)
  assert.deepEqual(second.replies.map(withoutSecrets), first.replies.map(withoutSecrets))
  const replayed = second.replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')
  assert.equal(replayed.length, second.replies.filter((reply) => reply.status === 201 && !isList(reply)).length)
})

test('the applications of a setup script serve sign-ins', async () => {
  const { made } = await setUp()
  assert.equal(made.length, 3)
  const { data } = expectStatus(200, await w.call('GET', '/v1/platform/projects?limit=100'))
  const project = data.find(({ slug }: { slug: string }) => slug === 'storefront')
  for (const { environment, web } of made) {
    const path = `/v1/platform/projects/${project.id}/environments/${environment.id}`
    const rotated = expectStatus(200, await w.call('POST', `${path}/applications/${web.id}/rotate-secret`))
    const person = await createPerson(w, { id: environment.id, type: environment.type, issuer: environment.issuer, path })
    const tokens = await person.tokens(rotated)
    assert.equal(tokens.expires_in, 900)
  }
})
