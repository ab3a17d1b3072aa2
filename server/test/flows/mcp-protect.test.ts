/** MCP servers over `protect` of the client library, and official SDKs that know only the address of a server and a client id. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { createPerson } from '../support/cookie-browser.ts'
import { browsing, noPythonSdk, pythonClient, typescriptClient } from '../support/mcp.ts'
import { frameworks, startProtected } from '../support/mcp-frameworks.ts'
import { world } from '../support/world.ts'

const w = await world()
const environment = w.test
const redirect_uri = 'http://127.0.0.1:49152/oauth/callback'
const sorted = (scope: string | undefined) => scope?.split(' ').sort()

/** A server, the application of its clients, and a person in front of a browser. */
async function situation(framework?: string) {
  const { address, word, scopes } = await startProtected(w, environment, framework)
  const application = await w.createApplication(environment, {
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1/oauth/callback'],
    allow_loopback_port: true,
    allowed_scopes: ['openid', 'offline_access', ...scopes],
    consent: 'ask',
  })
  const person = await createPerson(w, environment)
  const { browse, asked } = browsing(person, redirect_uri)
  return { address, word, application, person, asked, registered: { address, client_id: application.client_id, redirect_uri, browse } }
}

for (const framework of frameworks) {
  test(`a client of the SDK for TypeScript needs the address of a server of ${framework}, and asks once for all scopes of a tool`, async () => {
    const { word, person, asked, registered } = await situation(framework)
    const client = typescriptClient(registered)
    const first = await client.call('whoami')
    assert.ok('seen' in first, JSON.stringify(first))
    assert.deepEqual([first.seen.sub, first.seen.scope], [person.id, 'openid'])
    const moved = await client.call('move')
    assert.ok('seen' in moved, JSON.stringify(moved))
    const all = `openid ${word}:read ${word}:write`
    assert.deepEqual(asked, ['openid', all])
    assert.deepEqual(sorted(moved.seen.scope), sorted(all))
    const found = await client.call('find')
    assert.ok('seen' in found, JSON.stringify(found))
    assert.equal(asked.length, 2, 'the token has the scope already')
  })

  test(
    `a client of the SDK for Python needs the address of a server of ${framework}, and keeps the scopes that it had`,
    { skip: noPythonSdk },
    async () => {
      const { word, person, asked, registered } = await situation(framework)
      const outcome = await pythonClient(registered).call('whoami', 'find', 'move', 'find')
      assert.ok('seen' in outcome, JSON.stringify(outcome))
      assert.equal(outcome.seen.sub, person.id)
      const sets = [['openid'], ['openid', `${word}:read`], ['openid', `${word}:read`, `${word}:write`]]
      assert.deepEqual(
        asked.map(sorted),
        sets.map((each) => [...each, 'offline_access'].sort()),
      )
    },
  )
}

test('a client of the SDK for TypeScript that has a refresh token stops where a tool needs more', async () => {
  const { address, application, person, registered } = await situation()
  const client = typescriptClient(registered)
  const resource = { scope: 'openid offline_access', prompt: 'consent', resource: address }
  client.kept.tokens = (await person.tokens(application, resource)) as OAuthTokens // as: the answer of the token endpoint
  assert.ok(client.kept.tokens.refresh_token)
  assert.deepEqual(await client.call('find'), {
    stopped: 'Error: Streamable HTTP error: Server returned 403 after trying upscoping',
  })
})

test('a tool that is not listed and a token for another server are refused', async () => {
  const { address, application, person } = await situation()
  const other = await startProtected(w, environment)
  const { access_token } = await person.tokens(application, { scope: 'openid', resource: address })
  const call = async (url: string, name: string) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${access_token}`,
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  assert.deepEqual([await call(address, 'whoami'), await call(address, 'remove'), await call(other.address, 'whoami')], [200, 403, 401])
})

test('a client whose first way to authenticate is refused redeems the code by the next one', async (t) => {
  const { address, application, person } = await situation()
  const { client_id } = application
  const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}` })
  // biome-ignore format: this table is read by column
  const first: [string, Record<string, string>, Record<string, string>, number][] = [
    ['Basic with a secret',                             basic('secret'), {},                                       401],
    ['a secret in the body',                            {},              { client_id, client_secret: 'secret' },   401],
    ['Basic and a client_id that differ',               basic('secret'), { client_id: 'app_other' },               400],
    ['a header that nobody can read',                   { authorization: 'Basic %' }, {},                          401],
    ['no client_id',                                    {},              {},                                       400],
    ['Basic with an empty secret, as the SDKs for Go and C# send it', basic(''), {},                               200],
    ['the same with client_id in the body',             basic(''),       { client_id },                            200],
  ]
  for (const [what, headers, fields, status] of first)
    await t.test(what, async () => {
      const { request, code } = await person.code(application, { scope: 'openid', resource: address })
      const { redirect_uri, code_verifier } = request
      const redeem = async (sent: Record<string, string>, change: Record<string, string>) => {
        const body = new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          redirect_uri,
          code_verifier,
          resource: address,
          ...change,
        })
        return (await fetch(w.reach(`${environment.issuer}/v1/oauth/token`), { method: 'POST', headers: sent, body })).status
      }
      assert.equal(await redeem(headers, fields), status)
      if (status !== 200) assert.equal(await redeem({}, { client_id }), 200)
    })
})
