import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv.ts'

const cells: [what: string, value: unknown, cell: string][] = [
  ['a word', 'Ada', 'Ada'],
  ['no value', null, ''],
  ['a number', 12, '12'],
  ['a truth', false, 'false'],
  ['words', ['editor', 'viewer'], 'editor viewer'],
  ['no words', [], ''],
  ['an object', { tier: 'gold' }, '"{""tier"":""gold""}"'],
  ['a comma', 'Hopper, Grace', '"Hopper, Grace"'],
  ['a quotation mark', 'the "cat"', '"the ""cat"""'],
  ['two lines', 'a\r\nb', '"a\r\nb"'],
  ['an equals sign first', '=1+1', "'=1+1"],
  ['a plus sign first', '+41791234567', "'+41791234567"],
  ['a hyphen first', '-1', "'-1"],
  ['an at sign first', '@ada', "'@ada"],
  ['a formula with a comma', '=SUM(A1,A2)', '"\'=SUM(A1,A2)"'],
  ['an equals sign later', 'a=b', 'a=b'],
  ['a negative number', -1, "'-1"],
]
for (const [what, value, cell] of cells) test(`a cell with ${what}`, () => assert.equal(csvLine([value]), `${cell}\r\n`))

test('a line has its cells between commas', () => assert.equal(csvLine(['a', null, 'c']), 'a,,c\r\n'))
