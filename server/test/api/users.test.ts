/** The users of an environment, as its backend manages them with a secret key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { administratorToken } from '../support/administrator.ts'
import {
  authorizationRequest,
  createAgent,
  exchange,
  followToClient,
  obtainCode,
  refresh,
  signInForTokens,
  userinfo,
} from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const secret = await createAuthKey(w, w.test, 'auth_secret')
const live = await createAuthKey(w, w.live, 'auth_secret')
const password = 'a memorable sentence'

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  w.call(method, `/v1/auth/${path}`, { key: secret.key, body, headers })
const users = (method: string, body?: unknown, headers?: Record<string, string>) => api(method, 'users', body, headers)
const user = (id: string, method: string, body?: unknown, headers?: Record<string, string>) => api(method, `users/${id}`, body, headers)
const create = async (fields: object = {}) => expectStatus(201, await users('POST', { email: newEmail(), ...fields }))
let emails = 0
const newEmail = () => `user${++emails}@users.example.com`
const pointersOf = ({ status, body }: Reply) => [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]

/** Every field: two values and its default. */
// biome-ignore format: this table is read by column
const fields: [name: string, value: unknown, other: unknown, fallback: unknown][] = [
  ['email_verified',        true,                             false,                     false],
  ['phone_number',          '+4915112345678',                 '+12025550123',            null],
  ['phone_number_verified', true,                             false,                     false],
  ['name',                  'Ada Lovelace',                   'Ada King 🧮',             null],
  ['given_name',            'Ada',                            'Augusta',                 null],
  ['family_name',           'Lovelace',                       'King',                    null],
  ['nickname',              'Enchantress of Number',          'A.A.L.',                  null],
  ['preferred_username',    'ada',                            'ada.l',                   null],
  ['picture',               'https://cdn.example.com/a.png',  'http://localhost/b.png',  null],
  ['locale',                'de-AT',                          'zh-Hant-TW',              null],
  ['zoneinfo',              'Europe/Vienna',                  'Etc/GMT+5',               null],
  ['metadata',              { plan: 'gold', n: { a: [1] } },  { plan: 'gold', n: { a: [] } }, {}],
  ['claims',                { plan: 'gold', n: { a: 1 } },    { plan: 'gold', n: { a: [] } }, {}],
]

test('every field is stored as it was sent', async () => {
  const sent = Object.fromEntries(fields.map(([name, value]) => [name, value]))
  const reply = await users('POST', { email: 'ada@example.com', password, ...sent })
  const created = expectStatus(201, reply)
  const { id, created_at, updated_at, ...rest } = created
  assert.deepEqual(rest, {
    sub: id,
    tenant_id: w.tenant_id,
    project_id: w.project.id,
    environment_id: w.test.id,
    email: 'ada@example.com',
    ...sent,
    pending_email: null,
    roles: [],
    has_password: true,
    approval: null,
    deletes_at: null,
    blocked_at: null,
    last_sign_in_at: null,
  })
  assert.match(id, /^usr_/)
  assert.equal(created_at, updated_at)
  assert.equal(reply.headers.get('location'), `${w.base_url}/v1/auth/users/${id}`)
  assert.deepEqual(expectStatus(200, await user(id, 'GET')), created)
  assert.deepEqual(expectStatus(200, await w.call('GET', `${w.test.path}/users/${id}`)), created)
  assert.deepEqual(expectStatus(200, await users('GET')).data[0], created)
})

test('a new user needs only an email', async () => {
  const { id, email, created_at, updated_at, ...rest } = await create()
  const defaults = Object.fromEntries(fields.map(([name, , , fallback]) => [name, fallback]))
  assert.deepEqual(rest, {
    sub: id,
    tenant_id: w.tenant_id,
    project_id: w.project.id,
    environment_id: w.test.id,
    ...defaults,
    pending_email: null,
    roles: [],
    has_password: false,
    approval: null,
    deletes_at: null,
    blocked_at: null,
    last_sign_in_at: null,
  })
})

for (const [name, value, other, fallback] of fields) {
  test(`${name} is changed by its name, reset by null, and kept by changes of other fields`, async () => {
    const made = await create({ [name]: value })
    assert.deepEqual(expectStatus(200, await user(made.id, 'PATCH', { zoneinfo: made.zoneinfo, metadata: {}, claims: {} }))[name], value)
    assert.deepEqual(expectStatus(200, await user(made.id, 'PATCH', { [name]: other }))[name], other)
    assert.deepEqual(expectStatus(200, await user(made.id, 'PATCH', { [name]: null }))[name], fallback)
    assert.deepEqual(expectStatus(200, await user(made.id, 'GET'))[name], fallback)
  })
}

// biome-ignore format: this table is read by column
const flags: [field: string, flag: string, value: string, change: object, verified: boolean, why: string][] = [
  ['email',        'email_verified',        'flag1@example.com',  { email: 'new1@example.com' },                                      false, 'a new value is unverified'],
  ['email',        'email_verified',        'flag2@example.com',  { email: 'new2@example.com', email_verified: true },                true,  'the same request verifies it'],
  ['email',        'email_verified',        'flag3@example.com',  { email: 'new3@example.com', email_verified: false },               false, 'the same request says so'],
  ['email',        'email_verified',        'flag4@example.com',  { email: 'new4@example.com', email_verified: null },                false, 'null is the default'],
  ['email',        'email_verified',        'flag5@example.com',  { email: 'flag5@example.com' },                                     true,  'the value is unchanged'],
  ['email',        'email_verified',        'flag6@example.com',  { email: 'FLAG6@Example.com' },                                     true,  'only the case differs'],
  ['email',        'email_verified',        'flag7@example.com',  { phone_number: '+12025550199', name: 'Ada' },                      true,  'the change does not name it'],
  ['email',        'email_verified',        'flag8@example.com',  { email: 'new8@example.com', phone_number_verified: true },         false, 'the flag of another field does not count'],
  ['phone_number', 'phone_number_verified', '+12025550101',       { phone_number: '+12025550102' },                                   false, 'a new value is unverified'],
  ['phone_number', 'phone_number_verified', '+12025550101',       { phone_number: '+12025550102', phone_number_verified: true },      true,  'the same request verifies it'],
  ['phone_number', 'phone_number_verified', '+12025550101',       { phone_number: null },                                             false, 'the value is removed'],
  ['phone_number', 'phone_number_verified', '+12025550101',       { phone_number: '+12025550101' },                                   true,  'the value is unchanged'],
  ['phone_number', 'phone_number_verified', '+12025550101',       { email: 'new9@example.com', email_verified: true },                true,  'the change does not name it'],
]
for (const [field, flag, value, change, verified, why] of flags) {
  test(`${flag} is ${verified} after ${JSON.stringify(change)}: ${why}`, async () => {
    const made = await create({ [field]: value, [flag]: true })
    const changed = expectStatus(200, await user(made.id, 'PATCH', change))
    assert.equal(changed[flag], verified)
    assert.deepEqual(expectStatus(200, await user(made.id, 'GET')), changed)
    // Setting the old value again does not bring the flag back.
    if (!verified) assert.equal(expectStatus(200, await user(made.id, 'PATCH', { [field]: value }))[flag], false)
    expectStatus(204, await user(made.id, 'DELETE'))
  })
}

test('the event of a new email names email_verified, which it reset', async () => {
  const made = await create({ email_verified: true })
  expectStatus(200, await user(made.id, 'PATCH', { email: newEmail() }))
  const event = await w.deployment.db.maybeOne(
    z.object({ data: z.object({ changed: z.array(z.string()) }) }),
    sql`select data from events where environment_id = ${w.test.id} and type = 'user.updated' and user_id = ${made.id}`,
  )
  assert.deepEqual(event?.data.changed, ['email', 'email_verified'])
})

test('a change without an effect keeps the version', async () => {
  const made = await create({ name: 'Ada', metadata: { a: 1 }, claims: { a: 1 } })
  const changes = [{ name: 'Ada' }, { metadata: { a: 1 } }, { metadata: {} }, { claims: { a: 1, b: null } }, { nickname: null }]
  for (const body of [{}, ...changes, { email: made.email }]) {
    const reply = await user(made.id, 'PATCH', body)
    assert.deepEqual(expectStatus(200, reply), made)
    assert.equal(reply.headers.get('etag'), '"1"')
  }
})

test('metadata is merged member by member (RFC 7396), and no token or UserInfo response has it', async () => {
  const made = await create({ metadata: { a: 1, b: { c: 2, d: 3 }, e: [1] }, password })
  const changed = expectStatus(200, await user(made.id, 'PATCH', { metadata: { a: null, b: { c: 4 }, e: [2], f: null } }))
  assert.deepEqual(changed.metadata, { b: { c: 4, d: 3 }, e: [2] })
  const client = await w.createApplication(w.test)
  const { tokens } = await signInForTokens(w, w.test, client, { user: { email: made.email, password } })
  const claims = expectStatus(200, await userinfo(w, w.test, tokens.access_token))
  assert.ok(
    !JSON.stringify([claims, tokens.id_token.split('.').map((part: string) => Buffer.from(part, 'base64url').toString('latin1'))]).includes(
      'metadata',
    ),
  )
})

test('metadata has at most 16 KiB of JSON in UTF-8, at creation and after a merge', async () => {
  const filled = (bytes: number) => ({ x: 'x'.repeat(bytes - 8) })
  const made = await create({ metadata: filled(16_384) })
  assert.deepEqual(made.metadata, filled(16_384))
  assert.deepEqual(pointersOf(await users('POST', { email: newEmail(), metadata: filled(16_385) })), [422, ['/metadata']])
  assert.deepEqual(pointersOf(await users('POST', { email: newEmail(), metadata: { x: 'é'.repeat(8_189) } })), [422, ['/metadata']])
  assert.deepEqual(pointersOf(await user(made.id, 'PATCH', { metadata: { more: 1 } })), [422, ['/metadata']])
  expectStatus(200, await user(made.id, 'PATCH', { metadata: { x: null, more: 1 } }))
})

test('metadata keeps every JSON value, including names of prototypes and numbers of any size', async () => {
  const text = '{"constructor":{"a":1},"toString":null,"":"","é":1e21,"n":-0.5,"deep":[[[{}]]],"long":12345678901234567890}'
  const reply = await users('POST', `{"email":"${newEmail()}","metadata":${text}}`, { 'content-type': 'application/json' })
  assert.deepEqual(expectStatus(201, reply).metadata, JSON.parse(text))
  assert.deepEqual(expectStatus(200, await user(reply.body.id, 'GET')).metadata, JSON.parse(text))
})

// biome-ignore format: this table is read by column
const bad: [fields: Record<string, unknown>, pointer: string][] = [
  [{ email: 'no-at-sign' },                          '/email'],
  [{ email: 'a@b' },                                 '/email'],
  [{ email: 'a b@example.com' },                     '/email'],
  [{ email: 'a@example.com\n' },                     '/email'],
  [{ email: `${'a'.repeat(250)}@example.com` },      '/email'],
  [{ email: null },                                  '/email'],
  [{ email_verified: 'yes' },                        '/email_verified'],
  [{ phone_number: '0123' },                         '/phone_number'],
  [{ phone_number: '+0123456789' },                  '/phone_number'],
  [{ name: 'x'.repeat(201) },                        '/name'],
  [{ name: 'a\u0000b' },                             '/name'],
  [{ name: 'a\nb' },                                 '/name'],
  [{ picture: 'javascript:alert(1)' },               '/picture'],
  [{ picture: 'data:image/png;base64,AA' },          '/picture'],
  [{ picture: '//cdn.example.com/a.png' },           '/picture'],
  [{ locale: 'not a language' },                     '/locale'],
  [{ zoneinfo: 'Europe/Vienna; drop' },              '/zoneinfo'],
  [{ zoneinfo: 'Mars/Olympus' },                     '/zoneinfo'],
  [{ zoneinfo: '+01:00' },                           '/zoneinfo'],
  [{ zoneinfo: '-0800' },                            '/zoneinfo'],
  [{ zoneinfo: ' Europe/Vienna' },                   '/zoneinfo'],
  [{ name: '' },                                     '/name'],
  [{ name: ' ' },                                    '/name'],
  [{ name: '\u2800' },                               '/name'],
  [{ name: '\u200b\u00ad' },                         '/name'],
  [{ given_name: '\u3164' },                         '/given_name'],
  [{ family_name: '\u00a0' },                        '/family_name'],
  [{ nickname: '\u2060' },                           '/nickname'],
  [{ preferred_username: '\u{1D159}' },              '/preferred_username'],
  [{ metadata: [] },                                 '/metadata'],
  [{ metadata: 'x' },                                '/metadata'],
  [{ password: '' },                                 '/password'],
  [{ password: 'too short' },                        '/password'],
  [{ password: 'x'.repeat(1_001) },                  '/password'],
  [{ password: 'password1234' },                     '/password'],
  [{ password: 'aaaaaaaaaaaaaaaa' },                 '/password'],
]

for (const [body, pointer] of bad) {
  test(`${JSON.stringify(body).slice(0, 60)} is 422 at ${pointer}, at creation and in a change`, async () => {
    assert.deepEqual(pointersOf(await users('POST', { email: newEmail(), ...body })), [422, [pointer]])
    const made = await create()
    assert.deepEqual(pointersOf(await user(made.id, 'PATCH', body)), [422, [pointer]])
    assert.deepEqual(expectStatus(200, await user(made.id, 'GET')), made)
  })
}

test('blanks around a name of a backend stay, and a zone is kept as it was written', async () => {
  const made = await create({ name: ' Ada\u200b', zoneinfo: 'europe/vienna' })
  assert.deepEqual([made.name, made.zoneinfo], [' Ada\u200b', 'europe/vienna'])
  for (const zoneinfo of ['UTC', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'US/Pacific', null])
    assert.equal(expectStatus(200, await user(made.id, 'PATCH', { zoneinfo })).zoneinfo, zoneinfo)
})

test('a name and a zone that are refused now stay where they are stored, whatever else changes', async () => {
  const { id } = await w.createUser(w.test, { name: '\u2800', zoneinfo: 'Mars/Olympus' })
  const changed = expectStatus(200, await user(id, 'PATCH', { nickname: 'Nick' }))
  assert.deepEqual([changed.name, changed.zoneinfo, changed.nickname], ['\u2800', 'Mars/Olympus', 'Nick'])
})

test('a password must satisfy the policy when it is set, not afterwards', async () => {
  await w.changeSettings(w.test, { password: { min_length: 8, reject_common: false } })
  const made = await create({ password: 'password' })
  await w.changeSettings(w.test, { password: null })
  assert.deepEqual(pointersOf(await user(made.id, 'PATCH', { password: 'password' })), [422, ['/password']])
  const client = await w.createApplication(w.test)
  expectStatus(200, await exchangeFor(client, { email: made.email, password: 'password' }))
})

async function exchangeFor(client: { client_id: string; redirect_uris: string[] }, person: { email: string; password: string }) {
  const request = authorizationRequest(w.test, client)
  return exchange(w, w.test, client, { request, code: await obtainCode(createAgent(), request, person) })
}

test('passwords that differ only after 72 bytes are different', async () => {
  const long = 'tell me a long story '.repeat(5)
  const made = await create({ password: `${long}a` })
  const client = await w.createApplication(w.test)
  const request = authorizationRequest(w.test, client)
  await assert.rejects(followToClient(createAgent(), request, { email: made.email, password: `${long}b` }))
  await followToClient(createAgent(), request, { email: made.email, password: `${long}a` })
})

test('an email is unique within an environment, in any case of its letters', async () => {
  const made = await create({ email: 'One.And.Only@Example.com' })
  assert.equal(made.email, 'One.And.Only@Example.com')
  for (const email of ['one.and.only@example.com', 'ONE.AND.ONLY@EXAMPLE.COM', 'One.And.Only@Example.com']) {
    const reply = await users('POST', { email })
    assert.equal(`${reply.status} ${reply.body.code}`, '409 identifier_taken')
    const second = await create()
    assert.equal((await user(second.id, 'PATCH', { email })).body.code, 'identifier_taken')
    assert.equal(expectStatus(200, await user(second.id, 'GET')).email, second.email)
  }
  // Letters outside ASCII are refused, so that no email looks like another.
  for (const email of [
    'ｏne.and.only@example.com',
    'one.and.only@example。com',
    'one.and.only@ｅxample.com',
    'ſomeone@example.com',
    '\u212aim@example.com',
  ])
    assert.deepEqual(pointersOf(await users('POST', { email })), [422, ['/email']])
  expectStatus(201, await w.call('POST', '/v1/auth/users', { key: live.key, body: { email: 'one.and.only@example.com' } }))
  expectStatus(200, await user(made.id, 'PATCH', { email: 'ONE.and.only@example.com' }))
})

test('of 20 parallel creations with the same email, one succeeds', async () => {
  const email = newEmail()
  const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => users('POST', { email: n % 2 ? email : email.toUpperCase() })))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 409)])
})

test('the email of a deleted user can be used by a new user', async () => {
  const made = await create()
  assert.equal((await user(made.id, 'DELETE')).status, 204)
  const next = await create({ email: made.email })
  assert.notEqual(next.id, made.id)
  assert.equal((await user(made.id, 'GET')).status, 404)
  assert.equal((await user(made.id, 'DELETE')).status, 404)
})

/** A signed-in person with a session, tokens and an unused code. */
async function signedIn() {
  const client = await w.createApplication(w.test)
  const made = await create({ password })
  const { agent, tokens } = await signInForTokens(w, w.test, client, { user: { email: made.email, password } })
  const request = authorizationRequest(w.test, client)
  const code = await obtainCode(agent, request, { email: made.email, password })
  return { client, made, agent, tokens, request, code }
}

const ends: Record<string, (id: string) => Promise<Reply>> = {
  blocking: (id) => user(`${id}/block`, 'POST'),
  deleting: (id) => user(id, 'DELETE'),
  'setting a new password': (id) => user(id, 'PATCH', { password: 'another memorable sentence' }),
  'removing the password': (id) => user(id, 'PATCH', { password: null }),
}
for (const [action, end] of Object.entries(ends)) {
  test(`${action} ends every session, code and token at once, on every endpoint`, async () => {
    const { client, made, agent, tokens, request, code } = await signedIn()
    assert.ok((await end(made.id)).status < 300)
    assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 401)
    assert.equal((await refresh(w, w.test, client, tokens.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await exchange(w, w.test, client, { request, code })).body.error, 'invalid_grant')
    assert.equal(expectStatus(200, await api('POST', 'tokens/validate', { token: tokens.access_token })).active, false)
    const silent = await agent.get(authorizationRequest(w.test, client, { prompt: 'none' }).url)
    assert.match(silent.headers.get('location') ?? '', /error=login_required/)
    const sessions = await user(`${made.id}/sessions`, 'GET')
    if (action === 'deleting') assert.equal(sessions.status, 404)
    else assert.deepEqual(expectStatus(200, sessions).data, [])
  })
}

test('a blocked user cannot sign in; after unblocking they can, and their old session and tokens stay ended', async () => {
  const { client, made, agent, tokens, request, code } = await signedIn()
  const blocked = expectStatus(200, await user(`${made.id}/block`, 'POST'))
  assert.match(blocked.blocked_at, /^2/)
  assert.deepEqual(expectStatus(200, await user(`${made.id}/block`, 'POST')), blocked)
  await assert.rejects(followToClient(createAgent(), authorizationRequest(w.test, client), { email: made.email, password }))

  assert.equal(expectStatus(200, await user(`${made.id}/unblock`, 'POST')).blocked_at, null)
  assert.equal(expectStatus(200, await user(`${made.id}/unblock`, 'POST')).blocked_at, null)
  assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 401)
  assert.equal((await refresh(w, w.test, client, tokens.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await exchange(w, w.test, client, { request, code })).body.error, 'invalid_grant')
  const silent = await agent.get(authorizationRequest(w.test, client, { prompt: 'none' }).url)
  assert.match(silent.headers.get('location') ?? '', /error=login_required/)
  await followToClient(createAgent(), authorizationRequest(w.test, client), { email: made.email, password })
})

test('the sign-in page shows the same error for a blocked user and a wrong password', async () => {
  const client = await w.createApplication(w.test)
  const made = await create({ password })
  expectStatus(200, await user(`${made.id}/block`, 'POST'))
  const page = async (email: string, entered: string) => {
    const agent = createAgent()
    const form = await agent.get(authorizationRequest(w.test, client).url)
    const { status, body } = await agent.submit(form, { email, password: entered, method: 'password' })
    return [status, body.includes('blocked'), /role="alert"[^>]*>(.*?)<\//s.exec(body)?.[1]]
  }
  assert.deepEqual(await page(made.email, password), await page(made.email, 'not the password'))
})

test('an administrator manages users by naming the tenant and the environment', async () => {
  const token = await administratorToken(w, owner)
  const as = ({ id }: TestEnvironment) => ({ authorization: `Bearer ${token}`, 'x-tenant-id': w.tenant_id, 'x-environment-id': id })
  const call = (method: string, path: string, environment: TestEnvironment, body?: unknown) =>
    w.call(method, `/v1/auth/${path}`, { key: null, body, headers: as(environment) })
  const made = expectStatus(201, await call('POST', 'users', w.live, { email: newEmail() }))
  assert.equal(made.environment_id, w.live.id)
  expectStatus(200, await call('PATCH', `users/${made.id}`, w.live, { name: 'Ada' }))
  assert.equal((await call('GET', `users/${made.id}`, w.test)).status, 404)
  assert.equal((await call('DELETE', `users/${made.id}`, w.live)).status, 204)
})
