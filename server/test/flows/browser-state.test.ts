/** What a browser carries and what forms it may send: no step out of order, from elsewhere or as somebody else changes anything. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { type Agent, authorizationRequest, createAgent, createPerson, exchange, formOf } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, randomText, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const steps = ['sign-in', 'sign-up', 'select-account', 'consent', 'sign-out'] as const
const locationOf = (reply: Reply) => reply.headers.get('location') ?? ''
const cookiesSet = (reply: Reply, kind: string) => reply.headers.getSetCookie().filter((line) => line.includes(`_${kind}_`))
const csrfOf = (reply: Reply) => formOf(reply.body).hidden.csrf ?? ''

async function setUp(place: TestEnvironment) {
  const client = await w.createApplication(place)
  const asking = await w.createApplication(place, { consent: 'ask' })
  const silent = (agent: Agent, application = client) => agent.get(authorizationRequest(place, application, { prompt: 'none' }).url)
  const isSignedIn = async (agent: Agent) => /[?&]code=/.test(locationOf(await silent(agent)))
  const request = (change = {}, application = client) => new URL(authorizationRequest(place, application, change).url).search.slice(1)
  async function signedIn() {
    const person = await createPerson(w, place)
    const { id_token } = await person.tokens(client)
    return { ...person, session_id: String(decodeJwt(id_token).sid) }
  }
  return { client, asking, silent, isSignedIn, request, signedIn }
}

for (const type of ['test', 'live'] as const) {
  const place = w[type]
  const { client, asking, silent, isSignedIn, request, signedIn } = await setUp(place)
  const stepUrl = (step: string) => `${place.issuer}/${step}`

  /** The form of the step, filled in as its page would be. */
  async function rightForm(step: (typeof steps)[number], person: { email: string; password: string; session_id: string; agent: Agent }) {
    const csrf = csrfOf(await person.agent.get(authorizationRequest(place, client, { prompt: 'login' }).url))
    const own = {
      'sign-in': { email: person.email, password: person.password },
      'sign-up': { email: `${randomText()}@example.com`, password: 'a password of my own' },
      'select-account': { session: person.session_id, remove: person.session_id },
      consent: { decision: 'allow', session: person.session_id },
      'sign-out': { decision: 'sign_out' },
    }[step]
    return { csrf, request: request({}, asking), ...own }
  }

  for (const step of steps) {
    test(`${step}: a form without this browser's token, or from elsewhere, changes nothing and gives no code (${type})`, async () => {
      const [person, stranger] = [await signedIn(), await signedIn()]
      const form = await rightForm(step, person)
      const { csrf: other_csrf } = await rightForm(step, stranger)
      const { csrf, ...without } = form
      const base = new URL(w.base_url)
      const attempts: [form: Record<string, string>, headers?: Record<string, string>][] = [
        [without],
        [{ ...without, csrf: '' }],
        [{ ...without, csrf: other_csrf }],
        [{ ...without, csrf: csrf.slice(1) }],
        [{ ...without, csrf: `${csrf}x` }],
        [{ ...without, CSRF: csrf }],
        [form, { origin: 'https://evil.example' }],
        [form, { origin: 'null' }],
        [form, { origin: `https://${base.host}` }],
        [form, { origin: `${base.origin}.evil.example` }],
        [form, { origin: base.origin, 'sec-fetch-site': 'cross-site' }],
        [form, { 'sec-fetch-site': 'same-site' }],
        [form, { 'sec-fetch-site': 'none' }],
      ]
      for (const [fields, headers] of attempts) {
        const reply = await person.agent.post(stepUrl(step), fields, headers)
        assert.doesNotMatch(locationOf(reply), /[?&#](code|error)=/)
        assert.deepEqual(cookiesSet(reply, 'session'), [])
      }
      assert.ok(await isSignedIn(person.agent))
      assert.match(locationOf(await silent(person.agent, asking)), /consent_required/)
      if (step === 'sign-up') assert.deepEqual(expectStatus(200, await w.call('GET', `${place.path}/users?email=${form.email}`)).data, [])
    })

    test(`${step}: out of order, empty, repeated or with a request of somebody else's making, it gives no code and no session (${type})`, async () => {
      const person = await signedIn()
      const form = await rightForm(step, person)
      const many = Array.from({ length: 60_000 }, (_, i) => `${i}&`).join('')
      const requests = [
        '',
        'x',
        '&&==&',
        '%',
        '%zz',
        '\0',
        '日本=語',
        'client_id=&client_id=',
        many,
        'a&'.repeat(100_000),
        'a=1&'.repeat(300),
      ]
      requests.push(
        request({ client_id: 'app_unknown' }),
        request({ redirect_uri: 'https://evil.example/' }),
        request({ redirect_uri: undefined }),
      )
      requests.push(
        `${request()}&redirect_uri=https://evil.example/`,
        `${request()}\r\nSet-Cookie: x=1`,
        `https://evil.example/?${request()}`,
      )
      for (const agent of [person.agent, createAgent()]) {
        for (const sent of requests) {
          const began = performance.now()
          const reply = await agent.post(stepUrl(step), { ...form, request: sent })
          assert.ok(performance.now() - began < 1_000, `${step} took its time over ${sent.slice(0, 20)}`)
          assert.ok(reply.status < 500, `${step} answered ${reply.status} to ${sent.slice(0, 40)}`)
          assert.doesNotMatch(locationOf(reply), /[?&]code=|^https:\/\/evil/)
          if (step !== 'sign-out') assert.deepEqual(cookiesSet(reply, 'session'), [])
        }
        for (const fields of [{}, { csrf: form.csrf }, { request: form.request }]) {
          const reply = await agent.post(stepUrl(step), fields)
          assert.ok(reply.status < 500)
          assert.doesNotMatch(locationOf(reply), /[?&]code=/)
        }
      }
    })

    test(`${step}: a request in letters of any script is carried on (${type})`, async () => {
      const person = await signedIn()
      const reply = await person.agent.post(stepUrl(step), {
        ...(await rightForm(step, person)),
        request: `${request()}&ui_locales=日本&login_hint=ü`,
      })
      assert.ok(reply.status < 400, `${step} answered ${reply.status}`)
    })
  }

  test(`every form but the sign-in and sign-up form is worth nothing to a browser that is not signed in (${type})`, async () => {
    const person = await signedIn()
    for (const step of ['select-account', 'consent', 'sign-out'] as const) {
      const agent = createAgent()
      const csrf = csrfOf(await agent.get(authorizationRequest(place, client).url))
      const reply = await agent.post(stepUrl(step), { ...(await rightForm(step, person)), csrf })
      assert.doesNotMatch(locationOf(reply), /[?&]code=/)
      assert.equal(await isSignedIn(agent), false)
    }
    assert.ok(await isSignedIn(person.agent))
    assert.match(locationOf(await silent(person.agent, asking)), /consent_required/)
  })

  test(`a form that is sent twice does once what it says (${type})`, async () => {
    const { agent, ...user } = await createPerson(w, place)
    const page = await agent.get(authorizationRequest(place, client).url)
    const replies = await Promise.all([1, 2, 3].map(() => agent.submit(page, { email: user.email, password: user.password })))
    assert.ok(replies.every((reply) => reply.status === 303))
    assert.ok(await isSignedIn(agent))
  })

  test(`a sign-in page that an attacker began signs nobody in in another browser (${type})`, async () => {
    const [attacker, victim] = [await signedIn(), createAgent()]
    const page = await attacker.agent.get(authorizationRequest(place, client, { prompt: 'login' }).url)
    const reply = await victim.submit(page, { email: attacker.email, password: attacker.password })
    assert.equal(reply.status, 400)
    assert.equal(await isSignedIn(victim), false)
  })

  test(`every sign-in changes the session cookie, and the one before is worth nothing (${type})`, async () => {
    const person = await signedIn()
    const copy = createAgent()
    for (const [name, value] of person.agent.cookies) copy.cookies.set(name, value)
    assert.ok(await isSignedIn(copy))
    const page = await person.agent.get(authorizationRequest(place, client, { prompt: 'login' }).url)
    expectStatus(303, await person.agent.submit(page, { email: person.email, password: person.password }))
    assert.ok(await isSignedIn(person.agent))
    assert.equal(await isSignedIn(copy), false)
  })

  test(`whoever planted cookies in a browser is not signed in as the person who then signs in there (${type})`, async () => {
    const [attacker, victim] = [await signedIn(), await createPerson(w, place)]
    const agent = createAgent()
    for (const [name, value] of attacker.agent.cookies) agent.cookies.set(name, value)
    const request = authorizationRequest(place, client, { prompt: 'login' })
    const reply = await agent.submit(await agent.get(request.url), { email: victim.email, password: victim.password })
    assert.equal(reply.status, 303)
    const subject = async (browser: Agent) => {
      const again = authorizationRequest(place, client, { prompt: 'none' })
      const code = new URL(locationOf(await browser.get(again.url))).searchParams.get('code') ?? ''
      return decodeJwt(expectStatus(200, await exchange(w, place, client, again, code)).id_token).sub
    }
    assert.equal(await subject(agent), victim.id)
    assert.equal(await subject(attacker.agent), attacker.id)
  })

  test(`consent is that of the person the page was shown to, whoever is the current one when it arrives (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await createPerson(w, place)]
    const { agent } = ada
    const page = await agent.get(authorizationRequest(place, asking).url)
    const login = await agent.get(authorizationRequest(place, client, { prompt: 'login' }).url)
    expectStatus(303, await agent.submit(login, { email: ben.email, password: ben.password }))
    const reply = await agent.submit(page, { decision: 'allow' })
    assert.doesNotMatch(locationOf(reply), /[?&]code=/)
    assert.match(locationOf(await silent(agent, asking)), /consent_required/)
  })

  test(`cookies are HttpOnly, SameSite=Lax, under the issuer's path, with the environment's id in the name (${type})`, async () => {
    const { agent, ...user } = await createPerson(w, place)
    const page = await agent.get(authorizationRequest(place, client).url)
    const after = await agent.submit(page, { email: user.email, password: user.password })
    const lines = [...page.headers.getSetCookie(), ...after.headers.getSetCookie()]
    assert.deepEqual(
      lines.map((line) => line.split('=')[0]).sort(),
      ['device', 'form', 'session'].map((kind) => `ostiary_${kind}_${place.id}`),
    )
    for (const line of lines) assert.match(line, new RegExp(`; Path=/e/${place.id}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`))
  })

  test(`the cookies of one environment are worth nothing at the other (${type})`, async () => {
    const other = type === 'test' ? w.live : w.test
    const there = await setUp(other)
    const person = await signedIn()
    const agent = createAgent()
    for (const [name, value] of person.agent.cookies) {
      agent.cookies.set(name, value)
      agent.cookies.set(name.replace(place.id, other.id), value)
    }
    assert.equal(await there.isSignedIn(agent), false)
    const form = { ...(await rightForm('sign-in', person)), request: there.request() }
    assert.equal((await agent.post(`${other.issuer}/sign-in`, form)).status, 400)
  })

  test(`cookies that are broken, many or long are no session and no failure (${type})`, async () => {
    const name = `ostiary_session_${place.id}`
    const values = [
      '',
      '.',
      'x',
      '....',
      randomText(),
      Array.from({ length: 100 }, randomText).join('.'),
      'é'.repeat(10),
      '"',
      'a'.repeat(8_000),
    ]
    for (const value of values) {
      for (const cookie of [`${name}=${value}`, `${name}=${value}; ${name}=${value}`, `${name}`, `=${value}`, `;;${name}=${value};`]) {
        const { url } = authorizationRequest(place, client, { prompt: 'none' })
        const reply = await w.call('GET', url, { key: null, headers: { cookie: Buffer.from(cookie).toString('latin1') } })
        assert.match(locationOf(reply), /login_required/)
      }
    }
  })

  test(`a browser holds at most six people, the latest ones (${type})`, async () => {
    const people = await Promise.all(Array.from({ length: 7 }, () => w.createUser(place)))
    const agent = createAgent()
    for (const user of people) {
      const page = await agent.get(authorizationRequest(place, client, { prompt: 'login' }).url)
      expectStatus(303, await agent.submit(page, { email: user.email, password: user.password }))
    }
    const { body } = await agent.get(authorizationRequest(place, client, { prompt: 'select_account' }).url)
    const shown = people.filter((user) => body.includes(user.email))
    assert.deepEqual(shown, people.slice(1))
  })
}

test('behind https every cookie is Secure and says so in its name, and browsers are told to stay with https', async () => {
  const https = await world({ env: { OSTIARY_BASE_URL: 'https://login.example.com' } })
  const { id } = https.live
  const client = await https.createApplication(https.live)
  const user = await https.createUser(https.live)
  const agent = createAgent(https.reach)
  const page = await agent.get(authorizationRequest(https.live, client).url)
  const after = await agent.submit(page, { email: user.email, password: user.password }, { origin: 'https://login.example.com' })
  assert.match(locationOf(after), /^https:\/\/login\.example\.com\/e\//)
  for (const reply of [page, after]) assert.match(reply.headers.get('strict-transport-security') ?? '', /^max-age=\d+/)
  const lines = [...page.headers.getSetCookie(), ...after.headers.getSetCookie()]
  const names = ['device', 'form', 'session'].map((kind) => `__Secure-ostiary_${kind}_${id}`)
  assert.deepEqual(lines.map((line) => line.split('=')[0]).sort(), names)
  for (const line of lines) assert.match(line, new RegExp(`; Path=/e/${id}; Max-Age=\\d+; HttpOnly; SameSite=Lax; Secure$`))
  assert.match(locationOf(await agent.get(locationOf(after))), /[?&]code=/)
  const cross = await agent.submit(
    page,
    { email: user.email, password: user.password },
    { origin: https.reach('https://login.example.com') },
  )
  assert.equal(cross.status, 400)
})
