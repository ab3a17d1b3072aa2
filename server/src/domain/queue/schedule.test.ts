import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryDelay } from './schedule.ts'

const schedule = [5, 300]

// biome-ignore format: this table is read by column
const delays: { rule: string; attempt: number; chance: number; at_least?: number; ms: number | null }[] = [
  { rule: 'the first retry waits for the first delay of the schedule',  attempt: 1, chance: 0.5, ms: 5_000 },
  { rule: 'the delay is at most 20 % shorter',                          attempt: 1, chance: 0, ms: 4_000 },
  { rule: 'the delay is at most 20 % longer',                           attempt: 1, chance: 1, ms: 6_000 },
  { rule: 'the second retry waits for the second delay',                attempt: 2, chance: 0.5, ms: 300_000 },
  { rule: 'there is no retry after the last delay',                     attempt: 3, chance: 0.5, ms: null },
  { rule: 'the receiver can ask for a longer delay',                    attempt: 1, chance: 0, at_least: 60, ms: 60_000 },
  { rule: 'the receiver cannot shorten the delay',                      attempt: 2, chance: 0, at_least: 60, ms: 240_000 },
  { rule: 'the receiver cannot ask for more attempts',                  attempt: 3, chance: 0, at_least: 60, ms: null },
]
for (const { rule, attempt, chance, at_least, ms } of delays) {
  test(`retries: ${rule}`, () => assert.equal(retryDelay(schedule, attempt, chance, at_least), ms))
}
