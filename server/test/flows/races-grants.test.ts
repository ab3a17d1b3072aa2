/** Tokens that 50 parallel requests obtain while their grants end: none of them works after the end is answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { storeConsent } from '../../src/domain/sessions/consents.ts'
import { openAccount, press } from '../support/account.ts'
import { authorizationRequest, createAgent, createPerson, exchange, obtainCode, refresh, userinfo } from '../support/cookie-browser.ts'
import { rowsFollowed } from '../support/endings.ts'
import { amidBatch } from '../support/overlapping-batches.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const secret = await createAuthKey(w, w.test, 'auth_secret')
const asBackend = (method: string, path: string) => w.call(method, `/v1/auth/${path}`, { key: secret.key })

type Client = Awaited<ReturnType<typeof w.createApplication>>
type Person = Awaited<ReturnType<typeof createPerson>>

const ends: Record<string, (ids: { client_id: string; user_id: string; session_id: string }) => Promise<Reply>> = {
  'the application is disabled': ({ client_id }) =>
    w.call('PATCH', `${w.test.path}/applications/${client_id}`, { body: { disabled: true } }),
  'the user is blocked': ({ user_id }) => asBackend('POST', `users/${user_id}/block`),
  'the session is ended': ({ session_id }) => asBackend('DELETE', `sessions/${session_id}`),
}

/** Each prepares a token request for a grant of its own. */
const requests: Record<string, (person: Person, client: Client) => Promise<() => Promise<Reply>>> = {
  'code exchanges': async (person, client) => {
    const { request, code } = await person.code(client)
    return () => exchange(w, w.test, client, { request, code })
  },
  refreshes: async (person, client) => {
    const { refresh_token } = await person.tokens(client)
    return () => refresh(w, w.test, client, refresh_token)
  },
}

for (const [how, end] of Object.entries(ends))
  for (const [what, prepare] of Object.entries(requests))
    test(`of 50 parallel ${what} while ${how}, no token works afterwards`, async () => {
      const client = await w.createApplication(w.test)
      const person = await createPerson(w, w.test)
      const session_id = String(decodeJwt((await person.tokens(client)).id_token).sid)
      const prepared = await Promise.all(Array.from({ length: 50 }, () => prepare(person, client)))

      const before = prepared.slice(0, 25).map((send) => send())
      const ended = end({ client_id: client.id, user_id: person.id, session_id })
      const after = prepared.slice(25).map((send) => send())
      assert.ok((await ended).status < 300)
      for (const { status, body } of await Promise.all([...before, ...after])) {
        if (status !== 200) assert.ok(['invalid_grant', 'invalid_client'].includes(body.error), `${status} ${body.error}`)
        else {
          assert.equal((await userinfo(w, w.test, body.access_token)).status, 401)
          assert.ok([400, 401].includes((await refresh(w, w.test, client, body.refresh_token)).status))
        }
      }
    })

/** The ways to disconnect an application. Each prepares the request. */
const disconnects: Record<string, (person: Person, client_id: string) => Promise<() => Promise<Reply>>> = {
  'the person disconnects the application': async (person, client_id) => {
    const { agent, page } = await openAccount(w.test, person)
    return () => press(agent, page, { action: 'disconnect', id: client_id })
  },
  'the backend disconnects the application': async ({ id }, client_id) => {
    const { data } = expectStatus(200, await asBackend('GET', `users/${id}/grants`))
    const grant = data.find(({ application_id }: { application_id: string }) => application_id === client_id)
    return () => asBackend('DELETE', `users/${id}/grants/${grant.id}`)
  },
}

const Count = z.object({ n: z.int() })

for (const [how, prepare] of Object.entries(disconnects)) {
  /** A person with ten browsers and consent, and the requests of these browsers for a code each. */
  async function connected() {
    const client = await w.createApplication(w.test, { consent: 'ask' })
    const person = await createPerson(w, w.test)
    const browsers = Array.from({ length: 10 }, () => createAgent())
    for (const agent of browsers) await obtainCode(agent, authorizationRequest(w.test, client), person)
    const { url } = authorizationRequest(w.test, client, { prompt: 'none' })
    const authorize = (each: number) => browsers.flatMap((agent) => Array.from({ length: each }, () => agent.get(url)))
    return { client, person, authorize, disconnect: await prepare(person, client.id) }
  }

  async function assertDisconnected(replies: readonly Reply[], { client, person }: { client: Client; person: Person }) {
    for (const { status } of replies) assert.ok([204, 303].includes(status), `${status}`)
    await rowsFollowed(w.deployment.db)
    const which = sql`environment_id = ${w.test.id} and user_id = ${person.id} and application_id = ${client.id}`
    const left = await w.deployment.db.all(
      Count,
      sql`select count(*) as n from grants where ${which} and ended_at is null
          union all select count(*) as n from consents where ${which}`,
    )
    assert.deepEqual(left, [{ n: 0 }, { n: 0 }])
  }

  test(`of 50 parallel authorizations while ${how}, no grant remains without consent`, async () => {
    const { authorize, disconnect, ...of } = await connected()
    await assertDisconnected(await Promise.all([...authorize(2), disconnect(), ...authorize(3)]), of)
  })

  test(`of 50 parallel authorizations amid the batch with which ${how}, no grant remains without consent`, async () => {
    const { authorize, disconnect, ...of } = await connected()
    const consent = `select 1 from consents where environment_id = '${w.test.id}' and user_id = '${of.person.id}' for update`
    await assertDisconnected(await amidBatch(w, consent, disconnect, () => authorize(5)), of)
  })
}

// biome-ignore format: one request a line
const asked_scopes = ['openid', 'openid profile', 'openid email', 'openid phone', 'openid profile email', 'openid offline_access']
test('of parallel consents in several windows every word is stored', async () => {
  const client = await w.createApplication(w.test, { consent: 'ask' })
  const person = await createPerson(w, w.test)
  await person.tokens(await w.createApplication(w.test))
  const requestOf = (scope: string, change = {}) => authorizationRequest(w.test, client, { scope, ...change }).url
  const pages = await Promise.all(asked_scopes.map((scope) => person.agent.get(requestOf(scope))))
  const replies = await Promise.all(pages.map((page) => person.agent.submit(page, { decision: 'allow' })))
  assert.deepEqual(
    replies.map(({ status }) => status),
    asked_scopes.map(() => 303),
  )
  const all = await person.agent.get(requestOf('openid profile email phone offline_access', { prompt: 'none' }))
  assert.match(all.headers.get('location') ?? '', /[?&]code=/)
})

test('consent is stored only while nothing has changed it since it was read, and the application exists', async () => {
  const client = await w.createApplication(w.test, { consent: 'ask' })
  const person = await createPerson(w, w.test)
  const consent = (before: string[] | null) =>
    w.deployment.db.batch([
      storeConsent(
        w.test.id,
        { user_id: person.id, application_id: client.id, organization: null },
        { before, after: ['openid'] },
        w.now(),
      ),
    ])
  assert.equal(await consent(['openid']), null, 'the application was disconnected')
  assert.notEqual(await consent(null), null)
  assert.equal(await consent(null), null, 'another window was first')
  assert.equal(await consent(['openid', 'email']), null, 'another window changed it')
  assert.notEqual(await consent(['openid']), null)
  assert.equal((await w.call('DELETE', `${w.test.path}/applications/${client.id}`)).status, 204)
  assert.equal(await consent(null), null)
})
