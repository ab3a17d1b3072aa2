/** Tokens that 50 parallel requests obtain while their grants end: none of them works after the end is answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { storeConsent } from '../../src/oidc/store/sessions.ts'
import { authorizationRequest, createPerson, exchange, refresh, userinfo } from '../support/cookie-browser.ts'
import { createAuthKey } from '../support/tenants.ts'
import { type Reply, world } from '../support/world.ts'

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
    return () => exchange(w, w.test, client, request, code)
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
      storeConsent(w.test.id, { user_id: person.id, application_id: client.id }, { before, after: ['openid'] }, w.now()),
    ])
  assert.notEqual(await consent(null), null)
  assert.equal(await consent(null), null, 'another window was first')
  assert.equal(await consent(['openid', 'email']), null, 'another window changed it')
  assert.notEqual(await consent(['openid']), null)
  assert.equal((await w.call('DELETE', `${w.test.path}/applications/${client.id}`)).status, 204)
  assert.equal(await consent(null), null)
})
