/** POST /v1/auth/tokens/validate: active tokens, and the reason for every inactive one. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { type Agent, createAgent, createPerson, postAsClient, revoke, signInForTokens, userinfo } from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"environments_per_project":30}' } })
const other = await w.createProject('other')
const secrets = new Map<string, string>()
for (const environment of [w.test, w.live, other.test])
  secrets.set(environment.id, (await createAuthKey(w, environment, 'auth_secret')).key)

const validate = (environment: TestEnvironment, token: unknown): Promise<Reply> =>
  w.call('POST', '/v1/auth/tokens/validate', { key: secrets.get(environment.id) ?? '', body: { token } })
const reasonOf = async (environment: TestEnvironment, token: string) => {
  const body = expectStatus(200, await validate(environment, token))
  if (body.active) return 'active'
  assert.deepEqual(Object.keys(body).sort(), ['active', 'reason'])
  return body.reason as string
}
const backend = (environment: TestEnvironment, method: string, path: string, body?: unknown) =>
  w.call(method, `/v1/auth/${path}`, { key: secrets.get(environment.id) ?? '', body })
const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A new person who is signed in to a new client, so that ending them affects no other test. */
async function signedIn(environment: TestEnvironment = w.test, change: Record<string, string | undefined> = {}) {
  const client = await w.createApplication(environment)
  const user = await w.createUser(environment)
  const { tokens, agent } = await signInForTokens(w, environment, client, { user, change })
  return { client, user, agent, tokens, access_token: tokens.access_token as string }
}

for (const format of ['jwt', 'opaque'] as const) {
  /** A signed-in person with tokens of this format. */
  const fresh = async (environment: TestEnvironment = w.test) => {
    await w.changeSettings(environment, { tokens: { access_token_format: format } })
    return signedIn(environment)
  }

  test(`an active token (${format}) has its RFC 7662 members`, async () => {
    const { client, user, tokens } = await fresh()
    const body = expectStatus(200, await validate(w.test, tokens.access_token))
    const { exp, iat, nbf, jti, sid, auth_time, ...rest } = body
    assert.deepEqual(rest, {
      active: true,
      iss: w.test.issuer,
      sub: user.id,
      user_id: user.id,
      aud: w.test.issuer,
      client_id: client.id,
      scope: tokens.scope,
      org_id: null,
      roles: [],
      claims: {},
      token_type: 'Bearer',
      environment_id: w.test.id,
    })
    assert.equal(exp - iat, tokens.expires_in)
    assert.equal(nbf, iat)
    assert.match(sid, /^ses_/)
    assert.ok(jti.length > 10 && auth_time <= iat)
    if (format === 'jwt')
      for (const [name, value] of Object.entries({ exp, iat, jti, sid, auth_time }))
        assert.equal(payloadOf(tokens.access_token)[name], value, name)
  })

  test(`a token (${format}) of another environment of the project is environment_mismatch, and one of another project unknown`, async () => {
    const { access_token } = await fresh(w.live)
    assert.equal(await reasonOf(w.live, access_token), 'active')
    assert.equal(await reasonOf(w.test, access_token), 'environment_mismatch')
    assert.equal(await reasonOf(other.test, access_token), 'unknown')
    const foreign = await fresh(other.test)
    assert.equal(await reasonOf(w.test, foreign.access_token), 'unknown')
  })

  test(`a token (${format}) of the thirtieth environment of a project is environment_mismatch in the first`, async () => {
    const project = await w.createProject(`thirty-${format}`)
    const path = `/v1/platform/projects/${project.id}/environments`
    let newest = project.live
    for (let n = 3; n <= 30; n++) {
      const made = expectStatus(201, await w.call('POST', path, { body: { slug: `e${n}`, name: 'E', type: 'test' } }))
      newest = { ...made, path: `${path}/${made.id}` }
    }
    for (const environment of [project.test, newest]) secrets.set(environment.id, (await createAuthKey(w, environment, 'auth_secret')).key)
    const { access_token } = await fresh(newest)
    assert.equal(await reasonOf(newest, access_token), 'active')
    assert.equal(await reasonOf(project.test, access_token), 'environment_mismatch')
    assert.equal(await reasonOf(w.test, access_token), 'unknown')
  })

  const ends: Record<string, [end: (person: Awaited<ReturnType<typeof signedIn>>) => Promise<unknown>, reason: string]> = {
    'the end of its lifetime': [async () => w.advance(3_600), 'expired'],
    'its revocation': [({ client, access_token }) => revoke(w, w.test, client, access_token), 'revoked'],
    'the revocation of its refresh token': [({ client, tokens }) => revoke(w, w.test, client, tokens.refresh_token), 'revoked'],
    'the disabling of its application': [
      ({ client }) => w.call('PATCH', `${w.test.path}/applications/${client.id}`, { body: { disabled: true } }),
      'revoked',
    ],
    'the deletion of its application': [({ client }) => w.call('DELETE', `${w.test.path}/applications/${client.id}`), 'revoked'],
    'the end of its session': [({ access_token }) => endSession(access_token), 'session_ended'],
    'a new password': [({ user }) => backend(w.test, 'PATCH', `users/${user.id}`, { password: 'another long password' }), 'session_ended'],
    'the blocking of its user': [({ user }) => backend(w.test, 'POST', `users/${user.id}/block`), 'user_blocked'],
    'the deletion of its user': [({ user }) => backend(w.test, 'DELETE', `users/${user.id}`), 'user_blocked'],
  }
  for (const [event, [end, reason]] of Object.entries(ends)) {
    test(`after ${event} a token (${format}) is ${reason} at once`, async () => {
      const person = await fresh()
      assert.equal(await reasonOf(w.test, person.access_token), 'active')
      await end(person)
      assert.equal(await reasonOf(w.test, person.access_token), reason)
      assert.equal((await userinfo(w, w.test, person.access_token)).status, 401)
    })
  }

  test(`a token (${format}) with several reasons shows the first of: user_blocked, session_ended, revoked, expired`, async () => {
    const person = await fresh()
    await revoke(w, w.test, person.client, person.access_token)
    w.advance(3_600)
    assert.equal(await reasonOf(w.test, person.access_token), 'revoked')
    const session_id = expectStatus(200, await backend(w.test, 'GET', `users/${person.user.id}/sessions`)).data[0].id
    assert.equal((await backend(w.test, 'DELETE', `sessions/${session_id}`)).status, 204)
    assert.equal(await reasonOf(w.test, person.access_token), 'session_ended')
    expectStatus(200, await backend(w.test, 'POST', `users/${person.user.id}/block`))
    assert.equal(await reasonOf(w.test, person.access_token), 'user_blocked')
    expectStatus(200, await backend(w.test, 'POST', `users/${person.user.id}/unblock`))
    assert.equal(await reasonOf(w.test, person.access_token), 'session_ended')
  })
}

test('the reason of an expired token is the same before and after the sweep', async () => {
  const { test: environment } = await w.createProject('swept')
  secrets.set(environment.id, (await createAuthKey(w, environment, 'auth_secret')).key)
  await w.changeSettings(environment, { sessions: { idle_ttl_seconds: 3_600, absolute_ttl_seconds: 3_600 } })
  const tokens: { reason: string; format: string; access_token: string }[] = []
  for (const format of ['jwt', 'opaque']) {
    await w.changeSettings(environment, { tokens: { access_token_format: format } })
    const left = await signedIn(environment, { scope: 'openid' })
    const revoked = await signedIn(environment, { scope: 'openid' })
    await revoke(w, environment, revoked.client, revoked.access_token)
    tokens.push({ reason: 'expired', format, access_token: left.access_token })
    tokens.push({ reason: 'revoked', format, access_token: revoked.access_token })
  }
  const reasons = () => Promise.all(tokens.map(async ({ access_token }) => reasonOf(environment, access_token)))
  const expected = tokens.map(({ reason }) => reason)
  w.advance(4_000)
  assert.deepEqual(await reasons(), expected)
  await removeExpiredRows(w.deployment.db, w.now())
  assert.deepEqual(await reasons(), expected)
  w.advance(86_400)
  await removeExpiredRows(w.deployment.db, w.now())
  assert.equal(await reasonOf(environment, tokens[0]?.access_token ?? ''), 'expired', 'without its grant')
})

async function endSession(access_token: string): Promise<Reply> {
  const { sid } = expectStatus(200, await validate(w.test, access_token))
  return backend(w.test, 'DELETE', `sessions/${sid}`)
}

test('signing out ends tokens without offline_access, and no others', async () => {
  await w.changeSettings(w.test, { tokens: null })
  const client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  const online = await person.tokens(client, { scope: 'openid' })
  const offline = await person.tokens(client)
  const agent: Agent = person.agent
  const page = await agent.get(`${w.test.issuer}/oauth/logout?id_token_hint=${offline.id_token}`)
  if (page.status === 200 && page.body.includes('<form')) await agent.submit(page, {})
  assert.equal(await reasonOf(w.test, online.access_token), 'session_ended')
  assert.equal(await reasonOf(w.test, offline.access_token), 'active')
})

test('a token for a resource server has it in aud', async () => {
  const identifier = 'https://orders.example.com'
  expectStatus(201, await w.call('POST', `${w.test.path}/resource-servers`, { body: { identifier, name: 'Orders', scopes: [] } }))
  const { access_token } = await signedIn(w.test, { resource: identifier })
  const body = expectStatus(200, await validate(w.test, access_token))
  assert.deepEqual([body.active, body.aud], [true, [identifier, w.test.issuer]])
})

test('a text that is not a token is malformed', async () => {
  const { tokens } = await signedIn()
  const { access_token, refresh_token } = tokens
  const [head, body, signature] = access_token.split('.')
  const texts = [
    'x',
    '.',
    '..',
    'a.b',
    'a.b.c',
    'a.b.c.d',
    `${head}.${body}`,
    `${access_token}.`,
    `${head}..${signature}`,
    ` ${access_token}`,
    `${access_token}=`,
    `${access_token}\n`,
    refresh_token,
  ]
  for (const token of [...texts, '\u0000', '🔑', 'Bearer', '{}', 'x'.repeat(65_536)])
    assert.equal(await reasonOf(w.test, token), 'malformed', token.slice(0, 60))
})

test('a forged token is unknown', async () => {
  const { tokens } = await signedIn()
  const [head = '', body = '', signature = ''] = tokens.access_token.split('.')
  const header = JSON.parse(Buffer.from(head, 'base64url').toString())
  const claims = payloadOf(tokens.access_token)
  const { keys } = expectStatus(200, await w.call('GET', `${w.test.issuer}/v1/oauth/jwks.json`, { key: null }))
  const signedWith = (secret: string, changed: object) => {
    const input = `${encode({ ...header, ...changed })}.${body}`
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  }
  const forged = [
    tokens.id_token,
    `${head}.${encode({ ...claims, exp: claims.exp + 1 })}.${signature}`,
    `${head}.${encode({ ...claims, sub: 'usr_01m7wwr5ftevtv5yxb47hmb4ht' })}.${signature}`,
    `${encode({ ...header, alg: 'none' })}.${body}.`,
    `${encode({ ...header, alg: 'None' })}.${body}.${signature}`,
    signedWith(JSON.stringify(keys[0]), { alg: 'HS256' }),
    signedWith(keys[0].n, { alg: 'HS256' }),
    signedWith('', { alg: 'HS256', kid: undefined }),
    `${encode({ ...header, kid: 'unknown' })}.${body}.${signature}`,
    `${encode({ ...header, crit: ['x'], x: 1 })}.${body}.${signature}`,
    `${encode({ ...header, jwk: keys[0] })}.${body}.${signature}`,
    `${head}.${body}.${signature.slice(0, -2)}AA`,
    ...[w.live.issuer, '\u0000', '\ud800', 'é', 1, null, undefined, {}].map((iss) => `${head}.${encode({ ...claims, iss })}.${signature}`),
    `${head}.${encode(null)}.${signature}`,
    `${head}.${encode([])}.${signature}`,
    `svc_at_${'a'.repeat(43)}`,
    'svc_at_',
  ]
  for (const token of forged) assert.equal(await reasonOf(w.test, token), 'unknown', token.slice(0, 80))
})

test('an empty or missing token, or one that is not a string, is 422 at /token', async () => {
  for (const token of ['', undefined, null, 1, {}, ['x']]) {
    const reply = await validate(w.test, token)
    assert.deepEqual([reply.status, reply.body.errors?.[0].pointer], [422, '/token'])
  }
})

test('a token stays active through a changed profile, another sign-in and a refresh', async () => {
  const { client, user, tokens } = await signedIn()
  expectStatus(200, await backend(w.test, 'PATCH', `users/${user.id}`, { name: 'Renamed' }))
  await signInForTokens(w, w.test, client, { user, agent: createAgent() })
  expectStatus(
    200,
    await postAsClient(w, `${w.test.issuer}/v1/oauth/token`, client, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }),
  )
  assert.equal(await reasonOf(w.test, tokens.access_token), 'active')
})
