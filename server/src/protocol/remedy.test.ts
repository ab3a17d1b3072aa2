import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spa, web } from '../../test/support/example-clients.ts'
import { readParameters } from './parameters.ts'
import { remedyOf } from './remedy.ts'

const policy = {
  disabled_scopes: ['phone'],
  resources: [{ identifier: 'https://api.example.com', scopes: ['meals:read'] }],
  scopes_elsewhere: ['stock:read'],
}
const good = {
  response_type: 'code',
  client_id: web.client_id,
  redirect_uri: 'https://app.example.com/callback',
  scope: 'openid email',
  nonce: 'n-0S6',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}
const no_challenge = { code_challenge: '', code_challenge_method: '' }
const new_web = { ...web, nonce_replaces_pkce: true }

// biome-ignore format: this table is read by column
const cases: [why: string, change: object, client: typeof web, remedy: object | null][] = [
  ['a nonce stands in the place of PKCE',                 no_challenge,                                       web,     { nonce_replaces_pkce: true }],
  ['neither PKCE nor a nonce is sent',                    { ...no_challenge, nonce: '' },                     web,     { require_pkce: false }],
  ['neither is sent, and a nonce would count',            { ...no_challenge, nonce: '' },                     new_web, { require_pkce: false }],
  ['a scope is unknown',                                  { scope: 'openid groups' },                         web,     { unknown_scopes: 'ignore' }],
  ['a scope is unknown, and a nonce replaces PKCE',       { ...no_challenge, scope: 'openid groups' },        web,     { unknown_scopes: 'ignore', nonce_replaces_pkce: true }],
  ['a scope is unknown, and there is no PKCE and nonce',  { ...no_challenge, nonce: '', scope: 'openid x' },  web,     { unknown_scopes: 'ignore', require_pkce: false }],
  ['a scope is disabled',                                 { scope: 'openid phone' },                          web,     null],
  ['one scope is unknown and one is disabled',          { scope: 'openid groups phone' },                   web,     null],
  ['a scope is of a resource server that is not named',   { scope: 'openid stock:read' },                     web,     null],
  ['a scope is not allowed',                              { scope: 'openid offline_access' },                 { ...web, allowed_scopes: ['openid'] }, null],
  ['openid is missing',                                   { scope: 'email' },                                 web,     null],
  ['a resource is unknown',                               { resource: 'https://nowhere.example.com' },        web,     null],
  ['the challenge is plain',                              { code_challenge_method: 'plain' },                 web,     null],
  ['the method stands without a challenge',               { code_challenge: '' },                             web,     null],
  ['PKCE is missing and prompt is unknown',               { ...no_challenge, prompt: 'nonsense' },            web,     null],
  ['PKCE is missing and the redirect URI is unregistered', { ...no_challenge, redirect_uri: 'https://evil.test/' }, web, null],
  ['PKCE is missing and the application is disabled',     no_challenge,                                       { ...web, disabled: true }, null],
  ['a public client sends no PKCE',                       no_challenge,                                       spa,     null],
  ['a public client sends neither PKCE nor a nonce',      { ...no_challenge, nonce: '' },                     spa,     null],
  ['a public client asks for an unknown scope',           { scope: 'openid groups' },                         spa,     { unknown_scopes: 'ignore' }],
  ['a public client asks for one without PKCE',           { ...no_challenge, scope: 'openid groups' },        spa,     null],
]
for (const [why, change, client, remedy] of cases)
  test(`the remedy is ${JSON.stringify(remedy)} when ${why}`, () => {
    assert.deepEqual(remedyOf(readParameters(new URLSearchParams({ ...good, ...change })), client, policy), remedy)
  })

test('a request with more unknown scopes than one look-up decides has no remedy', () => {
  const parameters = readParameters(new URLSearchParams({ ...good, scope: 'openid groups' }))
  assert.equal(remedyOf(parameters, web, { ...policy, scopes_elsewhere: undefined }), null)
})
