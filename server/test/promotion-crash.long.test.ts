/**
 * A process dies while it applies and reverts promotions (kill -9). After a restart each step has happened as a whole or not at all: the
 * record, the configuration, its version, the event, the audit entries and the answer for a repeat agree.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { createDb, type Db, sql } from '../src/db/db.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { serve } from './support/cli-process.ts'
import { freshDatabase, noPostgres } from './support/postgres.ts'
import { own, type Project, promoting } from './support/promotions.ts'
import { until } from './support/receiver.ts'
import { expectStatus, type Reply, type World, world } from './support/world.ts'

const rounds = 20
const servers = 25
const workers = 4
/** Above the limit of an hour, which a restart begins again. */
const most_steps = 100

interface Step {
  name: 'apply' | 'revert'
  promotion_id: string
  key: string
  /** The name of all servers after it, and before it. */
  to: string
  from: string
  version: number
  /** `null` where the process died before. */
  answer: Reply | null
}

const documentWith = (name: string) => ({
  settings: { branding: { display_name: name } },
  resource_servers: Object.fromEntries(
    Array.from({ length: servers }, (_, i) => [`api-${i}`, { identifier: `https://api.example/${i}`, name }]),
  ),
})

let steps_of_all = 0
let names_of_all = 0

/** Plans, applies and reverts in one project, again and again, until the process dies. */
function worker(w: World, project: Project) {
  const { step, planned, versionOf } = promoting(w)
  const done: Step[] = []
  async function take(name: Step['name'], promotion_id: string, names: Pick<Step, 'from' | 'to'>): Promise<void> {
    const taken: Step = {
      name,
      promotion_id,
      key: `step ${steps_of_all++}`,
      ...names,
      version: await versionOf(project.live),
      answer: null,
    }
    done.push(taken)
    taken.answer = await step([project, promotion_id], name, {}, { headers: { 'idempotency-key': taken.key } })
    expectStatus(200, taken.answer)
  }
  return {
    project,
    done,
    count: () => done.filter(({ answer }) => answer !== null).length,
    async run(name: string): Promise<void> {
      try {
        while (done.length < most_steps) {
          const to = `name ${names_of_all++}`
          const { id } = await planned(project, own(project, documentWith(to)))
          await take('apply', id, { from: name, to })
          await take('revert', id, { from: to, to: name })
        }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error // as fetch calls a connection that broke
      }
    },
  }
}

const Count = z.object({ count: z.int() })
const Entry = z.object({ request_id: z.string() })

/** Returns the state of the service and its database after the last step of a worker. */
async function stateAfter(w: World, db: Db, { id, path, live }: Project, { name, promotion_id }: Step) {
  const count = async (rest: ReturnType<typeof sql>) => (await db.maybeOne(Count, sql`select count(*) as count ${rest}`))?.count ?? 0
  const { status } = expectStatus(200, await w.call('GET', `${path}/promotions/${promotion_id}`))
  const { resource_servers, settings } = expectStatus(200, await w.call('GET', `${live.path}/configuration`))
  const names = new Set([
    settings.branding.display_name,
    ...Object.values(resource_servers as Record<string, { name: string }>).map((server) => server.name),
  ])
  const action = name === 'apply' ? 'applyPromotion' : 'revertPromotion'
  const event = name === 'apply' ? 'promotion.applied' : 'promotion.reverted'
  const entries = await db.all(
    Entry,
    sql`select request_id from audit_log where action = ${action} and object_id = ${promotion_id} and project_id = ${id}`,
  )
  const [entry] = entries
  return {
    status,
    names: [...names],
    version: expectStatus(200, await w.call('GET', live.path)).config_version,
    events: await count(sql`from events where environment_id = ${live.id} and type = ${event} and data like ${`%${promotion_id}%`}`),
    entries: entries.length,
    /** The promotion, the settings and each server. */
    entries_of_request: entry ? await count(sql`from audit_log where request_id = ${entry.request_id}`) : 0,
  }
}

function killing(engine: 'sqlite' | 'postgres') {
  test(
    `after kill -9 an apply or a revert has happened as a whole or not at all, ${rounds} times (${engine})`,
    { skip: engine === 'postgres' && noPostgres },
    async (t) => {
      const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-promotions-'))
      after(() => rmSync(data_dir, { recursive: true, force: true }))
      const url = engine === 'postgres' ? await freshDatabase() : null
      const of_engine: Record<string, string> = url
        ? { OSTIARY_DATABASE_URL: url, OSTIARY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
        : {}
      const w = await world({ data_dir, env: of_engine })
      const { createProject, planned, step } = promoting(w)
      const projects: Project[] = []
      for (let n = 0; n < workers; n++) {
        const project = await createProject()
        const { id } = await planned(project, own(project, documentWith('begin')))
        expectStatus(200, await step([project, id], 'apply'))
        projects.push(project)
      }
      await w.close()
      const env = { OSTIARY_PORT: new URL(w.base_url).port, OSTIARY_DATA_DIR: data_dir, ...of_engine }
      const db = createDb(url ? openPostgres(url) : openSqlite(join(data_dir, 'ostiary.db')))
      t.after(() => db.close()) // an open connection keeps the file from its end, even if a rule fails
      let names = projects.map(() => 'begin')
      const outcomes: Record<string, number> = {}

      let child = await serve(env)
      for (let round = 0; round < rounds; round++) {
        const all = projects.map((project) => worker(w, project))
        const least = 1 + Math.floor(Math.random() * 12)
        const running = all.map((each, n) => each.run(names[n] ?? ''))
        await until('the steps before the kill', () => all.reduce((sum, { count }) => sum + count(), 0) >= least)
        await wait(Math.random() * 30)
        child.process.kill('SIGKILL')
        await Promise.all([child.ended, ...running])
        child = await serve(env)

        names = await Promise.all(
          all.map(async ({ project, done }, n) => {
            const last = done.at(-1)
            if (!last) return names[n] ?? ''
            const state = await stateAfter(w, db, project, last)
            const has_happened = state.status === (last.name === 'apply' ? 'applied' : 'reverted')
            const why = `round ${round}: ${JSON.stringify({ ...last, answer: last.answer?.status, state })}`
            const expected = has_happened
              ? { names: [last.to], version: last.version + 1, events: 1, entries: 1, entries_of_request: servers + 2 }
              : { names: [last.from], version: last.version, events: 0, entries: 0, entries_of_request: 0 }
            assert.deepEqual({ ...state, status: null }, { status: null, ...expected }, why)
            if (last.answer) assert.ok(has_happened, why)
            const repeated = await step([project, last.promotion_id], last.name, {}, { headers: { 'idempotency-key': last.key } })
            const answer = expectStatus(200, repeated)
            assert.equal(repeated.headers.get('idempotent-replayed'), has_happened ? 'true' : null, why)
            if (last.answer) assert.deepEqual(answer, { ...last.answer.body, secrets: null }, why)
            const outcome = `${last.name}, ${last.answer ? 'answered' : has_happened ? 'done without an answer' : 'not done'}`
            outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
            return last.to
          }),
        )
      }
      t.diagnostic(JSON.stringify(outcomes))
      child.process.kill('SIGTERM')
      const { code, signal, stderr } = await child.ended
      assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' })
    },
  )
}

for (const engine of ['sqlite', 'postgres'] as const) killing(engine)
