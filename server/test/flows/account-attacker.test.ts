/** The account page against attackers and races: each case with every action, and parallel changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addApp, addPasskey, formFor, linkOf, openAccount, press, rowsOf, stepOf } from '../support/account.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { appCode, secretOn } from '../support/authenticator-app.ts'
import { type Agent, createAgent, createPerson, followPages, formOf, reloaded } from '../support/cookie-browser.ts'
import { optionsOf } from '../support/passkeys.ts'
import { until } from '../support/receiver.ts'
import { storeTrustedBrowser } from '../support/tenants.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const account_url = `${w.test.issuer}/account`
const client = await w.createApplication(w.test, { consent: 'ask' })
await w.changeSettings(w.test, {
  sign_in: { passkey: true },
  mfa: { mode: 'optional', remember_days: 30 },
  notices: { new_sign_in: false },
})
const unlimited = { limit: 100_000, window_seconds: 1 }
const key = expectStatus(
  201,
  await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret', rate_limit: unlimited } }),
).key
const backend = (method: string, path: string) => w.call(method, `/v1/auth/users/${path}`, { key })

const providers = await Promise.all(
  ['one', 'two'].map(async (name) => {
    const body = {
      type: 'oidc',
      display_name: name,
      issuer: 'https://sso.example.com',
      client_id: name,
      client_secret: 's',
      link_by_verified_email: true,
    }
    return expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body }))
  }),
)

async function signInUpstream(agent: Agent, provider: { id: string }, email: string): Promise<Reply> {
  const { hidden } = formOf((await agent.get(`${account_url}?prompt=login`)).body)
  const started = await agent.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider.id })
  const answer = upstreams.agree(started.headers.get('location') ?? '', { claims: { sub: email, email, email_verified: true } })
  return followPages(agent, await agent.get(`${w.test.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`))
}

/** A person with every sign-in method, two sessions and an application, and a valid form for every action. */
async function withEverything() {
  const person = await createPerson(w, w.test)
  await signInUpstream(createAgent(), providers[0], person.email)
  await person.tokens(client)
  const { agent } = person
  await addApp(w, w.test, agent)
  await addPasskey(w.test, agent, createAuthenticator(new URL(w.test.issuer).origin))
  await storeTrustedBrowser(w, w.test, person.id)
  const page = await agent.get(account_url)
  const app = await agent.get(linkOf(page, 'add-totp'))
  const passkey = await agent.get(linkOf(page, 'add-passkey'))
  const credential = JSON.stringify(createAuthenticator(new URL(w.test.issuer).origin).create(optionsOf(passkey)))
  const ready = async (action: string) => formFor(await agent.get(linkOf(page, action)), action)
  const [, other = ''] = rowsOf(page, 'devices')
  const forms = {
    'change-name': { ...(await ready('change-name')), typed: { name: 'Another' } },
    'change-email': { ...(await ready('change-email')), typed: { email: `other.${person.email}` } },
    'change-password': { ...(await ready('change-password')), typed: { password: 'an engine of brass' } },
    'remove-provider': { ...(await ready('remove-provider')), typed: {} },
    'add-totp': { ...formFor(app, 'add-totp'), typed: { code: appCode(secretOn(app), w.now()) } },
    'remove-totp': { ...(await ready('remove-totp')), typed: {} },
    'new-recovery-codes': { ...(await ready('new-recovery-codes')), typed: {} },
    'add-passkey': { ...formFor(passkey, 'add-passkey'), typed: { credential } },
    'remove-passkey': { ...(await ready('remove-passkey')), typed: {} },
    'end-session': { ...formFor(page, 'end-session', other), typed: {} },
    'end-other-sessions': { ...formFor(page, 'end-other-sessions'), typed: {} },
    'remove-trusted-browser': { ...formFor(page, 'remove-trusted-browser'), typed: {} },
    disconnect: { ...formFor(page, 'disconnect'), typed: {} },
    export: { ...formFor(page, 'export'), typed: {} },
    'delete-account': { ...(await ready('delete-account')), typed: { email: person.email } },
  }
  return { person, agent, forms }
}
/** A person with an unproven address, and the form that proves it by its code. */
async function withUnprovenAddress() {
  const person = await createPerson(w, w.test, { email_verified: false })
  const { agent, page } = await openAccount(w.test, person, person.agent)
  const form = formFor(await followPages(agent, await press(agent, page, 'email-code')), 'confirm')
  const [{ code }] = await mailsTo(person.email)
  return { person, agent, forms: { 'confirm-email': { ...form, typed: { code: code ?? '' } } } }
}
/** The mails about the provider, the app and the passkey of `withEverything`. */
const mails_of_setup = ['method_added', 'method_added', 'method_added']
type Ready = Awaited<ReturnType<typeof withEverything | typeof withUnprovenAddress>>

/** Returns the state of the person as a backend sees it. */
const stateOf = async ({ person }: Ready) =>
  Promise.all(
    ['', '/sessions', '/methods', '/trusted-browsers', '/grants'].map(async (path) => {
      const { body } = await backend('GET', `${person.id}${path}`)
      return JSON.stringify(body, (name, value) =>
        name === 'last_seen_at' || name === 'last_used_at' || name === 'request_id' || name === 'instance' ? undefined : value,
      )
    }),
  )

async function foreignToken(): Promise<string> {
  const { page } = await openAccount(w.test, await w.createUser(w.test))
  return formFor(page, 'export').fields.csrf ?? ''
}

interface Case {
  what: string
  /** Before the forms are sent. */
  first?: (ready: Ready) => Promise<unknown>
  headers?: Record<string, string>
  fields?: (ready: Ready) => Promise<Record<string, string>> | Record<string, string>
  url?: (url: string) => string
  agent?: () => Agent
}

const cases: Case[] = [
  { what: 'of another site by Origin', headers: { origin: 'https://evil.example.com' } },
  { what: 'of another site by Sec-Fetch-Site', headers: { 'sec-fetch-site': 'cross-site' } },
  { what: 'of another origin of the same site', headers: { 'sec-fetch-site': 'same-site' } },
  { what: 'with the form token of another browser', fields: async () => ({ csrf: await foreignToken() }) },
  { what: 'without a form token', fields: () => ({ csrf: '' }) },
  { what: 'without cookies', agent: createAgent },
  { what: 'that names another account', fields: async () => ({ user: (await w.createUser(w.test)).id }) },
  { what: 'that names no account', fields: () => ({ user: 'x'.repeat(5_000) }) },
  { what: 'sent to another environment', url: (url) => url.replace(w.test.issuer, w.live.issuer) },
  { what: 'after the session ended', first: ({ person }) => backend('POST', `${person.id}/end-sessions`) },
  { what: 'after the user was blocked', first: ({ person }) => backend('POST', `${person.id}/block`) },
  { what: 'after the user was deleted', first: ({ person }) => backend('DELETE', person.id) },
]

for (const { what, first, headers, fields, url = (same: string) => same, agent } of cases)
  test(`a form ${what} changes nothing`, async (t) => {
    for (const ready of [await withEverything(), await withUnprovenAddress()]) {
      await first?.(ready)
      const before = await stateOf(ready)
      for (const [action, form] of Object.entries(ready.forms))
        await t.test(action, async () => {
          const sent = { ...form.fields, ...form.typed, ...(await fields?.(ready)) }
          const reply = await (agent?.() ?? ready.agent).post(url(form.action), sent, headers)
          assert.equal(reply.status, 400)
          assert.doesNotMatch(reply.headers.get('location') ?? '', /[?&]done=/)
          assert.ok((reply.headers.get('location') ?? '').length < 500)
          assert.deepEqual(await stateOf(ready), before)
        })
    }
  })

test('an id of another person, or of nothing, changes nothing', async (t) => {
  const [ready, other] = [await withEverything(), await withEverything()]
  const before = [await stateOf(ready), await stateOf(other)]
  for (const action of [
    'remove-provider',
    'remove-passkey',
    'remove-totp',
    'end-session',
    'remove-trusted-browser',
    'disconnect',
  ] as const) {
    const [mine, theirs] = [ready.forms[action], other.forms[action]]
    const foreign = action === 'disconnect' ? [] : [theirs.fields.id ?? '']
    for (const id of [...foreign, '', 'ses_1', 'mth_\u0000', `app_${'0'.repeat(26)}`, 'x'.repeat(5_000)])
      await t.test(`${action} ${id.slice(0, 40)}`, async () => {
        assert.equal((await ready.agent.post(mine.action, { ...mine.fields, id })).status, 303)
        assert.deepEqual([await stateOf(ready), await stateOf(other)], before)
      })
  }
})

test('a session cannot end itself as if it were another', async () => {
  const ready = await withEverything()
  const [mine = ''] = rowsOf(await ready.agent.get(account_url), 'devices')
  const form = ready.forms['end-session']
  await ready.agent.post(form.action, { ...form.fields, id: mine })
  assert.equal(stepOf(await ready.agent.get(account_url)), 'account')
})

test('markup in names is shown as text on the account page', async () => {
  const { page } = await openAccount(w.test, await w.createUser(w.test, { name: '<script>alert(1)</script>' }))
  assert.doesNotMatch(page.body, /<script>/)
})

const events = (user_id: string, type: string, count: number) =>
  until(`${count} events ${type}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?user_id=${user_id}&type=${type}&limit=100`))
    return data.length >= count && data
  })
const mailsTo = async (email: string) => expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=${email}&limit=100`)).data
const isDone = ({ status, headers }: Reply) => status === 303 && /done=/.test(headers.get('location') ?? '')

test('of 50 parallel changes of the profile every one that is confirmed has its event, and the last one stays', async () => {
  const { person, agent, forms } = await withEverything()
  const form = forms['change-name']
  const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => agent.post(form.action, { ...form.fields, name: `Name ${i}` })))
  const confirmed = replies.filter(isDone).length
  assert.ok(confirmed >= 1)
  assert.ok(replies.every((reply) => isDone(reply) || reply.status === 409))
  assert.equal((await events(person.id, 'user.updated', confirmed)).length, confirmed)
})

test('of 50 parallel new passwords every one that is confirmed has its event and its mail', async () => {
  const { person, agent, forms } = await withEverything()
  const form = forms['change-password']
  const passwords = Array.from({ length: 50 }, (_, i) => `an engine of brass ${i}`)
  const replies = await Promise.all(passwords.map((password) => agent.post(form.action, { ...reloaded(form.fields), password })))
  const confirmed = replies.filter(isDone).length
  assert.ok(confirmed >= 1)
  assert.ok(
    replies.every((reply) => isDone(reply) || [409, 503].includes(reply.status)),
    'the others are refused, or the queue of hashes is full',
  )
  assert.equal((await events(person.id, 'user.updated', confirmed)).length, confirmed)
  assert.equal((await mailsTo(person.email)).length, mails_of_setup.length + confirmed)
  assert.equal(stepOf(await agent.get(account_url)), 'account')
})

test('of 50 parallel removals of one method one succeeds, with one event and one mail', async () => {
  const { person, agent, forms } = await withEverything()
  const form = forms['remove-provider']
  const replies = await Promise.all(Array.from({ length: 50 }, () => agent.post(form.action, reloaded(form.fields))))
  assert.equal(replies.filter(isDone).length, 1)
  assert.equal((await events(person.id, 'user.updated', 1)).length, 1)
  assert.deepEqual(
    (await mailsTo(person.email)).map(({ kind }: { kind: string }) => kind),
    ['method_removed', ...mails_of_setup],
  )
})

const races = [
  { action: 'remove-passkey', event: 'mfa.removed', mail: 'method_removed' },
  { action: 'remove-totp', event: 'mfa.removed', mail: 'method_removed' },
  { action: 'add-passkey', event: 'mfa.enrolled', mail: 'method_added' },
  { action: 'add-totp', event: 'mfa.enrolled', mail: 'method_added' },
] as const
for (const { action, event, mail } of races)
  test(`of 50 parallel forms of ${action} one succeeds, with one event and one mail`, async () => {
    const { person, agent, forms } = await withEverything()
    const before = (await mailsTo(person.email)).length
    const known = event === 'mfa.enrolled' ? 2 : 0
    const form = forms[action]
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => agent.post(form.action, { ...reloaded(form.fields), ...form.typed })),
    )
    assert.equal(replies.filter(isDone).length, 1)
    assert.equal((await events(person.id, event, known + 1)).length, known + 1)
    const mails = await mailsTo(person.email)
    assert.deepEqual([mails.length, mails[0].kind], [before + 1, mail])
  })

test('a form of a method is good for its own session only', async (t) => {
  const [ready, other] = [await withEverything(), await withEverything()]
  const before = await stateOf(ready)
  for (const action of ['add-totp', 'add-passkey'] as const)
    await t.test(action, async () => {
      const { typed, fields } = other.forms[action]
      const sent = { ...fields, ...typed, csrf: ready.forms[action].fields.csrf ?? '', user: ready.person.id }
      assert.equal((await ready.agent.post(ready.forms[action].action, sent)).status, 400)
      assert.deepEqual(await stateOf(ready), before)
    })
})

test('of two methods that are the last ones, removed at once, one stays', async () => {
  for (let round = 0; round < 5; round++) {
    const email = `two-ways${round}@example.com`
    const agent = createAgent()
    await signInUpstream(createAgent(), providers[0], email)
    const page = await signInUpstream(agent, providers[1], email)
    const ids = rowsOf(page, 'signing-in')
    assert.equal(ids.length, 2)
    const form = formFor(await agent.get(linkOf(page, 'remove-provider')), 'remove-provider')
    const replies = await Promise.all(ids.map((id) => agent.post(form.action, { ...form.fields, id })))
    assert.equal(replies.filter(isDone).length, 1)
    const { data } = expectStatus(200, await backend('GET', `${form.fields.user}/methods`))
    assert.equal(data.length, 1)
  }
})

test('a new password is never refused, and always mailed', async () => {
  const person = await w.createUser(w.test)
  const { agent } = await openAccount(w.test, person)
  const change = async (password: string) =>
    press(agent, await agent.get(`${account_url}?action=change-password`), 'change-password', { password })
  for (let i = 0; i < 12; i++) assert.ok(isDone(await change(`an engine of brass ${i}`)), `change ${i}`)
  assert.equal((await mailsTo(person.email)).length, 12)
})

test('an account makes ten sensitive changes within an hour: the next is refused with words, and removals are not', async () => {
  const person = await w.createUser(w.test)
  const { agent } = await openAccount(w.test, person)
  const { id } = await addApp(w, w.test, agent).then(async () => ({
    id: /data-id="(mth_[^"]*)"(?:(?!data-id).)*remove-totp/s.exec((await agent.get(account_url)).body)?.[1] ?? '',
  }))
  const change = async () => press(agent, await agent.get(`${account_url}?action=new-recovery-codes`), 'new-recovery-codes')
  for (let i = 0; i < 9; i++) assert.equal(stepOf(await change()), 'recovery-codes', `change ${i}`)
  const mails = await mailsTo(person.email)
  assert.deepEqual([mails.length, mails[0].kind], [10, 'recovery_codes_made'])
  for (const action of ['new-recovery-codes', 'add-totp', 'export', 'change-email', 'delete-account'] as const) {
    const refused = await press(agent, await agent.get(`${account_url}?action=${action}`), action, {
      code: '000000',
      email: 'other@example.com',
    })
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600'], action)
    assert.match(refused.body, /changed ten times within an hour, so nothing was done/)
  }
  assert.equal((await mailsTo(person.email)).length, 10, 'nothing is done in silence')
  assert.ok(isDone(await press(agent, await agent.get(`${account_url}?action=remove-totp&id=${id}`), 'remove-totp')))
  assert.equal((await mailsTo(person.email)).length, 11)
  w.advance(4_000)
  await openAccount(w.test, person, agent, '?prompt=login')
  const form = await agent.get(`${account_url}?action=export`)
  assert.equal((await press(agent, form, 'export')).status, 200)
  assert.equal((await mailsTo(person.email))[0].kind, 'data_exported')
})

test('changes that fail use up no mail', async () => {
  const { person, agent, forms } = await withEverything()
  const form = forms['remove-provider']
  assert.ok(isDone(await agent.post(form.action, form.fields)))
  for (let i = 0; i < 20; i++) await agent.post(form.action, form.fields)
  const password = forms['change-password']
  assert.ok(isDone(await agent.post(password.action, { ...password.fields, password: 'an engine of brass' })))
  assert.deepEqual(
    (await mailsTo(person.email)).map(({ kind }: { kind: string }) => kind),
    ['password_changed', 'method_removed', ...mails_of_setup],
  )
})
