import assert from 'node:assert/strict'
import { doing, isEmpty, onEachEngine, until } from '../../../test/support/queue.ts'
import { sql } from '../../db/db.ts'
import { enqueue, type Job } from './queue.ts'
import type { Outcome } from './runner.ts'

onEachEngine('a job that this process enqueues runs at once', async ({ run, put, db }) => {
  const done = Promise.withResolvers<Job>()
  run({ run: doing((job) => done.resolve(job)) })
  await put('j', 'lane', { a: 1 })
  assert.deepEqual((await done.promise).payload, { a: 1 })
  await until(() => isEmpty(db))
})

onEachEngine('a job that another process enqueued is found by polling', async ({ run, put, db }) => {
  await put('j')
  run({ run: async () => 'done' })
  await until(() => isEmpty(db))
})

onEachEngine('a failed job is retried by its schedule, then given up', async ({ run, put, db, rows, advance, lines, now }) => {
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
  await until(async () => lines.length === 2) // the log follows the commit
  assert.deepEqual(lines, ['An attempt at a job failed with an internal error.', 'A job was given up.'])
})

// biome-ignore format: this table is read by line
const outcomes: { rule: string; outcome: Outcome; delay_seconds: number | null }[] = [
  { rule: 'an attempt can give up its job', outcome: 'give_up', delay_seconds: null },
  { rule: 'the receiver can ask for a longer delay', outcome: { retry_after_seconds: 90 }, delay_seconds: 90 },
]
for (const { rule, outcome, delay_seconds } of outcomes) {
  onEachEngine(rule, async ({ run, put, rows, now }) => {
    const tried = Promise.withResolvers<void>()
    run({ run: doing(() => tried.resolve(), outcome) })
    await put('j')
    await tried.promise
    await until(async () => (await rows()).every((row) => row.leased_by === null && row.attempts === 1))
    const waits = (await rows()).map((row) => (row.due_at.getTime() - now().getTime()) / 1000)
    assert.deepEqual(waits, delay_seconds === null ? [] : [delay_seconds])
  })
}

onEachEngine(
  'a job that is enqueued again during its last attempt begins again and is not given up',
  async ({ run, put, db, advance, lines }) => {
    const attempts: number[] = []
    run({
      run: async ({ attempts: attempt }) => {
        attempts.push(attempt)
        if (attempts.length > 1) return 'done'
        advance(1)
        await put('j')
        return 'give_up'
      },
      givenUp: ({ id }, now) => [enqueue({ id: `after ${id}`, kind: 'webhook_retry', lane: 'a', environment_id: null, payload: {} }, now)],
    })
    await put('j')
    await until(async () => attempts.length === 2)
    await until(() => isEmpty(db))
    assert.deepEqual([attempts, lines], [[1, 1], []])
  },
)

onEachEngine('a job is given up when its process died at every attempt', async ({ run, put, take, advance, db, lines }) => {
  await put('j')
  for (let i = 0; i < 3; i++) {
    assert.equal((await take('dead')).length, 1)
    advance(61)
  }
  run({ run: async () => assert.fail('The job ran again.') })
  await until(() => isEmpty(db))
  await until(async () => lines.length === 1)
  assert.deepEqual(lines, ['A job was given up.'])
})

onEachEngine('a lane that does not answer delays no other lane and holds no more than its share', async ({ run, put, db }) => {
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

onEachEngine('two processes run every job once', async ({ run, put, db }) => {
  const done: string[] = []
  for (let i = 0; i < 40; i++) await put(`j${i}`, `lane${i}`)
  for (let i = 0; i < 2; i++) run({ run: doing(({ id }) => done.push(id)) })
  await until(() => isEmpty(db))
  assert.deepEqual([done.length, new Set(done).size], [40, 40])
})

onEachEngine('jobs in order run one at a time within a lane, across processes', async ({ run, put, db }) => {
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

onEachEngine('an outcome is written together with the removal of its job, or not at all', async ({ run, put, db, now, rows, lines }) => {
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

onEachEngine('lanes of jobs in order take turns when there are more lanes than call slots', async ({ run, put, db, advance }) => {
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
  onEachEngine(`stop waits for attempts in flight and claims no more jobs${in_order ? ', in order' : ''}`, async ({ run, put, rows }) => {
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

onEachEngine('stop returns unfinished jobs to the queue at its time limit and ignores their outcome', async ({ run, put, take, rows }) => {
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
