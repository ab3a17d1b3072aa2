/** The limits of failed sign-ins: none can be spent for others, and none is passed (contract §4, people.md 16). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { accountOf, sourceOf, takeAttempt } from '../../src/users/attempts.ts'
import { type Agent, authorizationRequest, createAgent, createPerson } from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

/** Behind a proxy that it trusts, so that a header says where an attempt comes from. */
const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
const max_attempts = 3
const lockout = { max_attempts, duration_seconds: 60 }

async function newPlace(slug: string) {
  const place = (await w.createProject(slug)).test
  await w.changeSettings(place, { lockout })
  const client = await w.createApplication(place)
  /** Sends the sign-in form of this browser from this address. */
  async function guesser(agent: Agent = createAgent()) {
    const page = await agent.get(authorizationRequest(place, client, { prompt: 'login' }).url)
    return (from: string, email: string, password = 'wrong') => agent.submit(page, { email, password }, { 'x-forwarded-for': from })
  }
  return { place, client, guesser }
}

const Sum = z.object({ attempts: z.int() })
async function attemptsOf(place: TestEnvironment, account: string, source = '%') {
  const row = await w.deployment.db.maybeOne(
    Sum,
    sql`select cast(coalesce(sum(attempts), 0) as integer) as attempts from sign_in_attempts
         where environment_id = ${place.id} and account = ${account} and source like ${source}`,
  )
  return row?.attempts
}

/** As many failed attempts without their passwords, whose hashes would take long. Returns how many were admitted. */
async function spend(place: TestEnvironment, count: number, from: (i: number) => string, email: (i: number) => string) {
  const verdicts = await inTurns(count, (i) => {
    const attempt = { environment_id: place.id, account: accountOf(email(i)), source: sourceOf(from(i)), device: null, now: w.now() }
    return takeAttempt(w.deployment.db, attempt, lockout)
  })
  return verdicts.filter((verdict) => verdict === null).length
}

const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status)
const countOf = (statuses: readonly number[], status: number) => statuses.filter((each) => each === status).length

test('an attempt that its own source’s limit refuses counts for no other limit', async () => {
  const { place, guesser } = await newPlace('refused')
  const user = await w.createUser(place)
  const guess = await guesser()
  for (let i = 0; i < max_attempts * 10; i++) await guess('198.51.100.1', user.email)
  assert.equal(await attemptsOf(place, accountOf(user.email), 'everywhere'), max_attempts)
  assert.equal(await attemptsOf(place, 'spraying'), max_attempts)
  assert.equal((await guess('198.51.100.2', user.email, user.password)).status, 303, 'the person is not locked out elsewhere')
})

test('an attempt that the limit of the account refuses does not count for its source', async () => {
  const { place, guesser } = await newPlace('account')
  const user = await w.createUser(place)
  const guess = await guesser()
  const everywhere = (i: number) => `198.51.100.${i}`
  assert.equal(await spend(place, max_attempts * 8 + 1, everywhere, () => user.email), max_attempts * 8)
  for (let i = 0; i < 5; i++) assert.equal((await guess('203.0.113.1', user.email)).status, 429)
  assert.equal(await attemptsOf(place, 'spraying', 'ip:203.0.113.1%'), 0)
})

test('a source has 100 failed attempts in 15 minutes, whatever the accounts, and an IPv6 /64 is one source', async () => {
  const { place, guesser } = await newPlace('spraying')
  const other = await newPlace('spraying-elsewhere')
  const user = await w.createUser(place)
  const guess = await guesser()
  const spray = (count: number, of: string) =>
    spend(
      place,
      count,
      (i) => `2001:db8::${i + 1}`,
      (i) => `${of}${i}@example.com`,
    )
  assert.equal(await spray(59, 'first'), 59)
  assert.equal((await guess('2001:db8::aaaa', 'somebody@example.com')).status, 400)
  w.advance(600)
  assert.equal(await spray(45, 'second'), 40)
  const refused = await guess('2001:db8::ffff', user.email, user.password)
  assert.equal(refused.status, 429)
  const wait_seconds = Number(refused.headers.get('retry-after'))
  assert.ok(wait_seconds > 0 && wait_seconds <= 390, `${wait_seconds}`)
  assert.match(refused.body, /from your network/)
  assert.equal(await attemptsOf(place, accountOf(user.email)), 0, 'and it does not count for the account')
  assert.equal((await guess('2001:db8:0:1::1', user.email, user.password)).status, 303, 'another /64')
  assert.equal((await (await other.guesser())('2001:db8::1', 'new@example.com')).status, 400, 'another environment')
  // What is older than 15 minutes no longer counts; what is younger does.
  w.advance(390)
  assert.equal(await spray(70, 'third'), 60)
  w.advance(1_000)
})

test('right passwords do not use up the limit of their source, and do not give back what others used up', async () => {
  const { place, guesser } = await newPlace('office')
  const user = await w.createUser(place)
  const guess = await guesser()
  await spend(
    place,
    98,
    () => '192.0.2.1',
    (i) => `colleague${i}@example.com`,
  )
  for (let i = 0; i < 5; i++) assert.equal((await guess('192.0.2.1', user.email, user.password)).status, 303)
  assert.equal(await attemptsOf(place, 'spraying'), 98)
  assert.equal((await guess('192.0.2.1', 'one@example.com')).status, 400)
  assert.equal((await guess('192.0.2.1', 'two@example.com')).status, 400)
  const stranger = await guesser()
  assert.equal((await stranger('192.0.2.1', user.email, user.password)).status, 429)
})

test('a browser that signed in before gets in from a network whose limit others have spent', async () => {
  const { place, client, guesser } = await newPlace('network')
  const person = await createPerson(w, place)
  await person.code(client)
  const guess = await guesser()
  await spend(
    place,
    100,
    () => '192.0.2.1',
    (i) => `nobody${i}@example.com`,
  )
  assert.equal((await guess('192.0.2.1', person.email, person.password)).status, 429)
  assert.equal((await (await guesser(person.agent))('192.0.2.1', person.email, person.password)).status, 303)
})

test('all sources together have ten times the limit of an account, known browsers among them', async () => {
  const { place, client, guesser } = await newPlace('together')
  const person = await createPerson(w, place)
  const browsers = await inTurns(6, async () => {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(place, client).url)
    expectStatus(303, await agent.submit(page, { email: person.email, password: person.password }))
    return agent
  })
  const strangers = await spend(
    place,
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
  test(`the mark of a browser ends when ${how}`, async () => {
    const { place, client, guesser } = await newPlace(`mark-${password_changes.findIndex(([each]) => each === how)}`)
    const secret = await createAuthKey(w, place, 'auth_secret')
    const person = await createPerson(w, place)
    await person.code(client)
    const password = 'another long sentence'
    const change = { password: person.password, ...body(password) }
    expectStatus(200, await w.call('PATCH', `/v1/auth/users/${person.id}`, { key: secret.key, body: change }))
    const lockOut = () =>
      spend(
        place,
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
    assert.equal((await (await guesser(person.agent))('203.0.113.1', person.email, change.password)).status, 303, 'and begins again')
  })
}

// biome-ignore format: one cookie a line
const strange_marks = [
  'ü'.repeat(49), `${'a'.repeat(16)}.${'é'.repeat(32)}`, `${'é'.repeat(16)}.${'a'.repeat(32)}`, 'ÿ.ÿ', '.', '', '%C3%BC', `${'a'.repeat(16)}.${'a'.repeat(32)}`, 'a'.repeat(4_000), '\u00a0',
]
for (const mark of strange_marks) {
  test(`a device cookie of ${JSON.stringify(mark.slice(0, 20))} is ignored`, async () => {
    const { place, guesser } = strange
    const user = await w.createUser(place)
    const agent = createAgent()
    const guess = await guesser(agent)
    agent.cookies.set(`ostiary_device_${place.id}`, mark)
    assert.equal((await guess('203.0.113.7', user.email)).status, 400)
    assert.equal((await guess('203.0.113.7', user.email, user.password)).status, 303)
  })
  for (const kind of ['session', 'form']) {
    test(`a ${kind} cookie of ${JSON.stringify(mark.slice(0, 20))} is as none`, async () => {
      const { place, client } = strange
      const agent = createAgent()
      agent.cookies.set(`ostiary_${kind}_${place.id}`, mark)
      assert.equal((await agent.get(authorizationRequest(place, client).url)).status, 200)
    })
  }
}
const strange = await newPlace('strange')

test('of fifty parallel guesses of one source no more are checked than its limit, in one batch with the limits of all', async () => {
  const { place, guesser } = await newPlace('fifty')
  const user = await w.createUser(place)
  const guess = await guesser()
  const statuses = statusesOf(await Promise.all(Array.from({ length: 50 }, () => guess('198.51.100.1', user.email))))
  assert.ok(countOf(statuses, 400) <= max_attempts && countOf(statuses, 429) >= 50 - max_attempts, statuses.join())
  assert.ok(((await attemptsOf(place, accountOf(user.email), 'everywhere')) ?? 0) <= max_attempts)
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

test('sign-ups from one source are limited, and no source can use up what others have', async () => {
  const { place, client } = await newPlace('sign-ups')
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(place, client, { prompt: 'create' }).url)
  const signUp = (from: string, email: string) =>
    createAgentFrom(agent).submit(page, { email, name: '', password: 'a memorable sentence' }, { 'x-forwarded-for': from })
  // The limit is reached by what earlier sign-ups left behind: 200 hashes would take long.
  await w.deployment.db.run(
    sql`insert into sign_in_attempts (environment_id, account, source, attempts, expires_at)
        select ${place.id}, 'sign-up', source, 200, ${new Date(w.now().getTime() + 600_000)} from (${slotOfNow('ip:198.51.100.1')}) slot`,
  )
  for (let i = 0; i < 10; i++) {
    const refused = await signUp('198.51.100.1', `new${i}@example.com`)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  assert.equal(await attemptsOf(place, 'sign-up', 'everywhere'), 0)
  assert.equal((await signUp('198.51.100.2', 'welcome@example.com')).status, 303)
  w.advance(601)
  assert.equal((await signUp('198.51.100.1', 'late@example.com')).status, 303)
})

const slotOfNow = (source: string) => sql`select ${`${source}#${Math.floor(w.now().getTime() / 60_000)}`} as source`

/** A browser with the same form cookie and nothing else. */
function createAgentFrom(agent: Agent): Agent {
  const other = createAgent()
  for (const [name, value] of agent.cookies) if (name.includes('_form_')) other.cookies.set(name, value)
  return other
}

/** One after the other, so that the queue for hashes is never full. */
async function inTurns<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let i = 0; i < count; i++) results.push(await work(i))
  return results
}
