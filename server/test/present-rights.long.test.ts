/** Many changes of what people may do: 10,080 calls on each engine that begin after one, and 1,000 gifts; see `present-rights.test.ts`. */
import { testPresentRights } from './support/present-rights.ts'

await testPresentRights({ rounds: 9, calls: 7, gifts: 250 })
