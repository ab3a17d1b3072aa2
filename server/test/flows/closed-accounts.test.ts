/** A deletion that can be undone (`users.deletion_grace_days`): what ends, who restores it, and when it is erased. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseDue } from '../../src/workers/erase-due.ts'
import { openAccount, press, stepOf } from '../support/account.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { appCode, enrolPerson } from '../support/authenticator-app.ts'
import {
  type Agent,
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  followPages,
  formOf,
  obtainCode,
  refresh,
  userinfo,
} from '../support/cookie-browser.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { visibleIn } from '../support/visible.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const environment = w.test
const client = await w.createApplication(environment)
const unlimited = { limit: 100_000, window_seconds: 1 }
const key = expectStatus(
  201,
  await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret', rate_limit: unlimited } }),
).key
const users = (method: string, path = '', body?: object) => w.call(method, `/v1/auth/users${path}`, { key, ...(body && { body }) })
const days = 14
const day_seconds = 86_400
await w.changeSettings(environment, { users: { deletion_grace_days: days }, sign_in: { email_code: true }, lockout: { max_attempts: 100 } })
const kindsOf = async (email: string) => (await mailsTo(w, environment, email)).map(({ kind }) => kind)
const eventOf = (type: string, user_id: string) =>
  until(`the event ${type}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=${type}&user_id=${user_id}`))
    return data[0]
  })
const erase = () => eraseDue(w.deployment, () => false)
const recordOf = async ({ id }: { id: string }) => expectStatus(200, await users('GET', `/${id}`))

/** A person whose account is closed by the backend. */
async function closedPerson() {
  const person = await w.createUser(environment)
  assert.equal((await users('DELETE', `/${person.id}`)).status, 204)
  return person
}

async function signIn(agent: Agent, { email, password }: { email: string; password: string }): Promise<Reply> {
  const page = await agent.get(authorizationRequest(environment, client).url)
  return followPages(agent, await agent.submit(page, { email, password, method: 'password' }))
}

test('a deletion closes the account: sessions and tokens end with the answer, the address stays taken, and a mail says the way back', async () => {
  const person = await createPerson(w, environment)
  const tokens = await person.tokens(client)
  assert.equal((await users('DELETE', `/${person.id}`)).status, 204)
  assert.equal((await userinfo(w, environment, tokens.access_token)).status, 401)
  assert.equal((await refresh(w, environment, client, tokens.refresh_token)).status, 400)
  assert.equal(stepOf(await followPages(person.agent, await person.agent.get(`${environment.issuer}/account`))), 'sign-in')
  const record = await recordOf(person)
  const until_then_ms = Date.parse(record.deletes_at) - w.now().getTime()
  assert.ok(Math.abs(until_then_ms - days * day_seconds * 1000) < 60_000)
  assert.equal((await users('POST', '', { email: person.email })).body.code, 'identifier_taken')
  assert.deepEqual(await kindsOf(person.email), ['account_closed'])
  const closed = await eventOf('user.closed', person.id)
  assert.deepEqual(closed.data, { deletes_at: record.deletes_at, sub: person.id })
})

test('a second deletion is 204 and changes nothing, whatever the setting is meanwhile', async () => {
  const person = await closedPerson()
  const before = await recordOf(person)
  w.advance(day_seconds)
  for (const deletion_grace_days of [30, 0, days]) {
    await w.changeSettings(environment, { users: { deletion_grace_days } })
    assert.equal((await users('DELETE', `/${person.id}`)).status, 204)
  }
  assert.deepEqual(await recordOf(person), before)
  assert.deepEqual(await kindsOf(person.email), ['account_closed'])
})

// biome-ignore format: this table is read by column
const deletions: [what: string, days: number, is_closed: boolean, query: string, status: number][] = [
  ['without days',                     0,  false, '',              404],
  ['without days, not to erase',       0,  false, '?erase=false',  404],
  ['with days',                        14, false, '',              200],
  ['with days, not to erase',          14, false, '?erase=false',  200],
  ['to erase',                         14, false, '?erase=true',   404],
  ['of a closed account',              14, true,  '',              200],
  ['of a closed account, to erase',    14, true,  '?erase=true',   404],
]
for (const [what, deletion_grace_days, is_closed, query, status] of deletions)
  test(`a deletion ${what} leaves ${status === 404 ? 'nothing' : 'a closed account'}`, async () => {
    await w.changeSettings(environment, { users: { deletion_grace_days } })
    const { id } = is_closed ? await closedPerson() : await w.createUser(environment)
    assert.equal((await users('DELETE', `/${id}${query}`)).status, 204)
    assert.equal((await users('GET', `/${id}`)).status, status)
    if (status === 404) await eventOf('user.deleted', id)
    await w.changeSettings(environment, { users: { deletion_grace_days: days } })
  })

test('another value of erase is refused', async () => {
  const { id } = await w.createUser(environment)
  assert.equal((await users('DELETE', `/${id}?erase=yes`)).status, 422)
  assert.equal((await recordOf({ id })).deletes_at, null)
})

test('the account is erased on its day, by the service, and the address is free then', async () => {
  const person = await closedPerson()
  w.advance(days * day_seconds - 1)
  await erase()
  await recordOf(person)
  w.advance(1)
  await erase()
  assert.equal((await users('GET', `/${person.id}`)).status, 404)
  const deleted = await eventOf('user.deleted', person.id)
  assert.deepEqual(deleted.actor, { type: 'system', id: null })
  expectStatus(201, await users('POST', '', { email: person.email }))
})

test('a backend restores the account: it signs in again, and nothing that ended comes back', async () => {
  const person = await createPerson(w, environment)
  const tokens = await person.tokens(client)
  await users('DELETE', `/${person.id}`)
  const restored = expectStatus(200, await users('POST', `/${person.id}/restore`))
  assert.equal(restored.deletes_at, null)
  assert.deepEqual((await kindsOf(person.email)).sort(), ['account_closed', 'account_restored'])
  await eventOf('user.restored', person.id)
  assert.equal((await userinfo(w, environment, tokens.access_token)).status, 401)
  await obtainCode(createAgent(), authorizationRequest(environment, client), person)
  w.advance((days + 1) * day_seconds)
  await erase()
  await recordOf(person)
})

test('an account whose day has come is not restored, and the answer says so', async () => {
  const person = await closedPerson()
  w.advance(days * day_seconds + 1)
  const { deletes_at } = await recordOf(person)
  assert.equal((await users('POST', `/${person.id}/restore`)).status, 404)
  assert.equal((await recordOf(person)).deletes_at, deletes_at)
})

test('to restore an account that is not closed changes nothing', async () => {
  const person = await w.createUser(environment)
  const before = await recordOf(person)
  assert.deepEqual(expectStatus(200, await users('POST', `/${person.id}/restore`)), before)
  assert.deepEqual(await kindsOf(person.email), [])
})

test('a person restores the account by signing in and a press', async () => {
  const person = await closedPerson()
  const agent = createAgent()
  const request = authorizationRequest(environment, client)
  const page = await agent.get(request.url)
  const asked = await followPages(agent, await agent.submit(page, { email: person.email, password: person.password, method: 'password' }))
  assert.match(asked.body, /<h1>Restore your account\?<\/h1>/)
  assert.equal((await agent.get(`${environment.issuer}/account`)).body.includes('data-step="sign-in"'), true, 'there is no session yet')
  assert.notEqual((await recordOf(person)).deletes_at, null, 'the page alone restores nothing')
  const pressed = await press(agent, asked, 'confirm')
  let last = pressed
  for (let steps = 0; steps < 5 && (last.headers.get('location') ?? '').startsWith(environment.issuer); steps++)
    last = await agent.get(last.headers.get('location') ?? '')
  const code = new URL(last.headers.get('location') ?? '').searchParams.get('code') ?? ''
  expectStatus(200, await exchange(w, environment, client, { request, code }))
  assert.equal((await recordOf(person)).deletes_at, null)
  assert.deepEqual((await eventOf('user.restored', person.id)).actor, { type: 'user', id: person.id })
  assert.deepEqual((await kindsOf(person.email)).sort(), ['account_closed', 'account_restored'])
})

// biome-ignore format: this table is read by column
const other_ways: [way: string, begin: (agent: Agent, person: { email: string; password: string }) => Promise<Reply>][] = [
  ['an emailed code', async (agent, { email }) => {
    const page = await agent.get(authorizationRequest(environment, client).url)
    const asked = await followPages(agent, await agent.submit(page, { email, password: '', method: 'email_code' }))
    return followPages(agent, await agent.submit(asked, { code: (await newestMail(w, environment, email)).code ?? '' }))
  }],
  ['the account page', async (agent, person) => (await openAccount(environment, person, agent)).page],
]
for (const [way, begin] of other_ways)
  test(`a person who comes by ${way} is asked too`, async () => {
    const person = await closedPerson()
    const agent = createAgent()
    const asked = await begin(agent, person)
    assert.match(asked.body, /<h1>Restore your account\?<\/h1>/)
    assert.equal((await press(agent, asked, 'confirm')).status, 303)
    assert.equal((await recordOf(person)).deletes_at, null)
  })

test('every factor comes before the question', async () => {
  const { test: guarded } = await w.createProject('guarded')
  await w.changeSettings(guarded, { mfa: { mode: 'required' }, email: { delivery: 'none' }, users: { deletion_grace_days: days } })
  const app = await w.createApplication(guarded)
  const person = await enrolPerson(w, guarded, app)
  const secret = expectStatus(201, await w.call('POST', `${guarded.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  assert.equal((await w.call('DELETE', `/v1/auth/users/${person.id}`, { key: secret })).status, 204)
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(guarded, app).url)
  const second = await followPages(agent, await agent.submit(page, { email: person.email, password: person.password, method: 'password' }))
  assert.equal(stepOf(second), 'second-factor')
  w.advance(60)
  const asked = await followPages(agent, await agent.submit(second, { code: appCode(person.secret, w.now()) }))
  assert.match(asked.body, /<h1>Restore your account\?<\/h1>/)
  assert.equal((await press(agent, asked, 'confirm')).status, 303)
  assert.equal(expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}`, { key: secret })).deletes_at, null)
})

// biome-ignore format: this table is read by column
const lost: [what: string, meanwhile: (person: { id: string }) => Promise<unknown>, is_there: boolean][] = [
  ['the account was erased',              async ({ id }) => users('DELETE', `/${id}?erase=true`),                false],
  ['the account was restored',            async ({ id }) => users('POST', `/${id}/restore`),                     true],
  ['the account was blocked',             async ({ id }) => users('POST', `/${id}/block`),                       true],
  ['the password was changed',            async ({ id }) => users('PATCH', `/${id}`, { password: 'another long password' }), true],
  ['ten minutes passed',                  async () => w.advance(601),                                            true],
]
for (const [what, meanwhile, is_there] of lost)
  test(`a press does nothing after ${what}`, async () => {
    const person = await closedPerson()
    const agent = createAgent()
    const asked = await signIn(agent, person)
    await meanwhile(person)
    const before = await users('GET', `/${person.id}`)
    const after = await followPages(agent, await press(agent, asked, 'confirm'))
    assert.notEqual(stepOf(after), undefined)
    assert.equal(before.status, is_there ? 200 : 404)
    assert.deepEqual((await users('GET', `/${person.id}`)).body.deletes_at, before.body.deletes_at)
    assert.deepEqual(is_there ? expectStatus(200, await users('GET', `/${person.id}/sessions`)).data : [], [])
  })

test('another browser, a form without its token, and a form without the decision restore nothing', async () => {
  const person = await closedPerson()
  const agent = createAgent()
  const asked = await signIn(agent, person)
  const { action, hidden } = formOf(asked.body)
  await createAgent().post(action, { ...hidden, decision: 'restore' })
  await agent.post(action, { ...hidden, csrf: 'other', decision: 'restore' })
  const { decision: _, ...undecided } = hidden
  await agent.post(action, undecided)
  assert.notEqual((await recordOf(person)).deletes_at, null)
})

test('of several presses one restores', async () => {
  const person = await closedPerson()
  const agent = createAgent()
  const { action, hidden } = formOf((await signIn(agent, person)).body)
  await Promise.all(Array.from({ length: 5 }, () => agent.post(action, { ...hidden, decision: 'restore' })))
  assert.equal((await recordOf(person)).deletes_at, null)
  await eventOf('user.restored', person.id)
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=user.restored&user_id=${person.id}`))
  assert.equal(data.length, 1)
})

test('a person who deletes the account reads the day, before and after', async () => {
  const person = await w.createUser(environment)
  const { agent, page } = await openAccount(environment, person)
  assert.match(page.body, /You can undo it for 14 days/)
  const form = await agent.get(`${environment.issuer}/account?action=delete-account`)
  assert.match(form.body, /is deleted on <time datetime="[^"]+">/)
  const done = await press(agent, form, 'delete-account', { email: person.email })
  assert.match(done.body, /<h1>Your account is closed<\/h1>.*<time datetime=/s)
  assert.deepEqual(await kindsOf(person.email), ['account_closed'])
  assert.deepEqual((await eventOf('user.closed', person.id)).actor, { type: 'user', id: person.id })
  assert.notEqual((await recordOf(person)).deletes_at, null)
})

test('what a backend changes on a closed account is not mailed', async () => {
  const person = await closedPerson()
  expectStatus(200, await users('PATCH', `/${person.id}`, { password: 'another long password' }))
  await users('POST', `/${person.id}/send-verification`)
  assert.deepEqual(await kindsOf(person.email), ['account_closed'])
})

test('a decision about a closed account that waits is not mailed', async () => {
  for (const decision of ['approve', 'refuse']) {
    const person = await w.createUser(environment, { waits: true })
    assert.equal((await users('DELETE', `/${person.id}`)).status, 204)
    expectStatus(200, await users('POST', `/${person.id}/${decision}`))
    assert.deepEqual(await kindsOf(person.email), ['account_closed'])
  }
})

test('an administrator deletes and restores in Live with a fresh sign-in', async () => {
  await w.changeSettings(w.live, { users: { deletion_grace_days: days } })
  const person = await w.createUser(w.live)
  const headers = { 'x-environment-id': w.live.id }
  const stale = asAdministrator(w, await administratorToken(w, owner))
  w.advance(601)
  assert.equal((await stale('DELETE', `/v1/auth/users/${person.id}`, undefined, headers)).body.code, 'reauthentication_required')
  assert.equal((await stale('POST', `/v1/auth/users/${person.id}/restore`, undefined, headers)).body.code, 'reauthentication_required')
  const fresh = asAdministrator(w, await administratorToken(w, owner))
  assert.equal((await fresh('DELETE', `/v1/auth/users/${person.id}`, undefined, headers)).status, 204)
  expectStatus(200, await fresh('POST', `/v1/auth/users/${person.id}/restore`, undefined, headers))
})

for (const [what, deletion_grace_days, status] of [
  ['no day', 0, 200],
  ['30 days', 30, 200],
  ['31 days', 31, 422],
  ['a part of a day', 0.5, 422],
  ['fewer than none', -1, 422],
] as const)
  test(`the setting ${what}: ${status}`, async () => {
    assert.equal((await w.call('PATCH', `${w.live.path}/settings`, { body: { users: { deletion_grace_days } } })).status, status)
  })

test('a wrong password shows a stranger the same bytes for a closed account and an open one', async () => {
  const [closed, open] = [await closedPerson(), await w.createUser(environment)]
  const shown: unknown[] = []
  for (const { email } of [closed, open])
    shown.push(visibleIn(await signIn(createAgent(), { email, password: 'a wrong but long sentence' }), email))
  assert.deepEqual(shown[1], shown[0])
})
