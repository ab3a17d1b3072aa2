/** Refresh tokens: strict rotation, detection of reuse, narrowing, expiry (RFC 6749 §6, RFC 9700 §4.14). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { createPerson, refresh, reuseEvents, revoke, userinfo } from '../support/cookie-browser.ts'
import { overlapping } from '../support/overlapping-batches.ts'
import { expectStatus, type Reply, randomText, types_of_run, world } from '../support/world.ts'

const w = await world()

const isInvalidGrant = (reply: Reply) => assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])

for (const type of types_of_run) {
  const environment = w[type]
  const elsewhere = type === 'test' ? w.live : w.test
  const post = await w.createApplication(environment, { token_endpoint_auth_method: 'client_secret_post' })
  const spa = await w.createApplication(environment, { application_type: 'spa' })
  const person = await createPerson(w, environment)
  /** A client for this test only, so that its events are too. */
  const fresh = () => w.createApplication(environment)
  const client = await fresh()

  async function isAlive(tokens: { access_token: string; refresh_token: string }, application = client) {
    assert.equal((await userinfo(w, environment, tokens.access_token)).status, 200)
    return expectStatus(200, await refresh(w, environment, application, tokens.refresh_token))
  }

  test(`every refresh returns a new refresh token and a new access token, and earlier access tokens stay valid (${type})`, async () => {
    const first = await person.tokens(client)
    const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    const third = expectStatus(200, await refresh(w, environment, client, second.refresh_token))
    assert.equal(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size, 3)
    for (const { refresh_token } of [first, second, third]) assert.match(refresh_token, /^svc_rt_/) // a new database has chains at once
    assert.equal(new Set([first, second, third].map((tokens) => tokens.access_token)).size, 3)
    for (const { access_token } of [first, second, third]) assert.equal((await userinfo(w, environment, access_token)).status, 200)
  })

  for (const generation of [0, 1, 2]) {
    test(`a spent refresh token that is presented again ends its whole family, and causes one event (${type}, generation ${generation} of 3)`, async () => {
      const application = await fresh()
      const family = [await person.tokens(application)]
      for (let i = 0; i < 3; i++) family.push(expectStatus(200, await refresh(w, environment, application, family[i].refresh_token)))
      for (let times = 0; times < 3; times++) isInvalidGrant(await refresh(w, environment, application, family[generation].refresh_token))
      isInvalidGrant(await refresh(w, environment, application, family[3].refresh_token))
      for (const { access_token } of family) assert.equal((await userinfo(w, environment, access_token)).status, 401)
      const { grant_id } = decodeJwt(family[0].access_token)
      assert.deepEqual(await reuseEvents(w, environment, application.id), [
        { user_id: person.id, data: { grant_id, presented: 'refresh_token' } },
      ])
    })
  }

  test(`of fifty parallel refreshes with one token exactly one succeeds, the family ends, and one event reports the reuse (${type})`, async () => {
    const application = await fresh()
    const { refresh_token } = await person.tokens(application)
    const all = () => Array.from({ length: 50 }, () => refresh(w, environment, application, refresh_token))
    const replies = await overlapping(w, all, 'refresh_chains')
    const [won, ...others] = replies.filter((reply) => reply.status === 200)
    assert.ok(won && others.length === 0)
    for (const reply of replies) if (reply !== won) isInvalidGrant(reply)
    isInvalidGrant(await refresh(w, environment, application, won.body.refresh_token))
    assert.equal((await userinfo(w, environment, won.body.access_token)).status, 401)
    assert.equal((await reuseEvents(w, environment, application.id)).length, 1)
  })

  test(`fifty parallel refreshes of different families all succeed (${type})`, async () => {
    const families = await Promise.all(Array.from({ length: 50 }, () => person.tokens(client)))
    const replies = await Promise.all(families.map(({ refresh_token }) => refresh(w, environment, client, refresh_token)))
    assert.ok(replies.every((reply) => reply.status === 200))
  })

  const other = await fresh()
  const refusals: [why: string, error: string, attempt: (refresh_token: string) => Promise<Reply>][] = [
    ['another client presents it', 'invalid_grant', (token) => refresh(w, environment, other, token)],
    ['a public client presents it', 'invalid_grant', (token) => refresh(w, environment, spa, token)],
    ['the secret is missing', 'invalid_client', (token) => refresh(w, environment, { ...client, client_secret: null }, token)],
    ['the secret is wrong', 'invalid_client', (token) => refresh(w, environment, { ...client, client_secret: randomText() }, token)],
    [
      'the secret is another client’s',
      'invalid_client',
      (token) => refresh(w, environment, { ...client, client_secret: other.client_secret }, token),
    ],
    [
      'the client authenticates by a method that is not its own',
      'invalid_client',
      (token) => refresh(w, environment, { ...client, token_endpoint_auth_method: 'client_secret_post' }, token),
    ],
    ['it is presented to the other environment', 'invalid_client', (token) => refresh(w, elsewhere, client, token)],
    [
      'grant_type is authorization_code',
      'invalid_request',
      (token) => refresh(w, environment, client, { refresh_token: token, grant_type: 'authorization_code' }),
    ],
    ['the scope is wider', 'invalid_scope', (token) => refresh(w, environment, client, { refresh_token: token, scope: 'openid phone' })],
    ['the scope is unknown', 'invalid_scope', (token) => refresh(w, environment, client, { refresh_token: token, scope: 'openid admin' })],
    [
      'the scope has control characters',
      'invalid_request',
      (token) => refresh(w, environment, client, { refresh_token: token, scope: 'openid\0' }),
    ],
  ]
  for (const [why, error, attempt] of refusals) {
    test(`a refresh is ${error}, and the token stays valid, when ${why} (${type})`, async () => {
      const tokens = await person.tokens(client)
      const reply = await attempt(tokens.refresh_token)
      assert.deepEqual([reply.status, reply.body.error], [error === 'invalid_client' ? 401 : 400, error])
      await isAlive(tokens)
    })
  }

  test(`a client registered for client_secret_post refreshes with it and not with Basic (${type})`, async () => {
    const tokens = await person.tokens(post)
    const basic = await refresh(w, environment, { ...post, token_endpoint_auth_method: 'client_secret_basic' }, tokens.refresh_token)
    assert.deepEqual([basic.status, basic.body.error], [401, 'invalid_client'])
    assert.match(basic.headers.get('www-authenticate') ?? '', /^Basic /)
    const none = await refresh(w, environment, { ...post, client_secret: null }, tokens.refresh_token)
    assert.deepEqual([none.status, none.body.error, none.headers.get('www-authenticate')], [401, 'invalid_client', null])
    await isAlive(tokens, post)
  })

  test(`another client that presents a spent refresh token does not end the family (${type})`, async () => {
    const first = await person.tokens(client)
    const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    isInvalidGrant(await refresh(w, environment, other, first.refresh_token))
    await isAlive(second)
  })

  test(`a narrower scope holds for one access token only (${type})`, async () => {
    const first = await person.tokens(client)
    const narrow = expectStatus(200, await refresh(w, environment, client, { refresh_token: first.refresh_token, scope: 'openid email' }))
    assert.equal(narrow.scope, 'openid email')
    assert.deepEqual(Object.keys((await userinfo(w, environment, narrow.access_token)).body).sort(), ['email', 'email_verified', 'sub'])
    assert.equal(decodeJwt(narrow.id_token).name, undefined)
    const wide = expectStatus(200, await refresh(w, environment, client, narrow.refresh_token))
    assert.equal(wide.scope, 'openid profile email offline_access')
    assert.equal(decodeJwt(wide.id_token).name, 'Ada Example')
  })

  test(`an empty scope counts as omitted (${type})`, async () => {
    const { refresh_token } = await person.tokens(client)
    const { scope } = expectStatus(200, await refresh(w, environment, client, { refresh_token, scope: '' }))
    assert.equal(scope, 'openid profile email offline_access')
  })

  test(`without openid in the narrowed scope there is no ID token, and UserInfo refuses (${type})`, async () => {
    const { refresh_token } = await person.tokens(client)
    const narrow = expectStatus(200, await refresh(w, environment, client, { refresh_token, scope: 'email' }))
    assert.equal(narrow.id_token, undefined)
    const reply = await userinfo(w, environment, narrow.access_token)
    assert.equal(reply.status, 403)
    assert.match(reply.headers.get('www-authenticate') ?? '', /error="insufficient_scope".*scope="openid"/)
  })

  test(`without offline_access there is no refresh token (${type})`, async () => {
    assert.equal((await person.tokens(client, { scope: 'openid' })).refresh_token, undefined)
  })

  test(`the ID token of a refresh has the same user, session and auth_time as the first, and no nonce (${type})`, async () => {
    const first = await person.tokens(client)
    w.advance(100)
    const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    const { nonce, iat, exp, at_hash, ...before } = decodeJwt(first.id_token)
    const { iat: later_iat = 0, exp: later_exp = 0, at_hash: later_at_hash, ...after } = decodeJwt(second.id_token)
    assert.ok(nonce && iat && exp)
    assert.deepEqual(after, before)
    assert.ok(later_iat >= iat + 100 && later_exp >= exp + 100)
    assert.notEqual(later_at_hash, at_hash)
  })

  test(`a refresh token expires after its idle time without use, and at the maximum age of its grant (${type})`, async () => {
    await w.changeSettings(environment, { tokens: { refresh_token_idle_ttl_seconds: 3_600, refresh_token_absolute_ttl_seconds: 7_200 } })
    const idle = await person.tokens(client)
    let used = await person.tokens(client)
    for (let i = 0; i < 2; i++) {
      w.advance(3_500)
      used = expectStatus(200, await refresh(w, environment, client, used.refresh_token))
    }
    isInvalidGrant(await refresh(w, environment, client, idle.refresh_token))
    w.advance(300)
    isInvalidGrant(await refresh(w, environment, client, used.refresh_token))
    await w.changeSettings(environment, { tokens: { refresh_token_idle_ttl_seconds: null, refresh_token_absolute_ttl_seconds: null } })
  })

  test(`a grant older than a newly set absolute lifetime is not refreshed (${type})`, async () => {
    const day_seconds = 86_400
    let tokens = await person.tokens(client)
    for (let i = 0; i < 4; i++) {
      w.advance(10 * day_seconds)
      tokens = expectStatus(200, await refresh(w, environment, client, tokens.refresh_token))
    }
    await w.changeSettings(environment, { tokens: { refresh_token_absolute_ttl_seconds: 30 * day_seconds } })
    isInvalidGrant(await refresh(w, environment, client, tokens.refresh_token))
    await w.changeSettings(environment, { tokens: { refresh_token_absolute_ttl_seconds: null } })
    expectStatus(200, await refresh(w, environment, client, tokens.refresh_token))
  })

  test(`a revoked refresh token revokes its whole family (${type})`, async () => {
    const first = await person.tokens(client)
    const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    expectStatus(200, await revoke(w, environment, client, first.refresh_token))
    for (const { refresh_token } of [first, second]) isInvalidGrant(await refresh(w, environment, client, refresh_token))
  })
}
