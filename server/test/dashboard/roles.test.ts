/** The words and boxes of the page of roles. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '@ostiary/contract/objects/role.ts'
import { effectLines, peopleWords } from '../../../dashboard/src/pages/roles/effects.ts'
import { goneOf, madeAgainOf, withScopes } from '../../../dashboard/src/pages/roles/permissions.ts'

const of = (resource_server: string, ...scopes: string[]): Permission => ({ resource_server, scopes })
const server = (slug: string, ...names: string[]) => ({ slug, scopes: names.map((name) => ({ name, description: null })) })

test('scopes that the same people lose are one line, and what is lost comes first', () => {
  const effects = [
    { resource_server: 'orders', scope: 'a', change: 'gained', users: null, members: 0 },
    { resource_server: 'orders', scope: 'b', change: 'lost', users: 12, members: 0 },
    { resource_server: 'stock', scope: 'c', change: 'lost', users: 12, members: 0 },
    { resource_server: 'stock', scope: 'd', change: 'lost', users: 0, members: 12 },
  ] as const
  assert.deepEqual(
    effectLines(effects).map(({ words, scopes }) => [words, scopes.map(({ scope }) => scope).join(' ')]),
    [
      ['12 users lose', 'b c'],
      ['12 members lose', 'd'],
      ['Every user without another role for it gains', 'a'],
    ],
  )
})

// biome-ignore format: this table is read by column
const who: [users: number | null, members: number | null, words: string][] = [
  [1,     0,    '1 user loses'],
  [0,     1,    '1 member loses'],
  [1,     1,    '1 member and 1 user lose'],
  [3,     12,   '12 members and 3 users lose'],
  [0,     null, 'Every member without another role for it loses'],
  [null,  null, 'Every member and every user without another role for it lose'],
  [3,     null, 'Every member without another role for it, and 3 users lose'],
  [999,   0,    '999 users lose'],
  [1_000, 0,    '1,000 or more users lose'],
]
for (const [users, members, words] of who)
  test(`${users} users and ${members} members are "${words}"`, () =>
    assert.equal(effectLines([{ resource_server: 'orders', scope: 'a', change: 'lost', users, members }])[0]?.words, words))

test('people of whom there are none are not named', () =>
  assert.deepEqual([peopleWords({ users: 0, members: 2 }), peopleWords({ users: 2, members: 0 })], ['2 members', '2 users']))

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
