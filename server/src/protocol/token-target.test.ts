import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createAccess, no_access } from './roles.ts'
import { targetOf } from './token-target.ts'

type Policy = Parameters<typeof targetOf>[2]

const orders = {
  identifier: 'https://orders.test',
  scopes: [{ name: 'orders:read' }, { name: 'read' }],
  access_token_ttl_seconds: 600,
  access_token_format: 'jwt' as const,
  access_token_signing_alg: 'RS256' as const,
  roles_claim: null,
  data_claims: false,
}
const stock = {
  identifier: 'urn:stock',
  scopes: [{ name: 'stock:read' }, { name: 'read' }],
  access_token_ttl_seconds: null,
  access_token_format: 'opaque' as const,
  access_token_signing_alg: 'RS256' as const,
  roles_claim: null,
  data_claims: false,
}
const quick = {
  identifier: 'https://quick.test',
  scopes: [],
  access_token_ttl_seconds: 60,
  access_token_format: 'opaque' as const,
  access_token_signing_alg: 'RS256' as const,
  roles_claim: null,
  data_claims: false,
}
const slow = { ...quick, identifier: 'https://slow.test', access_token_ttl_seconds: 86_400 }

const all_scopes = 'openid email offline_access orders:read stock:read read'
const grant = { scope: all_scopes, resource: [orders.identifier, stock.identifier] }
const policy: Policy = {
  audiences: [stock, orders, quick, slow],
  allowed_scopes: all_scopes.split(' '),
  roles_claim: null,
  access: no_access,
  held: 0n,
  disabled_scopes: [],
  tokens: { access_token_ttl_seconds: 3_600, access_token_format: 'jwt' as const },
}
const own = 'openid email offline_access'
const without_claims = { signing_alg: 'RS256', roles_claim: null, data_claims: false, reserved: [] }

interface Case {
  rule: string
  grant?: Partial<typeof grant>
  requested?: string[]
  policy?: Partial<Policy>
  /** Scope, resource, lifetime and format, or the code of the error. */
  gives: [scope: string, resource: string[], ttl_seconds: number, format: string] | string
}

// biome-ignore format: this table is read by line
const cases: Case[] = [
  { rule: 'a grant without resource gives a token of the environment', grant: { resource: [], scope: own }, gives: [own, [], 3_600, 'jwt'] },
  { rule: 'the settings of the environment apply to its own tokens', grant: { resource: [], scope: own }, policy: { tokens: { access_token_ttl_seconds: 60, access_token_format: 'opaque' } }, gives: [own, [], 60, 'opaque'] },
  { rule: 'a request without resource gives a token for all granted resources', gives: [all_scopes, [orders.identifier, stock.identifier], 600, 'jwt'] },
  { rule: 'a token for one resource has its scopes and those of OpenID Connect only', requested: [orders.identifier], gives: [`${own} orders:read read`, [orders.identifier], 600, 'jwt'] },
  { rule: 'a resource server without lifetime has that of the environment, with its own format', requested: [stock.identifier], gives: [`${own} stock:read read`, [stock.identifier], 3_600, 'opaque'] },
  { rule: 'several resources keep the order of the request', requested: [stock.identifier, orders.identifier], gives: [all_scopes, [stock.identifier, orders.identifier], 600, 'jwt'] },
  { rule: 'several resource servers with opaque tokens get an opaque token with the shortest lifetime', grant: { resource: [slow.identifier, quick.identifier] }, gives: [own, [slow.identifier, quick.identifier], 60, 'opaque'] },
  { rule: 'the lifetime of the environment applies where it is the shortest', grant: { resource: [slow.identifier, stock.identifier] }, gives: [`${own} stock:read read`, [slow.identifier, stock.identifier], 3_600, 'opaque'] },
  { rule: 'a resource server may have a longer lifetime than the environment', grant: { resource: [slow.identifier] }, gives: [own, [slow.identifier], 86_400, 'opaque'] },

  { rule: 'a resource that was not granted', requested: [quick.identifier], gives: 'invalid_target' },
  { rule: 'one resource of several that was not granted', requested: [orders.identifier, quick.identifier], gives: 'invalid_target' },
  { rule: 'a resource with an additional slash', requested: [`${orders.identifier}/`], gives: 'invalid_target' },
  { rule: 'a resource for a grant without resource', grant: { resource: [] }, requested: [orders.identifier], gives: 'invalid_target' },
  { rule: 'a deleted resource server', requested: [orders.identifier], policy: { audiences: [stock] }, gives: 'invalid_target' },
  { rule: 'a deleted resource server beside an existing one', requested: [orders.identifier, stock.identifier], policy: { audiences: [stock] }, gives: 'invalid_target' },
  { rule: 'a request without resource leaves out deleted resource servers', policy: { audiences: [stock] }, gives: [`${own} stock:read read`, [stock.identifier], 3_600, 'opaque'] },
  { rule: 'a grant with only deleted resource servers gives a token of the environment', policy: { audiences: [] }, gives: [own, [], 3_600, 'jwt'] },

  { rule: 'a scope that the resource server no longer has is left out', policy: { audiences: [{ ...orders, scopes: [{ name: 'read' }] }, stock] }, gives: [`${own} stock:read read`, [orders.identifier, stock.identifier], 600, 'jwt'] },
  { rule: 'a scope that the resource server has gained is not given, because it was not granted', grant: { scope: 'openid', resource: [orders.identifier] }, gives: ['openid', [orders.identifier], 600, 'jwt'] },
  { rule: 'a scope that the application no longer has is left out', policy: { allowed_scopes: ['openid', 'read'] }, gives: ['openid read', [orders.identifier, stock.identifier], 600, 'jwt'] },
  { rule: 'a scope that the environment has disabled is left out', policy: { disabled_scopes: ['email'] }, requested: [orders.identifier], gives: ['openid offline_access orders:read read', [orders.identifier], 600, 'jwt'] },
  { rule: 'a scope that belongs to another resource only', grant: { scope: 'stock:read' }, requested: [orders.identifier], gives: 'invalid_scope' },
  { rule: 'a grant without any scope that the application still has', policy: { allowed_scopes: [] }, gives: 'invalid_scope' },
]
for (const { rule, gives, requested = [], ...change } of cases) {
  const judge = () => targetOf({ ...grant, ...change.grant }, requested, { ...policy, ...change.policy })
  if (typeof gives === 'string') test(`${rule} is ${gives}`, () => assert.throws(judge, { name: 'OAuthError', code: gives }))
  else {
    const [scope, resource, ttl_seconds, format] = gives
    test(rule, () => assert.deepEqual(judge(), { scope, resource, ttl_seconds, format, ...without_claims }))
  }
}

/** Both resource servers require roles. The first role gives read at both and orders:read, the second read at one. */
const access = (() => {
  const servers = [
    { ...orders, id: 'rs_1', slug: 'orders', scope_versions: {} },
    { ...stock, id: 'rs_2', slug: 'stock', scope_versions: {} },
  ]
  const named = servers.map(({ id }) => ({ resource_server_id: id, resource_server_version: 1 }))
  const made = createAccess(servers)
  const both = [
    { resource_server: 'orders', scopes: ['orders:read', 'read'] },
    { resource_server: 'stock', scopes: ['read'] },
  ]
  made.add({ id: 'rol_1', slug: 'both', kind: 'user', default: false, permissions: both, named })
  made.add({ id: 'rol_2', slug: 'one', kind: 'user', default: false, permissions: [{ resource_server: 'stock', scopes: ['read'] }], named })
  return made.finish([])
})()
const both = 1n
const one = 2n
const neither = 0n

// biome-ignore format: this table is read by line
const role_cases: Case[] = [
  { rule: 'a person gets the part of the scope that the roles give', policy: { held: both }, gives: [`${own} orders:read read`, [orders.identifier, stock.identifier], 600, 'jwt'] },
  { rule: 'a name that roles do not give at each resource server of the token', policy: { held: one }, gives: 'invalid_scope' },
  { rule: 'a name that roles give at the one resource server of the token stays', policy: { held: one }, requested: [stock.identifier], gives: [`${own} read`, [stock.identifier], 3_600, 'opaque'] },
  { rule: 'a person whose roles give none of the scopes of resource servers', policy: { held: neither }, gives: 'invalid_scope' },
  { rule: 'a request for no scope of a resource server needs no role', grant: { scope: own }, policy: { held: neither }, gives: [own, [orders.identifier, stock.identifier], 600, 'jwt'] },
  { rule: 'a scope that the application no longer has is not asked for', policy: { held: neither, allowed_scopes: own.split(' ') }, gives: [own, [orders.identifier, stock.identifier], 600, 'jwt'] },
]
for (const { rule, gives, requested = [], ...change } of role_cases) {
  const judge = () => targetOf({ ...grant, ...change.grant }, requested, { ...policy, access, ...change.policy })
  if (typeof gives === 'string') test(`${rule} is ${gives}`, () => assert.throws(judge, { name: 'OAuthError', code: gives }))
  else {
    const [scope, resource, ttl_seconds, format] = gives
    test(rule, () => assert.deepEqual(judge(), { scope, resource, ttl_seconds, format, ...without_claims }))
  }
}

const [with_roles, with_groups] = [
  { ...orders, roles_claim: 'roles' },
  { ...stock, roles_claim: 'groups' },
]
const claim_cases: [rule: string, requested: string[], audiences: Policy['audiences'], claim: string | null][] = [
  ['a token has the claim of its resource server', [orders.identifier], [with_roles, stock], 'roles'],
  ['a token for resource servers that name the same claim has it', [], [with_roles, { ...stock, roles_claim: 'roles' }], 'roles'],
  ['a token for resource servers that name different claims has none', [], [with_roles, with_groups], null],
  ['a token for a resource server with a claim and one without has none', [], [with_roles, stock], null],
]
for (const [rule, requested, audiences, claim] of claim_cases)
  test(rule, () => assert.equal(targetOf(grant, requested, { ...policy, audiences }).roles_claim, claim))

test('a token without a resource server has no claim of roles and no data', () => {
  const { roles_claim, data_claims } = targetOf({ scope: own, resource: [] }, [], { ...policy, roles_claim: 'groups' })
  assert.deepEqual([roles_claim, data_claims], [null, false])
})

const [with_data, also_with_data] = [
  { ...orders, data_claims: true },
  { ...stock, data_claims: true },
]
const data_cases: [rule: string, requested: string[], audiences: Policy['audiences'], carries: boolean][] = [
  ['a token carries the data that its resource server asks for', [orders.identifier], [with_data, stock], true],
  ['a token for resource servers that all ask for data carries it', [], [with_data, also_with_data], true],
  ['a token for a resource server that asks for data and one that does not carries none', [], [with_data, stock], false],
  ['a token for resource servers of which the last asks for data carries none', [], [orders, also_with_data], false],
]
for (const [rule, requested, audiences, carries] of data_cases)
  test(rule, () => assert.equal(targetOf(grant, requested, { ...policy, audiences }).data_claims, carries))

const [by_es256, also_by_es256] = [orders, stock].map((server) => ({ ...server, access_token_signing_alg: 'ES256' as const }))
assert.ok(by_es256 && also_by_es256)
const alg_cases: [rule: string, requested: string[], audiences: Policy['audiences'], alg: 'RS256' | 'ES256'][] = [
  ['a token has the algorithm of its resource server', [orders.identifier], [by_es256, stock], 'ES256'],
  ['a token for resource servers that all say ES256 is ES256', [], [by_es256, also_by_es256], 'ES256'],
  ['a token for resource servers of which the last says RS256 is RS256', [], [by_es256, stock], 'RS256'],
  ['a token for resource servers of which the first says RS256 is RS256', [], [orders, also_by_es256], 'RS256'],
  ['a token for the resource server with RS256 alone is RS256', [stock.identifier], [by_es256, stock], 'RS256'],
]
for (const [rule, requested, audiences, alg] of alg_cases)
  test(rule, () => assert.equal(targetOf(grant, requested, { ...policy, audiences }).signing_alg, alg))

test('a token without a resource server is RS256', () => {
  assert.equal(targetOf({ scope: own, resource: [] }, [], { ...policy, audiences: [by_es256] }).signing_alg, 'RS256')
})

test('no data stands under a name by which a resource server of the token expects roles, with or without them', () => {
  const audiences = [with_roles, with_groups]
  assert.deepEqual(targetOf(grant, [], { ...policy, audiences }).reserved, ['roles', 'groups'])
  assert.deepEqual(targetOf(grant, [stock.identifier], { ...policy, audiences }).reserved, ['groups'])
})

test('the scope groups is known to an application with a claim, unless a resource server of the token has a scope of this name', () => {
  const scopeOf = (change: Partial<Policy>) =>
    targetOf({ scope: 'openid groups', resource: [orders.identifier] }, [], { ...policy, ...change }).scope
  const of_server = { ...orders, scopes: [{ name: 'groups' }] }
  assert.equal(scopeOf({}), 'openid')
  assert.equal(scopeOf({ roles_claim: 'roles' }), 'openid groups')
  assert.equal(scopeOf({ roles_claim: 'roles', audiences: [of_server] }), 'openid')
  assert.equal(scopeOf({ roles_claim: 'roles', audiences: [of_server], allowed_scopes: ['openid', 'groups'] }), 'openid groups')
})

test('a token with a claim of roles or with data has at most 6,500 characters of identifiers and scope', () => {
  const wide = (length: number) => `x${'y'.repeat(length - `openid ${orders.identifier} x`.length + 1)}`
  const judge = (name: string, roles_claim: string | null, data_claims = false) =>
    targetOf({ scope: `openid ${name}`, resource: [orders.identifier] }, [], {
      ...policy,
      allowed_scopes: ['openid', name],
      audiences: [{ ...orders, scopes: [{ name }], roles_claim, data_claims }],
    })
  assert.equal(judge(wide(6_500), 'roles').roles_claim, 'roles')
  assert.throws(() => judge(wide(6_501), 'roles'), { name: 'OAuthError', code: 'invalid_scope' })
  assert.equal(judge(wide(6_501), null).roles_claim, null)
  assert.equal(judge(wide(6_500), null, true).data_claims, true)
  assert.throws(() => judge(wide(6_501), null, true), { name: 'OAuthError', code: 'invalid_scope' })
})

test('a token never has a resource or scope beyond the grant, nor a scope that none of its resources has', () => {
  const identifiers = policy.audiences.map(({ identifier }) => identifier)
  const names = fc.subarray(all_scopes.split(' '))
  const requests = fc.record({
    scope: names,
    resource: fc.subarray(identifiers),
    requested: fc.subarray(identifiers),
    audiences: fc.subarray([stock, orders, quick, slow]),
    allowed_scopes: names,
  })
  const property = fc.property(requests, ({ scope, resource, requested, ...now }) => {
    const judge = () => targetOf({ scope: scope.join(' '), resource }, requested, { ...policy, ...now })
    try {
      const target = judge()
      const offered = now.audiences.filter(({ identifier }) => target.resource.includes(identifier)).flatMap(({ scopes }) => scopes)
      assert.ok(target.resource.every((one) => resource.includes(one) && (requested.length === 0 || requested.includes(one))))
      assert.ok(requested.every((one) => target.resource.includes(one)))
      for (const name of target.scope.split(' ')) {
        assert.ok(scope.includes(name) && now.allowed_scopes.includes(name))
        assert.ok(own.split(' ').includes(name) || offered.some((one) => one.name === name))
      }
    } catch (error) {
      assert.match(String((error as { code?: string }).code), /^invalid_(target|scope)$/) // as: asserted here
    }
  })
  fc.assert(property)
})
