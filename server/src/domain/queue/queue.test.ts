import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { freshDatabase, noPostgres } from '../../../test/support/postgres.ts'
import { requireAsPackage } from '../../../test/support/postgres-package.ts'
import { JobRow, onEachEngine, queueOn, until } from '../../../test/support/queue.ts'
import { guard, sql } from '../../db/db.ts'
import { openPostgres } from '../../db/postgres/postgres.ts'
import { insertEnvironment } from '../tenancy/store.ts'
import { enqueue, type Job, postpone, remove, tenantsInTurn } from './queue.ts'

onEachEngine('a job is stored only together with the change it follows from', async ({ db, now, rows, take }) => {
  const job = { id: 'j', kind: 'backchannel_logout' as const, lane: 'a', environment_id: null, payload: { to: 'äö"' } }
  assert.equal(await db.batch([guard(sql`update tenants set name = '' where id = 'none'`), enqueue(job, now())]), null)
  assert.deepEqual(await rows(), [])
  await assert.rejects(db.batch([enqueue(job, now()), sql`insert into no_such_table values (1)`]))
  assert.deepEqual(await rows(), [])
  await db.batch([enqueue(job, now()), enqueue({ ...job, payload: {} }, now())])
  const [taken] = await take('p1')
  assert.deepEqual(taken, {
    id: 'j',
    lane: 'a',
    tenant_id: '',
    environment_id: null,
    payload: { to: 'äö"' },
    attempts: 1,
    created_at: now(),
  })
})

onEachEngine(
  'a job that is enqueued again is due at the earlier of both times, and continues if it runs',
  async ({ db, now, rows, take }) => {
    const at = now()
    const after = (seconds: number) => new Date(at.getTime() + seconds * 1000)
    const job = { id: 'j', kind: 'backchannel_logout' as const, lane: 'a', environment_id: null, payload: {} }
    const dueAfter = async (seconds: number) => {
      await db.batch([enqueue({ ...job, due_at: after(seconds) }, at)])
      const [row, ...more] = await rows()
      assert.deepEqual(more, [])
      return row?.due_at
    }
    assert.deepEqual(await dueAfter(60), after(60))
    assert.deepEqual(await dueAfter(90), after(60))
    assert.deepEqual(await dueAfter(0), at)
    await take('p1')
    const [leased] = await rows()
    assert.deepEqual(await dueAfter(0), leased?.due_at)
  },
)

onEachEngine('a claimed job belongs to its process until the lease ends', async ({ put, take, advance, db, rows, now }) => {
  await put('j')
  const [first] = await take('p1')
  assert.ok(first)
  assert.deepEqual(await take('p2'), [])
  advance(60)
  const [second] = await take('p2')
  assert.equal(second?.attempts, 2)
  await db.batch([remove('p1', first)])
  await db.batch([postpone('p1', first, now())])
  assert.equal((await rows())[0]?.leased_by, 'p2')
  await db.batch([remove('p2', first)])
  assert.equal((await rows()).length, 1)
  await db.batch([remove('p2', second as Job)]) // as: just looked at
  assert.deepEqual(await rows(), [])
})

onEachEngine('the oldest job is claimed first, and lanes can be excluded', async ({ put, take, advance }) => {
  for (const [id, lane] of [
    ['3', 'a'],
    ['1', 'b'],
    ['2', 'a'],
  ] as const) {
    await put(id, lane)
    advance(1)
  }
  assert.deepEqual(
    (await take('p1', { most: 1 })).map(({ id }) => id),
    ['3'],
  )
  assert.deepEqual(
    (await take('p1', { without_lanes: ['a', 'c'] })).map(({ id }) => id),
    ['1'],
  )
})

onEachEngine('parallel claims never get the same job and together get all of them', async ({ db, put, take }) => {
  for (let i = 0; i < 60; i++) await put(`j${i}`, `lane${i % 7}`)
  const taken: string[] = []
  while (taken.length < 60) {
    const rounds = await Promise.all(Array.from({ length: 12 }, (_, i) => take(`p${i}`, { most: 4 })))
    taken.push(...rounds.flat().map(({ id }) => id))
  }
  assert.equal(new Set(taken).size, 60)
  assert.equal(taken.length, 60)
  assert.equal((await db.all(JobRow, sql`select id, attempts, due_at, leased_by from jobs where attempts <> 1`)).length, 0)
})

onEachEngine('each tenant with due jobs has one turn, beginning after the tenant that had the last turn', async ({ db, now }) => {
  const tenants = Array.from({ length: 230 }, (_, n) => `t${100 + n}`)
  const jobs = tenants.flatMap((tenant) =>
    ['1', '2'].map((n) => enqueue({ id: `${tenant}.${n}`, kind: 'backchannel_logout', lane: n, environment_id: null, payload: {} }, now())),
  )
  await db.batch([...jobs, sql`update jobs set tenant_id = substr(id, 1, 4)`])
  const inTurn = async (after: string | null) => {
    const found: string[] = []
    for await (const tenant of tenantsInTurn(db, 'backchannel_logout', after, now())) found.push(tenant)
    return found
  }
  assert.deepEqual(await inTurn(null), tenants)
  assert.deepEqual(await inTurn('t200'), [...tenants.slice(101), ...tenants.slice(0, 101)])
  assert.deepEqual(await inTurn('t329'), tenants)
  await db.run(sql`update jobs set due_at = ${new Date(now().getTime() + 1)} where tenant_id <> 't150'`)
  assert.deepEqual(await inTurn('t200'), ['t150'])
})

onEachEngine('a job belongs to the tenant of its environment, and to no tenant without an environment', async ({ db, now, put, take }) => {
  const at = now()
  await db.batch([
    sql`insert into tenants (id, slug, name, created_at, updated_at) values ('ten_a', 'a', 'A', ${at}, ${at})`,
    sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_a', 'prj_a', 'a', 'A', ${at}, ${at})`,
    insertEnvironment(
      { tenant_id: 'ten_a', project_id: 'prj_a' },
      { id: 'env_a', issuer: 'http://localhost/e/env_a' },
      { slug: 'test', name: 'Test', type: 'test' },
      at,
    ),
    enqueue({ id: 'a', kind: 'backchannel_logout', lane: 'a', environment_id: 'env_a', payload: {} }, at),
  ])
  await put('no tenant')
  const Row = z.object({ id: z.string(), tenant_id: z.string() })
  assert.deepEqual(await db.all(Row, sql`select id, tenant_id from jobs order by id`), [
    { id: 'a', tenant_id: 'ten_a' },
    { id: 'no tenant', tenant_id: '' },
  ])
  assert.deepEqual(
    (await take('p')).map(({ id }) => id),
    ['no tenant'],
  )
})

test('a job that another transaction is claiming is not claimed again (PostgreSQL)', { skip: noPostgres }, async (t) => {
  const url = await freshDatabase()
  const { put, take } = await queueOn(async () => openPostgres(url))
  const other = new (requireAsPackage('pg').Client)({ connectionString: url })
  await other.connect()
  t.after(() => other.end())
  await put('j')
  await other.query(`begin; update jobs set due_at = due_at + 60000, leased_by = 'other'`)
  const taken = take('p2')
  await until(async () => (await other.query('select 1 from pg_locks where not granted')).rows.length > 0)
  await other.query('commit')
  assert.deepEqual(await taken, [])
})
