import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './nearest.ts'

const words = ['serve', 'start', 'dev', 'docs', '--json']

// biome-ignore format: this table is read by column
const typed: [string, string | null, string][] = [
  ['strat',      'start',  'two letters have changed places'],
  ['serv',       'serve',  'a letter is missing'],
  ['sserve',     'serve',  'a letter is given twice'],
  ['--jsn',      '--json', 'an option lacks a letter'],
  ['deploy',     null,     'it differs in more letters'],
  ['abc',        null,     'a short word differs in most of its letters'],
  ['',           null,     'nothing was typed'],
  ['s'.repeat(1_000_000), null, 'the text is far longer than any word'],
]
for (const [text, expected, why] of typed)
  test(`"${text.slice(0, 20)}" is near ${expected ?? 'no word'}, since ${why}`, () => assert.equal(nearest(text, words), expected))
