import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseChanged } from './reach.ts'
import { importsOf } from './repository.ts'

const tests = [
  'server/src/codes.test.ts',
  'server/test/flows/codes.test.ts',
  'server/test/flows/pages.test.ts',
  'server/test/browser/examples.test.ts',
]
const repository = {
  tests,
  imports: new Map([
    ['server/src/codes.test.ts', ['server/src/codes.ts']],
    ['server/src/codes.ts', ['server/src/words.ts']],
    ['server/src/pages.ts', ['server/src/words.ts', 'server/src/fresh.ts']],
    ['server/test/flows/codes.test.ts', ['server/test/support/mailed.ts']],
    ['server/test/support/mailed.ts', []],
  ]),
  ran: new Map([
    ['server/src/codes.test.ts', new Set(['server/src/codes.ts'])],
    ['server/test/flows/codes.test.ts', new Set(['server/src/codes.ts', 'server/src/pages.ts'])],
    ['server/test/flows/pages.test.ts', new Set(['server/src/pages.ts'])],
    ['server/test/browser/examples.test.ts', new Set(['server/src/pages.ts'])],
  ]),
}

// biome-ignore format: this table is read by column
const changes: [what: string, changed: string, reached: string[]][] = [
  ['a test',                                  'server/test/flows/pages.test.ts', ['server/test/flows/pages.test.ts']],
  ['a file with functions',                   'server/src/codes.ts',             ['server/src/codes.test.ts', 'server/test/flows/codes.test.ts']],
  ['a table, which has no functions',         'server/src/words.ts',             tests],
  ['a file that no run has seen',             'server/src/fresh.ts',             tests.slice(1)],
  ['what tests share',                        'server/test/support/mailed.ts',   ['server/test/flows/codes.test.ts']],
  ['an example, which a test runs unimported', 'examples/web/server.js',         ['server/test/browser/examples.test.ts']],
]
for (const [what, changed, reached] of changes)
  test(`a change of ${what} runs ${reached.length} of ${tests.length} test files`, () => {
    assert.deepEqual(chooseChanged([changed], repository), { files: reached, everything: null, unreached: [] })
  })

for (const changed of [
  'server/src/db/sqlite/sqlite.ts',
  'server/migrations/0001_initial.sql',
  'server/test/support/world.ts',
  'package-lock.json',
])
  test(`a change of ${changed} runs every test, and the run says why`, () => {
    const { files, everything } = chooseChanged(['server/src/codes.ts', changed], repository)
    assert.deepEqual([files, everything], [tests, `${changed} reaches every test`])
  })

test('every test runs while no run has recorded what tests reach', () => {
  assert.match(chooseChanged(['server/src/codes.ts'], { ...repository, ran: new Map() }).everything ?? '', /no run/)
})

test('a test file that no run has recorded runs with every change of the service', () => {
  const ran = new Map([...repository.ran].filter(([file]) => file !== 'server/test/flows/pages.test.ts'))
  assert.ok(chooseChanged(['server/src/codes.ts'], { ...repository, ran }).files.includes('server/test/flows/pages.test.ts'))
})

test('a changed file that no test reaches is named', () => {
  assert.deepEqual(chooseChanged(['bench/main.ts'], repository), { files: [], everything: null, unreached: ['bench/main.ts'] })
})

test('imports are found in every form, types and other folders included', () => {
  const source = `import './a.ts'\nimport { b } from '../b.ts'\nexport type { C } from './c.ts'\nconst d = await import('./d.ts')\nimport { z } from 'zod'
import { Id } from '@ostiary/contract/ids.ts'\n`
  assert.deepEqual(importsOf('server/src/x/y.ts', source), [
    'server/src/x/a.ts',
    'server/src/b.ts',
    'server/src/x/c.ts',
    'server/src/x/d.ts',
    'contract/src/ids.ts',
  ])
})
