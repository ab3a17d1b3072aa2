/** The pre-registered client of command lines gets no code before the person confirms the request (RFC 8252 §8.6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asAdministrator } from '../support/administrator.ts'
import { type Agent, authorizationRequest, createAgent, exchange, type Fields, obtainCode } from '../support/cookie-browser.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const root = { id: w.admin_issuer.split('/').at(-1) as TestEnvironment['id'], issuer: w.admin_issuer } // as: the issuer ends with it
const client = { client_id: w.admin_client_id, redirect_uris: ['http://127.0.0.1:49152/callback'] }
const requestWith = (change: Fields = {}) => authorizationRequest(root, client, { scope: 'openid', resource: w.base_url, ...change })

/** A browser in which the owner is signed in. */
async function signedIn(): Promise<Agent> {
  const agent = createAgent()
  await obtainCode(agent, requestWith(), owner)
  return agent
}

const answerOf = (reply: Reply) => new URL(reply.headers.get('location') ?? 'about:blank').searchParams
const asks = (reply: Reply) => reply.body.includes(`action="${root.issuer}/consent"`)

const isConsentPage = (reply: Reply) => reply.status === 200 && asks(reply)

/** Confirms the request. Returns the address that yields the code. */
async function confirm(agent: Agent, url: string): Promise<string> {
  const confirmed = await agent.submit(await agent.get(url), { decision: 'allow' })
  assert.equal(confirmed.status, 303)
  return confirmed.headers.get('location') ?? ''
}

test('prompt=none is interaction_required with a session, even after a confirmation for the same application', async () => {
  const agent = await signedIn()
  await obtainCode(agent, requestWith(), owner)
  const replies = await Promise.all(Array.from({ length: 50 }, () => agent.get(requestWith({ prompt: 'none' }).url)))
  for (const reply of replies) {
    assert.equal(answerOf(reply).get('error'), 'interaction_required')
    assert.equal(answerOf(reply).get('code'), null)
  }
  assert.equal(answerOf(await createAgent().get(requestWith({ prompt: 'none' }).url)).get('error'), 'login_required')
})

test('a session yields the confirmation page every time, and the confirmation yields the code', async () => {
  const agent = await signedIn()
  for (let round = 0; round < 2; round++) {
    const request = requestWith()
    assert.ok(isConsentPage(await agent.get(request.url)), 'a page')
    const reply = await agent.get(await confirm(agent, request.url))
    const tokens = expectStatus(200, await exchange(w, root, client, { request, code: answerOf(reply).get('code') ?? '' }))
    expectStatus(200, await asAdministrator(w, tokens.access_token)('GET', '/v1/me'))
  }
})

test('a denied request is access_denied', async () => {
  const agent = await signedIn()
  const refused = await agent.submit(await agent.get(requestWith().url), { decision: 'deny' })
  assert.equal(answerOf(refused).get('error'), 'access_denied')
})

test('signing in for the request counts as the confirmation', async () => {
  const agent = createAgent()
  const request = requestWith()
  const signed_in = await agent.submit(await agent.get(request.url), { email: owner.email, password: owner.password })
  assert.ok(answerOf(await agent.get(signed_in.headers.get('location') ?? '')).has('code'))
})

test('selecting an account for the request counts as the confirmation', async () => {
  const agent = await signedIn()
  const chooser = await agent.get(requestWith({ prompt: 'select_account' }).url)
  const session = /name="session" value="([^"]*)"/.exec(chooser.body)?.[1] ?? ''
  const chosen = await agent.submit(chooser, { session })
  assert.ok(answerOf(await agent.get(chosen.headers.get('location') ?? '')).has('code'))
})

const changes: { what: string; change: (url: URL) => void }[] = [
  { what: 'another state', change: (url) => url.searchParams.set('state', 'of another request') },
  { what: 'another port', change: (url) => url.searchParams.set('redirect_uri', 'http://127.0.0.1:6666/callback') },
  { what: 'another challenge', change: (url) => url.searchParams.set('code_challenge', 'a'.repeat(43)) },
  { what: 'a wider scope', change: (url) => url.searchParams.set('scope', 'openid offline_access') },
  { what: 'another parameter', change: (url) => url.searchParams.append('nonce2', 'x') },
  { what: 'a later time', change: (url) => replaceConfirmation(url, (at, mac) => `${Number(at) + 1}.${mac}`) },
  { what: 'another MAC', change: (url) => replaceConfirmation(url, (at, mac) => `${at}.${mac.slice(1)}${mac[0]}`) },
  { what: 'no MAC', change: (url) => replaceConfirmation(url, (at) => `${at}.`) },
  { what: 'no confirmation', change: (url) => url.searchParams.delete('pressed') },
]

function replaceConfirmation(url: URL, by: (at: string, mac: string) => string): void {
  const [at = '', mac = ''] = (url.searchParams.get('pressed') ?? '').split('.')
  url.searchParams.set('pressed', by(at, mac))
}

for (const { what, change } of changes)
  test(`a confirmation does not count for the request with ${what}`, async () => {
    const agent = await signedIn()
    const url = new URL(await confirm(agent, requestWith().url))
    change(url)
    assert.ok(isConsentPage(await agent.get(url.href)))
  })

test('a confirmation does not count with prompt=none', async () => {
  const agent = await signedIn()
  const url = new URL(await confirm(agent, requestWith().url))
  url.searchParams.set('prompt', 'none')
  assert.equal(answerOf(await agent.get(url.href)).get('error'), 'interaction_required')
})

test('a confirmation does not count for another session of the same person, or after a minute', async () => {
  const agent = await signedIn()
  const url = await confirm(agent, requestWith().url)
  assert.ok(!isConsentPage(await (await signedIn()).get(url)), 'another session signs in')
  w.advance(61)
  assert.ok(isConsentPage(await agent.get(url)))
})

test('a confirmation needs the form token and the origin of the page', async () => {
  const agent = await signedIn()
  const page = await agent.get(requestWith().url)
  const forged = await agent.submit(page, { decision: 'allow', csrf: 'x' })
  assert.deepEqual([forged.status, asks(forged)], [400, true])
  const foreign = await agent.submit(page, { decision: 'allow' }, { origin: 'https://evil.example' })
  assert.deepEqual([foreign.status, asks(foreign)], [400, true])
})
