import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applied, failedTests, isKilled, type Mutant, problemOf } from './mutant-list.ts'

const mutant: Mutant = {
  rule: 'A code is used once.',
  file: 'server/src/codes.ts',
  function: 'spend',
  replaces: 'is_live && spent === 0',
  becomes: 'is_live',
  test: 'flows/codes',
  engine: 'sqlite',
}
const source = 'function spend() {\n  return is_live && spent === 0\n}\n'
const other = source.replace('spend', 'findCode')
const tests = ['server/test/flows/codes.test.ts', 'server/test/flows/email-codes.test.ts']

// biome-ignore format: this table is read by column
const judged: [string, Partial<Mutant>, string | null, string | null][] = [
  ['it applies',                        {},                                 source,          null],
  ['its file is formatted in another way', {},                              source.replace('&& ', '&&\n  // unspent\n  '), null],
  ['another function has its words',    {},                                 source + other,  null],
  ['its file is gone',                  {},                                 null,            'server/src/codes.ts does not exist.'],
  ['it names no function',              { function: undefined },            source,          'it names no function.'],
  ['its function is gone',              {},                                 other,           'it has 0 declarations named spend in server/src/codes.ts.'],
  ['its function is there twice',       {},                                 source + source, 'it has 2 declarations named spend in server/src/codes.ts.'],
  ['its words are gone',                { replaces: 'is_open' },            source,          'its words are 0 times a part of spend in server/src/codes.ts.'],
  ['its words are there twice',         {},                                 source.replace('return', 'if (is_live && spent === 0) return'), 'its words are 2 times a part of spend in server/src/codes.ts.'],
  ['its words are a part of an expression', { replaces: 'is_live &&' },     source,          'its words are 0 times a part of spend in server/src/codes.ts.'],
  ['it changes nothing',                { becomes: mutant.replaces },       source,          'it changes nothing.'],
  ['it leaves no program',              { becomes: 'is_live &&' },          source,          'server/src/codes.ts is no longer a program.'],
  ['no test has its words',             { test: 'flows/tokens' },           source,          '"flows/tokens" is in the path of 0 test files.'],
  ['two tests have its words',          { test: 'codes.test' },             source,          '"codes.test" is in the path of 2 test files.'],
]
for (const [when, change, text, problem] of judged)
  test(`a mutant when ${when}: ${problem ?? 'no problem'}`, () => assert.equal(problemOf({ ...mutant, ...change }, text, tests), problem))

// biome-ignore format: this table is read by column
const changes: [what: string, change: Partial<Mutant>, source: string, changed: string][] = [
  ['an expression is replaced',                  {},                                                          source, 'function spend() {\n  return is_live\n}\n'],
  ['a part of a template is replaced',           { replaces: 'and spent = 0', becomes: '' },                  'const spend = () => sql`where is_live = 1\n   and spent = 0`', 'const spend = () => sql`where is_live = 1\n   `'],
  ['an element is removed with its comma',       { replaces: 'hold(id)', becomes: '' },                       'const spend = () => [hold(id), end(id)]', 'const spend = () => [ end(id)]'],
  ['the last element is removed with the comma before it', { replaces: 'end(id)', becomes: '' },              'const spend = () => [hold(id), end(id)]', 'const spend = () => [hold(id)]'],
  ['a row of a table is named by the table and its key', { function: 'limits.code', replaces: '60', becomes: '600' }, 'const limits = { code: { each: 60 }, link: { each: 60 } }', 'const limits = { code: { each: 600 }, link: { each: 60 } }'],
  ['a file of another language has no functions', { file: 'a.sql', function: undefined, replaces: 'not null', becomes: '' }, 'id text not null', 'id text '],
]
for (const [what, change, before, after] of changes) test(what, () => assert.equal(applied({ ...mutant, ...change }, before), after))

const tap = `TAP version 13
# Subtest: a code works
ok 1 - a code works
# Subtest: of 50 uses \\#1 succeeds
    not ok 1 - inner
not ok 2 - of 50 uses \\#1 succeeds
  ---
  error: 'not ok 3 - quoted'
  ...
not ok 4 - later # TODO
`
test('the failed tests of an output in TAP', () => assert.deepEqual(failedTests(tap), ['inner', 'of 50 uses #1 succeeds', 'later']))

// biome-ignore format: this table is read by column
const verdicts: [string, string[], string | undefined, boolean][] = [
  ['nothing failed',                   [],                                    undefined, false],
  ['a test failed',                    ['a code is used once'],               undefined, true],
  ['the named test failed',            ['a code expires', 'a code is used once'], 'used once', true],
  ['only another test failed',         ['a code expires'],                    'used once', false],
  ['the file did not load',            ['server/test/flows/codes.test.ts'],   undefined, false],
]
for (const [when, failures, title, killed] of verdicts)
  test(`${when}: the mutant ${killed ? 'is killed' : 'survives'}`, () => assert.equal(isKilled(failures, { title }), killed))
