/** The account page: a person connects a provider (decision 0121). The identity is linked in the session that asked, and in no other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { addApp, linkOf, openAccount, press, problemOf, rowsOf, signInOn, stepOf } from '../support/account.ts'
import { type Agent, createAgent, followPages, formOf } from '../support/cookie-browser.ts'
import { mailsTo } from '../support/mailed.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
await w.changeSettings(w.test, { mfa: { mode: 'optional' } })
const account_url = `${w.test.issuer}/account`
const key = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key as string

let made = 0
async function addProvider() {
  const fields = { type: 'oidc', client_id: 'o', client_secret: 's', issuer: 'https://sso.example.com', display_name: `Work ${++made}` }
  return expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body: fields })) as { id: string; display_name: string }
}
const changeProvider = (id: string, body: object) => w.call('PATCH', `${w.test.path}/providers/${id}`, { body })

/** A person on the account page, and a provider that is not connected. */
async function ready() {
  const [provider, person] = [await addProvider(), await w.createUser(w.test, { email_verified: true })]
  return { provider, person, ...(await openAccount(w.test, person)) }
}
type Ready = Awaited<ReturnType<typeof ready>>

const place = ({ provider, person }: Pick<Ready, 'provider' | 'person'>) =>
  `${account_url}?${new URLSearchParams({ action: 'add-provider', id: provider.id, user: person.id })}`

/** Presses the button of the page. Returns the address at the provider. */
async function leave(at: Ready): Promise<URL> {
  const started = await press(at.agent, await at.agent.get(place(at)), 'add-provider')
  assert.equal(started.status, 303, problemOf(started))
  return new URL(started.headers.get('location') ?? '')
}

/** Signs in at the provider and comes back, as a browser does: its request says that it comes from another site. */
function comeBack({ provider }: Pick<Ready, 'provider'>, agent: Agent, location: URL, sub: string): Promise<Reply> {
  const answer = upstreams.agree(location.href, { claims: { sub, email: `${sub}@elsewhere.example.com`, email_verified: true } })
  return agent.get(callbackOf(provider.id, answer), from_elsewhere)
}
const callbackOf = (id: string, answer: Record<string, string>) => `${w.test.issuer}/oauth/callback/${id}?${new URLSearchParams(answer)}`
const from_elsewhere = { 'sec-fetch-site': 'cross-site' }

const connect = async (at: Ready, sub: string) => comeBack(at, at.agent, await leave(at), sub)

const Added = z.object({ type: z.string(), data: z.string() })
/** Returns the traces of connections: identities, events and mails of the person. */
async function traces({ person }: Pick<Ready, 'person'>) {
  const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}/methods`, { key }))
  const events = await w.deployment.db.all(
    Added,
    sql`select type, data from events where environment_id = ${w.test.id} and user_id = ${person.id} and type = 'user.method_added'`,
  )
  const mails = (await mailsTo(w, w.test, person.email)).filter(({ kind }) => kind === 'method_added')
  return {
    providers: data.flatMap((method: { type: string; provider_id: string }) => (method.type === 'provider' ? method.provider_id : [])),
    events: events.map((event) => JSON.parse(event.data)),
    mails: mails.length,
  }
}
const nothing = { providers: [], events: [], mails: 0 }
const once = ({ provider }: Pick<Ready, 'provider'>) => ({
  providers: [provider.id],
  events: [{ method_type: 'provider', provider: provider.id }],
  mails: 1,
})
const isDone = ({ headers }: Reply) => /[?&]done=add-provider/.test(headers.get('location') ?? '')

test('a person connects a provider, and signs in with it from then on', async () => {
  const at = await ready()
  const { agent, page, person, provider } = at
  assert.ok(rowsOf(page, 'signing-in').includes(provider.id))
  const shown = await agent.get(linkOf(page, 'add-provider'))
  assert.match(shown.body, /<h1>Connect Work/)
  const location = await leave(at)
  assert.equal(location.searchParams.get('prompt'), 'login', 'a session at the provider may be of another person')
  const back = await comeBack(at, agent, location, 'anna')
  assert.ok(isDone(back), back.body)
  const after = await agent.get(back.headers.get('location') ?? '', from_elsewhere)
  assert.match(after.body, /The account has been connected\./)
  const forged = await agent.get(`${account_url}?done=add-provider`, from_elsewhere)
  assert.doesNotMatch(forged.body, /has been connected/, 'a link of another site')
  assert.ok(!rowsOf(after, 'signing-in').includes(provider.id), 'it is not offered again')
  assert.match(after.body, /data-action="remove-provider"/)
  assert.deepEqual(await traces(at), once(at))

  const other = createAgent()
  const { hidden } = formOf((await other.get(account_url)).body)
  const started = await other.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider.id })
  const signed_in = await comeBack(at, other, new URL(started.headers.get('location') ?? ''), 'anna')
  assert.match((await followPages(other, signed_in)).body, new RegExp(person.email))
})

test('without a fresh sign-in the person signs in first, and a sign-in with the provider there connects nothing', async () => {
  const at = await ready()
  w.advance(601)
  const asked = await at.agent.get(place(at))
  assert.equal(stepOf(asked), 'sign-in')
  const started = await at.agent.post(`${w.test.issuer}/federate`, { ...formOf(asked.body).hidden, provider: at.provider.id })
  await comeBack(at, at.agent, new URL(started.headers.get('location') ?? ''), 'stranger')
  assert.deepEqual(await traces(at), nothing)
  const shown = await signInOn(at.agent, await at.agent.get(place(at)), at.person)
  assert.match(shown.body, /data-action="add-provider"/)
  assert.ok(isDone(await connect(at, 'later')))
  assert.deepEqual(await traces(at), once(at))
})

test('a button pressed twice leads to the same sign-in at the provider, and its answer counts once', async () => {
  const at = await ready()
  const page = await at.agent.get(place(at))
  const [first, second] = [await at.agent.press(page, {}), await at.agent.press(page, {})]
  assert.equal(first.headers.get('location'), second.headers.get('location'))
  const location = new URL(first.headers.get('location') ?? '')
  const answer = upstreams.agree(location.href, { claims: { sub: 'twice' } })
  const replies = [await at.agent.get(callbackOf(at.provider.id, answer)), await at.agent.get(callbackOf(at.provider.id, answer))]
  assert.deepEqual(
    replies.map((reply) => [reply.status, isDone(reply)]),
    [
      [303, true],
      [400, false],
    ],
  )
  assert.deepEqual(await traces(at), once(at))
})

interface Refused {
  /** Runs while the person is at the provider. */
  meanwhile: (at: Ready) => Promise<unknown>
  /** Of the answer: its status, and words of its page or its address. */
  answer: [status: number, words: RegExp]
  agent?: () => Agent
  error?: string
}
const endSessions = (at: Ready) => w.call('POST', `/v1/auth/users/${at.person.id}/end-sessions`, { key })
const refused: Record<string, Refused> = {
  'the identity is that of another account': {
    meanwhile: async (at) => {
      const other = await w.createUser(w.test)
      return connect({ ...at, person: other, ...(await openAccount(w.test, other)) }, at.person.id)
    },
    answer: [409, /is connected to another account here/],
  },
  'the person does not allow it there': {
    meanwhile: async () => {},
    answer: [400, /You did not allow it at Work/],
    error: 'access_denied',
  },
  'the provider answers with an error': {
    meanwhile: async () => {},
    answer: [502, /cannot be reached right now/],
    error: 'server_error',
  },
  'the provider is switched off': {
    meanwhile: ({ provider }) => changeProvider(provider.id, { enabled: false }),
    answer: [409, /Something changed in the meantime/],
  },
  'the provider has another issuer': {
    meanwhile: ({ provider }) => changeProvider(provider.id, { issuer: 'https://other.example.com', client_secret: 'new' }),
    answer: [409, /Something changed in the meantime/],
  },
  'the provider is deleted': {
    meanwhile: ({ provider }) => w.call('DELETE', `${w.test.path}/providers/${provider.id}`),
    answer: [409, /Something changed in the meantime/],
  },
  'the session has ended': {
    meanwhile: endSessions,
    answer: [400, /data-step="error"/],
  },
  'another person has signed in to the browser instead': {
    meanwhile: async (at) => {
      await endSessions(at)
      return openAccount(w.test, await w.createUser(w.test), at.agent)
    },
    answer: [400, /data-step="error"/],
  },
  'the answer comes in another browser': {
    meanwhile: async () => {},
    answer: [400, /data-step="error"/],
    agent: createAgent,
  },
  'the sign-in is too old': {
    meanwhile: async () => w.advance(301),
    answer: [303, /action=add-provider/],
  },
  'the account got a second factor': {
    meanwhile: async ({ person }) => addApp(w, w.test, (await openAccount(w.test, person)).agent),
    answer: [303, /action=add-provider/],
  },
  'the account made ten other changes': {
    meanwhile: async ({ agent }) => {
      for (let i = 0; i < 10; i++) await press(agent, await agent.get(`${account_url}?action=export`), 'export')
    },
    answer: [429, /changed ten times within an hour/],
  },
}
for (const [why, { meanwhile, answer, agent, error }] of Object.entries(refused))
  test(`nothing is connected where ${why}`, async () => {
    const at = await ready()
    w.advance(300)
    const location = await leave(at)
    await meanwhile(at)
    const before = await traces(at)
    const browser = agent?.() ?? at.agent
    const state = location.searchParams.get('state') ?? ''
    const reply = error
      ? await browser.get(callbackOf(at.provider.id, { error, state }))
      : await comeBack(at, browser, location, at.person.id)
    assert.equal(reply.status, answer[0])
    assert.match(reply.body + (reply.headers.get('location') ?? ''), answer[1])
    assert.deepEqual(await traces(at), before)
    assert.deepEqual(before.providers, [])
  })

test('of two accounts that connect one identity at once, one gets it', async () => {
  const one = await ready()
  const person = await w.createUser(w.test)
  const two = { ...one, person, ...(await openAccount(w.test, person)) }
  const left = [one, two].map(async (at) => ({ at, location: await leave(at) }))
  const replies = await Promise.all((await Promise.all(left)).map(({ at, location }) => comeBack(at, at.agent, location, 'shared')))
  assert.deepEqual(replies.map(({ status }) => status).sort(), [303, 409])
  const all = [await traces(one), await traces(two)]
  assert.deepEqual(
    all.filter(({ providers }) => providers.length > 0),
    [once(one)],
  )
})

test('of two tabs of one person both end well, with one identity, one event and one mail', async () => {
  const at = await ready()
  const [first, second] = [await leave(at), await leave(at)]
  const replies = await Promise.all([comeBack(at, at.agent, first, 'tabs'), comeBack(at, at.agent, second, 'tabs')])
  assert.ok(replies.every(isDone))
  assert.deepEqual(await traces(at), once(at))
})
