import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { targetOf } from './token-target.ts'

type Policy = Parameters<typeof targetOf>[2]

const orders = {
  identifier: 'https://orders.test',
  scopes: [{ name: 'orders:read' }, { name: 'read' }],
  access_token_ttl_seconds: 600,
  access_token_format: 'jwt' as const,
}
const stock = {
  identifier: 'urn:stock',
  scopes: [{ name: 'stock:read' }, { name: 'read' }],
  access_token_ttl_seconds: null,
  access_token_format: 'opaque' as const,
}
const quick = { identifier: 'https://quick.test', scopes: [], access_token_ttl_seconds: 60, access_token_format: 'opaque' as const }
const slow = { ...quick, identifier: 'https://slow.test', access_token_ttl_seconds: 86_400 }

const all_scopes = 'openid email offline_access orders:read stock:read read'
const grant = { scope: all_scopes, resource: [orders.identifier, stock.identifier] }
const policy: Policy = {
  audiences: [stock, orders, quick, slow],
  allowed_scopes: all_scopes.split(' '),
  disabled_scopes: [],
  tokens: { access_token_ttl_seconds: 3_600, access_token_format: 'jwt' as const },
}
const own = 'openid email offline_access'

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
    test(rule, () => assert.deepEqual(judge(), { scope, resource, ttl_seconds, format }))
  }
}

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
