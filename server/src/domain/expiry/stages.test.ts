import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day_ms } from '../../base/durations.ts'
import { type Stage, stageOf } from './stages.ts'

const now = new Date('2026-11-30T12:00:00.000Z')

// biome-ignore format: this table is read by column
const cases: { rule: string; left_ms: number; stage: Stage | null }[] = [
  { rule: 'more than 30 days',              left_ms: 30 * day_ms + 1, stage: null },
  { rule: '30 days',                        left_ms: 30 * day_ms,     stage: 30 },
  { rule: 'a moment more than 7 days',      left_ms: 7 * day_ms + 1,  stage: 30 },
  { rule: '7 days',                         left_ms: 7 * day_ms,      stage: 7 },
  { rule: 'a moment more than a day',       left_ms: day_ms + 1,      stage: 7 },
  { rule: 'a day',                          left_ms: day_ms,          stage: 1 },
  { rule: 'a millisecond',                  left_ms: 1,               stage: 1 },
  { rule: 'nothing',                        left_ms: 0,               stage: null },
  { rule: 'nothing since yesterday',        left_ms: -day_ms,         stage: null },
]
for (const { rule, left_ms, stage } of cases)
  test(`what has ${rule} left is ${stage === null ? 'in no stage' : `in the stage of ${stage}`}`, () =>
    assert.equal(stageOf(new Date(now.getTime() + left_ms), now), stage))
