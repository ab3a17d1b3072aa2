/** The bounds of what one person can have: sessions, grants and sign-ins (decision 0067). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { visitGrants } from '../../src/workers/visit-grants.ts'
import {
  authorizationRequest,
  type Client,
  createAgent,
  type createPerson,
  exchange,
  type Fields,
  followToClient,
  refresh,
  reuseEvents,
  revoke,
  signInForTokens,
  userinfo,
} from '../support/cookie-browser.ts'
import { replaceMethods } from '../support/db-methods.ts'
import { rowsFollowed } from '../support/endings.ts'
import { expectStatus, world } from '../support/world.ts'

const [most_sessions, most_offline, most_of_session] = [5, 6, 3]
const w = await world({
  env: {
    OSTIARY_LIMITS: JSON.stringify({ sessions_per_person: most_sessions, grants_per_person: most_offline, sign_ins_per_person: 500 }),
  },
})
const { db } = w.deployment
const without_offline = { scope: 'openid profile' }
const client: Client = await w.createApplication(w.test, { backchannel_logout_uri: 'https://app.example.com/logout' })
const another: Client = await w.createApplication(w.test)

type Person = Awaited<ReturnType<typeof createPerson>>
type User = Pick<Person, 'id' | 'email' | 'password'>

const Count = z.object({ count: z.int() })
const countOf = async (from: Parameters<typeof sql>[1] & object) =>
  (await db.all(Count, sql`select count(*) as count ${from as never}`))[0]?.count // as: a statement
const liveSessions = ({ id }: User) => countOf(sql`from sessions where user_id = ${id} and ended_at is null`)
const liveGrants = ({ id }: User, offline: boolean) =>
  countOf(sql`from grants where user_id = ${id} and ended_at is null and offline = ${offline} and expires_at > ${w.now()}`)
const rowsOf = ({ id }: User) => countOf(sql`from grants where user_id = ${id}`)

const Ended = z.object({ data: z.object({ session_id: z.string(), reason: z.string() }) })
const endedSessions = async ({ id }: User) =>
  (await db.all(Ended, sql`select data from events where user_id = ${id} and type = 'session.ended' order by id`)).map(({ data }) => data)

/** The sessions of a user, in the order of their sign-ins. */
const Id = z.object({ id: z.string() })
const sessionIds = async ({ id }: User) =>
  (await db.all(Id, sql`select id from sessions where user_id = ${id} order by created_at, id`)).map((row) => row.id)

/** A browser that has signed in as the user, and gets codes. */
async function signIn(user: User, change: Fields = without_offline) {
  const { agent, tokens } = await signInForTokens(w, w.test, client, { user, change })
  w.advance(1)
  return { agent, tokens }
}

const isAccepted = async (access_token: string) => (await userinfo(w, w.test, access_token)).status === 200

/** Authorizes without asking the person, as an application does that looks for a session. */
async function authorize(agent: Person['agent'], application: Client, change: Fields) {
  const request = authorizationRequest(w.test, application, { prompt: 'none', ...change })
  const location = (await agent.get(request.url)).headers.get('location') ?? ''
  const code = new URL(location).searchParams.get('code')
  assert.ok(code, location)
  return { request, code }
}

async function tokensOf(agent: Person['agent'], application: Client, change: Fields) {
  const { request, code } = await authorize(agent, application, change)
  return expectStatus(200, await exchange(w, w.test, application, { request, code }))
}

test('a sign-in beyond the bound ends the session that was unseen longest, with its event and back-channel logout', async () => {
  const user = await w.createUser(w.test)
  const browsers = []
  for (let n = 0; n < most_sessions; n++) browsers.push(await signIn(user))
  const [first, second] = browsers
  assert.ok(first && second)
  await authorize(first.agent, client, without_offline)
  w.advance(1)
  const [, unseen] = await sessionIds(user)

  const newest = await signIn(user)
  assert.equal(await liveSessions(user), most_sessions)
  assert.deepEqual(await endedSessions(user), [{ session_id: unseen, reason: 'replaced' }])
  await rowsFollowed(db)
  assert.equal(await countOf(sql`from backchannel_logouts where session_id = ${unseen ?? ''} and application_id = ${client.client_id}`), 1)
  assert.equal(await isAccepted(second.tokens.access_token), false)
  for (const { tokens } of [first, newest, ...browsers.slice(2)]) assert.equal(await isAccepted(tokens.access_token), true)
})

test('a sign-in again in the same browser ends no session', async () => {
  const user = await w.createUser(w.test)
  const browsers = []
  for (let n = 0; n < most_sessions; n++) browsers.push(await signIn(user))
  const request = authorizationRequest(w.test, client, { prompt: 'login', ...without_offline })
  await followToClient(browsers[0]?.agent ?? createAgent(), request, user)
  assert.equal(await liveSessions(user), most_sessions)
  assert.deepEqual(await endedSessions(user), [])
})

test('sessions that ended, and those past their absolute limit, do not count', async () => {
  const user = await w.createUser(w.test)
  const browsers = []
  for (let n = 0; n < most_sessions; n++) browsers.push(await signIn(user))
  const [expired, ended] = await sessionIds(user)
  await db.run(sql`update sessions set absolute_expires_at = ${w.now()}, expires_at = ${w.now()} where id = ${expired ?? ''}`)
  await db.run(sql`update sessions set ended_at = ${w.now()} where id = ${ended ?? ''}`)
  await signIn(user)
  await signIn(user)
  assert.deepEqual(await endedSessions(user), [])
  await signIn(user)
  assert.equal((await endedSessions(user)).length, 1)
})

test('after 50 parallel sign-ins a person has as many sessions as the bound, and an event for each other one', async () => {
  const user = await w.createUser(w.test)
  const sent = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const agent = createAgent()
      const page = await agent.get(authorizationRequest(w.test, client).url)
      return agent.submit(page, { email: user.email, password: user.password, method: 'password' })
    }),
  )
  // The answer to the others: too many attempts, or passwords are busy.
  const succeeded = sent.filter(({ status }) => status === 303).length
  assert.ok(succeeded > most_sessions)
  assert.equal(await liveSessions(user), most_sessions)
  const ended = await endedSessions(user)
  assert.equal(ended.length, succeeded - most_sessions)
  assert.equal(new Set(ended.map(({ session_id }) => session_id)).size, ended.length)
})

/** Holds the rows of these reads until `release`. */
function holdReads(begin: string) {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = { reads: 0, wanted: 1, held: held.promise, release: released.resolve }
  const restore = replaceMethods(db, ({ all }) => ({
    all: async (schema, statement) => {
      const rows = await all(schema, statement)
      if (!statement.parts[0]?.startsWith(begin) || ++hold.reads > hold.wanted) return rows
      if (hold.reads === hold.wanted) held.resolve()
      await released.promise
      return rows
    },
  }))
  return Object.assign(hold, {
    end() {
      restore()
    },
  })
}

test('of sign-ins that have read the same sessions those beyond the bound read them again', async (t) => {
  const user = await w.createUser(w.test)
  for (let n = 0; n < most_sessions - 1; n++) await signIn(user)
  const hold = Object.assign(holdReads('select id, live from'), { wanted: 3 })
  t.after(hold.end)
  const signed_in = Promise.all([signIn(user), signIn(user), signIn(user)])
  await hold.held
  hold.release()
  await signed_in
  assert.ok(hold.reads > hold.wanted)
  assert.equal(await liveSessions(user), most_sessions)
})

test('a code beyond the bound of a session ends its oldest grant at the application, redeemed or not', async () => {
  const user = await w.createUser(w.test)
  const { agent, tokens: oldest } = await signIn(user)
  const other_browser = await signIn(user)
  const other_application = await tokensOf(agent, another, without_offline)
  const unredeemed = await authorize(agent, client, without_offline)
  const third = await tokensOf(agent, client, without_offline)
  assert.equal(await isAccepted(oldest.access_token), true)

  const fourth = await tokensOf(agent, client, without_offline)
  assert.equal(await isAccepted(oldest.access_token), false)
  const fifth = await tokensOf(agent, client, without_offline)
  const { status, body } = await exchange(w, w.test, client, { request: unredeemed.request, code: unredeemed.code })
  assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  for (const { access_token } of [third, fourth, fifth, other_application, other_browser.tokens])
    assert.equal(await isAccepted(access_token), true)
})

test('after 50 parallel codes of one session its newest grants are left, as many as the bound', async () => {
  const user = await w.createUser(w.test)
  const { agent } = await signIn(user)
  await Promise.all(Array.from({ length: 50 }, () => authorize(agent, client, without_offline)))
  assert.equal(await liveGrants(user, false), most_of_session)
  assert.equal(await rowsOf(user), most_of_session)
  assert.equal(
    await countOf(sql`from authorization_codes where grant_id in (select id from grants where user_id = ${user.id})`),
    most_of_session,
  )
})

test('a grant whose code expired without use does not count', async () => {
  const user = await w.createUser(w.test)
  const { agent, tokens } = await signIn(user)
  for (let n = 1; n < most_of_session; n++) await authorize(agent, client, without_offline)
  w.advance(61)
  await authorize(agent, client, without_offline)
  assert.equal(await isAccepted(tokens.access_token), true)
})

test('of grants that ended, whose tokens or whose code expired, the newest of the session at the application is kept', async () => {
  const user = await w.createUser(w.test)
  const { agent, tokens } = await signIn(user)
  assert.equal(expectStatus(200, await revoke(w, w.test, client, tokens.access_token)) !== null, true)
  for (let n = 0; n < 5 * most_of_session; n++) await authorize(agent, client, without_offline)
  for (let n = 0; n < 2; n++) await tokensOf(agent, client, without_offline)
  assert.ok(Number(await rowsOf(user)) <= most_of_session)
  w.advance(86_000)
  await visitGrants(w.deployment)
  assert.equal(await rowsOf(user), 1)
  assert.equal(await liveGrants(user, false), 0)
})

test('a grant whose code was not redeemed ends with the code, and both rows are gone within an hour', async () => {
  const user = await w.createUser(w.test)
  const { agent } = await signIn(user)
  const only = { id: user.id, ...(await authorize(agent, another, without_offline)) }
  const ofAnother = () => countOf(sql`from grants where user_id = ${user.id} and application_id = ${another.client_id}`)
  w.advance(61)
  const { body } = await exchange(w, w.test, another, { request: only.request, code: only.code })
  assert.deepEqual([body.error, body.error_description], ['invalid_grant', 'The code has expired.'])
  assert.equal(await ofAnother(), 1)
  w.advance(3_000)
  await visitGrants(w.deployment)
  assert.equal(await ofAnother(), 0)
  assert.equal(await countOf(sql`from authorization_codes where client_id = ${another.client_id} and spent_by is null`), 0)
})

const offline = { scope: 'openid offline_access' }

test('a grant with offline_access beyond the bound ends the one unused longest, whose refresh tokens are invalid and no reuse', async () => {
  const user = await w.createUser(w.test)
  const agents = [await signIn(user), await signIn(user)]
  const granted = []
  for (let n = 0; n < most_offline; n++) {
    granted.push(await tokensOf(agents[n % 2]?.agent ?? createAgent(), client, offline))
    w.advance(1)
  }
  const [first, second, ...rest] = granted
  const used = expectStatus(200, await refresh(w, w.test, client, first.refresh_token))
  const twice = expectStatus(200, await refresh(w, w.test, client, second.refresh_token))
  await w.deployment.grant_uses.write()
  w.advance(60)
  for (const { refresh_token } of [...rest, used]) expectStatus(200, await refresh(w, w.test, client, refresh_token))
  await w.deployment.grant_uses.write()
  const elsewhere = await tokensOf(agents[0]?.agent ?? createAgent(), another, offline)

  await tokensOf(agents[0]?.agent ?? createAgent(), client, offline)
  assert.equal(await liveGrants(user, true), most_offline + 1)
  for (const { refresh_token } of [twice, second]) {
    const { status, body } = await refresh(w, w.test, client, refresh_token)
    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  }
  expectStatus(200, await refresh(w, w.test, another, elsewhere.refresh_token))
  assert.deepEqual(await reuseEvents(w, w.test, client.client_id), [])
})

test('a grant that another code has ended in the meantime makes no room for this one', async (t) => {
  const user = await w.createUser(w.test)
  const [first, second] = [await signIn(user), await signIn(user)]
  for (let n = 0; n < most_offline; n++) await authorize(first.agent, client, offline)
  const hold = holdReads('select oldest.*, present.held')
  t.after(hold.end)
  const waiting = authorize(first.agent, client, offline)
  await Promise.race([hold.held, waiting.then(() => assert.fail('No read was held: its statement begins with other words.'))])
  await authorize(second.agent, client, offline)
  hold.release()
  await waiting
  assert.equal(await liveGrants(user, true), most_offline)
})

test('after 50 parallel codes with offline_access of several sessions a person has as many grants as the bound', async () => {
  const user = await w.createUser(w.test)
  const agents = await Promise.all([signIn(user), signIn(user), signIn(user), signIn(user), signIn(user)])
  await Promise.all(Array.from({ length: 50 }, (_, n) => authorize(agents[n % agents.length]?.agent ?? createAgent(), client, offline)))
  assert.equal(await liveGrants(user, true), most_offline)
})

test('rows do not grow with the codes of one session', async () => {
  const user = await w.createUser(w.test)
  const { agent } = await signIn(user)
  for (let n = 0; n < 30; n++) await authorize(agent, client, n % 2 === 0 ? offline : without_offline)
  assert.ok(Number(await rowsOf(user)) <= most_offline + most_of_session + 1)
})
