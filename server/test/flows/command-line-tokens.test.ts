/** The sign-in of a command line ends after 12 hours without use, whatever the settings of the root environment say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, createAgent, exchange, obtainCode, refresh } from '../support/cookie-browser.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const root = { id: w.admin_issuer.split('/').at(-1) as TestEnvironment['id'], issuer: w.admin_issuer } // as: the issuer ends with it
const client = { client_id: w.admin_client_id, redirect_uris: ['http://127.0.0.1:49152/callback'] }
const hour_seconds = 3_600

async function signIn(): Promise<string> {
  const request = authorizationRequest(root, client, { scope: 'openid offline_access', resource: w.base_url })
  const code = await obtainCode(createAgent(), request, owner)
  return expectStatus(200, await exchange(w, root, client, { request, code })).refresh_token
}

const use = (refresh_token: string) => refresh(w, root, client, refresh_token)
const hasEnded = (reply: Reply) => assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])

const changeRootSettings = (tokens: object) =>
  w.deployment.db.run(sql`update environments set settings = ${{ sign_up: { mode: 'closed' }, tokens }},
    settings_version = settings_version + 1 where id = ${root.id}`)

test('a refresh token of a command line ends after 12 hours without use, and each use gives another 12', async () => {
  let token = await signIn()
  for (let uses = 0; uses < 3; uses++) {
    w.advance(12 * hour_seconds - 60)
    token = expectStatus(200, await use(token)).refresh_token
  }
  w.advance(12 * hour_seconds + 60)
  hasEnded(await use(token))
})

test('settings of the root environment shorten the idle time of a command line, and never lengthen it', async () => {
  const cases = [
    { idle: hour_seconds, ends_after: hour_seconds },
    { idle: 30 * 24 * hour_seconds, ends_after: 12 * hour_seconds },
  ]
  for (const { idle, ends_after } of cases) {
    await changeRootSettings({ refresh_token_idle_ttl_seconds: idle })
    const [in_time, late] = [await signIn(), await signIn()]
    w.advance(ends_after - 60)
    expectStatus(200, await use(in_time))
    w.advance(120)
    hasEnded(await use(late))
  }
  await changeRootSettings({})
})
