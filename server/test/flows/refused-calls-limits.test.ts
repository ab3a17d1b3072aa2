/** The limits of the records of refused calls, fairness under a flood, several processes, and the end of a process (decision 0032). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { reason } from '../../src/base/reason.ts'
import { DatabaseUnavailable, sql } from '../../src/db/db.ts'
import { type AnsweredCall, createRefusedCalls } from '../../src/deployment/refused-calls/refused-calls.ts'
import { callSortKey, listCalls, summarise } from '../../src/deployment/refused-calls/store.ts'
import { openDeployment } from '../../src/main.ts'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { withMethods } from '../support/db-methods.ts'
import { until } from '../support/receiver.ts'
import { referenceOf } from '../support/refused-calls.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { db, newId } = w.deployment

interface Sent {
  code?: 'invalid_client' | 'invalid_grant' | 'invalid_token'
  client_id?: string | null
  ip?: string
}

function answered(scope_id: string, { code = 'invalid_client', client_id = null, ip = '192.0.2.1' }: Sent = {}): AnsweredCall {
  return {
    id: newId('req'),
    method: 'POST',
    route: '/e/{environment_id}/v1/oauth/token',
    status: 401,
    refusal: { code, reason: reason`Planted.` },
    subject: { client_id, user_id: null, event_id: null },
    ip,
    user_agent: 'test\u0007er',
    claim: { certain_scope: scope_id, issuer_id: scope_id, environment_id: null, tenant_ids: [], key: null, sent_key: null },
  }
}

const wide = { most: 100_000, most_per_sender: 100_000 }
const newScope = () => newId('env')
const recordsOf = (scope_id: string) => listCalls(db, scope_id, {}, { last: null, limit: 100_000 })
const idsOf = async (scope_id: string) => (await recordsOf(scope_id)).map(({ id }) => id)
const droppedOf = async (scope_id: string) => (await summarise(db, scope_id, new Date(0), new Date(w.now().getTime() + 1))).dropped

test('a source keeps its newest 1,000 records, and the rest is counted as dropped', async () => {
  const scope = newScope()
  const calls = createRefusedCalls(db, w.now, { gather: wide })
  const sent = Array.from({ length: 1_200 }, () => answered(scope))
  for (const call of sent) calls.note(call)
  await calls.write()
  await calls.write() // the count of evicted calls comes with the next write
  assert.deepEqual(
    await idsOf(scope),
    sent
      .slice(200)
      .map(({ id }) => id)
      .reverse(),
  )
  assert.equal(await droppedOf(scope), 200)
})

test('calls are listed by the time of their answer, and pages keep that order', async () => {
  const scope = newScope()
  const calls = createRefusedCalls(db, w.now, { gather: wide })
  const begun = [answered(scope), answered(scope), answered(scope), answered(scope)]
  const ended = [2, 0, 3, 1].map((index) => begun[index] ?? assert.fail())
  for (const call of ended) {
    calls.note(call)
    w.advance(1)
  }
  await calls.write()
  const newest_first = ended.map(({ id }) => id).reverse()
  assert.deepEqual(await idsOf(scope), newest_first)
  const paged: string[] = []
  for (let last: string | null = null; ; ) {
    const [one] = await listCalls(db, scope, {}, { last, limit: 1 })
    if (!one) break
    paged.push(one.id)
    last = callSortKey(one)
  }
  assert.deepEqual(paged, newest_first)
})

test('an IPv6 /64 is one source, and another /64 is another', async () => {
  const scope = newScope()
  const calls = createRefusedCalls(db, w.now, { gather: wide, record: { per_scope: 100, per_source: 3 } })
  const other = answered(scope, { ip: '2001:db8:0:2::1' })
  calls.note(other)
  for (let i = 1; i < 20; i++) calls.note(answered(scope, { ip: `2001:db8:0:1::${i}` }))
  await calls.write()
  const ids = await idsOf(scope)
  assert.equal(ids.length, 4)
  assert.ok(ids.some((id) => id === other.id))
})

test('an environment keeps at most 10,000 records: the sources with most records give up their oldest', async () => {
  const scope = newScope()
  const calls = createRefusedCalls(db, w.now, { gather: wide })
  const quiet = answered(scope, { ip: '198.51.100.1', code: 'invalid_grant' })
  calls.note(quiet)
  calls.note(answered(scope, { ip: '198.51.100.2', code: 'invalid_grant' })) // so that the first one is not the newest of its code
  for (let source = 0; source < 11; source++) {
    for (let i = 0; i < 1_000; i++) calls.note(answered(scope, { ip: `192.0.2.${source}` }))
    await calls.write()
  }
  const ids = await idsOf(scope)
  assert.ok(ids.length > 9_000 && ids.length <= 10_000, `${ids.length}`)
  assert.ok(ids.some((id) => id === quiet.id))
  await calls.write()
  assert.equal((await droppedOf(scope)) + ids.length, 11_002)
})

test('the newest record of each code and application stays, however many others follow', async () => {
  const scope = newScope()
  const calls = createRefusedCalls(db, w.now, { record: { per_scope: 10, per_source: 5 } })
  const rare = [
    answered(scope, { code: 'invalid_grant', client_id: 'app_a' }),
    answered(scope, { code: 'invalid_grant', client_id: 'app_b' }),
    answered(scope, { code: 'invalid_token', client_id: 'app_a' }),
  ]
  for (const call of rare) calls.note(call)
  for (let i = 0; i < 10; i++) {
    for (let j = 0; j < 60; j++) calls.note(answered(scope, { client_id: 'app_a' }))
    await calls.write()
  }
  const ids = new Set<string>(await idsOf(scope))
  for (const { id } of rare) assert.ok(ids.has(id))
  assert.ok(ids.size <= 5 + rare.length)
})

test('a stranger with 100,000 refused calls pushes out no other source, and every call is kept or counted', async () => {
  const scope = newScope()
  const calls = createRefusedCalls(db, w.now)
  const others = Array.from({ length: 40 }, (_, i) => answered(scope, { ip: `198.51.100.${i}` }))
  for (let sent = 0; sent < 100_000; sent++) {
    if (sent % 2_500 === 0) {
      const other = others[sent / 2_500]
      if (other) calls.note(other)
    }
    calls.note(answered(scope, { ip: '203.0.113.1' }))
    if (sent % 10_000 === 9_999) await calls.write()
  }
  await calls.write()
  await calls.write()
  const records = await recordsOf(scope)
  const ids = new Set<string>(records.map(({ id }) => id))
  for (const { id } of others) assert.ok(ids.has(id))
  assert.ok(records.filter(({ ip }) => ip === '203.0.113.1').length <= 1_000)
  assert.equal(records.length + (await droppedOf(scope)), 100_040)
})

test('a stranger who spreads over 1,000 environments pushes out no other source', async () => {
  const scope = newScope()
  const calls = createRefusedCalls(db, w.now)
  const early = answered(scope, { ip: '198.51.100.1' })
  const late = answered(scope, { ip: '198.51.100.2' })
  calls.note(early)
  for (let i = 0; i < 1_000; i++) calls.note(answered(newScope(), { ip: '203.0.113.1' }))
  calls.note(late)
  await calls.write()
  assert.deepEqual(new Set<string>(await idsOf(scope)), new Set([early.id, late.id]))
})

test('a User-Agent has at most 200 characters, and no control characters', async () => {
  const scope = newScope()
  const calls = createRefusedCalls(db, w.now)
  calls.note({ ...answered(scope), user_agent: `a\u0000\r\n\u202eb${'c'.repeat(500)}` })
  await calls.write()
  const [record] = await recordsOf(scope)
  assert.equal(record?.user_agent, `ab${'c'.repeat(198)}`)
})

test('records that could not be written are written later, together with their counts', async () => {
  const scope = newScope()
  let is_down = true
  const flaky = withMethods(db, ({ batch }) => ({ batch: (statements) => (is_down ? Promise.reject(outage()) : batch(statements)) }))
  const calls = createRefusedCalls(flaky, w.now, { gather: { most: 10, most_per_sender: 2 } })
  for (let i = 0; i < 5; i++) calls.note(answered(scope))
  await assert.rejects(calls.write(), { name: 'DatabaseUnavailable' })
  assert.equal((await idsOf(scope)).length, 0)
  is_down = false
  calls.note(answered(scope))
  await calls.write()
  assert.equal((await idsOf(scope)).length, 2)
  assert.equal(await droppedOf(scope), 4)
})

test('after seven days nothing is left', async () => {
  const scope = newScope()
  const calls = createRefusedCalls(db, w.now, { gather: { most: 1, most_per_sender: 1 } })
  calls.note(answered(scope))
  calls.note(answered(scope))
  await calls.write()
  const day = 86_400_000
  await removeExpiredRows(db, new Date(w.now().getTime() + 7 * day - 120_000))
  assert.deepEqual([(await idsOf(scope)).length, await droppedOf(scope)], [1, 1])
  await removeExpiredRows(db, new Date(w.now().getTime() + 7 * day + 120_000))
  assert.deepEqual([(await idsOf(scope)).length, await droppedOf(scope)], [0, 0])
})

const Kept = z.object({ count: z.int() })

test('five rotated texts of a key are recognised, and no earlier one', async () => {
  const made = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  const texts: string[] = [made.key]
  for (let i = 0; i < 7; i++) {
    w.advance(1)
    texts.push(expectStatus(200, await w.call('POST', `${w.test.path}/auth-keys/${made.id}/rotate`)).key)
  }
  const [kept] = await db.all(
    Kept,
    sql`select count(*) as count from rotated_keys where tenant_id = ${w.tenant_id} and key_id = ${made.id}`,
  )
  assert.equal(kept?.count, 5)
  const statuses: number[] = []
  for (const key of texts.slice(0, -1)) {
    const reply = await w.call('GET', '/v1/auth/users', { key })
    assert.equal(reply.status, 401)
    statuses.push((await w.call('GET', `${w.test.path}/requests/${referenceOf(reply)}`)).status)
  }
  assert.deepEqual(statuses, [404, 404, 200, 200, 200, 200, 200])
})

test('parallel rotations of one key leave a working key', async () => {
  const made = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  const replies = await Promise.all(Array.from({ length: 20 }, () => w.call('POST', `${w.test.path}/auth-keys/${made.id}/rotate`)))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  const working = await Promise.all(replies.map(({ body }) => w.call('GET', '/v1/auth/users', { key: body.key })))
  assert.equal(working.filter(({ status }) => status === 200).length, 1)
})

test('a process writes what it has gathered before it ends', async () => {
  const other = await world({ engine: db.engine })
  const id = referenceOf(await other.call('GET', '/v1/platform/unknown'))
  await other.service.stop()
  const { db: reopened } = await openDeployment(other.deployment.config)
  const records = await listCalls(reopened, other.tenant_id, {}, { last: null, limit: 10 })
  await reopened.close()
  assert.deepEqual(
    records.map((record) => record.id),
    [id],
  )
})

if (db.engine === 'postgres')
  test('a call that one process refused is readable through another process', async () => {
    const b = await w.startAnotherService()
    const reply = await fetch(b.at(`${w.base_url}/v1/platform/unknown`), { headers: { 'x-api-key': w.key } })
    const id = referenceOf(reply)
    await until('the record is there', async () => {
      const records = await listCalls(db, w.tenant_id, {}, { last: null, limit: 100 })
      return records.some((record) => record.id === id)
    })
  })

/** The failure of a database that is out of reach. */
const outage = () => new DatabaseUnavailable('Out of reach.')
