/** 960 more pairs of environments than `access-warnings-pairs.test.ts`, by `npm run test:long`. */
import { test } from 'node:test'
import { comparePairs } from '../support/access-plans.ts'
import { world } from '../support/world.ts'

const w = await world()

test('960 pairs of environments: the warnings are what people can do before and after the plan', async () => {
  await comparePairs(w, 960, 1_129)
})
