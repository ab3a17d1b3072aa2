/** What people may do counts at once, at every process and under load; see `support/present-rights.ts`, and the long test for more of it. */
import { testPresentRights } from './support/present-rights.ts'

await testPresentRights({ rounds: 1, calls: 2, gifts: 5 })
