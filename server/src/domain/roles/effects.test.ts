import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoleKind } from '@ostiary/contract/objects/role.ts'
import fc from 'fast-check'
import { finish } from '../../base/steps.ts'
import { createAccess, type DefinedRole } from '../../protocol/roles.ts'
import { countEffects, type Effect, effectSteps, type Given, placesIn } from './effects.ts'

/** `a*: read write` is a role a with both scopes; the star is a role that everyone has. `null`: there is no resource server. */
function givenBy(requires: boolean | null, roles: readonly string[], names: readonly string[] = ['read', 'write']): Given {
  const server = { id: 'rsv', slug: 'api', identifier: 'https://api', scopes: names.map((name) => ({ name })), scope_versions: {} }
  const { add, finish } = createAccess(requires ? [server] : [])
  for (const text of roles) {
    const [name = '', scopes = ''] = text.split(':')
    const slug = name.replace('*', '')
    const permissions = scopes === '' ? [] : [{ resource_server: 'api', scopes: scopes.split(' ') }]
    const named = [{ resource_server_id: 'rsv', resource_server_version: 1 }]
    add({
      id: slug,
      slug,
      kind: slug === 'staff' ? 'organization' : 'user',
      default: name.endsWith('*'),
      permissions,
      named,
    } satisfies DefinedRole)
  }
  return { access: finish([]), open: new Map(requires === false ? [[server.identifier, new Set(names)]] : []) }
}

interface Case {
  rule: string
  before: string[]
  after: string[]
  /** The roles of one person each. */
  people: string[][]
  effects: [scope: string, change: string, people: number | null][]
  /** `null`: the resource server is not there. */
  requires?: [before: boolean | null, after: boolean | null]
  /** The names of its scopes. */
  names?: [before: string[], after: string[]]
  /** Users, if it is not given. */
  kind?: RoleKind
}

// biome-ignore format: this table is read by column
const cases: Case[] = [
  { rule: 'the holders of a role lose the scope that it gives no more', before: ['a:read write'], after: ['a:read'], people: [['a'], ['a'], []], effects: [['write', 'lost', 2]] },
  { rule: 'the holders of a role gain a scope that it gives now', before: ['a:read'], after: ['a:read write'], people: [['a'], []], effects: [['write', 'gained', 1]] },
  { rule: 'a person who has the scope by another role keeps it', before: ['a:write', 'b:write'], after: ['a:', 'b:write'], people: [['a'], ['a', 'b'], ['b']], effects: [['write', 'lost', 1]] },
  { rule: 'a person who had the scope by another role gains nothing', before: ['a:', 'b:write'], after: ['a:write', 'b:write'], people: [['a'], ['a', 'b'], ['b']], effects: [['write', 'gained', 1]] },
  { rule: 'a scope that every user has by another role is neither gained nor lost', before: ['a:write', 'b*:write'], after: ['a:', 'b*:write'], people: [['a'], []], effects: [] },
  { rule: 'everyone loses what a role of everyone gives no more', before: ['a*:read'], after: ['a*:'], people: [['a'], []], effects: [['read', 'lost', null]] },
  { rule: 'everyone loses what a role gave that not everyone has any more', before: ['a*:read'], after: ['a:read'], people: [['a'], []], effects: [['read', 'lost', null]] },
  { rule: 'everyone gains what a role gives that everyone has now', before: ['a:read'], after: ['a*:read'], people: [['a'], []], effects: [['read', 'gained', null]] },
  { rule: 'roles of members concern no user', before: ['staff*:read'], after: ['staff*:'], people: [['staff'], []], effects: [] },
  { rule: 'members lose what a role of members gives no more', before: ['staff:read'], after: ['staff:'], people: [['staff'], ['staff'], []], effects: [['read', 'lost', 2]], kind: 'organization' },
  { rule: 'every member loses what a role of every member gives no more', before: ['staff*:read'], after: ['staff*:'], people: [['staff']], effects: [['read', 'lost', null]], kind: 'organization' },
  { rule: 'a role of users keeps nothing for a member', before: ['staff:read', 'a*:read'], after: ['staff:', 'a*:read'], people: [['staff', 'a']], effects: [['read', 'lost', 1]], kind: 'organization' },
  { rule: 'roles of users concern no member', before: ['a:read'], after: ['a:'], people: [['a']], effects: [], kind: 'organization' },
  { rule: 'one role can give what another takes', before: ['a:read', 'b:'], after: ['a:', 'b:read'], people: [['a'], ['b'], ['a', 'b']], effects: [['read', 'gained', 1], ['read', 'lost', 1]] },
  { rule: 'no role means no scope where roles are required from now on', before: ['a:read'], after: ['a:read'], people: [['a'], []], effects: [['read', 'lost', null], ['write', 'lost', null]], requires: [false, true] },
  { rule: 'everyone gains all scopes where roles are required no more', before: ['a:read'], after: ['a:read'], people: [], effects: [['read', 'gained', null], ['write', 'gained', null]], requires: [true, false] },
  { rule: 'roles give and take nothing where none are required', before: ['a:read'], after: ['a:'], people: [['a']], effects: [], requires: [false, false] },
  { rule: 'those whose role gives it lose a scope that is gone', before: ['a:read write'], after: ['a:read write'], people: [['a'], []], effects: [['write', 'lost', 1]], names: [['read', 'write'], ['read']] },
  { rule: 'everyone loses an open scope that is gone where roles are required from now on', before: [], after: [], people: [], effects: [['read', 'lost', null], ['write', 'lost', null]], requires: [false, true], names: [['read', 'write'], ['read']] },
  { rule: 'nobody had a scope that is new where roles are required from now on', before: ['a:'], after: ['a:write'], people: [['a'], []], effects: [['read', 'lost', null], ['write', 'gained', 1]], requires: [false, true], names: [['read'], ['read', 'write']] },
  { rule: 'the holders of a role lose the scopes of a resource server that is deleted', before: ['a:read'], after: ['a:read'], people: [['a'], []], effects: [['read', 'lost', 1]], requires: [true, null] },
  { rule: 'a resource server that is new gives its scopes to those whose roles have them', before: ['a:', 'b*:'], after: ['a:read', 'b*:write'], people: [['a'], []], effects: [['read', 'gained', 1], ['write', 'gained', null]], requires: [null, true] },
  { rule: 'a resource server that begins or ends without requiring roles concerns nobody', before: ['a:read'], after: ['a:read'], people: [['a']], effects: [], requires: [null, false] },
]
for (const { rule, before, after, people, effects, requires: [had, has] = [true, true], names: [had_names, has_names] = [], kind } of cases)
  test(rule, () => {
    const count = countEffects(givenBy(had, before, had_names), givenBy(has, after, has_names), 1_000, kind)
    for (const given of people) count.add(given, 1)
    assert.deepEqual(
      count.finish().map(({ scope, change, people }) => [scope, change, people]),
      effects,
    )
  })

type Cause = Pick<Case, 'before' | 'after' | 'requires' | 'names'> & { by: (string | string[])[] }
// biome-ignore format: this table is read by column
const causes: Cause[] = [
  { before: ['a:read', 'b:read', 'c:read'], after: ['a:', 'b:read', 'c:'], by: [['a', 'c']] },
  { before: ['a*:read', 'b:read', 'c*:read'], after: ['a*:', 'b:', 'c:read'], by: [['a', 'c']] },
  { before: ['a:', 'b*:', 'c:'], after: ['a:', 'b*:read', 'c:read'], by: [['b']] },
  { before: ['a:read'], after: ['a:'], requires: [false, true], by: ['require_roles', 'require_roles'] },
  { before: ['a:read'], after: ['a:'], requires: [true, false], by: ['require_roles', 'require_roles'] },
  { before: ['a:write'], after: ['a:write'], names: [['read', 'write'], ['read']], by: ['scopes'] },
  { before: ['a*:write'], after: ['a*:write'], names: [['read', 'write'], ['read']], by: ['scopes'] },
]
for (const { before, after, requires: [had, has] = [true, true], names: [had_names, has_names] = [], by } of causes)
  test(`from ${before} to ${after} with roles required ${had} and ${has}, the effects are by ${by.join(' and ')}`, () => {
    const [from, to] = [givenBy(had, before, had_names), givenBy(has, after, has_names)]
    const count = countEffects(from, to, 1_000)
    for (const id of ['a', 'b', 'c']) count.add([id], 1)
    const slugsOf = (by: Effect['by']) => (typeof by === 'string' ? by : placesIn(by).map((place) => from.access.roles[place]?.slug))
    assert.deepEqual(
      count.finish().map(({ by }) => slugsOf(by)),
      by,
    )
  })

test('people are counted up to the most', () => {
  const count = countEffects(givenBy(true, ['a:read']), givenBy(true, ['a:']), 10)
  for (let n = 0; n < 4; n++) count.add(['a'], 3)
  assert.deepEqual(
    count.finish().map(({ people }) => people),
    [10],
  )
})

test('the roles of a count are those whose holders can gain or lose something, until all of it is counted to the most', () => {
  const before = givenBy(true, ['a:read', 'b:read', 'c:write', 'staff:read', 'd:write'])
  const after = givenBy(true, ['a:', 'b:read', 'c:write', 'staff:', 'd:'])
  const count = finish(effectSteps(before, after, { most: 2, kind: 'user' }))
  assert.deepEqual(count.roles, ['a', 'd'])
  assert.equal(count.add(['a', 'c'], 2), 1, 'only what a role of the person changes is compared')
  assert.deepEqual([count.isOpen('a'), count.isOpen('d'), count.isOpen('b'), count.isOpen('unknown')], [false, true, false, false])
})

test('the places of a set are those of its bits, whatever its size', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1_500)), (places) => {
      const set = places.reduce((roles, place) => roles | (1n << BigInt(place)), 0n)
      assert.deepEqual(
        placesIn(set),
        places.toSorted((a, b) => a - b),
      )
    }),
  )
})

/** The rule for one person and one scope, without sets, groups or masks. */
interface Situation {
  requires: boolean | null
  names: string[]
  /** The scopes of each of three roles, and whether everyone has it. */
  roles: { scopes: string[]; is_default: boolean }[]
}
const names = ['read', 'write', 'admin']
const situation: fc.Arbitrary<Situation> = fc.record({
  requires: fc.constantFrom(true, true, false, null),
  names: fc.subarray(names),
  roles: fc.array(fc.record({ scopes: fc.subarray(names), is_default: fc.boolean() }), { minLength: 3, maxLength: 3 }),
})
const given = ({ requires, names, roles }: Situation) =>
  givenBy(
    requires,
    roles.map(({ scopes, is_default }, i) => `${'abc'[i]}${is_default ? '*' : ''}:${scopes.join(' ')}`),
    names,
  )
const has = ({ requires, names, roles }: Situation, scope: string, held: string[]) =>
  requires !== null &&
  names.includes(scope) &&
  (!requires || roles.some(({ scopes, is_default }, i) => scopes.includes(scope) && (is_default || held.includes('abc'[i] ?? ''))))

test('1,000 pairs of environments: the people who gain and lose are those who have more and less after it', () => {
  const people = fc.array(fc.subarray(['a', 'b', 'c']), { maxLength: 12 })
  fc.assert(
    fc.property(situation, situation, people, (before, after, people) => {
      const count = countEffects(given(before), given(after), 1_000)
      for (const held of people) count.add(held, 1)
      const found = new Map(count.finish().map(({ scope, change, people }) => [`${scope} ${change}`, people]))
      for (const scope of names) {
        const changeOf = (held: string[]) => {
          const [had, now] = [has(before, scope, held), has(after, scope, held)]
          return had === now ? 'kept' : now ? 'gained' : 'lost'
        }
        const concerns_roles = before.requires === true || after.requires === true
        for (const change of ['gained', 'lost'] as const) {
          const of_everyone = concerns_roles && changeOf([]) === change
          const counted = concerns_roles ? people.filter((held) => changeOf(held) === change).length : 0
          const other = changeOf([]) !== 'kept' // then the others are those who keep what they had, or had it before
          const expected = of_everyone ? null : other || counted === 0 ? undefined : counted
          assert.equal(found.get(`${scope} ${change}`), expected, `${scope} ${change}`)
        }
      }
    }),
    { numRuns: 1_000 },
  )
})
