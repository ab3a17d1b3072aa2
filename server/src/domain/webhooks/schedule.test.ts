import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasFailedTooLong, nextAttemptAt } from './schedule.ts'

const now = new Date('2026-11-20T12:00:00.000Z')
const seconds = (at: Date | null) => at && (at.getTime() - now.getTime()) / 1000

const schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
for (const [i, wait] of schedule.entries()) {
  test(`the attempt after failure ${i + 1} is due after ${wait} s, plus or minus 20 %`, () => {
    assert.equal(seconds(nextAttemptAt(i + 1, undefined, 0.5, now)), wait)
    assert.equal(seconds(nextAttemptAt(i + 1, undefined, 0, now)), wait * 0.8)
    assert.equal(seconds(nextAttemptAt(i + 1, undefined, 1, now)), wait * 1.2)
  })
}

test('no attempt follows the tenth', () => assert.equal(nextAttemptAt(10, undefined, 0.5, now), null))

const waits = [
  { why: 'a number of seconds is the minimum delay', header: '60', wait: 60 },
  { why: 'fewer seconds than the schedule are ignored', header: '1', wait: 5 },
  { why: 'a date is the earliest next attempt', header: 'Fri, 20 Nov 2026 12:10:00 GMT', wait: 600 },
  { why: 'a date in the past is ignored', header: 'Fri, 20 Nov 2026 11:00:00 GMT', wait: 5 },
  { why: 'the delay is at most one day', header: '999999', wait: 86_400 },
  { why: 'a malformed value is ignored', header: 'soon', wait: 5 },
]
for (const { why, header, wait } of waits) {
  test(`Retry-After: ${why}`, () => assert.equal(seconds(nextAttemptAt(1, header, 0.5, now)), wait))
}

test('a webhook is disabled after five days without a success', () => {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
  assert.equal(hasFailedTooLong(null, now), false)
  assert.equal(hasFailedTooLong(daysAgo(4.99), now), false)
  assert.equal(hasFailedTooLong(daysAgo(5), now), true)
})
