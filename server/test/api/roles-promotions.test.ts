/** Roles in documents and promotions: what they travel with, and what their permissions mean where they arrive. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { meanwhile, own, ownOf, type Project, pointersOf, promoting, upward } from '../support/promotions.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const { createProject, make, edit, planned, step, documentOf, eventsOf } = promoting(w)

const of = (resource_server: string, ...scopes: string[]) => ({ resource_server, scopes })
const scopes = (...names: string[]) => names.map((name) => ({ name, description: null }))
const orders = (...names: string[]) => ({ identifier: 'https://orders.example', name: 'Orders', scopes: scopes(...names) })
const support = (...permissions: object[]) => ({ kind: 'user', name: 'Support', permissions })
const all_fields = { description: null, default: false, administers: false }

const Meant = z.object({ role: z.string(), server: z.string(), version: z.int() })
/** What the permissions of the roles of an environment mean: slugs, and the version of each resource server. */
const meantIn = async ({ id }: TestEnvironment) =>
  (
    await db.all(
      Meant,
      sql`select o.slug as role, s.slug as server, m.resource_server_version as version
            from role_resource_servers m join roles o on o.id = m.role_id join resource_servers s on s.id = m.resource_server_id
           where m.environment_id = ${id} order by o.slug, s.slug`,
    )
  ).map(({ role, server, version }) => `${role} ${server} ${version}`)
const applied = async (project: Project, body: object) => {
  const { id, checks } = await planned(project, body)
  const errors = checks.filter(({ level }: { level: string }) => level === 'error')
  assert.deepEqual(errors, [])
  expectStatus(200, await step([project, id], 'apply'))
  return id as string
}
const documentIn = async (environment: TestEnvironment) => JSON.parse(await documentOf(environment))

test('a document makes resource servers and roles in one go, and a second plan of it is empty', async () => {
  const project = await createProject()
  const document = { resource_servers: { orders: orders('read', 'write') }, roles: { support: support(of('orders', 'read')) } }
  await applied(project, own(project, document))
  assert.deepEqual(await meantIn(project.live), ['support orders 1'])
  const stored = await documentIn(project.live)
  assert.deepEqual(stored.roles, { support: { ...document.roles.support, ...all_fields } })
  assert.deepEqual(Object.keys(stored.roles.support), ['kind', 'name', 'description', 'default', 'administers', 'permissions'])
  assert.deepEqual((await planned(project, { document: stored, to_environment_id: project.live.id })).changes, [])
  const in_other_order = { ...document, roles: { support: support(of('orders', 'read')) } }
  assert.deepEqual((await planned(project, own(project, in_other_order))).changes, [])
})

test('a role travels from Test to Live by its slug, with all but its kind in a change', async () => {
  const project = await createProject()
  const { test: source, live: target } = project
  await make(source, 'resource-servers', { slug: 'orders', ...orders('read', 'write') })
  const fields = { ...support(of('orders', 'read', 'write')), default: true, description: 'Helps', slug: 'support' }
  const { id } = await make(source, 'roles', fields)
  const values = [{ object: 'resource_server', slug: 'orders', pointer: '/identifier', value: 'https://live.example' }]
  const promotion = await applied(project, { ...upward(project), values })
  assert.deepEqual((await documentIn(target)).roles, (await documentIn(source)).roles)
  assert.deepEqual(await meantIn(target), ['support orders 1'])
  assert.deepEqual(
    (await eventsOf(target, 'role.%')).map(({ type }) => type),
    ['role.created'],
  )

  await edit(`${source.path}/roles/${id}`, { name: 'Help', default: false, permissions: [of('orders', 'write')] })
  const { changes } = await planned(project, upward(project))
  assert.deepEqual(
    changes.map(({ object, fields }: { object: string; fields: { pointer: string }[] }) => [
      object,
      ...fields.map(({ pointer }) => pointer),
    ]),
    [['role', '/name', '/default', '/permissions']],
  )
  await applied(project, upward(project))
  assert.deepEqual((await eventsOf(target, 'role.updated'))[0]?.data.changed, ['name', 'default', 'permissions'])
  assert.deepEqual(pointersOf(await step([project, promotion], 'revert'))[0], '409 promotion_conflict')
})

test('the order of permissions and of their scopes makes no difference', async () => {
  const project = await createProject()
  const servers = { a: { ...orders('x', 'y'), identifier: 'https://a.example' }, b: { ...orders('x'), identifier: 'https://b.example' } }
  await applied(project, own(project, { resource_servers: servers, roles: { support: support(of('a', 'x', 'y'), of('b', 'x')) } }))
  const { changes } = await planned(project, own(project, { roles: { support: support(of('b', 'x'), of('a', 'y', 'x')) } }))
  assert.deepEqual(changes, [])
})

test('a role that a promotion writes means the resource server as the same promotion leaves it', async () => {
  const project = await createProject()
  await applied(project, own(project, { resource_servers: { orders: orders('read') }, roles: { support: support(of('orders', 'read')) } }))
  await applied(project, own(project, { resource_servers: { orders: orders('write') } }))
  await applied(project, own(project, { resource_servers: { orders: orders('read', 'write') } }))
  assert.deepEqual(await meantIn(project.live), ['support orders 1'], 'a promotion without the role leaves what it means')
  await applied(
    project,
    own(project, {
      resource_servers: { orders: orders('read', 'write', 'admin') },
      roles: { support: support(of('orders', 'read', 'admin')) },
    }),
  )
  assert.deepEqual(await meantIn(project.live), ['support orders 4'])
})

test('what a role of the target names and is gone may stay in a document, and nothing else that is unknown', async () => {
  const project = await createProject()
  const { live } = project
  const { id } = await make(live, 'resource-servers', { slug: 'orders', ...orders('read') })
  await make(live, 'roles', { slug: 'support', ...support(of('orders', 'read')) })
  assert.equal((await w.call('DELETE', `${live.path}/resource-servers/${id}`)).status, 204)
  const changed = { ...support(of('orders', 'read')), name: 'Help' }
  await applied(project, own(project, { roles: { support: changed } }))
  for (const [roles, pointer] of [
    [{ support: support(of('orders', 'write')) }, '/permissions/0/resource_server'],
    [{ other: support(of('orders', 'read')) }, '/permissions/0/resource_server'],
  ] as const) {
    const { id, checks } = await planned(project, own(project, { roles }))
    assert.deepEqual(
      checks.map(({ code, pointer }: Record<string, string>) => `${code} ${pointer}`),
      [`unknown_resource_server ${pointer}`],
    )
    assert.deepEqual(pointersOf(await step([project, id], 'apply')), ['422 promotion_blocked'])
  }
})

test('a revert takes a role away that nobody has, and a resource server that no role gives', async () => {
  const project = await createProject()
  const { live } = project
  const before = await documentOf(live)
  const document = { resource_servers: { orders: orders('read') }, roles: { support: support(of('orders', 'read')) } }
  const first = await applied(project, own(project, document))
  expectStatus(200, await step([project, first], 'revert'))
  assert.equal(await documentOf(live), before)
  assert.deepEqual(await meantIn(live), [])

  const servers = await applied(project, own(project, { resource_servers: document.resource_servers }))
  const roles = await applied(project, own(project, { roles: document.roles }))
  const conflictsOf = async (id: string) => {
    const { conflicts } = expectStatus(200, await step([project, id], 'revert', { dry_run: true }))
    return conflicts.map(({ code, pointer }: Record<string, string>) => `${code} ${pointer}`)
  }
  assert.deepEqual(await conflictsOf(servers), ['in_use /resource_servers/orders'])
  assert.deepEqual(await conflictsOf(roles), [])
  const [role] = expectStatus(200, await w.call('GET', `${live.path}/roles`)).data
  const given = sql`insert into role_holders (environment_id, role_id, user_id) values (${live.id}, ${role.id}, 'usr_1')`
  const raced = await meanwhile(
    db,
    'delete from roles',
    () => db.run(given),
    () => step([project, roles], 'revert'),
  )
  assert.deepEqual(pointersOf(raced), ['409 promotion_conflict', 'in_use /roles/support'])
  assert.deepEqual(await conflictsOf(roles), ['in_use /roles/support'])
})

test('a document of the target deletes the roles that it prunes', async () => {
  const project = await createProject()
  const { live } = project
  await make(live, 'roles', { slug: 'support', ...support() })
  await applied(project, { ...ownOf(live, {}), prune: [{ object: 'role', slug: 'support' }] })
  assert.deepEqual((await documentIn(live)).roles, {})
  assert.deepEqual(
    (await eventsOf(live, 'role.%')).map(({ type }) => type),
    ['role.created', 'role.deleted'],
  )
})

test('an application can let in holders of a role that comes with it, and of none that is unknown; what roles give counts at once', async () => {
  const project = await createProject()
  const { live } = project
  const shop = { application_type: 'web', name: 'Shop', redirect_uris: ['https://shop.example/cb'], roles_claim: 'groups' }
  const with_roles = (...allowed_roles: string[]) => ({ applications: { shop: { ...shop, allowed_roles } } })
  const { id, checks } = await planned(project, own(project, with_roles('support')))
  const errors = checks.filter(({ level }: { level: string }) => level === 'error')
  assert.deepEqual(
    errors.map(({ code, pointer }: Record<string, string>) => `${code} ${pointer}`),
    ['unknown_role /allowed_roles/0'],
  )
  assert.deepEqual(pointersOf(await step([project, id], 'apply')), ['422 promotion_blocked'])

  const Raised = z.object({ roles_version: z.int() })
  const raised = async () => (await db.maybeOne(Raised, sql`select roles_version from environments where id = ${live.id}`))?.roles_version
  const before = (await raised()) ?? 0
  const roles = { support: support(of('orders', 'read')) }
  const resource_servers = { orders: { ...orders('read'), require_roles: true, roles_claim: 'roles' } }
  await applied(project, own(project, { resource_servers, roles, ...with_roles('support') }))
  const after = (await raised()) ?? 0
  assert.ok(after > before)
  const { applications, resource_servers: stored } = await documentIn(live)
  assert.deepEqual([applications.shop.allowed_roles, applications.shop.roles_claim], [['support'], 'groups'])
  assert.deepEqual([stored.orders.require_roles, stored.orders.roles_claim], [true, 'roles'])
  await applied(project, own(project, with_roles()))
  const without = (await raised()) ?? 0
  assert.ok(without > after)
  await applied(project, own(project, { applications: { shop: { ...shop, data_claims: true } } }))
  assert.ok(((await raised()) ?? 0) > without, 'UserInfo of the application has data from the next request on')

  const asks = { orders: { ...resource_servers.orders, data_claims: true } }
  await applied(project, own(project, { resource_servers: asks, roles, applications: { shop: { ...shop, data_claims: true } } }))
  const now = await documentIn(live)
  assert.deepEqual([now.applications.shop.data_claims, now.resource_servers.orders.data_claims], [true, true])
})
