import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedTests, isKilled, type Mutant, problemOf } from './mutant-list.ts'

const mutant: Mutant = {
  rule: 'A code is used once.',
  file: 'server/src/codes.ts',
  line: ' and spent = 0',
  becomes: '',
  test: 'flows/codes',
  engine: 'sqlite',
}
const source = 'where id = 1 and spent = 0\n'
const tests = ['server/test/flows/codes.test.ts', 'server/test/flows/email-codes.test.ts']

// biome-ignore format: this table is read by column
const judged: [string, Partial<Mutant>, string | null, string | null][] = [
  ['it applies',                    {},                         source,          null],
  ['its file is gone',              {},                         null,            'server/src/codes.ts does not exist.'],
  ['its line is gone',              {},                         'where id = 1',  'its line occurs 0 times in server/src/codes.ts.'],
  ['its line occurs twice',         {},                         source + source, 'its line occurs 2 times in server/src/codes.ts.'],
  ['it changes nothing',            { becomes: mutant.line },   source,          'it changes nothing.'],
  ['no test has its words',         { test: 'flows/tokens' },   source,          '"flows/tokens" is in the path of 0 test files.'],
  ['two tests have its words',      { test: 'codes.test' },     source,          '"codes.test" is in the path of 2 test files.'],
]
for (const [when, change, text, problem] of judged)
  test(`a mutant when ${when}: ${problem ?? 'no problem'}`, () => assert.equal(problemOf({ ...mutant, ...change }, text, tests), problem))

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
