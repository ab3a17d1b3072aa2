/** Authorization codes: single use, bound to client, redirect_uri, challenge and environment (RFC 6749 §4.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { authorizationRequest, createPerson, exchange, refresh, reuseEvents, userinfo } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, randomText, types_of_run, world } from '../support/world.ts'

const w = await world()

async function setUp(type: 'test' | 'live') {
  const environment = w[type]
  const other_uri = 'https://app.example.com/other'
  const client = await w.createApplication(environment, { redirect_uris: ['https://app.example.com/callback', other_uri] })
  const other_client = await w.createApplication(environment, { name: 'Other', redirect_uris: client.redirect_uris })
  const spa = await w.createApplication(environment, { application_type: 'spa', redirect_uris: ['https://spa.example.com/callback'] })
  const elsewhere = type === 'test' ? w.live : w.test
  const client_elsewhere = await w.createApplication(elsewhere, { redirect_uris: client.redirect_uris })
  return { environment, client, other_client, other_uri, spa, elsewhere, client_elsewhere, person: await createPerson(w, environment) }
}

const isInvalidGrant = (reply: Reply) => assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])

async function areRevoked(environment: typeof w.test, client: Parameters<typeof refresh>[2], tokens: Record<string, string>) {
  assert.equal((await userinfo(w, environment, tokens.access_token ?? '')).status, 401)
  isInvalidGrant(await refresh(w, environment, client, tokens.refresh_token ?? ''))
}

/** The reuse events of the grant behind these tokens. */
async function reuseOf(environment: typeof w.test, client: { id: string }, tokens: Record<string, string>) {
  const { grant_id } = decodeJwt(tokens.access_token ?? '')
  return (await reuseEvents(w, environment, client.id)).filter(({ data }) => data.grant_id === grant_id)
}

for (const type of types_of_run) {
  const { environment, client, other_client, other_uri, spa, elsewhere, client_elsewhere, person } = await setUp(type)

  for (const [kind, application] of Object.entries({ confidential: client, public: spa })) {
    test(`of fifty parallel exchanges of one code exactly one succeeds, its tokens are revoked, and one event reports the reuse (${type}, ${kind} client)`, async () => {
      const { request, code } = await person.code(application)
      const replies = await Promise.all(Array.from({ length: 50 }, () => exchange(w, environment, application, { request, code })))
      const [won, ...others] = replies.filter((reply) => reply.status === 200)
      assert.ok(won && others.length === 0)
      for (const reply of replies) if (reply !== won) isInvalidGrant(reply)
      await areRevoked(environment, application, won.body)
      assert.equal((await reuseOf(environment, application, won.body)).length, 1)
    })
  }

  const replays = {
    'exactly as before': {},
    'with another verifier': { code_verifier: randomText() },
    'with another redirect_uri': { redirect_uri: other_uri },
  }
  for (const [how, change] of Object.entries(replays)) {
    test(`a code that its client presents again ${how} is invalid_grant, revokes the tokens issued for it, and causes one event (${type})`, async () => {
      const { request, code } = await person.code(client)
      const first = expectStatus(200, await exchange(w, environment, client, { request, code }))
      const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
      isInvalidGrant(await exchange(w, environment, client, { request, code, change }))
      assert.equal((await userinfo(w, environment, first.access_token)).status, 401)
      await areRevoked(environment, client, second)
      isInvalidGrant(await exchange(w, environment, client, { request, code, change }))
      const { grant_id } = decodeJwt(first.access_token)
      assert.deepEqual(await reuseOf(environment, client, first), [
        { user_id: person.id, data: { grant_id, presented: 'authorization_code' } },
      ])
    })
  }

  test(`a code that another client presents again is invalid_grant and has no effect (${type})`, async () => {
    const { request, code } = await person.code(client)
    const tokens = expectStatus(200, await exchange(w, environment, client, { request, code }))
    isInvalidGrant(await exchange(w, environment, other_client, { request, code }))
    assert.equal((await userinfo(w, environment, tokens.access_token)).status, 200)
    expectStatus(200, await refresh(w, environment, client, tokens.refresh_token))
    assert.deepEqual(await reuseOf(environment, client, tokens), [])
  })

  type Attempt = (request: ReturnType<typeof authorizationRequest>, code: string) => Promise<Reply>
  const failures: [why: string, error: string, attempt: Attempt][] = [
    ['another client presents it', 'invalid_grant', (request, code) => exchange(w, environment, other_client, { request, code })],
    ['a public client presents it', 'invalid_grant', (request, code) => exchange(w, environment, spa, { request, code })],
    [
      'the client belongs to the other environment',
      'invalid_client',
      (request, code) => exchange(w, environment, client_elsewhere, { request, code }),
    ],
    ['it is presented to the other environment', 'invalid_client', (request, code) => exchange(w, elsewhere, client, { request, code })],
    [
      'a client of the other environment presents it there',
      'invalid_grant',
      (request, code) => exchange(w, elsewhere, client_elsewhere, { request, code }),
    ],
    [
      'the client secret is wrong',
      'invalid_client',
      (request, code) => exchange(w, environment, { ...client, client_secret: randomText() }, { request, code }),
    ],
    [
      'the client secret is missing',
      'invalid_client',
      (request, code) => exchange(w, environment, { ...client, client_secret: null }, { request, code }),
    ],
    [
      'the client authenticates by a method that is not its own',
      'invalid_client',
      (request, code) => exchange(w, environment, { ...client, token_endpoint_auth_method: 'client_secret_post' }, { request, code }),
    ],
    [
      'grant_type is refresh_token',
      'invalid_request',
      (request, code) => exchange(w, environment, client, { request, code, change: { grant_type: 'refresh_token' } }),
    ],
    [
      'grant_type is unknown',
      'unsupported_grant_type',
      (request, code) => exchange(w, environment, client, { request, code, change: { grant_type: 'password' } }),
    ],
    [
      'grant_type is empty',
      'invalid_request',
      (request, code) => exchange(w, environment, client, { request, code, change: { grant_type: '' } }),
    ],
  ]
  const wrong: [why: string, error: string, change: Record<string, string>][] = [
    ['the verifier is wrong', 'invalid_grant', { code_verifier: randomText() }],
    ['the verifier is empty', 'invalid_grant', { code_verifier: '' }],
    ['the verifier is 42 characters', 'invalid_grant', { code_verifier: 'a'.repeat(42) }],
    ['the verifier is 129 characters', 'invalid_grant', { code_verifier: 'a'.repeat(129) }],
    ['redirect_uri is another registered one', 'invalid_grant', { redirect_uri: other_uri }],
    ['redirect_uri ends with an extra slash', 'invalid_grant', { redirect_uri: 'https://app.example.com/callback/' }],
    ['redirect_uri is in upper case', 'invalid_grant', { redirect_uri: 'HTTPS://APP.EXAMPLE.COM/callback' }],
    ['redirect_uri is empty', 'invalid_request', { redirect_uri: '' }],
  ]
  for (const [why, error, change] of wrong)
    failures.push([why, error, (request, code) => exchange(w, environment, client, { request, code, change })])

  for (const [why, error, attempt] of failures) {
    test(`a code is refused with ${error} and stays valid when ${why} (${type})`, async () => {
      const { request, code } = await person.code(client)
      const reply = await attempt(request, code)
      assert.equal(reply.body.error, error)
      assert.equal(reply.status, error === 'invalid_client' ? 401 : 400)
      const tokens = expectStatus(200, await exchange(w, environment, client, { request, code }))
      assert.equal((await userinfo(w, environment, tokens.access_token)).status, 200)
    })
  }

  test(`the code challenge is not accepted as the verifier (${type})`, async () => {
    const { request, code } = await person.code(client)
    const challenge = new URL(request.url).searchParams.get('code_challenge') ?? ''
    isInvalidGrant(await exchange(w, environment, client, { request, code, change: { code_verifier: challenge } }))
  })

  test(`a code without a challenge is refused with a verifier and exchanged without one (${type})`, async () => {
    const legacy = await w.createApplication(environment, { require_pkce: false })
    const { request, code } = await person.code(legacy, { code_challenge: undefined, code_challenge_method: undefined })
    isInvalidGrant(await exchange(w, environment, legacy, { request, code }))
    expectStatus(200, await exchange(w, environment, legacy, { request, code, change: { code_verifier: '' } }))
  })

  test(`only a code is exchanged, only a refresh token refreshes, and only an access token reads UserInfo (${type})`, async (t) => {
    const { request, code } = await person.code(client)
    const tokens = await person.tokens(client)
    const page = await person.agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const { access_token, refresh_token, id_token } = tokens
    const values: Record<string, string> = {
      code,
      'refresh token': refresh_token,
      'access token': access_token,
      'ID token': id_token,
      'form token': csrf,
      'client id': client.client_id,
      'client secret': client.client_secret,
      state: request.state,
      nonce: request.nonce,
      'platform key': w.key,
    }
    for (const [name, value] of person.agent.cookies)
      for (const [i, text] of [value, ...value.split('.')].entries()) values[`${name}, part ${i}`] = text
    for (const [what, value] of Object.entries(values))
      await t.test(what, async () => {
        if (what !== 'code') isInvalidGrant(await exchange(w, environment, client, { request, code: value }))
        if (what !== 'refresh token') isInvalidGrant(await refresh(w, environment, client, value))
        if (what !== 'access token') assert.equal((await userinfo(w, environment, value)).status, 401)
      })

    expectStatus(200, await exchange(w, environment, client, { request, code }))
    expectStatus(200, await refresh(w, environment, client, refresh_token))
  })

  for (const kind of ['code', 'refresh_token', 'access_token'] as const)
    test(`a value of the kind ${kind} does not work as the session cookie (${type})`, async () => {
      const value = kind === 'code' ? (await person.code(client)).code : (await person.tokens(client))[kind]
      const name = [...person.agent.cookies.keys()].find((key) => key.includes('_session_')) ?? ''
      const reply = await w.call('GET', authorizationRequest(environment, client, { prompt: 'none' }).url, {
        key: null,
        headers: { cookie: `${name}=${value}` },
      })
      assert.match(reply.headers.get('location') ?? '', /error=login_required/)
    })

  test(`a code expires after authorization_code_ttl_seconds (${type})`, async () => {
    await w.changeSettings(environment, { tokens: { authorization_code_ttl_seconds: 30 } })
    const early = await person.code(client)
    const late = await person.code(client)
    w.advance(29)
    expectStatus(200, await exchange(w, environment, client, { request: early.request, code: early.code }))
    w.advance(2)
    isInvalidGrant(await exchange(w, environment, client, { request: late.request, code: late.code }))
    await w.changeSettings(environment, { tokens: { authorization_code_ttl_seconds: null } })
  })

  test(`an expired code that is presented again still revokes the tokens issued for it (${type})`, async () => {
    const { request, code } = await person.code(client)
    const tokens = expectStatus(200, await exchange(w, environment, client, { request, code }))
    w.advance(61)
    isInvalidGrant(await exchange(w, environment, client, { request, code }))
    await areRevoked(environment, client, tokens)
  })

  test(`a token response is no-store and states the granted scope and lifetime (${type})`, async () => {
    const { request, code } = await person.code(client, { scope: 'openid email' })
    const reply = await exchange(w, environment, client, { request, code })
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    const { access_token, id_token, ...rest } = expectStatus(200, reply)
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'openid email' })
    assert.ok(access_token && id_token)
  })

  test(`a public client that sends a secret is refused, and its code stays valid (${type})`, async () => {
    const { request, code } = await person.code(spa)
    const reply = await exchange(w, environment, spa, { request, code, change: { client_secret: randomText() } })
    assert.deepEqual([reply.status, reply.body.error], [401, 'invalid_client'])
    expectStatus(200, await exchange(w, environment, spa, { request, code }))
  })
}
