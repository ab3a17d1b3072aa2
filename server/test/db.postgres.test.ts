/** The PostgreSQL engine: the conformance of every engine, and lost connections, servers, locks and encryption. */
import assert from 'node:assert/strict'
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Client } from 'pg'
import { z } from 'zod'
import { onPremise } from '../src/base/premise.ts'
import { tables_of } from '../src/db/citus/placement.ts'
import { createDb, DatabaseUnavailable, type Db, identifiers, type Migration, requires, sql } from '../src/db/db.ts'
import { inEnvironment, unindexed } from '../src/db/environment.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres, type PostgresOptions } from '../src/db/postgres/postgres.ts'
import { type TimeLimits, time_limits } from '../src/db/postgres/time.ts'
import { makeCertificate } from './support/certificate.ts'
import { testConformance } from './support/db.conformance.ts'
import { freshDatabase, noPostgres, runCommand, startPostgres } from './support/postgres.ts'
import { runAs } from './support/postgres-package.ts'
import { pretend, pretendPlaced } from './support/pretended-citus.ts'
import { until } from './support/receiver.ts'
import { openLine } from './support/tcp-proxy.ts'

const Row = z.object({ id: z.string() })
const things = { number: 1, name: 'tests', oldest_program: 1, statements: ['create table things (id text primary key, number {int})'] }
const add = (db: Db, id: string) => db.run(sql`insert into things (id, number) values (${id}, 0)`)
const list = async (db: Db) => (await db.all(Row, sql`select id from things order by id`)).map(({ id }) => id)

/** An empty database, opened through a proxy as `db` and directly as `beside`. */
async function opened(options: { connections?: number } = {}) {
  const url = await freshDatabase()
  const line = await openLine(url)
  const db = createDb(openPostgres(line.url, options))
  const beside = createDb(openPostgres(url))
  await migrateOnly(url, [things])
  after(async () => {
    await Promise.all([db.close(), beside.close()])
    line.close()
  })
  return { url, line, db, beside }
}

/** Returns a function whose numbers are the same in each run. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state >> 8
  }
}

/** The reason of a rejection, or `null`. */
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

if (!noPostgres)
  await testConformance(async () => {
    const url = await freshDatabase()
    return () => openPostgres(url)
  })

test('a batch is one round trip, also the first time, and many batches share a connection', { skip: noPostgres }, async () => {
  const { line, db, beside } = await opened({ connections: 1 })
  await db.runs(0)
  const redeem = (id: string) =>
    db.batch([
      sql`insert into things (id, number) values (${id}, 1)`,
      sql`update things set number = 2 where id = ${id}`,
      sql`insert into things (id, number) select ${`${id}_2`}, number from things where id = ${id}`,
    ])
  const groups = [['a'], ['b'], Array.from({ length: 100 }, (_, i) => `c${i}`)]
  for (const [i, ids] of groups.entries()) {
    // Everything is committed while all answers are held, so no batch waits for an answer within it.
    const release = line.holdAnswers()
    const redeemed = Promise.all(ids.map(redeem))
    const expected = groups.slice(0, i + 1).flat().length * 2
    await until('everything is committed', async () => (await list(beside)).length === expected)
    release()
    await redeemed
  }
})

test('look-ups of one turn are one round trip, and a faulty look-up fails alone', { skip: noPostgres }, async () => {
  const { line, db } = await opened({ connections: 1 })
  await add(db, 'a')
  const find = (id: string) => db.maybeOne(Row, sql`select id from things where id = ${id}`)
  await find('a')
  let syncs = 0
  line.onSent = (data) => {
    syncs += data.toString('latin1').split('S\0\0\0\x04').length - 1 // PostgreSQL 55.7, Sync: the end of a round trip
  }
  const [found, missing, wrong] = [find('a'), find('b'), db.maybeOne(Row, sql`select id from things where number = ${'no number'}`)]
  wrong.catch(() => {}) // asserted below
  assert.deepEqual([await found, await missing], [{ id: 'a' }, null])
  await assert.rejects(wrong, /invalid input syntax/)
  assert.equal(syncs, 4) // one together, and one for each alone after the refusal
  assert.deepEqual(await Promise.all(['a', 'b', 'a'].map(find)), [{ id: 'a' }, null, { id: 'a' }])
  assert.equal(syncs, 5)
})

test('equal look-ups of one turn are one statement, and each caller gets a row of its own', { skip: noPostgres }, async () => {
  const { line, db } = await opened({ connections: 1 })
  const environment = 'env_a' as EnvironmentId // as: any text
  const other = 'env_b' as EnvironmentId // as: any text
  await db.run(sql`insert into things (id, number) values (${'a'}, 7)`)
  const Thing = z.object({ id: z.string(), about: z.record(z.string(), z.unknown()) })
  const find = (id: string, number = 7) =>
    db.maybeOne(Thing, sql`select id, '{"name":"Ada"}' as about from things where id = ${id} and number = ${number}`)
  await find('a')
  let executed = 0
  line.onSent = (data) => {
    executed += data.toString('latin1').split('E\0\0\0\x09\0\0\0\0\0').length - 1 // PostgreSQL 55.7, Execute
  }
  const sentFor = async <T>(look_ups: Promise<T>[]) => {
    executed = 0
    const found = await Promise.all(look_ups)
    return { found, executed }
  }
  const together = await sentFor([find('a'), find('a'), find('a')])
  assert.equal(together.executed, 1)
  for (const row of together.found) {
    assert.deepEqual(row, { id: 'a', about: { name: 'Ada' } })
    Object.assign(row ?? {}, { id: 'changed' })
    Object.assign(row?.about ?? {}, { name: 'changed' })
  }
  const differing = await sentFor([find('a'), find('b'), find('a', 8), find('b'), find('a')])
  assert.equal(differing.executed, 3)
  assert.deepEqual(
    differing.found.map((row) => row?.id ?? null),
    ['a', null, null, null, 'a'],
  )
  const same = sql`select id from things where id <> ${environment}`
  assert.equal((await sentFor([environment, other, environment].map((owner) => db.of(owner).maybeOne(Row, same)))).executed, 2)
  await sentFor([find('a')])
  assert.equal((await sentFor([find('a')])).executed, 1) // every turn asks
})

/** What work on a premise does first. */
const first_acts: [what: string, act: (db: Db) => Promise<unknown>][] = [
  ['a look-up', (db) => db.maybeOne(Row, sql`select id from things where id = ${'a'}`)],
  ['a read', (db) => db.all(Row, sql`select id from things`)],
  ['a faulty look-up', (db) => db.maybeOne(Row, sql`select id from things where number = ${'no number'}`)],
  ['a change', (db) => add(db, 'b')],
  ['a batch', (db) => db.batch([sql`insert into things (id, number) values (${'b'}, 1)`])],
  ['a batch that waits for others', (db) => db.batchLater([sql`insert into things (id, number) values (${'b'}, 1)`])()],
]
const is_there = (db: Db, id: string) => async () => (await db.maybeOne(Row, sql`select id from things where id = ${id}`)) !== null

for (const [what, act] of first_acts)
  test(`${what} of work on a false premise gives nothing and changes nothing`, { skip: noPostgres }, async () => {
    const { db, beside } = await opened({ connections: 2 })
    await add(db, 'a')
    let outcome = 'none'
    const done = await onPremise(is_there(db, 'the premise'), async () => {
      await act(db).then(
        () => {
          outcome = 'a result'
        },
        (error: Error) => {
          outcome = error.name
        },
      )
    })
    assert.deepEqual([done, outcome, await list(beside)], [null, 'Outdated', ['a']])
  })

test('work on a premise that holds asks for it once, beside its first look-up', { skip: noPostgres }, async () => {
  const { line, db } = await opened({ connections: 1 })
  await add(db, 'a')
  const find = (id: string) => db.maybeOne(Row, sql`select id from things where id = ${id}`)
  await Promise.all(['a', 'b'].map(find))
  let [syncs, executed] = [0, 0]
  line.onSent = (data) => {
    syncs += data.toString('latin1').split('S\0\0\0\x04').length - 1
    executed += data.toString('latin1').split('E\0\0\0\x09\0\0\0\0\0').length - 1
  }
  const done = await onPremise(is_there(db, 'a'), async () => {
    await find('b')
    const first = [syncs, executed]
    await add(db, 'c')
    return [first, await find('c')]
  })
  assert.deepEqual(done, { result: [[1, 2], { id: 'c' }] })
  assert.deepEqual([syncs, executed], [3, 4])
})

test('look-ups of one turn that one node cannot answer leave the others their answer', { skip: noPostgres }, async () => {
  const { url, line, db } = await opened({ connections: 1 })
  await add(db, 'a')
  await runCommand(
    url,
    `create function out_of_reach() returns text language plpgsql as $$ begin raise exception 'no route to the node' using errcode = '08006'; end $$`,
  )
  const find = (id: string) => db.maybeOne(Row, sql`select id from things where id = ${id}`)
  await find('a')
  let syncs = 0
  line.onSent = (data) => {
    syncs += data.toString('latin1').split('S\0\0\0\x04').length - 1
  }
  const [found, missing, wrong] = [find('a'), find('b'), errorOf(db.maybeOne(Row, sql`select out_of_reach() as id`))]
  assert.deepEqual([await found, await missing], [{ id: 'a' }, null])
  const error = await wrong
  assert.ok(error instanceof DatabaseUnavailable, String(error))
  assert.match(error.message, /no route to the node.*Nothing was changed/)
  assert.equal(syncs, 4)
})

// biome-ignore format: this table is read by column
const losses: [what: string, text: string, code: string][] = [
  ['was shut down',                        'postmaster was shut down, exiting',                                     'XX000'],
  ['lost another node in a statement',     'server closed the connection unexpectedly',                             'XX000'],
  ['lost a node that a batch wrote on',     'failure on connection marked as essential: 127.0.0.1:5432',             'XX000'],
  ['lost another node in a commit',        'could not commit transaction for shard 1 on at least one active node', 'XX000'],
  ['cannot reach another node',            'connection to the remote node 127.0.0.1:5432 failed',                   '08006'],
]
for (const [what, text, code] of losses)
  test(`a node that ${what} is unavailable, and whether a change was made is not known`, { skip: noPostgres }, async () => {
    const { url, db } = await opened()
    await add(db, 'a')
    await runCommand(
      url,
      `create function killed() returns text language plpgsql as $$
       begin raise exception '${text}' using errcode = '${code}'; end $$`,
    )
    const [read, change] = await Promise.all([
      errorOf(db.all(Row, sql`select killed() as id`)),
      errorOf(db.run(sql`update things set id = killed() where id = 'a'`)),
    ])
    assert.ok(read instanceof DatabaseUnavailable && change instanceof DatabaseUnavailable, String([read, change]))
    assert.match(read.message, /Nothing was changed/)
    assert.match(change.message, /not known whether the change was made/)
  })

test('every text column of the schema is compared byte by byte', { skip: noPostgres }, async () => {
  const db = createDb(openPostgres(await freshDatabase()))
  await migrate(db)
  const Column = z.object({ name: z.string() })
  const others = sql`select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'character varying') and collation_name is distinct from 'C'`
  // No statement compares the name of a migration.
  assert.deepEqual(await db.all(Column, others), [{ name: 'schema_migrations.name' }])
  await db.close()
})

test('a broken connection is replaced: reads succeed, and a change says that its outcome is not known', { skip: noPostgres }, async () => {
  const { line, db, beside } = await opened()
  await add(db, 'a')
  line.cut()
  await sleep(20)
  assert.deepEqual(await list(db), ['a'])

  const release = line.holdAnswers()
  const change = errorOf(add(db, 'b'))
  const read = list(db)
  await until('the change is committed', async () => (await list(beside)).includes('b'))
  line.cut()
  release()
  const error = await change
  assert.ok(error instanceof DatabaseUnavailable)
  assert.match(error.message, /not known whether/)
  assert.ok((await read).includes('a'))
})

test('connections that the server terminates are replaced', { skip: noPostgres }, async () => {
  const { db, beside } = await opened()
  await Promise.all(Array.from({ length: 50 }, (_, i) => add(db, `a${i}`)))
  const kill = sql`select count(*) as id from (
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  ) killed`
  await beside.all(Row, kill)
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => errorOf(list(db))))
  assert.ok(outcomes.every((error) => error === null))
})

test(
  'calls over a dead connection end by themselves, and a new connection is opened when the network is back',
  { skip: noPostgres },
  async () => {
    const { line, db } = await opened()
    await add(db, 'a')
    line.is_dead = true
    // Nothing gets through until all of them have ended, so only their own deadline ends them.
    const errors = await Promise.all([list(db), add(db, 'b'), list(db)].map(errorOf))
    for (const error of errors) assert.ok(error instanceof DatabaseUnavailable, String(error))
    assert.match(String(errors[1]), /not known whether/)
    const error = await errorOf(add(db, 'c'))
    assert.ok(error instanceof DatabaseUnavailable, String(error))
    assert.match(error.message, /^The database at .* cannot be reached(?!.*not known)|Nothing was changed/) // nothing was sent
    line.is_dead = false
    line.cut()
    assert.deepEqual(await list(db), ['a'])
  },
)

test('a change that waits too long for a lock is undone and says so, and the changes behind it succeed', { skip: noPostgres }, async () => {
  const { url, db, beside } = await opened({ connections: 1 })
  await add(db, 'a')
  const holder = new Client({ connectionString: url })
  await holder.connect()
  await holder.query(`begin; update things set number = 1 where id = 'a'`)
  const blocked = errorOf(db.run(sql`update things set number = 2 where id = 'a'`))
  const behind = errorOf(add(db, 'b'))
  const error = await blocked // the lock is still held
  assert.ok(error instanceof DatabaseUnavailable, String(error))
  assert.match(error.message, /Nothing was changed/)
  assert.equal(await behind, null)
  await holder.query('commit')
  await holder.end()
  assert.deepEqual(await list(beside), ['a', 'b'])
})

test('a statement that a pooler forgot, or that no longer fits the schema, is prepared again', { skip: noPostgres }, async () => {
  const { db, beside } = await opened({ connections: 1 })
  await add(db, 'a')
  await db.run(sql`deallocate all`)
  assert.equal(await add(db, 'b'), 1)
  await db.all(Row, sql`select * from things`)
  await beside.run(sql`alter table things add column label text`)
  assert.equal((await db.all(Row.extend({ label: z.string().nullable() }), sql`select * from things`)).length, 2)
})

test('a statement whose place another one took in a refused batch is prepared again', { skip: noPostgres }, async () => {
  const { db } = await opened({ connections: 1 })
  const numbered = (n: number) => sql`select 1 as ${identifiers(`n${n}`)}`
  const refused = requires(sql`1 = 0`)
  for (let n = 0; n < 400; n++) await db.batch([numbered(n)])
  const evicting = Array.from({ length: 40 }, (_, n) => numbered(400 + n))
  assert.equal(await db.batch([refused, ...evicting]), null)
  for (let n = 0; n < 440; n++) await db.batch([numbered(n)])
})

test('batches of any statements, some refused, keep few statements prepared and never meet one that is', { skip: noPostgres }, async () => {
  const { db } = await opened({ connections: 1 })
  const numbered = (n: number) => sql`select 1 as ${identifiers(`n${n}`)}`
  const next = sequence(1)
  for (let round = 0; round < 40; round++) {
    const batches = Array.from({ length: 20 }, () => {
      const statements = Array.from({ length: 1 + (next() % 12) }, () => numbered(next() % 450))
      if (next() % 3 === 0) statements.splice(next() % statements.length, 0, requires(sql`1 = 0`))
      return errorOf(db.batch(statements))
    })
    assert.deepEqual(
      (await Promise.all(batches)).filter((error) => error !== null),
      [],
    )
  }
  const Count = z.object({ count: z.int() })
  const [prepared] = await db.all(Count, sql`select count(*) as count from pg_prepared_statements`)
  assert.ok(prepared && prepared.count <= 320, `${prepared?.count} are prepared`)
})

test(
  'a statement that a pooler leaves to another client is refused, with the setting in words, and never takes its place',
  { skip: noPostgres },
  async () => {
    const { db, url } = await opened({ connections: 1 })
    await add(db, 'a')
    const [{ name } = { name: '' }] = await db.all(
      z.object({ name: z.string() }),
      sql`select name from pg_prepared_statements where statement like 'insert into things%'`,
    )
    const other = createDb(openPostgres(url, { connections: 1 }))
    after(() => other.close())
    await other.run(sql`prepare ${identifiers(name)} as select 1`)
    const error = await errorOf(add(other, 'b'))
    assert.ok(error instanceof DatabaseUnavailable, String(error))
    assert.match(error.message, /max_prepared_statements.*Nothing was changed/)
    assert.equal(await add(other, 'c'), 1)
    assert.deepEqual(await list(db), ['a', 'c'])
  },
)

test('a PgDog before several shards is refused at the start, in words', { skip: noPostgres }, async () => {
  const { url, beside } = await opened()
  await runCommand(url, `alter database ${new URL(url).pathname.slice(1)} set "pgdog.shards" = '1'`)
  await beside.migrate([things])
  await runCommand(url, `alter database ${new URL(url).pathname.slice(1)} set "pgdog.shards" = '2'`)
  await assert.rejects(beside.migrate([things]), { name: 'CannotStart', message: /2 shards/ })
})

if (!noPostgres) {
  test('a batch is a block, and texts have no marks, where the tables are distributed', async () => {
    const { line, db } = await onBlocks()
    assert.equal(await add(db, 'a'), 1)
    let sent = ''
    line.onSent = (data) => {
      sent += data.toString('latin1')
    }
    await db.batch([sql`update things set number = 1 where id = 'a'`, sql`update things set number = 2 where id = 'a'`])
    assert.match(sent, /begin.*update things set number = 1.*update things set number = 2.*commit/s)
    sent = ''
    await db.all(
      Row,
      sql`select id from things where ${unindexed('', 'id')} = ${'a'} and exists (select 1 from users where ${inEnvironment('env_e')})`,
    )
    assert.match(sent, /id \|\| '' = \$1 and exists \(select 1 from users where environment_id = \$2\)/)
  })
  await testConformance(async () => {
    const url = await freshDatabase()
    return () => {
      const engine = openPostgres(url)
      return {
        ...engine,
        async migrate(migrations) {
          const migrated = await migrateOnly(url, migrations)
          const makes_things = migrations.some(({ statements }) =>
            statements.some((statement) => statement.startsWith('create table things')),
          )
          if (makes_things) await pretendPlaced(url, ['schema_migrations'])
          return migrated
        },
      }
    }
  })
}

/** Migrates by connections of their own: a process that has met one kind of database sends nothing to the other. */
async function migrateOnly(url: string, migrations: readonly Migration[]) {
  const engine = openPostgres(url)
  try {
    return await engine.migrate(migrations)
  } finally {
    await engine.close()
  }
}

/** A database whose tables are where they belong. */
async function onBlocks(options: PostgresOptions = {}) {
  const url = await freshDatabase()
  await migrateOnly(url, [things])
  await runCommand(url, 'create table users (environment_id text, id text)')
  await pretendPlaced(url, ['schema_migrations', 'users'])
  const line = await openLine(url)
  const db = createDb(openPostgres(line.url, options))
  after(async () => {
    await db.close()
    line.close()
  })
  return { url, line, db }
}

/** A start that waits for nobody. */
const hasty: TimeLimits = { ...time_limits, placed_ms: 0 }

// biome-ignore format: this table is read by column
const misplaced: [why: string, wrong: (url: string) => Promise<void>][] = [
  ['a table that Citus does not know',           (url) => runCommand(url, `delete from pg_dist_partition where logicalrelid = 'grants'::regclass`)],
  ['a table that is distributed by another column', (url) => pretend(url, 'grants', { column: 'id', colocation: 2 })],
  ['a table that is not beside the others',      (url) => pretend(url, 'grants', { column: 'environment_id', colocation: 3 })],
  ['a table whose rows are on every node',       (url) => pretend(url, 'grants', { colocation: 1, model: 't' })],
  ['a table that stayed on the coordinator',     (url) => pretend(url, 'grants', {})],
  ['a table on one other node',                  (url) => pretend(url, 'grants', { colocation: 4 })],
]
for (const [why, wrong] of misplaced)
  test(`a database with ${why} is refused at the start, and the message names the command`, { skip: noPostgres }, async () => {
    const { url } = await onBlocks()
    await runCommand(url, 'create table grants (environment_id text, id text)')
    await pretendPlaced(url, ['grants'])
    const db = createDb(openPostgres(url, { limits: hasty }))
    after(() => db.close())
    await wrong(url)
    await assert.rejects(db.migrate([]), { name: 'CannotStart', message: /1 of them is not where .*: grants\. Run "ostiary distribute"/ })
    assert.equal(await db.runs(0), false)
    await pretendPlaced(url, ['grants'])
    await db.migrate([])
    assert.deepEqual(await list(db), [])
  })

test('tables that are not ours do not count, and a start waits until ours are in their places', { skip: noPostgres }, async () => {
  const { url } = await onBlocks()
  await runCommand(url, 'create table theirs (id text); create table grants (environment_id text, id text)')
  await pretend(url, 'theirs', { column: 'id', colocation: 7 })
  const asked = Promise.withResolvers<void>()
  const line = await openLine(url)
  line.onSent = (data) => {
    if (data.includes('pg_dist_partition p')) asked.resolve()
  }
  const db = createDb(openPostgres(line.url))
  after(async () => {
    await db.close()
    line.close()
  })
  const started = db.migrate([])
  await asked.promise
  await pretendPlaced(url, ['grants'])
  await started
  assert.deepEqual(await list(db), [])
})

test('distributed tables are found in each schema of the search path, whatever its name', { skip: noPostgres }, async () => {
  const url = await freshDatabase()
  const name = new URL(url).pathname.slice(1)
  const ask = async () => {
    const db = createDb(openPostgres(url))
    const error = await errorOf(list(db))
    await db.close()
    return error
  }
  await runCommand(url, `create schema "MyApp"; alter database ${name} set search_path = "MyApp", public`)
  await runCommand(
    url,
    `create table things (id text); create table theirs (id text); create schema aside; create table aside.users (id text)`,
  )
  for (const table of ['theirs', 'aside.users']) await pretend(url, table, { column: 'id', colocation: 2 })
  assert.equal(await ask(), null)
  for (const schema of ['public', '"MyApp"']) {
    await runCommand(url, `create table ${schema}.users (id text)`)
    await pretend(url, `${schema}.users`, { column: 'id', colocation: 2 })
    assert.match(String(await ask()), /1 of them is not where .*: users\./)
    await runCommand(url, `delete from pg_dist_partition where logicalrelid = '${schema}.users'::regclass; drop table ${schema}.users`)
  }
})

test(
  'a user of the database that may not ask whether tables are distributed gets the name of the right',
  { skip: noPostgres },
  async () => {
    const url = await freshDatabase()
    await runCommand(url, `create table users (environment_id text)`)
    await pretendPlaced(url, ['users'])
    const role = `asker_of_${new URL(url).pathname.slice(1)}`
    await runCommand(url, `create role ${role} login password 'hush'`)
    const db = createDb(openPostgres(Object.assign(new URL(url), { username: role, password: 'hush' }).href))
    after(() => db.close())
    const error = await errorOf(list(db))
    assert.ok(error instanceof DatabaseUnavailable, String(error))
    assert.match(error.message, /"grant select on pg_dist_partition to".*Nothing was changed/)
    assert.doesNotMatch(error.message, /cannot be reached|hush/)
    await runCommand(url, `delete from pg_dist_partition; grant select on pg_dist_partition to ${role}`)
    assert.match(String(await errorOf(list(db))), /relation "things" does not exist/)
  },
)

test('a server that freezes after the login ends the attempt, and the next one gets a connection', { skip: noPostgres }, async () => {
  const { line, db, beside } = await opened({ connections: 1 })
  line.onSent = (data) => {
    if (!data.includes('set statement_timeout')) return
    line.onSent = () => {}
    line.forget()
  }
  const error = await errorOf(list(db))
  assert.ok(error instanceof DatabaseUnavailable, String(error))
  assert.match(error.message, /cannot be reached: it accepted the connection and then did not answer/)
  assert.deepEqual(await list(db), [])
  const others = sql`select cast(pid as text) as id from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  await until('the frozen connection has ended', async () => (await db.all(Row, others)).length === 0)
  assert.deepEqual(await list(beside), [])
})

/** How a process that runs meets the other kind of database. */
const meetings: [when: string, limits: TimeLimits, meet: (line: { cut(): void }) => void][] = [
  ['at a later connection', { ...time_limits, asked_ms: 3_600_000 }, (line) => line.cut()],
  ['on the connections that it has', { ...time_limits, asked_ms: 1 }, () => {}],
]
const everywhere = Object.values(tables_of).flat()
// biome-ignore format: this table is read by column
const changes: [what: string, begin: (url: string) => Promise<void>, change: (url: string) => Promise<void>, why: RegExp][] = [
  ['distributed tables',   async () => {},                                  (url) => pretendPlaced(url, everywhere), /distributed over several nodes/],
  ['tables of one server', (url) => pretendPlaced(url, everywhere),         (url) => runCommand(url, 'drop table pg_dist_partition'), /moved from the places/],
  ['tables in between',    (url) => pretendPlaced(url, everywhere),         (url) => runCommand(url, `delete from pg_dist_partition where logicalrelid = 'users'::regclass`), /moved from the places/],
]
for (const [when, limits, meet] of meetings)
  for (const [what, begin, change, why] of changes)
    test(`a process that meets ${what} ${when} sends nothing more on any, and says why`, { skip: noPostgres }, async () => {
      const url = await freshDatabase()
      await migrateOnly(url, [things])
      await runCommand(url, `create table users (environment_id text, id text)`)
      await begin(url)
      const line = await openLine(url)
      const db = createDb(openPostgres(line.url, { connections: 2, limits }))
      after(async () => {
        await db.close()
        line.close()
      })
      await add(db, 'a')
      await change(url)
      meet(line)
      await until('the process has met them', async () => why.test(String(await errorOf(list(db)))))
      assert.match((await db.unusable)?.message ?? '', why)
      let sent = 0
      line.onSent = () => {
        sent += 1
      }
      const errors = await Promise.all([add(db, 'c'), list(db), db.maybeOne(Row, sql`select id from things`), db.migrate([])].map(errorOf))
      for (const error of errors) assert.match(String(error), why)
      for (const error of errors.slice(0, 3)) assert.ok(error instanceof DatabaseUnavailable, String(error))
      assert.equal(await db.runs(0), false)
      assert.equal(sent, 0)
    })

test('a connection is opened again after a restart of the server, and no acknowledged change is lost', { skip: noPostgres }, async () => {
  const server = await startPostgres()
  const db = createDb(openPostgres(server.url))
  await db.migrate([things])
  const acknowledged: string[] = []
  let is_over = false
  let failures = 0
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; !is_over; i++) {
      const id = `${writer}_${i}`
      const error = await errorOf(add(db, id))
      if (error === null) acknowledged.push(id)
      else {
        assert.ok(error instanceof DatabaseUnavailable, String(error))
        failures++
        await sleep(5)
      }
    }
  })
  await until('changes are acknowledged', async () => acknowledged.length > 100)
  await server.pause()
  assert.equal(await db.runs(0), false)
  const [before, failed] = [acknowledged.length, failures]
  await until('every writer fails', async () => failures > failed + 2 * writers.length)
  assert.equal(acknowledged.length, before)
  await server.resume()
  await until('changes are acknowledged again', async () => acknowledged.length > before + 100)
  is_over = true
  await Promise.all(writers)
  const stored = new Set(await list(db))
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  )
  await db.close()
  await server.stop()
})

test('two first connections at once both find a server without TLS', { skip: noPostgres }, async () => {
  const db = createDb(openPostgres(await freshDatabase()))
  after(() => db.close())
  const schemas = await Promise.all([db.schema(), db.schema(), db.schema()])
  assert.deepEqual(new Set(schemas.map(({ number }) => number)), new Set([0]))
})

test('an error says why the database cannot be reached, without the password', { skip: noPostgres }, async () => {
  const good = await freshDatabase()
  const change = (part: 'password' | 'pathname' | 'port' | 'search', value: string) => Object.assign(new URL(good), { [part]: value }).href
  const wrong: [string, RegExp][] = [
    [change('password', 'guess'), /password authentication failed/],
    [change('pathname', '/nowhere'), /"nowhere" does not exist/],
    [change('port', '1'), /127\.0\.0\.1:1\/.* cannot be reached: .*ECONNREFUSED/],
    [change('search', '?sslmode=require'), /has no TLS, and sslmode=require/],
    [change('search', '?sslmode=verify-ca'), /sslrootcert/],
  ]
  for (const [url, reason] of wrong) {
    const db = createDb(openPostgres(url))
    await assert.rejects(db.migrate([things]), (error) => {
      assert.ok(error instanceof DatabaseUnavailable)
      assert.match(error.message, reason)
      assert.doesNotMatch(error.message, new RegExp(`${new URL(good).password}|guess`))
      return true
    })
    await assert.rejects(list(db), reason)
    await db.close()
  }
  const admin = new Client({ connectionString: good })
  await admin.connect()
  await admin.query(`create role guest_of_${new URL(good).pathname.slice(1)} login password 'hush'`)
  await admin.end()
  const guest = Object.assign(new URL(good), { username: `guest_of_${new URL(good).pathname.slice(1)}`, password: 'hush' })
  const db = createDb(openPostgres(guest.href))
  await assert.rejects(db.migrate([things]), /lacks a right: permission denied for schema public.*owner/)
  await db.close()
  for (const search of ['', '?sslmode=disable', '?sslmode=prefer']) {
    const db = createDb(openPostgres(change('search', search)))
    assert.deepEqual(await db.all(z.object({ one: z.int() }), sql`select 1 as one`), [{ one: 1 }])
    await db.close()
  }
})

test('the connection is encrypted as the connection string says, with the meaning of psql', { skip: noPostgres }, async () => {
  const server = await startPostgres()
  const folder = await giveCertificate(server.url, 'localhost')
  const authority = `sslrootcert=${encodeURIComponent(join(folder, 'server.crt'))}`
  const cases: [host: string, search: string, expected: boolean | RegExp][] = [
    ['127.0.0.1', '', true],
    ['127.0.0.1', 'sslmode=prefer', true],
    ['127.0.0.1', 'sslmode=disable', false],
    ['127.0.0.1', 'sslmode=require', true],
    ['127.0.0.1', `sslmode=verify-ca&${authority}`, true],
    ['localhost', `sslmode=verify-full&${authority}`, true],
    ['127.0.0.1', `sslmode=verify-full&${authority}`, /does not match certificate|altnames/i],
    ['localhost', 'sslmode=verify-full', /self-signed certificate/],
  ]
  for (const [hostname, search, expected] of cases) {
    const db = createDb(openPostgres(Object.assign(new URL(server.url), { hostname, search }).href))
    const encrypted = db.maybeOne(z.object({ ssl: z.boolean() }), sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)
    if (expected instanceof RegExp) await assert.rejects(encrypted, expected)
    else assert.deepEqual(await encrypted, { ssl: expected }, `${hostname} ${search}`)
    await db.close()
  }
  await server.stop()
})

/** Turns on TLS with a self-signed certificate. Returns the folder of the certificate. */
async function giveCertificate(url: string, name: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const folder: string = (await client.query('show data_directory')).rows[0].data_directory
  for (const [ending, text] of Object.entries(makeCertificate(name))) {
    const path = join(folder, ending === 'key' ? 'server.key' : 'server.crt')
    writeFileSync(path, text, { mode: 0o600 })
    if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(path, runAs.uid, runAs.gid)
  }
  await client.query('alter system set ssl = on')
  await client.query('select pg_reload_conf()')
  await client.end()
  await sleep(200)
  return folder
}
