/** A sign-out that leads through the provider at which the session began (RP-Initiated Logout 1.0 as a client). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { type Agent, authorizationRequest, createAgent, exchange, followToClient, formOf } from '../support/cookie-browser.ts'
import { rowsFollowed } from '../support/endings.ts'
import { loopback_networks, startProvider } from '../support/own-provider.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const op = await startProvider()
/** Where the provider moves. */
const next = await startProvider()
next.metadata = { end_session_endpoint: `${next.issuer}/end` }
const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: loopback_networks }, outbound: op.outbound })
const environment = w.test
const bye = 'https://app.example.com/bye'
const application = await w.createApplication(environment, { post_logout_redirect_uris: [bye] })
const own_endpoint = { end_session_endpoint: `${op.issuer}/end?of=theirs` }
op.metadata = own_endpoint

const addProvider = async (body: object) => expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
const ours = { type: 'oidc', issuer: op.issuer, client_id: 'c', client_secret: 's', sign_out: 'rp_initiated', link_by_verified_email: true }
const provider = await addProvider(ours)

const locationOf = (reply: Reply) => new URL(reply.headers.get('location') ?? `data:,${reply.status}`)

/** Begins a sign-in at a provider. Returns where the browser goes. */
async function federate(agent: Agent, { id }: { id: string }) {
  const request = authorizationRequest(environment, application, { prompt: 'login' })
  const { hidden } = formOf((await agent.get(request.url)).body)
  return { request, location: locationOf(await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: id })) }
}

/** Follows the return of a provider to the application. */
async function comeBack(agent: Agent, url: URL, request: Awaited<ReturnType<typeof federate>>['request']): Promise<string> {
  const back = await followToClient(agent, { ...request, url: url.href }, { email: '', password: '' })
  return expectStatus(200, await exchange(w, environment, application, { request, code: back.searchParams.get('code') ?? '' })).id_token
}

/** Signs in at the provider of the test. Returns the ID token of the application. */
async function signIn(agent: Agent, at = provider): Promise<string> {
  const { request, location } = await federate(agent, at)
  op.nonce = location.searchParams.get('nonce') ?? ''
  const answer = new URLSearchParams({ code: 'x', state: location.searchParams.get('state') ?? '' })
  return comeBack(agent, new URL(`${at.callback_url}?${answer}`), request)
}

const signOut = (agent: Agent, id_token_hint: string | null) => {
  const hint = id_token_hint === null ? { client_id: application.client_id } : { id_token_hint }
  return agent.get(`${environment.issuer}/oauth/logout?${new URLSearchParams({ ...hint, post_logout_redirect_uri: bye, state: 'ours' })}`)
}
const isSignedOut = async (agent: Agent) => {
  const reply = await agent.get(authorizationRequest(environment, application, { prompt: 'none' }).url)
  return locationOf(reply).searchParams.get('error') === 'login_required'
}

/** Reports whether the session of an ID token has ended, which the browser cannot know: it loses its cookie anyway. */
const hasEnded = async (id_token: string) => {
  const { sid } = decodeJwt(id_token)
  const row = await w.deployment.db.maybeOne(
    z.object({ has_ended: z.boolean() }),
    sql`select case when ended_at is null then 0 else 1 end as has_ended from sessions where environment_id = ${environment.id} and id = ${String(sid)}`,
  )
  return row?.has_ended
}

test('a sign-out ends the session at another issuer too and goes on to the application, and the button there asks for a password again', async () => {
  const { test: partner } = await w.createProject('partner')
  const client = await w.createApplication(partner, { redirect_uris: ['https://app.example.com/not-yet'] })
  const there = await addProvider({ ...ours, issuer: partner.issuer, client_id: client.client_id, client_secret: client.client_secret })
  const addresses = { redirect_uris: [there.callback_url], post_logout_redirect_uris: [there.post_logout_redirect_uri] }
  expectStatus(200, await w.call('PATCH', `${partner.path}/applications/${client.id}`, { body: addresses }))
  const user = await w.createUser(partner, { email_verified: true })
  const agent = createAgent()
  const { request, location } = await federate(agent, there)
  location.searchParams.delete('prompt')
  const back = await followToClient(agent, { url: location.href, redirect_uri: there.callback_url }, user)
  let id_token = await comeBack(agent, back, request)

  for (const way of ['hint', 'button']) {
    const asked = await signOut(agent, way === 'hint' ? id_token : null)
    assert.equal(await hasEnded(id_token), way === 'hint')
    const leaving = way === 'hint' ? asked : await agent.submit(asked, { decision: 'sign_out' })
    assert.deepEqual([await isSignedOut(agent), await hasEnded(id_token)], [true, true], 'signed out here before the provider is asked')
    const to_provider = locationOf(leaving)
    assert.equal(to_provider.origin + to_provider.pathname, `${partner.issuer}/oauth/logout`)
    const returning = locationOf(await agent.get(to_provider.href))
    assert.equal(returning.origin + returning.pathname, there.post_logout_redirect_uri)
    const last = await agent.get(returning.href)
    if (way === 'hint') assert.equal(locationOf(last).href, `${bye}?state=ours`)
    else assert.ok(last.status === 200 && last.body.includes(`href="${bye}?state=ours"`))
    const again = await federate(agent, there)
    again.location.searchParams.delete('prompt')
    assert.match((await agent.get(again.location.href)).body, /name="password"/)
    if (way === 'button') break
    const second = await followToClient(agent, { url: again.location.href, redirect_uri: there.callback_url }, user)
    id_token = await comeBack(agent, second, again.request)
  }
})

test('the request to the provider has its own query, the client, the way back, a state and the ID token', async () => {
  const agent = createAgent()
  op.claims = { sid: 'their session' }
  const id_token = await signIn(agent)
  const to = locationOf(await signOut(agent, id_token))
  const { id_token_hint = '', state = '', ...sent } = Object.fromEntries(to.searchParams)
  assert.deepEqual(sent, { of: 'theirs', client_id: 'c', post_logout_redirect_uri: provider.post_logout_redirect_uri })
  assert.equal(decodeJwt(id_token_hint).sid, 'their session')
  assert.match(state, /^[\w-]{43}$/)
  const returned = (change: object, id = provider.id) =>
    agent.get(`${environment.issuer}/oauth/signed-out/${id}?${new URLSearchParams({ state, ...change })}`)
  const asks = `${environment.issuer}/oauth/logout`
  assert.equal(locationOf(await returned({ state: 'another' })).href, asks)
  assert.equal(locationOf(await returned({}, 'prv_another')).href, asks)
  assert.equal(locationOf(await returned({})).href, `${bye}?state=ours`)
  assert.equal(locationOf(await returned({})).href, asks, 'it counts once')
  op.claims = {}
})

test('a return counts for ten minutes', async () => {
  const agent = createAgent()
  const { searchParams } = locationOf(await signOut(agent, await signIn(agent)))
  w.advance(600)
  const reply = await agent.get(`${provider.post_logout_redirect_uri}?state=${searchParams.get('state')}`)
  assert.equal(locationOf(reply).href, `${environment.issuer}/oauth/logout`)
})

interface Kept {
  why: string
  change?: object
  metadata?: Record<string, unknown>
  is_silent?: boolean
}
// biome-ignore format: this table is read by column
const here_alone: Kept[] = [
  { why: 'the provider is not set so',                  change: { sign_out: 'none' } },
  { why: 'the provider was disabled meanwhile',         change: { enabled: false } },
  { why: 'the provider has moved, whose ID token is not for the new issuer', change: { issuer: next.issuer, client_secret: 't' } },
  { why: 'the provider has no end_session_endpoint',    metadata: {} },
  { why: 'its endpoint is a script',                    metadata: { end_session_endpoint: 'javascript:alert(1)' } },
  { why: 'its endpoint is http on another machine',     metadata: { end_session_endpoint: 'http://sso.example.com/end' } },
  { why: 'its endpoint is not a URL',                      metadata: { end_session_endpoint: 'end' } },
  { why: 'the provider hangs',                          is_silent: true },
]
for (const { why, change, metadata, is_silent = false } of here_alone)
  test(`a sign-out is one here alone where ${why}`, async () => {
    const agent = createAgent()
    const at = await addProvider({ ...ours, ...(change && 'sign_out' in change ? change : {}) })
    const id_token = await signIn(agent, at)
    if (change && !('sign_out' in change))
      expectStatus(200, await w.call('PATCH', `${environment.path}/providers/${at.id}`, { body: change }))
    op.metadata = metadata ?? own_endpoint
    op.is_silent = is_silent
    w.advance(301) // the metadata is cached
    const reply = await signOut(agent, id_token)
    op.is_silent = false
    op.metadata = own_endpoint
    w.advance(301)
    assert.equal(locationOf(reply).href, `${bye}?state=ours`)
    await rowsFollowed(w.deployment.db) // those of a provider that was disabled
    assert.deepEqual([await isSignedOut(agent), await hasEnded(id_token)], [true, true])
    if (is_silent) assert.deepEqual(op.waits.splice(0), [2_000])
  })

const Row = z.object({ provider_id: z.string().nullable(), upstream_sid: z.string().nullable(), upstream_id_token: z.string().nullable() })
const rowOf = async (id_token: string) => {
  const { sid } = decodeJwt(id_token)
  const row = await w.deployment.db.maybeOne(
    Row,
    sql`select provider_id, upstream_sid, upstream_id_token from sessions where environment_id = ${environment.id} and id = ${String(sid)}`,
  )
  return row ?? assert.fail('There is no session.')
}

test('the ID token is kept sealed, up to 4,096 characters, only where a sign-out leads there', async () => {
  const kept = await rowOf(await signIn(createAgent()))
  assert.match(kept.upstream_id_token ?? '', /^v1\./)
  op.claims = { more: 'x'.repeat(4_096), sid: 's'.repeat(256) }
  const agent = createAgent()
  const id_token = await signIn(agent)
  assert.deepEqual(await rowOf(id_token), { provider_id: provider.id, upstream_sid: null, upstream_id_token: null })
  assert.equal(locationOf(await signOut(agent, id_token)).searchParams.has('id_token_hint'), false)
  op.claims = {}
  const quiet = await addProvider({ ...ours, sign_out: 'none' })
  assert.equal((await rowOf(await signIn(createAgent(), quiet))).upstream_id_token, null)
})

test('a deleted user leaves neither the ID token nor the session of the provider', async () => {
  op.claims = { sid: 'their session', sub: 'gone', email: 'gone@example.com' }
  const id_token = await signIn(createAgent())
  op.claims = {}
  assert.equal((await rowOf(id_token)).upstream_sid, 'their session')
  const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  expectStatus(204, await w.call('DELETE', `/v1/auth/users/${decodeJwt(id_token).sub}`, { key }))
  await until('the session forgets the provider', async () => {
    const { upstream_sid, upstream_id_token } = await rowOf(id_token)
    return upstream_sid === null && upstream_id_token === null
  })
})
