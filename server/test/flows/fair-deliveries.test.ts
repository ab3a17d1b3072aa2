/**
 * Receivers that never answer delay no deliveries of another tenant or of another project of the same tenant. The silent
 * receivers hold back every answer for the whole test, so every delivery that arrives did not wait for them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { makeApiKey } from '../../src/domain/keys/format.ts'
import { insertKey } from '../../src/domain/keys/store.ts'
import { enqueue, enqueueEach } from '../../src/domain/queue/queue.ts'
import { insertTenant } from '../../src/domain/tenancy/store.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { insertWebhooks } from '../support/webhooks.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const silent_receivers = 300
/** Calls that one tenant may have under way, of 150 for all. */
const most_held = 50

const silent = await startReceiver(() => new Promise(() => {}))
const answering = await startReceiver()
const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' }, resolve: async () => ['127.0.0.1'] })
const { db, newId, random } = w.deployment

/** URLs of one server, each of another host. */
const hosts = ({ url }: { url: string }, path: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${url.replace('127.0.0.1', `r${n}.test`)}/${path}`)

/** A tenant with a platform key of its own. */
async function createTenant(slug: string): Promise<string> {
  const tenant_id = newId('ten') as `ten_${string}` // as: newId gives exactly this
  const made = makeApiKey('platform_secret', null, random)
  const scope = { tenant_id, project_id: null, environment_id: null }
  const fields = { label: 'Key', scopes: ['*' as const], allowed_origins: [], ip_allowlist: [], rate_limit: null, expires_at: null }
  const key = insertKey(scope, { id: newId('key'), type: 'platform_secret', ...made }, fields, w.now())
  await db.batch([insertTenant(tenant_id, { slug, name: slug }, w.now()), key])
  return made.key
}

const noisy = { environment: w.test, key: w.key }
const others = {
  'another tenant': { key: await createTenant('other') },
  'another project of the tenant': { key: w.key },
}

async function createApplication(
  environment: TestEnvironment,
  key: string,
  backchannel_logout_uri: string | null = null,
): Promise<{ id: string }> {
  const body = { name: 'A', application_type: 'web', redirect_uris: ['https://a.example.com/'], backchannel_logout_uri }
  return expectStatus(201, await w.call('POST', `${environment.path}/applications`, { key, body }))
}

/** Sends every message of an environment again at once. */
const retryAll = ({ id }: TestEnvironment) =>
  db.batch([
    sql`update webhook_messages set status = 'waiting' where environment_id = ${id}`,
    enqueueEach(
      {
        kind: 'webhook_retry',
        id: sql`m.id || '.again'`,
        lane: sql`m.webhook_id`,
        environment_id: sql`m.environment_id`,
        payload: sql`'{"webhook_id":"' || m.webhook_id || '","message_id":"' || m.id || '"}'`,
      },
      sql`from webhook_messages m where m.environment_id = ${id}`,
      w.now(),
    ),
  ])

const messagesOf = async ({ id }: TestEnvironment): Promise<number> =>
  (await db.all(z.object({ id: z.string() }), sql`select id from webhook_messages where environment_id = ${id}`)).length

type Sender = { environment: TestEnvironment; key: string }
/** Causes one kind of delivery to any number of receivers. */
const kinds: Record<string, (sender: Sender, urls: readonly string[]) => Promise<unknown>> = {
  async 'back-channel logout'({ environment, key }, urls) {
    const applications: { id: string }[] = []
    for (const url of urls) applications.push(await createApplication(environment, key, url))
    const payload = { session_id: 'ses_none', user_id: 'usr_none' }
    await db.batch(
      applications.map(({ id }) =>
        enqueue({ id: `logout.${id}`, kind: 'backchannel_logout', lane: id, environment_id: environment.id, payload }, w.now()),
      ),
    )
  },
  async 'first attempt'({ environment, key }, urls) {
    await insertWebhooks(w, environment, urls, ['application.created'])
    await createApplication(environment, key)
  },
  async retry({ environment }, urls) {
    const expected = (await messagesOf(environment)) || urls.length
    await until('messages', async () => (await messagesOf(environment)) >= expected)
    await retryAll(environment)
  },
}

const senders = new Map<string, Sender>()
for (const [name, { key }] of Object.entries(others))
  senders.set(name, { key, environment: (await w.createProject('quiet', { key })).test })

for (const [kind, deliver] of Object.entries(kinds)) {
  test(`a ${kind} arrives while ${silent_receivers} receivers of another project or tenant do not answer`, async (t) => {
    const before = silent.received.length
    await deliver(noisy, hosts(silent, '', silent_receivers))
    await until('calls that silent receivers hold', () => silent.received.length > before)
    for (const [name, sender] of senders) {
      await t.test(`for ${name}`, async () => {
        const count = answering.received.length
        await deliver(sender, hosts(answering, name.replaceAll(' ', '-'), 1))
        await until('the delivery', () => answering.received.length > count)
      })
    }
    const held = silent.received.length - before
    assert.ok(held > 0 && held <= most_held, `${held} calls are held`)
  })
}
