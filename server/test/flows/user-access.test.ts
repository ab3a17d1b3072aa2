/** Sign-in methods, grants and the end of all sessions of a user, as a backend and an administrator use them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { holdProvider } from '../../src/domain/providers/store.ts'
import { findHalfSignIn, insertHalfSignIn } from '../../src/domain/sessions/half-sign-ins.ts'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { openAccount, rowsOf } from '../support/account.ts'
import {
  type Agent,
  authorizationRequest,
  type Client,
  createAgent,
  createPerson,
  exchange,
  formOf,
  refresh,
  userinfo,
} from '../support/cookie-browser.ts'
import { holdEndings, rowsFollowed } from '../support/endings.ts'
import { until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })

const unlimited = { limit: 100_000, window_seconds: 1 }

async function setUp(environment: TestEnvironment) {
  const key = expectStatus(
    201,
    await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret', rate_limit: unlimited } }),
  ).key
  const backend = (method: string, path: string, body?: unknown) => w.call(method, `/v1/auth/users/${path}`, { key, body })
  const client = await w.createApplication(environment)
  const provider = expectStatus(
    201,
    await w.call('POST', `${environment.path}/providers`, {
      body: { type: 'oidc', display_name: 'Company', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's' },
    }),
  )
  return { environment, backend, client, provider }
}
type Set = Awaited<ReturnType<typeof setUp>>

const sets = [await setUp(w.test), await setUp(w.live)]
const events = async ({ environment }: Set, query: string, count = 1) =>
  until(`${count} events ${query}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?${query}`))
    return data.length >= count && data
  })

let people = 0
/** Signs in through the provider and exchanges the code for tokens. */
async function signInUpstream({ environment, client, provider }: Set, email: string, agent: Agent = createAgent(), prompt?: string) {
  const request = authorizationRequest(environment, client, { prompt })
  const { hidden } = formOf((await agent.get(request.url)).body)
  const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: provider.id })
  const identity = { claims: { sub: `subject of ${email}`, email, email_verified: true, name: 'Pat' } }
  const parameters = upstreams.agree(started.headers.get('location') ?? '', identity)
  let reply = await agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(parameters)}`)
  while (reply.status === 303 && !(reply.headers.get('location') ?? '').startsWith('https://app.example.com'))
    reply = await agent.get(reply.headers.get('location') ?? '')
  const code = new URL(reply.headers.get('location') ?? '').searchParams.get('code') ?? ''
  return expectStatus(200, await exchange(w, environment, client, { request, code }))
}

const Count = z.object({ count: z.int() })
const Hash = z.object({ password_hash: z.string().nullable() })
const expectRow = <T>([row]: readonly T[]): T => row ?? assert.fail('The query found no row.')
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

const isActive = async ({ environment }: Set, { access_token }: { access_token: string }) =>
  (await userinfo(w, environment, access_token)).status === 200

/** A person with a password and an identity at the provider, and a sign-in with each. */
async function twoWaysIn(set: Set) {
  const email = `two${++people}@example.com`
  await w.call('PATCH', `${set.environment.path}/providers/${set.provider.id}`, { body: { link_by_verified_email: true } })
  const person = await createPerson(w, set.environment, { email })
  const by_password = await person.tokens(set.client)
  const by_provider = await signInUpstream(set, email)
  const { data } = expectStatus(200, await set.backend('GET', `${person.id}/methods`))
  const [provider, password] = data
  return { person, email, by_password, by_provider, provider, password }
}

for (const set of sets) {
  const { environment, backend, client } = set
  const { type } = environment

  test(`the list of methods shows a password and an identity, with their last use (${type})`, async () => {
    const { person, provider, password } = await twoWaysIn(set)
    const shape = { id: '', codes_left: null, created_at: '', last_used_at: '' }
    const without = (method: object) => ({ ...method, ...shape })
    assert.deepEqual(without(password), { ...shape, type: 'password', name: null, provider_id: null, algorithm: 'argon2id' })
    assert.deepEqual(without(provider), { ...shape, type: 'provider', name: 'Company', provider_id: set.provider.id, algorithm: null })
    for (const { id, created_at, last_used_at } of [provider, password]) {
      assert.match(id, /^mth_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      assert.ok(Date.parse(last_used_at) >= Date.parse(created_at))
    }
    expectStatus(200, await backend('PATCH', person.id, { password: 'another long password' }))
    const { data } = expectStatus(200, await backend('GET', `${person.id}/methods`))
    assert.deepEqual([data[1].id, data[1].last_used_at], [password.id, null])
    const first = expectStatus(200, await backend('GET', `${person.id}/methods?limit=1`))
    const second = expectStatus(200, await backend('GET', `${person.id}/methods?limit=1&cursor=${first.next_cursor}`))
    assert.deepEqual([first.data[0].id, second.data[0].id, second.has_more], [provider.id, password.id, false])
  })

  const removals = [
    { what: 'password', ends: 'by_password', stays: 'by_provider', changed: 'password' },
    { what: 'provider', ends: 'by_provider', stays: 'by_password', changed: 'identities' },
  ] as const
  for (const { what, ends, stays, changed } of removals)
    test(`removing the ${what} ends what began with it, and nothing else (${type})`, async () => {
      const two = await twoWaysIn(set)
      assert.ok((await isActive(set, two[ends])) && (await isActive(set, two[stays])))
      expectStatus(204, await backend('DELETE', `${two.person.id}/methods/${two[what].id}`))
      assert.deepEqual([await isActive(set, two[ends]), await isActive(set, two[stays])], [false, true])
      assert.equal((await refresh(w, environment, client, two[ends].refresh_token)).body.error, 'invalid_grant')
      expectStatus(200, await refresh(w, environment, client, two[stays].refresh_token))
      assert.equal(expectStatus(200, await backend('GET', `${two.person.id}/sessions`)).data.length, 1)
      const [event] = await events(set, `type=user.updated&user_id=${two.person.id}`)
      assert.deepEqual(event.data, { changed: [changed], method_id: two[what].id, sub: two.person.id })
      assert.equal((await backend('DELETE', `${two.person.id}/methods/${two[what].id}`)).body.code, 'not_found')
      const user = expectStatus(200, await backend('GET', two.person.id))
      assert.equal(user.has_password, what !== 'password')
    })

  test(`a grant ends with the method it began with, even where its session was renewed by another method (${type})`, async () => {
    const { person, email, by_password, password } = await twoWaysIn(set)
    const renewed = await signInUpstream(set, email, person.agent, 'login')
    assert.equal(expectStatus(200, await backend('GET', `${person.id}/sessions`)).data.length, 2)
    assert.equal(await isActive(set, by_password), true)
    expectStatus(204, await backend('DELETE', `${person.id}/methods/${password.id}`))
    assert.deepEqual([await isActive(set, by_password), await isActive(set, renewed)], [false, true])
    assert.equal(expectStatus(200, await backend('GET', `${person.id}/sessions`)).data.length, 2)
  })

  test(`a grant ends at once with the method by which its session was renewed (${type})`, async () => {
    const own = await setUp(environment)
    const { person, email, by_password } = await twoWaysIn(own)
    const renewed = await signInUpstream(own, email, person.agent, 'login')
    const held = holdEndings(w.deployment.db)
    try {
      expectStatus(200, await w.call('PATCH', `${environment.path}/providers/${own.provider.id}`, { body: { enabled: false } }))
      assert.deepEqual([await isActive(own, by_password), await isActive(own, renewed)], [false, false])
    } finally {
      held.goOn()
    }
    await rowsFollowed(w.deployment.db)
  })

  test(`of 50 parallel removals of one method, one succeeds (${type})`, async () => {
    const { person, provider, password } = await twoWaysIn(set)
    for (const { id } of [provider, password]) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => backend('DELETE', `${person.id}/methods/${id}`)))
      assert.deepEqual(replies.map(({ status }) => status).sort(), [204, ...Array(49).fill(404)])
    }
  })

  test(`deleting a provider ends what began with it (${type})`, async () => {
    const own = await setUp(environment)
    own.client = await w.createApplication(environment, { backchannel_logout_uri: 'https://app.example.com/logout' })
    const people = [await twoWaysIn(own), await twoWaysIn(own)]
    const other = await twoWaysIn(set)
    expectStatus(204, await w.call('DELETE', `${environment.path}/providers/${own.provider.id}`))
    await rowsFollowed(w.deployment.db)
    const logouts = expectStatus(200, await w.call('GET', `${environment.path}/backchannel-logouts`)).data
    for (const { person, by_provider, by_password, provider, password } of people) {
      assert.deepEqual([await isActive(own, by_provider), await isActive(own, by_password)], [false, true])
      assert.equal((await refresh(w, environment, own.client, by_provider.refresh_token)).body.error, 'invalid_grant')
      expectStatus(200, await refresh(w, environment, own.client, by_password.refresh_token))
      assert.deepEqual(idsOf(expectStatus(200, await backend('GET', `${person.id}/methods`))), [password.id])
      const [event] = await events(own, `type=user.updated&user_id=${person.id}`)
      assert.deepEqual(event.data, { changed: ['identities'], method_id: provider.id, sub: person.id })
      assert.equal(logouts.filter(({ user_id }: { user_id: string }) => user_id === person.id).length, 1)
    }
    assert.deepEqual([await isActive(set, other.by_provider), await isActive(set, other.by_password)], [true, true])
  })

  test(`deleting a provider ends a sign-in that waits for its second factor (${type})`, async () => {
    const own = await setUp(environment)
    const { person, provider } = await twoWaysIn(own)
    const half = { secret_hash: person.id, user_id: person.id, session_id: null, request_hash: '', enrols: false, needs_code: false }
    const signed_in = { email: '', password_hash: null, step: 'sign_in' as const, method: 'oidc', amr: [], identity_id: provider.id }
    const hash = expectRow(await w.deployment.db.all(Hash, sql`select password_hash from users where id = ${person.id}`))
    const begun = insertHalfSignIn(environment.id, { ...half, signed_in: { ...signed_in, ...hash } }, w.now())
    assert.ok(await w.deployment.db.batch([begun]))
    expectStatus(204, await w.call('DELETE', `${environment.path}/providers/${own.provider.id}`))
    assert.equal(await findHalfSignIn(w.deployment.db, environment.id, person.id, w.now()), null)
  })

  test(`deleting a provider with any number of identities ends everything that began with them (${type})`, async () => {
    const { provider } = await setUp(environment)
    await rowsFollowed(w.deployment.db) // those of the test before write events too
    const count = 1_203
    const [at, later] = [w.now(), new Date(w.now().getTime() + 60_000)]
    const rows = Array.from({ length: count }, (_, i) => {
      const [user_id, session_id] = [w.deployment.newId('usr'), w.deployment.newId('ses')]
      const id = w.deployment.newId('mth')
      return [
        sql`insert into identities (environment_id, provider_id, issuer, subject, user_id, id, created_at)
            values (${environment.id}, ${provider.id}, '', ${`subject ${i}`}, ${user_id}, ${id}, ${at})`,
        sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, created_at, auth_time, last_seen_at,
              expires_at, absolute_expires_at)
            values (${environment.id}, ${session_id}, ${user_id}, ${session_id}, '[]', '', ${id}, ${at}, ${at}, ${at}, ${later}, ${later})`,
      ]
    })
    for (let i = 0; i < count; i += 100) await w.deployment.db.batch(rows.slice(i, i + 100).flat())
    const countOf = async (rest: Statement) =>
      expectRow(await w.deployment.db.all(Count, sql`select count(*) as count from ${rest} and environment_id = ${environment.id}`)).count
    const updates = sql`events where type = 'user.updated' and data like '%"identities"%'`
    const active = sql`sessions where created_at = ${at} and ended_at is null`
    const [updates_before, active_before] = [await countOf(updates), await countOf(active)]
    assert.ok(active_before >= count)
    expectStatus(204, await w.call('DELETE', `${environment.path}/providers/${provider.id}`))
    await rowsFollowed(w.deployment.db)
    assert.equal(await countOf(sql`identities where provider_id = ${provider.id}`), 0)
    assert.equal((await countOf(updates)) - updates_before, count)
    assert.equal(active_before - (await countOf(active)), count)
  })

  test(`deleting a provider with If-Match succeeds while people add and remove identities, which change nothing of it (${type})`, async () => {
    const { provider } = await setUp(environment)
    const { db, newId } = w.deployment
    const path = `${environment.path}/providers/${provider.id}`
    const link = (subject: string) => [
      holdProvider(environment.id, provider.id),
      sql`insert into identities (environment_id, provider_id, issuer, subject, user_id, id, created_at)
          values (${environment.id}, ${provider.id}, '', ${subject}, ${newId('usr')}, ${newId('mth')}, ${w.now()})`,
    ]
    const of_provider = sql`environment_id = ${environment.id} and provider_id = ${provider.id}`
    for (let i = 0; i < 450; i += 50) await db.batch(Array.from({ length: 50 }, (_, j) => link(`subject ${1_000 + i + j}`)).flat())

    const etag = (await w.call('GET', path)).headers.get('etag') ?? ''
    let is_deleted = false
    const deletion = w.call('DELETE', path, { headers: { 'if-match': etag } }).finally(() => {
      is_deleted = true
    })
    for (let n = 0; n < 100 && !is_deleted; n++) {
      await db.run(sql`delete from identities where id = (select id from identities where ${of_provider} order by subject desc limit 1)`)
      await db.batch(link(`new subject ${n}`))
    }
    expectStatus(204, await deletion)
    await rowsFollowed(db)
    assert.equal(expectRow(await db.all(Count, sql`select count(*) as count from identities where ${of_provider}`)).count, 0)
  })

  test(`a sign-in that ends while its provider is deleted leaves neither identity nor session (${type})`, async () => {
    const own = await setUp(environment)
    const emails = Array.from({ length: 50 }, (_, i) => `leaving${i}.${type}@example.com`)
    for (const email of emails.slice(0, 25)) await signInUpstream(own, email)
    const deletion = () => w.call('DELETE', `${environment.path}/providers/${own.provider.id}`)
    const sign_ins = emails.map((email) => signInUpstream(own, email).catch(() => null))
    const deleted = await Promise.race(sign_ins).then(deletion)
    await Promise.all(sign_ins)
    expectStatus(204, deleted)
    await rowsFollowed(w.deployment.db)
    const left = sql`select count(*) as count from identities where provider_id = ${own.provider.id}`
    assert.equal(expectRow(await w.deployment.db.all(Count, left)).count, 0)
    const signed_in = sql`select count(*) as count from sessions s join users u on u.environment_id = s.environment_id and u.id = s.user_id
      where s.environment_id = ${environment.id} and s.ended_at is null and u.email like ${`leaving%.${type}@example.com`}`
    assert.equal(expectRow(await w.deployment.db.all(Count, signed_in)).count, 0)
  })

  test(`the list of grants shows what is active, newest first, with its last use (${type})`, async () => {
    const person = await createPerson(w, environment)
    const [first, other] = [client, await w.createApplication(environment)]
    await person.tokens(first)
    const { refresh_token } = await person.tokens(other, { scope: 'openid offline_access' })
    await person.code(other)
    w.advance(40)
    expectStatus(200, await refresh(w, environment, other, refresh_token))
    const refreshed_at = w.now()
    await w.deployment.grant_uses.write()
    const { data } = expectStatus(200, await backend('GET', `${person.id}/grants`))
    const { data: sessions } = expectStatus(200, await backend('GET', `${person.id}/sessions`))
    assert.deepEqual(
      data.map(({ application_id, session_id, scope, resource }: Record<string, unknown>) => [application_id, session_id, scope, resource]),
      [
        [other.id, sessions[0].id, 'openid profile email offline_access', []],
        [other.id, sessions[0].id, 'openid offline_access', []],
        [first.id, sessions[0].id, 'openid profile email offline_access', []],
      ],
    )
    assert.equal(data[0].last_used_at, null)
    assert.ok(Math.abs(Date.parse(data[1].last_used_at) - refreshed_at.getTime()) < 30_000)
    assert.ok(Date.parse(data[2].last_used_at) <= refreshed_at.getTime() - 30_000)
    assert.ok(Date.parse(data[0].expires_at) > w.now().getTime())
  })

  test(`a grant is listed and can be disconnected as long as one of its tokens is valid (${type})`, async () => {
    const day = 86_400
    const lasting = { identifier: 'https://lasting.example.com', name: 'Lasting', access_token_ttl_seconds: day }
    expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body: lasting }))
    const short = { refresh_token_idle_ttl_seconds: 7_200, refresh_token_absolute_ttl_seconds: 7_200, access_token_ttl_seconds: 3_600 }
    await w.changeSettings(environment, { sessions: { idle_ttl_seconds: 3_600, absolute_ttl_seconds: 3_600 }, tokens: short })
    const resource = lasting.identifier
    const application = () => w.createApplication(environment)
    const obtained: Record<
      string,
      (person: Awaited<ReturnType<typeof createPerson>>) => Promise<{ access_token: string; expires_in: number }>
    > = {
      'of a code': async (person) => person.tokens(await application(), { scope: 'openid', resource }),
      'of a refresh at the end of the refresh token': async (person) => {
        const app = await application()
        const { refresh_token } = await person.tokens(app, { resource })
        w.advance(7_100)
        return expectStatus(200, await refresh(w, environment, app, refresh_token))
      },
      'of a refresh after the lifetimes were raised': async (person) => {
        const app = await application()
        const { refresh_token } = await person.tokens(app)
        w.advance(7_100)
        await w.changeSettings(environment, { tokens: { access_token_ttl_seconds: day } })
        return expectStatus(200, await refresh(w, environment, app, refresh_token))
      },
    }
    for (const [what, obtain] of Object.entries(obtained)) {
      const person = await createPerson(w, environment)
      const { access_token, expires_in } = await obtain(person)
      assert.equal(expires_in, day, what)
      const until_end = w.now().getTime() + day * 1000
      w.advance(day - 60)
      await removeExpiredRows(w.deployment.db, w.now())
      const { data } = expectStatus(200, await backend('GET', `${person.id}/grants`))
      assert.equal(data.length, 1, what)
      assert.ok(Date.parse(data[0].expires_at) >= until_end - 30_000, what)
      assert.ok(rowsOf((await openAccount(environment, person)).page, 'apps').includes(data[0].application_id), what)
      assert.equal((await userinfo(w, environment, access_token)).status, 200, what)
      expectStatus(204, await backend('DELETE', `${person.id}/grants/${data[0].id}`))
      assert.equal((await userinfo(w, environment, access_token)).status, 401, what)
    }
    await w.changeSettings(environment, { sessions: null, tokens: null })
  })

  test(`disconnecting a grant ends every grant of the application, removes the consent, and leaves other applications (${type})`, async () => {
    const asking: Client & { id: string } = await w.createApplication(environment, { consent: 'ask' })
    const person = await createPerson(w, environment)
    const [one, two, elsewhere] = [await person.tokens(asking), await person.tokens(asking), await person.tokens(client)]
    const { data } = expectStatus(200, await backend('GET', `${person.id}/grants`))
    const grant = data.find(({ application_id }: { application_id: string }) => application_id === asking.id)
    expectStatus(204, await backend('DELETE', `${person.id}/grants/${grant.id}`))
    assert.deepEqual(await Promise.all([one, two, elsewhere].map((tokens) => isActive(set, tokens))), [false, false, true])
    const [revoked] = await events(set, `type=consent.revoked&user_id=${person.id}`)
    assert.deepEqual([revoked.application_id, revoked.actor.type], [asking.id, 'api_key'])
    assert.match((await person.agent.get(authorizationRequest(environment, asking).url)).body, /data-step="consent"|decision/)
    assert.equal((await backend('DELETE', `${person.id}/grants/${grant.id}`)).body.code, 'not_found')

    const left = expectStatus(200, await backend('GET', `${person.id}/grants`)).data
    expectStatus(204, await backend('DELETE', `${person.id}/grants/${left[0].id}`))
    const { data: all } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=consent.revoked&user_id=${person.id}`))
    assert.equal(all.length, 1) // there was no consent for the other application
  })

  test(`end-sessions ends every session and grant, each session with its event and its logout tokens (${type})`, async () => {
    const person = await createPerson(w, environment)
    const listener = await w.createApplication(environment, { backchannel_logout_uri: 'https://app.example.com/logout' })
    const tokens = [await person.tokens(listener)]
    const other = { ...person, agent: createAgent() }
    const request = authorizationRequest(environment, listener)
    const page = await other.agent.get(request.url)
    await other.agent.submit(page, { email: person.email, password: person.password, method: 'password' })
    const { data: sessions } = expectStatus(200, await backend('GET', `${person.id}/sessions`))
    assert.equal(sessions.length, 2)
    const user = expectStatus(200, await backend('POST', `${person.id}/end-sessions`))
    assert.equal(user.id, person.id)
    assert.deepEqual(expectStatus(200, await backend('GET', `${person.id}/sessions`)).data, [])
    assert.deepEqual(expectStatus(200, await backend('GET', `${person.id}/grants`)).data, [])
    assert.equal(await isActive(set, tokens[0]), false)
    const ended = await events(set, `type=session.ended&user_id=${person.id}`, 2)
    const expected = sessions.map(({ id }: { id: string }) => ({ session_id: id, reason: 'ended_by_api', sub: person.id }))
    const byId = (a: { session_id: string }, b: { session_id: string }) => (a.session_id < b.session_id ? -1 : 1)
    assert.deepEqual(ended.map(({ data }: { data: { session_id: string } }) => data).sort(byId), expected.sort(byId))
    const logouts = expectStatus(200, await w.call('GET', `${environment.path}/backchannel-logouts`))
    const called = logouts.data.filter(({ user_id }: { user_id: string }) => user_id === person.id)
    assert.deepEqual(
      called.map(({ application_id }: { application_id: string }) => application_id),
      [listener.id],
    )
    expectStatus(200, await backend('POST', `${person.id}/end-sessions`))
    await rowsFollowed(w.deployment.db)
    const again = expectStatus(200, await w.call('GET', `${environment.path}/events?type=session.ended&user_id=${person.id}`))
    assert.equal(again.data.length, 2)
  })

  test(`50 parallel end-sessions cause one event for a session (${type})`, async () => {
    const person = await createPerson(w, environment)
    await person.tokens(client)
    const replies = await Promise.all(Array.from({ length: 50 }, () => backend('POST', `${person.id}/end-sessions`)))
    assert.ok(replies.every(({ status }) => status === 200))
    await rowsFollowed(w.deployment.db)
    const rows = await w.deployment.db.all(
      z.object({ id: z.string() }),
      sql`select id from events where environment_id = ${environment.id} and user_id = ${person.id} and type = 'session.ended'`,
    )
    assert.equal(rows.length, 1)
  })
}

test('the person is mailed when a method is removed', async () => {
  const [set] = sets
  const email = 'mailed-about-it@example.com'
  const person = await createPerson(w, w.test, { email })
  const { data } = expectStatus(200, (await set?.backend('GET', `${person.id}/methods`)) ?? assert.fail())
  expectStatus(204, (await set?.backend('DELETE', `${person.id}/methods/${data[0].id}`)) ?? assert.fail())
  const inbox = expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=${email}`))
  assert.deepEqual(
    inbox.data.map(({ kind }: { kind: string }) => kind),
    ['method_removed'],
  )
})
