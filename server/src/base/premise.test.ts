import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confirmation, onPremise, withoutPremise } from './premise.ts'

const failing = () => Promise.reject(new Error('of the work'))
const unknown = () => Promise.reject(new Error('of the premise'))
const holds = async () => true
const is_false = async () => false

const outcomes = [
  { premise: 'holds', ask: holds, work: async () => 'a result', outcome: { result: 'a result' } },
  { premise: 'holds', ask: holds, work: failing, outcome: 'of the work' },
  { premise: 'is false', ask: is_false, work: async () => 'a result', outcome: null },
  { premise: 'is false', ask: is_false, work: failing, outcome: null },
  { premise: 'cannot be asked', ask: unknown, work: async () => 'a result', outcome: 'of the premise' },
  { premise: 'cannot be asked', ask: unknown, work: failing, outcome: 'of the premise' },
]
for (const { premise, ask, work, outcome } of outcomes)
  for (const waits of [false, true])
    test(`${waits ? 'waiting ' : ''}work${work === failing ? ' that fails' : ''} where the premise ${premise}: ${JSON.stringify(outcome)}`, async () => {
      const done = onPremise(ask, async () => {
        if (waits) await confirmation()
        return work()
      })
      assert.deepEqual(await done.catch((error) => error.message), outcome)
    })

test('a premise that is false ends work that goes on, whatever it does with the error', async () => {
  const done = onPremise(is_false, async () => {
    await confirmation()?.catch(() => {})
    await assert.rejects(async () => confirmation(), { name: 'Outdated' })
    return 'a result'
  })
  assert.equal(await done, null)
})

test('a premise is asked once, and nothing waits for it afterwards', async () => {
  let asked = 0
  const ask = async () => {
    asked += 1
    return true
  }
  await onPremise(ask, async () => {
    await Promise.all([confirmation(), confirmation()])
    assert.equal(confirmation(), null)
  })
  assert.equal(asked, 1)
})

test('neither the question, nor what is shared, nor other work waits for a premise', async () => {
  assert.equal(confirmation(), null)
  const ask = async () => confirmation() === null
  const done = await onPremise(ask, async () => withoutPremise(() => confirmation()))
  assert.deepEqual(done, { result: null })
  assert.equal(confirmation(), null)
})
