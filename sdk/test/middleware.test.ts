/** The middleware: one table of requests, sent to Express and to Hono. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import * as forExpress from '@ostiary/sdk/express'
import * as forHono from '@ostiary/sdk/hono'
import { createKeySet, type VerifyOptions } from '@ostiary/sdk/verify'
import express from 'express'
import { Hono } from 'hono'
import { audience, claimsOf, makeKey, now } from './portable/signing-key.ts'
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
const paths: Record<string, VerifyOptions & { scopes?: string[] }> = {
  '/orders': { ...options, required_scopes: ['orders:read'] },
  '/admin': { ...options, required_scopes: ['orders:write'] },
  '/scopes': { ...options, scopes: ['orders:read'] },
  '/all-scopes': { ...options, scopes: ['orders:write'], required_scopes: ['orders:read'] },
  '/any': { ...options, organization: 'any' },
  '/ended': { ...options, live: { ...live, fetch: ended } },
  '/gone': { ...options, live: { ...live, fetch: gone } },
  '/silent': { ...options, keys: createKeySet({ issuer: silent.issuer, now: () => now }) },
}

async function startExpress() {
  const app = express()
  for (const [path, each] of Object.entries(paths))
    app.get(path, forExpress.protect(each), (request, response) => void response.json({ sub: forExpress.tokenOf(request).sub }))
  const inOrganization = forExpress.protect({ ...options, organization: (request) => request.params.organization })
  app.get('/of/:organization', inOrganization, (request, response) => void response.json({ sub: forExpress.tokenOf(request).sub }))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const address = server.address()
  const base_url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return (path: string, init: RequestInit) => fetch(base_url + path, init)
}

function startHono() {
  const app = new Hono()
  for (const [path, each] of Object.entries(paths)) {
    app.use(path, forHono.protect(each))
    app.get(path, (c) => c.json({ sub: forHono.tokenOf(c).sub }))
  }
  app.use('/of/:organization', forHono.protect({ ...options, organization: (c) => c.req.param('organization') }))
  app.get('/of/:organization', (c) => c.json({ sub: forHono.tokenOf(c).sub }))
  return async (path: string, init: RequestInit) => app.request(path, init)
}

const changed = `${token.slice(0, -4)}AAAA`
// biome-ignore format: this table is read by column
const cases: [string, string, string | null, number, RegExp | null][] = [
  ['a valid token',                     '/orders',                          `Bearer ${token}`,        200, null],
  ['a scheme in lower case',            '/orders',                          `bearer ${token}`,        200, null],
  ['no token',                          '/orders',                          null,                     401, /^Bearer$/],
  ['another scheme',                    '/orders',                          `Basic ${token}`,         401, /^Bearer$/],
  ['a token in the address',            `/orders?access_token=${token}`,    null,                     401, /^Bearer$/],
  ['two tokens',                        '/orders',                          `Bearer ${token} ${token}`, 401, /^Bearer$/],
  ['a changed token',                   '/orders',                          `Bearer ${changed}`,      401, /^Bearer error="invalid_token", error_description="[^"]+"$/],
  ['a token without the scope',         '/admin',                           `Bearer ${token}`,        403, /^Bearer error="insufficient_scope", error_description="[^"]+", scope="orders:write"$/],
  ['a token with the scopes',           '/scopes',                          `Bearer ${token}`,        200, null],
  ['a token without one of all scopes', '/all-scopes',                      `Bearer ${token}`,        403, /^Bearer error="insufficient_scope", error_description="[^"]+", scope="orders:read orders:write"$/],
  ['a token of an organization',        '/orders',                          `Bearer ${of_org}`,       403, /^Bearer error="wrong_organization", error_description="[^"]+"$/],
  ['a token of any organization',       '/any',                             `Bearer ${of_org}`,       200, null],
  ['a token of the organization of the path', '/of/org_1',                  `Bearer ${of_org}`,       200, null],
  ['a token of another organization',   '/of/org_2',                        `Bearer ${of_org}`,       403, /^Bearer error="wrong_organization"/],
  ['a token of none for the path of one', '/of/org_1',                      `Bearer ${token}`,        403, /^Bearer error="wrong_organization"/],
  ['a path that names every organization', '/of/any',                       `Bearer ${of_org}`,       403, /^Bearer error="wrong_organization"/],
  ['a token that has ended',            '/ended',                           `Bearer ${token}`,        401, /^Bearer error="invalid_token", error_description="[^"]+"$/],
  ['a service that cannot be asked',    '/gone',                            `Bearer ${token}`,        503, null],
  ['keys that cannot be read',          '/silent',                          `Bearer ${token}`,        503, null],
]
for (const [framework, send] of [
  ['Express', await startExpress()],
  ['Hono', startHono()],
] as const) {
  for (const [what, path, authorization, status, challenge] of cases) {
    test(`${framework} answers ${status} to ${what}`, async () => {
      const response = await send(path, { headers: authorization === null ? {} : { authorization } })
      const body = (await response.json()) as Record<string, unknown> // as: JSON of the test or of the middleware
      assert.equal(response.status, status)
      if (status === 200) return assert.deepEqual(body, { sub: 'usr_1' })
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
