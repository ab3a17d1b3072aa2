import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasName, nameProblem } from './sign-up.ts'

type Problem = ReturnType<typeof nameProblem>

// biome-ignore format: this table is read by column
const names: [what: string, name: string, off: Problem, optional: Problem, required: Problem][] = [
  ['nothing',                                '',                      null,          null,          'missing'],
  ['a name',                                 'Ada Example',           null,          null,          null],
  ['a name with a joiner that its script needs', 'نگار\u200cین',      null,          null,          null],
  ['100 characters',                         'x'.repeat(100),         null,          null,          null],
  ['100 characters beyond 16 bits',          '\u{1f600}'.repeat(100), null,          null,          null],
  ['101 characters',                         'x'.repeat(101),         null,          'not_allowed', 'not_allowed'],
  ['201 characters',                         'x'.repeat(201),         'not_allowed', 'not_allowed', 'not_allowed'],
  ['a zero-width space',                     '\u200b',                'not_allowed', 'not_allowed', 'not_allowed'],
  ['a letter that is not seen',              '\u3164',                'not_allowed', 'not_allowed', 'not_allowed'],
  ['a pattern of braille without dots',      '\u2800',                'not_allowed', 'not_allowed', 'not_allowed'],
  ['a control character',                    'Ada\u0007',             'not_allowed', 'not_allowed', 'not_allowed'],
  ['a sign that turns the direction',        'Ada\u202e',             'not_allowed', 'not_allowed', 'not_allowed'],
]
for (const [what, name, ...problems] of names)
  test(`${what} as a name is ${problems.map((problem) => problem ?? 'taken').join(', ')} where names are off, optional, required`, () =>
    assert.deepEqual(
      (['off', 'optional', 'required'] as const).map((asked) => nameProblem(name, asked)),
      problems,
    ))

test('a person whose name cannot be seen has none', () =>
  assert.deepEqual([null, '', ' ', '\u200b', 'A'].map(hasName), [false, false, false, false, true]))
