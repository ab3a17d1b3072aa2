/** Loaded by programs that tests start: the names in their environment lead to this machine; see `environmentOfPrograms`. */
import { leadHere } from './names.ts'

leadHere(...JSON.parse(process.env.OSTIARY_TEST_NAMES ?? '[]'))
