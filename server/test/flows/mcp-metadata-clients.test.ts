/** The official MCP SDKs as clients that nobody registered: each has the address of a document, and no option for this service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { startClientHost } from '../support/client-host.ts'
import { createPerson } from '../support/cookie-browser.ts'
import { browsing as browsingTo, noPythonSdk, pythonClient, startMcpServer, typescriptClient } from '../support/mcp.ts'
import { noSecondSdk, secondTypescriptClient } from '../support/mcp-programs.ts'
import { organizationsOf } from '../support/organizations.ts'
import { createRoleWorld } from '../support/role-person.ts'
import { expectStatus, world } from '../support/world.ts'

const host = await startClientHost()
const w = await world({ outbound: host.outbound })
const environment = w.test
const roles = await createRoleWorld(w, environment)
const orgs = await organizationsOf(w, environment)
await w.changeSettings(environment, { oauth: { metadata_clients: 'any', openid_optional: true } })

const redirect_uri = 'http://127.0.0.1:49152/callback'
const newClient = () => host.publish(host.newUrl(), { client_name: 'Assistant', redirect_uris: ['http://127.0.0.1/callback'] })

async function newServer(slug: string, needed: string[], asked: string[], fields: object = {}): Promise<string> {
  const address = await startMcpServer(w, environment.issuer, { needed, asked })
  const scopes = { [slug]: [`${slug}:read`, `${slug}:write`] }
  await roles.createServer(slug, scopes[slug] ?? [], { identifier: address, allow_metadata_clients: true, require_roles: false, ...fields })
  return address
}

const sdks = {
  'the SDK for TypeScript': { client: typescriptClient, skip: false, word: 'one' },
  'the SDK for TypeScript 2': { client: secondTypescriptClient, skip: noSecondSdk, word: 'two' },
  'the SDK for Python': { client: pythonClient, skip: noPythonSdk, word: 'py' },
} as const

const listings: [what: string, slug: string, asked: (slug: string) => string[]][] = [
  ['openid and its scopes', 'all', (slug) => ['openid', `${slug}:read`, `${slug}:write`]],
  ['its scopes alone', 'own', (slug) => [`${slug}:read`, `${slug}:write`]],
  ['no scope', 'none', () => []],
]

for (const [what, slug, asked] of listings) {
  const address = await newServer(slug, asked(slug), asked(slug))
  for (const [name, { client, skip }] of Object.entries(sdks))
    test(`${name} reaches a tool of a server whose metadata lists ${what}`, { skip }, async () => {
      const person = await createPerson(w, environment)
      const client_id = newClient()
      const { steps, browse } = browsingTo(person, redirect_uri)
      const outcome = await client({ address, client_id, redirect_uri, browse }).call()
      assert.ok('seen' in outcome, JSON.stringify(outcome))
      assert.equal(outcome.seen.sub, person.id)
      for (const scope of asked(slug)) assert.ok(outcome.seen.scope.split(' ').includes(scope), outcome.seen.scope)
      assert.ok(steps.includes('consent'), steps.join(', '))
      const [record] = expectStatus(
        200,
        await w.call('GET', `${environment.path}/metadata-clients?client_id=${encodeURIComponent(client_id)}`),
      ).data
      assert.deepEqual([record.client_name, record.added_by, record.listed], ['Assistant', 'person', false])
    })
}

test('the SDK for TypeScript refreshes without its document, and stops when it is blocked', async () => {
  const address = await newServer('kept', ['kept:read'], ['kept:read', 'offline_access'])
  const person = await createPerson(w, environment)
  const client_id = newClient()
  const { asked, browse } = browsingTo(person, redirect_uri)
  const client = typescriptClient({ address, client_id, redirect_uri, browse })
  await client.call()
  host.answer(client_id, 500)
  w.advance(4_000)
  const outcome = await client.call()
  assert.ok('seen' in outcome, JSON.stringify(outcome))
  assert.equal(asked.length, 1, 'the person was asked once')
  assert.equal(decodeJwt(client.kept.tokens?.access_token ?? '').client_id, client_id)
  const [{ id }] = expectStatus(
    200,
    await w.call('GET', `${environment.path}/metadata-clients?client_id=${encodeURIComponent(client_id)}`),
  ).data
  expectStatus(200, await w.call('PATCH', `${environment.path}/metadata-clients/${id}`, { body: { disabled: true } }))
  w.advance(4_000)
  assert.deepEqual(await client.call(), { stopped: 'InvalidClientError: Client authentication failed.' })
})

for (const [name, { client, skip, word }] of Object.entries(sdks))
  test(`${name} asks for a second scope when a tool needs it`, { skip }, async () => {
    const slug = `step${word}`
    const address = await newServer(slug, [`${slug}:read`, `${slug}:write`], [`${slug}:read`])
    const person = await createPerson(w, environment)
    const { asked, browse } = browsingTo(person, redirect_uri)
    const outcome = await client({ address, client_id: newClient(), redirect_uri, browse }).call()
    assert.ok('seen' in outcome, JSON.stringify(outcome))
    assert.deepEqual(
      outcome.seen.scope
        .split(' ')
        .filter((scope) => scope.startsWith(slug))
        .sort(),
      [`${slug}:read`, `${slug}:write`],
    )
    assert.equal(asked.length, 2, asked.join(' | '))
  })

for (const [name, { client, skip, word }] of Object.entries(sdks))
  test(`${name} gets a token of the organization that the person chose`, { skip }, async () => {
    const slug = `team${word}`
    const address = await newServer(slug, [`${slug}:read`], [`${slug}:read`], { organizations: 'required', require_roles: true })
    const reader = await roles.createRole(`${slug}-reader`, { [slug]: [`${slug}:read`] }, { kind: 'organization' })
    const person = await createPerson(w, environment)
    const join = (name: string) => orgs.create({ name, members: [{ user_id: person.id, roles: [reader.slug] }] })
    await join('Acme')
    const second = await join('Birch')
    const { steps, browse } = browsingTo(person, redirect_uri, second.id)
    const outcome = await client({ address, client_id: newClient(), redirect_uri, browse }).call()
    assert.ok('seen' in outcome, JSON.stringify(outcome))
    assert.deepEqual([outcome.seen.org_id, steps.includes('select-organization')], [second.id, true])
  })
