import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthorizationRequest } from '@ostiary/contract/oidc.ts'
import { settingsSchemas } from '@ostiary/contract/settings.ts'
import { discoveryDocument } from './discovery.ts'

const issuer = 'https://id.example.com/e/env_1'
const mailed = { delivery: 'smtp', from: 'id@example.com', smtp: { host: 'mail.example.com', port: 587 } }
const document = (settings: object = {}) => discoveryDocument(issuer, settingsSchemas.live.parse(settings), ['en', 'de'])

test('every endpoint is below the issuer URL', () => {
  const { issuer: announced, ...rest } = document()
  assert.equal(announced, issuer)
  const endpoints = Object.entries(rest).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')
  assert.deepEqual(Object.fromEntries(endpoints), {
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/v1/oauth/token`,
    userinfo_endpoint: `${issuer}/v1/oauth/userinfo`,
    jwks_uri: `${issuer}/v1/oauth/jwks.json`,
    revocation_endpoint: `${issuer}/v1/oauth/revoke`,
    end_session_endpoint: `${issuer}/oauth/logout`,
  })
})

test('the document has the members that OIDC Discovery §3 and RFC 8414 §2 require', () => {
  const required = [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'response_types_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
  ]
  for (const name of required) assert.ok(name in document(), name)
})

test('the document denies unsupported parameters that count as supported where it says nothing', () => {
  const { request_uri_parameter_supported, request_parameter_supported, claims_parameter_supported } = document()
  assert.deepEqual([request_uri_parameter_supported, request_parameter_supported, claims_parameter_supported], [false, false, false])
})

test('the API description names every response mode and every prompt', () => {
  const { response_mode, prompt } = AuthorizationRequest.shape
  for (const mode of document().response_modes_supported) assert.ok(response_mode.description?.includes(`\`${mode}\``), mode)
  for (const value of document().prompt_values_supported) assert.ok(prompt.description?.includes(`\`${value}\``), value)
})

test('the only PKCE method is S256, the only response type code, the only ID token algorithm RS256', () => {
  const metadata = document()
  assert.deepEqual(metadata.code_challenge_methods_supported, ['S256'])
  assert.deepEqual(metadata.response_types_supported, ['code'])
  assert.deepEqual(metadata.id_token_signing_alg_values_supported, ['RS256'])
})

test('the algorithms of client assertions are listed, and none is symmetric (RFC 8414 §2)', () => {
  const metadata = document()
  for (const endpoint of ['token', 'revocation'] as const) {
    assert.ok(metadata[`${endpoint}_endpoint_auth_methods_supported`].includes('private_key_jwt'))
    const algorithms = metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`]
    assert.ok(algorithms.includes('RS256') && algorithms.includes('ES256'))
    assert.ok(!algorithms.some((algorithm) => algorithm === 'none' || algorithm.startsWith('HS')))
  }
})

test('a disabled scope and its claims are not listed', () => {
  const metadata = document({ scopes: { disabled: ['phone', 'offline_access'] } })
  assert.deepEqual(metadata.scopes_supported, ['openid', 'profile', 'email'])
  assert.ok(metadata.claims_supported.includes('email_verified'))
  assert.ok(!metadata.claims_supported.includes('phone_number'))
})

// biome-ignore format: this table is read by column
const sign_ups: [what: string, settings: object, is_listed: boolean][] = [
  ['by default',                                        {},                                                               true],
  ['with sign-up closed',                               { sign_up: { mode: 'closed' } },                                  false],
  ['without passwords and mail',                        { sign_in: { password: false, passkey: true } },                  false],
  ['with emailed codes instead of passwords',           { sign_in: { password: false, email_code: true }, email: mailed }, true],
  ['with passkeys and mail instead of passwords',       { sign_in: { password: false, passkey: true }, email: mailed },   true],
  ['with mail, and only providers to sign in',          { sign_in: { password: false }, email: mailed },                  false],
]
for (const [what, settings, is_listed] of sign_ups)
  test(`prompt=create is ${is_listed ? '' : 'not '}listed ${what}`, () => {
    assert.equal(document(settings).prompt_values_supported.includes('create'), is_listed)
  })

test('the listed acr values are those that the enabled sign-in methods reach', () => {
  assert.deepEqual(document().acr_values_supported, ['urn:ostiary:1fa'])
  const strong = document({ mfa: { mode: 'optional' }, sign_in: { passkey: true } })
  assert.deepEqual(strong.acr_values_supported, ['urn:ostiary:1fa', 'urn:ostiary:2fa', 'urn:ostiary:passkey'])
})

test('links are present where they are set', () => {
  assert.ok(!('op_policy_uri' in document()))
  const links = { privacy_url: 'https://a.test/privacy', terms_url: 'https://a.test/terms', support_url: 'https://a.test/help' }
  const metadata = document({ links })
  assert.deepEqual(
    [metadata.op_policy_uri, metadata.op_tos_uri, metadata.service_documentation],
    [links.privacy_url, links.terms_url, links.support_url],
  )
})

test('no member is null or empty', () => {
  for (const [name, value] of Object.entries(document()))
    assert.ok(value !== null && value !== '' && !(Array.isArray(value) && value.length === 0), name)
})
