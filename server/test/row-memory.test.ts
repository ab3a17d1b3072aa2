/** What a process remembers of rows is never older than a write that was answered, whichever of two processes made it. */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { createDb } from '../src/db/db.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { memory_folder } from './support/memory-folder.ts'
import { empty, type Model, type Read, readFrom, type Step, tables, takeStep, type Write, written } from './support/row-steps.ts'

const folder = mkdtempSync(join(memory_folder ?? tmpdir(), 'ostiary-row-memory-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const interleavings = 10_000

type Side = 'service' | 'command'

const id = fc.integer({ min: 1, max: 3 })
const side = fc.constantFrom<Side>('service', 'command')
const read = fc.record<Read>({ read: fc.constantFrom('one', 'joined', 'sum'), id })
const write = fc.record<Write>({
  write: fc.constantFrom('set', 'add', 'delete', 'copy', 'replace', 'with'),
  id,
  n: fc.integer({ min: 0, max: 999 }),
})
/** Steps that begin together: at most one of them writes. */
const round = fc.record({
  writes: fc.option(fc.record({ side, step: write })),
  before: fc.array(fc.record({ side, step: read }), { maxLength: 2 }),
  beside: fc.array(fc.record({ side, step: read }), { minLength: 1, maxLength: 2 }),
})
const interleaving = fc.array(round, { minLength: 2, maxLength: 3 })

/** A command in a process of its own, on the database of a service. */
async function startCommand(path: string) {
  const child = fork(join(import.meta.dirname, 'support/row-process.ts'), [path], { execArgv: ['--disable-warning=ExperimentalWarning'] })
  after(() => child.kill())
  const waiting = new Map<number, (found: number | null) => void>()
  let last = 0
  const answer = (number: number) => new Promise<number | null>((resolve) => void waiting.set(number, resolve))
  const ready = answer(0)
  child.on('message', ({ number, found }: { number: number; found: number | null }) => waiting.get(number)?.(found))
  await ready
  return (step: Step) => {
    last += 1
    const found = answer(last)
    child.send({ number: last, step })
    return found
  }
}

test(`after ${interleavings} random interleavings no read of two processes was older than an answered write`, async (t) => {
  const path = join(folder, 'rows.db')
  const service = createDb(openSqlite(path, { serves: true }))
  after(() => service.close())
  await service.migrate([tables])
  const command = await startCommand(path)
  const take = ({ side, step }: { side: Side; step: Step }) => (side === 'service' ? takeStep(service, step) : command(step))

  const seed = Date.now()
  t.diagnostic(`seed ${seed}`)
  let model: Model = empty
  let reads = 0
  for (const rounds of fc.sample(interleaving, { seed, numRuns: interleavings }))
    for (const { before, writes, beside } of rounds) {
      const known = model
      const next = writes ? written(model, writes.step) : model
      const asked = before.map((each) => ({ ...each, found: take(each) }))
      const done = writes ? take(writes) : null
      asked.push(...beside.map((each) => ({ ...each, found: take(each) })))
      for (const { side, step, found } of asked) {
        const right = [readFrom(known, step), readFrom(next, step)]
        const was = await found
        assert.ok(
          right.includes(was),
          `${side} read ${was} for ${JSON.stringify(step)}, not ${right.join(' or ')} beside ${JSON.stringify(writes)}`,
        )
        reads += 1
      }
      await done
      model = next
    }
  t.diagnostic(`${reads} reads`)
})
