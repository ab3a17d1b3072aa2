/** This person, last seven days: why a person did not get in, by an address or an id, with the field that decided each step. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { authorizationRequest, createAgent, createPerson, formOf } from '../support/cookie-browser.ts'
import { until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, owner, type TestEnvironment, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })

interface Step {
  what: string
  code: string | null
  method: string | null
  reason: string | null
  provider_id: string | null
  application_id: string | null
  decided_by: { object: string; pointer: string; value: unknown } | null
}
interface Trace {
  user: { id: string; email: string } | null
  obstacles: { what: string; until: string | null; decided_by: { pointer: string; value: unknown } | null }[]
  steps: Step[]
  has_more: boolean
}

const trace = async (environment: TestEnvironment, person: string): Promise<Trace> =>
  expectStatus(200, await w.call('GET', `${environment.path}/users/trace?${new URLSearchParams({ person })}`))
/** Waits for a step, since events are shown when they have their number. */
const traceWith = (environment: TestEnvironment, person: string, what: string) =>
  until(`a step ${what}`, async () => {
    const found = await trace(environment, person)
    return found.steps.some((step) => step.what === what) && found
  })
const codesOf = ({ obstacles }: Trace) => obstacles.map(({ what }) => what)
const stepOf = ({ steps }: Trace, what: string): Step => steps.find((step) => step.what === what) ?? assert.fail(`There is no ${what}.`)

let people = 0
const address = () => `person${++people}@example.com`

async function enter(environment: TestEnvironment, email: string, password = 'wrong', client?: { client_id: string }) {
  const application = client ?? (await w.createApplication(environment))
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, application as Parameters<typeof authorizationRequest>[1]).url) // as: an application of the API
  return agent.submit(page, { email, password, method: 'password' })
}

for (const environment of [w.test, w.live]) {
  const place = environment === w.test ? 'Test' : 'Live'

  test(`a wrong password and a success are steps, with method, application and the field that decided, in ${place}`, async () => {
    const application = await w.createApplication(environment)
    const person = await createPerson(w, environment)
    await enter(environment, person.email, 'wrong', application)
    await person.tokens(application)
    for (const asked of [person.id, person.email, person.email.toUpperCase(), ` ${person.email} `]) {
      const found = await traceWith(environment, asked, 'sign_in.succeeded')
      assert.deepEqual([found.user?.id, codesOf(found), found.has_more], [person.id, [], false], asked)
      const [failed, succeeded] = [stepOf(found, 'sign_in.failed'), stepOf(found, 'sign_in.succeeded')]
      assert.deepEqual([failed.code, failed.method, failed.application_id], ['wrong_password', 'password', application.client_id])
      assert.match(failed.reason ?? '', /^The password for the user usr_\w+ is wrong\.$/)
      assert.equal(found.steps.filter(({ code }) => code === 'wrong_password').length, 1, 'the event and the refused call are one step')
      assert.deepEqual(succeeded.decided_by, { object: 'settings', id: null, pointer: '/sign_in/password', value: true })
    }
  })

  test(`an address without an account is found by what was typed, in any case, and is nowhere stored, in ${place}`, async () => {
    const email = address()
    await enter(environment, email)
    await enter(environment, email.toUpperCase())
    const found = await trace(environment, email)
    assert.deepEqual([found.user, codesOf(found), found.steps.length], [null, ['no_account'], 2])
    for (const step of found.steps) {
      assert.deepEqual([step.what, step.code], ['refused_call', 'unknown_account'])
      assert.equal(step.decided_by, null, 'no field refuses an address without an account')
    }
    const rows = await w.deployment.db.all(z.object({ person: z.string() }), sql`select person from refused_calls where person is not null`)
    assert.ok(rows.length > 0 && rows.every(({ person }) => !person.includes('@') && person.length === 43))
    const other = environment === w.test ? w.live : w.test
    assert.deepEqual((await trace(other, email)).steps, [], 'another environment knows nothing of it')
  })
}

test('what a stranger types is in no answer, and neither is an address that no account can have', async () => {
  const typed = '<script>alert(1)</script>@example.com'
  await enter(w.test, typed)
  for (const asked of [typed, 'not an address', 'usr_01m7wwr5ftevtv5yxb47hmb4ht', '', "' or 1=1--"]) {
    const found = await trace(w.test, asked)
    assert.deepEqual([found.user, found.obstacles, found.steps], [null, [], []], asked)
  }
  const { body } = await w.call('GET', `${w.test.path}/users/trace`)
  assert.deepEqual([body.user, body.steps], [null, []])
})

// biome-ignore format: this table is read by column
const standing: [what: string, settings: object, domain: string, codes: string[], pointer: string | undefined][] = [
  ['sign-up is open',            {},                                                                  'example.com', ['no_account'],                   undefined],
  ['sign-up is closed',          { sign_up: { mode: 'closed' } },                                     'example.com', ['no_account', 'sign_up_closed'], '/sign_up/mode'],
  ['the domain is blocked',      { sign_up: { mode: 'open', blocked_domains: ['blocked.example'] } }, 'blocked.example', ['no_account', 'sign_up_domain'], '/sign_up/blocked_domains'],
  ['the domain is not allowed',  { sign_up: { mode: 'open', blocked_domains: [], allowed_domains: ['other.example'] } }, 'example.com', ['no_account', 'sign_up_domain'], '/sign_up/allowed_domains'],
]
for (const [what, settings, domain, codes, pointer] of standing)
  test(`without an account the answer says that ${what}`, async () => {
    const { test: own } = await w.createProject(`standing-${++people}`)
    await w.changeSettings(own, settings)
    const found = await trace(own, `ada@${domain}`)
    assert.deepEqual(codesOf(found), codes)
    assert.equal(found.obstacles.at(-1)?.decided_by?.pointer, pointer)
  })

test('a blocked account, one without a way in, and a lock with its end are obstacles', async () => {
  const { test: own } = await w.createProject('obstacles')
  const key = expectStatus(201, await w.call('POST', `${own.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const person = await createPerson(w, own)
  expectStatus(200, await w.call('POST', `/v1/auth/users/${person.id}/block`, { key }))
  assert.deepEqual(codesOf(await trace(own, person.id)), ['blocked'])
  expectStatus(200, await w.call('POST', `/v1/auth/users/${person.id}/unblock`, { key }))
  const without = expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body: { email: address() } }))
  assert.deepEqual(codesOf(await trace(own, without.id)), ['no_way_in'])
  await w.changeSettings(own, { lockout: { max_attempts: 3, duration_seconds: 300 } })
  const application = await w.createApplication(own)
  for (let attempt = 0; attempt < 4; attempt++) await enter(own, person.email, 'wrong', application)
  const locked = await traceWith(own, person.email, 'refused_call')
  assert.deepEqual(codesOf(locked), ['locked_from_one_place'])
  assert.deepEqual(locked.obstacles[0]?.decided_by?.value, 3)
  assert.equal(stepOf(locked, 'refused_call').code, 'locked_out')
  assert.ok(Date.parse(locked.obstacles[0]?.until ?? '') > w.now().getTime())
  const unknown = address()
  for (let attempt = 0; attempt < 4; attempt++) await enter(own, unknown, 'wrong', application)
  assert.deepEqual(codesOf(await trace(own, unknown)), ['no_account', 'locked_from_one_place'])
  w.advance(301)
  assert.deepEqual(codesOf(await trace(own, person.email)), [])
})

test('the answer of a provider is a step of the address that it named, with the provider and its field', async () => {
  const provider = expectStatus(
    201,
    await w.call('POST', `${w.test.path}/providers`, {
      body: { type: 'oidc', display_name: 'Company', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's' },
    }),
  )
  const client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  const arrive = async (email: string) => {
    const agent = createAgent()
    const { hidden } = formOf((await agent.get(authorizationRequest(w.test, client).url)).body)
    const started = await agent.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider.id })
    const identity = { claims: { sub: `subject of ${email}`, email, email_verified: true, name: 'Pat' } }
    const parameters = upstreams.agree(started.headers.get('location') ?? '', identity)
    return agent.get(`${w.test.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(parameters)}`)
  }
  await arrive(person.email)
  const refused = stepOf(await traceWith(w.test, person.email, 'sign_in.failed'), 'sign_in.failed')
  assert.deepEqual([refused.code, refused.provider_id], ['identifier_taken', provider.id])
  assert.deepEqual(refused.decided_by, { object: 'provider', id: provider.id, pointer: '/link_by_verified_email', value: false })
  const email = address()
  await arrive(email)
  const entered = stepOf(await traceWith(w.test, email, 'sign_in.succeeded'), 'sign_in.succeeded')
  assert.deepEqual([entered.provider_id, entered.decided_by?.pointer], [provider.id, '/enabled'])
  const lists: [allowed_domains: string[], blocked_domains: string[], pointer: string | undefined][] = [
    [['other.example'], [], '/sign_up/allowed_domains'],
    [[], ['example.com'], '/sign_up/blocked_domains'],
    [['other.example'], ['example.com'], undefined], // each would have been enough
  ]
  for (const [allowed_domains, blocked_domains, pointer] of lists) {
    await w.changeSettings(w.test, { sign_up: { allowed_domains, blocked_domains } })
    const kept_out = address()
    await arrive(kept_out)
    const { code, provider_id, decided_by } = stepOf(await traceWith(w.test, kept_out, 'refused_call'), 'refused_call')
    assert.deepEqual([code, provider_id, decided_by?.pointer], ['validation_failed', provider.id, pointer])
  }
  await w.changeSettings(w.test, { sign_up: { allowed_domains: [], blocked_domains: [] } })
})

test('a code that was asked for is a step for an hour, mailed or not', async () => {
  const { test: own } = await w.createProject('codes')
  await w.changeSettings(own, { sign_in: { email_code: true }, sign_up: { mode: 'closed' } })
  const application = await w.createApplication(own)
  const person = await createPerson(w, own)
  const unknown = address()
  for (const email of [person.email, unknown]) {
    const agent = createAgent()
    await agent.submit(await agent.get(authorizationRequest(own, application).url), { email, password: '', method: 'email_code' })
  }
  const asked = async (email: string) =>
    (await trace(own, email)).steps.filter(({ what }) => what === 'code_asked').map(({ code, method }) => [method, code])
  assert.deepEqual(await asked(person.email), [['sign_in', 'mailed']])
  assert.deepEqual(await asked(unknown), [['sign_in', 'not_mailed']])
  w.advance(3_601)
  assert.deepEqual([await asked(person.email), await asked(unknown)], [[], []])
})

test('seven days later nothing of it is left', async () => {
  const email = address()
  await enter(w.test, email)
  assert.equal((await trace(w.test, email)).steps.length, 1)
  w.advance(7 * 86_400 + 60)
  assert.deepEqual((await trace(w.test, email)).steps, [])
  await removeExpiredRows(w.deployment.db, w.now())
  const rows = await w.deployment.db.all(
    z.object({ person: z.string() }),
    sql`select person from refused_calls where at < ${new Date(w.now().getTime() - 7 * 86_400_000)}`,
  )
  assert.deepEqual(rows, [])
})

/** The trace by a platform key with these scopes. */
async function traceBy(key_scopes: readonly string[]) {
  const admin = asAdministrator(w, await administratorToken(w, owner))
  const { key } = expectStatus(
    201,
    await admin('POST', `/v1/tenants/${w.tenant_id}/platform-keys`, { label: 'Support', scopes: key_scopes }),
  )
  return w.call('GET', `${w.test.path}/users/trace?person=ada@example.com`, { key })
}

const scopes = ['users:read', 'environments:read', 'webhooks:read']
for (const missing of scopes)
  test(`a key without ${missing} is refused`, async () => {
    const refused = await traceBy(scopes.filter((scope) => scope !== missing))
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope'])
  })

test('a key with the three scopes is answered', async () => assert.equal((await traceBy(scopes)).status, 200))
