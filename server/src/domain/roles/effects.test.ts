import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccess, type DefinedRole } from '../../protocol/roles.ts'
import { countEffects } from './effects.ts'

/** `a b*: read write` is a role a with both scopes; the star is a role that everyone has. */
function accessOf(requires: boolean, roles: readonly string[]) {
  const server = { id: 'rsv', slug: 'api', identifier: 'https://api', scopes: [{ name: 'read' }, { name: 'write' }], scope_versions: {} }
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
  return finish([])
}

interface Case {
  rule: string
  before: string[]
  after: string[]
  /** The roles of one person each. */
  people: string[][]
  effects: [scope: string, change: string, people: number | null][]
  requires?: [before: boolean, after: boolean]
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
  { rule: 'one role can give what another takes', before: ['a:read', 'b:'], after: ['a:', 'b:read'], people: [['a'], ['b'], ['a', 'b']], effects: [['read', 'gained', 1], ['read', 'lost', 1]] },
  { rule: 'no role means no scope where roles are required from now on', before: ['a:read'], after: ['a:read'], people: [['a'], []], effects: [['read', 'lost', null], ['write', 'lost', null]], requires: [false, true] },
  { rule: 'everyone gains all scopes where roles are required no more', before: ['a:read'], after: ['a:read'], people: [], effects: [['read', 'gained', null], ['write', 'gained', null]], requires: [true, false] },
  { rule: 'roles give and take nothing where none are required', before: ['a:read'], after: ['a:'], people: [['a']], effects: [], requires: [false, false] },
]
for (const { rule, before, after, people, effects, requires: [had, has] = [true, true] } of cases)
  test(rule, () => {
    const count = countEffects(accessOf(had, before), accessOf(has, after), 1_000)
    for (const given of people) count.add(given, 1)
    assert.deepEqual(
      count.finish().map(({ scope, change, people }) => [scope, change, people]),
      effects,
    )
  })

test('people are counted up to the most', () => {
  const count = countEffects(accessOf(true, ['a:read']), accessOf(true, ['a:']), 10)
  for (let n = 0; n < 4; n++) count.add(['a'], 3)
  assert.deepEqual(count.finish(), [{ identifier: 'https://api', scope: 'read', change: 'lost', people: 10 }])
})
