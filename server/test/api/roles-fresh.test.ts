/** Which changes of a role need a fresh sign-in of an administrator in Live: those that give more than before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const stale = asAdministrator(w, await administratorToken(w, owner))
w.advance(601)

const of = (resource_server: string, ...scopes: string[]) => ({ resource_server, scopes })
const isRefused = ({ status, body }: Reply) => status === 403 && body.code === 'reauthentication_required'
const setScopes = (path: string, ...names: string[]) => w.call('PATCH', path, { body: { scopes: names.map((name) => ({ name })) } })

let made = 0
async function createServer({ path }: TestEnvironment) {
  const slug = `api-${++made}`
  const body = { slug, name: slug, identifier: `https://${slug}.example`, scopes: [{ name: 'read' }, { name: 'write' }] }
  return `${path}/resource-servers/${expectStatus(201, await w.call('POST', `${path}/resource-servers`, { body })).id}`
}

interface Case {
  change: string
  before: object
  after: object
  /** What happens to the resource server, which has the slug `api`, in between. */
  happens?: (server: string) => Promise<unknown>
  needs: boolean
}

const api = 'api'
const [read, write, both] = [[of(api, 'read')], [of(api, 'write')], [of(api, 'read', 'write')]]
const again = async (server: string) => {
  await setScopes(server, 'write')
  await setScopes(server, 'read', 'write')
}
// biome-ignore format: this table is read by column
const cases: Case[] = [
  { change: 'another name',                       before: {},                     after: { name: 'Other', description: 'Other' },   needs: false },
  { change: 'one scope more',                     before: { permissions: read },  after: { permissions: both },                     needs: true },
  { change: 'another scope',                      before: { permissions: read },  after: { permissions: write },                    needs: true },
  { change: 'one scope less',                     before: { permissions: both },  after: { permissions: read },                     needs: false },
  { change: 'the scopes in another order',        before: { permissions: both },  after: { permissions: [of(api, 'write', 'read')] }, needs: false },
  { change: 'no scope',                           before: { permissions: both },  after: { permissions: null },                     needs: false },
  { change: 'a scope that was made again',        before: { permissions: read },  after: { permissions: read }, happens: again,     needs: true },
  { change: 'the other one, where a scope was made again', before: { permissions: both }, after: { permissions: write }, happens: again, needs: false },
  { change: 'a scope that is gone',               before: { permissions: both },  after: { permissions: both, name: 'Other' }, happens: (server) => setScopes(server, 'write'), needs: false },
  { change: 'less, beside a scope that is gone',  before: { permissions: both },  after: { permissions: read }, happens: (server) => setScopes(server, 'write'), needs: false },
  { change: 'to administer',                      before: {},                     after: { administers: true },                     needs: true },
  { change: 'to administer no more',              before: { administers: true },  after: { administers: false },                    needs: false },
  { change: 'to be held by everyone',             before: {},                     after: { default: true },                         needs: true },
  { change: 'to be held by everyone no more',     before: { default: true },      after: { default: null },                         needs: false },
]
for (const environment of [w.test, w.live])
  for (const { change, before, after, happens, needs: in_live } of cases) {
    const needs = in_live && environment.type === 'live'
    test(`a change of a role to ${change} needs ${needs ? 'a' : 'no'} fresh sign-in in ${environment.type}`, async () => {
      const server = await createServer(environment)
      const named = (fields: object) => JSON.parse(JSON.stringify(fields).replaceAll('"api"', `"api-${made}"`))
      const body = { name: 'Support', kind: 'organization', ...named(before) }
      const { id } = expectStatus(201, await w.call('POST', `${environment.path}/roles`, { body }))
      const path = `${environment.path}/roles/${id}`
      await happens?.(server)
      const tag = (await w.call('GET', path)).headers.get('etag')
      const reply = await stale('PATCH', path, named(after))
      if (needs) assert.ok(isRefused(reply), JSON.stringify(reply.body))
      else expectStatus(200, reply)
      assert.equal((await w.call('GET', path)).headers.get('etag') === tag, needs, 'a refused change changes nothing')
      expectStatus(200, await w.call('PATCH', path, { body: named(after) }))
      assert.equal((await stale('DELETE', path)).status, 204, 'to delete it closes a way in')
    })
  }

for (const environment of [w.test, w.live])
  test(`creating a role needs ${environment.type === 'live' ? 'a' : 'no'} fresh sign-in in ${environment.type}`, async () => {
    const reply = await stale('POST', `${environment.path}/roles`, { name: 'Support', kind: 'user' })
    if (environment.type === 'live') assert.ok(isRefused(reply))
    else expectStatus(201, reply)
  })
