/** Sign-out (RP-Initiated Logout 1.0): immediate or after a question, the return address, and the grants that end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { type Agent, authorizationRequest, createAgent, createPerson, exchange, refresh, userinfo } from '../support/cookie-browser.ts'
import { rowsFollowed } from '../support/endings.ts'
import { forgeriesOf } from '../support/forgeries.ts'
import { expectStatus, type Reply, type TestEnvironment, types_of_run, world } from '../support/world.ts'

const w = await world()
const signed_out_uri = 'https://app.example.com/signed-out'
const locationOf = (reply: Reply) => reply.headers.get('location')
const isQuestion = (reply: Reply) => /<form method="post" action="[^"]*\/sign-out"/.test(reply.body)
/** The links of a page, without the one to the account page of the issuer. */
const linksOf = (reply: Reply) =>
  [...reply.body.matchAll(/<a class="b[^>]*href="([^"]*)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter((link) => ![w.test, w.live].some(({ issuer }) => link === `${issuer}/account`))

// biome-ignore format: one spelling a line
const spellings = [
  `${signed_out_uri}/`, `${signed_out_uri}?`, `${signed_out_uri}?x=1`, `${signed_out_uri}#`, `${signed_out_uri}/..`, `${signed_out_uri}/../signed-out`, `${signed_out_uri}%00`, `${signed_out_uri} `, ` ${signed_out_uri}`, `${signed_out_uri}\n`,
  signed_out_uri.toUpperCase(), signed_out_uri.slice(0, -1), `${signed_out_uri}2`, 'https://app.example.com:443/signed-out', 'https://app.example.com@evil.example/signed-out', 'https://app.example.com.evil.example/signed-out',
  'https://evil.example/', '//evil.example/', '\\\\evil.example', 'https:evil.example', '/signed-out', 'javascript:alert(1)', 'JavaScript:alert(1)//', 'data:text/html,x', 'https://app.example.com/callback',
  'https://*.example.com/signed-out', '"><script>alert(1)</script>', '',
]

const Ended = z.object({ user_id: z.string() })

async function createIdToken(environment: TestEnvironment): Promise<string> {
  const application = await w.createApplication(environment, { post_logout_redirect_uris: [signed_out_uri] })
  return (await (await createPerson(w, environment)).tokens(application)).id_token
}
// Created before any test moves the clock.
const id_tokens = { test: await createIdToken(w.test), live: await createIdToken(w.live) }

for (const type of types_of_run) {
  const environment = w[type]
  const elsewhere = type === 'test' ? w.live : w.test
  const client = await w.createApplication(environment, { post_logout_redirect_uris: [signed_out_uri] })
  const other = await w.createApplication(environment, { post_logout_redirect_uris: ['https://other.example.com/'] })
  const logoutUrl = (parameters: Record<string, string>) => `${environment.issuer}/oauth/logout?${new URLSearchParams(parameters)}`
  const logOut = (agent: Agent, parameters: Record<string, string>) => agent.get(logoutUrl(parameters))
  const isSignedIn = async (agent: Agent) =>
    /[?&]code=/.test(locationOf(await agent.get(authorizationRequest(environment, client, { prompt: 'none' }).url)) ?? '')
  async function signedIn(application = client, change = {}) {
    const person = await createPerson(w, environment)
    return { ...person, ...(await person.tokens(application, change)) }
  }

  test(`with an ID token of this issuer the browser is signed out at once and redirected with state (${type})`, async () => {
    const { agent, id_token } = await signedIn()
    const reply = await logOut(agent, { id_token_hint: id_token, post_logout_redirect_uri: signed_out_uri, state: 'a b&c=ü' })
    assert.deepEqual([reply.status, locationOf(reply)], [303, `${signed_out_uri}?state=a%20b%26c%3D%C3%BC`])
    assert.equal(await isSignedIn(agent), false)
    assert.ok(![...agent.cookies.keys()].some((name) => name.includes('_session_')))
    const again = await logOut(agent, { id_token_hint: id_token, post_logout_redirect_uri: signed_out_uri })
    assert.equal(locationOf(again), signed_out_uri, 'a browser that is signed out already is redirected too')
  })

  test(`an expired ID token signs out too, even when its session was renewed since (${type})`, async () => {
    const person = await signedIn()
    w.advance(5_000)
    const page = await person.agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    expectStatus(303, await person.agent.submit(page, { email: person.email, password: person.password }))
    assert.equal(
      locationOf(await logOut(person.agent, { id_token_hint: person.id_token, post_logout_redirect_uri: signed_out_uri })),
      signed_out_uri,
    )
    assert.equal(await isSignedIn(person.agent), false)
  })

  test(`without a post_logout_redirect_uri a page confirms the sign-out (${type})`, async () => {
    const { agent, id_token } = await signedIn()
    const reply = await logOut(agent, { id_token_hint: id_token })
    assert.deepEqual([reply.status, locationOf(reply), linksOf(reply)], [200, null, []])
    assert.equal(await isSignedIn(agent), false)
  })

  test(`the confirmation links to the initiate_login_uri of the application (${type})`, async () => {
    const application = await w.createApplication(environment, { initiate_login_uri: 'https://app.example.com/begin?from=id' })
    const { agent, id_token } = await signedIn(application)
    const sign_in_url = `https://app.example.com/begin?from=id&iss=${encodeURIComponent(environment.issuer)}`
    assert.deepEqual(linksOf(await logOut(agent, { id_token_hint: id_token })), [sign_in_url])
  })

  test(`a post_logout_redirect_uri that is not registered byte by byte is neither a redirect nor a link (${type})`, async (t) => {
    const { id_token } = await signedIn()
    for (const post_logout_redirect_uri of [...spellings, ...other.post_logout_redirect_uris])
      await t.test(JSON.stringify(post_logout_redirect_uri), async () => {
        const done = await logOut(createAgent(), { id_token_hint: id_token, post_logout_redirect_uri, client_id: client.id })
        const asked = await logOut(createAgent(), { post_logout_redirect_uri, client_id: client.id, state: 'x' })
        for (const reply of [done, asked]) {
          assert.deepEqual([locationOf(reply), linksOf(reply)], [null, []])
          const is_readable = post_logout_redirect_uri !== '' && !/[\p{Cc}\ufffd]/u.test(post_logout_redirect_uri)
          if (is_readable) assert.match(reply.body, /not registered/)
        }
        assert.doesNotMatch(done.body + asked.body, /<script|http-equiv/)
      })
  })

  const unproven: Record<string, (person: Record<string, string>) => Record<string, string>> = {
    'without a hint': () => ({}),
    'with an ID token of the other environment': () => ({ id_token_hint: id_tokens[elsewhere.type] }),
    'with an access token': ({ access_token = '' }) => ({ id_token_hint: access_token }),
    'with a string that is not a token': () => ({ id_token_hint: 'no.id.token' }),
    'with an ID token of another client than client_id': ({ id_token = '' }) => ({ id_token_hint: id_token, client_id: other.id }),
    'with an ID token of another person': ({ another = '' }) => ({ id_token_hint: another }),
  }
  for (const [how, make] of Object.entries(unproven)) {
    test(`${how} a page asks before it signs out (${type})`, async () => {
      const [person, another] = [await signedIn(), await signedIn()]
      const proof = make({ access_token: person.access_token, id_token: person.id_token, another: another.id_token })
      const page = await logOut(person.agent, { post_logout_redirect_uri: signed_out_uri, ...proof })
      assert.deepEqual([page.status, locationOf(page), isQuestion(page)], [200, null, true])
      assert.doesNotMatch(page.body, /<script|http-equiv/)
      assert.ok(await isSignedIn(person.agent))

      const stay = await person.agent.submit(page, { decision: 'stay' })
      assert.deepEqual([stay.status, locationOf(stay)], [200, null])
      assert.ok(await isSignedIn(person.agent))
      const signed_out = await person.agent.submit(page, { decision: 'sign_out' })
      assert.deepEqual([signed_out.status, locationOf(signed_out)], [200, null])
      assert.equal(await isSignedIn(person.agent), false)
      assert.ok(await isSignedIn(another.agent))
    })
  }

  test(`a forged or changed hint signs nobody out, and is invalid_request at authorization (${type})`, async (t) => {
    const { agent, id_token } = await signedIn()
    for (const [what, id_token_hint] of Object.entries(await forgeriesOf(w, environment, id_token)))
      await t.test(what, async () => {
        assert.ok(isQuestion(await logOut(agent, { id_token_hint, post_logout_redirect_uri: signed_out_uri })))
        const reply = await agent.get(authorizationRequest(environment, client, { id_token_hint, prompt: 'none' }).url)
        assert.match(locationOf(reply) ?? '', /[?&]error=invalid_request&/)
      })
    assert.ok(await isSignedIn(agent))
  })

  test(`after the question the page links back to the application that client_id names (${type})`, async () => {
    const { agent } = await signedIn()
    const request = { client_id: client.id, post_logout_redirect_uri: signed_out_uri, state: 's' }
    const page = await logOut(agent, request)
    const signed_out = await agent.submit(page, { decision: 'sign_out' })
    assert.deepEqual(linksOf(signed_out), [`${signed_out_uri}?state=s`])
    assert.deepEqual(linksOf(await logOut(createAgent(), request)), [`${signed_out_uri}?state=s`])
    assert.deepEqual(linksOf(await logOut(createAgent(), { ...request, client_id: other.id })), [])
    assert.deepEqual(linksOf(await logOut(createAgent(), { ...request, client_id: 'app_unknown' })), [])
  })

  test(`the page says why it leads nowhere exactly when a return address was sent and not used (${type})`, async () => {
    const wrong = 'https://app.example.com/"><b>bye'
    const unused: [RegExp, Record<string, string>][] = [
      [/it sent is not registered/, { post_logout_redirect_uri: wrong, client_id: client.id }],
      [/it sent is not registered/, { post_logout_redirect_uri: signed_out_uri, client_id: other.id }],
      [/the app that the request names is not known here/, { post_logout_redirect_uri: signed_out_uri, client_id: 'app_unknown' }],
      [/did not say which app it came from/, { post_logout_redirect_uri: signed_out_uri }],
      [/a token \(id_token_hint\) that is not valid here/, { post_logout_redirect_uri: signed_out_uri, id_token_hint: 'x.y.z' }],
      [
        /a token \(id_token_hint\) of another environment/,
        { post_logout_redirect_uri: signed_out_uri, id_token_hint: id_tokens[elsewhere.type] },
      ],
    ]
    for (const [says, request] of unused) {
      const { agent, id_token } = await signedIn()
      const page = await logOut(agent, request)
      for (const decision of ['stay', 'sign_out']) {
        const { body } = await agent.submit(page, { decision })
        assert.match(body, says, JSON.stringify(request))
        assert.equal(body.match(/cannot take you back/g)?.length, 1)
        const is_compared = type === 'test' && request.client_id === client.id
        assert.equal(
          body.includes('<code>post_logout_redirect_uri</code>'),
          type === 'test' && 'client_id' in request && request.client_id !== 'app_unknown',
        )
        assert.equal(body.includes('&quot;&gt;'), is_compared, 'only Test shows the address, compared with the registered ones')
        assert.ok(!body.includes('"><b>bye'))
      }
      const { client_id: _, ...hinted } = request
      if (request.client_id === client.id)
        assert.match((await logOut(agent, { ...hinted, id_token_hint: id_token })).body, /not registered/)
    }
    const { agent } = await signedIn()
    for (const request of [
      {},
      { client_id: client.id },
      { client_id: client.id, post_logout_redirect_uri: signed_out_uri },
      { state: 'x' },
    ] as Record<string, string>[])
      assert.doesNotMatch((await agent.submit(await logOut(agent, request), { decision: 'stay' })).body, /cannot take you back/)
  })

  test(`a disabled application signs people out and redirects them nowhere (${type})`, async () => {
    const application = await w.createApplication(environment, { post_logout_redirect_uris: [signed_out_uri] })
    const { agent, id_token } = await signedIn(application)
    expectStatus(200, await w.call('PATCH', `${environment.path}/applications/${application.id}`, { body: { disabled: true } }))
    const reply = await logOut(agent, { id_token_hint: id_token, post_logout_redirect_uri: signed_out_uri })
    assert.deepEqual([locationOf(reply), linksOf(reply)], [null, []])
    assert.equal(await isSignedIn(agent), false)
  })

  test(`a repeated or unreadable parameter is 400, and signs nobody out (${type})`, async (t) => {
    const { agent, id_token } = await signedIn()
    const once = { id_token_hint: id_token, post_logout_redirect_uri: signed_out_uri, client_id: client.id, state: 's' }
    for (const [name, value] of Object.entries(once))
      for (const [what, second] of Object.entries({ 'the same value': value, 'another value': 'x', 'no value': '' }))
        await t.test(`${name} twice, the second time with ${what}`, async () => {
          const reply = await agent.get(`${logoutUrl(once)}&${new URLSearchParams({ [name]: second })}`)
          assert.deepEqual([reply.status, locationOf(reply)], [400, null])
        })
    await t.test('state with a NUL', async () => assert.equal((await logOut(agent, { ...once, state: 'a\0b' })).status, 400))
    assert.ok(await isSignedIn(agent))
  })

  test(`a request by POST is answered 303 to the same request as GET (${type})`, async () => {
    const { agent, id_token } = await signedIn()
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: signed_out_uri, state: 'a b' }
    const reply = await createAgent().post(`${environment.issuer}/oauth/logout`, parameters, { origin: 'https://app.example.com' })
    assert.equal(reply.status, 303)
    assert.equal(locationOf(await agent.get(locationOf(reply) ?? '')), `${signed_out_uri}?state=a%20b`)
    const bare = await agent.post(`${environment.issuer}/oauth/logout`, {})
    assert.equal(bare.status, 303)
  })

  test(`the hint signs out the user it names; a confirmed sign-out signs out every person in the browser (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await createPerson(w, environment)]
    const page = await ada.agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    expectStatus(303, await ada.agent.submit(page, { email: ben.email, password: ben.password }))
    const people = async () => (await ada.agent.get(authorizationRequest(environment, client, { prompt: 'select_account' }).url)).body
    await logOut(ada.agent, { id_token_hint: ada.id_token })
    const accounts = await people()
    assert.deepEqual([accounts.includes(ada.email), accounts.includes(ben.email)], [false, true])
    const again = await ada.agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    expectStatus(303, await ada.agent.submit(again, { email: ada.email, password: ada.password }))
    await ada.agent.submit(await logOut(ada.agent, {}), { decision: 'sign_out' })
    assert.equal(await isSignedIn(ada.agent), false)
    assert.match(await people(), /\/sign-in"/)
  })

  const ways: Record<string, (agent: Agent, id_token: string) => Promise<unknown>> = {
    'with the hint': (agent, id_token_hint) => logOut(agent, { id_token_hint }),
    'with confirmation': async (agent) => agent.submit(await logOut(agent, {}), { decision: 'sign_out' }),
    'in the account chooser': async (agent) => {
      const page = await agent.get(authorizationRequest(environment, client, { prompt: 'select_account' }).url)
      return agent.submit(page, { remove: /name="remove" value="([^"]*)"/.exec(page.body)?.[1] ?? '' })
    },
  }
  for (const format of ['jwt', 'opaque'] as const) {
    for (const [how, signOut] of Object.entries(ways)) {
      test(`signing out ${how} ends only the grants without offline_access, and causes one event (${type}, ${format} access tokens)`, async () => {
        await w.changeSettings(environment, { tokens: { access_token_format: format } })
        const { id, tokens, code, agent } = await createPerson(w, environment)
        const online = await tokens(client, { scope: 'openid email' })
        const offline = await tokens(other)
        const pending = await code(client, { scope: 'openid' })
        const offline_pending = await code(other)
        await signOut(agent, online.id_token)
        await signOut(agent, online.id_token).catch(() => 'no session is left')
        assert.equal((await userinfo(w, environment, online.access_token)).status, 401)
        assert.equal((await exchange(w, environment, client, { request: pending.request, code: pending.code })).body.error, 'invalid_grant')
        assert.equal((await userinfo(w, environment, offline.access_token)).status, 200)
        const refreshed = expectStatus(200, await refresh(w, environment, other, offline.refresh_token))
        assert.equal((await userinfo(w, environment, refreshed.access_token)).status, 200)
        expectStatus(200, await exchange(w, environment, other, { request: offline_pending.request, code: offline_pending.code }))
        const events = sql`select user_id from events where environment_id = ${environment.id} and type = 'session.ended' and user_id = ${id}`
        assert.equal((await w.deployment.db.all(Ended, events)).length, 1)
        await w.changeSettings(environment, { tokens: { access_token_format: null } })
      })
    }
  }
}

test('30 parallel sign-outs cause one event', async () => {
  const client = await w.createApplication(w.test, { post_logout_redirect_uris: [signed_out_uri] })
  for (const callers of [30, 50]) {
    const person = await createPerson(w, w.test)
    const { id_token } = await person.tokens(client, { scope: 'openid' })
    const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: signed_out_uri })
    const cookie = [...person.agent.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const replies = await Promise.all(
      Array.from({ length: callers }, () => createAgent().get(`${w.test.issuer}/oauth/logout?${query}`, { cookie })),
    )
    for (const reply of replies) assert.deepEqual([reply.status, locationOf(reply)], [303, signed_out_uri])
    const events = sql`select user_id from events where environment_id = ${w.test.id} and type = 'session.ended' and user_id = ${person.id}`
    assert.equal((await w.deployment.db.all(Ended, events)).length, 1)
  }
})

test('of a sign-out and the end of all sessions of the person in parallel, one causes the event', async () => {
  const key = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  const { id_token } = await person.tokens(client)
  const cookie = [...person.agent.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const signOut = () => createAgent().get(`${w.test.issuer}/oauth/logout?${new URLSearchParams({ id_token_hint: id_token })}`, { cookie })
  const endAll = () => w.call('POST', `/v1/auth/users/${person.id}/end-sessions`, { key })
  const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? signOut() : endAll())))
  for (const { status } of replies) assert.equal(status, 200)
  await rowsFollowed(w.deployment.db)
  const events = sql`select user_id from events where environment_id = ${w.test.id} and type = 'session.ended' and user_id = ${person.id}`
  assert.equal((await w.deployment.db.all(Ended, events)).length, 1)
})
