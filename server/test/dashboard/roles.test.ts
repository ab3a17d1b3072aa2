/** The words and boxes of the page of roles. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '@ostiary/contract/objects/role.ts'
import { effectLines, peopleWords } from '../../../dashboard/src/pages/roles/effects.ts'
import { goneOf, madeAgainOf, withScopes } from '../../../dashboard/src/pages/roles/permissions.ts'

const of = (resource_server: string, ...scopes: string[]): Permission => ({ resource_server, scopes })
const server = (slug: string, ...names: string[]) => ({ slug, scopes: names.map((name) => ({ name, description: null })) })

test('scopes that the same number of people lose are one line, and what is lost comes first', () => {
  const effects = [
    { resource_server: 'orders', scope: 'a', change: 'gained', users: null },
    { resource_server: 'orders', scope: 'b', change: 'lost', users: 12 },
    { resource_server: 'stock', scope: 'c', change: 'lost', users: 12 },
    { resource_server: 'stock', scope: 'd', change: 'lost', users: 1 },
  ] as const
  assert.deepEqual(
    effectLines(effects).map(({ words, scopes }) => [words, scopes.map(({ scope }) => scope).join(' ')]),
    [
      ['12 users lose', 'b c'],
      ['1 user loses', 'd'],
      ['Everyone without another role for it gains', 'a'],
    ],
  )
})

test('a thousand people are a thousand or more', () =>
  assert.deepEqual([peopleWords(1), peopleWords(999), peopleWords(1_000)], ['1 user', '999 users', '1,000 or more users']))

// biome-ignore format: this table is read by column
const boxes: [rule: string, before: Permission[], change: Permission, after: Permission[]][] = [
  ['a new resource server comes last',             [of('b', 'x')],              of('a', 'y'),      [of('b', 'x'), of('a', 'y')]],
  ['a resource server without a scope goes',       [of('b', 'x'), of('a', 'y')], of('b'),          [of('a', 'y')]],
  ['a scope that is put back has its old place',   [of('b', 'y')],              of('b', 'y', 'x'), [of('b', 'x', 'y')]],
]
for (const [rule, before, change, after] of boxes)
  test(rule, () => assert.deepEqual(withScopes(before, [of('b', 'x', 'y')], change), after))

test('an entry is gone without its resource server or scope, and one that gives nothing although both are there was made again', () => {
  const servers = [server('orders', 'read', 'write')]
  const permissions = [of('orders', 'read', 'delete'), of('stock', 'read')]
  assert.deepEqual(goneOf(permissions, servers), [of('orders', 'delete'), of('stock', 'read')])
  assert.deepEqual(madeAgainOf(permissions, servers), [of('orders', 'read')])
})
