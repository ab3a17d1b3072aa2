import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readParameters, refuseUnreadable, requireParameter } from './parameters.ts'

const read = (query: string) => readParameters(new URLSearchParams(query))

// biome-ignore format: this table is read by line
const readings = [
  { rule: 'a parameter sent once has its value', query: 'a=1&b=%C3%BC+x', values: { a: '1', b: 'ü x' } },
  { rule: 'a parameter without value counts as omitted', query: 'a=&b&c=1', values: { c: '1' } },
  { rule: 'a parameter sent twice has no value', query: 'a=1&a=2', values: {}, repeated: ['a'] },
  { rule: 'a parameter sent twice with the same value is repeated', query: 'a=1&a=1', values: {}, repeated: ['a'] },
  { rule: 'an empty second occurrence is a repetition', query: 'a=1&a=', values: {}, repeated: ['a'] },
  { rule: 'a name is compared after percent-decoding', query: 'a=1&%61=2', values: {}, repeated: ['a'] },
  { rule: 'resource may be sent several times', query: 'resource=x&resource=y&resource=x', values: {}, lists: { resource: ['x', 'y'] } },
  { rule: 'an empty resource counts as omitted', query: 'resource=', values: {}, lists: { resource: [] } },
  { rule: 'NUL is malformed', query: 'a=x%00', values: {}, malformed: ['a'] },
  { rule: 'a line break is malformed', query: 'a=x%0D%0ASet-Cookie:%20b=c', values: {}, malformed: ['a'] },
  { rule: 'a C1 control character is malformed', query: 'a=%C2%85', values: {}, malformed: ['a'] },
  { rule: 'bytes that are not UTF-8 are malformed', query: 'a=%FF', values: {}, malformed: ['a'] },
  { rule: 'an encoded surrogate is malformed', query: 'a=%ED%A0%80', values: {}, malformed: ['a'] },
  { rule: 'an overlong encoding is malformed', query: 'a=%C0%AF', values: {}, malformed: ['a'] },
  { rule: 'a malformed resource is malformed', query: 'resource=x&resource=%00', values: {}, malformed: ['resource'] },
  { rule: 'names of object members are ordinary names', query: '__proto__=1&constructor=2', values: JSON.parse('{"__proto__":"1","constructor":"2"}') },
]
for (const { rule, query, values, lists = {}, repeated = [], malformed = [] } of readings) {
  test(rule, () => {
    const parameters = read(query)
    assert.deepEqual(Object.entries(parameters.values), Object.entries(values))
    assert.deepEqual({ ...parameters.lists }, lists)
    assert.deepEqual([...parameters.repeated], repeated)
    assert.deepEqual([...parameters.malformed], malformed)
  })
}

test('a parameter that was not sent has no value, even where its name is a member of every object', () => {
  for (const name of ['toString', 'constructor', '__proto__']) assert.equal(read('a=1').values[name], undefined)
})

test('a repeated or malformed parameter is invalid_request', () => {
  for (const query of ['a=1&a=2', 'utm=1&utm=2', 'a=%00']) assert.throws(() => refuseUnreadable(read(query)), { code: 'invalid_request' })
  refuseUnreadable(read('a=1&resource=x&resource=y'))
})

test('a required parameter that is missing, empty or repeated is invalid_request', () => {
  for (const query of ['', 'code=', 'code=1&code=2'])
    assert.throws(() => requireParameter(read(query), 'code'), { code: 'invalid_request' })
  assert.equal(requireParameter(read('code=1'), 'code'), '1')
})

test('every parameter is in exactly one member of the result, with its value unchanged', () => {
  const names = fc.constantFrom('a', 'b', 'resource', 'state')
  const property = fc.property(fc.array(fc.tuple(names, fc.string({ unit: 'binary' }))), (sent) => {
    const search = new URLSearchParams(sent)
    const { values, lists, repeated, malformed } = readParameters(search)
    for (const name of search.keys()) {
      const members = [name in values, name in lists, repeated.has(name), malformed.has(name)].filter(Boolean)
      assert.ok(members.length === 1 || search.getAll(name).every((value) => value === ''))
    }
    for (const [name, value] of Object.entries(values)) assert.equal(search.get(name), value)
  })
  fc.assert(property)
})
