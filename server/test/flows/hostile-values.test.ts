/** Values that are costly to process, at every input: each is refused by its length, before the service normalises it. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes } from '@ostiary/contract/routes.ts'
import { authorizationRequest, createPerson } from '../support/cookie-browser.ts'
import { parsed } from '../support/parsed-parameters.ts'
import { type RawReply, rawRequest, sendRaw } from '../support/raw-http.ts'
import { createAuthKey } from '../support/tenants.ts'
import { world } from '../support/world.ts'

const w = await world()
const client = await w.createApplication(w.test)
const person = await createPerson(w, w.test)
const issuer_path = new URL(w.test.issuer).pathname
const { search } = new URL(authorizationRequest(w.test, client).url)
const form = 'application/x-www-form-urlencoded'
const users_path = '/v1/auth/users'
const { key: secret_key } = await createAuthKey(w, w.test, 'auth_secret', { rate_limit: { limit: 10_000, window_seconds: 10 } })

/** The longest text that was normalised since the last test. */
const seen = { normalised: 0 }
const { normalize } = String.prototype
String.prototype.normalize = function (this: string, form?: string) {
  seen.normalised = Math.max(seen.normalised, this.length)
  return normalize.call(this, form)
}
afterEach(() => {
  seen.normalised = 0
})

const marks = (length: number) => 'a'.padEnd(length, '\u0301\u0316')
// biome-ignore format: this table is read by column
const values: [what: string, value: string][] = [
  ['100 kB of combining marks',       marks(50_000)],
  ['1 MB of combining marks',         marks(500_000)],
  ['1 MB of one letter',              'a'.repeat(1_000_000)],
  ['1 MB of dots and at signs',       'a.@'.repeat(333_000)],
  ['24 kB of combining marks',        marks(12_000)],
]

const send = (method: string, path: string, headers: Record<string, string>, body: string | Buffer = '') =>
  sendRaw(w.base_url, rawRequest(method, path, headers, body))
const post = (path: string, fields: Record<string, string>) => send('POST', `${issuer_path}/${path}`, { 'content-type': form }, raw(fields))
/** Letters are not percent-encoded, so that a megabyte of them fits into a body. */
const raw = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${name === 'request' ? encodeURIComponent(value) : value}`)
    .join('&')
const postJson = (method: string, path: string, body: object) =>
  send(method, path, { 'content-type': 'application/json', 'x-api-key': secret_key }, JSON.stringify(body))

const request = search.slice(1)
const account = { request, email: person.email, password: person.password }
// biome-ignore format: this table is read by column
const inputs: [input: string, statuses: number[], send: (value: string) => Promise<RawReply>][] = [
  ['the email of a sign-in form',       [303, 400, 413],     (value) => post('sign-in', { ...account, email: value })],
  ['the password of a sign-in form',    [303, 400, 413],     (value) => post('sign-in', { ...account, password: value })],
  ['the request of a sign-in form',     [400, 413],      (value) => post('sign-in', { ...account, request: value.slice(0, 100_000) })],
  ['the token of a sign-in form',       [303, 400, 413],     (value) => post('sign-in', { ...account, csrf: value })],
  ['the email of a sign-up form',       [303, 400, 413],     (value) => post('sign-up', { ...account, email: value })],
  ['the name of a sign-up form',        [303, 400, 413],     (value) => post('sign-up', { ...account, name: value })],
  ['the password of a sign-up form',    [303, 400, 413],     (value) => post('sign-up', { ...account, email: 'new@example.com', password: value })],
  ['the password of an invitation',     [400, 413],      (value) => post('invitation', { token: 'x', password: value })],
  ['the name of a parameter',           [400, 401, 413], (value) => post('v1/oauth/token', { grant_type: 'x', client_id: client.client_id, [value]: 'x' })],
  ['client_id at the token endpoint',   [400, 401, 413], (value) => post('v1/oauth/token', { grant_type: 'x', client_id: value })],
  ['a code at the token endpoint',      [400, 401, 413], (value) => post('v1/oauth/token', { grant_type: 'authorization_code', client_id: client.client_id, code: value })],
  ['a refresh token',                   [400, 401, 413], (value) => post('v1/oauth/token', { grant_type: 'refresh_token', client_id: client.client_id, refresh_token: value })],
  ['a client assertion',                [400, 401, 413], (value) => post('v1/oauth/token', { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', client_assertion: value })],
  ['the access token of userinfo',      [400, 401, 413], (value) => post('v1/oauth/userinfo', { access_token: value })],
  ['an authorization request by POST',  [400, 413],      (value) => post('oauth/authorize', { client_id: value })],
  ['a sign-out by POST',                [400, 413],      (value) => post('oauth/logout', { id_token_hint: value })],
  ['the callback of a provider',        [400, 404, 413], (value) => post('oauth/callback/prv_01m7wwr5ftevtv5yxb47hmb4ht', { state: value })],
  ['the query of authorize',            [400, 431],      (value) => send('GET', `${issuer_path}/oauth/authorize${search}&x=${encodeURIComponent(value)}`, {})],
  ['client_id of authorize',            [400, 431],      (value) => send('GET', `${issuer_path}/oauth/authorize?client_id=${encodeURIComponent(value)}`, {})],
  ['a path',                            [404, 400, 431], (value) => send('GET', `/e/${encodeURIComponent(value)}/oauth/authorize`, {})],
  ['the query of a list',               [422, 431],      (value) => send('GET', `${users_path}?query=${encodeURIComponent(value)}`, { 'x-api-key': secret_key })],
  ['the email of a list',               [422, 431],      (value) => send('GET', `${users_path}?email=${encodeURIComponent(value)}`, { 'x-api-key': secret_key })],
  ['an API key',                        [401, 400, 431], (value) => send('GET', users_path, { 'x-api-key': value })],
  ['an Authorization header',           [401, 400, 431], (value) => send('GET', users_path, { authorization: `Bearer ${value}` })],
  ['the email of a user in JSON',       [422, 413],      (value) => postJson('POST', users_path, { email: value })],
  ['the password of a user in JSON',    [422, 413],      (value) => postJson('POST', users_path, { email: 'x@example.com', password: value })],
  ['the name of a user in JSON',        [422, 413],      (value) => postJson('POST', users_path, { email: 'x@example.com', name: value })],
  ['the name of a field in JSON',       [422, 413],      (value) => postJson('POST', users_path, { email: 'x@example.com', [value]: 1 })],
]
for (const [input, statuses, sendTo] of inputs) {
  for (const [what, value] of values)
    test(`${input}: ${what} are refused and never normalised`, async () => {
      const reply = await sendTo(value)
      assert.ok(statuses.includes(reply.status), `${reply.status} ${reply.body.slice(0, 200)}`)
      assert.ok(reply.body.length < 100_000, `an answer of ${reply.body.length} characters`)
      assert.ok(seen.normalised <= 1_000, `${seen.normalised} characters were normalised`)
    })
}

const pages = Object.entries(oidcRoutes as Record<string, Route>).filter(([, { page, method }]) => page && method === 'GET')
for (const [name, { path }] of pages)
  test(`${name}: a query of 9,000 parameters is refused without being parsed, and the page repeats nothing of it`, async () => {
    const address = path.replace('{environment_id}', w.test.id).replaceAll(/\{\w+\}/g, 'prv_01m7wwr5ftevtv5yxb47hmb4ht')
    parsed.total = 0
    const reply = await send('GET', `${address}?ui_locales=de&${'aq&'.repeat(9_000)}`, {})
    assert.deepEqual([reply.status, reply.body.includes('aq&')], [400, false])
    assert.ok(parsed.total < 1_000, `${parsed.total} characters were parsed`)
  })
test('the table has every page', () => assert.ok(pages.length > 15, `${pages.length}`))

// biome-ignore format: this table is read by column
const shapes: [what: string, statuses: number[], send: () => Promise<RawReply>][] = [
  ['a hundred thousand parameters',     [400],      () => send('POST', `${issuer_path}/v1/oauth/token`, { 'content-type': form }, 'a&'.repeat(100_000))],
  ['half a million ampersands',         [400],      () => send('POST', `${issuer_path}/sign-in`, { 'content-type': form }, '&'.repeat(500_000))],
  ['a hundred thousand brackets',       [400],      () => send('POST', users_path, { 'content-type': 'application/json', 'x-api-key': secret_key }, '['.repeat(100_000))],
  ['half a million values',             [400],      () => send('POST', users_path, { 'content-type': 'application/json', 'x-api-key': secret_key }, `[${'1,'.repeat(500_000)}1]`)],
  ['fifteen thousand unknown fields',   [422],      () => postJson('POST', users_path, Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`f${i}`, 1])))],
]
for (const [what, statuses, sendIt] of shapes) {
  test(`${what} are refused with a short answer`, async () => {
    const reply = await sendIt()
    assert.ok(statuses.includes(reply.status), `${reply.status} ${reply.body.slice(0, 200)}`)
    assert.ok(reply.body.length < 30_000, `${reply.body.length}`)
  })
}

for (const name of ['session', 'form', 'device']) {
  const own = `ostiary_${name}_${w.test.id}`
  const cookies = {
    'thousands of cookies': 'a=b; '.repeat(5_000),
    'a long value': `${own}=${'a'.repeat(20_000)}`,
    'a value of many parts': `${own}=${'a.'.repeat(10_000)}`,
    'letters beyond ASCII': `${own}=\xe9.\xe9`,
    'a value of a wrong form': `${own}=a.b.c`,
  }
  for (const [what, cookie] of Object.entries(cookies))
    test(`${what} count as no ${name} cookie`, async () => {
      const reply = await send('GET', `${issuer_path}/oauth/authorize${search}`, { cookie })
      assert.equal(reply.status, 200, `${reply.body.slice(0, 200)}`)
      const signed_in = await send('POST', `${issuer_path}/sign-in`, { cookie, 'content-type': form }, raw(account))
      assert.equal(signed_in.status, 303)
      assert.match(String(signed_in.headers.location), /\?refused=no_cookies&/)
    })
}
