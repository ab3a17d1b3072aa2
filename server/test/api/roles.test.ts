/** Roles: how they are created, changed and deleted, and what their permissions mean (decision 0176). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createHolderWalk } from '../../src/domain/roles/holders.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { overlapping } from '../support/overlapping-batches.ts'
import { meanwhile } from '../support/promotions.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"role_permissions":4}' } })
const { db } = w.deployment
const at = ({ path }: TestEnvironment) => `${path}/roles`
const support = { name: 'Support', kind: 'user' }
const of = (resource_server: string, ...scopes: string[]) => ({ resource_server, scopes })
const pointersOf = ({ status, body }: Reply) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer),
]

const Event = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) })
const eventsOf = (id: string) =>
  db.all(Event, sql`select type, data from events where type like 'role.%' and data like ${`%${id}%`} order by id`)
const Count = z.object({ n: z.int() })
const rolesVersion = async ({ id }: TestEnvironment) =>
  (await db.maybeOne(Count, sql`select roles_version as n from environments where id = ${id}`))?.n ?? 0

let made = 0
/** A resource server with these scopes, under a slug of its own or a given one. */
async function createServer({ path }: TestEnvironment, scopes: readonly string[], slug = `api-${++made}`) {
  const body = { slug, name: slug, identifier: `https://${slug}.example/${++made}`, scopes: scopes.map((name) => ({ name })) }
  const { id } = expectStatus(201, await w.call('POST', `${path}/resource-servers`, { body }))
  const call = (method: string, body?: object) => w.call(method, `${path}/resource-servers/${id}`, { body })
  return {
    id: id as string,
    slug,
    setScopes: async (...names: string[]) => expectStatus(200, await call('PATCH', { scopes: names.map((name) => ({ name })) })),
    rename: async (name: string) => expectStatus(200, await call('PATCH', { name })),
    remove: async () => assert.equal((await call('DELETE')).status, 204),
  }
}

for (const environment of [w.test, w.live]) {
  const create = (body: unknown, headers: Record<string, string> = {}) => w.call('POST', at(environment), { body, headers })
  const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    w.call('PATCH', `${at(environment)}/${id}`, { body, headers })
  const in_type = `(${environment.type})`

  test(`a role is created, read, listed, changed and deleted, and every change causes an event ${in_type}`, async () => {
    const orders = await createServer(environment, ['orders:read', 'orders:write'])
    const key = { 'idempotency-key': `role-${environment.type}` }
    const created = await create(support, key)
    const role = expectStatus(201, created)
    const { id, created_at, updated_at, ...shown } = role
    assert.match(id, /^rol_/)
    assert.equal(created.headers.get('location'), `${w.base_url}${at(environment)}/${id}`)
    assert.deepEqual(shown, {
      tenant_id: w.tenant_id,
      project_id: w.project.id,
      environment_id: environment.id,
      slug: 'support',
      kind: 'user',
      name: 'Support',
      description: null,
      default: false,
      administers: false,
      permissions: [],
    })
    assert.deepEqual(expectStatus(201, await create(support, key)), role)
    const got = await w.call('GET', `${at(environment)}/${id}`)
    assert.deepEqual(got.body, role)
    assert.deepEqual(expectStatus(200, await w.call('GET', at(environment))).data, [role])

    const fields = { description: 'Helps', default: true, permissions: [of(orders.slug, 'orders:write', 'orders:read')] }
    const changed = await patch(id, fields, { 'if-match': got.headers.get('etag') ?? '' })
    assert.deepEqual({ ...changed.body, updated_at: '' }, { ...role, ...fields, updated_at: '' })
    assert.notEqual(changed.headers.get('etag'), got.headers.get('etag'))
    assert.deepEqual(pointersOf(await patch(id, { name: 'Late' }, { 'if-match': got.headers.get('etag') ?? '' })), [412, 'stale_version'])
    const unchanged = await patch(id, { name: 'Support', ...fields })
    assert.equal(unchanged.headers.get('etag'), changed.headers.get('etag'))

    const reset = expectStatus(200, await patch(id, { description: null, default: null, administers: null, permissions: null }))
    assert.deepEqual({ ...reset, updated_at: '' }, { ...role, updated_at: '' })
    assert.deepEqual(
      pointersOf(await w.call('DELETE', `${at(environment)}/${id}`, { headers: { 'if-match': got.headers.get('etag') ?? '' } })),
      [412, 'stale_version'],
    )
    assert.equal((await w.call('DELETE', `${at(environment)}/${id}`)).status, 204)
    for (const method of ['DELETE', 'GET']) assert.equal((await w.call(method, `${at(environment)}/${id}`)).status, 404)
    const named = { role_id: id, slug: 'support', kind: 'user', name: 'Support' }
    assert.deepEqual(await eventsOf(id), [
      { type: 'role.created', data: named },
      { type: 'role.updated', data: { role_id: id, changed: ['description', 'default', 'permissions'] } },
      { type: 'role.updated', data: { role_id: id, changed: ['description', 'default', 'permissions'] } },
      { type: 'role.deleted', data: named },
    ])
  })

  // biome-ignore format: this table is read by column
  const refusals: [fields: object, ...pointers: string[]][] = [
    [{ name: '' },                                                       '/name'],
    [{ name: null },                                                     '/name'],
    [{ description: 'two\nlines' },                                      '/description'],
    [{ kind: 'group' },                                                  '/kind'],
    [{ kind: undefined },                                                '/kind'],
    [{ slug: 'Support' },                                                '/slug'],
    [{ default: 'yes' },                                                 '/default'],
    [{ administers: true },                                              '/administers'],
    [{ kind: 'organization', administers: true, default: true },         '/administers'],
    [{ permissions: {} },                                                '/permissions'],
    [{ permissions: [{ resource_server: 'known' }] },                    '/permissions/0/scopes'],
    [{ permissions: [of('known')] },                                     '/permissions/0/scopes'],
    [{ permissions: [of('known', 'a', 'a')] },                           '/permissions/0/scopes'],
    [{ permissions: [of('Known', 'a')] },                                '/permissions/0/resource_server'],
    [{ permissions: [{ ...of('known', 'a'), all: true }] },              '/permissions/0/all'],
    [{ permissions: [of('known', 'a'), of('other', 'a'), of('known', 'b')] }, '/permissions/2/resource_server'],
    [{ permissions: [of('unknown', 'a')] },                              '/permissions/0/resource_server'],
    [{ permissions: [of('known', 'a', 'c')] },                           '/permissions/0/scopes/1'],
    [{ permissions: [of('known', 'openid')] },                           '/permissions/0/scopes/0'],
    [{ permissions: [of('unknown', 'a'), of('known', 'c', 'a', 'd')] },  '/permissions/0/resource_server', '/permissions/1/scopes/0', '/permissions/1/scopes/2'],
    [{ holders: [] },                                                    '/holders'],
  ]
  test(`a role is refused at the field that is wrong ${in_type}`, async (t) => {
    await createServer(environment, ['a', 'b'], 'known')
    const kept = expectStatus(201, await create({ ...support, permissions: [of('known', 'b')] }))
    for (const [fields, ...pointers] of refusals)
      await t.test(JSON.stringify(fields), async () => {
        assert.deepEqual(pointersOf(await create({ ...support, ...fields })), [422, 'validation_failed', ...pointers])
        const change: Record<string, unknown> = { ...fields }
        if (pointers[0] === '/kind' || 'kind' in fields) return
        assert.deepEqual(pointersOf(await patch(kept.id, change)), [422, 'validation_failed', ...pointers])
      })
    assert.deepEqual(expectStatus(200, await w.call('GET', `${at(environment)}/${kept.id}`)), kept)
  })

  test(`the slug and the kind of a role never change, and one slug is of one role, whatever its kind ${in_type}`, async () => {
    const { id } = expectStatus(201, await create({ ...support, slug: 'auditor' }))
    for (const fields of [{ slug: 'auditor' }, { slug: 'other' }, { kind: 'user' }, { kind: 'organization' }])
      assert.deepEqual(pointersOf(await patch(id, fields)), [422, 'validation_failed', `/${Object.keys(fields)[0]}`])
    const taken = await create({ name: 'Auditor', kind: 'organization', slug: 'auditor' })
    assert.deepEqual(pointersOf(taken), [409, 'slug_taken'])
    assert.equal(expectStatus(201, await create({ name: 'Auditor', kind: 'organization' })).slug, 'auditor-2')
  })

  test(`a role that administers is one of organizations, and not held by everyone ${in_type}`, async () => {
    const { id } = expectStatus(201, await create({ name: 'Boss', kind: 'organization', administers: true }))
    assert.deepEqual(pointersOf(await patch(id, { default: true })), [422, 'validation_failed', '/administers'])
    expectStatus(200, await patch(id, { default: true, administers: false }))
    assert.deepEqual(pointersOf(await patch(id, { administers: true })), [422, 'validation_failed', '/administers'])
    expectStatus(200, await patch(id, { default: false, administers: true }))
  })

  test(`the permissions of a role have as many scopes as the limit, and a role with more keeps them ${in_type}`, async () => {
    const wide = await createServer(environment, ['a', 'b', 'c', 'd', 'e'])
    const narrow = await createServer(environment, ['x'])
    const five = [of(wide.slug, 'a', 'b', 'c', 'd'), of(narrow.slug, 'x')]
    const refused = await create({ ...support, permissions: five })
    assert.deepEqual(pointersOf(refused), [422, 'quota_exceeded', '/permissions'])
    assert.match(refused.body.detail, /^The limit is 4 scopes .*\(role_permissions\)/)
    const { id } = expectStatus(201, await create({ ...support, permissions: [of(wide.slug, 'a', 'b', 'c'), of(narrow.slug, 'x')] }))
    assert.deepEqual(pointersOf(await patch(id, { permissions: five })), [422, 'quota_exceeded', '/permissions'])

    Object.assign(w.deployment.config.limits, { role_permissions: 1 })
    expectStatus(200, await patch(id, { permissions: [of(wide.slug, 'a', 'b', 'd'), of(narrow.slug, 'x')] }))
    assert.deepEqual(pointersOf(await patch(id, { permissions: five })), [422, 'quota_exceeded', '/permissions'])
    Object.assign(w.deployment.config.limits, { role_permissions: 4 })
  })
}

test('everyone has at most five roles of a kind, also of 50 that become so in parallel', async (t) => {
  const { test: environment } = await w.createProject('defaults')
  const role = (n: number, fields: object = {}) => ({ name: `Role ${n}`, kind: 'user', ...fields })
  const create = (body: object) => w.call('POST', at(environment), { body })
  const change = (id: string, body: object) => w.call('PATCH', `${at(environment)}/${id}`, { body })
  const defaults = async () => {
    const { data } = expectStatus(200, await w.call('GET', `${at(environment)}?limit=100`))
    return data.filter(({ kind, default: is_default }: { kind: string; default: boolean }) => is_default && kind === 'user')
  }
  const countOf = (replies: readonly Reply[], status: number) => replies.filter((reply) => reply.status === status).length

  await t.test('of 50 that are created, five are', async () => {
    const replies = await overlapping(w, () => Array.from({ length: 50 }, (_, n) => create(role(n, { default: true }))))
    assert.deepEqual([countOf(replies, 201), countOf(replies, 422)], [5, 45])
    for (const reply of replies) if (reply.status === 422) assert.deepEqual(pointersOf(reply), [422, 'validation_failed', '/default'])
    assert.equal((await defaults()).length, 5)
  })
  await t.test('those of the other kind are not counted, and neither is one that is changed', async () => {
    expectStatus(201, await create({ name: 'Member', kind: 'organization', default: true }))
    const [first] = await defaults()
    expectStatus(200, await change(first.id, { name: 'Renamed', default: true }))
  })
  await t.test('of 50 that are changed, as many as there is room for', async () => {
    const [first, second] = await defaults()
    assert.equal((await w.call('DELETE', `${at(environment)}/${first.id}`)).status, 204)
    expectStatus(200, await change(second.id, { default: false }))
    const ids: string[] = []
    for (let n = 0; n < 50; n++) ids.push(expectStatus(201, await create(role(100 + n))).id)
    const replies = await overlapping(w, () => ids.map((id) => change(id, { default: true })))
    assert.deepEqual([countOf(replies, 200), countOf(replies, 422)], [2, 48])
    for (const reply of replies) if (reply.status === 422) assert.deepEqual(pointersOf(reply), [422, 'validation_failed', '/default'])
    assert.equal((await defaults()).length, 5)
  })
})

const Meant = z.object({ resource_server_id: z.string(), resource_server_version: z.int() })
/** What the stored permissions of a role mean: each resource server with its version. */
const meantBy = async (id: string) =>
  (await db.all(Meant, sql`select resource_server_id, resource_server_version from role_resource_servers where role_id = ${id}`))
    .map(({ resource_server_id, resource_server_version }) => `${resource_server_id} ${resource_server_version}`)
    .sort()

/** A role that gives `read` of a resource server, which then changes. */
async function permitted(scopes: readonly string[] = ['read', 'write']) {
  const server = await createServer(w.test, scopes)
  const permissions = [of(server.slug, 'read')]
  const { id } = expectStatus(201, await w.call('POST', at(w.test), { body: { ...support, permissions } }))
  const path = `${at(w.test)}/${id}`
  const change = (body: object) => w.call('PATCH', path, { body })
  const tag = async () => (await w.call('GET', path)).headers.get('etag')
  return { server, permissions, id, change, tag }
}
type Permitted = Awaited<ReturnType<typeof permitted>>

/** What happens to the resource server, and whether permissions that are sent again then give something that they did not give any more. */
// biome-ignore format: this table is read by column
const fates: [what: string, happens: (made: Permitted) => Promise<unknown>, is_change: boolean][] = [
  ['nothing happened',                                     async () => {},                                                                     false],
  ['it was renamed',                                       ({ server }) => server.rename('Other'),                                             false],
  ['another scope was made again',                         async ({ server }) => { await server.setScopes('read'); await server.setScopes('read', 'write') }, false],
  ['the order of its scopes changed',                      ({ server }) => server.setScopes('write', 'read'),                                  false],
  ['the scope is gone',                                    ({ server }) => server.setScopes('write'),                                          false],
  ['the scope was made again',                             async ({ server }) => { await server.setScopes('write'); await server.setScopes('read') }, true],
  ['the resource server is gone',                          ({ server }) => server.remove(),                                                    false],
  ['a new one with its slug lacks that scope',             async ({ server }) => { await server.remove(); await createServer(w.test, ['write'], server.slug) }, false],
  ['a new one with its slug has that scope',               async ({ server }) => { await server.remove(); await createServer(w.test, ['read'], server.slug) }, true],
]
for (const [what, happens, is_change] of fates)
  test(`permissions that are sent again are ${is_change ? 'a' : 'no'} change where ${what}`, async () => {
    const role = await permitted()
    const { id, permissions, change, tag } = role
    await happens(role)
    const [before, meant] = [await tag(), await meantBy(id)]
    expectStatus(200, await change({ name: 'Renamed' }))
    assert.deepEqual(await meantBy(id), meant, 'a change of another field leaves what the permissions mean')
    const renamed = await tag()
    assert.notEqual(renamed, before)
    const version = await rolesVersion(w.test)
    assert.deepEqual(expectStatus(200, await change({ permissions })).permissions, permissions)
    assert.equal((await tag()) !== renamed, is_change)
    assert.equal((await rolesVersion(w.test)) - version, is_change ? 1 : 0)
    assert.deepEqual((await eventsOf(id)).at(-1)?.data, { role_id: id, changed: [is_change ? 'permissions' : 'name'] })
    const again = await tag()
    expectStatus(200, await change({ permissions }))
    assert.equal(await tag(), again, 'then they are known')
  })

// biome-ignore format: this table is read by column
const gone: [what: string, fields: (slug: string) => object, ...pointers: string[]][] = [
  ['the entry as it is',                       (slug) => ({ permissions: [of(slug, 'read')] })],
  ['a part of it',                             (slug) => ({ permissions: [of(slug, 'write'), of('stays', 'x')] })],
  ['nothing of it',                            () => ({ permissions: [] })],
  ['another scope in the entry',               (slug) => ({ permissions: [of(slug, 'read', 'admin')] }), '/permissions/0/resource_server'],
  ['another scope alone',                      (slug) => ({ permissions: [of(slug, 'admin')] }),          '/permissions/0/resource_server'],
]
for (const [what, fields, ...pointers] of gone)
  test(`of a resource server that is gone, a change can${pointers.length > 0 ? 'not' : ''} send ${what}`, async () => {
    if ((await w.call('GET', `${w.test.path}/resource-servers?slug=stays`)).body.data.length === 0)
      await createServer(w.test, ['x'], 'stays')
    const server = await createServer(w.test, ['read', 'write', 'admin'])
    const body = { ...support, permissions: [of(server.slug, 'read', 'write')] }
    const { id } = expectStatus(201, await w.call('POST', at(w.test), { body }))
    await server.remove()
    const reply = await w.call('PATCH', `${at(w.test)}/${id}`, { body: fields(server.slug) })
    if (pointers.length === 0) assert.deepEqual(expectStatus(200, reply).permissions, Object.values(fields(server.slug))[0])
    else assert.deepEqual(pointersOf(reply), [422, 'validation_failed', ...pointers])
  })

test('a scope that is gone stays in a role until a change takes it out, and a new unknown one is refused', async () => {
  const { server, change } = await permitted()
  await server.setScopes('write')
  expectStatus(200, await change({ permissions: [of(server.slug, 'read', 'write')] }))
  assert.deepEqual(pointersOf(await change({ permissions: [of(server.slug, 'read', 'write', 'admin')] })), [
    422,
    'validation_failed',
    '/permissions/0/scopes/2',
  ])
  expectStatus(200, await change({ permissions: [of(server.slug, 'write')] }))
  assert.deepEqual(pointersOf(await change({ permissions: [of(server.slug, 'read')] })), [
    422,
    'validation_failed',
    '/permissions/0/scopes/0',
  ])
})

test('permissions mean the resource servers of the moment in which they are written', async () => {
  const first = await createServer(w.test, ['read'])
  const second = await createServer(w.test, ['read'])
  await second.rename('Second')
  const body = { ...support, permissions: [of(first.slug, 'read')] }
  const { id } = expectStatus(201, await w.call('POST', at(w.test), { body }))
  assert.deepEqual(await meantBy(id), [`${first.id} 1`])
  const while_it_changes = () => w.call('POST', at(w.test), { body })
  const raced = await meanwhile(db, 'insert into role_resource_servers', () => first.rename('Raced'), while_it_changes)
  assert.deepEqual(await meantBy(expectStatus(201, raced).id), [`${first.id} 2`])
  const change = async (fields: object) => expectStatus(200, await w.call('PATCH', `${at(w.test)}/${id}`, { body: fields }))
  await first.rename('First')
  await change({ permissions: [of(second.slug, 'read'), of(first.slug, 'read')] })
  assert.deepEqual(await meantBy(id), [`${first.id} 3`, `${second.id} 2`].sort())
  await second.remove()
  await change({ permissions: [of(second.slug, 'read')] })
  assert.deepEqual(await meantBy(id), [])
})

const Versions = z.object({ scope_versions: z.record(z.string(), z.int()) })
test('a resource server stores for each of its scopes the version in which it was made', async () => {
  const server = await createServer(w.test, ['read', 'write'])
  const stored = async () =>
    (await db.all(Versions, sql`select scope_versions from resource_servers where id = ${server.id}`))[0]?.scope_versions
  assert.deepEqual(await stored(), { read: 1, write: 1 })
  await server.setScopes('write', 'admin')
  assert.deepEqual(await stored(), { write: 1, admin: 2 })
  await server.rename('Other')
  await server.setScopes('read', 'write', 'admin')
  assert.deepEqual(await stored(), { read: 4, write: 1, admin: 2 })
  await db.run(sql`update resource_servers set scope_versions = '{}' where id = ${server.id}`)
  await server.setScopes('read', 'write', 'more')
  assert.deepEqual(await stored(), { read: 1, write: 1, more: 5 }, 'a missing name means the first version')
  const shown = expectStatus(200, await w.call('GET', `${w.test.path}/resource-servers/${server.id}`))
  assert.ok(!('scope_versions' in shown))
})

test('each change of a role raises the number by which processes know it, and nothing else does', async () => {
  const { test: environment } = await w.createProject('numbers')
  const server = await createServer(environment, ['read'])
  let known = await rolesVersion(environment)
  const raised = async () => {
    const before = known
    known = await rolesVersion(environment)
    return known - before
  }
  const { id } = expectStatus(201, await w.call('POST', at(environment), { body: support }))
  assert.equal(await raised(), 1)
  const change = (body: object) => w.call('PATCH', `${at(environment)}/${id}`, { body })
  for (const body of [{ name: 'Other' }, { permissions: [of(server.slug, 'read')] }, { default: true }]) {
    expectStatus(200, await change(body))
    assert.equal(await raised(), 1, JSON.stringify(body))
    expectStatus(200, await change(body))
    assert.equal(await raised(), 0, JSON.stringify(body))
  }
  expectStatus(422, await change({ permissions: [of('unknown', 'x')] }))
  expectStatus(409, await w.call('POST', at(environment), { body: { ...support, slug: 'support' } }))
  assert.equal(await raised(), 0)
  assert.equal((await w.call('DELETE', `${at(environment)}/${id}`)).status, 204)
  assert.equal(await raised(), 1)
  assert.equal((await rolesVersion(w.live)) > 0, true, 'those of other environments are their own')
})

test('deleting a role leaves the rows of its holders to a worker, which deletes those of no other role', async () => {
  const { server, id } = await permitted()
  const kept = expectStatus(201, await w.call('POST', at(w.test), { body: support })).id
  const hold = (role_id: string, n: number) =>
    sql`insert into role_holders (environment_id, role_id, user_id) values (${w.test.id}, ${role_id}, ${`usr_${String(n).padStart(4, '0')}`})`
  await db.of(w.test.id).batch(Array.from({ length: 1_203 }, (_, n) => hold(id, n)))
  await db.of(w.test.id).batch(Array.from({ length: 3 }, (_, n) => hold(kept, n)))
  const held = async (role_id: string) =>
    (await db.maybeOne(Count, sql`select count(*) as n from role_holders where role_id = ${role_id}`))?.n
  assert.equal((await w.call('DELETE', `${at(w.test)}/${id}`)).status, 204)
  assert.deepEqual([await held(id), await meantBy(id)], [1_203, []])
  const walk = createHolderWalk({ db }, () => false)
  await walk.work()
  assert.deepEqual([await held(id), await held(kept)], [0, 3])
  await walk.work()
  assert.equal(await held(kept), 3)
  const later = expectStatus(201, await w.call('POST', at(w.test), { body: { ...support, permissions: [of(server.slug, 'read')] } }))
  assert.notEqual(later.id, id)
})

test('the root environment has no roles', async () => {
  const token = await administratorToken(w, owner)
  const { root_tenant_id } = expectStatus(200, await asAdministrator(w, token, null)('GET', '/v1/me'))
  const operator = asAdministrator(w, token, root_tenant_id)
  const [project] = expectStatus(200, await operator('GET', '/v1/platform/projects')).data
  const path = `/v1/platform/projects/${project.id}/environments/${w.admin_issuer.split('/').at(-1)}/roles`
  const one = `${path}/rol_01m7wwr5ftevtv5yxb47hmb4ht`
  for (const [method, to, body] of [
    ['GET', path, undefined],
    ['POST', path, support],
    ['GET', one, undefined],
    ['PATCH', one, { name: 'Other' }],
    ['DELETE', one, undefined],
  ] as const)
    assert.deepEqual(pointersOf(await operator(method, to, body)), [403, 'insufficient_role'], `${method} ${to}`)
})
