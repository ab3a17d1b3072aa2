import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLane } from './lane.ts'

test('in a lane one piece of work goes on at a time, in the order of arrival', async () => {
  const enter = createLane()
  const happened: string[] = []
  const work = async (name: string) => {
    const leave = await enter()
    happened.push(`${name} begins`)
    await nextTurn()
    happened.push(`${name} ends`)
    leave()
  }
  await Promise.all([work('a'), work('b')])
  await work('c')
  assert.deepEqual(happened, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})
