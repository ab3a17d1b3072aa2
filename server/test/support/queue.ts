/** The queue of jobs on a real database, for its tests: put, take and run jobs with a clock that the test advances. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { createDb, type Db, type Engine, sql } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres/postgres.ts'
import { openSqlite } from '../../src/db/sqlite/sqlite.ts'
import { claim, enqueue, findCandidates, type Job } from '../../src/domain/queue/queue.ts'
import { type JobKind, type Outcome, type Runner, startRunner } from '../../src/domain/queue/runner.ts'
import { awaiting } from './awaited.ts'
import { freshDatabase, noPostgres } from './postgres.ts'

export const JobRow = z.object({ id: z.string(), attempts: z.int(), due_at: z.date(), leased_by: z.string().nullable() })

/** A migrated database, a clock that the test advances, and runners that represent processes. */
export async function queueOn(open: () => Promise<Engine>) {
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
      const found = await findCandidates(db, { kind: 'backchannel_logout', tenants: [''], most, in_order: false, without_lanes }, now())
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
          urlOf: async (_, lane) => `http://${lane}.test/`,
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
process.once('exit', () => rmSync(folder, { recursive: true, force: true })) // test files of one process share this module
let files = 0

const engines: [string, () => Promise<Engine>, string | false][] = [
  ['SQLite', async () => openSqlite(join(folder, `${++files}.db`)), false],
  ['PostgreSQL', async () => openPostgres(await freshDatabase()), noPostgres],
]

/** Polls until the condition is true. A runner stores the outcome of an attempt without notifying the test. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(setImmediate)
}

/**
 * Waits until this attempt of the only job of a lane has ended and the job waits for the next one. Only from then on does an advanced clock
 * make it due: what is stored later is due that much later.
 */
export function untilAttempted(db: Db, lane: string, attempt: number): Promise<void> {
  return awaiting(
    `attempt ${attempt} of ${lane}`,
    (async () => {
      for (;;) {
        const [job] = await db.all(JobRow, sql`select id, attempts, due_at, leased_by from jobs where lane = ${lane}`)
        if (job?.attempts === attempt && job.leased_by === null) return
        await sleep(20)
      }
    })(),
  )
}

/** The `run` of a job that does its work at once. */
export const doing =
  (work: (job: Job) => unknown, outcome: Outcome = 'done') =>
  async (job: Job) => {
    work(job)
    return outcome
  }

export const isEmpty = async (db: Db) => (await db.all(z.object({ id: z.string() }), sql`select id from jobs`)).length === 0

/** Runs a test once on each engine. */
export function onEachEngine(rule: string, body: (queue: Awaited<ReturnType<typeof queueOn>>) => Promise<void>): void {
  for (const [engine, open, skip] of engines) test(`${rule} (${engine})`, { skip }, async () => body(await queueOn(open)))
}
