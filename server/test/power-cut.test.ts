/**
 * The power fails, and the disk holds any part of what was not synced. Everything that a client got an answer to is stored then, and
 * everything that another client read before. `support/disk/` says how; `power-cut.long.test.ts` cuts more often.
 */
import { testPowerCuts } from './support/disk/power-tests.ts'

await testPowerCuts({ answers: 240, cuts: 30, services: 1 })
