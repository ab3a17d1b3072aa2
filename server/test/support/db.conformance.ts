/** The conformance tests of every engine. Run by db.sqlite.test.ts and db.postgres.test.ts. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDb, DatabaseUnavailable, type Db, type Engine, rowOf, sql } from '../../src/db/db.ts'
import { migrate, readMigrations, WrongSchema } from '../../src/db/migrate.ts'
import { testBatches } from './db.conformance-batches.ts'
import { children, find, Id, makeThing, Number_, newId, things } from './db.conformance-things.ts'
import { testValues } from './db.conformance-values.ts'

/** `fresh` makes an empty database. The function it returns opens that database, also several times. */
export async function testConformance(fresh: () => Promise<() => Engine>): Promise<void> {
  const open = await fresh()
  const db = createDb(open())
  const beside = createDb(open())
  after(() => Promise.all([db.close(), beside.close()]))
  await db.migrate([{ number: 1, name: 'tests', oldest_program: 1, statements: [things, children] }])

  testValues(db)
  testChanges(db)
  testBatches(db, beside)
  testMigrations(fresh)
  testEnding(open)
}

function testChanges(db: Db): void {
  test('a change returns how many rows it changed, with or without returning', async () => {
    const [a, b] = [await makeThing(db), await makeThing(db)]
    const both = sql`id in (${a}, ${b})`
    const results =
      (await db.batch([
        sql`update things set number = 1 where ${both}`,
        sql`update things set number = 2 where ${both} and number = 9`,
        sql`update things set number = 3 where id = ${a} returning id, number`,
        sql`insert into things (id, number) select ${`${a}_copy`}, number from things where id = ${a}`,
        sql`insert into things (id) values (${a}) on conflict (id) do nothing`,
        sql`insert into things (id) values (${a}) on conflict (id) do nothing returning id`,
        sql`insert into things (id, number) values (${a}, 9) on conflict (id) do update set number = excluded.number where things.number = 8`,
        sql`insert into things (id, number) values (${a}, 9) on conflict (id) do update set number = excluded.number + things.number returning number`,
        sql`select id from things where ${both}`,
        sql`delete from things where ${both} or id = ${`${a}_copy`}`,
        sql`delete from things where ${both}`,
      ])) ?? []
    assert.deepEqual(
      results.map(({ changed }) => changed),
      [2, 0, 1, 1, 0, 0, 0, 1, 2, 3, 0],
    )
    assert.deepEqual(
      results.map(({ rows }) => rows.length),
      [0, 0, 1, 0, 0, 0, 0, 1, 2, 0, 0],
    )
    assert.deepEqual(rowOf(Number_, results[7]), { number: 12 })
  })

  test('a value that violates a constraint is an error of the caller, and the next statement works', async () => {
    const id = await makeThing(db)
    for (const statement of [
      sql`insert into things (id) values (${id})`,
      sql`insert into things (id, flag) values (${newId()}, ${null})`,
      sql`insert into children (id, thing_id) values (${newId()}, ${'none'})`,
    ])
      await assert.rejects(db.run(statement), (error) => error instanceof Error && !(error instanceof DatabaseUnavailable))
    await assert.rejects(db.all(Id, sql`select nothing from nowhere`))
    await assert.rejects(db.all(Id, sql`insert into things (id) values (${newId()}) returning id`), TypeError)
    assert.equal((await find(db, id))?.id, id)
  })
}

function testMigrations(fresh: () => Promise<() => Engine>): void {
  const first = { number: 1, name: 'first', oldest_program: 1, statements: ['create table a (id text primary key, number {int})'] }
  const second = {
    number: 2,
    name: 'second',
    oldest_program: 2,
    statements: ['alter table a add column label text', `insert into a (id) values ('once')`],
  }
  const expanding = { number: 3, name: 'expanding', oldest_program: 2, statements: ['alter table a add column note text'] }

  test('five parallel starts migrate once, step by step', async () => {
    const open = await fresh()
    const dbs = Array.from({ length: 5 }, () => createDb(open()))
    assert.deepEqual(await Promise.all(dbs.map(async (db) => (await db.schema()).number)), [0, 0, 0, 0, 0])
    for (const migrations of [[first], [first, second]]) {
      const outcomes = await Promise.all(dbs.map((db) => migrate(db, migrations)))
      const { length } = migrations
      assert.deepEqual(outcomes.map(({ from }) => from).sort(), [length - 1, ...Array(4).fill(length)])
      assert.ok(outcomes.every(({ to }) => to === length))
    }
    const db = dbs[0] ?? assert.fail()
    assert.deepEqual(await db.all(Id, sql`select id from a`), [{ id: 'once' }])
    assert.equal((await db.schema()).number, 2)
    await Promise.all(dbs.map((each) => each.close()))
  })

  test('a schema that names a later program is refused and not changed', async () => {
    const db = createDb((await fresh())())
    await migrate(db, [first, second])
    await assert.rejects(migrate(db, [first]), WrongSchema)
    assert.deepEqual([await db.runs(1), await db.runs(2)], [false, true])
    assert.deepEqual(await db.schema(), { number: 2, oldest_program: 2 })
    await db.close()
  })

  test('a program runs on a newer schema that names no later program, and leaves it as it is', async () => {
    const db = createDb((await fresh())())
    await migrate(db, [first, second, expanding])
    assert.deepEqual(await migrate(db, [first, second]), { from: 3, to: 3 })
    await assert.rejects(migrate(db, [first]), WrongSchema)
    assert.deepEqual([await db.runs(1), await db.runs(2), await db.runs(3), await db.runs(4)], [false, true, true, false])
    assert.deepEqual(await db.schema(), { number: 3, oldest_program: 2 })
    await db.close()
  })

  const unreleased = [
    ['without the programs that run on it', sql`create table schema_migrations (number integer primary key, name text not null)`],
    ['with them', sql`create table schema_migrations (number integer primary key, name text not null, oldest_program integer)`],
  ] as const
  for (const [what, table] of unreleased)
    test(`a database of version 0.1.0, ${what}, is refused in words and not changed`, async () => {
      const db = createDb((await fresh())())
      await db.run(table)
      await db.run(sql`insert into schema_migrations (number, name) values (1, 'initial'), (48, 'resource_server_scopes')`)
      await assert.rejects(migrate(db), {
        name: 'WrongSchema',
        message: /Ostiary 0\.1\.0, which was never released.*Nothing was changed\.$/,
      })
      assert.deepEqual(await db.schema(), { number: 48, oldest_program: 48 })
      await assert.rejects(db.all(Id, sql`select id from tenants`))
      await db.close()
    })

  test('a failing migration changes nothing', async () => {
    const db = createDb((await fresh())())
    await migrate(db, [first])
    await assert.rejects(migrate(db, [first, second, { ...expanding, name: 'broken', statements: ['alter table none add column x text'] }]))
    assert.equal((await db.schema()).number, 1)
    await assert.rejects(db.all(Id, sql`select label from a`))
    await db.close()
  })

  test('the migrations of this service run', async () => {
    const db = createDb((await fresh())())
    const { to } = await migrate(db)
    assert.equal(to, readMigrations().at(-1)?.number)
    const { oldest_program } = await db.schema()
    assert.deepEqual([await db.runs(to), await db.runs(to + 1), await db.runs(oldest_program - 1)], [true, false, false])
    assert.deepEqual(await migrate(db), { from: to, to })
    await db.close()
  })
}

function testEnding(open: () => Engine): void {
  test('closing a database completes the calls in progress and refuses later ones', async () => {
    const db = createDb(open())
    const made = Array.from({ length: 50 }, () => makeThing(db))
    const closing = db.close()
    await Promise.all(made)
    await closing
    await assert.rejects(makeThing(db), DatabaseUnavailable)
    await assert.rejects(find(db, 'any'), DatabaseUnavailable)
    assert.equal(await db.runs(0), false)
    await db.close()
  })
}
