/** The retry window of refresh tokens: a repeated refresh returns the same successor. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPerson, refresh, userinfo } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const window_seconds = 20

const isInvalidGrant = (reply: Reply) => assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])

for (const { type, format } of [
  { type: 'test', format: 'jwt' },
  { type: 'live', format: 'jwt' },
  { type: 'test', format: 'opaque' },
] as const) {
  const environment = w[type]
  const of = `(${type}, ${format} access tokens)`
  const person = await createPerson(w, environment)
  const client = await w.createApplication(environment)
  const other = await w.createApplication(environment)
  const isAlive = async (access_token: string) => assert.equal((await userinfo(w, environment, access_token)).status, 200)
  const isDead = async (access_token: string) => assert.equal((await userinfo(w, environment, access_token)).status, 401)

  test(`set the window ${of}`, async () => {
    const tokens = { refresh_retry_window_seconds: window_seconds, access_token_format: format }
    await w.changeSettings(environment, { tokens })
  })

  test(`within the window a repeated refresh returns the same refresh token and another access token ${of}`, async () => {
    const first = await person.tokens(client)
    const once = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    w.advance(window_seconds - 2)
    const twice = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    assert.equal(twice.refresh_token, once.refresh_token)
    assert.notEqual(twice.access_token, once.access_token)
    assert.equal(twice.access_token.startsWith('svc_at_'), format === 'opaque')
    for (const { access_token } of [first, once, twice]) await isAlive(access_token)
    expectStatus(200, await refresh(w, environment, client, once.refresh_token))
  })

  test(`fifty parallel refreshes with one token all get the same successor ${of}`, async () => {
    const { refresh_token } = await person.tokens(client)
    const replies = await Promise.all(Array.from({ length: 50 }, () => refresh(w, environment, client, refresh_token)))
    const successors = new Set(replies.map((reply) => expectStatus(200, reply).refresh_token))
    assert.equal(successors.size, 1)
    for (const reply of replies) await isAlive(reply.body.access_token)
    expectStatus(200, await refresh(w, environment, client, [...successors][0]))
  })

  test(`after the window a spent token is reuse and ends its family ${of}`, async () => {
    const first = await person.tokens(client)
    const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    w.advance(window_seconds)
    isInvalidGrant(await refresh(w, environment, client, first.refresh_token))
    isInvalidGrant(await refresh(w, environment, client, second.refresh_token))
    await isDead(second.access_token)
  })

  test(`once the successor is spent, its predecessor is reuse, even within the window ${of}`, async () => {
    const first = await person.tokens(client)
    const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    const third = expectStatus(200, await refresh(w, environment, client, second.refresh_token))
    isInvalidGrant(await refresh(w, environment, client, first.refresh_token))
    isInvalidGrant(await refresh(w, environment, client, third.refresh_token))
    await isDead(third.access_token)
  })

  test(`another client that presents a spent token within the window is refused, and ends no family ${of}`, async () => {
    const first = await person.tokens(client)
    const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    isInvalidGrant(await refresh(w, environment, other, first.refresh_token))
    expectStatus(200, await refresh(w, environment, client, second.refresh_token))
  })

  test(`a retry may narrow the scope, and not widen it ${of}`, async () => {
    const { refresh_token } = await person.tokens(client)
    const once = expectStatus(200, await refresh(w, environment, client, { refresh_token, scope: 'openid' }))
    const twice = expectStatus(200, await refresh(w, environment, client, { refresh_token, scope: 'openid email' }))
    assert.deepEqual([once.scope, twice.scope, twice.refresh_token], ['openid', 'openid email', once.refresh_token])
    assert.equal((await refresh(w, environment, client, { refresh_token, scope: 'openid phone' })).body.error, 'invalid_scope')
  })

  test(`a token that was spent without a window is reuse, even if a window was set since ${of}`, async () => {
    await w.changeSettings(environment, { tokens: { refresh_retry_window_seconds: 0 } })
    const first = await person.tokens(client)
    const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    await w.changeSettings(environment, { tokens: { refresh_retry_window_seconds: window_seconds } })
    isInvalidGrant(await refresh(w, environment, client, first.refresh_token))
    isInvalidGrant(await refresh(w, environment, client, second.refresh_token))
  })
}
