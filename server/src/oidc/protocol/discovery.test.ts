import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchemas } from '@ostiary/contract/settings.ts'
import { discoveryDocument } from './discovery.ts'

const issuer = 'https://id.example.com/e/env_1'
const document = (settings: object = {}) => discoveryDocument(issuer, settingsSchemas.live.parse(settings), ['en', 'de'])

test('every endpoint lies under the issuer', () => {
  const { issuer: told, ...rest } = document()
  assert.equal(told, issuer)
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

test('what OIDC Discovery §3 and RFC 8414 §2 require is there', () => {
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

test('what is not supported is denied where silence would promise it', () => {
  const { request_uri_parameter_supported, request_parameter_supported, claims_parameter_supported } = document()
  assert.deepEqual([request_uri_parameter_supported, request_parameter_supported, claims_parameter_supported], [false, false, false])
})

test('PKCE is S256 only, the response type code only, ID tokens are RS256 only', () => {
  const told = document()
  assert.deepEqual(told.code_challenge_methods_supported, ['S256'])
  assert.deepEqual(told.response_types_supported, ['code'])
  assert.deepEqual(told.id_token_signing_alg_values_supported, ['RS256'])
})

test('clients may authenticate by assertion with any algorithm that is accepted, none of them symmetric (RFC 8414 §2)', () => {
  const told = document()
  for (const endpoint of ['token', 'revocation'] as const) {
    assert.ok(told[`${endpoint}_endpoint_auth_methods_supported`].includes('private_key_jwt'))
    const algorithms = told[`${endpoint}_endpoint_auth_signing_alg_values_supported`]
    assert.ok(algorithms.includes('RS256') && algorithms.includes('ES256'))
    assert.ok(!algorithms.some((algorithm) => algorithm === 'none' || algorithm.startsWith('HS')))
  }
})

test('a disabled scope and its claims are not promised', () => {
  const told = document({ scopes: { disabled: ['phone', 'offline_access'] } })
  assert.deepEqual(told.scopes_supported, ['openid', 'profile', 'email'])
  assert.ok(told.claims_supported.includes('email_verified'))
  assert.ok(!told.claims_supported.includes('phone_number'))
})

test('prompt=create is promised where people can sign up: sign-up is open, and with a password', () => {
  assert.ok(document().prompt_values_supported.includes('create'))
  assert.ok(!document({ sign_up: { mode: 'closed' } }).prompt_values_supported.includes('create'))
  assert.ok(!document({ sign_in: { password: false } }).prompt_values_supported.includes('create'))
})

test('the ways to sign in decide which acr values can be reached', () => {
  assert.deepEqual(document().acr_values_supported, ['urn:ostiary:1fa'])
  const strong = document({ mfa: { mode: 'optional' }, sign_in: { passkey: true } })
  assert.deepEqual(strong.acr_values_supported, ['urn:ostiary:1fa', 'urn:ostiary:2fa', 'urn:ostiary:passkey'])
})

test('links are told where they are set, and absent otherwise', () => {
  assert.ok(!('op_policy_uri' in document()))
  const links = { privacy_url: 'https://a.test/privacy', terms_url: 'https://a.test/terms', support_url: 'https://a.test/help' }
  const told = document({ links })
  assert.deepEqual(
    [told.op_policy_uri, told.op_tos_uri, told.service_documentation],
    [links.privacy_url, links.terms_url, links.support_url],
  )
})

test('no member is null or empty', () => {
  for (const [name, value] of Object.entries(document()))
    assert.ok(value !== null && value !== '' && !(Array.isArray(value) && value.length === 0), name)
})
