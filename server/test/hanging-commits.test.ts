/**
 * A replicated PostgreSQL whose standbys are gone: every commit hangs, and reads work. Changes are refused within one limit for each
 * request, reads go on, and the service takes up no more connections (decision 0070). The standby here never existed.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { z } from 'zod'
import { withinRequest } from '../src/base/database-time.ts'
import { createDb, DatabaseUnavailable, type Db, sql } from '../src/db/db.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { type TimeLimits, time_limits } from '../src/db/postgres/time.ts'
import { authorizationRequest, createAgent, signInForTokens, userinfo } from './support/cookie-browser.ts'
import { noPostgres, startPostgres } from './support/postgres.ts'
import { until } from './support/receiver.ts'
import { openLine } from './support/tcp-proxy.ts'
import { expectStatus, world } from './support/world.ts'

const limits: TimeLimits = { ...time_limits, connect_ms: 5_000, statement_ms: 5_000, silence_ms: 1_500, answer_ms: 2_000, held_ms: 50 }
const skip = { skip: noPostgres }

const Row = z.object({ id: z.string() })
const things = { number: 1, name: 'tests', oldest_program: 1, statements: ['create table things (id text primary key, number {int})'] }
const add = (db: Db, id: string) => db.run(sql`insert into things (id, number) values (${id}, 0)`)
const list = async (db: Db) => (await db.all(Row, sql`select id from things order by id`)).map(({ id }) => id)
const find = (db: Db, id: string) => db.maybeOne(Row, sql`select id from things where id = ${id}`)

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

const inRequest = <T>(work: () => Promise<T>) =>
  new Promise<T>((resolve, reject) =>
    withinRequest(
      () => false,
      () => void work().then(resolve, reject),
    ),
  )

/** A server of its own whose commits hang on demand. */
async function replicated() {
  const server = await startPostgres()
  const admin = new Client({ connectionString: server.url })
  await admin.connect()
  after(async () => {
    await admin.end()
    await server.stop()
  })
  const hanging = async () =>
    Number((await admin.query(`select count(*) from pg_stat_activity where wait_event = 'SyncRep'`)).rows[0].count)
  const setStandby = async (name: string) => {
    await admin.query(`alter system set synchronous_standby_names = '${name}'`)
    await admin.query('select pg_reload_conf()')
  }
  return {
    server,
    hanging,
    /** The processes of the server for the connections of a program. */
    processes: async (name: string): Promise<number[]> =>
      (await admin.query('select pid from pg_stat_activity where application_name = $1', [name])).rows.map(({ pid }) => pid),
    async hang(): Promise<void> {
      await setStandby('nobody')
      const probe = new Client({ connectionString: server.url, application_name: 'probe' })
      probe.on('error', () => {}) // the server ends it below
      await probe.connect()
      // The server takes up the setting soon. From then on each of these commits hangs.
      const asked = (async () => {
        for (;;) await probe.query('select pg_current_xact_id()')
      })().catch(() => {})
      const of_probe = `from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'probe'`
      await until('a commit hangs', async () => ((await admin.query(`select 1 ${of_probe}`)).rowCount ?? 0) > 0)
      await admin.query(`select pg_terminate_backend(pid) ${of_probe}`)
      await asked
    },
    release: () => setStandby(''),
  }
}

/** An engine with this many connections, through a line, and a table with one thing. */
async function opened(url: string, connections: number, change: Partial<TimeLimits> = {}) {
  const line = await openLine(url)
  const options = { connections, limits: { ...limits, ...change }, application_name: `engine of ${connections}` }
  const db = createDb(openPostgres(line.url, options))
  await db.migrate([things])
  await add(db, 'a')
  after(async () => {
    await db.close()
    line.close()
  })
  return { line, db }
}

test('when the commit of a request hangs, its later calls fail without being sent, and other requests read', skip, async () => {
  const { server, hang, release } = await replicated()
  const { line, db } = await opened(server.url, 3)
  await hang()
  await inRequest(async () => {
    assert.deepEqual(await list(db), ['a'])
    const error = await errorOf(add(db, 'b'))
    assert.ok(error instanceof DatabaseUnavailable, String(error))
    assert.match(error.message, /not known whether/)
    let sent = 0
    line.onSent = () => {
      sent++
    }
    const later = [list(db), find(db, 'a'), add(db, 'c'), db.batch([sql`update things set number = 1`])]
    for (const error of await Promise.all(later.map(errorOf))) {
      assert.ok(error instanceof DatabaseUnavailable, String(error))
      assert.doesNotMatch(error.message, /not known whether/)
    }
    assert.equal(sent, 0)
  })
  assert.deepEqual(await inRequest(() => list(db)), ['a'])
  await release()
})

test('no read is sent behind a commit that hangs', skip, async () => {
  const { server, hang, hanging, release } = await replicated()
  const held_ms = 1_000 // on a busy machine a read takes longer than the others wait here, and would be sent again too
  const { line, db } = await opened(server.url, 3, { silence_ms: 60_000, answer_ms: 60_000, asked_ms: 60_000, held_ms })
  await Promise.all(Array.from({ length: 12 }, () => list(db)))
  await hang()
  const change = errorOf(add(db, 'b'))
  await until('the commit hangs', async () => (await hanging()) === 1)
  const began = performance.now()
  await until('the commit counts as held', () => performance.now() - began > 2 * held_ms)
  const sync = Buffer.from([0x53, 0, 0, 0, 4]) // one ends each query
  let queries = 0
  line.onSent = (data) => {
    for (let at = data.indexOf(sync); at >= 0; at = data.indexOf(sync, at + 1)) queries++
  }
  const reads = 30
  await Promise.all(Array.from({ length: reads }, () => list(db)))
  // One in three would be behind the commit and sent again elsewhere. On a busy machine one that waits for long is sent again too.
  assert.ok(queries < reads + reads / 6, `${queries} queries for ${reads} reads`)
  await release()
  assert.equal(await change, null)
})

test('reads go on while changes are refused, also those that were sent behind a hanging commit', skip, async () => {
  const { server, hang, release, processes, hanging } = await replicated()
  const size = 3
  const { db } = await opened(server.url, size)
  await hang()
  const refused: { id: string; error: Error }[] = []
  // Each round lasts until its changes are given up, which is longer than a connection may be silent.
  for (let round = 0; round < size; round++) {
    const ids = Array.from({ length: 10 }, (_, i) => `b${round}-${i}`)
    const changes = ids.map((id) => errorOf(add(db, id)))
    for (let i = 0; i < 10; i++) assert.deepEqual(await Promise.all([list(db), find(db, 'a'), find(db, 'x')]), [['a'], { id: 'a' }, null])
    for (const [i, error] of (await Promise.all(changes)).entries()) {
      assert.ok(error instanceof DatabaseUnavailable, String(error))
      refused.push({ id: ids[i] ?? '', error })
    }
  }
  assert.ok((await hanging()) <= size - 1, 'one connection is kept for reads')
  assert.ok((await processes(`engine of ${size}`)).length <= size, 'connections that hang are kept, not replaced')
  const unsent = refused.filter(({ error }) => /Nothing was changed/.test(error.message))
  assert.ok(unsent.length >= 10, `${unsent.length} of ${refused.length} were not sent`) // each round holds at most one connection more

  await release()
  await until('changes are made again', async () => (await errorOf(add(db, `c${Math.trunc(performance.now())}`))) === null)
  const stored = await list(db)
  assert.deepEqual(
    unsent.filter(({ id }) => stored.includes(id)),
    [],
    'what was refused as unchanged is not stored',
  )
})

test('connections that the network forgot are replaced, although the server answers others', skip, async () => {
  const { server } = await replicated()
  const { line, db } = await opened(server.url, 2)
  await Promise.all([list(db), list(db), list(db)])
  line.forget()
  const errors = await Promise.all(['b', 'c', 'd'].map((id) => errorOf(add(db, id))))
  for (const error of errors) assert.ok(error instanceof DatabaseUnavailable, String(error))
  await until('a change is made', async () => (await errorOf(add(db, `e${Math.trunc(performance.now())}`))) === null)
})

test('one connection that the network forgot is closed, and one that works is kept', skip, async () => {
  const { server, processes } = await replicated()
  const { line, db } = await opened(server.url, 2)
  await Promise.all(Array.from({ length: 12 }, () => list(db)))
  const before = await until('two connections', async () => {
    const pids = await processes('engine of 2')
    return pids.length === 2 && pids
  })
  line.forget(1)
  const left = await until('one is closed', async () => {
    await Promise.all(['b', 'c'].map((id) => errorOf(add(db, id + performance.now()))))
    const pids = await processes('engine of 2')
    return !before.every((pid) => pids.includes(pid)) && pids
  })
  assert.equal(before.filter((pid) => left.includes(pid)).length, 1)
})

test('the service refuses changes with 503 and answers reads, and then works again', skip, async () => {
  const { server, hang, release } = await replicated()
  const env = { OSTIARY_DATABASE_URL: await server.freshDatabase(), OSTIARY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
  const w = await world({ env, database_limits: limits })
  const application = await w.createApplication(w.test)
  const person = await w.createUser(w.test)
  const { tokens } = await signInForTokens(w, w.test, application, { user: person })
  const { url } = authorizationRequest(w.test, application)
  const agent = createAgent()
  const page = await agent.get(url)
  await hang()
  const body = { slug: 'away', name: 'Away' }
  const changes = [
    w.call('POST', '/v1/platform/projects', { body, headers: { 'idempotency-key': 'one' } }),
    w.call('POST', '/v1/platform/projects', { body, headers: { 'idempotency-key': 'one' } }),
    w.call('PATCH', `${w.test.path}/settings`, { body: { sign_up: { mode: 'closed' } } }),
    agent.submit(page, person),
  ]
  const reads = {
    management: () => w.call('GET', '/v1/platform/projects'),
    userinfo: () => userinfo(w, w.test, tokens.access_token),
    page: () => createAgent().get(url),
    discovery: () => w.call('GET', `${w.test.issuer}/.well-known/openid-configuration`, { key: null }),
    readiness: () => w.call('GET', '/readyz', { key: null }),
  }
  for (let round = 0; round < 10; round++) {
    for (const [name, read] of Object.entries(reads)) {
      const { status, body } = await read()
      assert.equal(status, 200, `${name}: ${JSON.stringify(body).slice(0, 300)}`)
    }
  }
  for (const { status } of await Promise.all(changes)) assert.equal(status, 503)
  await release()
  await until('a project is created', async () => {
    w.advance(10) // past the rate limit of the key
    const { status } = await w.call('POST', '/v1/platform/projects', { body: { slug: 'back', name: 'Back' } })
    return status === 201 || status === 409
  })
  expectStatus(200, await userinfo(w, w.test, tokens.access_token))
})
