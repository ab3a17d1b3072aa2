import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bannedWords } from './words.ts'

// biome-ignore format: this table is read by column
const sources: [path: string, source: string, expected: string[]][] = [
  ['a.ts',   '// Whoever calls.',                         ['1: Whoever']],        // word-check: input
  ['a.ts',   '// The first.\n// Somebody else.',          ['2: Somebody']],       // word-check: input
  ['a.ts',   'const told = true',                         ['1: told']],           // word-check: input
  ['a.ts',   'const told_once = toldOnce',                []],
  ['a.ts',   'const a = `told`',                          ['1: told']],           // word-check: input
  ['a.ts',   '// It is\n// what counts.',                 ['1: is what']],         // word-check: input
  ['a.sql',  '-- Begins anew, and is what counts.',       ['1: anew', '1: is what']], // word-check: input
  ['a.ts',   '// A code is no token.',                     ['1: is no']],           // word-check: input
  ['a.ts',   '/*\n * Links are\n * no buttons. */',       ['2: are no']],          // word-check: input
  ['a.ts',   '// There is no token. There can be no token.', []],
  ['a.ts',   '// It is no longer one. It is no different.', []],
  ['a.ts',   '// Text that is none.',                      ['1: is none']],         // word-check: input
  ['a.ts',   '// There are none. email.delivery is none.', []],
  ['a.ts',   '// The code is another one.',                ['1: is another one']],  // word-check: input
  ['a.ts',   '// Choose another one.',                     []],
  ['a.ts',   "'It shall hear of it.'",                     ['1: shall', '1: hear of']], // word-check: input
  ['a.ts',   '// Events tell of it, also where it fails.', ['1: tell of', '1: also where']], // word-check: input
  ['a.ts',   '// Sign-ins of before, but for one.',        ['1: of before', '1: but for']], // word-check: input
  ['a.ts',   '// It waits. Who waits gets one.',           ['1: Who']],             // word-check: input
  ['a.ts',   '// It waits. Who gets one?',                 []],
  ['a.js',   "'Your E-mail'",                             ['1: E-mail']],         // word-check: input
  ['a.ts',   "'Your email'",                              []],
  ['a.ts',   '// worthless, somebodys, retold',           []],
  ['server/src/a.ts', '/** What a call asks for. */',      ['1: What']],
  ['cli/src/a.ts', '/**\n * Reads it.\n * What is left\n */', ['3: What']],
  ['sdk/src/a.ts', 'f() // It ends. Whatever waits ends.',  ['1: Whatever']],
  ['contract/src/a.ts', '/** What is it? It says what it is. */', []],
  ['dashboard/src/a.ts', "const url = 'https://What it'\nconst text = 'It ends. What now'", []],
  ['sdk/src/generated/a.ts', '/** What it is about. */',     []],
  ['server/test/a.ts', '// What a row says.',               []],
  ['a.ts',   "['worth'] // word-check: a common password",[]],
  ['a.ts',   "['worth'] // word-check:",                  ['1: worth']],                   // word-check: input
  ['a.ts',   '// The draft says “somebody else”.',        []],                    // word-check: input
  ['a.md',   'The word `told` is avoided.',               []],                    // word-check: input; citation-check: input
  ['a.md',   '```\ntold\n```\nIt was told.',              ['4: told']],           // word-check: input; citation-check: input
  ['a.md',   'Worth it. <!-- word-check: a title -->',    []],                    // citation-check: input
]
for (const [path, source, expected] of sources) {
  test(`${JSON.stringify(source)} in ${path}: ${expected.join(', ') || 'nothing found'}`, () => {
    const found = bannedWords(path, source).map(({ line, word }) => `${line}: ${word}`)
    assert.deepEqual(found, expected)
  })
}
