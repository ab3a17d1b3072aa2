import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isGivenUp, nextAttemptAt } from './schedule.ts'

const now = new Date('2026-11-20T12:00:00.000Z')
const seconds = (at: Date | null) => at && (at.getTime() - now.getTime()) / 1000

const schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
for (const [i, wait] of schedule.entries()) {
  test(`attempt ${i + 1} is followed after ${wait} s, give or take a fifth`, () => {
    assert.equal(seconds(nextAttemptAt(i + 1, undefined, 0.5, now)), wait)
    assert.equal(seconds(nextAttemptAt(i + 1, undefined, 0, now)), wait * 0.8)
    assert.equal(seconds(nextAttemptAt(i + 1, undefined, 1, now)), wait * 1.2)
  })
}

test('the tenth attempt is the last', () => assert.equal(nextAttemptAt(10, undefined, 0.5, now), null))

const waits = [
  { why: 'seconds are the least wait', header: '60', wait: 60 },
  { why: 'fewer seconds than the schedule change nothing', header: '1', wait: 5 },
  { why: 'a date is the least wait', header: 'Fri, 20 Nov 2026 12:10:00 GMT', wait: 600 },
  { why: 'a date that is past changes nothing', header: 'Fri, 20 Nov 2026 11:00:00 GMT', wait: 5 },
  { why: 'a day is the most', header: '999999', wait: 86_400 },
  { why: 'nonsense changes nothing', header: 'soon', wait: 5 },
]
for (const { why, header, wait } of waits) {
  test(`Retry-After: ${why}`, () => assert.equal(seconds(nextAttemptAt(1, header, 0.5, now)), wait))
}

test('a webhook is given up after five days without a success', () => {
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
  assert.equal(isGivenUp(null, now), false)
  assert.equal(isGivenUp(ago(4.99), now), false)
  assert.equal(isGivenUp(ago(5), now), true)
})
