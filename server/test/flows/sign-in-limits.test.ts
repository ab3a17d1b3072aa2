/** Limits of failed sign-ins: no limit can be exceeded, and no one can use up the limit of others (decision 0005). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sourceOf } from '../../src/base/source.ts'
import { type Statement, sql } from '../../src/db/db.ts'
import { accountOf, takeAttempt, takeFromSource } from '../../src/domain/users/attempts.ts'
import { type Agent, authorizationRequest, createAgent, createPerson, formOf } from '../support/cookie-browser.ts'
import { withMethods } from '../support/db-methods.ts'
import { inLanes } from '../support/lanes.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { createAuthKey } from '../support/tenants.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

/** Behind a trusted proxy, so that a header sets the source of an attempt. */
const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound, env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
const max_attempts = 3
const lockout = { max_attempts, duration_seconds: 60 }

async function createEnvironment(slug: string) {
  const environment = (await w.createProject(slug)).test
  await w.changeSettings(environment, { lockout, email: { delivery: 'none' } })
  const client = await w.createApplication(environment)
  /** Sends the sign-in form of this browser from this address. */
  async function guesser(agent: Agent = createAgent()) {
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    return (from: string, email: string, password = 'wrong') => agent.submit(page, { email, password }, { 'x-forwarded-for': from })
  }
  return { environment, client, guesser }
}

const Sum = z.object({ attempts: z.int() })
async function attemptsOf(environment: TestEnvironment, account: string, source = '%') {
  const row = await w.deployment.db.maybeOne(
    Sum,
    sql`select cast(coalesce(sum(attempts), 0) as integer) as attempts from sign_in_attempts
         where environment_id = ${environment.id} and account = ${account} and source like ${source}`,
  )
  return row?.attempts
}

/** Counts failed attempts without hashing passwords, which would take long. Returns how many were admitted. */
async function spend(environment: TestEnvironment, count: number, from: (i: number) => string, email: (i: number) => string) {
  const verdicts = await inTurns(count, (i) => {
    const attempt = { environment_id: environment.id, account: accountOf(email(i)), source: sourceOf(from(i)), device: null, now: w.now() }
    return takeAttempt(w.deployment.db, attempt, lockout)
  })
  return verdicts.filter((verdict) => verdict === null).length
}

const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status)
const countOf = (statuses: readonly number[], status: number) => statuses.filter((each) => each === status).length

test('an attempt that the limit of its source refuses counts against no other limit', async () => {
  const { environment, guesser } = await createEnvironment('refused')
  const user = await w.createUser(environment)
  const guess = await guesser()
  for (let i = 0; i < max_attempts * 10; i++) await guess('198.51.100.1', user.email)
  assert.equal(await attemptsOf(environment, accountOf(user.email), 'everywhere'), max_attempts)
  assert.equal(await attemptsOf(environment, 'spraying'), max_attempts)
  assert.equal((await guess('198.51.100.2', user.email, user.password)).status, 303, 'other sources are not locked out')
})

test('an attempt that the limit of the account refuses does not count against its source', async () => {
  const { environment, guesser } = await createEnvironment('account')
  const user = await w.createUser(environment)
  const guess = await guesser()
  const everywhere = (i: number) => `198.51.100.${i}`
  assert.equal(await spend(environment, max_attempts * 8 + 1, everywhere, () => user.email), max_attempts * 8)
  for (let i = 0; i < 5; i++) assert.equal((await guess('203.0.113.1', user.email)).status, 429)
  assert.equal(await attemptsOf(environment, 'spraying', 'ip:203.0.113.1%'), 0)
})

test('a source has 100 failed attempts in 15 minutes over all accounts, and an IPv6 /64 is one source', async () => {
  const { environment, guesser } = await createEnvironment('spraying')
  const other = await createEnvironment('spraying-elsewhere')
  const user = await w.createUser(environment)
  const guess = await guesser()
  const spray = (count: number, of: string) =>
    spend(
      environment,
      count,
      (i) => `2001:db8::${i + 1}`,
      (i) => `${of}${i}@example.com`,
    )
  assert.equal(await spray(59, 'first'), 59)
  assert.equal((await guess('2001:db8::aaaa', 'another@example.com')).status, 400)
  w.advance(600)
  assert.equal(await spray(45, 'second'), 40)
  const refused = await guess('2001:db8::ffff', user.email, user.password)
  assert.equal(refused.status, 429)
  const wait_seconds = Number(refused.headers.get('retry-after'))
  assert.ok(wait_seconds > 0 && wait_seconds <= 390, `${wait_seconds}`)
  assert.match(refused.body, /from your network/)
  assert.equal(await attemptsOf(environment, accountOf(user.email)), 0, 'the attempt does not count against the account')
  assert.equal((await guess('2001:db8:0:1::1', user.email, user.password)).status, 303, 'another /64')
  assert.equal((await (await other.guesser())('2001:db8::1', 'new@example.com')).status, 400, 'another environment')
  // Attempts older than 15 minutes no longer count; younger ones do.
  w.advance(390)
  assert.equal(await spray(70, 'third'), 60)
  w.advance(1_000)
})

test('right passwords neither use up the limit of their source nor reset it', async () => {
  const { environment, guesser } = await createEnvironment('office')
  const user = await w.createUser(environment)
  const guess = await guesser()
  await spend(
    environment,
    98,
    () => '192.0.2.1',
    (i) => `colleague${i}@example.com`,
  )
  for (let i = 0; i < 5; i++) assert.equal((await guess('192.0.2.1', user.email, user.password)).status, 303)
  assert.equal(await attemptsOf(environment, 'spraying'), 98)
  assert.equal((await guess('192.0.2.1', 'one@example.com')).status, 400)
  assert.equal((await guess('192.0.2.1', 'two@example.com')).status, 400)
  const stranger = await guesser()
  assert.equal((await stranger('192.0.2.1', user.email, user.password)).status, 429)
})

test('a browser that signed in before can sign in from a network whose limit is used up', async () => {
  const { environment, client, guesser } = await createEnvironment('network')
  const person = await createPerson(w, environment)
  await person.code(client)
  const guess = await guesser()
  await spend(
    environment,
    100,
    () => '192.0.2.1',
    (i) => `unknown${i}@example.com`,
  )
  assert.equal((await guess('192.0.2.1', person.email, person.password)).status, 429)
  assert.equal((await (await guesser(person.agent))('192.0.2.1', person.email, person.password)).status, 303)
})

test('an account admits ten times its limit from all sources together, including known browsers', async () => {
  const { environment, client, guesser } = await createEnvironment('together')
  const person = await createPerson(w, environment)
  const browsers = await inTurns(6, async () => {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client).url)
    expectStatus(303, await agent.submit(page, { email: person.email, password: person.password }))
    return agent
  })
  const strangers = await spend(
    environment,
    max_attempts * 10,
    (i) => `198.51.100.${i}`,
    () => person.email,
  )
  const known: Reply[] = []
  for (const agent of browsers) {
    const guess_known = await guesser(agent)
    for (let i = 0; i < max_attempts + 1; i++) known.push(await guess_known('203.0.113.1', person.email))
  }
  assert.equal(strangers, max_attempts * 8)
  assert.equal(countOf(statusesOf(known), 400), max_attempts * 2)
})

const password_changes: [how: string, body: (other: string) => object][] = [
  ['the backend sets another password', (other) => ({ password: other })],
  ['the backend sets the same password again', () => ({})],
]
for (const [how, body] of password_changes) {
  test(`the device cookie of a known browser stops working when ${how}`, async () => {
    const { environment, client, guesser } = await createEnvironment(`device-${password_changes.findIndex(([each]) => each === how)}`)
    const secret = await createAuthKey(w, environment, 'auth_secret')
    const person = await createPerson(w, environment)
    await person.code(client)
    const password = 'another long sentence'
    const change = { password: person.password, ...body(password) }
    expectStatus(200, await w.call('PATCH', `/v1/auth/users/${person.id}`, { key: secret.key, body: change }))
    const lockOut = () =>
      spend(
        environment,
        max_attempts * 8,
        (i) => `198.51.100.${i}`,
        () => person.email,
      )
    await lockOut()
    const known = await guesser(person.agent)
    assert.equal((await known('203.0.113.1', person.email, change.password)).status, 429)
    w.advance(lockout.duration_seconds)
    assert.equal((await known('203.0.113.1', person.email, change.password)).status, 303)
    await lockOut()
    assert.equal(
      (await (await guesser(person.agent))('203.0.113.1', person.email, change.password)).status,
      303,
      'a new sign-in makes the browser known again',
    )
  })
}

// biome-ignore format: one cookie a line
const invalid_cookies = [
  'ü'.repeat(49), `${'a'.repeat(16)}.${'é'.repeat(32)}`, `${'é'.repeat(16)}.${'a'.repeat(32)}`, 'ÿ.ÿ', '.', '', '%C3%BC', `${'a'.repeat(16)}.${'a'.repeat(32)}`, 'a'.repeat(4_000), '\u00a0',
]
for (const value of invalid_cookies) {
  test(`a device cookie of ${JSON.stringify(value.slice(0, 20))} is ignored`, async () => {
    const { environment, guesser } = strange
    const user = await w.createUser(environment)
    const agent = createAgent()
    const guess = await guesser(agent)
    agent.cookies.set(`ostiary_device_${environment.id}`, value)
    assert.equal((await guess('203.0.113.7', user.email)).status, 400)
    assert.equal((await guess('203.0.113.7', user.email, user.password)).status, 303)
  })
  for (const kind of ['session', 'form']) {
    test(`a ${kind} cookie of ${JSON.stringify(value.slice(0, 20))} is ignored`, async () => {
      const { environment, client } = strange
      const agent = createAgent()
      agent.cookies.set(`ostiary_${kind}_${environment.id}`, value)
      assert.equal((await agent.get(authorizationRequest(environment, client).url)).status, 200)
    })
  }
}
const strange = await createEnvironment('strange')

const parallel_guesses: [from: string, source: (i: number) => string, checked: number][] = [
  ['one source', () => '198.51.100.1', max_attempts],
  ['a thousand sources', (i) => `203.0.${i >> 8}.${i & 255}`, max_attempts * 8],
]
for (const [i, [from, source, checked]] of parallel_guesses.entries())
  for (const who of ['known', 'unknown'] as const)
    test(`of a thousand parallel wrong passwords for ${who === 'known' ? 'an' : 'no'} account from ${from}, at most ${checked} are checked, and the others are 429`, async () => {
      const { environment, guesser } = await createEnvironment(`thousand-${i}-${who}`)
      const email = who === 'known' ? (await w.createUser(environment)).email : 'nobody@example.com'
      const guess = await guesser()
      const statuses = statusesOf(await inLanes(250, 1_000, (n) => guess(source(n), email)))
      // 503: the hashing queue is full. Such an attempt is not checked and does not count.
      const [wrong = 0, refused = 0, busy = 0] = [400, 429, 503].map((status) => countOf(statuses, status))
      assert.ok(wrong > 0 && wrong <= checked && refused >= 900 && wrong + refused + busy === 1_000, `${wrong}, ${refused}, ${busy}`)
      assert.equal(await attemptsOf(environment, accountOf(email), 'everywhere'), wrong)
    })

// biome-ignore format: this table is read by column
const floods: [what: string, source: (i: number) => string, account: (i: number) => string, device: (i: number) => string | null, admitted: number][] = [
  ['one source at one account',              () => 'ip:192.0.2.1',     () => 'a',       () => null,      10],
  ['a thousand sources at one account',      (i) => `ip:s${i}`,        () => 'b',       () => null,      80],
  ['one source at a thousand accounts',      () => 'ip:192.0.2.2',     (i) => `c${i}`,  () => null,      100],
  ['one known browser at its account',       () => 'ip:192.0.2.3',     () => 'd',       () => 'one',     10],
  ['a thousand known browsers',              () => 'ip:192.0.2.4',     () => 'e',       (i) => `d${i}`,  20],
]
for (const [what, source, account, device, admitted] of floods) {
  test(`of a thousand parallel attempts of ${what}, ${admitted} are admitted`, async () => {
    const now = w.now()
    const verdicts = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => {
        const attempt = { environment_id: w.live.id, account: account(i), source: source(i), device: device(i), now }
        return takeAttempt(w.deployment.db, attempt, { max_attempts: 10, duration_seconds: 900 })
      }),
    )
    assert.equal(verdicts.filter((verdict) => verdict === null).length, admitted)
    for (const verdict of verdicts) assert.ok(verdict === null || (verdict.wait_seconds > 0 && verdict.wait_seconds <= 900))
  })
}

test('sign-ups from one source are limited, and other sources are not affected', async () => {
  const { environment, client } = await createEnvironment('sign-ups')
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
  const signUp = (from: string, email: string) =>
    createAgentFrom(agent).submit(page, { email, name: '', password: 'a memorable sentence' }, { 'x-forwarded-for': from })
  // A row stands for 200 earlier sign-ups, whose hashes would take long.
  await w.deployment.db.run(
    sql`insert into sign_in_attempts (environment_id, account, source, attempts, expires_at)
        select ${environment.id}, 'sign-up', source, 200, ${new Date(w.now().getTime() + 600_000)} from (${slotOfNow('ip:198.51.100.1')}) slot`,
  )
  for (let i = 0; i < 10; i++) {
    const refused = await signUp('198.51.100.1', `new${i}@example.com`)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  assert.equal(await attemptsOf(environment, 'sign-up', 'everywhere'), 0)
  assert.equal((await signUp('198.51.100.2', 'welcome@example.com')).status, 303)
  w.advance(601)
  assert.equal((await signUp('198.51.100.1', 'late@example.com')).status, 303)
})

test('accounts that begin by a code or a provider count for their source', async () => {
  const { environment, client } = await createEnvironment('new-accounts')
  const provider_body = { type: 'google', client_id: 'g', client_secret: 's' }
  const provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body: provider_body }))
  await w.changeSettings(environment, { email: { delivery: 'capture' }, sign_in: { email_code: true } })
  const one = { 'x-forwarded-for': '198.51.100.9' }
  const open = async () => {
    const agent = createAgent()
    return { agent, page: await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url) }
  }
  const byCode = async (email: string) => {
    const { agent, page } = await open()
    const asked = await agent.submit(page, { email, password: '', method: 'email_code' }, one)
    const { code } = await newestMail(w, environment, email)
    return { agent, asked, code: code ?? '', reply: await agent.submit(asked, { code: code ?? '' }, one) }
  }
  const byProvider = async (sub: string) => {
    const { agent, page } = await open()
    const started = await agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider.id })
    const claims = { sub, email: `${sub}@example.com`, email_verified: true }
    const answer = upstreams.agree(started.headers.get('location') ?? '', { claims })
    return agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`, one)
  }
  assert.equal((await byCode('first@example.com')).reply.status, 303)
  assert.equal((await byProvider('second')).status, 303)
  assert.equal(await attemptsOf(environment, 'sign-up', 'ip:198.51.100.9#%'), 2)

  await w.deployment.db.run(
    sql`update sign_in_attempts set attempts = 200
         where environment_id = ${environment.id} and account = 'sign-up' and source like 'ip:198.51.100.9#%'`,
  )
  const late = await byCode('third@example.com')
  for (const refused of [late.reply, await byProvider('fourth')]) {
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  const people = expectStatus(200, await w.call('GET', `${environment.path}/users`)).data as { email: string }[]
  assert.deepEqual(people.map(({ email }) => email).sort(), ['first@example.com', 'second@example.com'])
  assert.equal((await byCode('first@example.com')).reply.status, 303, 'an account that exists')
  assert.equal((await byProvider('second')).status, 303, 'an account that exists')
  w.advance(590) // the code lives for ten minutes
  assert.equal((await late.agent.submit(late.asked, { code: late.code }, { 'x-forwarded-for': '198.51.100.10' })).status, 303)
})

test('a source that used up its mailed codes gets the same answer and no mail, and others get theirs', async () => {
  const { environment, client } = await createEnvironment('mailed-codes')
  await w.changeSettings(environment, { email: { delivery: 'capture' }, sign_in: { email_code: true } })
  const user = await w.createUser(environment)
  const asks = {
    sign_in: async (agent: Agent, from: object, email: string) => {
      const page = await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
      return agent.submit(page, { email, password: '', method: 'email_code' }, { ...from })
    },
    reset: async (agent: Agent, from: object, email: string) => {
      const page = await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
      const link = /href="([^"]*\/forgot-password\?[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
      return agent.submit(await agent.get(link), { email }, { ...from })
    },
  }
  const mails = async (email: string) => (await mailsTo(w, environment, email)).length
  const one = { 'x-forwarded-for': '198.51.100.20' }
  const known = createAgent()
  const asked = await asks.sign_in(known, one, user.email)
  const { code } = await newestMail(w, environment, user.email)
  assert.equal((await known.submit(asked, { code: code ?? '' }, one)).status, 303)
  assert.equal(await attemptsOf(environment, 'mailed-code', 'ip:198.51.100.20#%'), 1)

  await w.deployment.db.run(sql`update sign_in_attempts set attempts = 200
    where environment_id = ${environment.id} and account = 'mailed-code' and source like 'ip:198.51.100.20#%'`)
  for (const [what, ask] of Object.entries(asks)) {
    const [mine, theirs] = [`${what}@example.com`, `${what}-elsewhere@example.com`]
    assert.equal((await ask(createAgent(), one, mine)).status, 200)
    assert.equal((await ask(createAgent(), { 'x-forwarded-for': '198.51.100.21' }, theirs)).status, 200)
    const decoys = what === 'reset' // nobody has the address
    assert.deepEqual([await mails(mine), await mails(theirs)], [0, decoys ? 0 : 1])
  }
  assert.equal(await attemptsOf(environment, 'mailed-code', 'ip:198.51.100.21#%'), 2)
  w.advance(31)
  const before = await mails(user.email)
  await asks.sign_in(known, one, user.email)
  assert.equal(await mails(user.email), before + 1, 'the browser signed in to the account before')
  w.advance(601)
  await asks.sign_in(createAgent(), one, 'later@example.com')
  assert.equal(await mails('later@example.com'), 1)
})

test('a source that began too many sign-ins at a provider waits, and stores nothing', async () => {
  const { environment, client } = await createEnvironment('provider-sign-ins')
  const body = { type: 'google', client_id: 'g', client_secret: 's' }
  const provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
  const begin = async (from: string) => {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
    const headers = { 'x-forwarded-for': from }
    return agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider.id }, headers)
  }
  const stored = async () => {
    const count = sql`select count(*) as attempts from upstream_sign_ins where environment_id = ${environment.id}`
    return (await w.deployment.db.maybeOne(Sum, count))?.attempts
  }
  assert.equal((await begin('198.51.100.30')).status, 303)
  await w.deployment.db.run(sql`update sign_in_attempts set attempts = 2000
    where environment_id = ${environment.id} and account = 'provider' and source like 'ip:198.51.100.30#%'`)
  const refused = await begin('198.51.100.30')
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal(await stored(), 0)
  await w.deployment.counters.write()
  const [{ sign_ins }] = expectStatus(200, await w.call('GET', `${environment.path}/statistics`)).data
  assert.deepEqual(sign_ins, [{ method: 'google', outcome: 'limited', count: 1 }])
  assert.equal((await begin('198.51.100.31')).status, 303)
  w.advance(601)
  assert.equal((await begin('198.51.100.30')).status, 303)
})

const slotOfNow = (source: string) => sql`select ${`${source}#${Math.floor(w.now().getTime() / 60_000)}`} as source`

/** A browser with the same form cookie and nothing else. */
function createAgentFrom(agent: Agent): Agent {
  const other = createAgent()
  for (const [name, value] of agent.cookies) if (name.includes('_form_')) other.cookies.set(name, value)
  return other
}

/** Runs the work one by one, so that the hashing queue is never full. */
async function inTurns<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let i = 0; i < count; i++) results.push(await work(i))
  return results
}

test('a request of a stranger is counted without a wait for the disk', async () => {
  const { test: environment } = await w.createProject('without-disk')
  const attempt = { environment_id: environment.id, account: accountOf('nobody@example.com'), source: '203.0.113.99', now: w.now() }
  const { db } = w.deployment
  const sent: Statement[] = []
  const recording = withMethods(db, ({ batch }) => ({
    batch(statements) {
      sent.push(...statements)
      return batch(statements)
    },
  }))
  for (const device of [null, 'dev_one']) assert.equal(await takeAttempt(recording, { ...attempt, device }, lockout), null)
  assert.equal(await takeFromSource(recording, 'provider_logout', attempt), null)
  assert.ok(sent.length >= 8)
  assert.deepEqual(
    sent.filter(({ without_sync }) => !without_sync),
    [],
  )
})
