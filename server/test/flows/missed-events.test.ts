/** Events that came while a webhook was disabled or did not exist: their messages are made on request, in order, each once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { findMissed } from '../../src/domain/webhooks/missed.ts'
import { findWebhook } from '../../src/domain/webhooks/store.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { areNumbered } from '../support/webhooks.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' } })
const { db } = w.deployment
const long_ago = '2000-01-01T00:00:00Z'
const later = () => w.advance(60)

async function webhookFor(environment: TestEnvironment, fields: object = {}) {
  const receiver = await startReceiver()
  const url = environment.type === 'test' ? receiver.url : 'https://hooks.invalid/'
  const { id }: { id: string } = expectStatus(201, await w.call('POST', `${environment.path}/webhooks`, { body: { url, ...fields } }))
  const path = `${environment.path}/webhooks/${id}`
  return {
    id,
    path,
    receiver,
    turn: async (disabled: boolean) => expectStatus(200, await w.call('PATCH', path, { body: { disabled } })),
    resend: async (body: object = {}): Promise<number> =>
      expectStatus(202, await w.call('POST', `${path}/resend`, { body: { since: long_ago, status: 'missed', ...body } })).messages,
    /** The sequences that arrived. Live takes https only, and the receivers of this machine are http. */
    arrived: (): number[] => receiver.received.map(({ body }) => JSON.parse(body).sequence),
    /** The sequences of its messages, in the order of their ids. */
    async made(): Promise<number[]> {
      const rows = await db.many.all(
        Sequence,
        sql`select v.sequence from webhook_messages m join events v on v.id = m.event_id where m.webhook_id = ${id} order by m.id`,
      )
      return rows.map(({ sequence }) => sequence)
    },
  }
}
const Sequence = z.object({ sequence: z.int() })

/** Raises events and returns their sequences, once they have one. */
async function raise(environment: TestEnvironment, count: number): Promise<number[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const body = { name: `API ${n}`, identifier: `https://${w.deployment.newId('rs')}.example.com` }
    ids.push(expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body })).id)
  }
  const find = async () => {
    const are_numbered = await areNumbered(w)
    const rows = await db.many.all(
      Sequence,
      sql`select sequence from events where environment_id = ${environment.id} and type = 'resource_server.created' and sequence is not null
           order by sequence desc limit ${count}`,
    )
    return are_numbered && rows.length === count && rows.map(({ sequence }) => sequence).reverse()
  }
  return until('the events have their numbers', find)
}

for (const environment of [w.test, w.live]) {
  const { type } = environment

  test(`what came while a webhook was disabled is counted, made in order, and never made twice (${type})`, async () => {
    const hook = await webhookFor(environment, { events: ['resource_server.created'] })
    later()
    const since = w.now().toISOString()
    await hook.turn(true)
    const sequences = await raise(environment, 5)
    await hook.turn(false)
    assert.equal(await hook.resend({ since, dry_run: true }), 5)
    assert.equal((await w.call('GET', `${hook.path}/deliveries`)).body.data.length, 0, 'a dry run makes nothing')
    assert.equal(await hook.resend({ since }), 5)
    assert.equal(await hook.resend({ since }), 0)
    assert.deepEqual(await hook.made(), sequences)
    const { data } = expectStatus(200, await w.call('GET', `${hook.path}/deliveries`))
    for (const each of data) assert.match(each.id, /^msg_[0-9a-hjkmnp-tv-z]{26}$/)
    if (type === 'live') return
    await until('all of them', () => hook.arrived().length === 5)
    assert.deepEqual(hook.arrived(), sequences)
    const ids = data.map(({ message_id }: { message_id: string }) => message_id)
    assert.deepEqual(new Set(ids), new Set(hook.receiver.received.map(({ headers }) => headers['webhook-id'])))
  })

  test(`events from before a webhook existed are made, between since and until, of the kinds that it asks for now (${type})`, async () => {
    const first = await raise(environment, 1)
    later()
    const since = w.now().toISOString()
    const second = await raise(environment, 2)
    expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
    later()
    const end = w.now().toISOString()
    const third = await raise(environment, 1)
    const hook = await webhookFor(environment, { events: ['resource_server.created'] })
    assert.equal(await hook.resend({ since, until: since }), 0)
    assert.equal(await hook.resend({ since, until: end, dry_run: true }), 2)
    assert.equal(await hook.resend({ since, until: end }), 2)
    assert.equal(await hook.resend({ since }), 1)
    assert.deepEqual(await hook.made(), [...second, ...third])
    assert.ok((await hook.resend({ dry_run: true })) >= first.length)
  })
}

test('a test event is never made for another webhook, nor again for its own', async () => {
  const [hook, other] = [await webhookFor(w.test), await webhookFor(w.test)]
  await hook.turn(true)
  const { event_id } = expectStatus(202, await w.call('POST', `${hook.path}/test`))
  await until('its message', async () => (await w.call('GET', `${hook.path}/deliveries?event_id=${event_id}`)).body.data.length === 1)
  for (const each of [hook, other]) await each.resend()
  const counts = await Promise.all(
    [hook, other].map(async ({ path }) => (await w.call('GET', `${path}/deliveries?event_id=${event_id}`)).body.data.length),
  )
  assert.deepEqual(counts, [1, 0])
})

test('an event whose message was given up or is waiting is not missed', async () => {
  const hook = await webhookFor(w.test, { events: ['resource_server.created'] })
  later()
  const since = w.now().toISOString()
  await raise(w.test, 3)
  await until('all of them', () => hook.arrived().length === 3)
  for (const status of ['given_up', 'waiting', 'delivered']) {
    await db.run(sql`update webhook_messages set status = ${status} where webhook_id = ${hook.id}`)
    assert.equal(await hook.resend({ since }), 0, status)
  }
})

test('of 20 calls at the same time each missed event is made by one', async () => {
  const hook = await webhookFor(w.test, { events: ['resource_server.created'] })
  later()
  const since = w.now().toISOString()
  await hook.turn(true)
  const sequences = await raise(w.test, 12)
  await hook.turn(false)
  const made = await Promise.all(Array.from({ length: 20 }, () => hook.resend({ since })))
  assert.equal(
    made.reduce((sum, each) => sum + each, 0),
    12,
  )
  await until('all of them', () => hook.arrived().length === 12)
  assert.deepEqual(hook.arrived(), sequences)
})

test('a call makes at most 10,000 messages, the oldest ones, and the next call the rest', async () => {
  const { data } = expectStatus(200, await w.call('GET', '/v1/platform/projects'))
  const place = `/v1/platform/projects/${data[0].id}/environments`
  const environment = expectStatus(201, await w.call('POST', place, { body: { slug: 'many', name: 'Many', type: 'test' } }))
  const hook = await webhookFor({ ...w.test, id: environment.id, path: `${place}/${environment.id}` }, { disabled: true })
  const at = w.now()
  const beginning = w.deployment.newId('evt').slice(0, -10)
  await db.run(
    sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10050)
        insert into events (environment_id, id, sequence, type, created_at, actor_type, data)
        select ${environment.id}, ${beginning} || substr('0000000000' || cast(n as text), length(cast(n as text)) + 1), 1000000 + n,
          'user.created', ${at}, 'system', '{}' from numbers`,
  )
  const range = { since: at.toISOString() }
  assert.deepEqual([await hook.resend({ ...range, dry_run: true }), await hook.resend(range)], [10_000, 10_000])
  assert.deepEqual([await hook.resend(range), await hook.resend(range)], [50, 0])
  const Count = z.object({ messages: z.int(), events: z.int() })
  assert.deepEqual(
    await db.many.maybeOne(
      Count,
      sql`select count(*) as messages, count(distinct event_id) as events from webhook_messages where webhook_id = ${hook.id}`,
    ),
    { messages: 10_050, events: 10_050 },
  )
  const webhook = (await findWebhook(db, environment.id, hook.id)) ?? assert.fail('no webhook')
  assert.equal(await findMissed(db, webhook, { ...range, until: undefined }, { messages: 10, visited: 4_000 }), null, 'too many events')
  await db.run(sql`delete from jobs where lane = ${hook.id}`)
})

for (const body of [{ until: 'now' }, { since: undefined }, { status: 'lost' }, { until: null }, { from: long_ago }])
  test(`a call with ${JSON.stringify(body)} is refused`, async () => {
    const { path } = await webhookFor(w.test)
    const reply = await w.call('POST', `${path}/resend`, { body: { since: long_ago, status: 'missed', ...body } })
    assert.equal(reply.status, 422)
  })
