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
  /** scope, resource, lifetime and format, or the code of the refusal. */
  gives: [scope: string, resource: string[], ttl_seconds: number, format: string] | string
}

// biome-ignore format: this table is read by line
const cases: Case[] = [
  { rule: 'without resource servers a token is the environment\'s own', grant: { resource: [], scope: own }, gives: [own, [], 3_600, 'jwt'] },
  { rule: 'an environment may make its own tokens opaque and short', grant: { resource: [], scope: own }, policy: { tokens: { access_token_ttl_seconds: 60, access_token_format: 'opaque' } }, gives: [own, [], 60, 'opaque'] },
  { rule: 'a token that names no resource is for all that was granted', gives: [all_scopes, [orders.identifier, stock.identifier], 600, 'jwt'] },
  { rule: 'a token for one resource has its scopes only, and those of OpenID Connect', requested: [orders.identifier], gives: [`${own} orders:read read`, [orders.identifier], 600, 'jwt'] },
  { rule: 'a resource server may want opaque tokens; without a lifetime of its own the environment\'s counts', requested: [stock.identifier], gives: [`${own} stock:read read`, [stock.identifier], 3_600, 'opaque'] },
  { rule: 'several are named in the order of the request', requested: [stock.identifier, orders.identifier], gives: [all_scopes, [stock.identifier, orders.identifier], 600, 'jwt'] },
  { rule: 'several that all want opaque tokens get one, with the shortest lifetime', grant: { resource: [slow.identifier, quick.identifier] }, gives: [own, [slow.identifier, quick.identifier], 60, 'opaque'] },
  { rule: 'the environment\'s lifetime counts where it is the shortest', grant: { resource: [slow.identifier, stock.identifier] }, gives: [`${own} stock:read read`, [slow.identifier, stock.identifier], 3_600, 'opaque'] },
  { rule: 'a resource server may let its tokens live longer than the environment\'s own', grant: { resource: [slow.identifier] }, gives: [own, [slow.identifier], 86_400, 'opaque'] },

  { rule: 'one that was not granted', requested: [quick.identifier], gives: 'invalid_target' },
  { rule: 'one of several that was not granted', requested: [orders.identifier, quick.identifier], gives: 'invalid_target' },
  { rule: 'one that differs in a slash', requested: [`${orders.identifier}/`], gives: 'invalid_target' },
  { rule: 'one where none was granted', grant: { resource: [] }, requested: [orders.identifier], gives: 'invalid_target' },
  { rule: 'one that is no more', requested: [orders.identifier], policy: { audiences: [stock] }, gives: 'invalid_target' },
  { rule: 'one that is no more beside one that is', requested: [orders.identifier, stock.identifier], policy: { audiences: [stock] }, gives: 'invalid_target' },
  { rule: 'one that is no more is left out where none is named', policy: { audiences: [stock] }, gives: [`${own} stock:read read`, [stock.identifier], 3_600, 'opaque'] },
  { rule: 'where all are no more the token is the environment\'s own', policy: { audiences: [] }, gives: [own, [], 3_600, 'jwt'] },

  { rule: 'a scope that the resource server has lost is left out', policy: { audiences: [{ ...orders, scopes: [{ name: 'read' }] }, stock] }, gives: [`${own} stock:read read`, [orders.identifier, stock.identifier], 600, 'jwt'] },
  { rule: 'a scope that the resource server has won is not given, since nobody was asked', grant: { scope: 'openid', resource: [orders.identifier] }, gives: ['openid', [orders.identifier], 600, 'jwt'] },
  { rule: 'a scope that the application has lost is left out', policy: { allowed_scopes: ['openid', 'read'] }, gives: ['openid read', [orders.identifier, stock.identifier], 600, 'jwt'] },
  { rule: 'a scope that the environment has disabled is left out', policy: { disabled_scopes: ['email'] }, requested: [orders.identifier], gives: ['openid offline_access orders:read read', [orders.identifier], 600, 'jwt'] },
  { rule: 'a scope that belongs to another resource only', grant: { scope: 'stock:read' }, requested: [orders.identifier], gives: 'invalid_scope' },
  { rule: 'nothing that the application still may have', policy: { allowed_scopes: [] }, gives: 'invalid_scope' },
]
for (const { rule, gives, requested = [], ...given } of cases) {
  const judge = () => targetOf({ ...grant, ...given.grant }, requested, { ...policy, ...given.policy })
  if (typeof gives === 'string') test(`${rule} is ${gives}`, () => assert.throws(judge, { name: 'OAuthError', code: gives }))
  else {
    const [scope, resource, ttl_seconds, format] = gives
    test(rule, () => assert.deepEqual(judge(), { scope, resource, ttl_seconds, format }))
  }
}

test('whatever is asked for, a token never has a resource or a scope beyond the grant, nor a scope that none of its resources has', () => {
  const identifiers = policy.audiences.map(({ identifier }) => identifier)
  const names = fc.subarray(all_scopes.split(' '))
  const given = fc.record({
    scope: names,
    resource: fc.subarray(identifiers),
    requested: fc.subarray(identifiers),
    audiences: fc.subarray([stock, orders, quick, slow]),
    allowed_scopes: names,
  })
  const property = fc.property(given, ({ scope, resource, requested, ...now }) => {
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
