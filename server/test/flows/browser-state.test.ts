/** Cookies and forms of a browser: a step out of order, from another site or for another person changes nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { list, sql } from '../../src/db/db.ts'
import {
  type Agent,
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  formOf,
  signInForTokens,
  userinfo,
} from '../support/cookie-browser.ts'
import { longest_form, parsed } from '../support/parsed-parameters.ts'
import { expectStatus, type Reply, randomText, type TestEnvironment, types_of_run, world } from '../support/world.ts'

const w = await world()
const steps = ['sign-in', 'sign-up', 'select-account', 'consent', 'sign-out'] as const
const locationOf = (reply: Reply) => reply.headers.get('location') ?? ''
const cookiesSet = (reply: Reply, kind: string) => reply.headers.getSetCookie().filter((line) => line.includes(`_${kind}_`))
const csrfOf = (reply: Reply) => formOf(reply.body).hidden.csrf ?? ''

async function setUp(environment: TestEnvironment) {
  const client = await w.createApplication(environment)
  const asking = await w.createApplication(environment, { consent: 'ask' })
  const silent = (agent: Agent, application = client) => agent.get(authorizationRequest(environment, application, { prompt: 'none' }).url)
  const isSignedIn = async (agent: Agent) => /[?&]code=/.test(locationOf(await silent(agent)))
  const request = (change = {}, application = client) => new URL(authorizationRequest(environment, application, change).url).search.slice(1)
  async function signedIn() {
    const person = await createPerson(w, environment)
    const { id_token } = await person.tokens(client)
    return { ...person, session_id: String(decodeJwt(id_token).sid) }
  }
  return { client, asking, silent, isSignedIn, request, signedIn }
}

for (const type of types_of_run) {
  const environment = w[type]
  const { client, asking, silent, isSignedIn, request, signedIn } = await setUp(environment)
  const stepUrl = (step: string) => `${environment.issuer}/${step}`

  /** The form of the step as its page submits it. */
  async function rightForm(step: (typeof steps)[number], person: { email: string; password: string; session_id: string; agent: Agent }) {
    const csrf = csrfOf(await person.agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url))
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
    test(`${step}: a form without the token of this browser, or from another origin, changes nothing and yields no code (${type})`, async (t) => {
      const [person, stranger] = [await signedIn(), await signedIn()]
      const form = await rightForm(step, person)
      const { csrf: other_csrf } = await rightForm(step, stranger)
      const { csrf, ...without } = form
      const base = new URL(w.base_url)
      const attempts: [what: string, form: Record<string, string>, headers?: Record<string, string>][] = [
        ['no token', without],
        ['an empty token', { ...without, csrf: '' }],
        ['the token of another browser', { ...without, csrf: other_csrf }],
        ['the token without its first character', { ...without, csrf: csrf.slice(1) }],
        ['the token with one more character', { ...without, csrf: `${csrf}x` }],
        ['the token in a field CSRF', { ...without, CSRF: csrf }],
        ['another origin', form, { origin: 'https://evil.example' }],
        ['the origin null of another site', form, { origin: 'null', 'sec-fetch-site': 'cross-site' }],
        ['the origin with https', form, { origin: `https://${base.host}` }],
        ['the origin as the beginning of another', form, { origin: `${base.origin}.evil.example` }],
        ['Sec-Fetch-Site: cross-site', form, { origin: base.origin, 'sec-fetch-site': 'cross-site' }],
        ['Sec-Fetch-Site: same-site', form, { 'sec-fetch-site': 'same-site' }],
        ['Sec-Fetch-Site: none', form, { 'sec-fetch-site': 'none' }],
      ]
      for (const [what, fields, headers] of attempts)
        await t.test(what, async () => {
          const reply = await person.agent.post(stepUrl(step), fields, headers)
          assert.doesNotMatch(locationOf(reply), /[?&#](code|error)=/)
          assert.deepEqual(cookiesSet(reply, 'session'), [])
        })
      assert.ok(await isSignedIn(person.agent))
      assert.match(locationOf(await silent(person.agent, asking)), /consent_required/)
      if (step === 'sign-up')
        assert.deepEqual(expectStatus(200, await w.call('GET', `${environment.path}/users?email=${form.email}`)).data, [])
    })

    test(`${step}: a form out of order, without fields or with a made-up request yields no code and no session (${type})`, async (t) => {
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
      for (const [whose, agent] of Object.entries({ 'the signed-in browser': person.agent, 'a new browser': createAgent() })) {
        for (const sent of requests)
          await t.test(`${whose} sends ${sent.length} characters: ${JSON.stringify(sent.slice(-40))}`, async () => {
            parsed.longest = 0
            const reply = await agent.post(stepUrl(step), { ...form, request: sent })
            assert.ok(parsed.longest <= longest_form, `the service parsed ${parsed.longest} characters`)
            assert.ok(reply.status < 500, `${reply.status}`)
            assert.doesNotMatch(locationOf(reply), /[?&]code=|^https:\/\/evil/)
            if (step !== 'sign-out') assert.deepEqual(cookiesSet(reply, 'session'), [])
          })
        for (const fields of [{}, { csrf: form.csrf }, { request: form.request }])
          await t.test(`${whose} sends only the fields [${Object.keys(fields)}]`, async () => {
            const reply = await agent.post(stepUrl(step), fields)
            assert.ok(reply.status < 500)
            assert.doesNotMatch(locationOf(reply), /[?&]code=/)
          })
      }
    })

    test(`${step}: a request with letters of any script is accepted (${type})`, async () => {
      const person = await signedIn()
      const reply = await person.agent.post(stepUrl(step), {
        ...(await rightForm(step, person)),
        request: `${request()}&ui_locales=日本&login_hint=ü`,
      })
      assert.ok(reply.status < 400, `${step} answered ${reply.status}`)
    })
  }

  for (const step of ['select-account', 'consent', 'sign-out'] as const)
    test(`${step}: the form has no effect in a browser that is not signed in (${type})`, async () => {
      const person = await signedIn()
      const agent = createAgent()
      const csrf = csrfOf(await agent.get(authorizationRequest(environment, client).url))
      const reply = await agent.post(stepUrl(step), { ...(await rightForm(step, person)), csrf })
      assert.doesNotMatch(locationOf(reply), /[?&]code=/)
      assert.equal(await isSignedIn(agent), false)
      assert.ok(await isSignedIn(person.agent))
      assert.match(locationOf(await silent(person.agent, asking)), /consent_required/)
    })

  test(`a sign-in form that is submitted three times at once signs in (${type})`, async () => {
    const { agent, ...user } = await createPerson(w, environment)
    const page = await agent.get(authorizationRequest(environment, client).url)
    const replies = await Promise.all([1, 2, 3].map(() => agent.submit(page, { email: user.email, password: user.password })))
    assert.ok(replies.every((reply) => reply.status === 303))
    assert.ok(await isSignedIn(agent))
  })

  test(`a sign-in page that an attacker opened signs no other browser in (${type})`, async () => {
    const [attacker, victim] = [await signedIn(), createAgent()]
    const page = await attacker.agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    const reply = await victim.submit(page, { email: attacker.email, password: attacker.password })
    assert.equal(reply.status, 400)
    assert.equal(await isSignedIn(victim), false)
  })

  test(`every sign-in changes the session cookie, and the previous one stops working (${type})`, async () => {
    const person = await signedIn()
    const copy = createAgent()
    for (const [name, value] of person.agent.cookies) copy.cookies.set(name, value)
    assert.ok(await isSignedIn(copy))
    const page = await person.agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    expectStatus(303, await person.agent.submit(page, { email: person.email, password: person.password }))
    assert.ok(await isSignedIn(person.agent))
    assert.equal(await isSignedIn(copy), false)
  })

  test(`an attacker who planted cookies in a browser does not share the session of the person who signs in there (${type})`, async () => {
    const [attacker, victim] = [await signedIn(), await createPerson(w, environment)]
    const agent = createAgent()
    for (const [name, value] of attacker.agent.cookies) agent.cookies.set(name, value)
    const request = authorizationRequest(environment, client, { prompt: 'login' })
    const reply = await agent.submit(await agent.get(request.url), { email: victim.email, password: victim.password })
    assert.equal(reply.status, 303)
    const subject = async (browser: Agent) => {
      const again = authorizationRequest(environment, client, { prompt: 'none' })
      const code = new URL(locationOf(await browser.get(again.url))).searchParams.get('code') ?? ''
      return decodeJwt(expectStatus(200, await exchange(w, environment, client, { request: again, code })).id_token).sub
    }
    assert.equal(await subject(agent), victim.id)
    assert.equal(await subject(attacker.agent), attacker.id)
  })

  test(`consent counts only for the person to whom the page was shown, even if another person signs in before it is submitted (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await createPerson(w, environment)]
    const { agent } = ada
    const page = await agent.get(authorizationRequest(environment, asking).url)
    const login = await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    expectStatus(303, await agent.submit(login, { email: ben.email, password: ben.password }))
    const reply = await agent.submit(page, { decision: 'allow' })
    assert.doesNotMatch(locationOf(reply), /[?&]code=/)
    assert.match(locationOf(await silent(agent, asking)), /consent_required/)
  })

  test(`cookies are HttpOnly, SameSite=Lax, under the issuer's path, with the environment's id in the name (${type})`, async () => {
    const { agent, ...user } = await createPerson(w, environment)
    const page = await agent.get(authorizationRequest(environment, client).url)
    const after = await agent.submit(page, { email: user.email, password: user.password })
    const lines = [...page.headers.getSetCookie(), ...after.headers.getSetCookie()]
    assert.deepEqual(
      lines.map((line) => line.split('=')[0]?.replace(/(_form_.*)_[\w-]{8}$/, '$1')).sort(),
      ['device', 'form', 'last', 'session'].map((kind) => `ostiary_${kind}_${environment.id}`),
    )
    for (const line of lines) assert.match(line, new RegExp(`; Path=/e/${environment.id}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`))
  })

  test(`the cookies of one environment do not work at the other (${type})`, async () => {
    const other = type === 'test' ? w.live : w.test
    const there = await setUp(other)
    const person = await signedIn()
    const agent = createAgent()
    for (const [name, value] of person.agent.cookies) {
      agent.cookies.set(name, value)
      agent.cookies.set(name.replace(environment.id, other.id), value)
    }
    assert.equal(await there.isSignedIn(agent), false)
    const form = { ...(await rightForm('sign-in', person)), request: there.request() }
    assert.equal((await agent.post(`${other.issuer}/sign-in`, form)).status, 400)
  })

  test(`a broken, repeated or long cookie counts as no session (${type})`, async (t) => {
    const name = `ostiary_session_${environment.id}`
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
    for (const value of values)
      await t.test(`${value.length} characters: ${JSON.stringify(value.slice(0, 20))}`, async () => {
        for (const cookie of [`${name}=${value}`, `${name}=${value}; ${name}=${value}`, `${name}`, `=${value}`, `;;${name}=${value};`]) {
          const { url } = authorizationRequest(environment, client, { prompt: 'none' })
          const reply = await w.call('GET', url, { key: null, headers: { cookie: Buffer.from(cookie).toString('latin1') } })
          assert.match(locationOf(reply), /login_required/)
        }
      })
  })

  test(`a browser keeps at most six signed-in people; the sign-in of a seventh signs out the first (${type})`, async () => {
    const agent = createAgent()
    const people = []
    for (let number = 1; number <= 7; number++) {
      const user = await w.createUser(environment)
      const { tokens } = await signInForTokens(w, environment, client, { user, change: { prompt: 'login', scope: 'openid' }, agent })
      people.push({ ...user, access_token: tokens.access_token, session_id: String(decodeJwt(tokens.id_token).sid) })
    }
    const { body } = await agent.get(authorizationRequest(environment, client, { prompt: 'select_account' }).url)
    const shown = people.filter((user) => body.includes(user.email))
    assert.deepEqual(shown, people.slice(1))

    const statuses = await Promise.all(people.map(async ({ access_token }) => (await userinfo(w, environment, access_token)).status))
    assert.deepEqual(statuses, [401, 200, 200, 200, 200, 200, 200])
    const ended = await w.deployment.db.all(
      z.object({ user_id: z.string(), data: z.record(z.string(), z.string()) }),
      sql`select user_id, data from events where environment_id = ${environment.id} and type = 'session.ended'
             and user_id in (${list(people.map(({ id }) => id))})`,
    )
    assert.deepEqual(ended, [{ user_id: people[0]?.id, data: { session_id: people[0]?.session_id, reason: 'signed_out' } }])
  })
}

test('behind https every cookie is Secure and named __Secure-, and answers set Strict-Transport-Security', async () => {
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
  const names = ['device', 'form', 'last', 'session'].map((kind) => `__Secure-ostiary_${kind}_${id}`)
  assert.deepEqual(lines.map((line) => line.split('=')[0]?.replace(/(_form_.*)_[\w-]{8}$/, '$1')).sort(), names)
  for (const line of lines) assert.match(line, new RegExp(`; Path=/e/${id}; Max-Age=\\d+; HttpOnly; SameSite=Lax; Secure$`))
  assert.match(locationOf(await agent.get(locationOf(after))), /[?&]code=/)
  const cross = await agent.submit(
    page,
    { email: user.email, password: user.password },
    { origin: https.reach('https://login.example.com') },
  )
  assert.equal(cross.status, 400)
})
