/** The examples of docs/events.md: one event of each kind, recorded from a service. `OSTIARY_RECORD_EVENTS=1` writes them again. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Event, type EventKind } from '@ostiary/contract/event.ts'
import { eventKinds } from '@ostiary/contract/event-kinds.ts'
import { warnOfEnds } from '../../src/domain/expiry/warnings.ts'
import { findRoot } from '../../src/setup/root.ts'
import { linkOf, press } from '../support/account.ts'
import { appCode, enrolPerson, passwordStep } from '../support/authenticator-app.ts'
import { createAgent, refresh, signInForTokens } from '../support/cookie-browser.ts'
import { enterMailedCode } from '../support/mailed.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const file = join(import.meta.dirname, '../../../contract/src/event-examples.json')
const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } })
const environment = w.test
/** The person who is deleted. */
const gone = { user_id: '' }

async function callOf(place: TestEnvironment) {
  const { key, id } = expectStatus(201, await w.call('POST', `${place.path}/auth-keys`, { body: { type: 'auth_secret', label: 'Shop' } }))
  const users = (method: string, path = '', body?: unknown) => w.call(method, `/v1/auth/users${path}`, { key, body })
  const organizations = (method: string, path = '', body?: unknown) => w.call(method, `/v1/auth/organizations${path}`, { key, body })
  return { key_id: id as string, users, organizations }
}
const change = async (method: string, path: string, body?: unknown) => {
  const reply = await w.call(method, `${environment.path}${path}`, { body })
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
  return reply.body
}

/** A person without an account accepts an invitation. */
async function joinBy(url: string, email: string): Promise<void> {
  const agent = createAgent()
  const page = await agent.submit(await agent.get(url), { email, password: 'a password of four words' })
  await enterMailedCode(w, environment, { agent, page }, email)
}

/** A secret, a key and a secret at a provider that end in a week; an account that waits, and one that is closed and restored. */
async function causeEnds(ending: TestEnvironment): Promise<void> {
  const { users } = await callOf(ending)
  const post = async (path: string, body: object) => expectStatus(201, await w.call('POST', `${ending.path}${path}`, { body }))
  const expires_at = new Date(w.now().getTime() + 6 * 86_400_000).toISOString()
  const { id: application_id } = await w.createApplication(ending)
  await post(`/applications/${application_id}/secrets`, { expires_at })
  await post('/auth-keys', { type: 'auth_secret', expires_at })
  await post('/providers', { type: 'github', client_id: 'shop', client_secret: 'secret', secret_expires_at: expires_at })
  await warnOfEnds(w.deployment, (await findRoot(w.deployment.db)) ?? assert.fail('There is no root environment.'), () => false)
  const { id } = expectStatus(201, await users('POST', '', { email: 'barbara@example.com' }))
  await w.changeSettings(ending, { users: { deletion_grace_days: 30 }, sign_up: { mode: 'approval' }, sign_in: { email_code: true } })
  expectStatus(204, await users('DELETE', `/${id}`))
  expectStatus(200, await users('POST', `/${id}/restore`))
  const [agent, email] = [createAgent(), 'waiting@example.com']
  const page = await agent.submit(await agent.get(`${ending.issuer}/account`), { email, password: '', method: 'email_code' })
  await enterMailedCode(w, ending, { agent, page }, email)
}

/** Causes each kind of event at least once. */
async function causeAll(): Promise<TestEnvironment[]> {
  const { key_id, users, organizations } = await callOf(environment)
  const rotated = await change('POST', '/auth-keys', { type: 'auth_secret', label: 'Shop' })
  await change('POST', `/auth-keys/${rotated.id}/rotate`)
  const of_apis = await change('POST', '/resource-servers', {
    identifier: 'https://api.example.com',
    name: 'Orders',
    scopes: [{ name: 'orders:read', description: 'Read orders' }],
  })
  const by_address = await change('POST', '/metadata-clients', { client_id: 'https://agent.example.com/client.json' })
  await change('PATCH', `/metadata-clients/${by_address.id}`, { disabled: true })
  await change('DELETE', `/metadata-clients/${by_address.id}`)
  await change('PATCH', `/resource-servers/${of_apis.id}`, { name: 'Orders API' })
  await change('POST', '/roles', { name: 'Owner', kind: 'organization', administers: true })
  const role = await change('POST', '/roles', {
    name: 'Support',
    kind: 'user',
    permissions: [{ resource_server: of_apis.slug, scopes: ['orders:read'] }],
  })
  await change('PATCH', `/roles/${role.id}`, { permissions: [] })
  await change('DELETE', `/roles/${role.id}`)
  await change('DELETE', `/resource-servers/${of_apis.id}`)
  const member = expectStatus(201, await users('POST', '', { email: 'member@example.com', name: 'Member' }))
  const inviting = expectStatus(201, await organizations('POST', '', { name: 'Globex' }))
  const invitations = `/${inviting.id}/invitations`
  const invited = async (email: string) =>
    expectStatus(201, await organizations('POST', invitations, { email, roles: ['owner'], send_email: false }))
  const withdrawn = await invited('member@example.com')
  await organizations('DELETE', `${invitations}/${withdrawn.id}`)
  await joinBy((await invited('new-member@example.com')).invitation_url, 'new-member@example.com')
  const organization = expectStatus(201, await organizations('POST', '', { name: 'Acme', external_id: 'customer-42' }))
  await organizations('PATCH', `/${organization.id}`, { claims: { plan: 'team' } })
  await organizations('POST', `/${organization.id}/members`, { user_id: member.id, roles: ['owner'] })
  await organizations('PATCH', `/${organization.id}/members/${member.id}`, { roles: [] })
  await organizations('DELETE', `/${organization.id}/members/${member.id}`)
  await organizations('DELETE', `/${organization.id}`)
  const provider = await change('POST', '/providers', {
    type: 'oidc',
    display_name: 'Work',
    issuer: 'https://sso.example.com',
    client_id: 'shop',
    client_secret: 'secret',
  })
  await change('PATCH', `/providers/${provider.id}`, { display_name: 'Work account' })
  await change('DELETE', `/providers/${provider.id}`)
  const promotions = `${environment.path.replace(/\/environments\/.*$/, '')}/promotions`
  const document = { version: 1, settings: { password: { min_length: 14 } } }
  const planned = expectStatus(
    201,
    await w.call('POST', promotions, { body: { document, to_environment_id: environment.id, note: 'Release 12' } }),
  )
  for (const step of ['apply', 'revert']) expectStatus(200, await w.call('POST', `${promotions}/${planned.id}/${step}`, { body: {} }))
  await w.changeSettings(environment, { sign_in: { email_code: true } })
  await change('POST', '/signing-keys/rotate')
  const receiver = await startReceiver(() => ({ status: 410 }))
  const webhook = await change('POST', '/webhooks', { url: receiver.url, events: ['test.ping'] })
  await change('POST', `/webhooks/${webhook.id}/test`)

  const application = await w.createApplication(environment, { consent: 'ask' })
  await change('PATCH', `/applications/${application.id}`, { name: 'Shop' })
  const person = await w.createUser(environment, { email: 'ada@example.com' })
  await assert.rejects(signInForTokens(w, environment, application, { user: { ...person, password: 'not the right one' } }))
  const { tokens } = await signInForTokens(w, environment, application, { user: person, change: { scope: 'openid offline_access' } })
  for (let n = 0; n < 2; n++) await refresh(w, environment, application, tokens.refresh_token)
  const again = await signInForTokens(w, environment, application, { user: person })
  const { data } = expectStatus(200, await users('GET', `/${person.id}/grants`))
  assert.ok(again.code)
  expectStatus(204, await users('DELETE', `/${person.id}/grants/${data[0].id}`))
  await change('POST', `/applications/${application.id}/rotate-secret`)
  const added = await change('POST', `/applications/${application.id}/secrets`)
  await change('DELETE', `/applications/${application.id}/secrets/${added.id}`)

  const { id } = expectStatus(201, await users('POST', '', { email: 'alan@example.com', name: 'Alan' }))
  const agent = createAgent()
  const asked = await agent.submit(await agent.get(`${environment.issuer}/account`), {
    email: 'alan@example.com',
    password: '',
    method: 'email_code',
  })
  await enterMailedCode(w, environment, { agent, page: asked }, 'alan@example.com')
  const account = await agent.get(`${environment.issuer}/account`)
  const form = await agent.get(linkOf(account, 'change-password'))
  await press(agent, form, 'change-password', { password: 'a password of four words' })
  await users('PATCH', `/${id}`, { name: 'Alan Example' })
  await users('POST', `/${id}/end-sessions`)
  await users('POST', `/${id}/block`)
  await users('POST', `/${id}/unblock`)
  gone.user_id = expectStatus(201, await users('POST', '', { email: 'gone@example.com' })).id
  await users('DELETE', `/${gone.user_id}`)
  await change('DELETE', `/applications/${application.id}`)
  await change('DELETE', `/auth-keys/${key_id}`)

  const other = await w.createProject('second')
  const secured = other.test
  await w.changeSettings(secured, { mfa: { mode: 'required', remember_days: 30 }, email: { delivery: 'none' } })
  const with_app_client = await w.createApplication(secured)
  const with_app = await enrolPerson(w, secured, with_app_client, { email: 'grace@example.com' })
  const second = await callOf(secured)
  w.advance(30)
  const asked_again = await passwordStep(secured, with_app_client, with_app)
  await asked_again.agent.submit(asked_again.page, { code: appCode(with_app.secret, w.now()), trust_browser: '1' })
  const [trusted] = expectStatus(200, await second.users('GET', `/${with_app.id}/trusted-browsers`)).data
  expectStatus(204, await second.users('DELETE', `/${with_app.id}/trusted-browsers/${trusted.id}`))
  const methods = expectStatus(200, await second.users('GET', `/${with_app.id}/methods`)).data
  expectStatus(
    204,
    await second.users('DELETE', `/${with_app.id}/methods/${methods.find(({ type }: { type: string }) => type === 'totp').id}`),
  )

  const mailing = other.live
  const smtp = { host: 'mail.invalid', username: 'shop', password: 'secret' }
  await w.changeSettings(mailing, { email: { delivery: 'smtp', from: 'Shop <shop@example.com>', smtp } })
  const third = await callOf(mailing)
  const { id: unproven } = expectStatus(201, await third.users('POST', '', { email: 'edsger@example.com' }))
  expectStatus(202, await third.users('POST', `/${unproven}/send-verification`))
  const ending = (await w.createProject('third')).test
  await causeEnds(ending)
  return [environment, secured, mailing, ending]
}

async function newestOf(places: readonly TestEnvironment[], kind: EventKind): Promise<Event> {
  return until(`an event ${kind}`, async () => {
    for (const { path } of places) {
      const { data } = expectStatus(200, await w.call('GET', `${path}/events?type=${kind}&limit=10`))
      // The events of a deleted person keep the id alone.
      const example = data.find(({ user_id }: Event) => kind === 'user.deleted' || user_id !== gone.user_id)
      if (example) return example as Event
    }
    return false
  })
}

/** Ids and times that no run repeats become those of the example. */
function asExample(event: Event): Event {
  const text = JSON.stringify({ ...event, timestamp: '2026-11-02T09:30:00.000Z', sequence: 42 })
    .replaceAll(/\b([a-z]{2,3})_[0-9a-z]{26}\b/g, '$1_01jbnq6zt8e2m9w4x7c5v3k1ha')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"2026-11-02T09:30:00.000Z"')
    .replaceAll(/"kid":"[\w-]+"/g, '"kid":"ljGFNhTO16QH4IEJSB8jgNOVzllcBY6SigZ5SxisG5Q"')
    .replaceAll(/127\.0\.0\.1:\d+|127\.0\.0\.1|::1/g, '203.0.113.7')
  return Event.parse(JSON.parse(text))
}

test('the example of each kind of event equals what the service records', async () => {
  const places = await causeAll()
  const recorded: Record<string, Event> = {}
  for (const kind of eventKinds) recorded[kind] = asExample(await newestOf(places, kind))
  const text = `${JSON.stringify(recorded, null, 2)}\n`
  if (process.env.OSTIARY_RECORD_EVENTS) writeFileSync(file, text)
  assert.deepEqual(recorded, JSON.parse(readFileSync(file, 'utf8')))
})
