/**
 * Passwords that wait for a core (decision 0069): a flood of one source keeps nobody else out, and who gets no turn gets the form again
 * with 503, or a problem. Nothing was checked, stored or counted then.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { accountOf } from '../../src/domain/users/attempts.ts'
import { openAccount, press, problemOf, stepOf } from '../support/account.ts'
import { type Agent, authorizationRequest, createAgent } from '../support/cookie-browser.ts'
import { createHeldPasswords } from '../support/held-passwords.ts'
import { newestMail } from '../support/mailed.ts'
import { until } from '../support/receiver.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const held = createHeldPasswords()
const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' }, passwords: held.passwords })
const client = await w.createApplication(w.test)
const password = 'a memorable sentence'
const from = (ip: string) => ({ 'x-forwarded-for': ip })

const open = async (change: Record<string, string> = {}, agent: Agent = createAgent()) => ({
  agent,
  page: await agent.get(authorizationRequest(w.test, client, change).url),
})

/** A page with 503 that a browser without scripts can send again. */
function assertBusy(reply: Reply, step: string): void {
  assert.equal(reply.status, 503)
  assert.ok(Number(reply.headers.get('retry-after')) > 0)
  assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
  assert.equal(stepOf(reply), step)
  assert.match(problemOf(reply) ?? '', /neither checked nor saved/)
}

const shownIn = (page: Reply, field: string) => new RegExp(`<input id="${field}"[^>]* value="([^"]*)"`).exec(page.body)?.[1]

const Claim = z.object({ form_hash: z.string() })
const Sum = z.object({ attempts: z.int() })
const attempts = async ({ id }: Pick<TestEnvironment, 'id'>, account: string) =>
  (
    await w.deployment.db.maybeOne(
      Sum,
      sql`select cast(coalesce(sum(attempts), 0) as integer) as attempts from sign_in_attempts where environment_id = ${id} and account = ${account}`,
    )
  )?.attempts

test('a sign-in without a turn gets its form again with the address, in its language, and the form works afterwards', async () => {
  const person = await w.createUser(w.test)
  const { agent, page } = await open()
  const busy = await held.whileFull(() => agent.submit(page, person))
  assertBusy(busy, 'sign-in')
  assert.equal(shownIn(busy, 'email'), person.email)
  assert.equal(shownIn(busy, 'password'), undefined)
  const german = await open({ ui_locales: 'de' })
  const besetzt = await held.whileFull(() => german.agent.submit(german.page, person))
  assert.match(problemOf(besetzt) ?? '', /weder geprüft noch gespeichert/)
  assert.equal((await agent.submit(busy, { email: person.email, password: person.password })).status, 303)
})

test('an attempt that was not checked counts against no limit, and clears no earlier one', async () => {
  await w.changeSettings(w.test, { lockout: { max_attempts: 5 } })
  const { email } = await w.createUser(w.test)
  const { agent, page } = await open()
  const guess = () => agent.submit(page, { email, password: 'wrong' }, from('192.0.2.77'))
  for (let i = 0; i < 4; i++) assert.equal((await guess()).status, 400)
  const [account, spraying] = [await attempts(w.test, accountOf(email)), await attempts(w.test, 'spraying')]
  assert.equal((await held.whileFull(guess)).status, 503)
  assert.deepEqual([await attempts(w.test, accountOf(email)), await attempts(w.test, 'spraying')], [account, spraying])
  assert.deepEqual([(await guess()).status, (await guess()).status], [400, 429])
})

test('a sign-up without a turn keeps the address and the name, creates nothing and does not count', async () => {
  await w.changeSettings(w.live, { email: { delivery: 'none' } })
  const live_client = await w.createApplication(w.live)
  for (const [environment, application] of [
    [w.test, client],
    [w.live, live_client],
  ] as const) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, application, { prompt: 'create' }).url)
    const form = { email: 'new-person@example.com', name: 'New Person', password }
    const busy = await held.whileFull(() => agent.submit(page, form))
    assertBusy(busy, 'sign-up')
    assert.deepEqual([shownIn(busy, 'email'), shownIn(busy, 'name')], [form.email, form.name])
    assert.equal(await attempts(environment, 'sign-up'), 0)
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/users?email=${form.email}`))
    assert.deepEqual(data, [])
    const again = await agent.submit(busy, form)
    assert.ok(again.status === 303 || stepOf(again) === 'code', `${again.status} ${stepOf(again)}`)
  }
})

test('a new password without a turn, on the account page and behind the link of a reset, is not stored', async () => {
  const person = await w.createUser(w.test)
  const { agent } = await openAccount(w.test, person)
  const page = await agent.get(`${w.test.issuer}/account?action=change-password`)
  const busy = await held.whileFull(() => press(agent, page, 'change-password', { password }))
  assertBusy(busy, 'account')
  assert.equal(shownIn(busy, 'email'), person.email)

  const secret = await createAuthKey(w, w.test, 'auth_secret')
  expectStatus(202, await w.call('POST', `/v1/auth/users/${person.id}/send-reset`, { key: secret.key }))
  const other = createAgent()
  const link = await other.get((await newestMail(w, w.test, person.email)).link ?? '')
  const form = await other.submit(link, {})
  const busy_reset = await held.whileFull(() => other.submit(form, { password }))
  assertBusy(busy_reset, 'new-password')
  const signed_in = await open()
  assert.equal((await signed_in.agent.submit(signed_in.page, person)).status, 303, 'the old password works')
  assert.equal((await other.submit(busy_reset, { password })).status, 200)
  const later = await open()
  assert.equal((await later.agent.submit(later.page, { email: person.email, password })).status, 303)
})

test('a call of a backend without a turn is 503 unavailable and stores nothing', async () => {
  const { key } = await createAuthKey(w, w.live, 'auth_secret')
  const create = (email: string) => w.call('POST', '/v1/auth/users', { key, body: { email, password } })
  const user = expectStatus(201, await create('before@example.com'))
  const change = () => w.call('PATCH', `/v1/auth/users/${user.id}`, { key, body: { password: 'another long sentence' } })
  for (const call of [() => create('busy@example.com'), change]) {
    const { status, body, headers } = await held.whileFull(call)
    assert.deepEqual([status, body.code], [503, 'unavailable'])
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
  const { data } = expectStatus(200, await w.call('GET', `${w.live.path}/users?email=busy@example.com`))
  assert.deepEqual(data, [])
  assert.equal(expectStatus(200, await w.call('GET', `${w.live.path}/users/${user.id}`)).version, user.version)
})

interface Crowd {
  /** Sends a sign-in of the crowd, or of the one beside it. */
  ask: (i: number) => Promise<Reply>
  beside: () => Promise<Reply>
}

/** A browser with a sign-in page at an environment. */
async function visitor(environment = w.test, application = client) {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, application).url)
  return (email: string, ip: string) => agent.submit(page, { email, password: 'wrong' }, from(ip))
}

const crowd_size = 20
const crowds: [who: string, crowd: () => Promise<Crowd>][] = [
  [
    'another source',
    async () => {
      const [guess, other] = [await visitor(), await visitor()]
      return { ask: (i) => guess(`a${i}@example.com`, '192.0.2.1'), beside: () => other('b@example.com', '192.0.2.2') }
    },
  ],
  [
    'another network than that of many sources',
    async () => {
      const [guess, other] = [await visitor(), await visitor()]
      return { ask: (i) => guess(`c${i}@example.com`, `192.0.2.${i}`), beside: () => other('d@example.com', '192.0.3.1') }
    },
  ],
  [
    'another IPv6 network of 48 bits than that of many subscribers',
    async () => {
      const [guess, other] = [await visitor(), await visitor()]
      return { ask: (i) => guess(`e${i}@example.com`, `2001:db8:1:${i}::1`), beside: () => other('f@example.com', '2001:db8:2::1') }
    },
  ],
  [
    'another environment than that of many networks',
    async () => {
      const live_client = await w.createApplication(w.live)
      const [guess, other] = [await visitor(), await visitor(w.live, live_client)]
      return { ask: (i) => guess(`g${i}@example.com`, `203.0.${i}.1`), beside: () => other('h@example.com', '203.0.1.1') }
    },
  ],
  [
    'a browser with a mark of the account, of the same source',
    async () => {
      const person = await w.createUser(w.test)
      const { agent, page } = await open()
      assert.equal((await agent.submit(page, person)).status, 303)
      const form = await agent.get(authorizationRequest(w.test, client, { prompt: 'login' }).url)
      const guess = await visitor()
      return {
        ask: (i) => guess(`i${i}@example.com`, '192.0.2.9'),
        beside: () => agent.submit(form, { email: person.email, password: 'wrong' }, from('192.0.2.9')),
      }
    },
  ],
  [
    'another key',
    async () => {
      const [one, other] = [await createAuthKey(w, w.live, 'auth_secret'), await createAuthKey(w, w.live, 'auth_secret')]
      const create = (key: string, email: string) => w.call('POST', '/v1/auth/users', { key, body: { email, password } })
      return { ask: (i) => create(one.key, `j${i}@example.com`), beside: () => create(other.key, 'k@example.com') }
    },
  ],
]
for (const [who, makeCrowd] of crowds)
  test(`the hash for ${who} comes right after the one that runs, however many wait`, async () => {
    const { ask, beside } = await makeCrowd()
    held.hold()
    const asked = []
    for (let i = 0; i < crowd_size; i++) {
      asked.push(ask(i))
      await held.untilWaiting(i) // one after the other, so that the first of the crowd has the next turn
    }
    const answered = beside()
    await held.untilWaiting(crowd_size)
    // After the one that runs, its own has ended too.
    for (const left of [crowd_size - 1, crowd_size - 2]) {
      held.releaseOne()
      await held.untilWaiting(left)
    }
    const { status } = await answered
    assert.ok([400, 201].includes(status), String(status))
    held.release()
    for (const { status } of await Promise.all(asked)) assert.ok([400, 201].includes(status), String(status))
  })

test('a sign-in whose client disconnects while it waits is not checked, and counts against no limit', async () => {
  const email = 'gone@example.com'
  const { agent, page } = await open()
  const disconnect = new AbortController()
  held.hold()
  const runs = agent.submit(page, { email: 'runs@example.com', password: 'wrong' })
  await held.untilWaiting(0)
  const waits = agent.submit(page, { email, password: 'wrong' }, {}, disconnect.signal).catch(() => null)
  await held.untilWaiting(1)
  disconnect.abort()
  assert.equal(await waits, null)
  await held.untilWaiting(0)
  held.release()
  assert.equal((await runs).status, 400)
  assert.equal(held.passwords.load().running, 0)
  const uncounted = async () => (await attempts(w.test, accountOf(email))) === 0
  await until('the attempt is given back', uncounted)
})

/** Counts the forms that enter the doorway and those that leave it by themselves. */
function watchDoorway() {
  const { doorway } = held.passwords
  const { enter } = doorway
  const count = { entered: 0, left: 0 }
  doorway.enter = async (place, signal) => {
    const leave = await enter(place, signal)
    count.entered += 1
    return () => {
      count.left += 1
      leave()
    }
  }
  return { count, stop: () => Object.assign(doorway, { enter }) }
}

test('sign-ins and sign-ups pass the doorway, and leave it when their hashes wait, or with the answer where there is none', async () => {
  const { count, stop } = watchDoorway()
  const runs = await visitor()
  const sign_up = await open({ prompt: 'create' })
  const ask = {
    signIn: await visitor(),
    signUp: (email: string) => sign_up.agent.submit(sign_up.page, { email, name: 'New Person', password }),
    tooLong: async (email: string) => (await visitor())(`${email}${'m'.repeat(400)}`, '192.0.2.50'),
  }
  try {
    held.hold()
    const first = runs('runs@example.org', '192.0.2.51')
    await held.untilWaiting(0)
    assert.deepEqual(count, { entered: 1, left: 1 })
    const waiting = [ask.signIn('waits@example.org', '192.0.2.52'), ask.signUp('signs.up@example.org')]
    await held.untilWaiting(2)
    assert.deepEqual(count, { entered: 3, left: 3 })
    assert.equal((await ask.tooLong('too.long@example.org')).status, 400)
    assert.deepEqual(count, { entered: 4, left: 4 })
    held.release()
    await Promise.all([first, ...waiting])
  } finally {
    stop()
    held.release()
  }
})

test('a form that waits in the doorway has claimed no row for its answer yet', async () => {
  const { doorway } = held.passwords
  const { enter } = doorway
  const { promise: opened, resolve: openDoorway } = Promise.withResolvers<void>()
  let is_waiting = false
  doorway.enter = async (place, signal) => {
    is_waiting = true
    await opened
    return enter(place, signal)
  }
  try {
    const { agent, page } = await open()
    const claims = async () =>
      (await w.deployment.db.all(Claim, sql`select form_hash from kept_answers where environment_id = ${w.test.id}`)).length
    const before = await claims()
    const reply = agent.submit(page, { email: 'waits@example.org', password })
    await until('the form waits', async () => is_waiting)
    assert.equal(await claims(), before)
    openDoorway()
    assert.equal((await reply).status, 400)
    assert.equal(await claims(), before + 1)
  } finally {
    openDoorway()
    Object.assign(doorway, { enter })
  }
})

test('a rush of sixty-four people is served, from sixty-four sources and from one', async () => {
  for (const source of [(i: number) => `198.51.100.${i + 1}`, () => '203.0.113.7']) {
    const people = await Promise.all(Array.from({ length: 64 }, () => w.createUser(w.test)))
    const pages = await Promise.all(people.map(() => open()))
    const replies = await Promise.all(
      pages.map(({ agent, page }, i) => {
        const { email = '', password = '' } = people[i] ?? {}
        return agent.submit(page, { email, password }, from(source(i)))
      }),
    )
    assert.deepEqual(
      replies.map(({ status }) => status),
      people.map(() => 303),
    )
  }
})
