/** Authorization codes: single use, bound to client, redirect_uri, challenge and environment (contract §4, RFC 6749 §4.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { authorizationRequest, createPerson, exchange, refresh, reuseEvents, userinfo } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, randomText, world } from '../support/world.ts'

const w = await world()

async function setUp(type: 'test' | 'live') {
  const place = w[type]
  const other_uri = 'https://app.example.com/other'
  const client = await w.createApplication(place, { redirect_uris: ['https://app.example.com/callback', other_uri] })
  const other_client = await w.createApplication(place, { name: 'Other', redirect_uris: client.redirect_uris })
  const spa = await w.createApplication(place, { application_type: 'spa', redirect_uris: ['https://spa.example.com/callback'] })
  const elsewhere = type === 'test' ? w.live : w.test
  const client_elsewhere = await w.createApplication(elsewhere, { redirect_uris: client.redirect_uris })
  return { place, client, other_client, other_uri, spa, elsewhere, client_elsewhere, person: await createPerson(w, place) }
}

const isInvalidGrant = (reply: Reply) => assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])

async function areRevoked(place: typeof w.test, client: Parameters<typeof refresh>[2], tokens: Record<string, string>) {
  assert.equal((await userinfo(w, place, tokens.access_token ?? '')).status, 401)
  isInvalidGrant(await refresh(w, place, client, tokens.refresh_token ?? ''))
}

/** What was told of the grant behind these tokens. */
async function reuseOf(place: typeof w.test, client: { id: string }, tokens: Record<string, string>) {
  const { grant_id } = decodeJwt(tokens.access_token ?? '')
  return (await reuseEvents(w, place, client.id)).filter(({ data }) => data.grant_id === grant_id)
}

for (const type of ['test', 'live'] as const) {
  const { place, client, other_client, other_uri, spa, elsewhere, client_elsewhere, person } = await setUp(type)

  for (const [kind, application] of Object.entries({ confidential: client, public: spa })) {
    test(`of fifty parallel exchanges of one code exactly one succeeds, its tokens are revoked, and one event tells of it (${type}, ${kind} client)`, async () => {
      const { request, code } = await person.code(application)
      const replies = await Promise.all(Array.from({ length: 50 }, () => exchange(w, place, application, request, code)))
      const [won, ...others] = replies.filter((reply) => reply.status === 200)
      assert.ok(won && others.length === 0)
      for (const reply of replies) if (reply !== won) isInvalidGrant(reply)
      await areRevoked(place, application, won.body)
      assert.equal((await reuseOf(place, application, won.body)).length, 1)
    })
  }

  const replays = {
    'exactly as before': {},
    'with another verifier': { code_verifier: randomText() },
    'with another redirect_uri': { redirect_uri: other_uri },
  }
  for (const [how, change] of Object.entries(replays)) {
    test(`a code that its client sends again ${how} is invalid_grant and revokes every token it bought, and one event tells of it (${type})`, async () => {
      const { request, code } = await person.code(client)
      const first = expectStatus(200, await exchange(w, place, client, request, code))
      const second = expectStatus(200, await refresh(w, place, client, first.refresh_token))
      isInvalidGrant(await exchange(w, place, client, request, code, change))
      assert.equal((await userinfo(w, place, first.access_token)).status, 401)
      await areRevoked(place, client, second)
      isInvalidGrant(await exchange(w, place, client, request, code, change))
      const { grant_id } = decodeJwt(first.access_token)
      assert.deepEqual(await reuseOf(place, client, first), [{ user_id: person.id, data: { grant_id, presented: 'authorization_code' } }])
    })
  }

  test(`a code that another client sends again is invalid_grant and has no effect (${type})`, async () => {
    const { request, code } = await person.code(client)
    const tokens = expectStatus(200, await exchange(w, place, client, request, code))
    isInvalidGrant(await exchange(w, place, other_client, request, code))
    assert.equal((await userinfo(w, place, tokens.access_token)).status, 200)
    expectStatus(200, await refresh(w, place, client, tokens.refresh_token))
    assert.deepEqual(await reuseOf(place, client, tokens), [])
  })

  type Attempt = (request: ReturnType<typeof authorizationRequest>, code: string) => Promise<Reply>
  const failures: [why: string, error: string, attempt: Attempt][] = [
    ['another client sends it', 'invalid_grant', (request, code) => exchange(w, place, other_client, request, code)],
    ['a public client sends it', 'invalid_grant', (request, code) => exchange(w, place, spa, request, code)],
    ['the client is not of this environment', 'invalid_client', (request, code) => exchange(w, place, client_elsewhere, request, code)],
    ['it is sent to the other environment', 'invalid_client', (request, code) => exchange(w, elsewhere, client, request, code)],
    [
      'a client of the other environment sends it there',
      'invalid_grant',
      (request, code) => exchange(w, elsewhere, client_elsewhere, request, code),
    ],
    [
      'the client secret is wrong',
      'invalid_client',
      (request, code) => exchange(w, place, { ...client, client_secret: randomText() }, request, code),
    ],
    [
      'the client secret is missing',
      'invalid_client',
      (request, code) => exchange(w, place, { ...client, client_secret: null }, request, code),
    ],
    [
      'the client uses another method than its own',
      'invalid_client',
      (request, code) => exchange(w, place, { ...client, token_endpoint_auth_method: 'client_secret_post' }, request, code),
    ],
    [
      'grant_type is refresh_token',
      'invalid_request',
      (request, code) => exchange(w, place, client, request, code, { grant_type: 'refresh_token' }),
    ],
    [
      'grant_type is unknown',
      'unsupported_grant_type',
      (request, code) => exchange(w, place, client, request, code, { grant_type: 'password' }),
    ],
    ['grant_type is empty', 'invalid_request', (request, code) => exchange(w, place, client, request, code, { grant_type: '' })],
  ]
  const wrong: [why: string, error: string, change: Record<string, string>][] = [
    ['the verifier is another', 'invalid_grant', { code_verifier: randomText() }],
    ['the verifier is empty', 'invalid_grant', { code_verifier: '' }],
    ['the verifier is 42 characters', 'invalid_grant', { code_verifier: 'a'.repeat(42) }],
    ['the verifier is 129 characters', 'invalid_grant', { code_verifier: 'a'.repeat(129) }],
    ['redirect_uri is another registered one', 'invalid_grant', { redirect_uri: other_uri }],
    ['redirect_uri has a slash more', 'invalid_grant', { redirect_uri: 'https://app.example.com/callback/' }],
    ['redirect_uri is in capitals', 'invalid_grant', { redirect_uri: 'HTTPS://APP.EXAMPLE.COM/callback' }],
    ['redirect_uri is empty', 'invalid_request', { redirect_uri: '' }],
  ]
  for (const [why, error, change] of wrong)
    failures.push([why, error, (request, code) => exchange(w, place, client, request, code, change)])

  for (const [why, error, attempt] of failures) {
    test(`a code is refused with ${error} and not spent when ${why} (${type})`, async () => {
      const { request, code } = await person.code(client)
      const reply = await attempt(request, code)
      assert.equal(reply.body.error, error)
      assert.equal(reply.status, error === 'invalid_client' ? 401 : 400)
      const tokens = expectStatus(200, await exchange(w, place, client, request, code))
      assert.equal((await userinfo(w, place, tokens.access_token)).status, 200)
    })
  }

  test(`the challenge itself does not pass for the verifier (${type})`, async () => {
    const { request, code } = await person.code(client)
    const challenge = new URL(request.url).searchParams.get('code_challenge') ?? ''
    isInvalidGrant(await exchange(w, place, client, request, code, { code_verifier: challenge }))
  })

  test(`a code without a challenge is not redeemed with a verifier, and is without one (${type})`, async () => {
    const legacy = await w.createApplication(place, { require_pkce: false })
    const { request, code } = await person.code(legacy, { code_challenge: undefined, code_challenge_method: undefined })
    isInvalidGrant(await exchange(w, place, legacy, request, code))
    expectStatus(200, await exchange(w, place, legacy, request, code, { code_verifier: '' }))
  })

  test(`what is no code is not redeemed, and what is no refresh token does not refresh (${type})`, async () => {
    const { request, code } = await person.code(client)
    const tokens = await person.tokens(client)
    const page = await person.agent.get(authorizationRequest(place, client, { prompt: 'login' }).url)
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const { access_token, refresh_token, id_token } = tokens
    const cookies = [...person.agent.cookies.values()].flatMap((value) => [value, ...value.split('.')])
    const others = [access_token, id_token, csrf, client.client_id, client.client_secret, request.state, request.nonce, w.key, ...cookies]
    for (const not_a_code of [refresh_token, ...others]) isInvalidGrant(await exchange(w, place, client, request, not_a_code))
    for (const not_a_refresh_token of [code, ...others]) isInvalidGrant(await refresh(w, place, client, not_a_refresh_token))
    for (const not_an_access_token of [code, refresh_token, id_token, csrf, ...cookies])
      assert.equal((await userinfo(w, place, not_an_access_token)).status, 401)

    expectStatus(200, await exchange(w, place, client, request, code))
    expectStatus(200, await refresh(w, place, client, refresh_token))
  })

  test(`no code, refresh token or access token passes for a session or form cookie (${type})`, async () => {
    const { code } = await person.code(client)
    const { access_token, refresh_token } = await person.tokens(client)
    const name = [...person.agent.cookies.keys()].find((key) => key.includes('_session_')) ?? ''
    for (const value of [code, refresh_token, access_token]) {
      const reply = await w.call('GET', authorizationRequest(place, client, { prompt: 'none' }).url, {
        key: null,
        headers: { cookie: `${name}=${value}` },
      })
      assert.match(reply.headers.get('location') ?? '', /error=login_required/)
    }
  })

  test(`a code dies after the time that the settings say (${type})`, async () => {
    await w.changeSettings(place, { tokens: { authorization_code_ttl_seconds: 30 } })
    const early = await person.code(client)
    const late = await person.code(client)
    w.advance(29)
    expectStatus(200, await exchange(w, place, client, early.request, early.code))
    w.advance(2)
    isInvalidGrant(await exchange(w, place, client, late.request, late.code))
    await w.changeSettings(place, { tokens: { authorization_code_ttl_seconds: null } })
  })

  test(`a code that is replayed after its time still revokes what it bought (${type})`, async () => {
    const { request, code } = await person.code(client)
    const tokens = expectStatus(200, await exchange(w, place, client, request, code))
    w.advance(61)
    isInvalidGrant(await exchange(w, place, client, request, code))
    await areRevoked(place, client, tokens)
  })

  test(`an answer of the token endpoint may not be kept, and says what was granted for how long (${type})`, async () => {
    const { request, code } = await person.code(client, { scope: 'openid email' })
    const reply = await exchange(w, place, client, request, code)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    const { access_token, id_token, ...rest } = expectStatus(200, reply)
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'openid email' })
    assert.ok(access_token && id_token)
  })

  test(`a public client that sends a secret is refused, and its code is not spent (${type})`, async () => {
    const { request, code } = await person.code(spa)
    const reply = await exchange(w, place, spa, request, code, { client_secret: randomText() })
    assert.deepEqual([reply.status, reply.body.error], [401, 'invalid_client'])
    expectStatus(200, await exchange(w, place, spa, request, code))
  })
}
