/** The middleware: one table of requests, sent to each framework. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as forExpress from '@ostiary/sdk/express'
import * as forHono from '@ostiary/sdk/hono'
import { createKeySet, type VerifyOptions } from '@ostiary/sdk/verify'
import { audience, claimsOf, makeKey, now } from './portable/signing-key.ts'
import { frameworks } from './support/frameworks.ts'
import { startIssuer } from './support/issuer.ts'

const key = await makeKey('key-1')
const { issuer } = await startIssuer([key])
const silent = await startIssuer([key])
silent.state.answer = 'reset'
const options: VerifyOptions = { keys: createKeySet({ issuer, now: () => now }), issuer, audience, now: () => now }

const token = await key.sign({}, claimsOf(issuer))
const of_org = await key.sign({}, { ...claimsOf(issuer), org_id: 'org_1' })
const ended: typeof fetch = async () => Response.json({ active: false, reason: 'revoked' })
const gone: typeof fetch = async () => Promise.reject(new Error('The connection broke.'))
const live = { key: 'svc_auth_sk_test_1', base_url: 'https://id.example.com' }
const application = {
  of_organization: options,
  paths: {
    '/orders': { ...options, required_scopes: ['orders:read'] },
    '/admin': { ...options, required_scopes: ['orders:write'] },
    '/scopes': { ...options, scopes: ['orders:read'] },
    '/all-scopes': { ...options, scopes: ['orders:write'], required_scopes: ['orders:read'] },
    '/any': { ...options, organization: 'any' },
    '/ended': { ...options, live: { ...live, fetch: ended } },
    '/gone': { ...options, live: { ...live, fetch: gone } },
    '/silent': { ...options, keys: createKeySet({ issuer: silent.issuer, now: () => now }) },
    '/open': options,
  },
}

const changed = `${token.slice(0, -4)}AAAA`
// biome-ignore format: this table is read by column
const cases: [string, string, string | null, number, RegExp | null][] = [
  ['a valid token',                     '/orders',                          `Bearer ${token}`,        200, null],
  ['a scheme in lower case',            '/orders',                          `bearer ${token}`,        200, null],
  ['no token',                          '/orders',                          null,                     401, /^Bearer scope="orders:read"$/],
  ['no token where no scope is needed', '/open',                            null,                     401, /^Bearer$/],
  ['another scheme',                    '/orders',                          `Basic ${token}`,         401, /^Bearer scope="orders:read"$/],
  ['a token in the address',            `/orders?access_token=${token}`,    null,                     401, /^Bearer scope="orders:read"$/],
  ['two tokens',                        '/orders',                          `Bearer ${token} ${token}`, 401, /^Bearer scope="orders:read"$/],
  ['a changed token',                   '/orders',                          `Bearer ${changed}`,      401, /^Bearer error="invalid_token", error_description="[^"]+", scope="orders:read"$/],
  ['a token without the scope',         '/admin',                           `Bearer ${token}`,        403, /^Bearer error="insufficient_scope", error_description="[^"]+", scope="orders:write"$/],
  ['a token with the scopes',           '/scopes',                          `Bearer ${token}`,        200, null],
  ['a token without one of all scopes', '/all-scopes',                      `Bearer ${token}`,        403, /^Bearer error="insufficient_scope", error_description="[^"]+", scope="orders:read orders:write"$/],
  ['a token of an organization',        '/orders',                          `Bearer ${of_org}`,       403, /^Bearer error="wrong_organization", error_description="[^"]+", scope="orders:read"$/],
  ['a token of any organization',       '/any',                             `Bearer ${of_org}`,       200, null],
  ['a token of the organization of the path', '/of/org_1',                  `Bearer ${of_org}`,       200, null],
  ['a token of another organization',   '/of/org_2',                        `Bearer ${of_org}`,       403, /^Bearer error="wrong_organization"/],
  ['a token of none for the path of one', '/of/org_1',                      `Bearer ${token}`,        403, /^Bearer error="wrong_organization"/],
  ['a path that names every organization', '/of/any',                       `Bearer ${of_org}`,       403, /^Bearer error="wrong_organization"/],
  ['a token that has ended',            '/ended',                           `Bearer ${token}`,        401, /^Bearer error="invalid_token", error_description="[^"]+"$/],
  ['a service that cannot be asked',    '/gone',                            `Bearer ${token}`,        503, null],
  ['keys that cannot be read',          '/silent',                          `Bearer ${token}`,        503, null],
]
for (const [framework, start] of Object.entries(frameworks)) {
  const send = await start(application)
  for (const [what, path, authorization, status, challenge] of cases) {
    test(`${framework} answers ${status} to ${what}`, async () => {
      const response = await send(path, { headers: authorization === null ? {} : { authorization } })
      const body = (await response.json()) as Record<string, unknown> // as: JSON of the test or of the middleware
      assert.equal(response.status, status)
      if (status === 200) return assert.equal(body.sub, 'usr_1')
      assert.deepEqual(Object.keys(body), ['error', 'error_description'])
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.match(response.headers.get('www-authenticate') ?? 'null', challenge ?? /^null$/)
      assert.equal(response.headers.has('retry-after'), status === 503)
    })
  }
}

test('the name of 0.2.0 means protect', () => {
  assert.equal(forExpress.requireToken, forExpress.protect)
  assert.equal(forHono.requireToken, forHono.protect)
})

test('a request that did not pass the middleware has no token', () => {
  assert.throws(() => forExpress.tokenOf({}), TypeError)
  assert.throws(() => forHono.tokenOf({ req: { raw: new Request('http://localhost/') } }), TypeError)
})
