import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityTag, parseIfMatch } from './if-match.ts'

const cases = [
  { why: 'no header matches any version', header: undefined, matches: null },
  { why: '* matches any version', header: ' * ', matches: null },
  { why: 'one tag matches that version', header: '"3"', matches: ['"3"'] },
  { why: 'a list matches each of its versions', header: '"3", "4"', matches: ['"3"', '"4"'] },
  { why: 'a weak tag never equals a strong one', header: 'W/"3"', matches: ['W/"3"'] },
]
for (const { why, header, matches } of cases) {
  test(why, () => assert.deepEqual(parseIfMatch(header), matches && new Set(matches)))
}

for (const header of ['3', '"3', '', '"a"b"', '"3",', '* , "3"', '"\u0000"']) {
  test(`If-Match ${JSON.stringify(header)} is malformed`, () => assert.equal(parseIfMatch(header), 'malformed'))
}

test('the ETag of a version is strong', () => assert.equal(entityTag(12), '"12"'))
