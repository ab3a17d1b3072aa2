/** Many changes of what people may do: over 10,080 calls on each engine that begin after one, and 1,000 gifts; see `present-rights.test.ts`. */
import { testPresentRights } from './support/present-rights.ts'

await testPresentRights({ rounds: 5, calls: 5, gifts: 250 })
