import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKnown } from './if-none-match.ts'

// biome-ignore format: this table is read by column
const cases: [header: string | undefined, is_known: boolean][] = [
  [undefined,          false],
  ['',                 false],
  ['"a"',              true],
  ['W/"a"',            true],
  ['"b"',              false],
  ['"b", "a"',         true],
  ['"b" ,W/"a" , "c"', true],
  ['*',                true],
  ['a',                false],
  ['"A"',              false],
]
for (const [header, is_known] of cases)
  test(`If-None-Match: ${header ?? '(none)'} ${is_known ? 'is' : 'is not'} known`, () => assert.equal(isKnown(header, '"a"'), is_known))
