/** Sign-up with a proven address, reset of a password, mailed links, and what the proof of an address changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { insertIdentity } from '../../src/domain/providers/store.ts'
import { insertTotp, replaceRecoveryCodes } from '../../src/domain/users/second-factors.ts'
import { insertUser } from '../../src/domain/users/store.ts'
import { openAccount, press } from '../support/account.ts'
import { stepOn } from '../support/authenticator-app.ts'
import {
  type Agent,
  authorizationRequest,
  createAgent,
  createPerson,
  followPages,
  formOf,
  refresh,
  signInForTokens,
} from '../support/cookie-browser.ts'
import { enterMailedCode, mailsTo, newestMail } from '../support/mailed.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound, env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
const environment = w.test
await w.changeSettings(environment, { sign_in: { email_code: true }, notices: { new_sign_in: false } })
const client = await w.createApplication(environment)
const secret = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key as string
const google = { type: 'google', client_id: 'g', client_secret: 's', link_by_verified_email: true }
const provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body: google }))
const password = 'a memorable sentence'

let sources = 0
const from = () => ({ 'x-forwarded-for': `198.18.${Math.floor(++sources / 250)}.${sources % 250}` })

async function open(prompt: string, agent: Agent = createAgent()) {
  const request = authorizationRequest(environment, client, { prompt })
  return { agent, request, page: await agent.get(request.url) }
}

async function signUp(email: string, fields: Record<string, string> = {}) {
  const { agent, request, page } = await open('create')
  return { agent, request, page: await agent.submit(page, { email, password, ...fields }, from()) }
}

async function findUser(email: string) {
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/users?email=${encodeURIComponent(email)}`))
  return data[0] ?? null
}

async function forgot(email: string, agent: Agent = createAgent()) {
  const { page } = await open('login', agent)
  const link = /href="([^"]*\/forgot-password\?[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const form = await agent.get(link)
  return { agent, form, sent: await agent.submit(form, { email }, from()) }
}

const signsIn = async (email: string, password: string) => {
  const { agent, page } = await open('login')
  return (await agent.submit(page, { email, password, method: 'password' }, from())).status === 303
}

/** Opens a link, presses its button and returns the page behind it. */
async function pressLink(link: string, agent: Agent = createAgent()) {
  const page = expectPage(await agent.get(link), 'link')
  return { agent, page, next: await agent.submit(page, {}) }
}

function expectPage(reply: Reply, step: string): Reply {
  assert.ok(reply.body.includes(`data-step="${step}"`), `${reply.status} ${reply.body.slice(-900)}`)
  return reply
}

function visibleIn(reply: Reply, email: string) {
  const body = reply.body
    .replace(/<style>.*<\/style>/s, '')
    .replaceAll(email, '{email}')
    .replaceAll(/(value|href|action)="[^"]*"/g, '')
  return { status: reply.status, body }
}

test('with mail, a sign-up creates neither account nor session before its code, and the code creates a proven account', async () => {
  const email = 'new-person@example.com'
  const { agent, page } = await signUp(email, { name: 'New Person' })
  assert.equal(expectPage(page, 'code').status, 200)
  assert.equal(await findUser(email), null)
  assert.ok(![...agent.cookies.keys()].some((name) => name.includes('session')))
  assert.equal((await enterMailedCode(w, environment, { agent, page }, email)).status, 303)
  const user = await findUser(email)
  assert.deepEqual([user.name, user.email_verified, user.has_password], ['New Person', true, true])
  assert.ok(await signsIn(email, password))
})

test('a taken address gets the same page, and a mail without a code that names the ways in', async () => {
  const user = await w.createUser(environment)
  const free = 'free-addr@example.com'
  const [taken, fresh] = [await signUp(user.email), await signUp(free)]
  assert.deepEqual(visibleIn(taken.page, user.email), visibleIn(fresh.page, free))
  const mail = await newestMail(w, environment, user.email)
  assert.deepEqual([mail.kind, mail.code, mail.link], ['existing_account', null, null])
  assert.match(mail.text, /Password/)
  const tries = await Promise.all([taken, fresh].map(({ agent, page }) => agent.submit(page, { code: '000000' })))
  assert.deepEqual(visibleIn(tries[0] as Reply, user.email), visibleIn(tries[1] as Reply, free))
})

test('existing_account names the ways in that work', async () => {
  const user = await w.createUser(environment)
  const { db, newId } = w.deployment
  const app = { id: newId('mth'), secret: Buffer.alloc(20, 7), step: 1 }
  const codes = { id: newId('mth'), hashes: ['a'] }
  const off = expectStatus(
    201,
    await w.call('POST', `${environment.path}/providers`, { body: { ...google, display_name: 'Turned Off', enabled: false } }),
  )
  const identity = (id: string) => ({ provider_id: id, issuer: 'https://accounts.google.com', subject: user.id })
  await db.batch([
    ...insertTotp(w.deployment, { environment_id: environment.id, id: user.id }, { ...app, before: 0 }, w.now()),
    ...replaceRecoveryCodes(environment.id, user.id, codes, w.now()),
    ...[provider.id, off.id].map((id) => insertIdentity(environment.id, identity(id), { id: newId('mth'), user_id: user.id }, w.now())),
  ])
  const ways = async () => /^You can sign in with: (.*)\.$/m.exec((await newestMail(w, environment, user.email)).text)?.[1]
  await signUp(user.email)
  assert.equal(await ways(), 'Password, Code by mail, Google')

  const { agent } = await openAccount(environment, await w.createUser(environment))
  await press(agent, await agent.get(`${environment.issuer}/account?action=change-email`), 'change-email', { email: user.email })
  assert.equal((await newestMail(w, environment, user.email)).kind, 'existing_account')
  assert.equal(await ways(), 'Password, Code by mail, Google')

  await w.changeSettings(environment, { sign_in: { password: false } })
  w.advance(31)
  await w.call('POST', `/v1/auth/users/${user.id}/send-reset`, { key: secret })
  assert.equal(await ways(), 'Code by mail, Google')
  await w.changeSettings(environment, { sign_in: { password: true } })
})

test('existing_account names every way in, and each once, however many methods the account has', async () => {
  const user = await w.createUser(environment)
  const { db, newId } = w.deployment
  const body = { ...google, display_name: 'Second Google' }
  const second = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
  const identities = [...Array.from({ length: 25 }, () => provider.id), second.id].map((provider_id, n) => {
    const identity = { provider_id, issuer: 'https://accounts.google.com', subject: `${user.id} ${n}` }
    return insertIdentity(environment.id, identity, { id: newId('mth'), user_id: user.id }, w.now())
  })
  await db.batch(identities)
  await signUp(user.email)
  assert.match(
    (await newestMail(w, environment, user.email)).text,
    /^You can sign in with: Password, Code by mail, Google, Second Google\.$/m,
  )
})

test('a sign-up sends a new code on request and keeps what was entered', async () => {
  const email = 'resent@example.com'
  const { agent, page } = await signUp(email, { name: 'Kept Name' })
  w.advance(31)
  const again = await agent.submit(page, { action: 'resend' })
  assert.equal((await mailsTo(w, environment, email)).length, 2)
  assert.equal((await enterMailedCode(w, environment, { agent, page: again }, email)).status, 303)
  assert.equal((await findUser(email)).name, 'Kept Name')
})

test('the stored sign-up holds neither the address nor the password in clear', async () => {
  await signUp('secretive@example.com')
  const rows = await w.deployment.db.all(
    z.object({ row: z.string() }),
    sql`select account || sealed || coalesce(code_mac, '') as row from mailed_codes where sealed is not null`,
  )
  assert.ok(rows.length > 0 && rows.every(({ row }) => !row.includes('secretive') && !row.includes(password)))
})

test('of fifty people who prove one address at once, one gets the account', async () => {
  const email = 'wanted@example.com'
  await w.changeSettings(environment, { test: { fixed_code: '135790' } })
  const all = []
  for (let i = 0; i < 15; i++) all.push(await signUp(email))
  const tries = all.flatMap(({ agent, page }) => Array.from({ length: 4 }, () => agent.submit(page, { code: '135790' })))
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  await w.changeSettings(environment, { test: { fixed_code: null } })
  assert.equal(statuses.filter((status) => status === 303).length, 1)
  assert.equal((await findUser(email)).email_verified, true)
})

// biome-ignore format: one name a line
const refused_names = [
  'Ada\u2028Lovelace',
  'Ada\u2029Lovelace',
  'Ada \u202egnp.exe',
  'Ada\u2066Lovelace',
  'Ada\u0000',
  'Ada\nLovelace',
  'a'.repeat(201),
]
test('a sign-up refuses the names that the account page refuses', async () => {
  const person = await createPerson(w, environment)
  await person.tokens(client)
  for (const name of refused_names) {
    const { page } = await signUp('named@example.com', { name })
    assert.equal(page.status, 400, JSON.stringify(name))
    assert.match(page.body, /id="name"[^>]*aria-invalid="true"/)
    const account = await person.agent.get(`${environment.issuer}/account?action=change-name`)
    const refused = await person.agent.submit(account, { name })
    assert.equal(refused.status, 400, JSON.stringify(name))
  }
  assert.deepEqual(await mailsTo(w, environment, 'named@example.com'), [])
  expectPage((await signUp('named@example.com', { name: 'a'.repeat(200) })).page, 'code')
})

test('without passwords a sign-up asks for none', async () => {
  await w.changeSettings(environment, { sign_in: { password: false } })
  const { page } = await open('create')
  assert.ok(!page.body.includes('name="password"'))
  const email = 'no-password@example.com'
  const { agent, page: code } = await signUp(email, { password: '' })
  assert.equal((await enterMailedCode(w, environment, { agent, page: code }, email)).status, 303)
  assert.equal((await findUser(email)).has_password, false)
  await w.changeSettings(environment, { sign_in: { password: true } })
})

test('a reset: link, page with one button, new password; it ends everything and signs nobody in', async () => {
  const user = await w.createUser(environment)
  const old = await signInForTokens(w, environment, client, { user })
  const { sent } = await forgot(user.email)
  assert.equal(expectPage(sent, 'forgot-password').status, 200)
  const { kind, link, code } = await newestMail(w, environment, user.email)
  assert.deepEqual([kind, code], ['reset_password', null])
  assert.equal((await w.call('HEAD', link ?? '', { key: null })).status, 200)
  const { agent, page, next } = await pressLink(link ?? '')
  assert.equal(page.body.split('<button').length, 2, 'one button')
  expectPage(next, 'new-password')
  assert.equal((await agent.submit(next, { password: 'password' })).status, 400, 'the rules for passwords hold')
  const saved = await agent.submit(next, { password: 'another fine sentence' })
  assert.equal(saved.status, 200)
  assert.ok(![...agent.cookies.keys()].some((name) => name.includes('session')), 'nobody is signed in')
  assert.equal((await refresh(w, environment, client, old.tokens.refresh_token)).status, 400)
  assert.ok(!(await signsIn(user.email, user.password)))
  assert.ok(await signsIn(user.email, 'another fine sentence'))
  assert.equal((await newestMail(w, environment, user.email)).kind, 'password_changed')
  assert.equal((await agent.submit(next, { password: 'a third fine sentence' })).status, 410, 'a link works once')
  assert.equal((await createAgent().get(link ?? '')).status, 410)
})

test('after a reset the browser that asked goes back to its request, and any other one finds its account', async () => {
  const user = await w.createUser(environment)
  for (const is_same of [true, false]) {
    const { agent } = await forgot(user.email)
    const { link } = await newestMail(w, environment, user.email)
    const { agent: opened, next } = await pressLink(link ?? '', is_same ? agent : createAgent())
    const new_password = `fine sentence in ${is_same ? 'this' : 'another'} browser`
    const saved = await opened.submit(next, { password: new_password })
    const [, address = '', action] = /href="([^"]*)" data-action="(continue|account)"/.exec(saved.body) ?? []
    assert.equal(action, is_same ? 'continue' : 'account')
    if (!is_same) continue
    const page = await opened.get(address.replaceAll('&amp;', '&'))
    const signed_in = await opened.submit(page, { email: user.email, password: new_password, method: 'password' }, from())
    const consent = await opened.get(signed_in.headers.get('location') ?? '')
    const location = (consent.status === 200 ? await opened.submit(consent, { decision: 'allow' }) : consent).headers.get('location') ?? ''
    assert.ok(location.startsWith(client.redirect_uris[0] ?? ''), location)
  }
})

test('of fifty parallel uses of a reset link one sets the password', async () => {
  const user = await w.createUser(environment)
  await forgot(user.email)
  const { agent, next } = await pressLink((await newestMail(w, environment, user.email)).link ?? '')
  // The queue for hashes is bounded, so some are refused before their turn.
  const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => agent.submit(next, { password: `fine sentence number ${i}` })))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
})

test('a reset gets the same answer for a known, an unknown and a blocked address and for one without a password', async () => {
  const [known, bare, blocked] = [await w.createUser(environment), await w.createUser(environment), await w.createUser(environment)]
  await w.deployment.db.batch([
    sql`update users set password_hash = null where environment_id = ${environment.id} and id = ${bare.id}`,
    sql`update users set blocked_at = ${w.now()} where environment_id = ${environment.id} and id = ${blocked.id}`,
  ])
  const emails = [known.email, bare.email, blocked.email, 'unknown-here@example.com']
  const answers = []
  for (const email of emails) answers.push(visibleIn((await forgot(email)).sent, email))
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
  const kinds = await Promise.all(emails.map(async (to) => (await mailsTo(w, environment, to)).map(({ kind }) => kind)))
  assert.deepEqual(kinds, [['reset_password'], ['existing_account'], [], []])
})

test('a reset link ends after an hour, with another password, and with a block', async () => {
  const users = [await w.createUser(environment), await w.createUser(environment), await w.createUser(environment)]
  for (const { email } of users) await forgot(email)
  const links = await Promise.all(users.map(async ({ email }) => (await newestMail(w, environment, email)).link ?? ''))
  const [changed, blocked] = users
  const as_backend = { key: secret }
  expectStatus(200, await w.call('PATCH', `/v1/auth/users/${changed?.id}`, { ...as_backend, body: { password: 'chosen by the backend' } }))
  expectStatus(200, await w.call('POST', `/v1/auth/users/${blocked?.id}/block`, as_backend))
  for (const link of links.slice(0, 2)) assert.equal((await createAgent().get(link)).status, 410)
  w.advance(3_600)
  assert.equal((await createAgent().get(links[2] ?? '')).status, 410)
})

test('links out of order, empty, of another kind or environment open nothing', async () => {
  const user = await w.createUser(environment, { email_verified: false })
  expectStatus(202, await w.call('POST', `/v1/auth/users/${user.id}/send-verification`, { key: secret }))
  const token = new URL((await newestMail(w, environment, user.email)).link ?? '').searchParams.get('token') ?? ''
  const agent = createAgent()
  const { hidden } = formOf((await agent.get(`${environment.issuer}/link?token=${token}`)).body)
  const csrf = hidden.csrf ?? ''
  // biome-ignore format: a table
  const posts: [string, Record<string, string>, number][] = [
    ['/new-password', { csrf, token, password }, 410],
    ['/new-password', {}, 410],
    ['/link', {}, 410],
    ['/link', { token }, 400],
    ['/link', { token: 'x'.repeat(50_000), csrf }, 410],
    ['/link', { token, csrf: 'x' }, 400],
    ['/code', { csrf, code: '000000' }, 400],
    ['/forgot-password', { csrf, email: user.email }, 400],
  ]
  for (const [path, form, status] of posts) assert.equal((await agent.post(environment.issuer + path, form)).status, status, path)
  for (const path of ['/link', '/link?token=', `/link?token=${token.slice(1)}`, '/forgot-password'])
    assert.ok((await agent.get(environment.issuer + path)).status >= 400, path)
  assert.equal((await agent.get(`${w.live.issuer}/link?token=${token}`)).status, 410)
  assert.equal((await findUser(user.email)).email_verified, false)
})

test('send-verification mails a code and a link; pressing the link proves the address and keeps the account', async () => {
  const user = await w.createUser(environment, { email_verified: false })
  const path = `/v1/auth/users/${user.id}/send-verification`
  assert.deepEqual(expectStatus(202, await w.call('POST', path, { key: secret })), {})
  const mail = await newestMail(w, environment, user.email)
  assert.equal(mail.kind, 'verify_email')
  assert.match(mail.code ?? '', /^\d{6}$/)
  await createAgent().get(mail.link ?? '')
  assert.equal((await findUser(user.email)).email_verified, false, 'a GET proves nothing')
  assert.equal((await pressLink(mail.link ?? '')).next.status, 200)
  const { id, email_verified, has_password } = await findUser(user.email)
  assert.deepEqual({ id, email_verified, has_password }, { id: user.id, email_verified: true, has_password: true })
  expectStatus(202, await w.call('POST', path, { key: secret }))
  assert.equal((await mailsTo(w, environment, user.email)).length, 1, 'a proven address needs no other proof')
})

test('send-reset mails a link, counts against the limits, and is 409 without mail', async () => {
  const user = await w.createUser(environment)
  for (let i = 0; i < 7; i++) expectStatus(202, await w.call('POST', `/v1/auth/users/${user.id}/send-reset`, { key: secret }))
  assert.equal((await mailsTo(w, environment, user.email)).length, 5)
  expectStatus(404, await w.call('POST', `/v1/auth/users/usr_${'0'.repeat(26)}/send-reset`, { key: secret }))
  const live_key = expectStatus(201, await w.call('POST', `${w.live.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const there = await w.createUser(w.live)
  for (const route of ['send-reset', 'send-verification']) {
    const refused = await w.call('POST', `/v1/auth/users/${there.id}/${route}`, { key: live_key })
    assert.deepEqual([refused.status, refused.body.code], [409, 'mail_not_set_up'])
  }
})

test('send-reset of a new user without a password mails an invitation, whose link works for a day and sets the first password', async () => {
  const email = 'invited@example.com'
  const user = expectStatus(201, await w.call('POST', '/v1/auth/users', { key: secret, body: { email, name: 'Noa' } }))
  expectStatus(202, await w.call('POST', `/v1/auth/users/${user.id}/send-reset`, { key: secret }))
  const { kind, subject, link } = await newestMail(w, environment, email)
  assert.deepEqual([kind, subject.replace(/ at .*/, '')], ['reset_password', '[Test] Your account'])
  w.advance(86_399)
  const { agent, next } = await pressLink(link ?? '')
  expectPage(next, 'new-password')
  w.advance(1)
  assert.equal((await createAgent().get(link ?? '')).status, 410)
  w.advance(-1)
  expectStatus(200, await agent.submit(next, { password }))
  const { id, name, email_verified, has_password } = await findUser(email)
  assert.deepEqual([id, name, email_verified, has_password], [user.id, 'Noa', true, true])
  expectStatus(202, await w.call('POST', `/v1/auth/users/${user.id}/send-reset`, { key: secret }))
  const again = await newestMail(w, environment, email)
  assert.match(again.subject, /Choose a new password/)
  w.advance(3_600)
  assert.equal((await createAgent().get(again.link ?? '')).status, 410, 'the link of a reset works for an hour')
})

test('send-reset with passwords off mails how the person signs in', async () => {
  const [user, earlier] = [await w.createUser(environment), await w.createUser(environment)]
  await w.call('POST', `/v1/auth/users/${earlier.id}/send-reset`, { key: secret })
  const { link } = await newestMail(w, environment, earlier.email)
  await w.changeSettings(environment, { sign_in: { password: false } })
  expectStatus(202, await w.call('POST', `/v1/auth/users/${user.id}/send-reset`, { key: secret }))
  const mail = await newestMail(w, environment, user.email)
  assert.deepEqual([mail.kind, mail.link], ['existing_account', null])
  assert.equal((await pressLink(link ?? '')).next.status, 410, 'a link from before opens no form that cannot work')
  await w.changeSettings(environment, { sign_in: { password: true } })
  expectPage((await pressLink(link ?? '')).next, 'new-password')
})

/** Signs in by an emailed code in a browser that knows nothing. */
async function proveByCode(email: string, agent: Agent = createAgent()) {
  const { page } = await open('login', agent)
  const code = await agent.submit(page, { email, password: '', method: 'email_code' }, from())
  return enterMailedCode(w, environment, { agent, page: code }, email)
}

async function proveByReset(email: string) {
  await forgot(email)
  const { agent, next } = await pressLink((await newestMail(w, environment, email)).link ?? '')
  return agent.submit(next, { password: 'the password of the owner' })
}

const Row = z.object({ id: z.string(), email: z.string(), email_verified: z.boolean(), password_hash: z.string().nullable() })
const rowOf = (id: string) =>
  w.deployment.db.maybeOne(
    Row,
    sql`select id, email, email_verified, password_hash from users where environment_id = ${environment.id} and id = ${id}`,
  )

for (const [how, prove] of Object.entries({ code: proveByCode, reset: proveByReset })) {
  test(`proof from outside (${how}) hands over an account that a backend created, without what could have been planted`, async () => {
    const person = await createPerson(w, environment, { email_verified: false, name: 'Set By Backend', metadata: { plan: 'gold' } })
    const planted = await person.tokens(client)
    assert.ok((await prove(person.email)).status < 400)
    const user = await findUser(person.email)
    assert.deepEqual(
      { id: user.id, name: user.name, metadata: user.metadata, email_verified: user.email_verified, has_password: user.has_password },
      { id: person.id, name: 'Set By Backend', metadata: { plan: 'gold' }, email_verified: true, has_password: how === 'reset' },
    )
    assert.ok(!(await signsIn(person.email, person.password)), 'the planted password')
    assert.equal((await refresh(w, environment, client, planted.refresh_token)).status, 400)
    const again = await followPages(person.agent, await person.agent.get(authorizationRequest(environment, client).url))
    expectPage(again, 'sign-in')
    const events = await typesOf(user.id)
    for (const type of ['user.updated', 'user.email_verified', 'session.ended']) assert.ok(events.includes(type), type)
  })

  test(`proof from outside (${how}) of a self-registered account gives the address to a new account, and the old one has no way in`, async () => {
    const email = `self-${how}@example.com`
    const id = await selfRegistered(email)
    const person = { email, password: 'planted password here' }
    const planted = await signInForTokens(w, environment, client, { user: person })
    assert.ok((await prove(email)).status < 400)
    const [user, old] = [await findUser(email), await rowOf(id)]
    assert.notEqual(user.id, id)
    assert.equal(user.email_verified, true)
    assert.deepEqual(old, { id, email: '', email_verified: false, password_hash: null })
    assert.equal(expectStatus(200, await w.call('GET', `/v1/auth/users/${id}`, { key: secret })).email, null)
    assert.equal((await refresh(w, environment, client, planted.tokens.refresh_token)).status, 400)
    assert.ok(!(await signsIn(email, person.password)))
    const renamed = await w.call('PATCH', `/v1/auth/users/${id}`, { key: secret, body: { name: 'Still Here' } })
    assert.deepEqual([renamed.status, renamed.body.email], [200, null])
  })
}

async function proveByProvider(email: string, agent: Agent = createAgent()) {
  const { page } = await open('login', agent)
  const started = await agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider.id })
  const claims = { sub: email, email, email_verified: true }
  const answer = new URLSearchParams(upstreams.agree(started.headers.get('location') ?? '', { claims }))
  return agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${answer}`)
}

for (const mode of ['off', 'optional', 'required'])
  for (const [how, prove] of Object.entries({ code: proveByCode, provider: proveByProvider }))
    test(`proof from outside (${how}, mfa ${mode}) of an account with a planted app signs its owner in`, async () => {
      await w.changeSettings(environment, { mfa: { mode } })
      const user = await w.createUser(environment, { email_verified: false })
      const app = { id: w.deployment.newId('mth'), secret: Buffer.alloc(20, 7), step: 1 }
      await w.deployment.db.batch(insertTotp(w.deployment, { environment_id: environment.id, id: user.id }, { ...app, before: 0 }, w.now()))
      const agent = createAgent()
      const location = (await prove(user.email, agent)).headers.get('location') ?? ''
      // Where a second factor is required, the owner enrols one, after a mailed code of this sign-in.
      if (mode === 'required') assert.equal(stepOn(await agent.get(location)), how === 'code' ? 'enrol-totp' : 'code')
      else assert.doesNotMatch(location, /second-factor/)
      if (mode !== 'required') expectPage(await agent.get(`${environment.issuer}/account`), 'account')
      const methods = expectStatus(200, await w.call('GET', `/v1/auth/users/${user.id}/methods`, { key: secret })).data as {
        type: string
      }[]
      assert.deepEqual(
        methods.map(({ type }) => type),
        how === 'code' || mode === 'required' ? [] : ['provider'], // an identity is stored after the second factor
      )
      assert.equal((await findUser(user.email)).email_verified, true)
      await w.changeSettings(environment, { mfa: { mode: 'off' } })
    })

async function selfRegistered(email: string): Promise<string> {
  const id = w.deployment.newId('usr')
  const { id: template } = await w.createUser(environment, { password: 'planted password here' })
  await w.deployment.db.batch([
    ...insertUser({ environment_id: environment.id, id }, { email, self_registered: true }, null, w.now()),
    sql`update users set password_hash = (select password_hash from users t where t.environment_id = ${environment.id} and t.id = ${template})
         where environment_id = ${environment.id} and id = ${id}`,
  ])
  return id
}

async function typesOf(user_id: string): Promise<string[]> {
  const rows = await w.deployment.db.all(
    z.object({ type: z.string() }),
    sql`select type from events where environment_id = ${environment.id} and user_id = ${user_id}`,
  )
  return rows.map(({ type }) => type)
}

test('a code in a browser that is signed in to the account proves its address from within', async () => {
  const person = await createPerson(w, environment, { email_verified: false })
  await person.tokens(client)
  const { page } = await open('login', person.agent)
  const code = await person.agent.submit(page, { email: person.email, password: '', method: 'email_code' }, from())
  assert.equal((await enterMailedCode(w, environment, { agent: person.agent, page: code }, person.email)).status, 303)
  const user = await findUser(person.email)
  assert.deepEqual([user.id, user.email_verified, user.has_password], [person.id, true, true])
})

test('of fifty parallel proofs of one unproven address one takes effect', async () => {
  const email = 'raced-proof@example.com'
  const id = await selfRegistered(email)
  const { agent, page } = await open('login')
  const code = await agent.submit(page, { email, password: '', method: 'email_code' }, from())
  const { code: digits } = await newestMail(w, environment, email)
  const copies = Array.from({ length: 50 }, () => {
    const copy = createAgent()
    for (const [name, value] of agent.cookies) copy.cookies.set(name, value)
    return copy.submit(code, { code: digits ?? '' })
  })
  assert.equal((await Promise.all(copies)).filter(({ status }) => status === 303).length, 1)
  assert.notEqual((await findUser(email)).id, id)
})

test('the pages of codes and links are in German for a German browser', async () => {
  const user = await w.createUser(environment)
  const agent = createAgent()
  const german = { 'accept-language': 'de', ...from() }
  const page = await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url, german)
  const code = await agent.submit(page, { email: user.email, password: '', method: 'email_code' }, german)
  assert.match(code.body, /Code eingeben/)
  assert.match((await newestMail(w, environment, user.email)).subject, /Anmeldecode/)
  assert.match((await agent.submit(code, { code: '000000' }, german)).body, /Dieser Code gilt nicht/)
})
