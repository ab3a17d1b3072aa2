import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endReport } from './test-report.ts'
import type { Line } from './test-reporter.ts'

const counts = (passed: number, failed = 0, skipped = 0): Line => ({
  kind: 'counts',
  passed,
  failed,
  skipped,
})
const file = (name: string, seconds: number): Line => ({ kind: 'file', file: name, ms: seconds * 1000 })

test('the report shows totals per part, the slowest files, each skip with its reason, what failed and the total', () => {
  const skipped = (name: string, reason: string): Line => ({ kind: 'skipped', file: name, title: 't', reason })
  const embedded = [
    file('a.test.ts', 61),
    file('b.test.ts', 2),
    skipped('a.test.ts', 'no Redis'),
    skipped('b.test.ts', 'no Redis'),
    skipped('b.test.ts', ''),
    counts(1200, 0, 3),
  ]
  const again = [file('a.test.ts', 70), { kind: 'failed', file: 'a.test.ts', title: 'a code works once' } as const, counts(9, 1)]
  const report = endReport(
    [
      { name: 'embedded database', ms: 63_000, lines: embedded },
      { name: 'PostgreSQL', ms: 70_000, lines: again },
    ],
    ['one note'],
  )
  assert.equal(
    report,
    `Parts
  embedded database  2 files  1200 passed  0 failed  3 skipped  1 min 03 s
  PostgreSQL         1 files  9 passed     1 failed  0 skipped  1 min 10 s

Slowest files
  1 min 10 s  a.test.ts  PostgreSQL
  1 min 01 s  a.test.ts  embedded database
  2 s         b.test.ts  embedded database

Skipped
  2 × no Redis: a.test.ts, b.test.ts
  1 × no reason given: b.test.ts

Failed
  a.test.ts (PostgreSQL): a code works once

Notes
  one note

1209 passed, 1 failed, 3 skipped`,
  )
})

test('the report of many files, skips and failures is one screen', () => {
  const many = (n: number) => Array.from({ length: n }, (_, index) => `f${index}.test.ts`)
  const lines = [
    ...many(300).map((name) => file(name, 1)),
    ...many(300).map((name): Line => ({ kind: 'skipped', file: name, title: 't', reason: 'no browser' })),
    ...many(300).map((name): Line => ({ kind: 'failed', file: name, title: 't' })),
    counts(1, 300, 300),
  ]
  assert.ok(endReport([{ name: 'embedded database', ms: 1, lines }], []).split('\n').length < 50)
})
