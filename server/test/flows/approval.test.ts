/** Accounts that wait for an approval (`sign_up.mode: approval`): who waits, what they can do, and how it ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/db.ts'
import { eraseDue } from '../../src/workers/erase-due.ts'
import { press, stepOf } from '../support/account.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { authorizationRequest, createAgent, followPages, formOf, obtainCode } from '../support/cookie-browser.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { visibleIn } from '../support/visible.ts'
import { expectStatus, owner, type Reply, randomText, type TestEnvironment, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const environment = w.test
const client = await w.createApplication(environment)
const addProvider = async () => {
  const body = { type: 'oidc', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's', link_by_verified_email: true }
  return expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
}
const provider = await addProvider()
const unlimited = { limit: 100_000, window_seconds: 1 }
const keyOf = async ({ path }: TestEnvironment): Promise<string> =>
  expectStatus(201, await w.call('POST', `${path}/auth-keys`, { body: { type: 'auth_secret', rate_limit: unlimited } })).key
const key = await keyOf(environment)
const users = (method: string, path = '', body?: object) => w.call(method, `/v1/auth/users${path}`, { key, ...(body && { body }) })
const approval = { sign_up: { mode: 'approval' }, sign_in: { email_code: true }, lockout: { max_attempts: 100 } }
await w.changeSettings(environment, approval)
const password = 'a sentence to remember'
const newAddress = () => `${randomText().slice(0, 12)}@example.com`.toLowerCase()
const accountOf = async (email: string) => expectStatus(200, await users('GET', `?email=${email}`)).data[0]
const kindsOf = async (email: string) => (await mailsTo(w, environment, email)).map(({ kind }) => kind)
const eventsOf = async (type: string, user_id: string) =>
  expectStatus(200, await w.call('GET', `${environment.path}/events?type=${type}&user_id=${user_id}`)).data
const day_seconds = 86_400
const erase = () => eraseDue(w.deployment, () => false)

/** Each way to sign up. Returns the last page. */
const ways: Record<string, (email: string) => Promise<Reply>> = {
  async 'by password'(email) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
    const asked = await followPages(agent, await agent.submit(page, { email, password }))
    return followPages(agent, await agent.submit(asked, { code: (await newestMail(w, environment, email)).code ?? '' }))
  },
  async 'by a code'(email) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client).url)
    const asked = await followPages(agent, await agent.submit(page, { email, password: '', method: 'email_code' }))
    return followPages(agent, await agent.submit(asked, { code: (await newestMail(w, environment, email)).code ?? '' }))
  },
  'by a provider': (email) => byProvider(email),
  async 'by the link of the mail'(email) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
    await agent.submit(page, { email, password })
    const link = await agent.get((await newestMail(w, environment, email)).link ?? '')
    await agent.submit(link, {})
    return signIn(email)
  },
}

async function byProvider(email: string): Promise<Reply> {
  const agent = createAgent()
  const { hidden } = formOf((await agent.get(authorizationRequest(environment, client).url)).body)
  const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: provider.id })
  const answer = upstreams.agree(started.headers.get('location') ?? '', { claims: { sub: email, email, email_verified: true } })
  return followPages(agent, await agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`))
}

async function signIn(email: string, sent = password): Promise<Reply> {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client).url)
  return followPages(agent, await agent.submit(page, { email, password: sent, method: 'password' }))
}

for (const [way, signUp] of Object.entries(ways))
  test(`a person who signs up ${way} waits, sees the page, and has no session`, async () => {
    const email = newAddress()
    const page = await signUp(email)
    assert.equal(stepOf(page), 'waiting')
    assert.match(page.body, /waits for approval/)
    const user = await accountOf(email)
    assert.equal(user.approval.state, 'waiting')
    assert.equal(user.last_sign_in_at, null)
    assert.deepEqual(expectStatus(200, await users('GET', `/${user.id}/sessions`)).data, [])
    const [asked] = await until('the event', async () => {
      const found = await eventsOf('user.approval_requested', user.id)
      return found.length > 0 && found
    })
    assert.deepEqual([asked.data, asked.actor], [{ sub: user.id }, { type: 'user', id: user.id }])
  })

test('the page has an address, which can be loaded again, and German words', async () => {
  const person = await w.createUser(environment, { waits: true })
  const agent = createAgent()
  const form = await agent.get(authorizationRequest(environment, client, { ui_locales: 'de' }).url)
  const led = await agent.submit(form, { email: person.email, password: person.password, method: 'password' })
  const page = await followPages(agent, led)
  assert.equal(page.status, 403)
  assert.match(page.body, /Ihr Konto wartet auf die Freigabe/)
  const { action } = formOf(form.body)
  assert.ok(action.startsWith(environment.issuer))
})

test('who waits can use no other way in, even where a second factor is required', async () => {
  await w.changeSettings(environment, { mfa: { mode: 'required' } })
  const email = newAddress()
  assert.equal(stepOf((await ways['by password']?.(email)) ?? assert.fail()), 'waiting')
  assert.equal(stepOf(await signIn(email)), 'waiting')
  const account = createAgent()
  const page = await account.get(`${environment.issuer}/account`)
  const after = await followPages(account, await account.submit(page, { email, password, method: 'password' }))
  assert.equal(stepOf(after), 'waiting')
  await w.changeSettings(environment, { mfa: { mode: 'off' } })
})

test('a right password of a person who waits counts as no failed attempt', async () => {
  await w.changeSettings(environment, { lockout: { max_attempts: 3 } })
  const person = await w.createUser(environment, { waits: true })
  for (let i = 0; i < 5; i++) assert.equal(stepOf(await signIn(person.email, person.password)), 'waiting')
  await w.changeSettings(environment, { lockout: { max_attempts: 100 } })
})

test('who is approved gets a mail and signs in', async () => {
  const person = await w.createUser(environment, { waits: true })
  const approved = expectStatus(200, await users('POST', `/${person.id}/approve`))
  assert.equal(approved.approval.state, 'approved')
  assert.equal(approved.approval.at, approved.updated_at)
  assert.deepEqual(await kindsOf(person.email), ['approved'])
  await obtainCode(createAgent(), authorizationRequest(environment, client), person)
  const events = await until('the event', async () => {
    const found = await eventsOf('user.updated', person.id)
    return found.length > 0 && found
  })
  assert.deepEqual(events[0].data, { changed: ['approval'], sub: person.id })
  w.advance(31 * day_seconds)
  await erase()
  expectStatus(200, await users('GET', `/${person.id}`))
})

test('who is refused gets a mail, sees why, and is deleted 30 days after the refusal', async () => {
  const person = await w.createUser(environment, { waits: true })
  w.advance(20 * day_seconds)
  const refused = expectStatus(200, await users('POST', `/${person.id}/refuse`))
  assert.equal(refused.approval.state, 'refused')
  assert.deepEqual(await kindsOf(person.email), ['refused'])
  const page = await signIn(person.email, person.password)
  assert.equal(stepOf(page), 'waiting')
  assert.match(page.body, /was not approved/)
  w.advance(30 * day_seconds - 1)
  await erase()
  expectStatus(200, await users('GET', `/${person.id}`))
  w.advance(1)
  await erase()
  assert.equal((await users('GET', `/${person.id}`)).status, 404)
})

test('an account that nobody decides about is deleted after 30 days, with its event, and the address is free', async () => {
  const person = await w.createUser(environment, { waits: true })
  w.advance(30 * day_seconds - 1)
  await erase()
  expectStatus(200, await users('GET', `/${person.id}`))
  w.advance(1)
  await erase()
  assert.equal((await users('GET', `/${person.id}`)).status, 404)
  const [deleted] = await until('the event', async () => {
    const found = await eventsOf('user.deleted', person.id)
    return found.length > 0 && found
  })
  assert.deepEqual(deleted.actor, { type: 'system', id: null })
  expectStatus(201, await users('POST', '', { email: person.email }))
})

test('one turn erases a bounded number of accounts, and the next turns the rest', async () => {
  const due = new Date(w.now().getTime() - 1)
  const people: { id: string }[] = []
  for (let i = 0; i < 3; i++) people.push(await w.createUser(environment, { password: 'x', waits: true }))
  const [first] = people
  const copies = Array.from(
    { length: 210 },
    (
      _,
      i,
    ) => sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, claims, approval, erase_at, self_registered, created_at, updated_at)
    select environment_id, ${w.deployment.newId('usr')}, ${`copy${i}@example.com`}, ${`copy${i}@example.com`}, 1, 0, '{}', '{}', approval, erase_at, 1, created_at, updated_at
      from users where environment_id = ${environment.id} and id = ${first?.id ?? ''}`,
  )
  await w.deployment.db.batch(copies)
  await w.deployment.db.run(sql`update users set erase_at = ${due} where environment_id = ${environment.id} and email like 'copy%'`)
  const left = async () =>
    expectStatus(200, await users('GET', '?approval=waiting&limit=100')).data.filter(({ email }: { email: string }) =>
      email.startsWith('copy'),
    ).length
  await erase()
  assert.equal(await left(), 10)
  await erase()
  assert.equal(await left(), 0)
})

// biome-ignore format: this table is read by column
const not_waiting: [who: string, make: () => Promise<{ id: string }>][] = [
  ['an account of a backend',  async () => expectStatus(201, await users('POST', '', { email: newAddress() }))],
  ['an account that never waited', () => w.createUser(environment)],
  ['an approved account',      async () => expectStatus(200, await users('POST', `/${(await w.createUser(environment, { waits: true })).id}/approve`))],
  ['a refused account',        async () => expectStatus(200, await users('POST', `/${(await w.createUser(environment, { waits: true })).id}/refuse`))],
]
for (const [who, make] of not_waiting)
  test(`${who} is neither approved nor refused`, async () => {
    const { id } = await make()
    const before = expectStatus(200, await users('GET', `/${id}`))
    for (const decision of ['approve', 'refuse']) {
      const { status, body } = await users('POST', `/${id}/${decision}`)
      assert.deepEqual([status, body.code], [409, 'not_waiting'])
    }
    assert.deepEqual(expectStatus(200, await users('GET', `/${id}`)), before)
  })

test('of decisions at once one counts', async () => {
  const person = await w.createUser(environment, { waits: true })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => users('POST', `/${person.id}/${i % 2 === 0 ? 'approve' : 'refuse'}`)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 409)])
  assert.equal((await kindsOf(person.email)).length, 1)
})

test('an administrator decides in Live with a fresh sign-in', async () => {
  const person = await w.createUser(w.live, { waits: true })
  const call = asAdministrator(w, await administratorToken(w, owner))
  const headers = { 'x-environment-id': w.live.id }
  w.advance(601)
  for (const decision of ['approve', 'refuse'])
    assert.equal((await call('POST', `/v1/auth/users/${person.id}/${decision}`, undefined, headers)).body.code, 'reauthentication_required')
  const fresh = asAdministrator(w, await administratorToken(w, owner))
  expectStatus(200, await fresh('POST', `/v1/auth/users/${person.id}/approve`, undefined, headers))
})

test('people who wait are listed by their state', async () => {
  const { test: other } = await w.createProject('listed')
  const secret = await keyOf(other)
  const made: string[] = []
  for (let i = 0; i < 5; i++) made.push((await w.createUser(other, { waits: i < 3 })).id)
  const listed = async (query: string) =>
    expectStatus(200, await w.call('GET', `/v1/auth/users?${query}`, { key: secret })).data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await listed('approval=waiting'), made.slice(0, 3).reverse())
  expectStatus(200, await w.call('POST', `/v1/auth/users/${made[0]}/approve`, { key: secret }))
  expectStatus(200, await w.call('POST', `/v1/auth/users/${made[1]}/refuse`, { key: secret }))
  assert.deepEqual(await listed('approval=waiting'), [made[2]])
  assert.deepEqual(await listed('approval=approved'), [made[0]])
  assert.deepEqual(await listed('approval=refused&query=ada'), [made[1]])
  assert.deepEqual(await listed('approval=waiting&query=ada'), [made[2]])
  assert.equal((await w.call('GET', '/v1/auth/users?approval=other', { key: secret })).status, 422)
})

// biome-ignore format: this table is read by column
const settings: [what: string, change: object, status: number][] = [
  ['approvals without mail',            { sign_up: { mode: 'approval' }, email: { delivery: 'none' }, sign_in: { email_code: false } }, 422],
  ['mail switched off with approvals',  { email: { delivery: 'none' }, sign_in: { email_code: false } },                                422],
  ['an unknown mode',                   { sign_up: { mode: 'other' } },                                                                 422],
  ['approvals with mail',               { sign_up: { mode: 'approval' } },                                                              200],
]
for (const [what, change, status] of settings)
  test(`${what}: ${status}`, async () =>
    assert.equal((await w.call('PATCH', `${environment.path}/settings`, { body: change })).status, status))

test('another mode approves nobody who waits', async () => {
  const person = await w.createUser(environment, { waits: true })
  await w.changeSettings(environment, { sign_up: { mode: 'open' } })
  assert.equal(stepOf(await signIn(person.email, person.password)), 'waiting')
  await w.changeSettings(environment, approval)
})

test('an account of a backend and of an invitation never waits', async () => {
  const made = expectStatus(201, await users('POST', '', { email: newAddress(), password }))
  assert.equal(made.approval, null)
  const organization = expectStatus(201, await w.call('POST', '/v1/auth/organizations', { key, body: { name: 'Acme' } }))
  const email = newAddress()
  expectStatus(201, await w.call('POST', `/v1/auth/organizations/${organization.id}/invitations`, { key, body: { email, roles: [] } }))
  const agent = createAgent()
  const page = await followPages(agent, await agent.get((await newestMail(w, environment, email)).link ?? ''))
  const asked = await followPages(agent, await press(agent, page, 'accept-invitation'))
  await agent.submit(asked, { code: (await newestMail(w, environment, email)).code ?? '' })
  assert.equal((await accountOf(email)).approval, null)
})

test('who proves the address of an account that nobody proved gets a new account, which waits', async () => {
  const email = newAddress()
  const old = await w.createUser(environment, { email, email_verified: false, self_registered: true })
  const page = (await ways['by password']?.(email)) ?? assert.fail()
  assert.equal(stepOf(page), 'waiting')
  const user = await accountOf(email)
  assert.notEqual(user.id, old.id)
  assert.equal(user.approval.state, 'waiting')
})

/** The forms that a stranger can send, without a factor of the account. */
const forms: Record<string, (email: string) => Promise<Reply>> = {
  'a wrong password': (email) => signIn(email, 'a wrong but long sentence'),
  async 'a code'(email) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client).url)
    return followPages(agent, await agent.submit(page, { email, password: '', method: 'email_code' }))
  },
  async 'a wrong code'(email) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client).url)
    const asked = await followPages(agent, await agent.submit(page, { email, password: '', method: 'email_code' }))
    return followPages(agent, await agent.submit(asked, { code: '000000' }))
  },
  async 'a reset'(email) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client).url)
    const [, href = ''] = /href="([^"]*\/forgot-password\?[^"]*)"/.exec(page.body) ?? []
    return followPages(agent, await agent.submit(await agent.get(href.replaceAll('&amp;', '&')), { email }))
  },
  async 'a sign-up'(email) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
    return followPages(agent, await agent.submit(page, { email, password }))
  },
}
for (const [form, send] of Object.entries(forms))
  test(`${form} shows a stranger the same bytes for a waiting, a refused and an approved account and for none`, async () => {
    const waiting = await w.createUser(environment, { waits: true })
    const refused = await w.createUser(environment, { waits: true })
    expectStatus(200, await users('POST', `/${refused.id}/refuse`))
    const ordinary = await w.createUser(environment)
    const shown: unknown[] = []
    for (const email of [ordinary.email, waiting.email, refused.email, newAddress()]) shown.push(visibleIn(await send(email), email))
    for (const each of shown) assert.deepEqual(each, shown[0])
  })
