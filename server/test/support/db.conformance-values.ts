/** Values on every engine: they are read as they were written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { type Db, join, sql } from '../../src/db/db.ts'
import { find, Id, makeThing, Number_, newId } from './db.conformance-things.ts'

export function testValues(db: Db): void {
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
    test(`a text is read as it was written: ${JSON.stringify(label.slice(0, 40))}`, async () => {
      const id = newId()
      await db.run(sql`insert into things (id, label) values (${id}, ${label})`)
      assert.equal((await find(db, id))?.label, label)
      assert.deepEqual(await db.maybeOne(Id, sql`select id from things where label = ${label}`), { id })
      await db.run(sql`update things set label = ${null} where id = ${id}`)
    })
  }

  for (const label of ['a\0b', 'a\ud800b']) {
    test(`a text that no database stores unchanged is refused: ${JSON.stringify(label)}`, async () => {
      const id = await makeThing(db)
      assert.throws(() => sql`update things set label = ${label} where id = ${id}`, TypeError)
      await db.run(sql`delete from things where id = ${id}`)
    })
  }

  for (const number of [0, -1, 2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null]) {
    test(`a number is read as it was written: ${number}`, async () => {
      const id = newId()
      await db.run(sql`insert into things (id, number) values (${id}, ${number})`)
      assert.equal((await find(db, id))?.number, number)
      assert.deepEqual(await db.maybeOne(Number_.extend({ number: z.int().nullable() }), sql`select ${number} + 0 as number`), { number })
    })
  }

  test('reading a number that JavaScript cannot represent fails instead of rounding it', async () => {
    const id = newId()
    await db.run(sql`insert into things (id, number) values (${id}, ${2n ** 53n + 1n})`)
    await assert.rejects(find(db, id), RangeError)
    await db.run(sql`delete from things where id = ${id}`)
  })

  test('a time, a boolean and a document are read as they were written', async () => {
    const id = newId()
    const thing = { id, label: null, number: null, flag: true, at: new Date('2026-11-20T16:31:00.123Z'), document: { a: [1, null, 'ü'] } }
    await db.run(sql`insert into things (id, flag, at, document) values (${id}, ${thing.flag}, ${thing.at}, ${thing.document})`)
    assert.deepEqual(await find(db, id), thing)
  })

  test('a document with the members of a statement is a value', async () => {
    const id = newId()
    const document = { parts: [`'{}') returning 'gotcha' as id --`], values: [] }
    await db.run(sql`insert into things (id, document) values (${id}, ${document})`)
    assert.deepEqual((await find(db, id))?.document, document)
  })

  test('a value can be used wherever SQL allows a value', async () => {
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

  test('a statement can have many values, and lists of any length', async () => {
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

  test('more statement texts than an engine caches still run', async () => {
    const texts = Array.from({ length: 1200 }, (_, i) => ({ parts: [`select ${i % 600} as number`], values: [] }))
    const statements = texts.map((text) => ({ ...sql`select 1`, ...text }))
    const rows = await Promise.all(statements.map((statement) => db.maybeOne(Number_, statement)))
    assert.deepEqual(
      rows.map((row) => row?.number),
      texts.map((_, i) => i % 600),
    )
  })
}
