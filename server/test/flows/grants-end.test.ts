/**
 * Events that end a grant at once, with or without offline_access: the application is disabled or deleted, the user is blocked,
 * deleted or gets another password, the backend ends the session.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, createAgent, createPerson, exchange, refresh, userinfo } from '../support/cookie-browser.ts'
import { holdEndings, rowsFollowed } from '../support/endings.ts'
import { mostRowsOfStatement } from '../support/slices.ts'
import { expectStatus, type TestEnvironment, types_of_run, world } from '../support/world.ts'

const w = await world()

async function backendKey(environment: TestEnvironment): Promise<string> {
  return expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
}
const keys = { test: await backendKey(w.test), live: await backendKey(w.live) }

interface Grant {
  environment: TestEnvironment
  user_id: string
  session_id: string
  application_id: string
}

const changeApplication = async ({ environment, application_id }: Grant, change: Record<string, unknown>) =>
  expectStatus(200, await w.call('PATCH', `${environment.path}/applications/${application_id}`, { body: change }))
const asBackend = async (method: string, environment: TestEnvironment, path: string, body?: unknown) => {
  const reply = await w.call(method, `/v1/auth/${path}`, { key: keys[environment.type], ...(body === undefined ? {} : { body }) })
  return expectStatus(method === 'DELETE' ? 204 : 200, reply)
}

const ends: Record<string, (grant: Grant) => Promise<unknown>> = {
  'the application is disabled': (grant) => changeApplication(grant, { disabled: true }),
  'the application is disabled and enabled again': async (grant) => {
    await changeApplication(grant, { disabled: true })
    await changeApplication(grant, { disabled: false })
  },
  'the application is deleted': async ({ environment, application_id }) =>
    expectStatus(204, await w.call('DELETE', `${environment.path}/applications/${application_id}`)),
  'the user is blocked': ({ environment, user_id }) => asBackend('POST', environment, `users/${user_id}/block`),
  'the user is blocked and unblocked again': async ({ environment, user_id }) => {
    await asBackend('POST', environment, `users/${user_id}/block`)
    await asBackend('POST', environment, `users/${user_id}/unblock`)
  },
  'the user is deleted': ({ environment, user_id }) => asBackend('DELETE', environment, `users/${user_id}`),
  'the user has another password': ({ environment, user_id }) =>
    asBackend('PATCH', environment, `users/${user_id}`, { password: 'another long password' }),
  'the backend ended the session': ({ environment, session_id }) => asBackend('DELETE', environment, `sessions/${session_id}`),
}

let codes_issued = 0

for (const type of types_of_run) {
  const environment = w[type]
  for (const format of ['jwt', 'opaque'] as const) {
    for (const [what, end] of Object.entries(ends)) {
      test(`once ${what}, its tokens and codes stop working, and those of others go on (${type}, ${format} access tokens)`, async () => {
        await w.changeSettings(environment, { tokens: { access_token_format: format } })
        const [client, other_client] = [await w.createApplication(environment), await w.createApplication(environment)]
        const [person, other_person] = [await createPerson(w, environment), await createPerson(w, environment)]
        const ended = await person.tokens(client)
        const pending = await person.code(client)
        const untouched = await other_person.tokens(other_client)

        const session_id = String(decodeJwt(ended.id_token).sid)
        await end({ environment, user_id: person.id, session_id, application_id: client.id })

        assert.equal((await asBackend('POST', environment, 'tokens/validate', { token: ended.access_token })).active, false)
        assert.equal((await userinfo(w, environment, ended.access_token)).status, 401)
        for (const reply of [
          await refresh(w, environment, client, ended.refresh_token),
          await exchange(w, environment, client, { request: pending.request, code: pending.code }),
        ])
          assert.ok(['invalid_grant', 'invalid_client'].includes(reply.body.error), reply.body)
        assert.equal((await userinfo(w, environment, untouched.access_token)).status, 200)
        expectStatus(200, await refresh(w, environment, other_client, untouched.refresh_token))
      })
    }
  }

  for (const [what, end] of Object.entries(ends)) {
    if (what.endsWith('enabled again')) continue // codes may be issued again by then
    test(`of fifty codes requested while ${what}, none can be exchanged afterwards (${type})`, async () => {
      const client = await w.createApplication(environment)
      const person = await createPerson(w, environment)
      const session_id = String(decodeJwt((await person.tokens(client)).id_token).sid)
      const requests = Array.from({ length: 50 }, () => authorizationRequest(environment, client))
      const ask = requests.map((request) => async () => ({ request, answer: await person.agent.get(request.url) }))
      const [before, after] = [ask.slice(0, 25), ask.slice(25)]
      const asked = before.map((each) => each())
      const ended = end({ environment, user_id: person.id, session_id, application_id: client.id })
      asked.push(...after.map((each) => each()))
      await ended
      for (const { request, answer } of await Promise.all(asked)) {
        const location = answer.headers.get('location')
        const code = location && new URL(location, w.base_url).searchParams.get('code')
        if (!code) continue
        codes_issued += 1
        assert.ok([400, 401].includes((await exchange(w, environment, client, { request, code })).status), location)
      }
    })
  }

  for (const what of ['the user is blocked', 'the user is deleted', 'the user has another password']) {
    test(`once ${what}, the browser is signed out, and the old password does not sign in (${type})`, async () => {
      const client = await w.createApplication(environment)
      const person = await createPerson(w, environment)
      await person.tokens(client)
      await ends[what]?.({ environment, user_id: person.id, session_id: '', application_id: client.id })

      const silent = await person.agent.get(authorizationRequest(environment, client, { prompt: 'none' }).url)
      assert.match(silent.headers.get('location') ?? '', /[?&]error=login_required&/)
      for (const agent of [person.agent, createAgent()]) {
        const page = await agent.get(authorizationRequest(environment, client).url)
        assert.equal((await agent.submit(page, { email: person.email, password: person.password })).status, 400)
      }
    })
  }

  test(`a disabled application gets an error page at authorization and invalid_client at the token endpoint (${type})`, async () => {
    const client = await w.createApplication(environment)
    await changeApplication({ environment, application_id: client.id, user_id: '', session_id: '' }, { disabled: true })
    for (const change of [{}, { prompt: 'none' }, { response_type: 'token' }]) {
      const reply = await createAgent().get(authorizationRequest(environment, client, change).url)
      assert.deepEqual([reply.status, reply.headers.get('location')], [400, null])
    }
    const reply = await refresh(w, environment, client, 'any token')
    assert.deepEqual([reply.status, reply.body.error], [401, 'invalid_client'])
  })
}

test('some of those codes were issued before the end', () => assert.ok(codes_issued > 0))

const { db } = w.deployment
const Count = z.object({ count: z.int() })
const many = 1_200

/** An application with a person's tokens, and with more grants and consents than one batch ends. The grant of the person is the last. */
async function popularApplication() {
  const client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  const tokens = await person.tokens(client)
  const later = new Date(w.now().getTime() + 3_600_000)
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${many})`
  await db.batch([
    sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr, began_with, created_at, expires_at,
                            visit_at, code_hash)
        ${numbers} select ${w.test.id}, 'gra_-' || ${client.id} || (${many} + i), 'usr_' || i, ${client.id}, 'ses_' || i, 'openid', '[]', 0, 1, '[]', '', 'email_code', 1,
          ${later}, ${later}, 'c' || i from n`,
    sql`insert into consents (environment_id, user_id, application_id, scope, created_at, updated_at)
        ${numbers} select ${w.test.id}, 'usr_' || i, ${client.id}, 'openid', 1, 1 from n`,
  ])
  const path = `${w.test.path}/applications/${client.id}`
  const count = async (from: ReturnType<typeof sql>) =>
    (await db.maybeOne(Count, sql`select count(*) as count from ${from} and environment_id = ${w.test.id}`))?.count
  return {
    client,
    tokens,
    works: async () => [
      (await userinfo(w, w.test, tokens.access_token)).status,
      (await asBackend('POST', w.test, 'tokens/validate', { token: tokens.access_token })).active,
    ],
    disable: (disabled: boolean) => w.call('PATCH', path, { body: { disabled } }),
    delete: () => w.call('DELETE', path),
    read: () => w.call('GET', path),
    open: () => count(sql`grants where application_id = ${client.id} and ended_at is null`),
    consents: () => count(sql`consents where application_id = ${client.id}`),
    audited: () => count(sql`audit_log where object_id = ${client.id} and action <> 'createApplication'`),
  }
}

test('disabling an application with any number of grants ends them all at once, and their rows a slice at a time', async () => {
  const application = await popularApplication()
  assert.deepEqual(await application.works(), [200, true])
  const most = await mostRowsOfStatement(db, async () => {
    expectStatus(200, await application.disable(true))
    assert.deepEqual(await application.works(), [401, false])
    w.advance(6)
    await rowsFollowed(db)
  })
  assert.ok(most <= 200, `${most} rows`)
  assert.equal(await application.open(), 0)
  expectStatus(200, await application.disable(false))
  assert.deepEqual(await application.works(), [401, false])
})

test('deleting an application with any number of grants and consents ends them all at once, and their rows a slice at a time', async () => {
  const application = await popularApplication()
  const most = await mostRowsOfStatement(db, async () => {
    expectStatus(204, await application.delete())
    assert.deepEqual(await application.works(), [401, false])
    w.advance(6)
    await rowsFollowed(db)
  })
  assert.ok(most <= 200, `${most} rows`)
  assert.deepEqual([await application.open(), await application.consents()], [0, 0])
})

test('while the rows of a disabled application still end, enabling it revives none of its tokens', async () => {
  const application = await popularApplication()
  const held = holdEndings(db)
  try {
    expectStatus(200, await application.disable(true))
    assert.equal(await application.open(), many + 1)
    expectStatus(200, await application.disable(false))
    assert.equal(await application.open(), many + 1)
    assert.deepEqual(await application.works(), [401, false])
  } finally {
    held.goOn()
  }
  w.advance(6)
  await rowsFollowed(db)
  assert.equal(await application.open(), 0)
  assert.equal(await application.audited(), 2)
})
