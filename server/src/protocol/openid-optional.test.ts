/** Authorization requests without openid, and the tokens of their grants (decision 0013). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spa, web } from '../../test/support/example-clients.ts'
import { judgeAuthorizationRequest } from './authorize.ts'
import { accessTokenClaims } from './claims.ts'
import { readParameters } from './parameters.ts'
import { remedyOf } from './remedy.ts'
import { findResource, readScope, spellingsOf } from './requested.ts'
import { no_access } from './roles.ts'
import { targetOf } from './token-target.ts'

const api = { identifier: 'https://mcp.example.com', scopes: ['notes:read'] }
const client = { ...web, allowed_scopes: ['openid', 'profile', 'email', 'phone', 'offline_access', 'notes:read'] }
const lenient = { ...client, unknown_scopes: 'ignore' as const }
const on = { disabled_scopes: [], scopes_elsewhere: [], openid_optional: true }
const off = { ...on, openid_optional: false }

type Case = [
  rule: string,
  sent: string | undefined,
  gives: string | null,
  change?: { policy?: typeof on; resources?: []; client?: typeof client },
]

// biome-ignore format: this table is read by column
const cases: Case[] = [
  ['a scope of the resource server alone is granted',                   'notes:read',                   'notes:read'],
  ['offline_access may be the only scope',                              'offline_access',               'offline_access'],
  ['a missing scope grants none',                                       undefined,                      ''],
  ['a scope of spaces only grants none',                                '   ',                          ''],
  ['extra spaces are ignored',                                          '  notes:read   offline_access ', 'notes:read offline_access'],
  ['openid is never added, and stays where it is sent',                 'openid notes:read',            'openid notes:read'],
  ['profile needs openid',                                              'notes:read profile',           null],
  ['email needs openid',                                                'email',                        null],
  ['phone needs openid',                                                'phone offline_access',         null],
  ['profile with openid is granted',                                    'profile openid',               'profile openid'],
  ['an unknown scope is refused',                                       'notes:read notes:write',       null],
  ['an unknown scope is left out where the application says so',        'notes:read notes:write',       'notes:read', { client: lenient }],
  ['a scope of which nothing is left is refused',                       'notes:write',                  null,         { client: lenient }],
  ['a word with characters that no scope has is refused',               'notes:read é',                 null],
  ['a tab separates nothing',                                                 'notes:read\toffline_access',   null],
  ['without a resource a missing scope is refused',                     undefined,                      null,         { resources: [] }],
  ['without a resource openid is needed',                               'offline_access',               null,         { resources: [] }],
  ['without a resource openid is enough',                               'openid',                       'openid',     { resources: [] }],
  ['without the setting a missing scope is refused',                    undefined,                      null,         { policy: off }],
  ['without the setting openid is needed',                              'notes:read',                   null,         { policy: off }],
]
for (const [rule, sent, gives, { policy = on, resources = [api], client: of = client } = {}] of cases)
  test(rule, () => {
    const read = () => readScope(sent, of, policy, resources)
    if (gives === null) assert.throws(read, { name: 'OAuthError', code: 'invalid_scope' })
    else assert.equal(read(), gives)
  })

const origin = { identifier: 'https://mcp.example.com' }
const with_port = { identifier: 'http://localhost:8086' }
const with_path = { identifier: 'https://mcp.example.com/mcp' }
const urn = { identifier: 'urn:example' }
const slashed = { identifier: 'https://mcp.example.com/' }
const known = [origin, with_port, with_path, urn]

// biome-ignore format: this table is read by column
const spellings: [rule: string, sent: string, found: { identifier: string } | undefined, known: { identifier: string }[]][] = [
  ['an origin is found by itself',                                'https://mcp.example.com',        origin,    known],
  ['an origin is found with one slash',                           'https://mcp.example.com/',       origin,    known],
  ['an origin with a port is found with one slash',               'http://localhost:8086/',         with_port, known],
  ['two slashes are another identifier',                          'https://mcp.example.com//',      undefined, known],
  ['an identifier with exactly the slash comes first',            'https://mcp.example.com/',       slashed,   [origin, slashed]],
  ['an identifier without the slash is not found by it',          'https://mcp.example.com',        undefined, [slashed]],
  ['an identifier with a path is compared exactly',               'https://mcp.example.com/mcp/',   undefined, known],
  ['an identifier of another scheme is compared exactly',         'urn:example/',                   undefined, known],
  ['another case is another identifier',                          'https://MCP.example.com/',       undefined, known],
  ['the default port is another identifier',                      'https://mcp.example.com:443/',   undefined, known],
  ['a query after the slash is another identifier',               'https://mcp.example.com/?',      undefined, known],
  ['user info is another identifier',                             'https://a@mcp.example.com/',     undefined, known],
]
for (const [rule, sent, found, all] of spellings)
  test(`${rule}, only where openid is optional`, () => {
    assert.equal(findResource(sent, all, true), found)
    assert.equal(
      findResource(sent, all, false),
      all.find(({ identifier }) => identifier === sent),
    )
    assert.deepEqual(spellingsOf(sent, false), [sent])
  })

const challenge = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }
const requestOf = (change: Record<string, string>, of = client) =>
  readParameters(
    new URLSearchParams({
      ...{
        response_type: 'code',
        client_id: of.client_id,
        redirect_uri: 'https://app.example.com/callback',
        resource: api.identifier,
        nonce: 'n',
      },
      ...change,
    }),
  )
const judge = (change: Record<string, string>, of = client) =>
  judgeAuthorizationRequest(requestOf(change, of), of, { ...on, resources: [api] })

test('a nonce takes the place of PKCE only in a request with openid', () => {
  const lax = { ...client, nonce_replaces_pkce: true }
  assert.equal(judge({ scope: 'openid notes:read' }, lax).kind, 'proceed')
  for (const scope of ['notes:read', '']) {
    const verdict = judge({ scope }, lax)
    assert.ok(verdict.kind === 'return_error')
    assert.deepEqual([verdict.error.code, /nonce/.test(verdict.error.message)], ['invalid_request', false])
    assert.equal(judge({ scope, ...challenge }, lax).kind, 'proceed')
  }
})

test('a refused call without openid is not advised to send a nonce', () =>
  assert.deepEqual(remedyOf(requestOf({ scope: 'notes:read' }), client, { ...on, resources: [api] }), { require_pkce: false }))

test('a public client needs PKCE without openid too', () =>
  assert.equal(judge({ scope: 'notes:read' }, { ...spa, allowed_scopes: client.allowed_scopes }).kind, 'return_error'))

test('two spellings of one resource are one resource', () => {
  const both = readParameters([
    ...new URLSearchParams({
      ...challenge,
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: 'https://app.example.com/callback',
    }),
    ['resource', api.identifier],
    ['resource', `${api.identifier}/`],
  ])
  const verdict = judgeAuthorizationRequest(both, client, { ...on, resources: [api] })
  assert.ok(verdict.kind === 'proceed')
  assert.deepEqual([verdict.request.resource, verdict.request.scope, verdict.request.consent_to], [[api.identifier], '', [api.identifier]])
})

const issuer = 'https://id.example.com/e/env_1'
const now = new Date('2026-11-20T16:31:00Z')
const grant = {
  grant_id: 'grt_1',
  client_id: 'app_1',
  sub: 'usr_1',
  session_id: 'ses_1',
  auth_time: now,
  amr: ['pwd'],
  acr: 'urn:ostiary:1fa',
  organization_id: null,
}
const claimsOf = (resource: string[], scope: string) =>
  accessTokenClaims(issuer, grant, { jti: 'j', scope, resource, ttl_seconds: 60, without_openid: true }, now)

test('a token without openid is for its resource servers alone: one as a text, several as an array', () => {
  assert.equal(claimsOf(['https://a.test'], 'x').aud, 'https://a.test')
  assert.deepEqual(claimsOf(['https://a.test', 'https://b.test'], 'x').aud, ['https://a.test', 'https://b.test'])
})

test('a token without a scope has no such claim', () => assert.ok(!('scope' in claimsOf(['https://a.test'], ''))))

const audience = {
  access_token_ttl_seconds: null,
  access_token_format: 'jwt' as const,
  access_token_signing_alg: 'RS256' as const,
  roles_claim: null,
  data_claims: false,
}
const notes = { ...audience, identifier: 'https://notes.test', scopes: [{ name: 'notes:read' }] }
const tasks = { ...audience, identifier: 'https://tasks.test', scopes: [] }
const policy = {
  ...{
    audiences: [notes, tasks],
    allowed_scopes: ['notes:read', 'offline_access'],
    roles_claim: null,
    access: no_access,
    held: 0n,
    disabled_scopes: [],
  },
  tokens: { access_token_ttl_seconds: 3_600, access_token_format: 'jwt' as const },
}
const granted = { scope: '', resource: [notes.identifier, tasks.identifier], without_openid: true }

test('a grant without a scope gives tokens without one, for all resource servers or one of them', () => {
  const { scope, resource } = targetOf(granted, [], policy)
  assert.deepEqual([scope, resource], ['', granted.resource])
  assert.deepEqual(targetOf(granted, [tasks.identifier], policy).resource, [tasks.identifier])
})

test('a grant of which no scope is left gives no token', () =>
  assert.throws(() => targetOf({ ...granted, scope: 'notes:read' }, [tasks.identifier], policy), { code: 'invalid_scope' }))

test('a grant without openid of which no resource server is left gives no token', () => {
  for (const scope of ['', 'offline_access'])
    assert.throws(() => targetOf({ ...granted, scope }, [], { ...policy, audiences: [] }), { code: 'invalid_target' })
  assert.deepEqual(targetOf({ ...granted, scope: 'offline_access' }, [], { ...policy, audiences: [tasks] }).resource, [tasks.identifier])
})
