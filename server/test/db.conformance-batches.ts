/** A batch happens whole or not at all, once, whoever else is at it, on every engine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Db, decides, sql } from '../src/db/db.ts'
import { find, Id, makeThing, Number_, newId } from './db.conformance-things.ts'

export function testBatches(db: Db, beside: Db): void {
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
    const fails = db.batchLater([sql`insert into things (id) values (${id})`]) // one of the two
    await db.run(sql`insert into things (id) values (${newId()})`)
    const outcomes = await Promise.allSettled([ask(), fails()])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
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
