/** Batches on every engine: atomic, and decided by their guards also in parallel. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Db, guard, requires, sql } from '../../src/db/db.ts'
import { find, Id, makeThing, Number_, newId } from './db.conformance-things.ts'

export function testBatches(db: Db, beside: Db): void {
  test('a batch with a failing statement changes nothing, and parallel batches succeed', async () => {
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

  const failing_guards = [
    {
      why: 'its update changes no row',
      statement: (id: string) => guard(sql`update things set number = 1 where id = ${id} and number = 7`),
    },
    { why: 'its delete removes no row', statement: () => guard(sql`delete from things where id = 'nothing'`) },
    {
      why: 'its insert meets a conflict',
      statement: (id: string) => guard(sql`insert into things (id) values (${id}) on conflict (id) do nothing`),
    },
    {
      why: 'it changes one row and must change two',
      statement: (id: string) => guard(sql`update things set number = 1 where id = ${id}`, 2),
    },
    {
      why: 'it changes one row and must change none',
      statement: (id: string) => guard(sql`update things set number = 1 where id = ${id}`, 0),
    },
    {
      why: 'its condition does not hold',
      statement: (id: string) => requires(sql`exists (select 1 from things where id = ${id} and number = 7)`),
    },
    {
      why: 'it changes two rows and must change one',
      statement: (id: string) => guard(sql`update things set number = 1 where id in (${id}, 'beside')`),
    },
  ]
  for (const { why, statement } of failing_guards) {
    test(`a batch with a guard is undone when ${why}`, async () => {
      const id = await makeThing(db)
      await db.run(sql`insert into things (id) values ('beside') on conflict (id) do nothing`)
      const before = sql`update things set number = 5 where id = ${id}`
      const after = sql`insert into things (id) values (${`after ${id}`})`
      assert.equal(await db.batch([before, statement(id), after]), null)
      assert.equal((await find(db, id))?.number, null)
      assert.equal(await find(db, `after ${id}`), null)
      assert.equal(await db.run(statement(id)), 0)
      assert.equal((await find(db, id))?.number, null)
    })
  }

  test('a batch happens when all of its guards hold', async () => {
    const [a, b] = [await makeThing(db), await makeThing(db)]
    const both = guard(sql`update things set number = 2 where id in (${a}, ${b})`, 2)
    const asked = requires(sql`(select count(*) from things where number = 2 and id in (${a}, ${b})) = ${2}`)
    assert.ok(await db.batch([both, asked, guard(sql`update things set label = ${a} where id = ${a} and number = 2`)]))
    assert.equal((await find(db, a))?.label, a)
  })

  test('of 30 parallel batches that guard the same version, one happens with all its statements', async () => {
    const id = await makeThing(db)
    await db.run(sql`update things set number = 1 where id = ${id}`)
    const attempts = Array.from({ length: 30 }, (_, i) => `${id} ${i}`)
    const outcomes = await Promise.all(
      attempts.map((attempt, i) =>
        (i % 2 === 0 ? db : beside).batch([
          guard(sql`update things set number = number + 1 where id = ${id} and number = 1`),
          sql`insert into things (id) values (${attempt})`,
        ]),
      ),
    )
    assert.equal(outcomes.filter((outcome) => outcome !== null).length, 1)
    const made = await db.all(Id, sql`select id from things where id like ${`${id} %`}`)
    assert.deepEqual(
      made.map((thing) => thing.id),
      attempts.filter((_, i) => outcomes[i] !== null),
    )
  })

  test('a statement whose first execution fails can be used again', async () => {
    const id = newId()
    const insert = (thing_id: string) => sql`insert into children (id, thing_id) select ${`child_of_${id}`}, ${thing_id}`
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => db.run(insert('none'))))
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    await db.run(sql`insert into things (id) values (${id})`)
    assert.equal(await db.run(insert(id)), 1)
  })

  test('a statement sees the earlier statements of its batch, and every connection sees the batch in its next read', async () => {
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

  test('an empty batch does nothing, and a batch can hold one text many times', async () => {
    assert.deepEqual(await db.batch([]), [])
    const made = await Promise.all(Array.from({ length: 200 }, () => makeThing(db)))
    const results = await db.batch(made.map((id, i) => sql`update things set number = ${i} where id = ${id}`))
    assert.ok(results?.every(({ changed }) => changed === 1))
    assert.equal((await find(db, made[150] ?? ''))?.number, 150)
  })

  test('batchLater has written when its result is awaited, and of 50 with the same guard one happens', async () => {
    const id = await makeThing(db)
    const asked = Array.from({ length: 50 }, (_, i) =>
      (i % 2 ? db : beside).batchLater([
        guard(sql`update things set label = ${`${id} by ${i}`} where id = ${id} and label is null`),
        sql`update things set number = coalesce(number, 0) + 1 where id = ${id}`,
      ]),
    )
    const outcomes = await Promise.all(asked.map((ask) => ask()))
    assert.equal(outcomes.filter((outcome) => outcome !== null).length, 1)
    assert.equal((await find(beside, id))?.number, 1)
  })

  test('batchLater writes with the next batch at the latest, and the function it returns rejects when it failed', async () => {
    const id = newId()
    const ask = db.batchLater([sql`insert into things (id) values (${id})`])
    const fails = db.batchLater([sql`insert into things (id) values (${id})`]) // the same id: one of the two fails
    await db.run(sql`insert into things (id) values (${newId()})`)
    const outcomes = await Promise.allSettled([ask(), fails()])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.ok(await find(beside, id))
  })

  test('of 50 parallel batches with the same guard one happens', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await makeThing(db)
      const take = (attempt: string, by: Db) =>
        by.batch([
          guard(sql`update things set label = ${attempt} where id = ${id} and label is null`),
          sql`insert into children (id, thing_id) values (${attempt}, ${id})`,
        ])
      const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => take(`${id}_by_${i}`, i % 2 ? db : beside)))
      assert.equal(outcomes.filter((outcome) => outcome !== null).length, 1)
      assert.equal((await db.all(Id, sql`select id from children where thing_id = ${id}`)).length, 1)
    }
  })

  test('of 50 parallel inserts of one key one takes effect', async () => {
    const id = newId()
    const insert = (by: Db) => by.run(sql`insert into things (id) values (${id}) on conflict (id) do nothing`)
    const changed = await Promise.all(Array.from({ length: 50 }, (_, i) => insert(i % 2 ? db : beside)))
    assert.equal(changed.filter((count) => count === 1).length, 1)
  })

  test('a counter with a limit admits exactly the limit', async () => {
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

  test('of two batches that first write the same row, the later one sees what the earlier one did', async () => {
    for (let round = 0; round < 50; round++) {
      const id = await makeThing(db)
      const end = db.batch([
        guard(sql`update things set flag = 1 where id = ${id} and flag = 0`),
        sql`delete from children where thing_id = ${id}`,
      ])
      const add = beside.batch([
        guard(sql`update things set at = 1 where id = ${id} and flag = 0`),
        sql`insert into children (id, thing_id) values (${`${id}_child`}, ${id})`,
      ])
      await Promise.all([end, add])
      assert.deepEqual(await db.all(Id, sql`select id from children where thing_id = ${id}`), [])
    }
  })

  test('batches that deadlock are repeated until both succeed', async () => {
    const [a, b] = [await makeThing(db), await makeThing(db)]
    const add = (id: string) => sql`update things set number = coalesce(number, 0) + 1 where id = ${id}`
    const rest = Array.from({ length: 30 }, () => add(a))
    await Promise.all([db.batch([add(a), ...rest, add(b)]), beside.batch([add(b), ...rest, add(a)])])
    assert.equal((await find(db, a))?.number, 62)
    assert.equal((await find(db, b))?.number, 2)
  })
}
