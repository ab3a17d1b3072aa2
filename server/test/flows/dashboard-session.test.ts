import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { createAgent, followToClient } from '../support/cookie-browser.ts'
import { cookieName, finishAtCallback, signInToDashboard } from '../support/dashboard.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()

test('the dashboard signs in by the code flow with state, nonce, PKCE and the resource of the API', async () => {
  const agent = createAgent(w.reach)
  const reply = await agent.get(`${w.base_url}/dashboard/sign-in?return_to=/dashboard/t/acme&max_age=600&login_hint=ada%40example.com`)
  assert.equal(reply.status, 303)
  const url = new URL(reply.headers.get('location') ?? '')
  assert.equal(url.origin + url.pathname, `${w.admin_issuer}/oauth/authorize`)
  const { state, nonce, code_challenge, client_id, ...rest } = Object.fromEntries(url.searchParams)
  assert.deepEqual(rest, {
    response_type: 'code',
    redirect_uri: `${w.base_url}/dashboard/callback`,
    scope: 'openid offline_access',
    resource: w.base_url,
    code_challenge_method: 'S256',
    max_age: '600',
    login_hint: 'ada@example.com',
  })
  for (const value of [state, nonce, code_challenge]) assert.match(value ?? '', /^[\w.-]{43,60}$/)
  assert.match(client_id ?? '', /^app_/)
})

test('the cookie of the session is HttpOnly, SameSite=Strict and limited to the dashboard, and holds no token', async () => {
  const agent = createAgent(w.reach)
  const reply = await finishAtCallback(w, agent, owner, '?return_to=%2Fdashboard%2Ft%2Facme%3Ftab%3Dkeys')
  assert.equal(reply.headers.get('location'), `${w.base_url}/dashboard/t/acme?tab=keys`)
  const cookie = reply.headers.getSetCookie().find((line) => line.startsWith(`${cookieName(w)}=`)) ?? ''
  assert.match(cookie, /^[\w-]+=[\w-]{43}; Path=\/dashboard; Max-Age=86400; HttpOnly;( Secure;)? SameSite=Strict$/)
  assert.equal(/; Secure/.test(cookie), w.base_url.startsWith('https:'))
  const row = await w.deployment.db.all(z.object({ row: z.string() }), sql`select session_hash || tokens as row from dashboard_sessions`)
  assert.ok(row.length > 0)
  const secret = agent.cookies.get(cookieName(w)) ?? ''
  for (const text of row.map(({ row }) => row)) {
    assert.ok(!text.includes(secret))
    assert.doesNotMatch(text, /eyJ/)
  }
})

test('the session names the person, the tenants and the end of the fresh sign-in', async () => {
  const dashboard = await signInToDashboard(w)
  const session = expectStatus(200, await dashboard.session())
  assert.equal(session.email, owner.email)
  assert.deepEqual(
    session.memberships.map(({ role }: { role: string }) => role),
    ['owner', 'owner'],
  )
  assert.equal(Date.parse(session.fresh_until) - Date.parse(session.auth_time), 600_000)
  assert.doesNotMatch(JSON.stringify(session), /eyJ|token/)
})

const elsewhere = [
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'javascript:alert(1)',
  '/dashboardevil',
  '/dashboard@evil.example',
  '/dashboard.evil.example',
  '/dashboard:80@evil.example',
  '/dashboard\\..\\..\\e',
  '/dashboard/../e/env_1',
  '/dashboard/%2e%2e/e/env_1',
  '/dashboard/.%2E/..//evil.example',
  '/dashboard/..//evil.example',
  ' /dashboard',
  '/dashboard /x',
  '/dashboard\t/x',
  '/dashboard\r\nset-cookie: a=b',
  '/dashboard/\u0000',
  '/dashboard/é',
  '/DASHBOARD',
  '/%64ashboard/x/../../e',
  'dashboard',
  '',
  '/',
  '/e/env_1/account',
  '/v1/me',
  '/dashboard/api/v1/me',
  '/dashboard/sign-in?return_to=/dashboard/sign-in',
  '/dashboard/callback?code=1',
  '/dashboard/sign-out',
  `/dashboard/${'a'.repeat(1_000)}`,
]
for (const return_to of elsewhere)
  test(`a sign-in with return_to ${JSON.stringify(return_to).slice(0, 60)} ends at the start of the dashboard`, async () => {
    const reply = await finishAtCallback(w, createAgent(w.reach), owner, `?${new URLSearchParams({ return_to })}`)
    assert.equal(reply.headers.get('location'), `${w.base_url}/dashboard`)
  })

for (const max_age of ['-1', '1e3', '600s', '', '99999999'])
  test(`a sign-in with max_age ${JSON.stringify(max_age)} is refused`, async () => {
    const reply = await w.call('GET', `/dashboard/sign-in?max_age=${max_age}`, { key: null })
    assert.equal(reply.status, 400)
  })

for (const login_hint of ['', 'ada', 'ada@example.com\0', `${'a'.repeat(320)}@example.com`])
  test(`a sign-in with login_hint ${JSON.stringify(login_hint).slice(0, 40)} is refused`, async () => {
    const reply = await w.call('GET', `/dashboard/sign-in?${new URLSearchParams({ login_hint })}`, { key: null })
    assert.equal(reply.status, 400)
  })

/** An answer of the issuer that this browser has not yet taken to the callback. */
async function pending() {
  const agent = createAgent(w.reach)
  const begun = await agent.get(`${w.base_url}/dashboard/sign-in`)
  const request = { url: begun.headers.get('location') ?? '', redirect_uri: `${w.base_url}/dashboard/callback` }
  return { agent, answer: await followToClient(agent, request, owner) }
}

const wrong: [string, (url: URL) => void][] = [
  ['another state', (url) => url.searchParams.set('state', `${'a'.repeat(16)}.${'b'.repeat(43)}`)],
  ['the id of the state only', (url) => url.searchParams.set('state', (url.searchParams.get('state') ?? '').slice(0, 17))],
  ['a state with another ending', (url) => url.searchParams.set('state', `${(url.searchParams.get('state') ?? '').slice(0, -4)}AAAA`)],
  ['no state', (url) => url.searchParams.delete('state')],
  ['the issuer of another environment', (url) => url.searchParams.set('iss', w.test.issuer)],
  ['no issuer', (url) => url.searchParams.delete('iss')],
  ['another code', (url) => url.searchParams.set('code', 'a'.repeat(43))],
  [
    'an error',
    (url) => {
      url.searchParams.delete('code')
      url.searchParams.set('error', 'access_denied')
    },
  ],
]
for (const [what, change] of wrong)
  test(`an answer of the issuer with ${what} gives no session`, async () => {
    const { agent, answer } = await pending()
    change(answer)
    const reply = await agent.get(answer.href)
    assert.equal(reply.status, 400)
    assert.match(reply.body, /href="[^"]*\/dashboard\/sign-in\?return_to=%2Fdashboard"/)
    assert.equal(agent.cookies.has(cookieName(w)), false)
  })

test('the answer of the issuer to another browser gives no session', async () => {
  const { answer } = await pending()
  const other = createAgent(w.reach)
  assert.equal((await other.get(answer.href)).status, 400)
  const began = await pending()
  assert.equal((await began.agent.get(answer.href)).status, 400)
})

test('an answer of the issuer works once', async () => {
  const { agent, answer } = await pending()
  const cookies = new Map(agent.cookies)
  assert.equal((await agent.get(answer.href)).status, 303)
  assert.equal((await agent.get(answer.href)).status, 400)
  const replay = createAgent(w.reach)
  for (const [name, value] of cookies) replay.cookies.set(name, value)
  assert.equal((await replay.get(answer.href)).status, 400)
})

test('of 50 parallel callbacks with one answer at most one gives a session', async () => {
  const { agent, answer } = await pending()
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => {
      const copy = createAgent(w.reach)
      for (const [name, value] of agent.cookies) copy.cookies.set(name, value)
      return copy.get(answer.href)
    }),
  )
  assert.ok(replies.filter(({ status }) => status === 303).length <= 1)
  assert.ok(replies.every(({ status }) => status === 303 || status === 400))
})

test('two tabs can sign in at the same time', async () => {
  const agent = createAgent(w.reach)
  const request = (reply: { headers: Headers }) => ({
    url: reply.headers.get('location') ?? '',
    redirect_uri: `${w.base_url}/dashboard/callback`,
  })
  const [first, second] = [await agent.get(`${w.base_url}/dashboard/sign-in`), await agent.get(`${w.base_url}/dashboard/sign-in`)]
  const answer = await followToClient(agent, request(second), owner)
  assert.equal((await agent.get((await followToClient(agent, request(first), owner)).href)).status, 303)
  assert.equal((await agent.get(answer.href)).status, 303)
})

/** Each way in which the session behind the dashboard ends. */
const ends: [string, (user: { user_id: string; email: string; password: string; token: string }, sid: string) => Promise<unknown>][] = [
  ['its session at the issuer is ended by an operator', async (_, sid) => asOperator('DELETE', `/v1/auth/sessions/${sid}`)],
  ['the account is blocked', async ({ user_id }) => asOperator('POST', `/v1/auth/users/${user_id}/block`)],
  ['all sessions of the account are ended', async ({ user_id }) => asOperator('POST', `/v1/auth/users/${user_id}/end-sessions`)],
  // Its grant has offline_access, and outlives these.
  [
    'the longest life of its session at the issuer is over',
    async (_, sid) => run(sql`update sessions set absolute_expires_at = ${w.now()} where id = ${sid}`),
  ],
  ['its session at the issuer was removed', async (_, sid) => run(sql`delete from sessions where id = ${sid}`)],
]
const run = (statement: Statement) => w.deployment.db.run(statement)
async function asOperator(method: string, path: string) {
  const { root_tenant_id } = expectStatus(200, await asAdministrator(w, await administratorToken(w, owner))('GET', '/v1/me'))
  const headers = { 'x-environment-id': w.admin_issuer.split('/').at(-1) ?? '' }
  const reply = await asAdministrator(w, await administratorToken(w, owner), root_tenant_id)(method, path, undefined, headers)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
}
for (const [i, [how, end]] of ends.entries())
  test(`the session of the dashboard ends when ${how}`, async () => {
    const user = await createAdministrator(w, `ends${i}@example.com`)
    const dashboard = await signInToDashboard(w, user)
    expectStatus(200, await dashboard.session())
    const { session_id } = (await sessionsOf(user.user_id))[0] ?? { session_id: '' }
    await end(user, session_id)
    assert.equal((await dashboard.call('GET', '/v1/me')).status, 401)
    assert.equal((await dashboard.session()).status, 204)
    assert.deepEqual(await sessionsOf(user.user_id), [])
  })

test('the session of the dashboard ends with a sign-out at the issuer, which leaves its grant', async () => {
  const user = await createAdministrator(w, 'signs.out@example.com')
  const dashboard = await signInToDashboard(w, user)
  const [row] = await sessionsOf(user.user_id)
  const page = await dashboard.agent.get(`${w.admin_issuer}/oauth/logout`)
  expectStatus(200, await dashboard.agent.submit(page, { decision: 'sign_out' }))
  assert.equal((await grantOf(row?.grant_id ?? ''))?.ended_at, null)
  assert.equal((await dashboard.call('GET', '/v1/me')).status, 401)
  assert.equal((await dashboard.session()).status, 204)
  assert.notEqual((await grantOf(row?.grant_id ?? ''))?.ended_at, null, 'now it has ended too')
})

const sessionsOf = (user_id: string) =>
  w.deployment.db.all(
    z.object({ session_id: z.string(), grant_id: z.string() }),
    sql`select session_id, grant_id from dashboard_sessions where user_id = ${user_id}`,
  )

const Grant = z.object({ ended_at: z.date().nullable() })
const grantOf = (id: string) => w.deployment.db.maybeOne(Grant, sql`select ended_at from grants where id = ${id}`)

test('sign-out ends the session, its grant and the session at the issuer', async () => {
  const user = await createAdministrator(w, 'leaves@example.com')
  const dashboard = await signInToDashboard(w, user)
  const [row] = await sessionsOf(user.user_id)
  const reply = await dashboard.signOut()
  assert.equal(reply.status, 204)
  assert.match(reply.headers.get('set-cookie') ?? '', /^[\w-]*ostiary_dashboard=; Path=\/dashboard; Max-Age=0;/)
  assert.equal((await dashboard.session()).status, 204)
  assert.deepEqual(await sessionsOf(user.user_id), [])
  assert.notEqual((await grantOf(row?.grant_id ?? ''))?.ended_at, null)
  const again = await dashboard.agent.get(`${w.base_url}/dashboard/sign-in`)
  const page = await dashboard.agent.get(again.headers.get('location') ?? '')
  assert.match(page.body, /name="password"/)
  assert.equal((await dashboard.signOut()).status, 204)
})

test('a second sign-in of the same browser replaces the session, and ends the grant of the first', async () => {
  const user = await createAdministrator(w, 'twice@example.com')
  const dashboard = await signInToDashboard(w, user)
  const first = dashboard.cookie()
  const [row] = await sessionsOf(user.user_id)
  await signInToDashboard(w, user, dashboard.agent)
  assert.equal((await w.call('GET', '/dashboard/session', { key: null, headers: { cookie: first } })).status, 204)
  expectStatus(200, await dashboard.session())
  assert.notEqual((await grantOf(row?.grant_id ?? ''))?.ended_at, null)
  assert.equal((await sessionsOf(user.user_id)).length, 1)
})

test('one of 50 parallel calls refreshes the tokens after an hour, and all are answered', async () => {
  const user = await createAdministrator(w, 'refreshes@example.com')
  const dashboard = await signInToDashboard(w, user)
  /** The number of the live refresh token rises by one with each refresh. */
  const count = async () => {
    const [row] = await w.deployment.db.all(
      z.object({ n: z.int() }),
      sql`select number as n from refresh_chains where grant_id = ${(await sessionsOf(user.user_id))[0]?.grant_id ?? ''}`,
    )
    return row?.n
  }
  assert.equal(await count(), 1)
  const at = w.deployment.db.engine === 'postgres' ? (await w.startAnotherService()).at : w.reach
  for (const seconds of [3_590, 4_000]) {
    w.advance(seconds) // shortly before the access token expires, and after
    const before = (await count()) ?? 0
    const calls = Array.from({ length: 50 }, (_, i) =>
      i % 2 ? dashboard.session() : fetch(at(`${w.base_url}/dashboard/session`), { headers: { cookie: dashboard.cookie() } }),
    )
    assert.deepEqual(new Set((await Promise.all(calls)).map(({ status }) => status)), new Set([200]))
    assert.equal(await count(), before + 1)
  }
})

test('a session that is not used for 12 hours ends', async () => {
  const dashboard = await signInToDashboard(w)
  w.advance(12 * 3_600 - 60)
  expectStatus(200, await dashboard.session())
  w.advance(12 * 3_600 + 60)
  assert.equal((await dashboard.session()).status, 204)
})

test('a session whose refresh token was revoked ends', async () => {
  const user = await createAdministrator(w, 'revoked@example.com')
  const dashboard = await signInToDashboard(w, user)
  const [row] = await sessionsOf(user.user_id)
  await w.deployment.db.run(sql`update grants set ended_at = ${w.now()} where id = ${row?.grant_id ?? ''}`)
  assert.equal((await dashboard.session()).status, 204)
  w.advance(4_000)
  assert.equal((await dashboard.session()).status, 204)
  assert.deepEqual(await sessionsOf(user.user_id), [])
})
