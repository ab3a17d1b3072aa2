import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryDelay } from './schedule.ts'

const schedule = [5, 300]

// biome-ignore format: this table is read by column
const delays: { rule: string; attempt: number; chance: number; at_least?: number; ms: number | null }[] = [
  { rule: 'the first failure waits for the first time of the schedule',  attempt: 1, chance: 0.5, ms: 5_000 },
  { rule: 'a fifth less at most',                                        attempt: 1, chance: 0, ms: 4_000 },
  { rule: 'a fifth more at most',                                        attempt: 1, chance: 1, ms: 6_000 },
  { rule: 'the second failure waits for the second time',                attempt: 2, chance: 0.5, ms: 300_000 },
  { rule: 'after the last time there is none',                           attempt: 3, chance: 0.5, ms: null },
  { rule: 'the other side may ask for a longer wait',                    attempt: 1, chance: 0, at_least: 60, ms: 60_000 },
  { rule: 'the other side may not shorten it',                           attempt: 2, chance: 0, at_least: 60, ms: 240_000 },
  { rule: 'the other side may not ask for more attempts',                attempt: 3, chance: 0, at_least: 60, ms: null },
]
for (const { rule, attempt, chance, at_least, ms } of delays) {
  test(`of retries: ${rule}`, () => assert.equal(retryDelay(schedule, attempt, chance, at_least), ms))
}
