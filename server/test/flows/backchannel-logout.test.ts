/** Back-Channel Logout 1.0: when a session ends, its applications receive a logout token, and no others do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { visitGrants } from '../../src/workers/visit-grants.ts'
import { openAccount, press } from '../support/account.ts'
import {
  authorizationRequest,
  type createAgent,
  createPerson,
  obtainCode,
  refresh,
  signInForTokens,
  userinfo,
} from '../support/cookie-browser.ts'
import { untilAttempted } from '../support/queue.ts'
import { type Received, startReceiver, until } from '../support/receiver.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world({
  env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' },
  resolve: async (name) => (name === 'inside.test' ? ['10.0.0.1'] : []),
})
const environment = w.test
const backend = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
const asBackend = (method: string, path: string, body?: unknown) => w.call(method, `/v1/auth${path}`, { key: backend.key, body })

const pending = async () => {
  const rows = await w.deployment.db.all(
    z.object({ lane: z.string() }),
    sql`select lane from jobs where kind = 'backchannel_logout' union all select subject from endings where kind <> 'application'`,
  )
  return rows.map(({ lane }) => lane)
}

/** An application with a receiver of its own. */
async function createListener(answer?: Parameters<typeof startReceiver>[0], at: TestEnvironment = environment) {
  const receiver = await startReceiver(answer)
  const client = await w.createApplication(at, { backchannel_logout_uri: receiver.url })
  return { ...receiver, client }
}

async function signOut(agent: ReturnType<typeof createAgent>, id_token_hint: string): Promise<Reply> {
  return agent.get(`${environment.issuer}/oauth/logout?${new URLSearchParams({ id_token_hint })}`)
}

/** The claims of a logout token, as a client library would read them. */
async function readToken({ body, headers }: Received) {
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
  const form = new URLSearchParams(body)
  assert.deepEqual([...form.keys()], ['logout_token'])
  const jwks = expectStatus(200, await w.call('GET', `${environment.issuer}/v1/oauth/jwks.json`, { key: null }))
  const verified = await jwtVerify(form.get('logout_token') ?? '', createLocalJWKSet(jwks), {
    issuer: environment.issuer,
    typ: 'logout+jwt',
    currentDate: w.now(),
    requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'events', 'sub', 'sid'],
  })
  return verified.payload
}

test('a sign-out sends a logout token to every application of the session, and to no other', async () => {
  const [first, second, elsewhere] = [await createListener(), await createListener(), await createListener()]
  const [switched_off, silent] = [await createListener(), await w.createApplication(environment)]
  const [person, other] = [await createPerson(w, environment), await createPerson(w, environment)]
  const { id_token } = await person.tokens(first.client)
  await person.tokens(first.client, { prompt: 'none' })
  for (const client of [second.client, silent, switched_off.client]) await person.tokens(client)
  await other.tokens(elsewhere.client)
  await w.call('PATCH', `${environment.path}/applications/${switched_off.client.id}`, { body: { disabled: true } })

  await signOut(person.agent, id_token)
  await until('every logout token is delivered', async () => (await pending()).length === 0)

  assert.deepEqual(
    [first, second, elsewhere, switched_off].map(({ received }) => received.length),
    [1, 1, 0, 0],
  )
  for (const { received, client } of [first, second]) {
    const claims = await readToken(received[0] ?? assert.fail())
    assert.equal(claims.aud, client.client_id)
    assert.equal(claims.sub, person.id)
    assert.equal(claims.sid, JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString()).sid)
    assert.deepEqual(claims.events, { 'http://schemas.openid.net/event/backchannel-logout': {} })
    assert.equal(claims.nonce, undefined)
    assert.ok(claims.exp && claims.iat && claims.exp - claims.iat <= 120)
  }
})

test('an application whose tokens were revoked receives the logout token', async () => {
  const { received, client } = await createListener()
  const person = await createPerson(w, environment)
  const { id_token, refresh_token } = await person.tokens(client)
  await w.call('POST', `${environment.issuer}/v1/oauth/revoke`, {
    key: null,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({ token: refresh_token }).toString(),
  })
  assert.equal((await refresh(w, environment, client, refresh_token)).body.error, 'invalid_grant')
  await signOut(person.agent, id_token)
  await until('a logout token', () => received.length === 1)
})

const sessionOf = async (user_id: string): Promise<string> =>
  expectStatus(200, await asBackend('GET', `/users/${user_id}/sessions`)).data[0].id

/** Signs another person in to a browser. */
async function signInAlso(agent: ReturnType<typeof createAgent>) {
  const request = authorizationRequest(environment, await w.createApplication(environment), { prompt: 'login' })
  await obtainCode(agent, request, await w.createUser(environment))
}

// biome-ignore format: this table is read by line
const ends: Record<string, (person: { id: string; agent: ReturnType<typeof createAgent> }) => Promise<unknown>> = {
  'the person signs out by hand': async ({ agent }) => agent.submit(await agent.get(`${environment.issuer}/oauth/logout`), { decision: 'sign_out' }),
  'six other people sign in to the browser': async ({ agent }) => { for (let left = 6; left > 0; left--) await signInAlso(agent) },
  'the backend ends the session': async ({ id }) => expectStatus(204, await asBackend('DELETE', `/sessions/${await sessionOf(id)}`)),
  'the backend blocks the user': async ({ id }) => expectStatus(200, await asBackend('POST', `/users/${id}/block`)),
  'the backend deletes the user': async ({ id }) => expectStatus(204, await asBackend('DELETE', `/users/${id}`)),
  'the backend sets another password': async ({ id }) => expectStatus(200, await asBackend('PATCH', `/users/${id}`, { password: 'another long password' })),
}
for (const [what, end] of Object.entries(ends)) {
  test(`the application receives one logout token when ${what}`, async () => {
    const { received, client } = await createListener()
    const person = await createPerson(w, environment)
    await person.tokens(client)
    await end(person)
    await until('a logout token', () => received.length > 0)
    assert.equal((await readToken(received[0] ?? assert.fail())).sub, person.id)
    await until('an empty queue', async () => (await pending()).length === 0)
    assert.equal(received.length, 1)
  })
}

test('an application receives the logout token weeks after its tokens expired, while the session lives', async () => {
  const { received, client } = await createListener()
  const person = await createPerson(w, environment)
  const { id_token } = await person.tokens(client, { scope: 'openid' })
  await w.deployment.db.run(sql`update sessions set expires_at = absolute_expires_at where user_id = ${person.id}`)
  for (let days = 0; days < 21; days += 7) {
    w.advance(7 * 86_400)
    await visitGrants(w.deployment)
  }
  await signOut(person.agent, id_token)
  await until('a logout token', () => received.length === 1)
})

type Person = Awaited<ReturnType<typeof createPerson>>

// biome-ignore format: this table is read by line
const idle_ends: Record<string, (person: Person, session: { id: string; id_token: string }) => Promise<unknown>> = {
  'a sign-out with its ID token': ({ agent }, { id_token }) => signOut(agent, id_token),
  'a sign-out by hand': async ({ agent }) => {
    const question = await agent.get(`${environment.issuer}/oauth/logout`)
    assert.doesNotMatch(question.body, /@example\.com/, 'the page names nobody after the idle time')
    await agent.submit(question, { decision: 'sign_out' })
  },
  'a sign-out by hand after another person signed in': async ({ agent }) => {
    const other = await createPerson(w, environment)
    await obtainCode(agent, authorizationRequest(environment, await w.createApplication(environment)), other)
    await agent.submit(await agent.get(`${environment.issuer}/oauth/logout`), { decision: 'sign_out' })
  },
  'a new sign-in of the person in the browser': async (person) => person.tokens(await w.createApplication(environment)),
  'the person on another device': async (person, { id }) => {
    const { agent, page } = await openAccount(environment, person)
    await press(agent, page, { action: 'end-session', id })
  },
  'DELETE': async (_, { id }) => expectStatus(204, await asBackend('DELETE', `/sessions/${id}`)),
  'end-sessions': async ({ id }) => expectStatus(200, await asBackend('POST', `/users/${id}/end-sessions`)),
}
for (const [what, end] of Object.entries(idle_ends)) {
  test(`a session past its idle time is still ended by sign-out and by DELETE, with its grants and logout tokens: ${what}`, async () => {
    await w.changeSettings(environment, { sessions: { idle_ttl_seconds: 300 } })
    const { received, client } = await createListener()
    const person = await createPerson(w, environment)
    const { id_token, access_token } = await person.tokens(client, { scope: 'openid' })
    w.advance(360)
    const id = await sessionOf(person.id)
    assert.equal(expectStatus(200, await asBackend('GET', `/sessions/${id}`)).id, id)
    expectStatus(200, await userinfo(w, environment, access_token))

    await end(person, { id, id_token })
    assert.equal((await userinfo(w, environment, access_token)).status, 401)
    assert.equal((await asBackend('GET', `/sessions/${id}`)).status, 404)
    await until('a logout token', () => received.length > 0)
    assert.equal((await readToken(received[0] ?? assert.fail())).sid, id)
    assert.equal((await endEvents(id)).length, 1)
    await w.changeSettings(environment, { sessions: { idle_ttl_seconds: null } })
  })
}

const endEvents = (session_id: string) =>
  w.deployment.db.all(
    z.object({ id: z.string() }),
    sql`select id from events where type = 'session.ended' and data like ${`%${session_id}%`}`,
  )

test('DELETE ends the refresh tokens of a session that nobody has used for a day', async () => {
  const client = await w.createApplication(environment)
  const person = await createPerson(w, environment)
  const { refresh_token } = await person.tokens(client)
  w.advance(25 * 3_600)
  const tokens = expectStatus(200, await refresh(w, environment, client, refresh_token))
  expectStatus(204, await asBackend('DELETE', `/sessions/${await sessionOf(person.id)}`))
  assert.equal((await refresh(w, environment, client, tokens.refresh_token)).body.error, 'invalid_grant')
})

test('an application from before a renewal of the session still receives the logout token', async () => {
  const day = 86_400
  const { received, client } = await createListener()
  const other = await w.createApplication(environment)
  const person = await createPerson(w, environment)
  await w.changeSettings(environment, { sessions: { idle_ttl_seconds: 30 * day, absolute_ttl_seconds: 30 * day } })
  const { id_token } = await person.tokens(client, { scope: 'openid' })
  await person.tokens(client, { scope: 'openid' })
  w.advance(29 * day)
  await obtainCode(person.agent, authorizationRequest(environment, other, { prompt: 'login' }), person)
  w.advance(4 * day)
  await removeExpiredRows(w.deployment.db, w.now())

  const session = expectStatus(200, await asBackend('GET', `/sessions/${await sessionOf(person.id)}`))
  assert.deepEqual(session.applications.toSorted(), [client.id, other.id].toSorted())
  await signOut(person.agent, id_token)
  await until('a logout token', () => received.length === 1)
  await w.changeSettings(environment, { sessions: null })
})

// biome-ignore format: this table is read by line
const temporary = { 'a server error': 503, 'too many requests': 429 }
for (const [what, status] of Object.entries(temporary)) {
  test(`a logout is sent again with a new token after ${what}`, async () => {
    const { received, client } = await createListener((_, count) => ({ status: count === 1 ? status : 200 }))
    const { agent, tokens } = await signInForTokens(w, environment, client, { user: await w.createUser(environment) })
    await signOut(agent, tokens.id_token)
    await untilAttempted(w.deployment.db, client.id, 1)
    assert.equal(received.length, 1)
    w.advance(7)
    await until('the second attempt', () => received.length === 2)
    const [first, second] = await Promise.all(received.map(readToken))
    assert.notEqual(first?.jti, second?.jti)
    await until('the end', async () => (await pending()).length === 0)
  })
}

// biome-ignore format: this table is read by line
const final: Record<string, Parameters<typeof startReceiver>[0]> = {
  'a refusal': () => ({ status: 400, body: '{"error":"invalid_request"}' }),
  'a redirect': () => ({ status: 302, headers: { location: elsewhere.url } }),
}
const elsewhere = await startReceiver()
for (const [what, answer] of Object.entries(final)) {
  test(`a logout is not sent again after ${what}`, async () => {
    const { received, client } = await createListener(answer)
    const { agent, tokens } = await signInForTokens(w, environment, client, { user: await w.createUser(environment) })
    await signOut(agent, tokens.id_token)
    await until('a logout token', () => received.length === 1)
    await until('an empty queue', async () => (await pending()).length === 0)
    assert.equal(elsewhere.received.length, 0)
  })
}

test('a name with a private address is never called, and its logout ends after the fourth attempt', async () => {
  const client = await w.createApplication(environment, { backchannel_logout_uri: 'http://inside.test/logout' })
  const { agent, tokens } = await signInForTokens(w, environment, client, { user: await w.createUser(environment) })
  const before = w.log.length
  await signOut(agent, tokens.id_token)
  const failures = () => w.log.slice(before).filter((line) => line.includes('did not arrive'))
  for (const attempt of [1, 2, 3]) {
    await untilAttempted(w.deployment.db, client.id, attempt)
    assert.equal(failures().length, attempt)
    w.advance(200)
  }
  await until('an empty queue', async () => !(await pending()).includes(client.id))
  assert.equal(failures().length, 4)
  for (const line of failures()) assert.match(line, /"why":"unreachable","error":"address_not_allowed"/)
})
