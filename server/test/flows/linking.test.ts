/**
 * The link of an identity by a verified address: stored with the session, after the second factor, with an event and a mail. Adding a
 * sign-in method or a second factor of any type leaves both.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { sealed_columns } from '../../src/deployment/secrets/sealed-columns.ts'
import { openAccount, press } from '../support/account.ts'
import { appCode, codeAfter, enrolPerson, stepOn } from '../support/authenticator-app.ts'
import { authorizationRequest, createAgent, exchange, formOf, type Request } from '../support/cookie-browser.ts'
import { mailsTo } from '../support/mailed.ts'
import { until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const environment = w.test
await w.changeSettings(environment, { mfa: { mode: 'optional' }, lockout: { max_attempts: 100 } })
const client = await w.createApplication(environment)
const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key as string

let providers = 0
const addProvider = async (change: Record<string, unknown> = {}) => {
  const fields = {
    type: 'oidc',
    client_id: 'o',
    client_secret: 's',
    issuer: 'https://sso.example.com',
    display_name: `Work ${++providers}`,
  }
  return expectStatus(
    201,
    await w.call('POST', `${environment.path}/providers`, { body: { ...fields, link_by_verified_email: true, ...change } }),
  )
}

/** Signs in at the provider. Returns the page or redirect that follows. */
async function signInAt(provider_id: string, email: string, sub = `at ${email}`, agent = createAgent()) {
  const request = authorizationRequest(environment, client)
  const page = await agent.get(request.url)
  const started = await agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider_id })
  const claims = { sub, email, email_verified: true, name: 'Pat' }
  const answer = upstreams.agree(started.headers.get('location') ?? '', { claims, github: { user: {}, emails: [] } })
  const back = await agent.get(`${environment.issuer}/oauth/callback/${provider_id}?${new URLSearchParams(answer)}`)
  return { agent, request, ...(await codeAfter(agent, back, request)) }
}

const patchUser = (id: string, body: unknown) => w.call('PATCH', `/v1/auth/users/${id}`, { key, body })
const methodsOf = async (user_id: string) => {
  const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${user_id}/methods`, { key }))
  return data.map(({ type }: { type: string }) => type).sort() as string[]
}
const addedEvents = (user_id: string) =>
  w.deployment.db.all(
    z.object({ data: z.string(), actor_id: z.string().nullable() }),
    sql`select data, actor_id from events where environment_id = ${environment.id} and user_id = ${user_id} and type = 'user.method_added'`,
  )
const addedMails = async (email: string) => (await mailsTo(w, environment, email)).filter(({ kind }) => kind === 'method_added')
const subjectOf = async (request: Request, code: string | null) =>
  decodeJwt(expectStatus(200, await exchange(w, environment, client, { request, code: code ?? '' })).id_token).sub

let people = 0
/** A person with a proven address and an authenticator app. */
async function withApp() {
  await w.changeSettings(environment, { mfa: { mode: 'required' }, email: { delivery: 'none' } })
  const person = await enrolPerson(w, environment, client, { email: `linked${++people}@example.com` })
  await w.changeSettings(environment, { mfa: { mode: 'optional' }, email: { delivery: 'capture' } })
  expectStatus(200, await patchUser(person.id, { email_verified: true }))
  w.advance(30)
  return person
}

test('with one factor the identity is linked with the session, with an event and a mail', async () => {
  const provider = await addProvider()
  const person = await w.createUser(environment, { email: `linked${++people}@example.com`, email_verified: true })
  const { request, code } = await signInAt(provider.id, person.email)
  assert.equal(await subjectOf(request, code), person.id)
  assert.deepEqual(await methodsOf(person.id), ['password', 'provider'])
  const events = await addedEvents(person.id)
  assert.deepEqual(
    events.map(({ data, actor_id }) => [JSON.parse(data), actor_id]),
    [[{ method_type: 'provider', provider: provider.id }, person.id]],
  )
  const [mail, ...more] = await addedMails(person.email)
  assert.match(mail?.text ?? '', new RegExp(`Work.?${providers}`))
  assert.deepEqual(more, [])

  const again = await signInAt(provider.id, person.email)
  assert.equal(await subjectOf(again.request, again.code), person.id)
  assert.deepEqual([(await addedEvents(person.id)).length, (await addedMails(person.email)).length], [1, 1], 'a sign-in adds nothing')
})

test('before the second factor nothing is linked, and a person without it adds no way in', async () => {
  const provider = await addProvider({ sign_out: 'rp_initiated' })
  const person = await withApp()
  const { agent, page, code } = await signInAt(provider.id, person.email)
  assert.deepEqual([stepOn(page), code], ['second-factor', null])
  for (let i = 0; i < 5; i++) await agent.submit(page, { code: '000000' })
  assert.deepEqual(await methodsOf(person.id), ['password', 'recovery_codes', 'totp'])
  assert.deepEqual([await addedEvents(person.id), await addedMails(person.email)], [[], []])
  w.advance(901)

  const second = await signInAt(provider.id, person.email)
  const done = await codeAfter(
    second.agent,
    await second.agent.submit(second.page, { code: appCode(person.secret, w.now()) }),
    second.request,
  )
  assert.equal(await subjectOf(second.request, done.code), person.id)
  assert.deepEqual(await methodsOf(person.id), ['password', 'provider', 'recovery_codes', 'totp'])
  assert.deepEqual([(await addedEvents(person.id)).length, (await addedMails(person.email)).length], [1, 1])
  const session = await w.deployment.db.maybeOne(
    z.object({ id: z.string(), upstream_id_token: z.string() }),
    sql`select id, upstream_id_token from sessions where environment_id = ${environment.id} and user_id = ${person.id} and provider_id = ${provider.id}`,
  )
  const row = sealed_columns.sessions.associatedData(environment.id, session?.id ?? '')
  const kept = w.deployment.secrets.unseal(session?.upstream_id_token ?? '', row)
  assert.equal(decodeJwt(kept).aud, 'o', 'the ID token of the provider waited with the first factor')
})

test('the session of a link begins with the identity, and ends with it', async () => {
  const provider = await addProvider()
  const person = await withApp()
  const { agent, page, request } = await signInAt(provider.id, person.email)
  const done = await codeAfter(agent, await agent.submit(page, { code: appCode(person.secret, w.now()) }), request)
  const tokens = expectStatus(200, await exchange(w, environment, client, { request, code: done.code ?? '' }))
  const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}/methods`, { key }))
  const { id } = data.find(({ type }: any) => type === 'provider') // any: a row
  expectStatus(204, await w.call('DELETE', `/v1/auth/users/${person.id}/methods/${id}`, { key }))
  const validated = expectStatus(200, await w.call('POST', '/v1/auth/tokens/validate', { key, body: { token: tokens.access_token } }))
  assert.equal(validated.active, false)
})

const patchProvider = (id: string, body: unknown) => w.call('PATCH', `${environment.path}/providers/${id}`, { body })

/** The changes that end the right to link while the second factor is missing. */
const ends: Record<string, (provider_id: string, user_id: string) => Promise<unknown>> = {
  'the provider may not link any more': async (id) => expectStatus(200, await patchProvider(id, { link_by_verified_email: false })),
  'the provider is switched off': async (id) => expectStatus(200, await patchProvider(id, { enabled: false })),
  'the provider has another issuer': async (id) =>
    expectStatus(200, await patchProvider(id, { issuer: 'https://other.example.com', client_secret: 'new' })),
  'the provider is deleted': async (id) => expectStatus(204, await w.call('DELETE', `${environment.path}/providers/${id}`)),
  'the account has another address': async (_, id) =>
    expectStatus(200, await patchUser(id, { email: `moved${++people}@example.com`, email_verified: true })),
  'the address is no longer proven': async (_, id) => expectStatus(200, await patchUser(id, { email_verified: false })),
}
for (const [why, end] of Object.entries(ends))
  test(`a link that waits for the second factor is not stored where ${why}`, async () => {
    const provider = await addProvider()
    const person = await withApp()
    const { agent, page, request } = await signInAt(provider.id, person.email)
    await end(provider.id, person.id)
    const done = await codeAfter(agent, await agent.submit(page, { code: appCode(person.secret, w.now()) }), request)
    assert.equal(done.code, null)
    assert.deepEqual(await methodsOf(person.id), ['password', 'recovery_codes', 'totp'])
    assert.deepEqual(await addedEvents(person.id), [])
  })

test('of two tabs that wait for the second factor, both sign in and one link is stored', async () => {
  const provider = await addProvider()
  const person = await withApp()
  const [one, two] = [await signInAt(provider.id, person.email), await signInAt(provider.id, person.email)]
  for (const { agent, page, request } of [one, two]) {
    const done = await codeAfter(agent, await agent.submit(page, { code: appCode(person.secret, w.now()) }), request)
    assert.equal(await subjectOf(request, done.code), person.id)
    w.advance(30)
  }
  assert.equal((await methodsOf(person.id)).filter((type) => type === 'provider').length, 1)
  assert.deepEqual([(await addedEvents(person.id)).length, (await addedMails(person.email)).length], [1, 1])
})

test('an identity that another account got in the meantime is not linked', async () => {
  const provider = await addProvider()
  const [person, other] = [
    await withApp(),
    await w.createUser(environment, { email: `linked${++people}@example.com`, email_verified: true }),
  ]
  const waiting = await signInAt(provider.id, person.email, 'shared subject')
  await signInAt(provider.id, other.email, 'shared subject')
  const done = await codeAfter(
    waiting.agent,
    await waiting.agent.submit(waiting.page, { code: appCode(person.secret, w.now()) }),
    waiting.request,
  )
  assert.equal(done.code, null)
  assert.deepEqual(await methodsOf(person.id), ['password', 'recovery_codes', 'totp'])
  assert.deepEqual(await methodsOf(other.id), ['password', 'provider'])
})

test('a first password on the account page leaves an event of a new way in, and a later one does not', async () => {
  const provider = await addProvider({ link_by_verified_email: false })
  const email = `first${++people}@example.com`
  const { agent } = await signInAt(provider.id, email)
  const { page } = { page: await agent.get(`${environment.issuer}/account?action=change-password`) }
  await press(agent, page, 'change-password', { password: 'violet kettle among seven rivers' })
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/users?email=${encodeURIComponent(email)}`))
  const [{ id }] = data
  assert.deepEqual(
    (await addedEvents(id)).map(({ data: sent }) => JSON.parse(sent)),
    [{ method_type: 'password', provider: null }],
  )
  assert.equal((await addedMails(email)).length, 1)
  const opened = await openAccount(environment, { email, password: 'violet kettle among seven rivers' })
  const again = await opened.agent.get(`${environment.issuer}/account?action=change-password`)
  await press(opened.agent, again, 'change-password', { password: 'copper ladder beside nine clouds' })
  assert.equal((await addedEvents(id)).length, 1)
})

test('a webhook of user.method_added can be asked for, and events are numbered', async () => {
  const provider = await addProvider()
  const person = await w.createUser(environment, { email: `linked${++people}@example.com`, email_verified: true })
  await signInAt(provider.id, person.email)
  const [event] = await until('the event', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=user.method_added&user_id=${person.id}`))
    return data.length > 0 && data
  })
  assert.deepEqual([event.user_id, event.actor.id, event.data.provider], [person.id, person.id, provider.id])
})
