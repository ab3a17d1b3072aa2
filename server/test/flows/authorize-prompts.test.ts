/** Who is asked what before a code is given: prompt, max_age, hints, consent, several accounts, sign-up (OIDC Core §3.1.2.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { type Agent, authorizationRequest, createAgent, createPerson, exchange, formOf, type Request } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()

type Page = 'sign_in' | 'sign_up' | 'consent' | 'accounts' | 'code' | (string & {})

/** Which page came, or what the client was told. */
function pageOf(reply: Reply): Page {
  const location = reply.headers.get('location')
  if (location !== null) {
    const answer = new URL(location).searchParams
    return answer.has('code') ? 'code' : (answer.get('error') ?? location)
  }
  const action = /<form method="post" action="[^"]*\/([a-z-]+)"/.exec(reply.body)?.[1] ?? ''
  return { 'sign-in': 'sign_in', 'sign-up': 'sign_up', consent: 'consent', 'select-account': 'accounts' }[action] ?? `${reply.status}`
}

/** Follows our own redirects, not the client's. */
async function settle(agent: Agent, reply: Reply, request: Request): Promise<Reply> {
  const location = reply.headers.get('location')
  return location === null || location.startsWith(request.redirect_uri) ? reply : settle(agent, await agent.get(location), request)
}

for (const type of ['test', 'live'] as const) {
  const place = w[type]
  const client = await w.createApplication(place)
  const asking = await w.createApplication(place, { consent: 'ask', name: 'Asking' })
  const signedIn = async (application = client) => {
    const person = await createPerson(w, place)
    const { id_token } = await person.tokens(application)
    return { ...person, id_token }
  }
  const submit = async (agent: Agent, page: Reply, request: Request, fields: Record<string, string>) =>
    settle(agent, await agent.submit(page, fields), request)
  const signIn = (agent: Agent, page: Reply, request: Request, { email, password }: { email: string; password: string }) =>
    submit(agent, page, request, { email, password })
  const subjectOf = async (request: Request, reply: Reply) => {
    const code = new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? ''
    return decodeJwt(expectStatus(200, await exchange(w, place, client, request, code)).id_token).sub
  }

  // biome-ignore format: this table is read by column
  const steps: [whom: 'stranger' | 'signed in', change: Record<string, string>, page: Page, then?: Page][] = [
    ['stranger',  {},                                    'sign_in', 'code'],
    ['stranger',  { prompt: 'none' },                    'login_required'],
    ['stranger',  { prompt: 'none', login_hint: 'x@example.com' }, 'login_required'],
    ['stranger',  { prompt: 'login' },                   'sign_in', 'code'],
    ['stranger',  { prompt: 'consent' },                 'sign_in', 'consent'],
    ['stranger',  { prompt: 'select_account' },          'sign_in', 'code'],
    ['stranger',  { prompt: 'login select_account consent' }, 'sign_in', 'consent'],
    ['stranger',  { prompt: 'create' },                  'sign_up'],
    ['stranger',  { max_age: '0' },                      'sign_in', 'code'],
    ['signed in', {},                                    'code'],
    ['signed in', { prompt: 'none' },                    'code'],
    ['signed in', { prompt: 'login' },                   'sign_in', 'code'],
    ['signed in', { prompt: 'consent' },                 'consent'],
    ['signed in', { prompt: 'login consent' },           'sign_in', 'consent'],
    ['signed in', { prompt: 'select_account' },          'accounts'],
    ['signed in', { prompt: 'create' },                  'sign_up'],
    ['signed in', { max_age: '0' },                      'sign_in', 'code'],
    ['signed in', { max_age: '0', prompt: 'none' },      'login_required'],
    ['signed in', { max_age: '100' },                    'code'],
    ['signed in', { max_age: '99999999999999999999999' }, 'code'],
  ]
  for (const [whom, change, page, then] of steps) {
    test(`a person who is ${whom} meets ${page}${then ? `, then ${then}` : ''} at ${JSON.stringify(change)} (${type})`, async () => {
      const person = whom === 'stranger' ? await createPerson(w, place) : await signedIn()
      const request = authorizationRequest(place, client, change)
      const first = await person.agent.get(request.url)
      assert.equal(pageOf(first), page)
      if (then) assert.equal(pageOf(await signIn(person.agent, first, request, person)), then)
    })
  }

  test(`max_age asks for a sign-in once more than that has passed, and the ID token tells when it was (${type})`, async () => {
    const person = await signedIn()
    w.advance(100)
    const request = authorizationRequest(place, client, { max_age: '99' })
    assert.equal(
      pageOf(await person.agent.get(authorizationRequest(place, client, { max_age: '99', prompt: 'none' }).url)),
      'login_required',
    )
    assert.equal(pageOf(await person.agent.get(authorizationRequest(place, client, { max_age: '200' }).url)), 'code')
    const page = await person.agent.get(request.url)
    assert.equal(pageOf(page), 'sign_in')
    const called = await signIn(person.agent, page, request, person)
    const code = new URL(called.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const { auth_time, sid } = decodeJwt(expectStatus(200, await exchange(w, place, client, request, code)).id_token)
    const before = decodeJwt(person.id_token)
    assert.ok(Number(auth_time) >= Number(before.auth_time) + 100)
    assert.equal(sid, before.sid, 'the same person in the same browser keeps the session')
  })

  test(`a session dies when it is not used for its idle time, and with its greatest age (${type})`, async () => {
    await w.changeSettings(place, { sessions: { idle_ttl_seconds: 3_600, absolute_ttl_seconds: 7_200 } })
    const [idle, used] = [await signedIn(), await signedIn()]
    const silent = ({ agent }: { agent: Agent }) => agent.get(authorizationRequest(place, client, { prompt: 'none' }).url)
    w.advance(3_500)
    assert.equal(pageOf(await silent(used)), 'code')
    w.advance(3_500)
    assert.equal(pageOf(await silent(used)), 'code')
    assert.equal(pageOf(await silent(idle)), 'login_required')
    w.advance(300)
    assert.equal(pageOf(await silent(used)), 'login_required')
    await w.changeSettings(place, { sessions: { idle_ttl_seconds: null, absolute_ttl_seconds: null } })
  })

  test(`login_hint is what the address field begins with, and is no markup (${type})`, async () => {
    const login_hint = '"><script>alert(1)</script>@example.com'
    for (const prompt of ['login', 'create']) {
      const { body } = await createAgent().get(authorizationRequest(place, client, { login_hint, prompt }).url)
      assert.ok(body.includes('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;@example.com"'))
    }
  })

  test(`id_token_hint: only the session of the person it names will do, an expired one of ours included (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await signedIn()]
    w.advance(4_000)
    const ask = (person: { agent: Agent }, change: Record<string, string>) =>
      person.agent.get(authorizationRequest(place, client, change).url)
    assert.equal(pageOf(await ask(ada, { id_token_hint: ada.id_token, prompt: 'none' })), 'code')
    assert.equal(pageOf(await ask(ben, { id_token_hint: ada.id_token, prompt: 'none' })), 'login_required')
    assert.equal(pageOf(await ask(ben, { id_token_hint: ada.id_token })), 'sign_in')
  })

  test(`with id_token_hint and prompt=login somebody else's sign-in answers nothing, the person's own does (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await createPerson(w, place)]
    const request = authorizationRequest(place, client, { id_token_hint: ada.id_token, prompt: 'login' })
    const agent = ada.agent
    let page = await agent.get(request.url)
    assert.equal(pageOf(page), 'sign_in')
    page = await signIn(agent, page, request, ben)
    assert.equal(pageOf(page), 'sign_in')
    page = await signIn(agent, page, request, ada)
    assert.equal(await subjectOf(request, page), ada.id)
  })

  const foreign = type === 'test' ? w.live : w.test
  test(`an id_token_hint that this issuer did not sign is invalid_request (${type})`, async () => {
    const stranger = await createPerson(w, foreign)
    const { id_token } = await stranger.tokens(await w.createApplication(foreign))
    const own = await signedIn()
    const { access_token } = await own.tokens(client)
    for (const id_token_hint of [
      id_token,
      access_token,
      `${own.id_token}x`,
      own.id_token.slice(0, -4),
      `${own.id_token.split('.').slice(0, 2).join('.')}.`,
    ])
      assert.equal(pageOf(await own.agent.get(authorizationRequest(place, client, { id_token_hint }).url)), 'invalid_request')
  })

  test(`consent is asked once, again for more, told when refused, and never shown with prompt=none (${type})`, async () => {
    const person = await signedIn()
    const ask = (change: Record<string, string>) => authorizationRequest(place, asking, change)
    const agent = person.agent
    assert.equal(pageOf(await agent.get(ask({ scope: 'openid', prompt: 'none' }).url)), 'consent_required')
    const first = ask({ scope: 'openid email' })
    assert.equal(pageOf(await submit(agent, await agent.get(first.url), first, { decision: 'deny' })), 'access_denied')
    assert.equal(pageOf(await submit(agent, await agent.get(first.url), first, {})), 'access_denied')
    assert.equal(pageOf(await submit(agent, await agent.get(first.url), first, { decision: 'allow' })), 'code')
    for (const change of [{ prompt: 'none' }, { scope: 'openid' }, {}])
      assert.equal(pageOf(await agent.get(ask({ scope: 'openid email', ...change }).url)), 'code')
    assert.equal(pageOf(await agent.get(ask({ scope: 'openid phone' }).url)), 'consent')
    assert.equal(pageOf(await agent.get(ask({ scope: 'openid', prompt: 'consent' }).url)), 'consent')
    const more = ask({ scope: 'openid phone', prompt: 'consent' })
    assert.equal(pageOf(await submit(agent, await agent.get(more.url), more, { decision: 'allow' })), 'code')
    assert.equal(pageOf(await agent.get(ask({ scope: 'openid email phone' }).url)), 'code')
  })

  test(`what one person allowed, another is asked (${type})`, async () => {
    const person = await signedIn(asking)
    const other = await createPerson(w, place)
    const request = authorizationRequest(place, asking)
    assert.equal(pageOf(await person.agent.get(request.url)), 'code')
    assert.equal(pageOf(await signIn(other.agent, await other.agent.get(request.url), request, other)), 'consent')
  })

  test(`two people in one browser: the chooser takes either, removes either, and goes on as the one chosen (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await createPerson(w, place)]
    const { agent } = ada
    const request = authorizationRequest(place, client, { prompt: 'select_account' })
    const session = async (email: string) => {
      const page = await agent.get(request.url)
      const buttons = [...page.body.matchAll(/name="session" value="(ses_[^"]*)">(.*?)<\/button>/gs)]
      return { page, id: buttons.find(([, , text]) => text?.includes(email))?.[1] ?? '', count: buttons.length }
    }
    const login = authorizationRequest(place, client, { prompt: 'login' })
    assert.equal(await subjectOf(login, await signIn(agent, await agent.get(login.url), login, ben)), ben.id)
    const { page, id, count } = await session(ada.email)
    assert.equal(count, 2)
    assert.equal(await subjectOf(request, await submit(agent, page, request, { session: id })), ada.id)
    const plain = authorizationRequest(place, client)
    assert.equal(await subjectOf(plain, await agent.get(plain.url)), ada.id, 'the chosen one stays the current one')

    const removed = await session(ada.email)
    assert.equal(pageOf(await submit(agent, removed.page, request, { remove: removed.id })), 'accounts')
    assert.equal((await session(ben.email)).count, 1)
    assert.equal(await subjectOf(plain, await agent.get(plain.url)), ben.id)
    const gone = await submit(agent, removed.page, request, { session: removed.id })
    assert.equal(pageOf(gone), 'accounts', 'a session that was removed cannot be chosen')
    const last = await session(ben.email)
    assert.equal(pageOf(await submit(agent, last.page, request, { remove: last.id })), 'sign_in')
  })

  test(`choosing another account does not take the place of the sign-in that prompt=login or max_age asks for (${type})`, async () => {
    for (const change of [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login consent' }]) {
      const { agent, ...ada } = await signedIn()
      const request = authorizationRequest(place, client, change)
      const links = [...(await agent.get(request.url)).body.matchAll(/href="([^"]*prompt=[^"]*)"/g)].map(([, url]) =>
        `${url}`.replaceAll('&amp;', '&'),
      )
      assert.ok(links.length >= 2)
      for (const link of links) {
        let page = await agent.get(link)
        if (pageOf(page) === 'accounts') page = await submit(agent, page, request, { session: `${decodeJwt(ada.id_token).sid}` })
        assert.ok(['sign_in', 'sign_up'].includes(pageOf(page)), `${link} led to ${pageOf(page)}`)
      }
    }
  })

  test(`cancelling leads back to the client as access_denied with state and iss (${type})`, async () => {
    const request = authorizationRequest(place, client)
    const { body } = await createAgent().get(request.url)
    const [, cancel = ''] = /href="(https:\/\/app\.example\.com\/callback\?[^"]*)"/.exec(body) ?? []
    const { error_description, ...answer } = Object.fromEntries(new URL(cancel.replaceAll('&amp;', '&')).searchParams)
    assert.deepEqual(answer, { error: 'access_denied', state: request.state, iss: place.issuer })
  })

  test(`sign-up makes an account and goes on, once for an address, and then signs in whoever knows its password (${type})`, async () => {
    const request = authorizationRequest(place, client, { prompt: 'create' })
    const account = { email: `new.${type}@example.com`, password: 'a password of my own', name: 'Nora' }
    const agents = Array.from({ length: 10 }, createAgent)
    const pages = await Promise.all(agents.map((agent) => agent.get(request.url)))
    const replies = await Promise.all(agents.map((agent, i) => submit(agent, pages[i] as Reply, request, account))) // as: one page for each
    const people = new Set(await Promise.all(replies.map((reply) => subjectOf(request, reply))))
    assert.equal(people.size, 1)

    const agent = createAgent()
    for (const email of [account.email, account.email.toUpperCase(), ` ${account.email} `, `ｎew.${type}@example.com`]) {
      const refused = await submit(agent, await agent.get(request.url), request, { ...account, email, password: 'another password here' })
      assert.deepEqual([refused.status, pageOf(refused)], [400, 'sign_in'])
    }
    assert.equal(people.has(await subjectOf(request, await submit(agent, await agent.get(request.url), request, account))), true)
  })

  const bad_forms: Record<string, string>[] = [
    { email: '', password: 'a password of my own' },
    { email: 'nobody', password: 'a password of my own' },
    { email: 'nobody@example.com', password: '' },
    { email: 'nobody@example.com', password: 'x1y2z3' },
    { email: 'nobody@example.com', password: 'passwordpassword' },
    { email: 'nobody@example.com', password: 'x'.repeat(1_001) },
    { email: 'nobody@example.com', password: 'a password of my own', name: 'n'.repeat(201) },
    { email: 'a@b@example.com', password: 'a password of my own' },
    { email: 'nobody\0@example.com', password: 'a password of my own' },
  ]
  for (const form of bad_forms) {
    test(`sign-up shows the form again, without the password, for ${JSON.stringify(form).slice(0, 80)} (${type})`, async () => {
      const request = authorizationRequest(place, client, { prompt: 'create' })
      const agent = createAgent()
      const page = await submit(agent, await agent.get(request.url), request, form)
      assert.deepEqual([page.status, pageOf(page)], [400, 'sign_up'])
      assert.ok(!form.password || !page.body.includes(form.password))
      const { data } = expectStatus(200, await w.call('GET', `${place.path}/users?email=nobody@example.com`))
      assert.deepEqual(data, [])
    })
  }

  test(`closed sign-up is offered nowhere, and its form makes nobody and skips no step (${type})`, async () => {
    const { agent } = await signedIn()
    const request = authorizationRequest(place, client, { prompt: 'create login' })
    const page = await agent.get(request.url)
    await w.changeSettings(place, { sign_up: { mode: 'closed' } })
    const after = await submit(agent, page, request, { email: 'late@example.com', password: 'a password of my own' })
    assert.equal(pageOf(after), 'sign_in')
    assert.equal(pageOf(await agent.get(request.url)), 'sign_in')
    assert.doesNotMatch((await createAgent().get(authorizationRequest(place, client).url)).body, /prompt=create|sign-up/)
    assert.deepEqual(expectStatus(200, await w.call('GET', `${place.path}/users?email=late@example.com`)).data, [])
    await w.changeSettings(place, { sign_up: { mode: null } })
  })

  test(`without any way to sign in the page says so and has no form (${type})`, async () => {
    await w.changeSettings(place, { sign_in: { password: false } })
    const page = await createAgent().get(authorizationRequest(place, client).url)
    assert.equal(page.status, 200)
    assert.throws(() => formOf(page.body))
    await w.changeSettings(place, { sign_in: { password: null } })
  })
}
