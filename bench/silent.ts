/**
 * Deliveries beside receivers that never answer: 300 webhooks of one tenant hold every call until its deadline, while another
 * tenant's events are delivered. Measures the time from the answer to a change until its event arrives.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../server/src/base/config/config.ts'
import { sealed_columns } from '../server/src/deployment/secrets/sealed-columns.ts'
import { makeApiKey } from '../server/src/domain/keys/format.ts'
import { insertKey } from '../server/src/domain/keys/store.ts'
import { insertTenant } from '../server/src/domain/tenancy/store.ts'
import { makeWebhookSecret } from '../server/src/domain/webhooks/sign.ts'
import { insertWebhook } from '../server/src/domain/webhooks/store.ts'
import { openDeployment } from '../server/src/main.ts'
import { expectStatus, openConnection, request } from './connection.ts'
import { type Ground, root } from './contestants.ts'
import { percentile } from './load.ts'
import { newMasterKey, type Seeded, seedOstiary, startOstiary } from './ostiary.ts'

const silent_receivers = 300
const deliveries = 20
const pause_ms = 150

export async function surveySilent(ground: Ground, progress: (text: string) => void) {
  progress('deliveries beside silent receivers')
  const embedded = await measure(ground, 'silent', null)
  const postgres = ground.freshDatabase && (await measure(ground, 'silent-postgres', await ground.freshDatabase()))
  return { silent_receivers, deliveries, embedded, ...(postgres ? { postgres } : {}) }
}

async function measure({ folder, core }: Ground, name: string, database_url: string | null) {
  const env = { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32,::1/128' }
  const started = await startOstiary({ root, folder: join(folder, name), database_url, core, env }, newMasterKey())
  const seeded = await seedOstiary(root, started, 1)
  let held = 0
  const arrived = new Map<string, (at: number) => void>()
  const silent = await listen(() => held++)
  const answering = await listen(async (asked, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of asked) chunks.push(chunk)
    response.writeHead(204).end()
    arrived.get(JSON.parse(Buffer.concat(chunks).toString()).user_id)?.(performance.now())
  })
  const platform_key = await store(started.env, seeded, silent.port)
  const quiet = await quietTenant(seeded, platform_key, answering.port)

  for (let n = 0; n < 5; n++) await makeUser(seeded, seeded.secret_key, `noise${n}`)
  while (held === 0) await sleep(10)
  const latencies: number[] = []
  for (let n = 0; n < deliveries; n++) {
    const id = await makeUser(seeded, quiet, `quiet${n}`)
    const answered = performance.now()
    const at = await new Promise<number>((resolve) => arrived.set(id, resolve))
    latencies.push(Math.max(0, at - answered))
    await sleep(pause_ms)
  }
  for (const { server } of [silent, answering]) server.close().closeAllConnections()
  await started.process.stop()
  latencies.sort((a, b) => a - b)
  return { held, arrival_p50_ms: percentile(latencies, 0.5), arrival_most_ms: latencies.at(-1) ?? Number.NaN }
}

async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 }
}

/** Inserts the silent receivers, each with its own host, and a second tenant, bypassing quotas. Returns the tenant's key. */
async function store(env: Record<string, string>, { issuer }: Seeded, port: number): Promise<string> {
  const config = readConfig(env)
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))
  const { db, secrets, newId, now, random } = await openDeployment(config)
  const environment_id = environmentOf(issuer)
  const webhooks = Array.from({ length: silent_receivers }, (_, n) => {
    const id = newId('whk')
    const fields = { url: `http://silent${n}.localhost:${port}/`, events: [], description: null, disabled: false }
    const secret = secrets.seal(makeWebhookSecret(random(32)), sealed_columns.webhooks.associatedData(environment_id, id))
    return insertWebhook(environment_id, { id, slug: `silent-${n}`, sealed_secret: secret }, fields, now())
  })
  const tenant_id = newId('ten') as `ten_${string}` // as: newId gives exactly this
  const made = makeApiKey('platform_secret', null, random)
  const unlimited = { limit: 100_000, window_seconds: 1 }
  const fields = { label: 'Quiet', scopes: ['*' as const], allowed_origins: [], ip_allowlist: [], rate_limit: unlimited, expires_at: null }
  const owner = { tenant_id, project_id: null, environment_id: null }
  const key = insertKey(owner, { id: newId('key'), type: 'platform_secret', ...made }, fields, now())
  await db.batch([insertTenant(tenant_id, { slug: 'quiet', name: 'Quiet' }, now()), key, ...webhooks])
  await db.close()
  return made.key
}

/** Creates a project of the other tenant with one webhook. Returns the secret key of its environment. */
async function quietTenant(seeded: Seeded, platform_key: string, port: number): Promise<string> {
  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    callApi({ address: seeded.address, key: platform_key }, method, path, body)
  const { id: project_id } = await call('POST', '/v1/platform/projects', { slug: 'quiet', name: 'Quiet' })
  const environments = `/v1/platform/projects/${project_id}/environments`
  const { data } = await call('GET', environments)
  const { id } = data.find(({ type }: { type: string }) => type === 'test')
  await call('POST', `${environments}/${id}/webhooks`, { url: `http://quiet.localhost:${port}/`, events: ['user.created'] })
  return (await call('POST', `${environments}/${id}/auth-keys`, { type: 'auth_secret' })).key
}

const makeUser = async (seeded: Seeded, key: string, name: string): Promise<string> =>
  (await callApi({ address: seeded.address, key }, 'POST', '/v1/auth/users', { email: `${name}@example.com` })).id

async function callApi({ address, key }: Pick<Seeded, 'address'> & { key: string }, method: 'GET' | 'POST', path: string, body?: object) {
  const connection = await openConnection(address)
  const headers = { 'x-api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) }
  const answer = await connection.send(request(address, method, path, { headers, body: body ? JSON.stringify(body) : '' }))
  connection.close()
  return JSON.parse(expectStatus(method === 'POST' ? 201 : 200, answer).body)
}

const environmentOf = (issuer: string) => issuer.split('/').at(-1) as Parameters<typeof insertWebhook>[0] // as: a default issuer ends with it
