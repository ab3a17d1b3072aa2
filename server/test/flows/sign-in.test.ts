/** Passwords at the sign-in form: counting, lockout, known browsers, and equal answers for known and unknown accounts (decision 0005). */
import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { sql } from '../../src/db/db.ts'
import { createPasswords } from '../../src/domain/users/password.ts'
import { type Agent, authorizationRequest, createAgent, createPerson } from '../support/cookie-browser.ts'
import { visibleIn } from '../support/visible.ts'
import { expectStatus, type Reply, type TestEnvironment, types_of_run, world } from '../support/world.ts'

const w = await world()
/** A service behind a trusted proxy. */
const behind_proxy = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' } })

const max_attempts = 4
const duration_seconds = 60

async function setUp(at: typeof w, environment: TestEnvironment) {
  const client = await at.createApplication(environment)
  await at.changeSettings(environment, { lockout: { max_attempts, duration_seconds }, email: { delivery: 'none' } })
  const { url } = authorizationRequest(environment, client, { prompt: 'login' })
  /** Sends the form as this browser; each guess is one request. */
  async function guesser(agent: Agent = createAgent(), headers: Record<string, string> = {}) {
    const page = await agent.get(url)
    return (email: string, password: string, more: Record<string, string> = {}) =>
      agent.submit(page, { email, password }, { ...headers, ...more })
  }
  async function lockOut(email: string) {
    const guess = await guesser()
    for (let i = 0; i < max_attempts; i++) expectStatus(400, await guess(email, `wrong ${i}`))
    const refused = await guess(email, 'wrong')
    expectStatus(429, refused)
    const wait_seconds = Number(refused.headers.get('retry-after'))
    assert.ok(wait_seconds > 0 && wait_seconds <= duration_seconds, `${wait_seconds}`)
  }
  return { client, url, guesser, lockOut }
}

for (const type of types_of_run) {
  const environment = w[type]
  const { client, url, guesser, lockOut } = await setUp(w, environment)

  test(`after max_attempts wrong guesses even the right password is refused for duration_seconds (${type})`, async () => {
    const user = await w.createUser(environment)
    const guess = await guesser()
    for (let i = 0; i < max_attempts; i++) assert.equal((await guess(user.email, `wrong ${i}`)).status, 400)
    for (let i = 0; i < 3; i++) assert.equal((await guess(user.email, user.password)).status, 429)
    w.advance(duration_seconds - 1)
    assert.equal((await guess(user.email, user.password)).status, 429, 'attempts during the lockout do not extend it')
    w.advance(1)
    assert.equal((await guess(user.email, user.password)).status, 303)
  })

  test(`of fifty parallel guesses at most max_attempts passwords are checked (${type})`, async () => {
    const user = await w.createUser(environment)
    const guess = await guesser()
    const passwords = Array.from({ length: 50 }, (_, i) => (i === 25 ? user.password : `wrong ${i}`))
    const statuses = (await Promise.all(passwords.map((password) => guess(user.email, password)))).map(({ status }) => status)
    assert.ok(statuses.filter((status) => status !== 429).length <= max_attempts, statuses.join())
  })

  const empty_fields = [
    { empty: 'the address', fields: { email: '', password: 'a password' }, says: 'Enter your email address.', at: 'email' },
    { empty: 'the password', fields: { email: 'ada@example.com', password: '' }, says: 'Enter your password.', at: 'password' },
    { empty: 'both', fields: { email: '', password: '' }, says: 'Enter your email address.', at: 'email' },
    ...(type === 'test' // only Test captures mail
      ? [{ empty: 'the address for a code', fields: { email: '', method: 'email_code' }, says: 'Enter your email address.', at: 'email' }]
      : []),
  ]
  for (const { empty, fields, says, at } of empty_fields)
    test(`a sign-in without ${empty} says so at the field, and does not count as an attempt (${type})`, async (t) => {
      if ('method' in fields) {
        await w.changeSettings(environment, { sign_in: { email_code: true }, email: { delivery: 'capture' } })
        t.after(() => w.changeSettings(environment, { sign_in: { email_code: false }, email: { delivery: 'none' } }))
      }
      const agent = createAgent()
      const page = await agent.get(url)
      for (let i = 0; i <= max_attempts; i++) {
        const refused = await agent.submit(page, fields)
        expectStatus(400, refused)
        assert.match(refused.body, new RegExp(`id="${at}" [^>]*aria-invalid="true" aria-describedby="${at}-problem"`))
        assert.ok(refused.body.includes(says) && !refused.body.includes('do not match'), refused.body)
      }
    })

  test(`a right password resets the count (${type})`, async () => {
    const user = await w.createUser(environment)
    const guess = await guesser()
    for (let round = 0; round < 3; round++) {
      for (let i = 1; i < max_attempts; i++) assert.equal((await guess(user.email, 'wrong')).status, 400)
      assert.equal((await guess(user.email, user.password)).status, 303)
    }
  })

  const spellings = [
    (email: string) => email.toUpperCase(),
    (email: string) => ` ${email} `,
    (email: string) => email.replace('u', 'ｕ'),
    (email: string) => email.replace('@', '＠'),
  ]
  test(`an email is one account in any spelling, for the sign-in and for the count (${type})`, async () => {
    const user = await w.createUser(environment)
    for (const spell of spellings) assert.equal((await (await guesser())(spell(user.email), user.password)).status, 303)
    const guess = await guesser()
    for (let i = 0; i < max_attempts; i++)
      assert.equal((await guess(spellings[i % spellings.length]?.(user.email) ?? '', 'wrong')).status, 400)
    assert.equal((await guess(user.email, user.password)).status, 429)
  })

  test(`sign-up with the email of an account is refused alike for every password, and counts no guess (${type})`, async () => {
    const user = await w.createUser(environment)
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
    const refusals: unknown[] = []
    for (const password of [user.password, ...Array.from({ length: max_attempts }, (_, i) => `a wrong password ${i}`)]) {
      const refused = await agent.submit(page, { email: user.email, password })
      assert.equal(refused.status, 400)
      assert.match(refused.body, /You cannot create an account with this address\. Sign in, or use another\./)
      refusals.push(visibleIn(refused, user.email))
    }
    assert.deepEqual(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size, 1)
    assert.equal((await (await guesser())(user.email, user.password)).status, 303, 'the account is not locked out')
  })

  test(`answers are equal whether an account exists, has a password, is blocked or locked out (${type})`, async () => {
    // Emails of equal length, since the page shows the entered email.
    const [known, bare, blocked] = await Promise.all(
      ['one', 'two', 'six'].map((name) => w.createUser(environment, { email: `${name}@example.com` })),
    )
    assert.ok(known && bare && blocked)
    await w.deployment.db.batch([
      sql`update users set password_hash = null where environment_id = ${environment.id} and id = ${bare.id}`,
      sql`update users set blocked_at = ${w.now()} where environment_id = ${environment.id} and id = ${blocked.id}`,
    ])
    const agent = createAgent()
    const page = await agent.get(url)
    const answers = async (email: string, password: string) => {
      const replies: Reply[] = []
      for (let i = 0; i <= max_attempts; i++) replies.push(await agent.submit(page, { email, password }))
      return replies.map((reply) => visibleIn(reply, email))
    }
    const unknown = await answers('non@example.com', 'wrong password')
    assert.deepEqual(await answers(known.email, 'wrong password'), unknown)
    assert.deepEqual(await answers(bare.email, 'wrong password'), unknown)
    assert.deepEqual(await answers(blocked.email, blocked.password), unknown)
  })

  test(`a person signs in with a known browser while other browsers are locked out (${type})`, async () => {
    const [owner, other] = [await createPerson(w, environment), await createPerson(w, environment)]
    for (const person of [owner, other]) await person.code(client)
    await lockOut(owner.email)
    const keep = (agent: Agent, kind: string) => {
      for (const name of agent.cookies.keys()) if (!name.includes(`_${kind}_`)) agent.cookies.delete(name)
      return agent
    }
    assert.equal(
      (await (await guesser(keep(other.agent, 'device')))(owner.email, owner.password)).status,
      429,
      'the device of another person',
    )
    const [[name = '', value = ''] = []] = keep(owner.agent, 'device').cookies
    const [id, mac = ''] = value.split('.')
    for (const forged of [`${id}x.${mac}`, `${id}.${mac.slice(1)}`, `${id}.`, mac, `${id}.${'A'.repeat(mac.length)}`]) {
      const agent = createAgent()
      agent.cookies.set(name, forged)
      assert.equal((await (await guesser(agent))(owner.email, owner.password)).status, 429)
    }
    const guess = await guesser(owner.agent)
    for (let i = 0; i < max_attempts; i++) assert.equal((await guess(owner.email, 'wrong')).status, 400)
    assert.equal((await guess(owner.email, owner.password)).status, 429, 'a known device has its own limit')
    w.advance(duration_seconds)
    await lockOut(owner.email)
    assert.equal((await guess(owner.email, owner.password)).status, 303)
  })

  // biome-ignore format: one header a line
  const spoofs = [
    'x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip', 'x-forwarded', 'x-originating-ip', 'fastly-client-ip',
  ]
  test(`headers that claim another source are ignored without a trusted proxy (${type})`, async () => {
    const user = await w.createUser(environment)
    const guess = await guesser()
    const statuses: number[] = []
    for (const [i, header] of spoofs.entries())
      statuses.push((await guess(user.email, `wrong ${i}`, { [header]: `203.0.113.${i}` })).status)
    assert.deepEqual(
      statuses,
      spoofs.map((_, i) => (i < max_attempts ? 400 : 429)),
    )
  })

  test(`passwords of any length and script are compared as a whole (${type})`, async () => {
    const prefix = 'é🙂'.repeat(20)
    const user = await w.createUser(environment, { password: `${prefix}${'a'.repeat(72)}1` })
    const attempt = async (password: string) => (await (await guesser())(user.email, password)).status
    assert.equal(await attempt(`${prefix}${'a'.repeat(72)}2`), 400)
    assert.equal(await attempt(`${prefix}${'a'.repeat(72)}`), 400)
    assert.equal(await attempt(`${prefix.normalize('NFD')}${'a'.repeat(72)}1`), 303, 'the same characters, typed on another keyboard')
    assert.equal(await attempt(`${prefix}${'A'.repeat(72)}1`), 400)
    assert.equal(await attempt(`${prefix}${'a'.repeat(72)}1 `), 400)
    w.advance(duration_seconds)
  })

  test(`an empty or huge field is a wrong one (${type})`, async () => {
    const user = await w.createUser(environment)
    const guess = await guesser()
    for (const [email, password] of [
      ['', ''],
      [user.email, ''],
      ['', user.password],
      [user.email, 'x'.repeat(500_000)],
    ] as const)
      assert.equal((await guess(email, password)).status, 400)
    assert.equal((await guess('x'.repeat(500_000), 'x')).status, 400)
    assert.equal((await guess('\0', '\0')).status, 400)
  })
}

/** Counts the asynchronous resources of each type that the work creates. */
async function resourcesOf(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const hook = createHook({ init: (_, type) => counts.set(type, (counts.get(type) ?? 0) + 1) }).enable()
  await work()
  hook.disable()
  return counts
}

/** The kind of resource that Node makes for a hash. What workers and syncs of the database make beside it is left out. */
async function resourceOfHash(): Promise<string> {
  const of_background_work = ['PROMISE', 'Immediate', 'Timeout', 'TickObject', 'FSREQCALLBACK']
  const made = await resourcesOf(() => createPasswords().verify(null, 'any password'))
  const [type, ...others] = [...made.keys()].filter((type) => !of_background_work.includes(type))
  assert.deepEqual(others, [], 'a hash is the only work of verify')
  return type ?? assert.fail('a hash makes a resource')
}

test('a wrong password costs one hash, whatever the account', async (t) => {
  const { guesser } = await setUp(w, w.live)
  const [known, bare, blocked] = [await w.createUser(w.live), await w.createUser(w.live), await w.createUser(w.live)]
  await w.deployment.db.run(sql`update users set password_hash = null where id = ${bare.id}`)
  await w.deployment.db.run(sql`update users set blocked_at = ${w.now()} where id = ${blocked.id}`)
  const type = await resourceOfHash()
  const accounts = {
    'a known account': known.email,
    'an unknown account': 'unknown@example.com',
    'no password': bare.email,
    'a blocked user': blocked.email,
  }
  for (const [what, email] of Object.entries(accounts))
    await t.test(what, async () => {
      const guess = await guesser()
      const counts = await resourcesOf(async () => expectStatus(400, await guess(email, 'wrong password')))
      assert.equal(counts.get(type), 1)
    })
})

test('sign-up with the email of an account checks no password: right, wrong or for a blocked user', async (t) => {
  const { client } = await setUp(w, w.live)
  const [known, blocked] = [await w.createUser(w.live), await w.createUser(w.live)]
  await w.deployment.db.run(sql`update users set blocked_at = ${w.now()} where id = ${blocked.id}`)
  const type = await resourceOfHash()
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(w.live, client, { prompt: 'create' }).url)
  const attempts = {
    'the right password': [known, known.password],
    'a wrong one': [known, 'a wrong password'],
    'a blocked user': [blocked, blocked.password],
  } as const
  for (const [what, [{ email }, password]] of Object.entries(attempts))
    await t.test(what, async () => {
      const counts = await resourcesOf(async () => expectStatus(400, await agent.submit(page, { email, password })))
      assert.equal(counts.get(type) ?? 0, 0)
    })
  const counts = await resourcesOf(async () =>
    expectStatus(303, await agent.submit(page, { email: 'fresh@example.com', password: 'a memorable sentence' })),
  )
  assert.equal(counts.get(type), 1, 'a new account takes one hash, so the count can fail')
})

test('the hash that stands in for a missing one has the parameters of a real one', async () => {
  const compared: string[] = []
  const remember = async (hashed: string | Uint8Array) => compared.push(String(hashed)) === 0
  await createPasswords(1, { hash, verify: remember }).verify(null, 'any password')
  const parametersOf = (text = '') => text.split('$').slice(1, 4)
  assert.deepEqual(parametersOf(compared[0]), parametersOf(await createPasswords().hash('a memorable sentence')))
})

test('Test and Live count separately', async () => {
  const email = 'both@example.com'
  const [here, there] = [await setUp(w, w.test), await setUp(w, w.live)]
  for (const environment of [w.test, w.live]) await w.createUser(environment, { email, password: 'correct horse battery' })
  await here.lockOut(email)
  assert.equal((await (await there.guesser())(email, 'correct horse battery')).status, 303)
})

test('behind a trusted proxy the address it reports is the source, and an IPv6 /64 is one source', async () => {
  const environment = behind_proxy.live
  const { guesser } = await setUp(behind_proxy, environment)
  const user = await behind_proxy.createUser(environment)
  const guess = await guesser()
  const from = async (address: string) => (await guess(user.email, 'wrong', { 'x-forwarded-for': address })).status
  for (let i = 0; i < max_attempts; i++) assert.equal(await from(`spoofed, 198.51.100.${i}, 2001:db8::${i + 1}`), 400)
  for (const same of ['2001:db8::9', '2001:0DB8:0:0:ffff::1', '2001:db8::9, 127.0.0.1', '[2001:db8::1]:443'])
    assert.equal(await from(same), 429, same)
  for (const other of ['2001:db8:0:1::1', '203.0.113.1']) assert.equal(await from(other), 400, other)
})

test('guesses from many addresses share a limit too, and a known browser still signs in', async () => {
  const environment = behind_proxy.test
  const { client, guesser } = await setUp(behind_proxy, environment)
  const owner = await createPerson(behind_proxy, environment)
  await owner.code(client)
  const guess = await guesser()
  const statuses: number[] = []
  for (let i = 0; i < max_attempts * 10; i++)
    statuses.push((await guess(owner.email, 'wrong', { 'x-forwarded-for': `198.51.100.${i}` })).status)
  assert.deepEqual(new Set(statuses.slice(0, max_attempts * 8)), new Set([400]))
  assert.deepEqual(new Set(statuses.slice(max_attempts * 8)), new Set([429]))
  assert.equal((await (await guesser(owner.agent))(owner.email, owner.password)).status, 303)
})
