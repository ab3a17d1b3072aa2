/** Jobs over many users: each user once, with the event and the audit entry of the call for one user, even where a process ends in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createLease } from '../../src/domain/events/lease.ts'
import { insertUser } from '../../src/domain/users/store.ts'
import { createUserJobs } from '../../src/workers/user-jobs.ts'
import { withMethods } from '../support/db-methods.ts'
import { until } from '../support/receiver.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { db, newId } = w.deployment
const { key } = await createAuthKey(w, w.test, 'auth_secret')
const call = (method: string, path: string, body?: object) => w.call(method, `/v1/auth/users${path}`, { key, ...(body && { body }) })

async function addUsers(count: number, name: string): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('usr'))
  const insert = (id: string, n: number) =>
    insertUser({ environment_id: w.test.id, id }, { email: `${name}${n}@example.com` }, null, w.now())
  for (let from = 0; from < count; from += 500) await db.batch(ids.slice(from, from + 500).flatMap((id, n) => insert(id, from + n)))
  return ids
}

async function begin(action: string, user_ids: readonly string[]) {
  const created = await call('POST', '/jobs', { action, user_ids })
  const job = expectStatus(202, created)
  assert.equal(created.headers.get('location'), `${w.base_url}/v1/auth/users/jobs/${job.id}`)
  return job
}

/** Waits for the worker of the service. */
async function untilDone(id: string) {
  for (;;) {
    const job = expectStatus(200, await call('GET', `/jobs/${id}`))
    if (job.status === 'done') return job
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const Row = z.object({ kind: z.string(), id: z.string() })
/** The calls in the audit log, and the kinds of events, about these users. */
async function written(ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = [
    ...(await db.all(Row, sql`select action as kind, object_id as id from audit_log where environment_id = ${w.test.id} order by id`)),
    ...(await db.all(Row, sql`select type as kind, user_id as id from events where environment_id = ${w.test.id} and user_id is not null`)),
  ]
  const of_id = Map.groupBy(rows, ({ id }) => id)
  return new Map(ids.map((id) => [id, (of_id.get(id) ?? []).map(({ kind }) => kind).filter((kind) => kind !== 'session.ended')]))
}

const effects: [action: string, written: string[]][] = [
  ['block', ['blockUser', 'user.blocked']],
  ['unblock', ['unblockUser', 'user.unblocked']],
  ['end_sessions', ['endUserSessions']],
  ['delete', ['deleteUser', 'user.deleted']],
]

test('a job does to each user what the call for one user does, counts ids of others, and a user for whom nothing is left to do is done', async () => {
  const [own = '', other = ''] = await addUsers(2, 'each')
  const elsewhere = (await w.createUser(w.live)).id
  const so_far: string[] = []
  for (const [action, expected] of effects) {
    const job = await begin(action, [own, newId('usr'), elsewhere])
    assert.deepEqual([job.status, job.total, job.done, job.failed, job.skipped, job.finished_at], ['waiting', 3, 0, 0, 0, null])
    const ended = await untilDone(job.id)
    assert.deepEqual([ended.done, ended.failed, ended.skipped], [1, 0, 2], action)
    assert.notEqual(ended.finished_at, null)
    so_far.push(...expected)
    assert.deepEqual((await written([own])).get(own)?.toSorted(), so_far.toSorted(), action)
  }
  assert.equal((await call('GET', `/${own}`)).status, 404)
  assert.equal(expectStatus(200, await w.call('GET', `${w.live.path}/users/${elsewhere}`)).blocked_at, null)
  const again = await begin('unblock', [other])
  assert.deepEqual((await untilDone(again.id)).done, 1)
  assert.deepEqual((await written([other])).get(other), [])
})

const refusals: [why: string, body: object][] = [
  ['it names no user', { action: 'block', user_ids: [] }],
  ['it names a user twice', { action: 'block', user_ids: ['usr_01m7wwr5ftevtv5yxb47hmb4ht', 'usr_01m7wwr5ftevtv5yxb47hmb4ht'] }],
  ['it names 10,001 users', { action: 'block', user_ids: Array.from({ length: 10_001 }, () => newId('usr')) }],
  ['it names something else', { action: 'block', user_ids: ['app_01m7wwr5ftevtv5yxb47hmb4ht'] }],
  ['the action is unknown', { action: 'promote', user_ids: ['usr_01m7wwr5ftevtv5yxb47hmb4ht'] }],
  ['a field is unknown', { action: 'block', user_ids: ['usr_01m7wwr5ftevtv5yxb47hmb4ht'], when: 'now' }],
]
for (const [why, body] of refusals)
  test(`a job is refused when ${why}`, async () => {
    const { status, body: problem } = await call('POST', '/jobs', body)
    assert.deepEqual([status, problem.code], [422, 'validation_failed'])
  })

test("a job is another environment's 404, and so is one that never was", async () => {
  const { key: other } = await createAuthKey(w, w.live, 'auth_secret')
  const job = await begin('end_sessions', [newId('usr')])
  assert.equal((await w.call('GET', `/v1/auth/users/jobs/${job.id}`, { key: other })).status, 404)
  assert.equal((await call('GET', `/jobs/${newId('ujb')}`)).status, 404)
})

test('at most 20 jobs of an environment are open, and a done one makes room', async () => {
  const { test: environment } = await w.createProject('many-jobs')
  const { key: own } = await createAuthKey(w, environment, 'auth_secret')
  const columns = sql`(environment_id, id, action, total, actor_type, created_at, updated_at, finished_at)`
  const row = (n: number, finished_at: number | null) => sql`insert into user_jobs ${columns}
    values (${environment.id}, ${`ujb_${n}`}, 'block', 1, 'system', 0, 0, ${finished_at})`
  await db.batch([...Array.from({ length: 20 }, (_, n) => row(n, null)), row(20, 1)])
  const ask = () => w.call('POST', '/v1/auth/users/jobs', { key: own, body: { action: 'block', user_ids: [newId('usr')] } })
  const refused = await ask()
  assert.deepEqual([refused.status, refused.body.code], [422, 'quota_exceeded'])
  await db.run(sql`update user_jobs set finished_at = 1 where environment_id = ${environment.id} and id = 'ujb_0'`)
  expectStatus(202, await ask())
})

test('two workers at once, and one that ends after any batch, do each user once', async () => {
  const ids = await addUsers(60, 'twice')
  const { id } = await begin('block', ids)
  const stopped = new Error('The process ended.')
  /** A worker of a process whose database is gone after so many batches. */
  const worker = (batches: number) => {
    let left = batches
    const ending = withMethods(db, ({ batch }) => ({
      batch(statements) {
        if (left-- <= 0) throw stopped
        return batch(statements)
      },
    }))
    return createUserJobs(
      { ...w.deployment, db: ending, issuers: { find: async () => null } },
      () => false,
      async () => true,
    )
      .work()
      .catch((error) => {
        if (error !== stopped) throw error
      })
  }
  for (const batches of [1, 7, 20]) await Promise.all([worker(batches), worker(batches)])
  await Promise.all([worker(100), worker(100)])
  const ended = await untilDone(id)
  assert.deepEqual([ended.done, ended.failed, ended.skipped], [60, 0, 0])
  for (const [user_id, kinds] of await written(ids)) assert.deepEqual(kinds.toSorted(), ['blockUser', 'user.blocked'], user_id)
})

test('a job that fails holds up no other one, and goes on with the next call', async () => {
  const holdsLease = createLease(w.deployment, 'user jobs', 30_000) // one that ends later would be taken for one of a wrong clock
  await until('the lease of the worker of the service', () => {
    w.advance(31)
    return holdsLease()
  })
  const { test: other } = await w.createProject('beside-a-failing-job')
  const { key: other_key } = await createAuthKey(w, other, 'auth_secret')
  const failing = await begin('block', await addUsers(1, 'failing'))
  const beside = expectStatus(
    202,
    await w.call('POST', '/v1/auth/users/jobs', { key: other_key, body: { action: 'block', user_ids: [newId('usr')] } }),
  )
  const broken = new Error('The batch of this environment fails.')
  const one_fails = withMethods(db, ({ batch }) => ({
    batch(statements) {
      if (statements.some(({ values }) => values.includes(w.test.id))) throw broken
      return batch(statements)
    },
  }))
  const work = (on: typeof db) =>
    createUserJobs(
      { ...w.deployment, db: on, issuers: { find: async () => null } },
      () => false,
      async () => true,
    ).work()
  await assert.rejects(work(one_fails), broken)
  const stateOf = async (id: string, of: string) => expectStatus(200, await w.call('GET', `/v1/auth/users/jobs/${id}`, { key: of })).status
  assert.deepEqual([await stateOf(failing.id, key), await stateOf(beside.id, other_key)], ['waiting', 'done'])
  await work(db)
  assert.equal(await stateOf(failing.id, key), 'done')
})
