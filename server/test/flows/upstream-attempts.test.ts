/** Where a sign-in at a provider is kept until its answer: in a cookie of the browser, and in bounded rows where it is too large. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { list, sql } from '../../src/db/db.ts'
import {
  longest_upstream_cookie,
  openUpstreamCookie,
  roomForAttempt,
  sealUpstreamSignIn,
} from '../../src/domain/providers/upstream-sign-ins.ts'
import { type Agent, authorizationRequest, createAgent, formOf } from '../support/cookie-browser.ts'
import { inLanes } from '../support/lanes.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound, env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
const { db } = w.deployment
const google = { type: 'google', client_id: 'g', client_secret: 's' }

async function setUp(environment: TestEnvironment) {
  const client = await w.createApplication(environment)
  const provider_id = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body: google })).id as string
  return { environment, environment_id: environment.id as EnvironmentId, client, provider_id } // as: an id of ours
}
type Place = Awaited<ReturnType<typeof setUp>>
const place = await setUp(w.test)
const newPlace = async (name: string) => setUp((await w.createProject(name)).test)

/** A query that leaves no room in a cookie. */
const large = { state: 's'.repeat(1_000), nonce: 'n'.repeat(1_000), login_hint: 'l'.repeat(900) }

let people = 0
/** Presses the button of the provider. */
async function begin({ environment, client, provider_id }: Place, change: Record<string, string> = {}, agent = createAgent(), from = '') {
  const page = await agent.get(authorizationRequest(environment, client, { prompt: 'login', ...change }).url)
  const headers: Record<string, string> = from === '' ? {} : { 'x-forwarded-for': from }
  const started = await agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider_id }, headers)
  assert.equal(started.status, 303)
  const claims = { sub: `attempt ${++people}`, email: `attempt${people}@example.com`, email_verified: true }
  const answer = upstreams.agree(started.headers.get('location') ?? '', { claims, github: { user: {}, emails: [] } })
  return { agent, answer, set_cookie: started.headers.getSetCookie().filter((line) => line.includes('ostiary_upstream_')) }
}
const callback = (
  agent: Agent,
  { environment, provider_id }: Place,
  answer: Record<string, string>,
  headers: Record<string, string> = {},
) => agent.get(`${environment.issuer}/oauth/callback/${provider_id}?${new URLSearchParams(answer)}`, headers)

const Stored = z.object({ attempts: z.int(), size: z.int() })
const stored = async ({ environment_id }: Place) =>
  (
    await db.all(
      Stored,
      sql`select count(*) as attempts, coalesce(sum(size), 0) as size from upstream_sign_ins where environment_id = ${environment_id}`,
    )
  )[0] ?? { attempts: 0, size: 0 }
const cookieOf = (agent: Agent) => [...agent.cookies].find(([name]) => name.includes('ostiary_upstream_')) ?? ['', '']

test('an ordinary sign-in at a provider stores nothing before its answer, and a digest after it', async () => {
  const { agent, answer, set_cookie } = await begin(place)
  assert.deepEqual(await stored(place), { attempts: 0, size: 0 })
  assert.match(set_cookie.join(), /^ostiary_upstream_1_env_\w+=v1\.[\w.-]+; Path=\/e\/env_\w+; Max-Age=600; HttpOnly; SameSite=Lax$/)
  assert.ok(cookieOf(agent)[1].length <= longest_upstream_cookie)
  assert.doesNotMatch(Buffer.from(cookieOf(agent)[1].split('.').at(-1) ?? '', 'base64url').toString('latin1'), /client_id|code_verifier/)
  assert.equal((await callback(agent, place, answer)).status, 303)
  const again = await callback(agent, place, answer)
  assert.deepEqual([again.status, /<h1>(.*?)<\/h1>/.exec(again.body)?.[1]], [400, 'This sign-in is over'])
  assert.deepEqual(cookieOf(agent), ['', ''], 'the answer removes the cookie')
  const returned = await db.all(
    z.object({ state_hash: z.string(), expires_at: z.date() }),
    sql`select state_hash, expires_at from returned_upstream_states where environment_id = ${place.environment_id}`,
  )
  assert.equal(returned.length, 1)
  const left_ms = (returned[0]?.expires_at.getTime() ?? 0) - w.now().getTime()
  assert.ok(left_ms > 500_000 && left_ms <= 600_000, String(left_ms))
  assert.notEqual(returned[0]?.state_hash, answer.state)
})

for (const [size, change] of Object.entries({ 'in a cookie': {}, 'in a row': large }))
  test(`of 50 parallel answers with one attempt ${size}, one counts`, async () => {
    const { agent, answer } = await begin(place, change)
    const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const replies = await inLanes(10, 50, () => callback(createAgent(), place, answer, { cookie }))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [303, ...Array(49).fill(400)])
    w.advance(30)
    assert.equal((await callback(createAgent(), place, answer, { cookie })).status, 400, 'later')
  })

const here = place
const there = await setUp(w.live)
const other_provider = expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body: google })).id as string
/** The cases in which a cookie is not valid. Each gets the browser of the attempt, and returns the answer to another one. */
const foreign: Record<string, (agent: Agent, answer: Record<string, string>) => Promise<{ status: number }>> = {
  'another browser': async (agent, answer) => {
    const thief = (await begin(here)).agent
    const [name, value] = cookieOf(agent)
    thief.cookies.set(name, value)
    return callback(thief, here, answer)
  },
  'a browser without a form cookie': async (agent, answer) => {
    const bare = createAgent()
    bare.cookies.set(...(cookieOf(agent) as [string, string])) // as: a pair
    return callback(bare, here, answer)
  },
  'another provider': (agent, answer) => callback(agent, { ...here, provider_id: other_provider }, answer),
  'another environment': async (agent, answer) => {
    const both = createAgent()
    for (const [name, value] of agent.cookies) both.cookies.set(name.replace(here.environment.id, there.environment.id), value)
    return callback(both, { ...there, provider_id: here.provider_id }, answer)
  },
  'another state': (agent, answer) => callback(agent, here, { ...answer, state: 'a'.repeat(43) }),
}
for (const [what, ask] of Object.entries(foreign))
  test(`an attempt in a cookie does not count for ${what}, and still counts for its own`, async () => {
    const { agent, answer } = await begin(here)
    assert.equal((await ask(agent, answer)).status, 400)
    assert.equal((await callback(agent, here, answer)).status, 303)
  })

test('a sealed attempt opens in its own environment and browser only, whatever the seed of the browser', () => {
  const secrets = { state: 's', nonce: 'n', code_verifier: 'v' }
  const attempt = { ...secrets, provider_id: 'idp_1', issuer: '', query: 'q', browser: 'seed', connects: null }
  const sealed = sealUpstreamSignIn(w.deployment, w.test.id, attempt) ?? assert.fail()
  assert.equal(openUpstreamCookie(w.deployment, w.test.id, sealed, 'seed')?.query, 'q')
  assert.equal(openUpstreamCookie(w.deployment, w.live.id, sealed, 'seed'), null)
  assert.equal(openUpstreamCookie(w.deployment, w.test.id, sealed, 'another seed'), null)
})

test('a cookie that was changed, cut, made longer or sealed as something else counts for nothing', async () => {
  const { agent, answer } = await begin(place)
  const [name, sealed] = cookieOf(agent)
  const flipped = `${sealed.slice(0, -8)}${sealed.at(-8) === 'A' ? 'B' : 'A'}${sealed.slice(-7)}`
  for (const value of [
    flipped,
    sealed.slice(0, -1),
    `${sealed}A`,
    'v1.a.b.c',
    'v1',
    '.',
    'x'.repeat(longest_upstream_cookie + 1),
    sealed.replace('v1.', 'v2.'),
  ]) {
    agent.cookies.set(name, value)
    assert.equal((await callback(agent, place, answer)).status, 400, value.slice(0, 20))
    assert.equal((await begin(place, {}, agent)).set_cookie.length, 1, 'its slot is free')
  }
})

test('an attempt ends after ten minutes, in a cookie and in a row', async () => {
  for (const change of [{}, large]) {
    const { agent, answer } = await begin(place, change)
    w.advance(601)
    assert.equal((await callback(agent, place, answer)).status, 400)
  }
})

test('a browser keeps two attempts in cookies; more tabs have rows, and every one of them counts', async () => {
  const own = await newPlace('tabs')
  const agent = createAgent()
  const tabs = []
  for (let n = 0; n < 4; n++) tabs.push((await begin(own, {}, agent)).answer)
  assert.equal((await stored(own)).attempts, 2)
  const sizes = [...agent.cookies].map(([name, value]) => name.length + value.length)
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 8_000)
  for (const answer of tabs) assert.equal((await callback(agent, own, answer)).status, 303)
  assert.equal((await begin(own, {}, agent)).set_cookie.length, 1, 'the slots are free again')
})

test('the rows of one source have at most 1 MB, and the oldest gives way', async () => {
  const own = await newPlace('one-source')
  const from = '198.51.100.7'
  const first = await begin(own, large, createAgent(), from)
  w.advance(1)
  const elsewhere = await begin(own, large, createAgent(), '198.51.100.8')
  await inLanes(8, 320, () => begin(own, large, createAgent(), from))
  w.advance(1)
  const last = await begin(own, large, createAgent(), from)
  const of_source = sql`select count(*) as attempts, sum(size) as size from upstream_sign_ins
    where environment_id = ${own.environment_id} and source like '%198.51.100.7%'`
  const [row] = await db.all(Stored, of_source)
  assert.ok((row?.size ?? 0) <= 1_000_000 && (row?.size ?? 0) > 900_000, JSON.stringify(row))
  assert.equal((await callback(first.agent, own, first.answer)).status, 400)
  for (const { agent, answer } of [elsewhere, last]) assert.equal((await callback(agent, own, answer)).status, 303)
})

test('the rows of an environment have at most 32 MB, and the oldest of the source with most gives way', async () => {
  const own = await newPlace('full')
  const at = w.now().getTime() + 300_000
  const plant = (source: string, size: number, number: number) =>
    sql`insert into upstream_sign_ins (environment_id, state_hash, provider_id, payload, expires_at, source, size)
        values (${own.environment_id}, ${`${source} ${number}`}, 'prv_1', '', ${new Date(at + number)}, ${source}, ${size})`
  await db.batch([
    ...Array.from({ length: 26 }, (_, n) => plant('the fullest', 34_000, n)),
    ...Array.from({ length: 32 }, (_, n) => plant(`source ${n}`, 800_000, n)),
    plant('the rest', 32_000_000 - 26 * 34_000 - 32 * 800_000 - 2_000_000, 0),
    plant('the rest', 2_000_000, 1),
  ])
  const before = await stored(own)
  assert.equal(before.size, 32_000_000)
  const fresh = await begin(own, large, createAgent(), '203.0.113.9')
  const after = await stored(own)
  assert.ok(after.size <= 32_000_000, String(after.size))
  assert.equal((await callback(fresh.agent, own, fresh.answer)).status, 303)
  const left = await db.all(
    z.object({ source: z.string(), attempts: z.int() }),
    sql`select source, count(*) as attempts from upstream_sign_ins where environment_id = ${own.environment_id}
         and source in (${list(['the fullest', 'the rest'])}) group by source order by source`,
  )
  assert.deepEqual(left, [
    { source: 'the fullest', attempts: 26 },
    { source: 'the rest', attempts: 1 },
  ])
})

test('one more attempt removes at most ten of its source', async () => {
  const own = await newPlace('slices')
  const rows = Array.from(
    { length: 294 },
    (_, n) => sql`insert into upstream_sign_ins (environment_id, state_hash, provider_id, payload, expires_at, source, size)
      values (${own.environment_id}, ${`state ${n}`}, 'prv_1', '', ${new Date(w.now().getTime() + n)}, 'a', 3400)`,
  )
  await db.batch(rows)
  const results = await db.batch(roomForAttempt(own.environment_id, 'a', 34_000))
  const removed = (results ?? []).slice(1).map(({ changed }) => changed)
  assert.deepEqual(removed, [10, 0])
})
