/** The official MCP SDKs, registered beforehand and without an option for this service: a person chooses the organization on our page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPerson } from '../support/cookie-browser.ts'
import { browsing as browsingTo, noPythonSdk, pythonClient, startMcpServer, typescriptClient } from '../support/mcp.ts'
import { organizationsOf } from '../support/organizations.ts'
import { createRoleWorld, payloadOf } from '../support/role-person.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const roles = await createRoleWorld(w, environment)
const orgs = await organizationsOf(w, environment)
const address = await startMcpServer(w, environment.issuer, {
  needed: ['openid', 'tools:read'],
  asked: ['openid', 'tools:read', 'tools:write', 'offline_access'],
})
await roles.createServer('tools', ['tools:read', 'tools:write'], { identifier: address, organizations: 'required' })
const of_members = { kind: 'organization' }
const reader = await roles.createRole('reader', { tools: ['tools:read'] }, of_members)
const writer = await roles.createRole('writer', { tools: ['tools:read', 'tools:write'] }, of_members)
const alone = await roles.createRole('alone', { tools: ['tools:write'] }, of_members)
const native = { application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'], allow_loopback_port: true }
const application = await w.createApplication(environment, {
  ...native,
  name: 'Assistant',
  allowed_scopes: ['openid', 'offline_access', 'tools:read', 'tools:write'],
})
const redirect_uri = 'http://127.0.0.1:49152/callback'

type Person = Awaited<ReturnType<typeof createPerson>>
const newPerson = () => createPerson(w, environment)
/** Makes an organization with this member, who has these roles. */
const join = async (person: Person, name: string, ...given: { slug: string }[]) => {
  const organization = await orgs.create({ name })
  expectStatus(
    201,
    await orgs.add(
      organization.id,
      person.id,
      given.map(({ slug }) => slug),
    ),
  )
  return organization
}

const browsing = (person: Person, organization?: string) => browsingTo(person, redirect_uri, organization)

const sdks = {
  'the SDK for TypeScript': { client: typescriptClient, skip: false },
  'the SDK for Python': { client: pythonClient, skip: noPythonSdk },
} as const
const registered = { address, client_id: application.client_id, redirect_uri }

for (const [name, { client, skip }] of Object.entries(sdks)) {
  test(`${name} gets a token of the organization that the person chose, with the scope that the roles there give`, { skip }, async () => {
    const person = await newPerson()
    const first = await join(person, 'Acme', writer)
    const second = await join(person, 'Birch', reader)
    for (const [{ id }, scope] of [
      [first, 'openid offline_access tools:read tools:write'],
      [second, 'openid offline_access tools:read'],
    ] as const) {
      const { steps, browse } = browsing(person, id)
      const outcome = await client({ ...registered, browse }).call()
      assert.ok('seen' in outcome, JSON.stringify(outcome))
      assert.deepEqual([outcome.seen.sub, outcome.seen.org_id], [person.id, id])
      assert.deepEqual(
        [outcome.seen.scope, outcome.scope].map((each) => each?.split(' ').sort()),
        [scope.split(' ').sort(), scope.split(' ').sort()],
      )
      assert.ok(steps.includes('select-organization'), steps.join(', '))
    }
  })

  test(`${name} needs no page for the only organization of a person`, { skip }, async () => {
    const person = await newPerson()
    const { id } = await join(person, 'Acme', reader)
    const { steps, browse } = browsing(person)
    const outcome = await client({ ...registered, browse }).call()
    assert.ok('seen' in outcome, JSON.stringify(outcome))
    assert.equal(outcome.seen.org_id, id)
    assert.ok(!steps.includes('select-organization'), steps.join(', '))
  })

  test(`${name} stops with access_denied where no role of the person gives a scope, after a page that says so`, { skip }, async () => {
    const member = await newPerson()
    await join(member, 'Acme')
    const stranger = await newPerson()
    for (const person of [member, stranger]) {
      const { steps, browse } = browsing(person)
      assert.deepEqual(await client({ ...registered, browse }).call(), { stopped: 'access_denied' })
      assert.deepEqual(steps, ['sign-in', 'no-access'])
    }
  })

  test(`${name} stops where the roles give a scope, but not the one that the server needs`, { skip }, async () => {
    const person = await newPerson()
    await join(person, 'Acme', alone)
    const { steps, browse } = browsing(person)
    const outcome = await client({ ...registered, browse }).call()
    assert.ok('stopped' in outcome, JSON.stringify(outcome))
    assert.match(outcome.stopped, /403 after trying|error response/)
    assert.ok(steps.length <= 4, steps.join(', '))
  })
}

test(
  'the SDK for Python asks for offline_access by itself, and stops where the application may not have it',
  { skip: noPythonSdk },
  async () => {
    const person = await newPerson()
    await join(person, 'Acme', writer)
    const { client_id } = await w.createApplication(environment, { ...native, allowed_scopes: ['openid', 'tools:read', 'tools:write'] })
    const { browse } = browsing(person)
    const strict = await startMcpServer(w, environment.issuer, { needed: ['openid'], asked: ['openid', 'tools:read'] })
    await roles.createServer('strict', ['tools:read'], { identifier: strict, require_roles: false })
    assert.deepEqual(await pythonClient({ address: strict, client_id, redirect_uri, browse }).call(), { stopped: 'invalid_scope' })
  },
)

test('the SDK for TypeScript refreshes: the organization stays, and the scope is that of the roles of the moment', async () => {
  const person = await newPerson()
  const organization = await join(person, 'Acme', writer)
  const other = await join(person, 'Birch', writer)
  const { browse } = browsing(person, organization.id)
  const client = typescriptClient({ ...registered, browse })
  await client.call()
  await roles.giveMember(organization, person, reader)
  w.advance(4_000)
  const outcome = await client.call()
  assert.ok('seen' in outcome, JSON.stringify(outcome))
  assert.deepEqual([outcome.seen.org_id, outcome.seen.scope.includes('tools:write')], [organization.id, false])
  assert.equal(payloadOf(client.kept.tokens?.access_token ?? '').org_id, organization.id)
  expectStatus(204, await orgs.remove(organization.id, person.id))
  w.advance(4_000)
  const again = await client.call()
  assert.ok('seen' in again, JSON.stringify(again))
  assert.equal(again.seen.org_id, other.id, 'the person signed in again, and has no other organization')
})
