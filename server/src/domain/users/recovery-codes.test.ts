import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newRecoveryCodes, recoveryKey } from './recovery-codes.ts'

test('a set has ten different codes of 60 bits, in groups of four characters', () => {
  const codes = newRecoveryCodes(randomBytes)
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){2}$/)
})

test('every character of a code depends on its own byte, and all 32 occur', () => {
  let calls = 0
  const [first = '', second] = newRecoveryCodes((bytes) => Buffer.alloc(bytes, calls++))
  assert.equal(first, '0000-0000-0000')
  assert.equal(second, '1111-1111-1111')
  calls = 0
  const seen = new Set(
    Array.from({ length: 40 }, () => newRecoveryCodes((bytes) => Buffer.alloc(bytes, calls++)))
      .flat()
      .map((code) => code[0]),
  )
  assert.equal(seen.size, 32)
})

test('a code that is drawn twice is in the set once', () => {
  let calls = 0
  assert.equal(new Set(newRecoveryCodes((bytes) => Buffer.alloc(bytes, Math.floor(calls++ / 2)))).size, 10)
})

const typed: [text: string, key: string | null][] = [
  ['7k2m-04xw-9tqd', '7k2m04xw9tqd'],
  ['7K2M 04XW 9TQD', '7k2m04xw9tqd'],
  [' 7k2m04xw9tqd\n', '7k2m04xw9tqd'],
  ['7k2m–o4xw—9tqd', '7k2m04xw9tqd'],
  ['il00-0000-0000', '110000000000'],
  ['', null],
  ['7k2m-04xw-9tq', null],
  ['7k2m-04xw-9tqdd', null],
  ['7k2m-04xw-9tqu', null],
  ['1'.repeat(101), null],
]
for (const [text, key] of typed) test(`${JSON.stringify(text)} is typed for ${key}`, () => assert.equal(recoveryKey(text), key))
