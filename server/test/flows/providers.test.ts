import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { type Agent, authorizationRequest, createAgent, exchange, formOf, type Request, refresh } from '../support/cookie-browser.ts'
import { holdEndings, rowsFollowed } from '../support/endings.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const application = await w.createApplication(w.test)
const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

// biome-ignore format: this table is read by column
const types = {
  google:    { client_id: 'g', client_secret: 's' },
  microsoft: { client_id: 'm', client_secret: 's', issuer: 'https://login.microsoftonline.com/tenant/v2.0' },
  gitlab:    { client_id: 'l', client_secret: 's' },
  apple:     { client_id: 'a', team_id: 'TEAM', key_id: 'KEY', private_key: pem },
  github:    { client_id: 'h', client_secret: 's' },
  oidc:      { client_id: 'o', client_secret: 's', issuer: 'https://sso.example.com' },
}

const addProvider = async (type: string, change: Record<string, unknown> = {}, environment: TestEnvironment = w.test) =>
  expectStatus(
    201,
    await w.call('POST', `${environment.path}/providers`, { body: { type, ...types[type as keyof typeof types], ...change } }),
  )

/** Starts a sign-in at the provider. */
async function startSignIn(agent: Agent, request: Request, provider_id: string) {
  const page = await agent.get(request.url)
  const { hidden } = formOf(page.body)
  return agent.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider_id })
}

let people = 0
function person(claims: Record<string, unknown> = {}) {
  const email = `person${++people}@example.com`
  const github = { user: { id: 1000 + people, login: `p${people}`, name: 'Pat' }, emails: [{ email, primary: true, verified: true }] }
  return { claims: { sub: `subject-${people}`, email, email_verified: true, name: 'Pat Example', ...claims }, github }
}

async function handleCallback(agent: Agent, provider_id: string, parameters: Record<string, string>) {
  let reply = await agent.get(`${w.test.issuer}/oauth/callback/${provider_id}?${new URLSearchParams(parameters)}`)
  while (reply.status === 303 && !(reply.headers.get('location') ?? '').startsWith('https://app.example.com'))
    reply = await agent.get(reply.headers.get('location') ?? '')
  return reply
}

for (const type of Object.keys(types)) {
  test(`a new person signs in with ${type}, and is the same user the next time`, async () => {
    const provider = await addProvider(type)
    assert.equal(provider.callback_url, `${w.test.issuer}/oauth/callback/${provider.id}`)
    const identity = person()
    const subjects: string[] = []
    for (let i = 0; i < 2; i++) {
      const agent = createAgent()
      const request = authorizationRequest(w.test, application)
      const started = await startSignIn(agent, request, provider.id)
      const location = started.headers.get('location') ?? ''
      assert.equal(new URL(location).searchParams.get('code_challenge_method'), 'S256')
      const done = await handleCallback(agent, provider.id, upstreams.agree(location, identity))
      const code = new URL(done.headers.get('location') ?? '').searchParams.get('code') ?? ''
      const tokens = expectStatus(200, await exchange(w, w.test, application, { request, code }))
      subjects.push(String(decodeJwt(tokens.id_token).sub))
      assert.equal(decodeJwt(tokens.id_token).email, identity.claims.email)
    }
    assert.equal(subjects[0], subjects[1])
  })
}

// biome-ignore format: this table is read by column
const prompts = [
  { asks: { prompt: 'login' },          type: 'oidc',   prompt: 'login' },
  { asks: { max_age: '60' },            type: 'oidc',   prompt: 'login' },
  { asks: { prompt: 'select_account' }, type: 'oidc',   prompt: 'select_account' },
  { asks: { prompt: 'login' },          type: 'google', prompt: 'select_account' },
  { asks: { prompt: 'select_account' }, type: 'gitlab', prompt: 'login' },
  { asks: { prompt: 'login' },          type: 'apple',  prompt: null },
  { asks: {},                           type: 'oidc',   prompt: null },
]
for (const { asks, type, prompt } of prompts) {
  test(`an authorization request with ${JSON.stringify(asks)} sends prompt=${prompt} to ${type}`, async () => {
    const started = await startSignIn(createAgent(), authorizationRequest(w.test, application, asks), (await addProvider(type)).id)
    assert.equal(new URL(started.headers.get('location') ?? '').searchParams.get('prompt'), prompt)
  })
}

test('the id of a deleted provider is free when what began there has ended, and a new provider with it revives nothing', async () => {
  const id = (await addProvider('oidc', { enabled: false })).id.replace(/.{4}$/, 'abcd')
  await addProvider('oidc', { id })
  const signIn = async () => {
    const [agent, request] = [createAgent(), authorizationRequest(w.test, application)]
    const started = await startSignIn(agent, request, id)
    const done = await handleCallback(agent, id, upstreams.agree(started.headers.get('location') ?? '', person()))
    const code = new URL(done.headers.get('location') ?? '').searchParams.get('code') ?? ''
    return expectStatus(200, await exchange(w, w.test, application, { request, code }))
  }
  const refreshed = async (tokens: { refresh_token: string }) => (await refresh(w, w.test, application, tokens.refresh_token)).status
  const before = await signIn()
  const worker = holdEndings(w.deployment.db)
  expectStatus(204, await w.call('DELETE', `${w.test.path}/providers/${id}`))
  // As if the rows that end had not been read yet: the sessions, grants and identities are still there.
  await w.deployment.db.run(sql`delete from endings where environment_id = ${w.test.id} and subject = ${id}`)
  await addProvider('oidc', { id })
  assert.equal(await refreshed(before), 400, 'it stays ended')
  assert.equal(await refreshed(await signIn()), 200)
  expectStatus(204, await w.call('DELETE', `${w.test.path}/providers/${id}`))
  const taken = await w.call('POST', `${w.test.path}/providers`, { body: { type: 'oidc', ...types.oidc, id } })
  assert.equal(expectStatus(422, taken).errors[0].pointer, '/id')
  worker.goOn()
  await rowsFollowed(w.deployment.db)
  await addProvider('oidc', { id })
})

test('a person whose account was deleted signs in again as a new user', async () => {
  const provider = await addProvider('oidc')
  const backend = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  const identity = person()
  const signIn = async () => {
    const agent = createAgent()
    const request = authorizationRequest(w.test, application)
    const started = await startSignIn(agent, request, provider.id)
    const done = await handleCallback(agent, provider.id, upstreams.agree(started.headers.get('location') ?? '', identity))
    const code = new URL(done.headers.get('location') ?? '').searchParams.get('code') ?? ''
    return decodeJwt(expectStatus(200, await exchange(w, w.test, application, { request, code })).id_token).sub
  }
  const before = await signIn()
  expectStatus(204, await w.call('DELETE', `/v1/auth/users/${before}`, { key: backend.key }))
  const after = await signIn()
  assert.notEqual(after, before)
  assert.equal(await signIn(), after)
})

test('Apple gets a client secret signed with the team key, and its form_post returns to the browser', async () => {
  const provider = await addProvider('apple')
  const agent = createAgent()
  const started = await startSignIn(agent, authorizationRequest(w.test, application), provider.id)
  const location = started.headers.get('location') ?? ''
  assert.equal(new URL(location).searchParams.get('response_mode'), 'form_post')
  const answer = { ...upstreams.agree(location, person()), user: JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' } }) }
  const posted = await createAgent().post(`${w.test.issuer}/oauth/callback/${provider.id}`, answer, { origin: 'https://appleid.apple.com' })
  assert.equal(posted.status, 303)
  const done = await agent.get(posted.headers.get('location') ?? '')
  assert.equal(done.status, 303)
  const secret = upstreams.requests.findLast(({ path }) => path.endsWith('/token'))?.body.get('client_secret') ?? ''
  assert.deepEqual(
    [decodeProtectedHeader(secret).alg, decodeProtectedHeader(secret).kid, decodeJwt(secret).iss, decodeJwt(secret).sub],
    ['ES256', 'KEY', 'TEAM', 'a'],
  )
  const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/users?email=person${people}@example.com`))
  assert.equal(data[0].name, 'Pat Example')
  assert.equal(data[0].given_name, 'Ada')
})

const takeovers = [
  { why: 'the provider may not link', link: false, claims: { email_verified: true }, verified_here: true, joins: false },
  { why: 'the provider has not verified the email', link: true, claims: { email_verified: false }, verified_here: true, joins: false },
  {
    why: 'the provider does not say whether the email is verified',
    link: true,
    claims: { email_verified: undefined },
    verified_here: true,
    joins: false,
  },
  {
    why: 'the email of the account is unverified and the provider may link: this is proof from outside, and the account loses its password',
    link: true,
    claims: {},
    verified_here: false,
    joins: true,
  },
  { why: 'the email is verified on both sides and the provider may link', link: true, claims: {}, verified_here: true, joins: true },
]
for (const { why, link, claims, verified_here, joins } of takeovers) {
  test(`an existing account is ${joins ? '' : 'not '}joined when ${why}`, async () => {
    const provider = await addProvider('oidc', { link_by_verified_email: link })
    const identity = person(claims)
    const user = await w.createUser(w.test, { email: String(identity.claims.email).toUpperCase(), email_verified: verified_here })
    const agent = createAgent()
    const request = authorizationRequest(w.test, application)
    const started = await startSignIn(agent, request, provider.id)
    const done = await handleCallback(agent, provider.id, upstreams.agree(started.headers.get('location') ?? '', identity))
    if (!joins) {
      assert.equal(done.status, 400)
      assert.match(done.body, claims.email_verified === true ? /There is an account for/ : /has not verified that/)
      return
    }
    const code = new URL(done.headers.get('location') ?? '').searchParams.get('code') ?? ''
    assert.equal(decodeJwt(expectStatus(200, await exchange(w, w.test, application, { request, code })).id_token).sub, user.id)
    const { email_verified, has_password } = expectStatus(200, await w.call('GET', `${w.test.path}/users/${user.id}`))
    assert.deepEqual({ email_verified, has_password }, { email_verified: true, has_password: verified_here })
  })
}

/** Values that a provider could send instead of an address, with the address as a part. */
const disguises: Record<string, (address: string) => string> = {
  'a longer domain': (address) => `${address}.evil.example`,
  'a blank before it': (address) => ` ${address}`,
  'a blank after it': (address) => `${address} `,
  'a line break after it': (address) => `${address}\n`,
  'a control character in it': (address) => address.replace('@', '\0@'),
  'a line separator after it': (address) => `${address}\u2028`,
  'a bidirectional control before it': (address) => `\u202e${address}`,
  'a lone surrogate after it': (address) => `${address}\ud800`,
}
const verified_addresses = { short: 'ada@bigcorp.example', 'of 200 characters': `${'a'.repeat(184)}@bigcorp.example` }
const owners: Record<string, string> = {}
for (const [length, email] of Object.entries(verified_addresses))
  for (const [disguise, of] of Object.entries(disguises))
    test(`an address (${length}) with ${disguise} is not that address, even where the provider says that it is verified`, async () => {
      const provider = await addProvider('oidc', { link_by_verified_email: true })
      owners[email] ??= (await w.createUser(w.test, { email, email_verified: true })).id
      const owner = owners[email]
      const agent = createAgent()
      const started = await startSignIn(agent, authorizationRequest(w.test, application), provider.id)
      const identity = person({ email: of(email) })
      const done = await handleCallback(agent, provider.id, upstreams.agree(started.headers.get('location') ?? '', identity))
      const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/users?email=${encodeURIComponent(email)}`))
      assert.deepEqual(
        data.map(({ id }: { id: string }) => id),
        [owner],
      )
      const linked = sql`select count(*) as linked from identities where environment_id = ${w.test.id} and user_id = ${owner}`
      assert.deepEqual(await w.deployment.db.all(z.object({ linked: z.int() }), linked), [{ linked: 0 }])
      // A longer domain is an address of its own. Everything else is not an address.
      assert.equal(done.status, disguise === 'a longer domain' ? 303 : 400)
    })

// biome-ignore format: this table is read by column
const unverified: [why: string, link: boolean, claims: Record<string, unknown>][] = [
  ['that the provider has not verified',          false, { email_verified: false }],
  ['that the provider says nothing about',        false, { email_verified: undefined }],
  ['of a provider that may link and has not verified it', true, { email_verified: false }],
  ['with a verification that is not a boolean',  true,  { email_verified: 1 }],
]
for (const [why, link, claims] of unverified)
  test(`with closed sign-up, an address ${why} gets the same answer whether or not an account has it`, async () => {
    const provider = await addProvider('oidc', { link_by_verified_email: link })
    expectStatus(200, await w.call('PATCH', `${w.test.path}/settings`, { body: { sign_up: { mode: 'closed' } } }))
    const identity = person({ ...claims, email: `same${++people}@example.com` })
    const failed = sql`select count(*) as count from events where environment_id = ${w.test.id} and type = 'sign_in.failed'`
    const failures = async () => (await w.deployment.db.all(z.object({ count: z.int() }), failed))[0]?.count ?? 0
    const answer = async () => {
      const before = await failures()
      const agent = createAgent()
      const started = await startSignIn(agent, authorizationRequest(w.test, application), provider.id)
      const done = await handleCallback(agent, provider.id, upstreams.agree(started.headers.get('location') ?? '', identity))
      const page = done.body.replaceAll(/req_\w+|request=[^"&]*|(state|nonce|code_challenge)=[\w-]+/g, '')
      return { status: done.status, page, events: (await failures()) - before }
    }
    const unknown = await answer()
    await w.createUser(w.test, { email: String(identity.claims.email), email_verified: true })
    const known = await answer()
    expectStatus(200, await w.call('PATCH', `${w.test.path}/settings`, { body: { sign_up: { mode: null } } }))
    assert.equal(known.status, 400)
    assert.match(known.page, /has not verified that/)
    assert.deepEqual(known, unknown)
    assert.equal(known.events, 1, 'one event, with or without an account')
  })

test('an answer counts once, in the browser and at the provider of the sign-in', async () => {
  const [a, b] = [await addProvider('oidc'), await addProvider('google')]
  const agent = createAgent()
  const started = await startSignIn(agent, authorizationRequest(w.test, application), a.id)
  const answer = upstreams.agree(started.headers.get('location') ?? '', person())
  assert.equal(
    (await agent.get(`${w.test.issuer}/oauth/callback/${b.id}?${new URLSearchParams(answer)}`)).status,
    400,
    'provider B with the state of A',
  )
  assert.equal(
    (await agent.get(`${w.live.issuer}/oauth/callback/${a.id}?${new URLSearchParams(answer)}`)).status,
    400,
    'another environment',
  )
  assert.equal((await handleCallback(agent, a.id, answer)).status, 303)
  assert.equal((await handleCallback(agent, a.id, answer)).status, 400, 'the second time')

  const stolen = await startSignIn(createAgent(), authorizationRequest(w.test, application), a.id)
  const theirs = upstreams.agree(stolen.headers.get('location') ?? '', person())
  assert.equal(
    (await createAgent().get(`${w.test.issuer}/oauth/callback/${a.id}?${new URLSearchParams(theirs)}`)).status,
    400,
    'another browser',
  )
})

test('an ID token with another nonce is 502', async () => {
  const provider = await addProvider('oidc')
  const agent = createAgent()
  const started = await startSignIn(agent, authorizationRequest(w.test, application), provider.id)
  const done = await handleCallback(
    agent,
    provider.id,
    upstreams.agree(started.headers.get('location') ?? '', person(), { nonce: 'another' }),
  )
  assert.equal(done.status, 502)
})

test('while a provider is down, starting and finishing a sign-in show a page with a link back', async () => {
  const provider = await addProvider('oidc', { issuer: 'https://down.example.com' })
  const agent = createAgent()
  upstreams.setDown(true)
  const started = await startSignIn(agent, authorizationRequest(w.test, application), provider.id)
  assert.equal(started.status, 502)
  assert.match(started.body, /Back to sign-in/)
  upstreams.setDown(false)
  const second = await startSignIn(agent, authorizationRequest(w.test, application), provider.id)
  assert.equal(second.status, 303)
  upstreams.setDown(true)
  const done = await handleCallback(agent, provider.id, upstreams.agree(second.headers.get('location') ?? '', person()))
  upstreams.setDown(false)
  assert.equal(done.status, 502)
})

test('of providers with one name each is named with its slug, wherever several are listed', async () => {
  const [one, other] = [await addProvider('oidc', { display_name: 'Staff' }), await addProvider('google', { display_name: 'Staff' })]
  const names = [one, other].map(({ slug }) => `Staff (${slug})`)
  const [agent, identity] = [createAgent(), person()]
  const sign_in = await agent.get(authorizationRequest(w.test, application).url)
  for (const name of names) assert.ok(sign_in.body.includes(name), name)
  const started = await startSignIn(agent, authorizationRequest(w.test, application), one.id)
  await handleCallback(agent, one.id, upstreams.agree(started.headers.get('location') ?? '', identity))
  const account = await agent.get(`${w.test.issuer}/account`)
  for (const name of names) assert.ok(account.body.includes(name), name)
  const read = async (path: string) => expectStatus(200, await w.call('GET', `${w.test.path}${path}`)).data
  const [user] = await read(`/users?email=${encodeURIComponent(identity.claims.email)}`)
  const { key } = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${user.id}/methods`, { key }))
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    names.slice(0, 1),
  )
  assert.deepEqual((await read(`/names?ids=${one.id},${other.id}`)).map(({ name }: { name: string }) => name).sort(), [...names].sort())
  expectStatus(200, await w.call('PATCH', `${w.test.path}/providers/${other.id}`, { body: { display_name: 'Partners' } }))
  const again = await createAgent().get(authorizationRequest(w.test, application).url)
  assert.ok(again.body.includes('Partners') && !again.body.includes('Staff ('), 'a name that one provider has stays alone')
})

test('a disabled provider is not offered, and neither starts nor finishes a sign-in', async () => {
  const provider = await addProvider('oidc', { display_name: 'Acme staff' })
  const agent = createAgent()
  const request = authorizationRequest(w.test, application)
  const started = await startSignIn(agent, request, provider.id)
  await w.call('PATCH', `${w.test.path}/providers/${provider.id}`, { body: { enabled: false } })
  const done = await handleCallback(agent, provider.id, upstreams.agree(started.headers.get('location') ?? '', person()))
  assert.equal(done.status, 200)
  assert.doesNotMatch(done.body, /Acme staff/)
  assert.match((await startSignIn(agent, request, provider.id)).headers.get('location') ?? '', /oauth\/authorize/)
})

test('a person identity declines at the provider returns to the sign-in page', async () => {
  const provider = await addProvider('oidc')
  const agent = createAgent()
  const started = await startSignIn(agent, authorizationRequest(w.test, application), provider.id)
  const { state } = upstreams.agree(started.headers.get('location') ?? '', person())
  const done = await handleCallback(agent, provider.id, { state, error: 'access_denied' })
  assert.equal(done.status, 200)
  assert.match(done.body, /Sign in/)
})

test('an environment with closed sign-up creates no account for a new person', async () => {
  const provider = await addProvider('oidc')
  await w.changeSettings(w.test, { sign_up: { mode: 'closed' } })
  const agent = createAgent()
  const started = await startSignIn(agent, authorizationRequest(w.test, application), provider.id)
  const done = await handleCallback(agent, provider.id, upstreams.agree(started.headers.get('location') ?? '', person()))
  await w.changeSettings(w.test, { sign_up: null })
  assert.equal(done.status, 400)
})

type Identity = ReturnType<typeof person>

/** Signs in at a provider in a new browser. Returns the last page, or the redirect to the application. */
async function signInAt(provider_id: string, identity: Identity) {
  const agent = createAgent()
  const started = await startSignIn(agent, authorizationRequest(w.test, application), provider_id)
  return handleCallback(agent, provider_id, upstreams.agree(started.headers.get('location') ?? '', identity))
}

const { key: secret } = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
async function block({ claims }: Identity): Promise<string> {
  const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/users?email=${claims.email}`))
  expectStatus(200, await w.call('POST', `/v1/auth/users/${data[0].id}/block`, { key: secret }))
  return data[0].id
}
const createAccount = ({ claims: { email } }: Identity) => w.createUser(w.test, { email: String(email), email_verified: true })

/** A refused sign-in. `prepare` returns the account that it is refused to: `null` where there is none. */
interface Failure {
  why: string
  reason: string
  link?: boolean
  claims?: Record<string, unknown>
  prepare: (identity: Identity, provider_id: string) => Promise<string | null>
}
const nothing = async () => null
const failures: Failure[] = [
  {
    why: 'the user of the identity is blocked',
    reason: 'user_blocked',
    async prepare(identity, provider_id) {
      await signInAt(provider_id, identity)
      return block(identity)
    },
  },
  {
    why: 'the user with the email is blocked',
    reason: 'user_blocked',
    link: true,
    async prepare(identity) {
      await createAccount(identity)
      return block(identity)
    },
  },
  {
    why: 'the user with the email began by self-registration, never proved it, and is blocked',
    reason: 'user_blocked',
    link: true,
    async prepare(identity) {
      const { id } = await addProvider('google')
      await signInAt(id, { ...identity, claims: { ...identity.claims, email_verified: false } })
      return block(identity)
    },
  },
  { why: 'another user has the email', reason: 'identifier_taken', prepare: async (identity) => (await createAccount(identity)).id },
  { why: 'the provider sends no email', reason: 'unknown_account', claims: { email: undefined }, prepare: nothing },
  { why: 'the provider sends something else as email', reason: 'unknown_account', claims: { email: 'Pat' }, prepare: nothing },
  {
    why: 'sign-up is closed',
    reason: 'unknown_account',
    async prepare() {
      await w.changeSettings(w.test, { sign_up: { mode: 'closed' } })
      return null
    },
  },
]
const FailedEvent = z.object({
  id: z.string(),
  user_id: z.string().nullable(),
  application_id: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
})
async function failedSignIns(): Promise<number> {
  await w.deployment.counters.write()
  const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/statistics?interval=day`))
  const rows: { method: string; outcome: string; count: number }[] = data.flatMap(({ sign_ins }: any) => sign_ins) // any: an answer
  return rows.find(({ method, outcome }) => method === 'oidc' && outcome === 'failed')?.count ?? 0
}
for (const { why, reason, link = false, claims = {}, prepare } of failures)
  test(`a sign-in at a provider is counted as failed, with an event where an account is known, when ${why}`, async () => {
    const provider = await addProvider('oidc', { link_by_verified_email: link })
    const identity = person(claims)
    const user_id = await prepare(identity, provider.id)
    const before = await failedSignIns()
    const refused = await signInAt(provider.id, identity)
    await w.changeSettings(w.test, { sign_up: null })
    assert.equal(refused.status, 400)
    assert.equal(await failedSignIns(), before + 1)

    const request_id = refused.headers.get('x-request-id') ?? ''
    const events = await w.deployment.db.all(
      FailedEvent,
      sql`select id, user_id, application_id, data from events where type = 'sign_in.failed' and request_id = ${request_id}`,
    )
    await w.deployment.refused_calls.write()
    const record = expectStatus(200, await w.call('GET', `${w.test.path}/requests/${request_id}`))
    assert.deepEqual([record.code, record.user_id, record.event_id], [reason, user_id, events[0]?.id ?? null])
    const data = { method: 'oidc', ip: record.ip, reason }
    const expected = user_id === null ? [] : [{ id: record.event_id, user_id, application_id: application.id, data }]
    assert.deepEqual(events, expected)
  })

test('claims of a provider are stored without control characters, and a subject with control characters is 502', async (t) => {
  const provider = await addProvider('oidc')
  const signIn = async (claims: Record<string, unknown>) => {
    const agent = createAgent()
    const request = authorizationRequest(w.test, application)
    const started = await startSignIn(agent, request, provider.id)
    const done = await handleCallback(agent, provider.id, upstreams.agree(started.headers.get('location') ?? '', person(claims)))
    const code = new URL(done.headers.get('location') ?? 'https://none.example.com').searchParams.get('code')
    return code === null ? done.status : decodeJwt(expectStatus(200, await exchange(w, w.test, application, { request, code })).id_token)
  }
  const claims = await signIn({
    name: 'Pat\0\x1b[31m \u2028Example\u202e\ud800',
    given_name: '\0',
    picture: 'https://cdn.example.com/a\0b',
  })
  assert.deepEqual(
    [claims].flatMap((stored) => (typeof stored === 'number' ? stored : [stored.name, stored.given_name, stored.picture])),
    ['Pat[31m Example', undefined, undefined],
  )
  for (const sub of ['a\0b', 'a\ud800', 'a\nb', 'a'.repeat(256)])
    await t.test(`the subject ${JSON.stringify(sub)}`, async () => assert.equal(await signIn({ sub }), 502))
})

const refused = [
  { why: 'oidc without an issuer', body: { type: 'oidc', client_id: 'x' } },
  { why: 'google without a secret', body: { type: 'google', client_id: 'x' } },
  { why: 'google with an issuer', body: { ...types.google, type: 'google', issuer: 'https://evil.example.com' } },
  { why: 'apple without its key', body: { type: 'apple', client_id: 'x', team_id: 'T', key_id: 'K' } },
  { why: 'oidc without the scope openid', body: { ...types.oidc, type: 'oidc', scopes: ['email'] } },
  ...(['oidc', 'microsoft', 'gitlab'] as const).map((type) => ({
    why: `${type} with an http issuer in Test`,
    body: { ...types[type], type, issuer: 'http://sso.example.com' },
  })),
  { why: 'oidc with an http issuer on this machine', body: { ...types.oidc, type: 'oidc', issuer: 'http://localhost:9' } },
  { why: 'an unknown type', body: { type: 'facebook', client_id: 'x', client_secret: 'y' } },
]
for (const { why, body } of refused)
  test(`${why} is 422`, async () => assert.equal((await w.call('POST', `${w.test.path}/providers`, { body })).status, 422))

test('a provider has the id of its creation, which each environment takes once', async () => {
  const id = w.deployment.newId('prv')
  assert.equal((await addProvider('github', { id })).callback_url, `${w.test.issuer}/oauth/callback/${id}`)
  const create = (id: string, { path }: TestEnvironment = w.test) =>
    w.call('POST', `${path}/providers`, { body: { type: 'github', ...types.github, id } })
  for (const refused of [id, 'prv_1', id.replace('prv', 'app'), `${id}0`, id.toUpperCase()]) {
    const { status, body } = await create(refused)
    assert.deepEqual([status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)], [422, ['/id']], refused)
  }
  assert.equal(expectStatus(201, await create(id, w.live)).callback_url, `${w.live.issuer}/oauth/callback/${id}`)
  expectStatus(204, await w.call('DELETE', `${w.live.path}/providers/${id}`))
  expectStatus(200, await w.call('GET', `${w.test.path}/providers/${id}`))
})

test('a secret of a provider is never read back', async () => {
  const provider = await addProvider('oidc', { client_secret: 'never-shown-again' })
  const read = await w.call('GET', `${w.test.path}/providers/${provider.id}`)
  assert.equal(read.body.has_client_secret, true)
  assert.ok(!JSON.stringify([provider, read.body]).includes('never-shown-again'))
})
