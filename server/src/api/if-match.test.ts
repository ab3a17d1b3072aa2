import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityTag, parseIfMatch } from './if-match.ts'

const cases = [
  { why: 'no header admits any version', header: undefined, admits: null },
  { why: 'a star admits any version', header: ' * ', admits: null },
  { why: 'one tag admits that version', header: '"3"', admits: ['"3"'] },
  { why: 'a list admits each of its versions', header: '"3", "4"', admits: ['"3"', '"4"'] },
  { why: 'a weak tag never equals a strong one', header: 'W/"3"', admits: ['W/"3"'] },
]
for (const { why, header, admits } of cases) {
  test(why, () => assert.deepEqual(parseIfMatch(header), admits && new Set(admits)))
}

for (const header of ['3', '"3', '', '"a"b"', '"3",', '* , "3"', '"\u0000"']) {
  test(`If-Match ${JSON.stringify(header)} is malformed`, () => assert.equal(parseIfMatch(header), 'malformed'))
}

test('a version is shown as a strong tag', () => assert.equal(entityTag(12), '"12"'))
