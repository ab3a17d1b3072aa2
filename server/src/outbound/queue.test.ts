import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { z } from 'zod'
import { freshDatabase, noPostgres } from '../../test/support/postgres.ts'
import { requireAsPackage } from '../../test/support/postgres-package.ts'
import { createDb, type Db, type Engine, guard, sql } from '../db/db.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { openSqlite } from '../db/sqlite.ts'
import { insertEnvironment } from '../tenancy/store.ts'
import { claim, enqueue, findCandidates, type Job, postpone, remove, tenantsInTurn } from './queue.ts'
import { type JobKind, type Outcome, type Runner, startRunner } from './runner.ts'

const JobRow = z.object({ id: z.string(), attempts: z.int(), due_at: z.date(), leased_by: z.string().nullable() })

const url = sql`select 'http://' || job.lane || '.test/'`

/** A migrated database, a clock that the test advances, and runners that stand for processes. */
async function queueOn(open: () => Promise<Engine>) {
  const db = createDb(await open())
  await migrate(db)
  let advanced_ms = 0
  const start = new Date('2026-11-20T16:31:00Z')
  const now = () => new Date(start.getTime() + advanced_ms)
  const lines: string[] = []
  const line = (message: string) => lines.push(message)
  const runners: Runner[] = []
  after(async () => {
    await Promise.all(runners.map((runner) => runner.stop(1_000)))
    await db.close()
  })
  return {
    db,
    now,
    lines,
    advance: (seconds: number) => {
      advanced_ms += seconds * 1000
    },
    put: (id: string, lane = 'a', payload: Record<string, unknown> = {}) =>
      db.batch([enqueue({ id, kind: 'backchannel_logout', lane, environment_id: null, payload }, now())]),
    async take(leased_by: string, { most = 10, without_lanes = [] as string[] } = {}) {
      const found = await findCandidates(
        db,
        { kind: 'backchannel_logout', tenants: [''], most, in_order: false, without_lanes, url },
        now(),
      )
      const ids = found.map(({ id }) => id)
      return claim(db, ids, { leased_by, leased_until: new Date(now().getTime() + 60_000) }, now())
    },
    rows: () => db.all(JobRow, sql`select id, attempts, due_at, leased_by from jobs order by id`),
    run(kind: Partial<JobKind> & Pick<JobKind, 'run'>) {
      const log = { debug: line, info: line, warn: line, error: line, answered() {} }
      const random = (bytes: number) => (bytes === 1 ? Buffer.from([0]) : randomBytes(bytes)) // the least jitter: 0.8 of the scheduled delay
      const runner = startRunner({ db, log, now, random }, [
        {
          name: 'backchannel_logout',
          url,
          retry_after_seconds: [5, 30],
          concurrency: 8,
          per_lane: 2,
          per_receiver: 2,
          lease_seconds: 60,
          ...kind,
        },
      ])
      runners.push(runner)
      return runner
    },
  }
}

const folder = mkdtempSync(join(tmpdir(), 'ostiary-queue-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

const engines: [string, () => Promise<Engine>, string | false][] = [
  ['SQLite', async () => openSqlite(join(folder, `${++files}.db`)), false],
  ['PostgreSQL', async () => openPostgres(await freshDatabase()), noPostgres],
]

/** Polls until the condition holds. A runner stores the outcome of an attempt without notifying the test. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(setImmediate)
}

/** The `run` of a job that does its work at once. */
const doing =
  (work: (job: Job) => unknown, outcome: Outcome = 'done') =>
  async (job: Job) => {
    work(job)
    return outcome
  }

const isEmpty = async (db: Db) => (await db.all(z.object({ id: z.string() }), sql`select id from jobs`)).length === 0

for (const [engine, open, skip] of engines) {
  const it = (rule: string, body: (queue: Awaited<ReturnType<typeof queueOn>>) => Promise<void>) =>
    test(`${rule} (${engine})`, { skip }, async () => body(await queueOn(open)))

  it('a job is stored only together with the change it follows from', async ({ db, now, rows, take }) => {
    const job = { id: 'j', kind: 'backchannel_logout' as const, lane: 'a', environment_id: null, payload: { to: 'äö"' } }
    assert.equal(await db.batch([guard(sql`update tenants set name = '' where id = 'none'`), enqueue(job, now())]), null)
    assert.deepEqual(await rows(), [])
    await assert.rejects(db.batch([enqueue(job, now()), sql`insert into no_such_table values (1)`]))
    assert.deepEqual(await rows(), [])
    await db.batch([enqueue(job, now()), enqueue({ ...job, payload: {} }, now())])
    const [taken] = await take('p1')
    assert.deepEqual(taken, { id: 'j', lane: 'a', tenant_id: '', environment_id: null, payload: { to: 'äö"' }, attempts: 1 })
  })

  it('a claimed job belongs to its process until the lease ends', async ({ put, take, advance, db, rows, now }) => {
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

  it('the oldest job is claimed first, and lanes can be excluded', async ({ put, take, advance }) => {
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

  it('parallel claims never get the same job and together get all of them', async ({ db, put, take }) => {
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

  it('each tenant with due jobs has one turn, beginning after the tenant that had the last turn', async ({ db, now }) => {
    const tenants = Array.from({ length: 230 }, (_, n) => `t${100 + n}`)
    const jobs = tenants.flatMap((tenant) =>
      ['1', '2'].map((n) =>
        enqueue({ id: `${tenant}.${n}`, kind: 'backchannel_logout', lane: n, environment_id: null, payload: {} }, now()),
      ),
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

  it('a job belongs to the tenant of its environment, and to no tenant without an environment', async ({ db, now, put, take }) => {
    const at = now()
    await db.batch([
      sql`insert into tenants (id, slug, name, created_at, updated_at) values ('ten_a', 'a', 'A', ${at}, ${at})`,
      sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_a', 'prj_a', 'a', 'A', ${at}, ${at})`,
      insertEnvironment('ten_a', 'prj_a', 'env_a', { slug: 'test', name: 'Test', type: 'test' }, 'http://localhost/e/env_a', at),
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

  it('a job that this process enqueues runs at once', async ({ run, put, db }) => {
    const done = Promise.withResolvers<Job>()
    run({ run: doing((job) => done.resolve(job)) })
    await put('j', 'lane', { a: 1 })
    assert.deepEqual((await done.promise).payload, { a: 1 })
    await until(() => isEmpty(db))
  })

  it('a job that another process enqueued is found by polling', async ({ run, put, db }) => {
    await put('j')
    run({ run: async () => 'done' })
    await until(() => isEmpty(db))
  })

  it('a failed job is retried by its schedule, then given up', async ({ run, put, db, rows, advance, lines, now }) => {
    const attempts: [number, number][] = []
    const begun = now().getTime()
    const runner = run({
      run: async ({ attempts: attempt }) => {
        attempts.push([attempt, (now().getTime() - begun) / 1000])
        if (attempt === 2) throw new Error('An internal error.')
        return 'retry'
      },
    })
    await put('j')
    for (const [failed, delay_seconds] of [
      [1, 4],
      [2, 24],
    ] as const) {
      await until(async () => (await rows()).every(({ leased_by, attempts: made }) => leased_by === null && made === failed))
      assert.deepEqual(
        (await rows()).map(({ due_at }) => (due_at.getTime() - now().getTime()) / 1000),
        [delay_seconds],
      )
      advance(delay_seconds)
      runner.wake()
      await until(async () => attempts.length === failed + 1)
    }
    await until(() => isEmpty(db))
    assert.deepEqual(attempts, [
      [1, 0],
      [2, 4],
      [3, 28],
    ])
    assert.deepEqual(lines, ['An attempt at a job failed with an internal error.', 'A job was given up.'])
  })

  // biome-ignore format: this table is read by line
  const outcomes: { rule: string; outcome: Outcome; delay_seconds: number | null }[] = [
    { rule: 'an attempt can give up its job', outcome: 'give_up', delay_seconds: null },
    { rule: 'the receiver can ask for a longer delay', outcome: { retry_after_seconds: 90 }, delay_seconds: 90 },
  ]
  for (const { rule, outcome, delay_seconds } of outcomes) {
    it(rule, async ({ run, put, rows, now }) => {
      const tried = Promise.withResolvers<void>()
      run({ run: doing(() => tried.resolve(), outcome) })
      await put('j')
      await tried.promise
      await until(async () => (await rows()).every((row) => row.leased_by === null && row.attempts === 1))
      const waits = (await rows()).map((row) => (row.due_at.getTime() - now().getTime()) / 1000)
      assert.deepEqual(waits, delay_seconds === null ? [] : [delay_seconds])
    })
  }

  it('a job is given up when its process died at every attempt', async ({ run, put, take, advance, db, lines }) => {
    await put('j')
    for (let i = 0; i < 3; i++) {
      assert.equal((await take('dead')).length, 1)
      advance(61)
    }
    run({ run: async () => assert.fail('The job ran again.') })
    await until(() => isEmpty(db))
    assert.deepEqual(lines, ['A job was given up.'])
  })

  it('a lane that does not answer delays no other lane and holds no more than its share', async ({ run, put, db }) => {
    const release = Promise.withResolvers<void>()
    let hanging = 0
    const others = new Set<string>()
    run({
      concurrency: 24,
      run: async ({ lane, id }) => {
        if (lane !== 'hangs') others.add(id)
        else {
          hanging += 1
          await release.promise
        }
        return 'done'
      },
    })
    for (let i = 0; i < 5; i++) await put(`h${i}`, 'hangs')
    for (let i = 0; i < 5; i++) await put(`o${i}`, `lane${i}`)
    await until(async () => others.size === 5)
    assert.ok(hanging <= 2, `${hanging}`)
    release.resolve()
    await until(() => isEmpty(db))
    assert.equal(hanging, 5)
  })

  it('two processes run every job once', async ({ run, put, db }) => {
    const done: string[] = []
    for (let i = 0; i < 40; i++) await put(`j${i}`, `lane${i}`)
    for (let i = 0; i < 2; i++) run({ run: doing(({ id }) => done.push(id)) })
    await until(() => isEmpty(db))
    assert.deepEqual([done.length, new Set(done).size], [40, 40])
  })

  it('jobs in order run one at a time within a lane, across processes', async ({ run, put, db }) => {
    const done: string[] = []
    const busy = new Set<string>()
    for (let i = 0; i < 20; i++) await put(`lane${i % 2}.${String(i).padStart(2, '0')}`, `lane${i % 2}`)
    for (let i = 0; i < 2; i++) {
      run({
        in_order: true,
        run: async ({ lane, id }) => {
          assert.ok(!busy.has(lane))
          busy.add(lane)
          await new Promise(setImmediate)
          busy.delete(lane)
          done.push(id)
          return 'done'
        },
      })
    }
    await until(() => isEmpty(db))
    for (const lane of ['lane0', 'lane1']) {
      const of_lane = done.filter((id) => id.startsWith(lane))
      assert.deepEqual(of_lane, [...of_lane].sort())
    }
    assert.equal(done.length, 20)
  })

  it('an outcome is written together with the removal of its job, or not at all', async ({ run, put, db, now, rows, lines }) => {
    const following = enqueue({ id: 'following', kind: 'webhook_retry', lane: 'a', environment_id: null, payload: {} }, now())
    run({ run: async ({ id }) => ({ done: [following, ...(id === 'bad' ? [sql`insert into no_such_table values (1)`] : [])] }) })
    await put('bad')
    await until(async () => lines.length > 0)
    assert.deepEqual(lines, ['The outcome of a job could not be stored. The job runs again.'])
    assert.deepEqual(
      (await rows()).map(({ id, attempts }) => [id, attempts]),
      [['bad', 1]],
    )
    await db.run(sql`delete from jobs`)
    await put('good')
    await until(async () => (await rows()).map(({ id }) => id).join() === 'following')
  })

  it('lanes of jobs in order take turns when there are more lanes than call slots', async ({ run, put, db, advance }) => {
    const done: string[] = []
    for (const id of ['a1', 'b1', 'a2', 'b2', 'a3', 'b3']) {
      await put(id, id.slice(0, 1))
      advance(1)
    }
    run({ in_order: true, concurrency: 1, run: doing(({ id }) => done.push(id)) })
    await until(() => isEmpty(db))
    assert.deepEqual(done, ['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
  })

  for (const in_order of [false, true]) {
    it(`stop waits for attempts in flight and claims no more jobs${in_order ? ', in order' : ''}`, async ({ run, put, rows }) => {
      const begun = Promise.withResolvers<void>()
      const finish = Promise.withResolvers<void>()
      const runner = run({
        in_order,
        per_lane: 1,
        run: async () => {
          begun.resolve()
          await finish.promise
          return 'done'
        },
      })
      await put('1 first')
      await begun.promise
      await put('2 second')
      const stopped = runner.stop(5_000)
      await put('3 third')
      finish.resolve()
      await stopped
      assert.deepEqual(
        (await rows()).map(({ id, attempts }) => [id, attempts]),
        [
          ['2 second', 0],
          ['3 third', 0],
        ],
      )
    })
  }

  it('stop returns unfinished jobs to the queue at its time limit and ignores their outcome', async ({ run, put, take, rows }) => {
    const begun = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    const runner = run({
      run: async (_, signal) => {
        begun.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        aborted.resolve()
        return 'done'
      },
    })
    await put('j')
    await begun.promise
    await runner.stop(1)
    await aborted.promise
    assert.deepEqual(
      (await rows()).map(({ leased_by }) => leased_by),
      [null],
    )
    assert.equal((await take('p2')).length, 1)
  })
}

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
