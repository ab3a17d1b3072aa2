/** Trusted browsers: where they stand for the second factor, where they never do, and what ends them (decision 0192). */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { formFor, linkOf, openAccount, press, problemOf, rowsOf, stepOf } from '../support/account.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { appCode, codeAfter, passwordStep, recoveryCodesOn, secretOn, wrongCode } from '../support/authenticator-app.ts'
import {
  type Agent,
  authorizationRequest,
  createAgent,
  exchange,
  type Fields,
  followPages,
  formOf,
  obtainCode,
} from '../support/cookie-browser.ts'
import { optionsOf } from '../support/passkeys.ts'
import { until } from '../support/receiver.ts'
import { storeTrustedBrowser } from '../support/tenants.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const environment = w.test
const { issuer } = environment
const settings = (mfa: object) => w.changeSettings(environment, { mfa })
await w.changeSettings(environment, {
  mfa: { mode: 'required', remember_days: 30 },
  sign_in: { passkey: true, email_code: true },
  test: { fixed_code: '246810' },
})
const client = await w.createApplication(environment)
const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
const backend = (method: string, path: string, body?: unknown) => w.call(method, `/v1/auth/users/${path}`, { key, body })
const trustedOf = async ({ id }: { id: string }): Promise<Record<string, string>[]> =>
  expectStatus(200, await backend('GET', `${id}/trusted-browsers`)).data

/** A person with an app, whose browser is trusted and signed out. */
async function withTrust(at: TestEnvironment = environment, of = client) {
  const person = await w.createUser(at)
  const { agent, request, page } = await passwordStep(at, of, person)
  const mailed = stepOf(page) === 'code' ? await followPages(agent, await agent.submit(page, { code: '246810' })) : page
  const secret = secretOn(mailed)
  const shown = await agent.submit(mailed, { code: appCode(secret, w.now()) })
  const codes = recoveryCodesOn(shown)
  assert.ok((await codeAfter(agent, await agent.submit(shown, {}), request)).code)
  const subject = { ...person, agent, secret, codes }
  forget(agent, 'session')
  await trust(subject, at, of)
  forget(agent, 'session')
  return subject
}
type Subject = Awaited<ReturnType<typeof withTrust>>

function forget(agent: Agent, ...kinds: string[]): void {
  for (const name of [...agent.cookies.keys()]) if (kinds.some((kind) => name.includes(`ostiary_${kind}_`))) agent.cookies.delete(name)
}
const cookieOf = ({ agent }: { agent: Agent }) => [...agent.cookies].filter(([name]) => name.includes('ostiary_trusted_'))

/** Signs in with both factors, and trusts the browser. */
async function trust(subject: Omit<Subject, 'id'>, at: TestEnvironment = environment, of = client) {
  w.advance(30)
  const { agent, request, page } = await passwordStep(at, of, subject, { agent: subject.agent, change: { prompt: 'login' } })
  assert.equal(stepOf(page), 'second-factor')
  const sent = await agent.submit(page, { code: appCode(subject.secret, w.now()), trust_browser: '1' })
  assert.ok((await codeAfter(agent, sent, request)).code)
}

/** The step after the password: `code` where the application got one. */
async function stepAfterPassword(subject: Pick<Subject, 'email' | 'password' | 'agent'>, change: Fields = {}): Promise<string | undefined> {
  const { page, code } = await passwordStep(environment, client, subject, { agent: subject.agent, change })
  return code === null ? stepOf(page) : 'code'
}

test('the second factor offers it for the days of the setting, and where there are none it does not', async () => {
  const subject = await withTrust()
  const pageOf = async () => (await passwordStep(environment, client, subject)).page.body
  assert.match(await pageOf(), /name="trust_browser" value="1"[^>]*>.*Do not ask here for 30 days/s)
  await settings({ remember_days: 1 })
  assert.match(await pageOf(), /Do not ask here for a day/)
  await settings({ remember_days: 0 })
  assert.doesNotMatch(await pageOf(), /trust_browser/)
  await settings({ remember_days: 30 })
})

test('a trusted browser asks for the first factor alone, and its tokens have the level of that', async () => {
  const subject = await withTrust()
  const [row, ...others] = await trustedOf(subject)
  assert.equal(others.length, 0)
  assert.deepEqual(Object.keys(row ?? {}).sort(), ['created_at', 'expires_at', 'id', 'ip', 'last_used_at', 'user_agent', 'user_id'])
  assert.match(row?.id ?? '', /^tbr_/)
  assert.equal(Date.parse(row?.expires_at ?? '') - Date.parse(row?.created_at ?? ''), 30 * 86_400_000)
  w.advance(60)
  const { request, code } = await passwordStep(environment, client, subject, { agent: subject.agent })
  const tokens = expectStatus(200, await exchange(w, environment, client, { request, code: code ?? '' }))
  const { acr, amr } = decodeJwt(tokens.id_token)
  assert.deepEqual([acr, amr], ['urn:ostiary:1fa', ['pwd']])
  const [used] = await trustedOf(subject)
  assert.ok((used?.last_used_at ?? '') > (row?.last_used_at ?? ''))
  const [event] = await until('the sign-in', async () => {
    const { data } = expectStatus(
      200,
      await w.call('GET', `${environment.path}/events?type=sign_in.succeeded&user_id=${subject.id}&limit=1`),
    )
    return data[0]?.data.trusted_browser_id === row?.id && data
  })
  assert.equal(event.data.second_factor, undefined)
  const kinds = expectStatus(200, await w.call('GET', `${environment.path}/events?type=trusted_browser.added&user_id=${subject.id}`)).data
  assert.deepEqual(kinds[0].data, { trusted_browser_id: row?.id, sub: subject.id })
})

test('the session of a trusted browser answers other requests, also with prompt=none', async () => {
  const subject = await withTrust()
  assert.equal(await stepAfterPassword(subject), 'code')
  for (const change of [{}, { prompt: 'none' }, { acr_values: 'urn:ostiary:1fa' }, { acr_values: 'unknown' }])
    assert.ok(await obtainCode(subject.agent, authorizationRequest(environment, client, change), subject))
})

test('a tick at a recovery code, another value, and a tick of a person who was not offered one trust nothing', async () => {
  const subject = await withTrust()
  const [first] = await trustedOf(subject)
  const asked = async () => passwordStep(environment, client, subject)
  const { agent, page } = await asked()
  const recovery = await followPages(agent, await agent.submit(page, { use: 'recovery_code' }))
  assert.doesNotMatch(recovery.body, /trust_browser/)
  expectStatus(303, await agent.submit(recovery, { recovery_code: subject.codes[0] ?? '', trust_browser: '1' }))
  w.advance(30)
  const other = await asked()
  expectStatus(303, await other.agent.submit(other.page, { code: appCode(subject.secret, w.now()), trust_browser: 'on' }))
  w.advance(30)
  const off = await asked()
  await settings({ remember_days: 0 })
  expectStatus(303, await off.agent.submit(off.page, { code: appCode(subject.secret, w.now()), trust_browser: '1' }))
  await settings({ remember_days: 30 })
  assert.deepEqual([cookieOf({ agent }), cookieOf(other), cookieOf(off)], [[], [], []])
  assert.deepEqual(await trustedOf(subject), [first])
})

test('a wrong code trusts nothing, and the page keeps what was ticked', async () => {
  const subject = await withTrust()
  const { agent, page } = await passwordStep(environment, client, subject)
  const wrong = await agent.submit(page, { code: wrongCode(subject.secret, w.now()), trust_browser: '1' })
  assert.deepEqual([wrong.status, stepOf(wrong)], [400, 'second-factor'])
  assert.match(wrong.body, /name="trust_browser"[^>]* checked/)
  assert.deepEqual([cookieOf({ agent }), (await trustedOf(subject)).length], [[], 1])
})

test('a passkey as the second factor offers it too', async () => {
  const subject = await withTrust()
  const device = createAuthenticator(new URL(issuer).origin)
  w.advance(30)
  const account = await openWithBoth(subject)
  const form = await account.agent.get(`${issuer}/account?action=add-passkey`)
  await press(account.agent, form, 'add-passkey', { credential: JSON.stringify(device.create(optionsOf(form))) })
  assert.deepEqual(await trustedOf(subject), [], 'a new factor ends it')
  const { agent, page } = await passwordStep(environment, client, subject)
  const credential = JSON.stringify(device.get(optionsOf(page)))
  const sent = await agent.submit(page, { credential, trust_browser: '1' })
  expectStatus(303, sent)
  assert.equal((await trustedOf(subject)).length, 1)
})

/** The account page after a sign-in with both factors, in another browser. */
async function openWithBoth(subject: Subject, query = '') {
  w.advance(30)
  const { agent, page } = await openAccount(environment, subject, createAgent(), query)
  assert.equal(stepOf(page), 'second-factor')
  return { agent, page: await followPages(agent, await agent.submit(page, { code: appCode(subject.secret, w.now()) })) }
}

// The first factor is the password, where the case does not say another one.
const fresh = { prompt: 'login' }
const two = 'urn:ostiary:2fa'
type Step = string | undefined
/** A request in the session that began without a second factor. */
const inSession = async (subject: Subject, change: Fields): Promise<Step> => {
  assert.equal(await stepAfterPassword(subject), 'code')
  w.advance(10)
  const request = authorizationRequest(environment, client, change)
  const { page, code, error } = await codeAfter(subject.agent, await subject.agent.get(request.url), request)
  return error ?? (code === null ? stepOf(page) : 'code')
}
const atAccount = async (subject: Subject, action: string, id = ''): Promise<Step> => {
  const { page } = await openAccount(environment, subject, subject.agent, `?action=${action}&id=${id}`)
  return stepOf(page)
}
/** The page of an action in a session that began without a second factor, and the step after another password. */
const afterTrust = async (subject: Subject, action: string): Promise<Step> => {
  const { agent, page } = await openAccount(environment, subject, subject.agent)
  assert.equal(stepOf(page), 'account')
  const asked = await agent.get(`${issuer}/account?action=${action}`)
  assert.equal(stepOf(asked), 'sign-in')
  return stepOf(await followPages(agent, await agent.submit(asked, { email: subject.email, password: subject.password })))
}
/** The form of a sensitive action, sent without its page. */
const sendsForm = async (subject: Subject, action: string, fields: Record<string, string>): Promise<Step> => {
  const { agent, page } = await openAccount(environment, subject, subject.agent)
  const { fields: own } = formFor(page, 'export')
  const reply = await agent.post(`${issuer}/account/${action}`, { ...own, ...fields })
  return stepOf(await followPages(agent, reply))
}

const provider = expectStatus(
  201,
  await w.call('POST', `${environment.path}/providers`, {
    body: {
      type: 'oidc',
      display_name: 'Office',
      issuer: 'https://sso.example.com',
      client_id: 'office',
      client_secret: 's',
      link_by_verified_email: true,
    },
  }),
)

/** Signs in by the provider, whose identity is not linked yet. */
async function byNewIdentity({ agent, email }: Pick<Subject, 'agent' | 'email'>): Promise<Reply> {
  const page = await agent.get(authorizationRequest(environment, client).url)
  const started = await agent.post(`${issuer}/federate`, { ...formOf(page.body).hidden, provider: provider.id })
  const answer = upstreams.agree(started.headers.get('location') ?? '', { claims: { sub: email, email, email_verified: true } })
  return followPages(agent, await agent.get(`${issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`))
}

/** The identity is linked with the second factor, in another browser. */
async function link(subject: Subject, fields: Record<string, string> = {}): Promise<Agent> {
  const agent = createAgent()
  w.advance(30)
  const page = await byNewIdentity({ ...subject, agent })
  expectStatus(303, await agent.submit(page, { code: appCode(subject.secret, w.now()), ...fields }))
  return agent
}

/** Another person goes on with a request after its fresh sign-in was answered. */
async function afterFreshSignInOfAnother(subject: Subject): Promise<Step> {
  const other = await withTrust()
  for (const [name, value] of cookieOf(subject)) other.agent.cookies.set(name, value)
  w.advance(30)
  const first = await passwordStep(environment, client, other, { agent: other.agent, change: { prompt: 'login consent' } })
  assert.equal(stepOf(first.page), 'second-factor')
  const signed = await other.agent.submit(first.page, { code: appCode(other.secret, w.now()) })
  const rest = new URL(signed.headers.get('location') ?? '')
  assert.ok(rest.searchParams.has('signed_in_since') && rest.searchParams.get('prompt') === 'consent')
  rest.searchParams.delete('of_session')
  const { agent } = other
  forget(agent, 'session')
  const sign_in = await followPages(agent, await agent.get(rest.href))
  assert.equal(stepOf(sign_in), 'sign-in')
  return stepOf(await followPages(agent, await agent.submit(sign_in, { email: subject.email, password: subject.password })))
}

/** Each path, and the step that it leads to. */
// biome-ignore format: this table is read by column
const never: [path: string, step: string, take: (subject: Subject) => Promise<Step>][] = [
  ['prompt=login',                                      'second-factor',        (s) => stepAfterPassword(s, fresh)],
  ['prompt=login with consent',                         'second-factor',        (s) => stepAfterPassword(s, { prompt: 'login consent' })],
  ['prompt=login in its session',                       'sign-in',              (s) => inSession(s, fresh)],
  ['max_age',                                           'second-factor',        (s) => stepAfterPassword(s, { max_age: '3600' })],
  ['max_age=0',                                         'second-factor',        (s) => stepAfterPassword(s, { max_age: '0' })],
  ['max_age in its session, which is young enough',     'second-factor',        (s) => inSession(s, { max_age: '3600' })],
  ['max_age with prompt=none in its session',           'interaction_required', (s) => inSession(s, { max_age: '3600', prompt: 'none' })],
  ['acr_values',                                        'second-factor',        (s) => stepAfterPassword(s, { acr_values: two })],
  ['acr_values of several levels',                      'second-factor',        (s) => stepAfterPassword(s, { acr_values: `unknown ${two} urn:ostiary:passkey` })],
  ['acr_values in its session',                         'second-factor',        (s) => inSession(s, { acr_values: two })],
  ['acr_values with prompt=none in its session',        'interaction_required', (s) => inSession(s, { acr_values: two, prompt: 'none' })],
  ['another person after a fresh sign-in',              'second-factor',        afterFreshSignInOfAnother],
  ['the way to another address',                        'second-factor',        (s) => atAccount(s, 'change-email')],
  ['the way to another password',                       'second-factor',        (s) => atAccount(s, 'change-password')],
  ['the way to another app',                            'second-factor',        (s) => atAccount(s, 'add-totp')],
  ['the way to new recovery codes',                     'second-factor',        (s) => atAccount(s, 'new-recovery-codes')],
  ['the way to a removed app',                          'second-factor',        (s) => atAccount(s, 'remove-totp', 'mth_1')],
  ['a passkey for the account, in its session',         'second-factor',        (s) => afterTrust(s, 'add-passkey')],
  ['the export, in its session',                        'second-factor',        (s) => afterTrust(s, 'export')],
  ['the deletion, in its session',                      'second-factor',        (s) => afterTrust(s, 'delete-account')],
  ['a provider for the account, in its session',        'second-factor',        (s) => afterTrust(s, 'add-provider')],
  ['the form of a new password, in its session',        'sign-in',              (s) => sendsForm(s, 'change-password', { password: 'an engine of brass' })],
  ['the form of the export, in its session',            'sign-in',              (s) => sendsForm(s, 'export', {})],
  ['the form of the deletion, in its session',          'sign-in',              (s) => sendsForm(s, 'delete-account', { email: s.email })],
  ['an identity that the sign-in links',                'second-factor',        async (s) => stepOf(await byNewIdentity(s))],
]
for (const [path, step, take] of never)
  test(`a trusted browser never counts: ${path} leads to ${step}`, async () => {
    const subject = await withTrust()
    assert.equal((await trustedOf(subject)).length, 1)
    assert.equal(await take(subject), step)
    if (path.startsWith('the form')) assert.equal((await trustedOf(subject)).length, 1)
  })

test('no passkey is offered after a sign-in that rests on a trusted browser', async () => {
  const subject = await withTrust()
  subject.agent.cookies.set(`ostiary_able_${environment.id}`, '1')
  assert.equal(await stepAfterPassword(subject), 'code')
})

test('a request that asked for more makes the session one of two factors, which the next request finds', async () => {
  const subject = await withTrust()
  assert.equal(await stepAfterPassword(subject), 'code')
  w.advance(30)
  const request = authorizationRequest(environment, client, { acr_values: two })
  const page = await followPages(subject.agent, await subject.agent.get(request.url))
  const done = await codeAfter(subject.agent, await subject.agent.submit(page, { code: appCode(subject.secret, w.now()) }), request)
  const tokens = expectStatus(200, await exchange(w, environment, client, { request, code: done.code ?? '' }))
  assert.equal(decodeJwt(tokens.id_token).acr, two)
  expectStatus(204, await backend('DELETE', `${subject.id}/trusted-browsers/${(await trustedOf(subject))[0]?.id}`))
  assert.ok(await obtainCode(subject.agent, authorizationRequest(environment, client, { max_age: '3600' }), subject))
})

/** The cookie in a browser that has nothing else of the person. */
const withCookie = (subject: Subject): Agent => {
  const agent = createAgent()
  for (const [name, value] of cookieOf(subject)) agent.cookies.set(name, value)
  return agent
}
// biome-ignore format: this table is read by column
const stolen: [what: string, take: (subject: Subject, agent: Agent) => Promise<Step>, step: string][] = [
  ['opens no request',                  async (_, agent) => stepOf(await followPages(agent, await agent.get(authorizationRequest(environment, client).url))), 'sign-in'],
  ['opens no account page',             async (_, agent) => stepOf(await agent.get(`${issuer}/account`)), 'sign-in'],
  ['replaces no password',              async ({ email }, agent) => stepAfterPassword({ email, password: 'a wrong password', agent }), 'sign-in'],
  ['answers no prompt=none',            async (_, agent) => {
    const request = authorizationRequest(environment, client, { prompt: 'none' })
    return (await codeAfter(agent, await agent.get(request.url), request)).error ?? undefined
  }, 'login_required'],
  ['is not a session cookie',             async (subject, agent) => {
    agent.cookies.set(`ostiary_session_${environment.id}`, cookieOf(subject)[0]?.[1] ?? '')
    return stepOf(await agent.get(`${issuer}/account`))
  }, 'sign-in'],
  ['is not a half sign-in',               async (subject, agent) => {
    const value = cookieOf(subject)[0]?.[1] ?? ''
    const attempt = createHash('sha256').update(value).digest('hex').slice(0, 32)
    agent.cookies.set(`ostiary_half_${environment.id}_${attempt}`, value)
    const { search } = new URL(authorizationRequest(environment, client).url)
    return stepOf(await agent.get(`${issuer}/second-factor?attempt=${attempt}&${search.slice(1)}`))
  }, 'sign-in'],
  ['helps nobody else with a password', async (subject, agent) => {
    const other = await withTrust()
    const [name = ''] = cookieOf(other)[0] ?? []
    agent.cookies.set(name, cookieOf(subject)[0]?.[1] ?? '')
    return stepAfterPassword({ ...other, agent })
  }, 'second-factor'],
  ['helps in no other environment',     async (subject) => {
    const at = (await w.createProject(`other-${subject.id.slice(-6)}`)).test
    await w.changeSettings(at, { mfa: { mode: 'required', remember_days: 30 }, test: { fixed_code: '246810' } })
    const of = await w.createApplication(at)
    const other = await withTrust(at, of)
    const [name = ''] = cookieOf(other)[0] ?? []
    other.agent.cookies.set(name, cookieOf(subject)[0]?.[1] ?? '')
    return stepOf((await passwordStep(at, of, other, { agent: other.agent })).page)
  }, 'second-factor'],
]
for (const [what, take, step] of stolen)
  test(`a stolen cookie ${what}`, async () => {
    const subject = await withTrust()
    assert.equal(await take(subject, withCookie(subject)), step)
    assert.equal((await trustedOf(subject)).length, 1)
  })

test('the cookie lets its browser leave out the second factor after the right password: which is its purpose', async () => {
  const subject = await withTrust()
  assert.equal(await stepAfterPassword({ ...subject, agent: withCookie(subject) }), 'code')
})

for (const value of ['', 'a'.repeat(43), 'a'.repeat(400), '%00'])
  test(`an invented cookie ${JSON.stringify(value.slice(0, 5))} of ${value.length} characters counts for nothing`, async () => {
    const subject = await withTrust()
    const [name = ''] = cookieOf(subject)[0] ?? []
    subject.agent.cookies.set(name, value)
    assert.equal(await stepAfterPassword(subject), 'second-factor')
  })

const change = async (subject: Subject, action: string, fields: Record<string, string>) => {
  const { agent, page } = await openWithBoth(subject)
  const form = await agent.get(linkOf(page, action))
  return press(agent, form, action, fields)
}

// biome-ignore format: this table is read by column
const ends: [what: string, end: (subject: Subject) => Promise<unknown>][] = [
  ['a new password of the person',       async (s) => {
    await change(s, 'change-password', { password: 'an engine of brass' })
    s.password = 'an engine of brass'
  }],
  ['a new password of the backend',      async (s) => {
    s.password = 'an engine of brass'
    expectStatus(200, await backend('PATCH', s.id, { password: s.password }))
  }],
  ['a reset',                            async (s) => {
    const page = await s.agent.get(linkOf(await s.agent.get(authorizationRequest(environment, client).url), 'forgot-password'))
    await s.agent.submit(page, { email: s.email })
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=${s.email}`))
    const agent = createAgent()
    const opened = await agent.get(data.find(({ kind }: { kind: string }) => kind === 'reset_password').link)
    const form = await agent.submit(opened, {})
    s.password = 'an engine of brass'
    await agent.submit(form, { password: s.password })
  }],
  ['another app',                        async (s) => {
    const { agent, page } = await openWithBoth(s)
    const form = await agent.get(linkOf(page, 'add-totp'))
    await press(agent, form, 'add-totp', { code: appCode(secretOn(form), w.now()) })
  }],
  ['a passkey',                          async (s) => {
    const { agent } = await openWithBoth(s)
    const form = await agent.get(`${issuer}/account?action=add-passkey`)
    await press(agent, form, 'add-passkey', { credential: JSON.stringify(createAuthenticator(new URL(issuer).origin).create(optionsOf(form))) })
  }],
  ['new recovery codes',                 (s) => change(s, 'new-recovery-codes', {})],
  ['an identity at a provider',          (s) => link(s)],
  ['a factor that the backend removes',  async (s) => {
    const { data } = expectStatus(200, await backend('GET', `${s.id}/methods`))
    expectStatus(204, await backend('DELETE', `${s.id}/methods/${data.find(({ type }: { type: string }) => type === 'recovery_codes').id}`))
  }],
  ['a block, and its end',               async (s) => { for (const act of ['block', 'unblock']) expectStatus(200, await backend('POST', `${s.id}/${act}`)) }],
  ['the end of all sessions',            (s) => backend('POST', `${s.id}/end-sessions`)],
  ['the end of all other sessions',      async (s) => {
    await openWithBoth(s)
    const { agent, page } = await openWithBoth(s)
    await press(agent, page, 'end-other-sessions')
  }],
  ['its removal by the backend',         async (s) => expectStatus(204, await backend('DELETE', `${s.id}/trusted-browsers/${(await trustedOf(s))[0]?.id}`))],
  ['its removal by the person',          async (s) => {
    const { agent, page } = await openWithBoth(s)
    await press(agent, page, { action: 'remove-trusted-browser', id: rowsOf(page, 'trusted')[0] ?? '' })
  }],
  ['a lower setting',                    async () => { w.advance(86_400 * 2); await settings({ remember_days: 1 }) }],
  ['the setting at 0',                   () => settings({ remember_days: 0 })],
  ['its last day',                       async () => w.advance(86_400 * 30 + 1)],
]
for (const [what, end] of ends)
  test(`${what} ends it, for the next sign-in and for a session that rests on it`, async () => {
    const [subject, resting] = [await withTrust(), createAgent()]
    for (const [name, value] of cookieOf(subject)) resting.cookies.set(name, value)
    await w.changeSettings(environment, { sessions: { idle_ttl_seconds: 2_592_000, absolute_ttl_seconds: 31_536_000 } })
    assert.equal(await stepAfterPassword({ ...subject, agent: resting }), 'code')
    await end(subject)
    assert.deepEqual(await trustedOf(subject), [])
    assert.equal(await stepAfterPassword(subject), 'second-factor')
    const request = authorizationRequest(environment, client)
    const { page, code } = await codeAfter(resting, await resting.get(request.url), request)
    assert.deepEqual([code, ['second-factor', 'sign-in'].includes(stepOf(page) ?? '')], [null, true], stepOf(page))
    await settings({ remember_days: 30 })
  })

for (const type of ['provider', 'password'])
  test(`the removal of the ${type} ends it`, async () => {
    const subject = await withTrust()
    await link(subject)
    await trust(subject)
    assert.equal((await trustedOf(subject)).length, 1)
    const { data } = expectStatus(200, await backend('GET', `${subject.id}/methods`))
    const method = data.find((one: { type: string }) => one.type === type)
    expectStatus(204, await backend('DELETE', `${subject.id}/methods/${method.id}`))
    assert.deepEqual(await trustedOf(subject), [])
  })

test('the sign-in that links an identity can trust its browser, and ends the others', async () => {
  const subject = await withTrust()
  const before = await trustedOf(subject)
  const agent = await link(subject, { trust_browser: '1' })
  const after = await trustedOf(subject)
  assert.equal(after.length, 1)
  assert.notEqual(after[0]?.id, before[0]?.id)
  forget(agent, 'session')
  assert.equal(await stepAfterPassword({ ...subject, agent }), 'code')
})

test('a higher setting makes none longer than the person was promised', async () => {
  await settings({ remember_days: 2 })
  const subject = await withTrust()
  await settings({ remember_days: 90 })
  w.advance(86_400 * 2 - 600)
  assert.equal(await stepAfterPassword(subject), 'code')
  forget(subject.agent, 'session')
  w.advance(1_200)
  assert.equal(await stepAfterPassword(subject), 'second-factor')
  await settings({ remember_days: 30 })
})

test('with mfa.mode optional and off a session that rested on it is asked for the factor once it is gone', async () => {
  for (const mode of ['optional', 'off']) {
    await settings({ mode })
    const subject = await withTrustIn()
    assert.equal(await stepAfterPassword(subject), 'code')
    const [row] = await trustedOf(subject)
    expectStatus(204, await backend('DELETE', `${subject.id}/trusted-browsers/${row?.id}`))
    const request = authorizationRequest(environment, client)
    assert.equal(stepOf((await codeAfter(subject.agent, await subject.agent.get(request.url), request)).page), 'second-factor', mode)
    await settings({ mode: 'required' })
  }

  /** A person who enrolled while a second factor was required. */
  async function withTrustIn() {
    const { mfa } = expectStatus(200, await w.call('GET', `${environment.path}/settings`))
    await settings({ mode: 'required' })
    const subject = await withTrust()
    await settings({ mode: mfa.mode })
    return subject
  }
})

test('a person has ten, and the oldest makes room', async () => {
  const subject = await withTrust()
  const [first] = await trustedOf(subject)
  const added: string[] = []
  for (let n = 0; n < 9; n++) added.push(await storeTrustedBrowser(w, environment, subject.id))
  assert.equal(await stepAfterPassword(subject), 'code')
  forget(subject.agent, 'session')
  added.push(await storeTrustedBrowser(w, environment, subject.id))
  const ids = (await trustedOf(subject)).map(({ id }) => id)
  assert.deepEqual([ids, ids.includes(first?.id ?? '')], [added.toReversed(), false])
  assert.equal(await stepAfterPassword(subject), 'second-factor')
})

test('trusting the same browser again replaces its row, and each account has a cookie of its own, at most six', async () => {
  const subject = await withTrust()
  await trust(subject)
  assert.deepEqual([(await trustedOf(subject)).length, cookieOf(subject).length], [1, 1])
  const people = [subject]
  for (let n = 0; n < 6; n++) {
    const other = await withTrust()
    const merged = createAgent()
    for (const [name, value] of cookieOf(people.at(-1) ?? subject)) merged.cookies.set(name, value)
    const next = { ...other, agent: merged }
    await trust(next)
    people.push(next)
  }
  assert.equal(cookieOf(people.at(-1) ?? subject).length, 6)
})

test('20 sign-ins at once while it is removed have a code or are asked, and none has a code afterwards', async () => {
  const subject = await withTrust()
  const [row] = await trustedOf(subject)
  const agents = Array.from({ length: 20 }, () => withCookie(subject))
  const results = await Promise.all([
    ...agents.map((agent) => stepAfterPassword({ ...subject, agent })),
    backend('DELETE', `${subject.id}/trusted-browsers/${row?.id}`).then(({ status }) => String(status)),
  ])
  assert.equal(results.pop(), '204')
  for (const result of results) assert.ok(result === 'code' || result === 'second-factor', result)
  assert.equal(await stepAfterPassword({ ...subject, agent: withCookie(subject) }), 'second-factor')
  for (const [n, agent] of agents.entries())
    if (results[n] === 'code') {
      const request = authorizationRequest(environment, client)
      assert.equal((await codeAfter(agent, await agent.get(request.url), request)).code, null)
    }
})

test('the account page lists what counts, with a way to remove it, and the export has it', async () => {
  const subject = await withTrust()
  const { agent, page } = await openWithBoth(subject)
  assert.match(page.body, /Trusted browsers.*They do not ask for the second step/s)
  const [id = ''] = rowsOf(page, 'trusted')
  assert.equal(id, (await trustedOf(subject))[0]?.id)
  const exported = JSON.parse((await press(agent, page, 'export')).body)
  assert.deepEqual(
    exported.trusted_browsers.map((row: { id: string }) => row.id),
    [id],
  )
  const after = await followPages(agent, await press(agent, await agent.get(`${issuer}/account`), { action: 'remove-trusted-browser', id }))
  assert.deepEqual([problemOf(after), rowsOf(after, 'trusted')], [undefined, []])
  assert.match(after.body, /It asks for the second step again/)
  const [event] = await until('the event', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=trusted_browser.removed&user_id=${subject.id}`))
    return data.length > 0 && data
  })
  assert.deepEqual(
    [event.actor, event.data],
    [
      { type: 'user', id: subject.id },
      { trusted_browser_id: id, sub: subject.id },
    ],
  )
  expectStatus(404, await backend('DELETE', `${subject.id}/trusted-browsers/${id}`))
})

test('a deleted user leaves none behind', async () => {
  const subject = await withTrust()
  expectStatus(204, await backend('DELETE', subject.id))
  assert.equal((await backend('GET', `${subject.id}/trusted-browsers`)).status, 404)
  assert.notEqual(await stepAfterPassword(subject), 'code')
})

test('the setting is 0 to 90 days, and in the root environment it stays 0', async () => {
  for (const remember_days of [-1, 91, 1.5, '30'])
    expectStatus(422, await w.call('PATCH', `${environment.path}/settings`, { body: { mfa: { remember_days } } }))
  const token = await administratorToken(w, owner)
  const { root_tenant_id } = expectStatus(200, await asAdministrator(w, token, null)('GET', '/v1/me'))
  const admin = asAdministrator(w, token, root_tenant_id)
  const [project] = expectStatus(200, await admin('GET', '/v1/platform/projects')).data
  const [root] = expectStatus(200, await admin('GET', `/v1/platform/projects/${project.id}/environments`)).data
  const path = `/v1/platform/projects/${project.id}/environments/${root.id}/settings`
  const reply = await admin('PATCH', path, { mfa: { remember_days: 1 } })
  assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, '/mfa/remember_days'])
  assert.equal(expectStatus(200, await admin('GET', path)).mfa.remember_days, 0)
})
