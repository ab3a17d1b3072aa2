/** Sign-out (RP-Initiated Logout 1.0): who is signed out at once, who is asked, where it leads, and which grants end (contract §4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { type Agent, authorizationRequest, createAgent, createPerson, exchange, refresh, userinfo } from '../support/cookie-browser.ts'
import { forgeriesOf } from '../support/forgeries.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const way_out = 'https://app.example.com/signed-out'
const locationOf = (reply: Reply) => reply.headers.get('location')
const isAsked = (reply: Reply) => /<form method="post" action="[^"]*\/sign-out"/.test(reply.body)
const linksOf = (reply: Reply) =>
  [...reply.body.matchAll(/<a class="b[^>]*href="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'))

// biome-ignore format: one spelling a line
const spellings = [
  `${way_out}/`, `${way_out}?`, `${way_out}?x=1`, `${way_out}#`, `${way_out}/..`, `${way_out}/../signed-out`, `${way_out}%00`, `${way_out} `, ` ${way_out}`, `${way_out}\n`,
  way_out.toUpperCase(), way_out.slice(0, -1), `${way_out}2`, 'https://app.example.com:443/signed-out', 'https://app.example.com@evil.example/signed-out', 'https://app.example.com.evil.example/signed-out',
  'https://evil.example/', '//evil.example/', '\\\\evil.example', 'https:evil.example', '/signed-out', 'javascript:alert(1)', 'JavaScript:alert(1)//', 'data:text/html,x', 'https://app.example.com/callback',
  'https://*.example.com/signed-out', '"><script>alert(1)</script>', '',
]

const Ended = z.object({ user_id: z.string() })

async function idTokenOfSomebody(place: TestEnvironment): Promise<string> {
  const application = await w.createApplication(place, { post_logout_redirect_uris: [way_out] })
  return (await (await createPerson(w, place)).tokens(application)).id_token
}
// Before any test moves the clock.
const id_tokens = { test: await idTokenOfSomebody(w.test), live: await idTokenOfSomebody(w.live) }

for (const type of ['test', 'live'] as const) {
  const place = w[type]
  const elsewhere = type === 'test' ? w.live : w.test
  const client = await w.createApplication(place, { post_logout_redirect_uris: [way_out] })
  const other = await w.createApplication(place, { post_logout_redirect_uris: ['https://other.example.com/'] })
  const logoutUrl = (parameters: Record<string, string>) => `${place.issuer}/oauth/logout?${new URLSearchParams(parameters)}`
  const leave = (agent: Agent, parameters: Record<string, string>) => agent.get(logoutUrl(parameters))
  const isSignedIn = async (agent: Agent) =>
    /[?&]code=/.test(locationOf(await agent.get(authorizationRequest(place, client, { prompt: 'none' }).url)) ?? '')
  async function signedIn(application = client, change = {}) {
    const person = await createPerson(w, place)
    return { ...person, ...(await person.tokens(application, change)) }
  }

  test(`with an ID token of ours the browser is signed out at once and sent on with state (${type})`, async () => {
    const { agent, id_token } = await signedIn()
    const reply = await leave(agent, { id_token_hint: id_token, post_logout_redirect_uri: way_out, state: 'a b&c=ü' })
    assert.deepEqual([reply.status, locationOf(reply)], [303, `${way_out}?state=a%20b%26c%3D%C3%BC`])
    assert.equal(await isSignedIn(agent), false)
    assert.ok(![...agent.cookies.keys()].some((name) => name.includes('_session_')))
    const again = await leave(agent, { id_token_hint: id_token, post_logout_redirect_uri: way_out })
    assert.equal(locationOf(again), way_out, 'whoever is signed out already is sent on as well')
  })

  test(`an ID token that expired does as well, also when its session was renewed since (${type})`, async () => {
    const person = await signedIn()
    w.advance(5_000)
    const page = await person.agent.get(authorizationRequest(place, client, { prompt: 'login' }).url)
    expectStatus(303, await person.agent.submit(page, { email: person.email, password: person.password }))
    assert.equal(locationOf(await leave(person.agent, { id_token_hint: person.id_token, post_logout_redirect_uri: way_out })), way_out)
    assert.equal(await isSignedIn(person.agent), false)
  })

  test(`without a post_logout_redirect_uri a page says that it is done (${type})`, async () => {
    const { agent, id_token } = await signedIn()
    const reply = await leave(agent, { id_token_hint: id_token })
    assert.deepEqual([reply.status, locationOf(reply), linksOf(reply)], [200, null, []])
    assert.equal(await isSignedIn(agent), false)
  })

  test(`whoever is signed out may begin again where the application has that begun (${type})`, async () => {
    const application = await w.createApplication(place, { initiate_login_uri: 'https://app.example.com/begin?from=id' })
    const { agent, id_token } = await signedIn(application)
    const begins = `https://app.example.com/begin?from=id&iss=${encodeURIComponent(place.issuer)}`
    assert.deepEqual(linksOf(await leave(agent, { id_token_hint: id_token })), [begins])
  })

  test(`a post_logout_redirect_uri that is not registered byte by byte is followed and linked by nobody (${type})`, async () => {
    const { id_token } = await signedIn()
    for (const post_logout_redirect_uri of [...spellings, ...other.post_logout_redirect_uris]) {
      const told = await leave(createAgent(), { id_token_hint: id_token, post_logout_redirect_uri, client_id: client.id })
      const asked = await leave(createAgent(), { post_logout_redirect_uri, client_id: client.id, state: 'x' })
      for (const reply of [told, asked]) {
        assert.deepEqual([locationOf(reply), linksOf(reply)], [null, []], post_logout_redirect_uri)
        const is_readable = post_logout_redirect_uri !== '' && !/[\p{Cc}\ufffd]/u.test(post_logout_redirect_uri)
        if (is_readable) assert.match(reply.body, /not registered/, post_logout_redirect_uri)
      }
      assert.doesNotMatch(told.body + asked.body, /<script|http-equiv/)
    }
  })

  const unproved: Record<string, (person: Record<string, string>) => Record<string, string>> = {
    'without a hint': () => ({}),
    'with an ID token of the other environment': () => ({ id_token_hint: id_tokens[elsewhere.type] }),
    'with an access token': ({ access_token = '' }) => ({ id_token_hint: access_token }),
    'with what is no token': () => ({ id_token_hint: 'no.id.token' }),
    'with an ID token of another client than client_id': ({ id_token = '' }) => ({ id_token_hint: id_token, client_id: other.id }),
    'with an ID token of somebody else': ({ another = '' }) => ({ id_token_hint: another }),
  }
  for (const [how, make] of Object.entries(unproved)) {
    test(`${how} the person is asked, and nothing happens by itself (${type})`, async () => {
      const [person, another] = [await signedIn(), await signedIn()]
      const proof = make({ access_token: person.access_token, id_token: person.id_token, another: another.id_token })
      const page = await leave(person.agent, { post_logout_redirect_uri: way_out, ...proof })
      assert.deepEqual([page.status, locationOf(page), isAsked(page)], [200, null, true])
      assert.doesNotMatch(page.body, /<script|http-equiv/)
      assert.ok(await isSignedIn(person.agent))

      const stay = await person.agent.submit(page, { decision: 'stay' })
      assert.deepEqual([stay.status, locationOf(stay)], [200, null])
      assert.ok(await isSignedIn(person.agent))
      const left = await person.agent.submit(page, { decision: 'sign_out' })
      assert.deepEqual([left.status, locationOf(left)], [200, null])
      assert.equal(await isSignedIn(person.agent), false)
      assert.ok(await isSignedIn(another.agent))
    })
  }

  test(`a hint that somebody else made or changed signs nobody out, and hints at nobody (${type})`, async () => {
    const { agent, id_token } = await signedIn()
    for (const [what, id_token_hint] of Object.entries(await forgeriesOf(w, place, id_token))) {
      assert.ok(isAsked(await leave(agent, { id_token_hint, post_logout_redirect_uri: way_out })), what)
      const reply = await agent.get(authorizationRequest(place, client, { id_token_hint, prompt: 'none' }).url)
      assert.match(locationOf(reply) ?? '', /[?&]error=invalid_request&/, what)
    }
    assert.ok(await isSignedIn(agent))
  })

  test(`whoever was asked is offered the way back to the application that client_id names (${type})`, async () => {
    const { agent } = await signedIn()
    const request = { client_id: client.id, post_logout_redirect_uri: way_out, state: 's' }
    const page = await leave(agent, request)
    const left = await agent.submit(page, { decision: 'sign_out' })
    assert.deepEqual(linksOf(left), [`${way_out}?state=s`])
    assert.deepEqual(linksOf(await leave(createAgent(), request)), [`${way_out}?state=s`])
    assert.deepEqual(linksOf(await leave(createAgent(), { ...request, client_id: other.id })), [])
    assert.deepEqual(linksOf(await leave(createAgent(), { ...request, client_id: 'app_unknown' })), [])
  })

  test(`the page says that the return address is not registered where one was sent and not used, and only there (${type})`, async () => {
    const wrong = 'https://app.example.com/"><b>bye'
    const unregistered: Record<string, string>[] = [
      { post_logout_redirect_uri: wrong, client_id: client.id },
      { post_logout_redirect_uri: way_out, client_id: other.id },
      { post_logout_redirect_uri: way_out, client_id: 'app_unknown' },
      { post_logout_redirect_uri: way_out },
    ]
    for (const request of unregistered) {
      const { agent, id_token } = await signedIn()
      const page = await leave(agent, request)
      for (const decision of ['stay', 'sign_out']) {
        const { body } = await agent.submit(page, { decision })
        assert.match(body, /not registered/, JSON.stringify(request))
        assert.ok(!body.includes('https://app.example.com/&quot;'), 'the address is not shown')
      }
      const { client_id: _, ...hinted } = request
      if (request.client_id === client.id) assert.match((await leave(agent, { ...hinted, id_token_hint: id_token })).body, /not registered/)
    }
    const { agent } = await signedIn()
    for (const request of [
      {},
      { client_id: client.id },
      { client_id: client.id, post_logout_redirect_uri: way_out },
      { state: 'x' },
    ] as Record<string, string>[])
      assert.doesNotMatch((await agent.submit(await leave(agent, request), { decision: 'stay' })).body, /not registered/)
  })

  test(`a disabled application signs its people out and sends them nowhere (${type})`, async () => {
    const application = await w.createApplication(place, { post_logout_redirect_uris: [way_out] })
    const { agent, id_token } = await signedIn(application)
    expectStatus(200, await w.call('PATCH', `${place.path}/applications/${application.id}`, { body: { disabled: true } }))
    const reply = await leave(agent, { id_token_hint: id_token, post_logout_redirect_uri: way_out })
    assert.deepEqual([locationOf(reply), linksOf(reply)], [null, []])
    assert.equal(await isSignedIn(agent), false)
  })

  test(`a repeated or unreadable parameter is told to the person, and signs nobody out (${type})`, async () => {
    const { agent, id_token } = await signedIn()
    const once = { id_token_hint: id_token, post_logout_redirect_uri: way_out, client_id: client.id, state: 's' }
    for (const [name, value] of Object.entries(once)) {
      for (const more of [value, 'x', '']) {
        const reply = await agent.get(`${logoutUrl(once)}&${new URLSearchParams({ [name]: more })}`)
        assert.deepEqual([reply.status, locationOf(reply)], [400, null])
      }
    }
    assert.equal((await leave(agent, { ...once, state: 'a\0b' })).status, 400)
    assert.ok(await isSignedIn(agent))
  })

  test(`a request by POST is answered 303 to the same request as GET (${type})`, async () => {
    const { agent, id_token } = await signedIn()
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: way_out, state: 'a b' }
    const reply = await createAgent().post(`${place.issuer}/oauth/logout`, parameters, { origin: 'https://app.example.com' })
    assert.equal(reply.status, 303)
    assert.equal(locationOf(await agent.get(locationOf(reply) ?? '')), `${way_out}?state=a%20b`)
    const bare = await agent.post(`${place.issuer}/oauth/logout`, {})
    assert.equal(bare.status, 303)
  })

  test(`the hint signs out the one person it names; by hand everybody in the browser is signed out (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await createPerson(w, place)]
    const page = await ada.agent.get(authorizationRequest(place, client, { prompt: 'login' }).url)
    expectStatus(303, await ada.agent.submit(page, { email: ben.email, password: ben.password }))
    const people = async () => (await ada.agent.get(authorizationRequest(place, client, { prompt: 'select_account' }).url)).body
    await leave(ada.agent, { id_token_hint: ada.id_token })
    const left = await people()
    assert.deepEqual([left.includes(ada.email), left.includes(ben.email)], [false, true])
    const again = await ada.agent.get(authorizationRequest(place, client, { prompt: 'login' }).url)
    expectStatus(303, await ada.agent.submit(again, { email: ada.email, password: ada.password }))
    await ada.agent.submit(await leave(ada.agent, {}), { decision: 'sign_out' })
    assert.equal(await isSignedIn(ada.agent), false)
    assert.match(await people(), /\/sign-in"/)
  })

  const ways: Record<string, (agent: Agent, id_token: string) => Promise<unknown>> = {
    'by the hint': (agent, id_token_hint) => leave(agent, { id_token_hint }),
    'by hand': async (agent) => agent.submit(await leave(agent, {}), { decision: 'sign_out' }),
    'in the account chooser': async (agent) => {
      const page = await agent.get(authorizationRequest(place, client, { prompt: 'select_account' }).url)
      return agent.submit(page, { remove: /name="remove" value="([^"]*)"/.exec(page.body)?.[1] ?? '' })
    },
  }
  for (const format of ['jwt', 'opaque'] as const) {
    for (const [how, signOut] of Object.entries(ways)) {
      test(`signing out ${how} ends the grants without offline_access and no others, and one event tells of it (${type}, ${format} access tokens)`, async () => {
        await w.changeSettings(place, { tokens: { access_token_format: format } })
        const { id, tokens, code, agent } = await createPerson(w, place)
        const online = await tokens(client, { scope: 'openid email' })
        const offline = await tokens(other)
        const pending = await code(client, { scope: 'openid' })
        const offline_pending = await code(other)
        await signOut(agent, online.id_token)
        await signOut(agent, online.id_token).catch(() => 'there is nobody left to sign out')
        assert.equal((await userinfo(w, place, online.access_token)).status, 401)
        assert.equal((await exchange(w, place, client, pending.request, pending.code)).body.error, 'invalid_grant')
        assert.equal((await userinfo(w, place, offline.access_token)).status, 200)
        const refreshed = expectStatus(200, await refresh(w, place, other, offline.refresh_token))
        assert.equal((await userinfo(w, place, refreshed.access_token)).status, 200)
        expectStatus(200, await exchange(w, place, other, offline_pending.request, offline_pending.code))
        const events = sql`select user_id from events where environment_id = ${place.id} and type = 'session.ended' and user_id = ${id}`
        assert.equal((await w.deployment.db.all(Ended, events)).length, 1)
        await w.changeSettings(place, { tokens: { access_token_format: null } })
      })
    }
  }
}
