/** Generated pairs of environments: the warnings of a plan count the people who gain and lose a permission by it. `access-warnings-pairs.long.test.ts` has more. */
import { test } from 'node:test'
import { comparePairs } from '../support/access-plans.ts'
import { world } from '../support/world.ts'

const w = await world()

test('40 pairs of environments: the warnings are what people can do before and after the plan', async () => {
  await comparePairs(w, 40, 20_261_129)
})
