/** The sign-in page marks how the last sign-in on this device began. The mark is in a cookie, and says nothing about an account. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addApp, openAccount, stepOf } from '../support/account.ts'
import { appCode } from '../support/authenticator-app.ts'
import { type Agent, createAgent, followPages, formOf } from '../support/cookie-browser.ts'
import { enterMailedCode } from '../support/mailed.ts'
import { createPasskeyPerson, signInByPasskey } from '../support/passkeys.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const client = await w.createApplication(w.test)
await w.changeSettings(w.test, { sign_in: { passkey: true, email_code: true } })
const company = { type: 'oidc', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's', link_by_verified_email: true }
const [first, second] = await Promise.all(
  ['First', 'Second'].map(async (display_name) =>
    expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body: { ...company, display_name } })),
  ),
)

const signInPage = (agent: Agent) => agent.get(`${w.test.issuer}/account?prompt=login`)

/** The values of the buttons with the mark; the button of a passkey has none, so its action stands for it. */
async function marked(agent: Agent): Promise<string[]> {
  const buttons = [...(await signInPage(agent)).body.matchAll(/<button([^>]*)>(.*?)<\/button>/g)]
  return buttons
    .filter(([, , content = '']) => content.includes('Last used here'))
    .map(([, attributes = '']) => (/ value="([^"]*)"/.exec(attributes) ?? / data-action="([^"]*)"/.exec(attributes))?.[1] ?? '')
}

async function byProvider(agent: Agent, email = 'anna@example.com'): Promise<Reply> {
  const { hidden } = formOf((await signInPage(agent)).body)
  const started = await agent.post(`${w.test.issuer}/federate`, { ...hidden, provider: second.id })
  const answer = upstreams.agree(started.headers.get('location') ?? '', {
    claims: { sub: email, email, email_verified: true },
  })
  return followPages(agent, await agent.get(`${w.test.issuer}/oauth/callback/${second.id}?${new URLSearchParams(answer)}`))
}

test('a password marks no button, since its button is the first', async () => {
  const agent = createAgent()
  const { email, password } = await w.createUser(w.test)
  await agent.submit(await signInPage(agent), { email, password, method: 'password' })
  assert.deepEqual(await marked(agent), [])
})

test('an emailed code marks its button', async () => {
  const agent = createAgent()
  const { email } = await w.createUser(w.test)
  const page = await agent.submit(await signInPage(agent), { email, method: 'email_code' })
  assert.deepEqual(await marked(agent), [], 'a code that was only asked for is not a sign-in')
  expectStatus(303, await enterMailedCode(w, w.test, { agent, page }, email))
  assert.deepEqual(await marked(agent), ['email_code'])
})

test('a passkey marks its button', async () => {
  const { device } = await createPasskeyPerson(w, w.test, client)
  const { agent } = await signInByPasskey(w.test, client, device)
  assert.deepEqual(await marked(agent), ['passkey'])
})

test('a provider marks its own button, and the next way to sign in takes the mark away', async () => {
  const agent = createAgent()
  await byProvider(agent)
  assert.deepEqual(await marked(agent), [second.id])
  const { email, password } = await w.createUser(w.test)
  await agent.submit(await signInPage(agent), { email, password, method: 'password' })
  assert.deepEqual(await marked(agent), [])
})

test('a first factor without its second is not a sign-in, and marks nothing', async () => {
  await w.changeSettings(w.test, { mfa: { mode: 'optional' } })
  const person = await w.createUser(w.test)
  const { secret } = await addApp(w, w.test, (await openAccount(w.test, person)).agent)
  w.advance(30)
  const agent = createAgent()
  const page = await agent.submit(await signInPage(agent), { email: person.email, method: 'email_code' })
  const asked = await followPages(agent, await enterMailedCode(w, w.test, { agent, page }, person.email))
  assert.equal(stepOf(asked), 'second-factor')
  assert.deepEqual(await marked(agent), [])
  expectStatus(303, await agent.submit(asked, { code: appCode(secret, w.now()) }))
  assert.deepEqual(await marked(agent), ['email_code'])

  const known = await w.createUser(w.test, { email: 'with-app@example.com', email_verified: true })
  const app = await addApp(w, w.test, (await openAccount(w.test, known)).agent)
  w.advance(30)
  const other = createAgent()
  const waiting = await byProvider(other, known.email)
  assert.deepEqual([stepOf(waiting), await marked(other)], ['second-factor', []])
  expectStatus(303, await other.submit(waiting, { code: appCode(app.secret, w.now()) }))
  assert.deepEqual(await marked(other), [second.id])
})

test('another browser sees no mark, and a sign-out keeps it', async () => {
  const agent = createAgent()
  await byProvider(agent)
  await agent.submit(await agent.get(`${w.test.issuer}/oauth/logout`), { decision: 'sign_out' })
  assert.deepEqual(await marked(agent), [second.id])
  assert.deepEqual(await marked(createAgent()), [])
})

test('a value that the service did not set marks nothing, and is not on the page', async (t) => {
  for (const value of [first.id.toUpperCase(), 'nothing', '<i>marked</i>', 'x'.repeat(5_000)])
    await t.test(value.slice(0, 40), async () => {
      const agent = createAgent()
      agent.cookies.set(`ostiary_last_${w.test.id}`, value)
      assert.deepEqual(await marked(agent), [])
      assert.ok(!(await signInPage(agent)).body.includes(value))
    })
})
