import assert from 'node:assert/strict'
import { test } from 'node:test'
import { versionOfScope, versionsAfter, versionsAtFirst } from './scope-versions.ts'

const named = (names: string) => names.split(' ').flatMap((name) => (name === '' ? [] : [{ name }]))
/** Like a record that was read: its members are its own, whatever their names are. */
const stored = (json: string) => JSON.parse(json) as Record<string, number> // as: written as such

// biome-ignore format: this table is read by column
const changes: { why: string; scopes: string; versions: string; next: string; after: string }[] = [
  { why: 'a kept scope keeps its version',                    scopes: 'a b', versions: '{"a":1,"b":3}', next: 'a b',  after: '{"a":1,"b":3}' },
  { why: 'a new scope gets the version of the change',        scopes: 'a',   versions: '{"a":1}',       next: 'a b',  after: '{"a":1,"b":8}' },
  { why: 'a removed scope has no version',                    scopes: 'a b', versions: '{"a":1,"b":3}', next: 'b',    after: '{"b":3}' },
  { why: 'a removed scope that returns is of the change',     scopes: 'b',   versions: '{"b":3}',       next: 'a b',  after: '{"a":8,"b":3}' },
  { why: 'a kept scope without an entry is of the first one', scopes: 'a',   versions: '{}',            next: 'a b',  after: '{"a":1,"b":8}' },
  { why: 'a new scope has no entry of a scope before it',           scopes: 'a',   versions: '{"b":2}',       next: 'b',    after: '{"b":8}' },
  { why: 'the order of the scopes means nothing',             scopes: 'a b', versions: '{"a":1,"b":3}', next: 'b a',  after: '{"b":3,"a":1}' },
  { why: 'names of what objects inherit are names like others', scopes: 'a', versions: '{"a":2}', next: 'constructor __proto__', after: '{"constructor":8,"__proto__":8}' },
  { why: 'such names are kept like others', scopes: 'toString __proto__', versions: '{"toString":2,"__proto__":3}', next: '__proto__ toString', after: '{"__proto__":3,"toString":2}' },
]
for (const { why, scopes, versions, next, after } of changes)
  test(`of the versions of scopes, ${why}`, () => {
    const current = { version: 7, scopes: named(scopes), scope_versions: stored(versions) }
    assert.equal(JSON.stringify(versionsAfter(current, named(next))), after)
  })

test('the scopes of a new resource server are of its first version', () => {
  assert.equal(JSON.stringify(versionsAtFirst(named('a __proto__'))), '{"a":1,"__proto__":1}')
})

test('a scope without an entry is of the first version, also by the name of what objects inherit', () => {
  assert.deepEqual(
    ['a', 'b', 'constructor'].map((name) => versionOfScope(stored('{"a":4}'), name)),
    [4, 1, 1],
  )
})
