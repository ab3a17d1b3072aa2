/** How often a person signs in within an hour (decision 0067). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, createAgent } from '../support/cookie-browser.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, world } from '../support/world.ts'

const most = 5
const w = await world({ env: { OSTIARY_LIMITS: JSON.stringify({ sign_ins_per_person: most }) } })
const client = await w.createApplication(w.test)

type User = Awaited<ReturnType<typeof w.createUser>>

/** Signs in with a new browser, and answers the status. */
async function signIn({ email, password }: Pick<User, 'email' | 'password'>) {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(w.test, client).url)
  return agent.submit(page, { email, password, method: 'password' })
}

type Counted = { method: string; outcome: string; count: number }

const limited = async () => {
  await w.deployment.counters.write()
  const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/statistics?interval=day`))
  // The clock of this file may have passed midnight.
  return data
    .flatMap(({ sign_ins }: { sign_ins: Counted[] }) => sign_ins)
    .filter(({ method, outcome }: Counted) => method === 'password' && outcome === 'limited')
    .reduce((sum: number, { count }: Counted) => sum + count, 0)
}

test('after so many sign-ins within an hour the next has to wait, and succeeds later', async () => {
  const user = await w.createUser(w.test)
  for (let n = 0; n < most; n++) assert.equal((await signIn(user)).status, 303)
  const refused = await signIn(user)
  assert.equal(refused.status, 429)
  assert.match(refused.body, /You signed in very often within an hour\. Wait \d+ minutes, then try again\./)
  const wait_seconds = Number(refused.headers.get('retry-after'))
  assert.ok(wait_seconds > 0 && wait_seconds <= 3_600)
  assert.equal(
    refused.headers.getSetCookie().some((cookie) => cookie.includes('ostiary_session')),
    false,
  )
  assert.equal((await signIn(await w.createUser(w.test))).status, 303, 'another person signs in')

  w.advance(wait_seconds + 1)
  assert.equal((await signIn(user)).status, 303)
})

test('the sign-ins of a person whose account waits or was refused count too, since each is an event', async () => {
  const user = await w.createUser(w.test, { waits: true })
  const failed = async () => (await w.call('GET', `${w.test.path}/events?type=sign_in.failed&user_id=${user.id}`)).body.data
  for (let n = 0; n < most; n++) assert.equal((await signIn(user)).status, 403)
  for (let n = 0; n < 3; n++) assert.equal((await signIn(user)).status, 429)
  const [newest] = await until('the events', async () => (await failed()).length >= most && failed())
  assert.equal(newest.data.reason, 'not_approved')
  assert.equal((await failed()).length, most)
  w.advance(3_601)
  const parallel = await Promise.all(Array.from({ length: 50 }, () => signIn(user)))
  assert.ok(parallel.some(({ status }) => status === 429))
  const Count = z.object({ count: z.coerce.number() })
  const rows = sql`select count(*) as count from events where environment_id = ${w.test.id} and user_id = ${user.id} and type = 'sign_in.failed'`
  const counted = await w.deployment.db.maybeOne(Count, rows)
  assert.equal(counted?.count, 2 * most)
})

test('sign-ins with a wrong password do not count', async () => {
  const user = await w.createUser(w.test)
  for (let n = 0; n < most - 1; n++) assert.equal((await signIn({ ...user, password: 'not the password' })).status, 400)
  for (let n = 0; n < most; n++) assert.equal((await signIn(user)).status, 303)
})

test('of 50 parallel sign-ins of a person as many succeed as the limit allows', async () => {
  const user = await w.createUser(w.test)
  const statuses = (await Promise.all(Array.from({ length: 50 }, () => signIn(user)))).map(({ status }) => status)
  assert.ok(statuses.includes(429))
  assert.equal(statuses.filter((status) => status === 303).length, most)
})

test('the statistics count a sign-in that has to wait as limited', async () => {
  const user = await w.createUser(w.test)
  for (let n = 0; n < most; n++) await signIn(user)
  const before = await limited()
  await signIn(user)
  assert.equal((await limited()) - before, 1)
})
