import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, type RecordedBatch } from './recorded.ts'
import { chooseAgain } from './second-engine.ts'

const common = 'update environments set a = ?'
const sent = (file: string, text: string, is_refused = false): RecordedBatch => ({
  file,
  engine: 'sqlite',
  owner: 'many',
  is_refused,
  statements: [parse(text, true)],
})

test('a file runs again where it tests races, and where it alone sends a statement or has a batch refused, of two the quicker one', () => {
  const sources: Record<string, string> = {
    'races-codes.test.ts': '',
    'parallel.test.ts': "test('of 50 parallel uses of a code one succeeds', …",
    'refused.test.ts': '',
    'refused-too.test.ts': '',
    'first.test.ts': "test('one page after another', …",
    'second.test.ts': 'await Promise.all(pages)',
    'silent.test.ts': '',
  }
  const files = Object.keys(sources)
  const batches = [
    ...files.filter((file) => file !== 'silent.test.ts').flatMap((file) => [sent(file, common), sent(file, common, true)]),
    sent('races-codes.test.ts', 'delete from codes'),
    sent('races-codes.test.ts', 'delete from users'),
    sent('refused.test.ts', 'delete from users', true),
    sent('refused-too.test.ts', 'delete from users', true),
    sent('first.test.ts', 'select a from pages'),
    sent('second.test.ts', 'select a from pages'),
    sent('second.test.ts', 'delete from codes'),
  ]
  const slow = ['first.test.ts', 'refused.test.ts']
  assert.deepEqual(
    chooseAgain(
      files,
      batches,
      (file) => sources[file] ?? '',
      (file) => (slow.includes(file) ? 2_000 : 1_000),
    ),
    new Map([
      ['races-codes.test.ts', 'races, crashes or migrations'],
      ['parallel.test.ts', 'races, crashes or migrations'],
      ['silent.test.ts', 'nothing is recorded of it'],
      ['refused-too.test.ts', 'a batch that a guard refuses in no other file'],
      ['second.test.ts', 'a statement that no other file sends'],
    ]),
  )
})
