/**
 * What ends every grant at once, those with offline_access included: its application disabled or deleted, its person
 * blocked, deleted or given another password, its session ended by the backend (contract §4).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { authorizationRequest, createAgent, createPerson, exchange, refresh, userinfo } from '../support/cookie-browser.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()

async function backendKey(place: TestEnvironment): Promise<string> {
  return expectStatus(201, await w.call('POST', `${place.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
}
const keys = { test: await backendKey(w.test), live: await backendKey(w.live) }

interface Concerned {
  place: TestEnvironment
  user_id: string
  session_id: string
  application_id: string
}

const changeApplication = async ({ place, application_id }: Concerned, change: Record<string, unknown>) =>
  expectStatus(200, await w.call('PATCH', `${place.path}/applications/${application_id}`, { body: change }))
const asBackend = async (status: number, method: string, place: TestEnvironment, path: string, body?: unknown) =>
  expectStatus(status, await w.call(method, `/v1/auth/${path}`, { key: keys[place.type], ...(body === undefined ? {} : { body }) }))

const ends: Record<string, (concerned: Concerned) => Promise<unknown>> = {
  'the application is disabled': (concerned) => changeApplication(concerned, { disabled: true }),
  'the application is disabled and enabled again': async (concerned) => {
    await changeApplication(concerned, { disabled: true })
    await changeApplication(concerned, { disabled: false })
  },
  'the application is deleted': async ({ place, application_id }) =>
    expectStatus(204, await w.call('DELETE', `${place.path}/applications/${application_id}`)),
  'the person is blocked': ({ place, user_id }) => asBackend(200, 'POST', place, `users/${user_id}/block`),
  'the person is blocked and unblocked again': async ({ place, user_id }) => {
    await asBackend(200, 'POST', place, `users/${user_id}/block`)
    await asBackend(200, 'POST', place, `users/${user_id}/unblock`)
  },
  'the person is deleted': ({ place, user_id }) => asBackend(204, 'DELETE', place, `users/${user_id}`),
  'the person has another password': ({ place, user_id }) =>
    asBackend(200, 'PATCH', place, `users/${user_id}`, { password: 'another long password' }),
  'the backend ended the session': ({ place, session_id }) => asBackend(204, 'DELETE', place, `sessions/${session_id}`),
}

let codes_given = 0

for (const type of ['test', 'live'] as const) {
  const place = w[type]
  for (const format of ['jwt', 'opaque'] as const) {
    for (const [what, end] of Object.entries(ends)) {
      test(`once ${what}, no token, code or refresh token works any more, and nobody else's stops (${type}, ${format} access tokens)`, async () => {
        await w.changeSettings(place, { tokens: { access_token_format: format } })
        const [client, other_client] = [await w.createApplication(place), await w.createApplication(place)]
        const [person, other_person] = [await createPerson(w, place), await createPerson(w, place)]
        const mine = await person.tokens(client)
        const pending = await person.code(client)
        const elsewhere = await other_person.tokens(other_client)

        const session_id = String(decodeJwt(mine.id_token).sid)
        await end({ place, user_id: person.id, session_id, application_id: client.id })

        assert.equal((await asBackend(200, 'POST', place, 'tokens/validate', { token: mine.access_token })).active, false)
        assert.equal((await userinfo(w, place, mine.access_token)).status, 401)
        for (const reply of [
          await refresh(w, place, client, mine.refresh_token),
          await exchange(w, place, client, pending.request, pending.code),
        ])
          assert.ok(['invalid_grant', 'invalid_client'].includes(reply.body.error), reply.body)
        assert.equal((await userinfo(w, place, elsewhere.access_token)).status, 200)
        expectStatus(200, await refresh(w, place, other_client, elsewhere.refresh_token))
      })
    }
  }

  for (const [what, end] of Object.entries(ends)) {
    if (what.endsWith('enabled again')) continue // then codes may be given again
    test(`of fifty codes that are asked for while ${what}, none is worth a token afterwards (${type})`, async () => {
      const client = await w.createApplication(place)
      const person = await createPerson(w, place)
      const session_id = String(decodeJwt((await person.tokens(client)).id_token).sid)
      const requests = Array.from({ length: 50 }, () => authorizationRequest(place, client))
      const ask = requests.map((request) => async () => ({ request, answer: await person.agent.get(request.url) }))
      const [before, after] = [ask.slice(0, 25), ask.slice(25)]
      const asked = before.map((each) => each())
      const ended = end({ place, user_id: person.id, session_id, application_id: client.id })
      asked.push(...after.map((each) => each()))
      await ended
      for (const { request, answer } of await Promise.all(asked)) {
        const location = answer.headers.get('location')
        const code = location && new URL(location, w.base_url).searchParams.get('code')
        if (!code) continue
        codes_given += 1
        assert.ok([400, 401].includes((await exchange(w, place, client, request, code)).status), location)
      }
    })
  }

  for (const what of ['the person is blocked', 'the person is deleted', 'the person has another password']) {
    test(`once ${what}, the session in the browser is none, and the password does not sign in (${type})`, async () => {
      const client = await w.createApplication(place)
      const person = await createPerson(w, place)
      await person.tokens(client)
      await ends[what]?.({ place, user_id: person.id, session_id: '', application_id: client.id })

      const silent = await person.agent.get(authorizationRequest(place, client, { prompt: 'none' }).url)
      assert.match(silent.headers.get('location') ?? '', /[?&]error=login_required&/)
      for (const agent of [person.agent, createAgent()]) {
        const page = await agent.get(authorizationRequest(place, client).url)
        assert.equal((await agent.submit(page, { email: person.email, password: person.password })).status, 400)
      }
    })
  }

  test(`a disabled application is told to the person, and is no client anywhere (${type})`, async () => {
    const client = await w.createApplication(place)
    await changeApplication({ place, application_id: client.id, user_id: '', session_id: '' }, { disabled: true })
    for (const change of [{}, { prompt: 'none' }, { response_type: 'token' }]) {
      const reply = await createAgent().get(authorizationRequest(place, client, change).url)
      assert.deepEqual([reply.status, reply.headers.get('location')], [400, null])
    }
    const reply = await refresh(w, place, client, 'whatever')
    assert.deepEqual([reply.status, reply.body.error], [401, 'invalid_client'])
  })
}

test('some of those codes were given before the end', () => assert.ok(codes_given > 0))
