/** What every engine does alike, whatever is said here for one holds for the other. Run by db.sqlite.test.ts and db.postgres.test.ts. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { z } from 'zod'
import { createDb, DatabaseUnavailable, type Db, decides, type Engine, join, rowOf, sql } from '../src/db/db.ts'
import { migrate, readMigrations, SchemaTooNew } from '../src/db/migrate.ts'

/** `fresh` makes an empty database and returns how to open it, once or several times. */
export async function testConformance(fresh: () => Promise<() => Engine>): Promise<void> {
  const open = await fresh()
  const db = createDb(open())
  const beside = createDb(open())
  after(() => Promise.all([db.close(), beside.close()]))
  await db.migrate([{ number: 1, name: 'tests', statements: [things, children] }])

  testValues(db)
  testChanges(db)
  testBatches(db, beside)
  testMigrations(fresh)
  testEnding(open)
}

const things = `create table things (
  id text primary key,
  label text,
  number {int},
  flag {int} not null default 0,
  at {int},
  document text not null default '{}',
  unique (label)
)`
const children = 'create table children (id text primary key, thing_id text not null references things (id))'

const Thing = z.object({
  id: z.string(),
  label: z.string().nullable(),
  number: z.int().nullable(),
  flag: z.boolean(),
  at: z.date().nullable(),
  document: z.record(z.string(), z.unknown()),
})
const columns = sql`id, label, number, flag, at, document`
const find = (db: Db, id: string) => db.maybeOne(Thing, sql`select ${columns} from things where id = ${id}`)
const Id = z.object({ id: z.string() })
const Number_ = z.object({ number: z.int() })

let ids = 0
const newId = () => `thing_${++ids}`

/** An empty thing with a new id. */
async function makeThing(db: Db): Promise<string> {
  const id = newId()
  await db.run(sql`insert into things (id) values (${id})`)
  return id
}

function testValues(db: Db): void {
  const texts = [
    '',
    ' ',
    '5',
    '5.0',
    'NULL',
    `it's "quoted" \\ $1 ? :a {int}`,
    'a\nb\tc\r',
    'Zoë 🦉 e\u0301 日本語 \u{10ffff}',
    'x'.repeat(100_000),
  ]
  for (const label of texts) {
    test(`a text comes back as it went in: ${JSON.stringify(label.slice(0, 40))}`, async () => {
      const id = newId()
      await db.run(sql`insert into things (id, label) values (${id}, ${label})`)
      assert.equal((await find(db, id))?.label, label)
      assert.deepEqual(await db.maybeOne(Id, sql`select id from things where label = ${label}`), { id })
      await db.run(sql`update things set label = ${null} where id = ${id}`)
    })
  }

  for (const label of ['a\0b', 'a\ud800b']) {
    test(`what is no character becomes U+FFFD: ${JSON.stringify(label)}`, async () => {
      const id = await makeThing(db)
      await db.run(sql`update things set label = ${label} where id = ${id}`)
      assert.equal((await find(db, id))?.label, 'a\ufffdb')
      await db.run(sql`delete from things where id = ${id}`)
    })
  }

  for (const number of [0, -1, 2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null]) {
    test(`a number comes back as it went in: ${number}`, async () => {
      const id = newId()
      await db.run(sql`insert into things (id, number) values (${id}, ${number})`)
      assert.equal((await find(db, id))?.number, number)
      assert.deepEqual(await db.maybeOne(Number_.extend({ number: z.int().nullable() }), sql`select ${number} + 0 as number`), { number })
    })
  }

  test('a number that JavaScript cannot hold is refused, not rounded', async () => {
    const id = newId()
    await db.run(sql`insert into things (id, number) values (${id}, ${2n ** 53n + 1n})`)
    await assert.rejects(find(db, id), RangeError)
    await db.run(sql`delete from things where id = ${id}`)
  })

  test('a time, a boolean and a document come back as they went in', async () => {
    const id = newId()
    const thing = { id, label: null, number: null, flag: true, at: new Date('2026-11-20T16:31:00.123Z'), document: { a: [1, null, 'ü'] } }
    await db.run(sql`insert into things (id, flag, at, document) values (${id}, ${thing.flag}, ${thing.at}, ${thing.document})`)
    assert.deepEqual(await find(db, id), thing)
  })

  test('a document that looks like a statement is a value', async () => {
    const id = newId()
    const document = { parts: [`'{}') returning 'gotcha' as id --`], values: [] }
    await db.run(sql`insert into things (id, document) values (${id}, ${document})`)
    assert.deepEqual((await find(db, id))?.document, document)
  })

  test('values may stand wherever a value may stand', async () => {
    const id = await makeThing(db)
    await db.run(sql`insert into things (id, label, number, at) select ${`${id}_2`}, ${null}, ${null}, ${7} from things where id = ${id}`)
    await db.run(sql`update things set number = case when number is null then ${1_800_000_000_000} else ${null} end where id = ${id}`)
    await db.run(sql`update things set label = ${null}, at = coalesce(at, ${new Date(5)}) where id = ${id} and ${1_800_000_000_000} > 0`)
    const row = await db.maybeOne(
      z.object({
        text: z.string(),
        either: z.string(),
        stamp: z.string(),
        sum: z.int(),
        count: z.int(),
        found: z.boolean(),
        rest: z.int(),
      }),
      sql`select ${'a'} as text, case when ${true} = 1 then ${'b'} else ${'c'} end as either, number || '.' || ${8} || ${'d'} as stamp,
            (select sum(number) from things where id = ${id}) as sum, (select count(*) from things where id in (${id}, ${'none'})) as count,
            exists (select 1 from things where id = ${id}) as found, (7 / 2) as rest
          from things where id = ${id} and at = ${new Date(5)} order by id limit ${1}`,
    )
    assert.deepEqual(row, { text: 'a', either: 'b', stamp: '1800000000000.8d', sum: 1_800_000_000_000, count: 1, found: true, rest: 3 })
  })

  test('texts are compared byte by byte', async () => {
    const labels = ['!', '-', '10', '9', 'A', 'B', 'Z', '_', 'a', 'ab', 'b', 'é', '日', '🦉']
    const list = join(
      labels.toReversed().map((label) => sql`${label}`),
      ', ',
    )
    await Promise.all(labels.map((label) => db.run(sql`insert into things (id, label) values (${newId()}, ${label})`)))
    const Label = z.object({ label: z.string() })
    const sorted = await db.all(Label, sql`select label from things where label in (${list}) order by label`)
    assert.deepEqual(
      sorted.map(({ label }) => label),
      labels,
    )
    const page = await db.all(
      Label,
      sql`select label from things where label > ${'Z'} and label < ${'a\u{10ffff}'} and label in (${list}) order by label`,
    )
    assert.deepEqual(
      page.map(({ label }) => label),
      ['_', 'a', 'ab'],
    )
    assert.deepEqual(await db.all(Label, sql`select max(label) as label from things where label in (${list})`), [{ label: '🦉' }])
  })

  test('a statement takes many values, and lists of any length', async () => {
    const many = Array.from({ length: 300 }, (_, i) => i)
    const total = await db.maybeOne(
      Number_,
      sql`select ${join(
        many.map((i) => sql`${i}`),
        ' + ',
      )} as number`,
    )
    assert.equal(total?.number, 44_850)
    for (const length of [1, 2, 7, 120]) {
      const list = join(
        many.slice(0, length).map((i) => sql`${`none_${i}`}`),
        ', ',
      )
      assert.deepEqual(await db.all(Id, sql`select id from things where id in (${list})`), [])
    }
  })

  test('more texts than an engine keeps at hand still run', async () => {
    const texts = Array.from({ length: 1200 }, (_, i) => ({ parts: [`select ${i % 600} as number`], values: [] }))
    const statements = texts.map((text) => ({ ...sql`select 1`, ...text }))
    const rows = await Promise.all(statements.map((statement) => db.maybeOne(Number_, statement)))
    assert.deepEqual(
      rows.map((row) => row?.number),
      texts.map((_, i) => i % 600),
    )
  })
}

function testChanges(db: Db): void {
  test('a change tells how many rows it changed, with or without returning', async () => {
    const [a, b] = [await makeThing(db), await makeThing(db)]
    const both = sql`id in (${a}, ${b})`
    const results = await db.batch([
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
    ])
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

  test('a value that breaks a rule of the schema is refused as a fault, and what comes after it works', async () => {
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

function testBatches(db: Db, beside: Db): void {
  test('a batch whose last statement fails changes nothing, and those beside it are not touched', async () => {
    const taken = await makeThing(db)
    const id = newId()
    const failing = db.batch([sql`insert into things (id) values (${id})`, sql`insert into things (id) values (${taken})`])
    const others = Array.from({ length: 20 }, () => makeThing(db))
    await assert.rejects(failing)
    assert.equal(await find(db, id), null)
    for (const other of await Promise.all(others)) assert.ok(await find(db, other))
    await assert.rejects(db.batch([sql`insert into things (id) values (${id})`, sql`insert into things (id) values (${taken})`]))
    assert.equal(await find(db, id), null)
  })

  test('where a statement that decides changes nothing, nothing of its batch happens, whatever kind it is', async () => {
    const [id, taken] = [await makeThing(db), await makeThing(db)]
    await db.run(sql`update things set label = ${`taken ${taken}`} where id = ${taken}`)
    const undecided = [
      sql`update things set number = 1 where id = ${id} and number = 7`,
      sql`delete from things where id = 'nothing'`,
      sql`insert into things (id, label) select ${newId()}, label from things where id = ${taken} on conflict (label) do nothing`,
    ]
    for (const statement of undecided) {
      const before = sql`update things set number = 5 where id = ${id}`
      const after = sql`insert into things (id) values (${`after ${id}`})`
      const results = await db.batch([before, decides(statement), after])
      assert.deepEqual(
        results.map(({ changed }) => changed),
        [0, 0, 0],
      )
      assert.equal((await find(db, id))?.number, null)
      assert.equal(await find(db, `after ${id}`), null)
    }
  })

  test('of many batches at once that decide on the same version, one happens with all its statements', async () => {
    const id = await makeThing(db)
    await db.run(sql`update things set number = 1 where id = ${id}`)
    const attempts = Array.from({ length: 30 }, (_, i) => `${id} ${i}`)
    const outcomes = await Promise.all(
      attempts.map((attempt, i) =>
        (i % 2 === 0 ? db : beside).batch([
          decides(sql`update things set number = number + 1 where id = ${id} and number = 1`),
          sql`insert into things (id) values (${attempt})`,
        ]),
      ),
    )
    assert.equal(outcomes.filter(([first]) => first?.changed === 1).length, 1)
    const made = await db.all(Id, sql`select id from things where id like ${`${id} %`}`)
    assert.deepEqual(
      made.map((thing) => thing.id),
      attempts.filter((_, i) => outcomes[i]?.[0]?.changed === 1),
    )
  })

  test('a statement that fails the first time it is used can be used again', async () => {
    const id = newId()
    const insert = (thing_id: string) => sql`insert into children (id, thing_id) select ${`child_of_${id}`}, ${thing_id}`
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => db.run(insert('none'))))
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    await db.run(sql`insert into things (id) values (${id})`)
    assert.equal(await db.run(insert(id)), 1)
  })

  test('a statement sees what those before it in its batch did, and the next read sees the batch, through any opening', async () => {
    const id = newId()
    await db.batch([
      sql`insert into things (id, number) values (${id}, 1)`,
      sql`update things set number = number + 1 where id = ${id}`,
      sql`update things set label = (select 'made ' || number from things where id = ${id}) where id = ${id}`,
    ])
    assert.equal((await find(beside, id))?.label, 'made 2')
    for (let i = 0; i < 100; i++) {
      await db.run(sql`update things set number = ${i} where id = ${id}`)
      const seen = await Promise.all([find(db, id), find(beside, id), find(db, id)])
      assert.deepEqual(
        seen.map((thing) => thing?.number),
        [i, i, i],
      )
    }
  })

  test('an empty batch does nothing, and one text may stand in a batch many times', async () => {
    assert.deepEqual(await db.batch([]), [])
    const made = await Promise.all(Array.from({ length: 200 }, () => makeThing(db)))
    const results = await db.batch(made.map((id, i) => sql`update things set number = ${i} where id = ${id}`))
    assert.ok(results.every(({ changed }) => changed === 1))
    assert.equal((await find(db, made[150] ?? ''))?.number, 150)
  })

  test('a batch in no hurry has happened when its result is asked for, and of 50 with the same mark one takes effect', async () => {
    const id = await makeThing(db)
    const mark = (attempt: string) => sql`update things set label = ${attempt} where id = ${id} and label is null`
    const asked = Array.from({ length: 50 }, (_, i) =>
      (i % 2 ? db : beside).batchLater([
        mark(`${id} by ${i}`),
        sql`update things set number = coalesce(number, 0) + 1 where id = ${id} and label = ${`${id} by ${i}`}`,
      ]),
    )
    const results = await Promise.all(asked.map((ask) => ask()))
    assert.equal(results.filter(([marked]) => marked?.changed === 1).length, 1)
    assert.equal((await find(beside, id))?.number, 1)
  })

  test('a batch in no hurry happens with the next that is, at the latest, and its failure is told to whoever asks', async () => {
    const id = newId()
    const ask = db.batchLater([sql`insert into things (id) values (${id})`])
    const fails = db.batchLater([sql`insert into things (id) values (${id})`])
    await db.run(sql`insert into things (id) values (${newId()})`)
    assert.equal((await ask())[0]?.changed, 1)
    await assert.rejects(fails())
    assert.ok(await find(beside, id))
  })

  test('of 50 parallel batches with the same mark one takes effect', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await makeThing(db)
      const take = (attempt: string, by: Db) =>
        by.batch([
          sql`update things set label = ${attempt} where id = ${id} and label is null`,
          sql`insert into children (id, thing_id) select ${attempt}, id from things where id = ${id} and label = ${attempt}`,
        ])
      const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => take(`${id}_by_${i}`, i % 2 ? db : beside)))
      assert.equal(outcomes.filter(([mark]) => mark?.changed === 1).length, 1)
      assert.equal(outcomes.filter(([, child]) => child?.changed === 1).length, 1)
      assert.equal((await db.all(Id, sql`select id from children where thing_id = ${id}`)).length, 1)
    }
  })

  test('a batch whose deciding statement changes nothing is undone, and says that it changed nothing', async () => {
    const [id, other] = [await makeThing(db), newId()]
    const batch = (from: number) =>
      db.batch([
        sql`insert into things (id) values (${other}) on conflict (id) do nothing`,
        decides(sql`update things set number = ${from + 1} where id = ${id} and coalesce(number, 0) = ${from}`),
        sql`update things set label = ${`${id} at ${from}`} where id = ${id}`,
      ])
    const changed = async (from: number) => (await batch(from)).map((result) => result.changed)
    assert.deepEqual(await changed(7), [0, 0, 0])
    assert.equal(await find(db, other), null)
    assert.deepEqual(await changed(0), [1, 1, 1])
    assert.deepEqual(await changed(0), [0, 0, 0])
    assert.equal((await find(db, id))?.label, `${id} at 0`)
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => changed(1)))
    assert.deepEqual(
      outcomes.filter(([, mark]) => mark === 1),
      [[0, 1, 1]],
    )
    assert.equal((await find(db, id))?.number, 2)
  })

  test('of 50 parallel inserts of one key one takes effect', async () => {
    const id = newId()
    const insert = (by: Db) => by.run(sql`insert into things (id) values (${id}) on conflict (id) do nothing`)
    const changed = await Promise.all(Array.from({ length: 50 }, (_, i) => insert(i % 2 ? db : beside)))
    assert.equal(changed.filter((count) => count === 1).length, 1)
  })

  test('a counter with a limit admits no more than the limit, and loses nobody', async () => {
    const id = newId()
    const count = (by: Db) =>
      by.changeOne(
        Number_,
        sql`insert into things (id, number) values (${id}, 1)
            on conflict (id) do update set number = things.number + 1 where things.number < ${20} returning number`,
      )
    const rows = await Promise.all(Array.from({ length: 50 }, (_, i) => count(i % 2 ? db : beside)))
    const numbers = rows.flatMap((row) => (row ? [row.number] : []))
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
  })

  test('what a batch takes away is gone for one that asks after it wrote the same row first', async () => {
    for (let round = 0; round < 50; round++) {
      const id = await makeThing(db)
      const end = db.batch([
        sql`update things set flag = 1 where id = ${id} and flag = 0`,
        sql`delete from children where thing_id = ${id}`,
      ])
      const add = beside.batch([
        sql`update things set at = 1 where id = ${id} and flag = 0`,
        sql`insert into children (id, thing_id) select ${`${id}_child`}, id from things where id = ${id} and flag = 0`,
      ])
      await Promise.all([end, add])
      assert.deepEqual(await db.all(Id, sql`select id from children where thing_id = ${id}`), [])
    }
  })

  test('batches that wait for each other are sorted out', async () => {
    const [a, b] = [await makeThing(db), await makeThing(db)]
    const add = (id: string) => sql`update things set number = coalesce(number, 0) + 1 where id = ${id}`
    const rest = Array.from({ length: 30 }, () => add(a))
    await Promise.all([db.batch([add(a), ...rest, add(b)]), beside.batch([add(b), ...rest, add(a)])])
    assert.equal((await find(db, a))?.number, 62)
    assert.equal((await find(db, b))?.number, 2)
  })
}

function testMigrations(fresh: () => Promise<() => Engine>): void {
  const first = { number: 1, name: 'first', statements: ['create table a (id text primary key, number {int})'] }
  const second = { number: 2, name: 'second', statements: ['alter table a add column label text', `insert into a (id) values ('once')`] }

  test('several that start at once migrate once, step by step', async () => {
    const open = await fresh()
    const dbs = Array.from({ length: 5 }, () => createDb(open()))
    assert.deepEqual(await Promise.all(dbs.map((db) => db.schema())), [0, 0, 0, 0, 0])
    for (const migrations of [[first], [first, second]]) {
      const outcomes = await Promise.all(dbs.map((db) => migrate(db, migrations)))
      const { length } = migrations
      assert.deepEqual(outcomes.map(({ from }) => from).sort(), [length - 1, ...Array(4).fill(length)])
      assert.ok(outcomes.every(({ to }) => to === length))
    }
    const db = dbs[0] ?? assert.fail()
    assert.deepEqual(await db.all(Id, sql`select id from a`), [{ id: 'once' }])
    assert.equal(await db.schema(), 2)
    await Promise.all(dbs.map((each) => each.close()))
  })

  test('a schema that is newer than the program is refused and left alone', async () => {
    const db = createDb((await fresh())())
    await migrate(db, [first, second])
    await assert.rejects(migrate(db, [first]), SchemaTooNew)
    assert.equal(await db.schema(), 2)
    await db.close()
  })

  test('a migration that fails leaves nothing behind', async () => {
    const db = createDb((await fresh())())
    await migrate(db, [first])
    await assert.rejects(migrate(db, [first, second, { number: 3, name: 'broken', statements: ['alter table none add column x text'] }]))
    assert.equal(await db.schema(), 1)
    await assert.rejects(db.all(Id, sql`select label from a`))
    await db.close()
  })

  test('the migrations of this service run', async () => {
    const db = createDb((await fresh())())
    const { to } = await migrate(db)
    assert.equal(to, readMigrations().length)
    assert.deepEqual(await migrate(db), { from: to, to })
    await db.close()
  })
}

function testEnding(open: () => Engine): void {
  test('what is under way when the database is closed is answered, and what comes later is refused', async () => {
    const db = createDb(open())
    const made = Array.from({ length: 50 }, () => makeThing(db))
    const closing = db.close()
    await Promise.all(made)
    await closing
    await assert.rejects(makeThing(db), DatabaseUnavailable)
    await assert.rejects(find(db, 'any'), DatabaseUnavailable)
    assert.equal(await db.ping(), false)
    await db.close()
  })
}
