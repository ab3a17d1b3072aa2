/**
 * Each route of promotions and documents, with each scope left out, by each role, from another tenant, in Test and in Live. The table says
 * what is promised; nothing of it is read from the route table.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { platformScopes } from '@ostiary/contract/scopes.ts'
import { type Role, roles } from '@ostiary/contract/tenancy.ts'
import { asAdministrator } from '../support/administrator.ts'
import { ownOf, promoting } from '../support/promotions.ts'
import { createMember, createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { ours, theirs } = await createTwoTenants(w)
const { createProject, planned, step } = promoting(w)

const kinds = ['env.settings', 'resource_servers', 'applications', 'providers', 'webhooks']
const reads = ['projects:read', ...kinds.map((kind) => `${kind}:read`)]
const writes = ['projects:write', ...kinds.map((kind) => `${kind}:write`)]

const project = await createProject()
/** One object of each kind changes. */
const document = {
  settings: { password: { min_length: 14 } },
  resource_servers: { orders: { identifier: 'https://orders.example', name: 'Orders' } },
  roles: { support: { name: 'Support', kind: 'user', permissions: [] } },
  applications: { shop: { application_type: 'spa', name: 'Shop', redirect_uris: ['https://shop.example/cb'] } },
  providers: { google: { type: 'google', client_id: 'apps', enabled: false } },
  webhooks: { hook: { url: 'https://hooks.example/' } },
}

interface Row {
  name: string
  method: 'GET' | 'POST'
  path: (e: TestEnvironment, promotion_id: string) => string
  body?: (e: TestEnvironment) => object
  /** All of them are needed; `null`: no key is admitted. */
  scopes: string[] | null
  role: Record<'test' | 'live', Role>
}
const promotions = `${project.path}/promotions`
const one = (action: string) => (_: TestEnvironment, id: string) => `${promotions}/${id}${action}`
const everywhere = (role: Role) => ({ test: role, live: role })
const in_live_an_admin = { test: 'developer', live: 'admin' } as const

// biome-ignore format: this table is read by column
const table: Row[] = [
  { name: 'getConfiguration', method: 'GET',  path: ({ path }) => `${path}/configuration`, scopes: reads,                       role: everywhere('viewer') },
  { name: 'createPromotion',  method: 'POST', path: () => promotions, body: (e) => ({ ...ownOf(e, document), dry_run: true }), scopes: reads, role: everywhere('developer') },
  { name: 'listPromotions',   method: 'GET',  path: () => promotions,                      scopes: ['projects:read'],           role: everywhere('viewer') },
  { name: 'getPromotion',     method: 'GET',  path: one(''),                               scopes: reads,                       role: everywhere('viewer') },
  { name: 'approvePromotion', method: 'POST', path: one('/approve'), body: () => ({}),     scopes: null,                        role: everywhere('admin') },
  { name: 'applyPromotion',   method: 'POST', path: one('/apply'),   body: () => ({}),     scopes: writes,                      role: in_live_an_admin },
  { name: 'revertPromotion',  method: 'POST', path: one('/revert'),  body: () => ({}),     scopes: writes,                      role: in_live_an_admin },
]

/** Who may do a step of a reverted promotion meets its status (409): it changes nothing. */
const reverted = {} as Record<'test' | 'live', string>
for (const type of ['test', 'live'] as const) {
  const { id } = await planned(project, ownOf(project[type], document))
  for (const name of ['apply', 'revert'] as const) expectStatus(200, await step([project, id], name))
  reverted[type] = id
}

const scopes = [...new Set([...reads, ...writes])]
const key_without: Record<string, string> = {}
for (const scope of scopes)
  key_without[scope] = (await createPlatformKey(w, ours, { scopes: platformScopes.filter((each) => each !== scope) })).key
const of_kinds = kinds.flatMap((kind) => [`${kind}:read`, `${kind}:write`])
const partly: [what: string, scopes: string[]][] = [
  ['none of the scopes', ['users:read']],
  ['the scopes of projects alone', ['projects:read', 'projects:write']],
  ['those of the kinds alone', of_kinds],
  ['those of two kinds', ['applications:read', 'applications:write', 'webhooks:read', 'webhooks:write']],
  ['the scopes that only read', reads],
  ['the scopes that only write', writes],
]
const people = {} as Record<Role, string>
for (const role of roles) people[role] = role === 'owner' ? ours.token : await createMember(w, ours, role)

for (const { name, method, path, body, ...needs } of table)
  for (const type of ['test', 'live'] as const) {
    const e = project[type]
    const [at, sent] = [path(e, reverted[type]), body?.(e)]
    const admitted = name === 'applyPromotion' || name === 'revertPromotion' || name === 'approvePromotion' ? 409 : 200
    const as = (token: string, tenant_id = ours.tenant_id) => asAdministrator(w, token, tenant_id)(method, at, sent)

    test(`${name} in ${type} by a key needs ${needs.scopes?.join(', ') ?? 'an administrator'}`, async () => {
      for (const scope of scopes) {
        const { status, body: answer } = await w.call(method, at, { key: key_without[scope] ?? '', body: sent })
        if (needs.scopes === null) assert.deepEqual([status, answer.code], [403, 'wrong_key_type'], scope)
        else if (needs.scopes.includes(scope))
          assert.deepEqual([status, answer.code, answer.required_scopes], [403, 'insufficient_scope', [scope]], scope)
        else assert.equal(status, admitted, scope)
      }
      if (needs.scopes === null) return
      const { key } = await createPlatformKey(w, ours, { scopes: needs.scopes })
      assert.equal((await w.call(method, at, { key, body: sent })).status, admitted, 'and no other scope')
    })

    const { scopes: needed } = needs
    if (needed !== null)
      for (const [what, has] of partly)
        test(`${name} in ${type} by a key with ${what} names every scope that it lacks in one answer`, async () => {
          const { key } = await createPlatformKey(w, ours, { scopes: has })
          const { status, body: answer } = await w.call(method, at, { key, body: sent })
          const lacking = needed.filter((scope) => !has.includes(scope))
          if (lacking.length === 0) assert.equal(status, admitted)
          else assert.deepEqual([status, answer.code, answer.required_scopes.sort()], [403, 'insufficient_scope', lacking.sort()])
        })

    test(`${name} in ${type} by an administrator needs the role ${needs.role[type]}`, async () => {
      for (const role of roles) {
        const { status, body: answer } = await as(people[role])
        if (roles.indexOf(role) < roles.indexOf(needs.role[type])) assert.deepEqual([status, answer.code], [403, 'insufficient_role'], role)
        else assert.equal(status, admitted, `${role}: ${JSON.stringify(answer)}`)
      }
    })

    test(`${name} in ${type} does not see the objects of another tenant`, async () => {
      if (needs.scopes !== null) assert.equal((await w.call(method, at, { key: theirs.platform, body: sent })).status, 404)
      assert.equal((await as(theirs.token, theirs.tenant_id)).status, 404)
      assert.ok([403, 404].includes((await as(theirs.token)).status), 'nor as a stranger in this tenant')
    })
  }

test('the answer to a key that applies names the scopes for the secrets that it sends too, and no others', async () => {
  const name = 'OSTIARY_SECRET_CORP'
  const corp = { type: 'oidc', issuer: 'https://corp.example', client_id: 'live', client_secret: `\${${name}}` }
  const other = await createProject()
  const secrets = { [name]: 'of Live' }
  const first = await planned(other, ownOf(other.live, { providers: { corp } }))
  expectStatus(200, await step([other, first.id], 'apply', { secrets }))
  const { id, changes } = await planned(other, ownOf(other.live, { providers: { corp } }))
  assert.deepEqual(changes, [])
  const { key } = await createPlatformKey(w, ours, { scopes: ['projects:read'] })
  const lacking = async (body: object, more: object = {}) => (await step([other, id], 'apply', body, { key, ...more })).body.required_scopes
  assert.deepEqual(await lacking({ secrets }), ['projects:write', 'providers:write'])
  for (const body of [{}, { secrets: {} }, { secrets: { OTHER: 'x' } }, { secrets: 5 }, { unknown: 1 }, []])
    assert.deepEqual(await lacking(body), ['projects:write'], JSON.stringify(body))
})

test('a key without the scopes of the row learns nothing of a promotion of another tenant, or of one that does not exist', async () => {
  const { id } = await planned(project, ownOf(project.live, document))
  const { key } = await createPlatformKey(w, theirs, { scopes: ['users:read'] })
  for (const at of [`${promotions}/${id}`, `${promotions}/${id.replace(/.{4}$/, '0000')}`, `${promotions}/nothing`])
    for (const [method, action, scope] of [
      ['GET', '', 'projects:read'],
      ['POST', '/apply', 'projects:write'],
      ['POST', '/revert', 'projects:write'],
    ] as const) {
      const { status, body } = await w.call(method, at + action, { key, body: method === 'GET' ? undefined : {} })
      assert.deepEqual([status, body.required_scopes], [403, [scope]], at + action)
    }
})
