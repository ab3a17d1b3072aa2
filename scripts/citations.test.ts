import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingCitations } from './citations.ts'

const repository = { names: new Set(['README.md', 'operate.md', '0012-events.md']), decisions: new Set(['0012', '0013']) } // citation-check: input

// biome-ignore format: this table is read by column
const sources: [source: string, expected: string[]][] = [
  ['// See operate.md and docs/operate.md#start.',        []],
  ['// See rules.md.',                                    ['1: rules.md']],                 // citation-check: input
  ['// A.\n// The list (rules.md 18) is closed.',         ['2: rules.md']],                 // citation-check: input
  ['[1](../decisions/0012-events.md) `docs/{name}.md`',   []],                              // citation-check: input
  ['[1](../decisions/0099-events.md)',                    ['1: ../decisions/0099-events.md']], // citation-check: input
  ["glob('*.md'), a.mdx, x.md5",      []],
  ['// Decision 0012, decisions 0012 and 0013.',          []],
  ['// As decision 0099 says.',                           ['1: decision 0099']], // citation-check: input
  ['// decisions 0012, 0099',                             ['1: decisions 0012, 0099']],     // citation-check: input
  ['/*\n * by decision\n * 0099 */',                      ['2: decision 0099']], // citation-check: input
  ['// docs/decisions/0099',                              ['1: decisions/0099']],           // citation-check: input
  ['// The contract §4 asks for it.',                     ['1: contract §4']],              // citation-check: input
  ['// Contract §3: a viewer reads.',                     ['1: Contract §3']],              // citation-check: input
  ['/*\n * as the contract,\n * §4.1, says */',           ['2: contract, §4.1']], // citation-check: input
  ['/*\n * by the version\n * §4.3: a header */',         []],
  ['// RFC 6749 §4.1.2, OIDC Core §9 and §5.2 (§3)',      []],
  ['// WCAG 2.2 §1.4.3, WebAuthn §7.2, SP 800-63B §3',    []],
  ["import { a } from '@ostiary/contract/oidc.ts'",       []],
]
for (const [source, expected] of sources) {
  test(`${JSON.stringify(source)}: ${expected.join('; ') || 'nothing found'}`, () => {
    const found = missingCitations(source, repository).map(({ line, cited }) => `${line}: ${cited}`)
    assert.deepEqual(found, expected)
  })
}

test('the index of decisions has each of them once, with its title', () => {
  const folder = join(import.meta.dirname, '../docs/decisions')
  const titles = readdirSync(folder)
    .filter((file) => file !== 'README.md')
    .map((file) => `- [${readFileSync(join(folder, file), 'utf8').split('\n', 1)[0]?.slice(2)}](${file})`)
  const listed = readFileSync(join(folder, 'README.md'), 'utf8').match(/^- .*$/gm) ?? []
  assert.deepEqual(listed.toSorted(), titles.toSorted())
})
