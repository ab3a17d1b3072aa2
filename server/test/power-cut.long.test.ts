/** Many power cuts; see `power-cut.test.ts`. */
import { testPowerCuts } from './support/disk/power-tests.ts'

await testPowerCuts({ answers: 4_000, cuts: 500, services: 12 })
