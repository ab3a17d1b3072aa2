/** Which pages a person sees before a code is issued: prompt, max_age, hints, consent, several accounts, sign-up (OIDC Core §3.1.2.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from '../../src/db/db.ts'
import {
  type Agent,
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  followPages,
  formOf,
  type Request,
} from '../support/cookie-browser.ts'
import { expectStatus, type Reply, types_of_run, world } from '../support/world.ts'

const w = await world()
/** Without mail, as in Live by default: sign-up with mail is in `reset.test.ts`. */
await w.changeSettings(w.test, { email: { delivery: 'none' } })

type Page = 'sign_in' | 'sign_up' | 'consent' | 'accounts' | 'code' | (string & {})

/** The page that was shown, or the answer that was sent to the client. */
function pageOf(reply: Reply): Page {
  const location = reply.headers.get('location')
  if (location !== null) {
    const answer = new URL(location).searchParams
    return answer.has('code') ? 'code' : (answer.get('error') ?? location)
  }
  const action = /<form method="post" action="[^"]*\/([a-z-]+)"/.exec(reply.body)?.[1] ?? ''
  return { 'sign-in': 'sign_in', 'sign-up': 'sign_up', consent: 'consent', 'select-account': 'accounts' }[action] ?? `${reply.status}`
}

/** Follows redirects of the service, not the one to the client. */
async function settle(agent: Agent, reply: Reply, request: Request): Promise<Reply> {
  const location = reply.headers.get('location')
  return location === null || location.startsWith(request.redirect_uri) ? reply : settle(agent, await agent.get(location), request)
}

for (const type of types_of_run) {
  const environment = w[type]
  const client = await w.createApplication(environment)
  const asking = await w.createApplication(environment, { consent: 'ask', name: 'Asking' })
  const signedIn = async (application = client) => {
    const person = await createPerson(w, environment)
    const { id_token } = await person.tokens(application)
    return { ...person, id_token }
  }
  const submit = async (agent: Agent, page: Reply, request: Request, fields: Record<string, string>) =>
    settle(agent, await agent.submit(page, fields), request)
  const signIn = (agent: Agent, page: Reply, request: Request, { email, password }: { email: string; password: string }) =>
    submit(agent, page, request, { email, password })
  const subjectOf = async (request: Request, reply: Reply) => {
    const code = new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? ''
    return decodeJwt(expectStatus(200, await exchange(w, environment, client, { request, code })).id_token).sub
  }

  // biome-ignore format: this table is read by column
  const steps: [session: 'signed out' | 'signed in', change: Record<string, string>, page: Page, then?: Page][] = [
    ['signed out', {},                                    'sign_in', 'code'],
    ['signed out', { prompt: 'none' },                    'login_required'],
    ['signed out', { prompt: 'none', login_hint: 'x@example.com' }, 'login_required'],
    ['signed out', { prompt: 'login' },                   'sign_in', 'code'],
    ['signed out', { prompt: 'consent' },                 'sign_in', 'consent'],
    ['signed out', { prompt: 'select_account' },          'sign_in', 'code'],
    ['signed out', { prompt: 'login select_account consent' }, 'sign_in', 'consent'],
    ['signed out', { prompt: 'create' },                  'sign_up'],
    ['signed out', { max_age: '0' },                      'sign_in', 'code'],
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
  for (const [session, change, page, then] of steps) {
    test(`a person who is ${session} gets ${page}${then ? `, then ${then}` : ''} with ${JSON.stringify(change)} (${type})`, async () => {
      const person = session === 'signed out' ? await createPerson(w, environment) : await signedIn()
      const request = authorizationRequest(environment, client, change)
      const first = await person.agent.get(request.url)
      assert.equal(pageOf(first), page)
      if (then) assert.equal(pageOf(await signIn(person.agent, first, request, person)), then)
    })
  }

  test(`a session older than max_age requires a sign-in, whose time the ID token holds as auth_time (${type})`, async () => {
    const person = await signedIn()
    w.advance(100)
    const request = authorizationRequest(environment, client, { max_age: '99' })
    assert.equal(
      pageOf(await person.agent.get(authorizationRequest(environment, client, { max_age: '99', prompt: 'none' }).url)),
      'login_required',
    )
    assert.equal(pageOf(await person.agent.get(authorizationRequest(environment, client, { max_age: '200' }).url)), 'code')
    const page = await person.agent.get(request.url)
    assert.equal(pageOf(page), 'sign_in')
    const called = await signIn(person.agent, page, request, person)
    const code = new URL(called.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const { auth_time, sid } = decodeJwt(expectStatus(200, await exchange(w, environment, client, { request, code })).id_token)
    const before = decodeJwt(person.id_token)
    assert.ok(Number(auth_time) >= Number(before.auth_time) + 100)
    assert.equal(sid, before.sid, 'a person who signs in again in the same browser keeps the session')
  })

  test(`a session ends after its idle time without use, and at its maximum age (${type})`, async () => {
    await w.changeSettings(environment, { sessions: { idle_ttl_seconds: 3_600, absolute_ttl_seconds: 7_200 } })
    const [idle, used] = [await signedIn(), await signedIn()]
    const silent = ({ agent }: { agent: Agent }) => agent.get(authorizationRequest(environment, client, { prompt: 'none' }).url)
    w.advance(3_500)
    assert.equal(pageOf(await silent(used)), 'code')
    w.advance(3_500)
    assert.equal(pageOf(await silent(used)), 'code')
    assert.equal(pageOf(await silent(idle)), 'login_required')
    w.advance(300)
    assert.equal(pageOf(await silent(used)), 'login_required')
    await w.changeSettings(environment, { sessions: { idle_ttl_seconds: null, absolute_ttl_seconds: null } })
  })

  test(`login_hint fills the email field, with markup escaped (${type})`, async () => {
    const login_hint = '"><script>alert(1)</script>@example.com'
    for (const prompt of ['login', 'create']) {
      const { body } = await createAgent().get(authorizationRequest(environment, client, { login_hint, prompt }).url)
      assert.ok(body.includes('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;@example.com"'))
    }
  })

  test(`with id_token_hint only a session of the user it names counts, even after the ID token expired (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await signedIn()]
    w.advance(4_000)
    const ask = (person: { agent: Agent }, change: Record<string, string>) =>
      person.agent.get(authorizationRequest(environment, client, change).url)
    assert.equal(pageOf(await ask(ada, { id_token_hint: ada.id_token, prompt: 'none' })), 'code')
    assert.equal(pageOf(await ask(ben, { id_token_hint: ada.id_token, prompt: 'none' })), 'login_required')
    assert.equal(pageOf(await ask(ben, { id_token_hint: ada.id_token })), 'sign_in')
  })

  test(`with id_token_hint and prompt=login only a sign-in of the user it names yields a code (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await createPerson(w, environment)]
    const request = authorizationRequest(environment, client, { id_token_hint: ada.id_token, prompt: 'login' })
    const agent = ada.agent
    let page = await agent.get(request.url)
    assert.equal(pageOf(page), 'sign_in')
    page = await signIn(agent, page, request, ben)
    assert.equal(pageOf(page), 'sign_in')
    page = await signIn(agent, page, request, ada)
    assert.equal(await subjectOf(request, page), ada.id)
  })

  test(`the longest ID token that the service issues is accepted as a hint (${type})`, async () => {
    // Every character takes three bytes, as in Chinese and Japanese.
    const name = '名'.repeat(200)
    const names = { name, given_name: name, family_name: name, nickname: name, preferred_username: name }
    const picture = 'https://a.example/'.padEnd(2_000, '写')
    const person = await createPerson(w, environment, { ...names, picture, locale: 'de-'.padEnd(35, 'x'), zoneinfo: 'z'.repeat(64) })
    const { id_token } = await person.tokens(client, { scope: 'openid profile email', nonce: '数'.repeat(1_024) })
    assert.ok(id_token.length > 16_384, `${id_token.length}`)
    const request = authorizationRequest(environment, client, { id_token_hint: id_token, prompt: 'none' })
    assert.equal(pageOf(await person.agent.get(request.url)), 'code')
    const signed_out = await person.agent.get(`${environment.issuer}/oauth/logout?${new URLSearchParams({ id_token_hint: id_token })}`)
    assert.match(signed_out.body, /You are signed out/)
  })

  const foreign = type === 'test' ? w.live : w.test
  test(`an id_token_hint that is not an ID token of this issuer is invalid_request (${type})`, async (t) => {
    const stranger = await createPerson(w, foreign)
    const { id_token } = await stranger.tokens(await w.createApplication(foreign))
    const own = await signedIn()
    const { access_token } = await own.tokens(client)
    const hints = {
      'an ID token of another environment': id_token,
      'an access token': access_token,
      'an ID token with one more character': `${own.id_token}x`,
      'an ID token with a shorter signature': own.id_token.slice(0, -4),
      'an ID token without its signature': `${own.id_token.split('.').slice(0, 2).join('.')}.`,
    }
    for (const [what, id_token_hint] of Object.entries(hints))
      await t.test(what, async () => {
        assert.equal(pageOf(await own.agent.get(authorizationRequest(environment, client, { id_token_hint }).url)), 'invalid_request')
      })
  })

  test(`consent is asked once and again for more scopes, a refusal is access_denied, and prompt=none shows no page (${type})`, async (t) => {
    const person = await signedIn()
    const ask = (change: Record<string, string>) => authorizationRequest(environment, asking, change)
    const agent = person.agent
    assert.equal(pageOf(await agent.get(ask({ scope: 'openid', prompt: 'none' }).url)), 'consent_required')
    const first = ask({ scope: 'openid email' })
    assert.equal(pageOf(await submit(agent, await agent.get(first.url), first, { decision: 'deny' })), 'access_denied')
    assert.equal(pageOf(await submit(agent, await agent.get(first.url), first, {})), 'access_denied')
    assert.equal(pageOf(await submit(agent, await agent.get(first.url), first, { decision: 'allow' })), 'code')
    for (const change of [{ prompt: 'none' }, { scope: 'openid' }, {}])
      await t.test(`it covers the same request with ${JSON.stringify(change)}`, async () => {
        assert.equal(pageOf(await agent.get(ask({ scope: 'openid email', ...change }).url)), 'code')
      })
    assert.equal(pageOf(await agent.get(ask({ scope: 'openid phone' }).url)), 'consent')
    assert.equal(pageOf(await agent.get(ask({ scope: 'openid', prompt: 'consent' }).url)), 'consent')
    const more = ask({ scope: 'openid phone', prompt: 'consent' })
    assert.equal(pageOf(await submit(agent, await agent.get(more.url), more, { decision: 'allow' })), 'code')
    assert.equal(pageOf(await agent.get(ask({ scope: 'openid email phone' }).url)), 'code')
  })

  test(`the consent of one person does not count for another (${type})`, async () => {
    const person = await signedIn(asking)
    const other = await createPerson(w, environment)
    const request = authorizationRequest(environment, asking)
    assert.equal(pageOf(await person.agent.get(request.url)), 'code')
    assert.equal(pageOf(await signIn(other.agent, await other.agent.get(request.url), request, other)), 'consent')
  })

  test(`with two people in one browser the account chooser selects and removes either, and the selected one becomes current (${type})`, async () => {
    const [ada, ben] = [await signedIn(), await createPerson(w, environment)]
    const { agent } = ada
    const request = authorizationRequest(environment, client, { prompt: 'select_account' })
    const session = async (email: string) => {
      const page = await agent.get(request.url)
      const buttons = [...page.body.matchAll(/name="session" value="(ses_[^"]*)"[^>]*>(.*?)<\/button>/gs)]
      return { page, id: buttons.find(([, , text]) => text?.includes(email))?.[1] ?? '', count: buttons.length }
    }
    const login = authorizationRequest(environment, client, { prompt: 'login' })
    assert.equal(await subjectOf(login, await signIn(agent, await agent.get(login.url), login, ben)), ben.id)
    const { page, id, count } = await session(ada.email)
    assert.equal(count, 2)
    assert.equal(await subjectOf(request, await submit(agent, page, request, { session: id })), ada.id)
    const plain = authorizationRequest(environment, client)
    assert.equal(await subjectOf(plain, await agent.get(plain.url)), ada.id, 'the selected person stays the current one')

    const removed = await session(ada.email)
    assert.equal(pageOf(await submit(agent, removed.page, request, { remove: removed.id })), 'accounts')
    assert.equal((await session(ben.email)).count, 1)
    assert.equal(await subjectOf(plain, await agent.get(plain.url)), ben.id)
    const refused = await submit(agent, removed.page, request, { session: removed.id })
    assert.equal(pageOf(refused), 'accounts', 'a session that was removed cannot be selected')
    const last = await session(ben.email)
    assert.equal(pageOf(await submit(agent, last.page, request, { remove: last.id })), 'sign_in')
  })

  for (const change of [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'login consent' }]) {
    test(`selecting another account does not replace the sign-in that ${JSON.stringify(change)} requires (${type})`, async (t) => {
      const { agent, ...ada } = await signedIn()
      const request = authorizationRequest(environment, client, change)
      const links = [...(await agent.get(request.url)).body.matchAll(/href="([^"]*\/authorize\?[^"]*prompt=[^"]*)"/g)].map(([, url]) =>
        `${url}`.replaceAll('&amp;', '&'),
      )
      assert.ok(links.length >= 2)
      for (const [index, link] of links.entries())
        await t.test(`link ${index + 1}`, async () => {
          let page = await followPages(agent, await agent.get(link)) // the menu of languages leads on
          if (pageOf(page) === 'accounts') page = await submit(agent, page, request, { session: `${decodeJwt(ada.id_token).sid}` })
          assert.ok(['sign_in', 'sign_up'].includes(pageOf(page)), `${link} led to ${pageOf(page)}`)
        })
    })
  }

  test(`the cancel link leads to the client with access_denied, state and iss (${type})`, async () => {
    const request = authorizationRequest(environment, client)
    const { body } = await createAgent().get(request.url)
    const [, cancel = ''] = /href="(https:\/\/app\.example\.com\/callback\?[^"]*)"/.exec(body) ?? []
    const { error_description, ...answer } = Object.fromEntries(new URL(cancel.replaceAll('&amp;', '&')).searchParams)
    assert.deepEqual(answer, { error: 'access_denied', state: request.state, iss: environment.issuer })
  })

  test(`of ten parallel sign-ups with one email one creates the account, and every other and later one is refused (${type})`, async (t) => {
    const request = authorizationRequest(environment, client, { prompt: 'create' })
    const account = { email: `new.${type}@example.com`, password: 'a password of my own', name: 'Nora' }
    const agents = Array.from({ length: 10 }, createAgent)
    const pages = await Promise.all(agents.map((agent) => agent.get(request.url)))
    const replies = await Promise.all(agents.map((agent, i) => submit(agent, pages[i] as Reply, request, account))) // as: one page for each
    const [created, ...others] = replies.toSorted((a, b) => a.status - b.status)
    assert.ok(created)
    await subjectOf(request, created)
    for (const refused of others) assert.deepEqual([refused.status, pageOf(refused)], [400, 'sign_up'])

    const agent = createAgent()
    for (const email of [account.email, account.email.toUpperCase(), ` ${account.email} `, `ｎew.${type}@example.com`])
      await t.test(`the email in the spelling ${JSON.stringify(email)} is taken, with the same password too`, async () => {
        for (const password of [account.password, 'another password here']) {
          const refused = await submit(agent, await agent.get(request.url), request, { ...account, email, password })
          assert.deepEqual([refused.status, pageOf(refused)], [400, 'sign_up'])
        }
      })
  })

  const bad_forms: Record<string, string>[] = [
    { email: '', password: 'a password of my own' },
    { email: 'unknown', password: 'a password of my own' },
    { email: 'unknown@example.com', password: '' },
    { email: 'unknown@example.com', password: 'x1y2z3' },
    { email: 'unknown@example.com', password: 'passwordpassword' },
    { email: 'unknown@example.com', password: 'x'.repeat(1_001) },
    { email: 'unknown@example.com', password: 'a password of my own', name: 'n'.repeat(201) },
    { email: 'a@b@example.com', password: 'a password of my own' },
    { email: 'unknown\0@example.com', password: 'a password of my own' },
  ]
  for (const form of bad_forms) {
    test(`sign-up shows the form again, without the password, for ${JSON.stringify(form).slice(0, 80)} (${type})`, async () => {
      const request = authorizationRequest(environment, client, { prompt: 'create' })
      const agent = createAgent()
      const page = await submit(agent, await agent.get(request.url), request, form)
      assert.deepEqual([page.status, pageOf(page)], [400, 'sign_up'])
      assert.ok(!form.password || !page.body.includes(form.password))
      const { data } = expectStatus(200, await w.call('GET', `${environment.path}/users?email=unknown@example.com`))
      assert.deepEqual(data, [])
    })
  }

  test(`while sign-up is closed no page offers it, and a sign-up form that was open creates no account and skips no step (${type})`, async () => {
    const { agent } = await signedIn()
    const request = authorizationRequest(environment, client, { prompt: 'create login' })
    const page = await agent.get(request.url)
    await w.changeSettings(environment, { sign_up: { mode: 'closed' } })
    const after = await submit(agent, page, request, { email: 'late@example.com', password: 'a password of my own' })
    assert.equal(pageOf(after), 'sign_in')
    assert.equal(pageOf(await agent.get(request.url)), 'sign_in')
    assert.doesNotMatch((await createAgent().get(authorizationRequest(environment, client).url)).body, /prompt=create|sign-up/)
    assert.deepEqual(expectStatus(200, await w.call('GET', `${environment.path}/users?email=late@example.com`)).data, [])
    await w.changeSettings(environment, { sign_up: { mode: null } })
  })

  test(`the page has no form while the environment has no way to sign in (${type})`, async () => {
    // From before such settings were refused.
    const settings = (password: boolean) => ({ sign_in: { password }, email: { delivery: 'none' } })
    const setPassword = (password: boolean) =>
      w.deployment.db.run(sql`update environments set settings = ${settings(password)}, settings_version = settings_version + 1
        where id = ${environment.id}`)
    await setPassword(false)
    const page = await createAgent().get(authorizationRequest(environment, client).url)
    assert.equal(page.status, 200)
    assert.throws(() => formOf(page.body))
    await setPassword(true)
  })
}
