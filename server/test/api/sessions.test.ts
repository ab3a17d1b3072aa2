/** Sessions as the backend of an environment reads and ends them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import {
  authorizationRequest,
  type createAgent,
  createPerson,
  obtainCode,
  refresh,
  signInForTokens,
  userinfo,
} from '../support/cookie-browser.ts'
import { until } from '../support/receiver.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const secret = await createAuthKey(w, w.test, 'auth_secret')
const api = (method: string, path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  w.call(method, `/v1/auth/${path}`, { key: secret.key, headers })
const sessionsOf = async (user_id: string, query = '') => expectStatus(200, await api('GET', `users/${user_id}/sessions${query}`))

test('a session shows its user, times, client address, user agent, methods and applications', async () => {
  const [one, two] = [await w.createApplication(w.test), await w.createApplication(w.test)]
  const user = await w.createUser(w.test)
  const before = w.now().getTime()
  const { agent, tokens } = await signInForTokens(w, w.test, one, { user })
  const { data, has_more } = await sessionsOf(user.id)
  assert.equal(has_more, false)
  const [{ id, created_at, last_seen_at, expires_at, user_agent, ip, ...rest }] = data
  assert.deepEqual(rest, { user_id: user.id, method: 'password', amr: ['pwd'], applications: [one.id] })
  assert.equal(id, JSON.parse(Buffer.from(tokens.id_token.split('.')[1], 'base64url').toString()).sid)
  assert.ok(Date.parse(created_at) >= before && last_seen_at >= created_at)
  assert.equal(Date.parse(expires_at) - Date.parse(last_seen_at), 86_400_000)
  assert.match(ip, /^(127\.0\.0\.1|::1)$/)
  assert.equal(user_agent, 'node')

  await signInForTokens(w, w.test, two, { user, agent })
  const used = expectStatus(200, await api('GET', `sessions/${id}`))
  assert.deepEqual(used.applications.sort(), [one.id, two.id].sort())
  assert.deepEqual((await sessionsOf(user.id)).data, [used])
})

test('each browser has its own session, listed newest first, in pages', async () => {
  const client = await w.createApplication(w.test)
  const user = await w.createUser(w.test)
  for (let n = 0; n < 3; n++) await signInForTokens(w, w.test, client, { user })
  const all = (await sessionsOf(user.id)).data.map(({ id }: { id: string }) => id)
  assert.equal(all.length, 3)
  assert.deepEqual([...all].sort().reverse(), all)
  const first = await sessionsOf(user.id, '?limit=2')
  const second = await sessionsOf(user.id, `?limit=2&cursor=${first.next_cursor}`)
  assert.deepEqual(
    [...first.data, ...second.data].map(({ id }) => id),
    all,
  )
  assert.deepEqual([second.has_more, second.next_cursor], [false, null])
})

test('ending a session ends its tokens, including offline ones, and no other session of the user', async () => {
  const client = await w.createApplication(w.test)
  const user = await w.createUser(w.test)
  const kept = await signInForTokens(w, w.test, client, { user })
  const ended = await signInForTokens(w, w.test, client, { user })
  const [{ id }] = (await sessionsOf(user.id)).data
  assert.equal((await api('DELETE', `sessions/${id}`)).status, 204)
  for (const reply of [await api('DELETE', `sessions/${id}`), await api('GET', `sessions/${id}`)]) assert.equal(reply.status, 404)
  assert.equal((await sessionsOf(user.id)).data.length, 1)
  assert.equal((await userinfo(w, w.test, ended.tokens.access_token)).status, 401)
  assert.equal((await refresh(w, w.test, client, ended.tokens.refresh_token)).body.error, 'invalid_grant')
  expectStatus(200, await userinfo(w, w.test, kept.tokens.access_token))
  const silent = (agent: ReturnType<typeof createAgent>) => agent.get(authorizationRequest(w.test, client, { prompt: 'none' }).url)
  assert.match((await silent(ended.agent)).headers.get('location') ?? '', /error=login_required/)
  assert.match((await silent(kept.agent)).headers.get('location') ?? '', /[?&]code=/)
})

test('a session expires when it is idle or too old, its use extends the idle time, and it is listed while it can be ended', async () => {
  await w.changeSettings(w.test, { sessions: { idle_ttl_seconds: 3_600, absolute_ttl_seconds: 9_000 } })
  const client = await w.createApplication(w.test)
  const [idle, used] = [await createPerson(w, w.test), await createPerson(w, w.test)]
  for (const person of [idle, used]) await person.tokens(client)
  const [{ id }] = (await sessionsOf(used.id)).data
  w.advance(3_000)
  await obtainCode(used.agent, authorizationRequest(w.test, client), used)
  w.advance(3_000)
  const isSignedIn = async ({ agent }: typeof idle) =>
    /[?&]code=/.test((await agent.get(authorizationRequest(w.test, client, { prompt: 'none' }).url)).headers.get('location') ?? '')
  assert.deepEqual([await isSignedIn(idle), await isSignedIn(used)], [false, true])
  const [{ expires_at }] = (await sessionsOf(idle.id)).data
  assert.ok(Date.parse(expires_at) < w.now().getTime(), 'it can still be ended')
  w.advance(3_001)
  assert.equal(await isSignedIn(used), false)
  assert.equal(expectStatus(200, await api('GET', `sessions/${id}`)).id, id, 'its grant lives')
  for (const person of [idle, used]) {
    const { data } = expectStatus(200, await api('GET', `users/${person.id}/grants`))
    expectStatus(204, await api('DELETE', `users/${person.id}/grants/${data[0].id}`))
  }
  await until('the grants ended', async () => (await api('GET', `sessions/${id}`)).status === 404)
  await until('no session', async () => (await sessionsOf(idle.id)).data.length === 0)
  await w.changeSettings(w.test, { sessions: null })
})

test('the ETag of a session changes with a new sign-in but not with its use, and If-Match protects DELETE', async () => {
  const client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  await person.tokens(client)
  const [{ id }] = (await sessionsOf(person.id)).data
  const tag = async () => (await api('GET', `sessions/${id}`)).headers.get('etag') ?? ''
  const first = await tag()
  w.advance(10)
  await person.tokens(client)
  assert.equal(await tag(), first)
  const again = authorizationRequest(w.test, client, { prompt: 'login' })
  await obtainCode(person.agent, again, person)
  const second = await tag()
  assert.notEqual(second, first)
  assert.equal((await api('DELETE', `sessions/${id}`, { 'if-match': first })).body.code, 'stale_version')
  assert.equal((await api('DELETE', `sessions/${id}`, { 'if-match': second })).status, 204)
})

test('of 20 parallel requests that end one session, one succeeds, with one event', async () => {
  const client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  await person.tokens(client)
  const [{ id }] = (await sessionsOf(person.id)).data
  const replies = await Promise.all(Array.from({ length: 20 }, () => api('DELETE', `sessions/${id}`)))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [204, ...Array.from({ length: 19 }, () => 404)])
  assert.equal((await eventsOf('session.ended', person.id)).length, 1)
})

/** Includes events that are not numbered yet. */
async function eventsOf(type: string, user_id: string): Promise<object[]> {
  return w.deployment.db.all(
    z.object({ id: z.string() }),
    sql`select id from events where environment_id = ${w.test.id} and type = ${type} and user_id = ${user_id}`,
  )
}
