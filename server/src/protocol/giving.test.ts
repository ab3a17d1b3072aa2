import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '@ostiary/contract/objects/role.ts'
import { givenBy, giving_roles } from '../../test/support/giving-table.ts'
import { administers, createGiving, type GivenRole, mayChange, mayGive, mayGiveAll, mayRemove, type RoleToGive } from './giving.ts'

/** `api:read,write` */
const permissions = (text: string): Permission[] =>
  text
    .split(' ')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [resource_server = '', scopes = ''] = entry.split(':')
      return { resource_server, scopes: scopes.split(',') }
    })

const role = (id: string, named: string, more: Partial<RoleToGive> & { gives?: string } = {}): RoleToGive => {
  const { gives = named, ...rest } = more
  return { id, administers: false, permissions: permissions(named), in_effect: permissions(gives), lets_in: false, ...rest }
}

function compared(roles: readonly RoleToGive[]): GivenRole[] {
  const giving = createGiving()
  for (const each of roles) giving.add(each)
  return [...giving.finish()]
}

const administrates = { administers: true }
const roles = compared([
  role('owner', 'api:read,write,delete', administrates),
  role('manager', 'api:read,write', administrates),
  role('steward', '', administrates), // administers, and has no permission
  role('janitor', 'api:old', { ...administrates, gives: '' }), // its scope is gone
  role('editor', 'api:read,write'),
  role('viewer', 'api:read'),
  role('deleter', 'api:delete'),
  role('keeper', 'api:old', { gives: '' }),
  role('renewed', 'api:old'), // names the scope that came back under the old name
  role('badge', ''),
  role('guest', 'api:read', { lets_in: true }),
  role('door', '', { ...administrates, lets_in: true }),
])
const named = (id: string): GivenRole => roles.find((role) => role.id === id) ?? assert.fail(id)

for (const own of roles)
  for (const other of roles) {
    const may = givenBy(own.id).includes(other.id)
    test(`a member who is ${own.id} ${may ? 'may' : 'may not'} give and take ${other.id}, and invite with it`, () => {
      assert.equal(mayGive([own], other), may)
      assert.equal(mayGiveAll([own], [other]), may)
      assert.equal(mayChange([own], [], { before: [], after: [other] }), may, 'gives')
      // One who has the role can have it taken only by a member who has as much.
      assert.equal(mayChange([own], [other], { before: [other], after: [] }), may, 'takes')
    })
    test(`a member who is ${own.id} ${may ? 'may' : 'may not'} remove one who is ${other.id}`, () =>
      assert.equal(mayRemove([own], [other]), may))
  }

test('the table has the twelve roles', () =>
  assert.deepEqual(
    giving_roles,
    roles.map(({ id }) => id),
  ))

// biome-ignore format: this table is read by column
const together: [why: string, own: string, roles: string, may: boolean][] = [
  ['several roles together cover one',                            'steward editor',         'viewer',          true],
  ['several roles together cover one that administers',           'steward editor',         'manager',         true],
  ['a holder gives a role without permissions',                   'steward badge',          'badge',           true],
  ['a holder gives a role that lets in',                          'manager guest',          'guest',           true],
  ['a role that lets in is not given by its permissions alone',   'owner viewer',           'guest',           false],
  ['the scope of now is not given by the name of an earlier one', 'janitor',                'renewed',         false],
  ['the name of an earlier scope is given by that of now',        'steward renewed',        'keeper',          true],
  ['one role too many refuses all',                               'manager',                'viewer deleter',  false],
  ['no role is given by a member who administers',                'steward',                '',                true],
  ['no role is given by a member who does not administer',        'editor',                 '',                false],
]
const list = (ids: string): GivenRole[] =>
  ids
    .split(' ')
    .filter((id) => id !== '')
    .map(named)
for (const [why, own, given, may] of together) test(why, () => assert.equal(mayGiveAll(list(own), list(given)), may))

// biome-ignore format: this table is read by column
const changes: [why: string, own: string, other: string, before: string, after: string, may: boolean][] = [
  ['a member changes one who has no more',                         'owner',         'editor',         'editor',         'viewer',         true],
  ['a member does not change one who has more',                    'manager',       'owner viewer',   'owner viewer',   'owner',          false],
  ['a role that stays is not judged as one that is given',         'owner',         'badge editor',   'badge editor',   'badge viewer',   true],
  ['a role of every member counts for what the other has',         'manager',       'deleter viewer', 'viewer',         '',               false],
  ['a member who has the roles of another gives them nothing new', 'owner',         'viewer',         'viewer',         'viewer',         true],
  ['a member without a role that administers changes nobody',      'editor',        'viewer',         'viewer',         '',               false],
]
for (const [why, own, other, before, after, may] of changes)
  test(why, () => assert.equal(mayChange(list(own), list(other), { before: list(before), after: list(after) }), may))

test('one who has a role that lets in is removed by a holder alone', () => {
  assert.equal(mayRemove(list('owner'), list('guest')), false)
  assert.equal(mayRemove(list('owner guest'), list('guest')), true)
})

/** A generator of numbers that is the same at every run. */
function numbers(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('nobody gains a permission, in name or in effect, or the right to administer, that the giver lacks', () => {
  const next = numbers(7)
  const some = <T>(values: readonly T[]): T[] => values.filter(() => next(3) === 0)
  const names = ['a:1', 'a:2', 'b:1', 'b:2', 'c:1']
  const made = (i: number): RoleToGive => {
    const given = some(names)
    return role(`r${i}`, given.join(' '), { gives: some(given).join(' '), administers: next(4) === 0, lets_in: next(6) === 0 })
  }
  const has = (roles: readonly RoleToGive[], which: 'permissions' | 'in_effect') =>
    new Set(
      roles.flatMap((role) => role[which].flatMap(({ resource_server, scopes }) => scopes.map((name) => `${resource_server}:${name}`))),
    )
  let [given, taken] = [0, 0]
  for (let round = 0; round < 20_000; round++) {
    const stored = Array.from({ length: 8 }, (_, i) => made(i))
    const all = compared(stored)
    const storedOf = (some: readonly GivenRole[]) => some.map((role) => stored[all.indexOf(role)] ?? assert.fail(role.id))
    const [own, other, after] = [some(all), some(all), some(all)]
    if (!mayChange(own, other, { before: other, after })) continue
    const gained = after.filter((one) => !other.includes(one))
    const lost = other.filter((one) => !after.includes(one))
    given += gained.length
    taken += lost.length
    assert.ok(administers(own))
    for (const which of ['permissions', 'in_effect'] as const) {
      const [mine, theirs] = [has(storedOf(own), which), has(storedOf([...gained, ...other]), which)]
      assert.ok(
        [...theirs].every((one) => mine.has(one)),
        'a permission that the giver lacks',
      )
    }
    for (const one of [...gained, ...lost]) {
      const [{ permissions } = assert.fail(one.id)] = storedOf([one])
      if (one.lets_in || (!one.administers && permissions.length === 0)) assert.ok(own.includes(one), 'a role that only a holder gives')
    }
    assert.equal(mayGiveAll(own, gained), true)
  }
  assert.ok(given > 100 && taken > 100)
})
