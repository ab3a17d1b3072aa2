/** Quotas are exact, also for parallel creations (decision 0028). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { default_limits, type LimitName } from '../../src/base/config/limits.ts'
import { sql } from '../../src/db/db.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { overlapping } from '../support/overlapping-batches.ts'
import { own, promoting } from '../support/promotions.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, type World, world } from '../support/world.ts'

const limit_of_all = 4
const limits = {
  tenants_per_person: limit_of_all,
  projects_per_tenant: limit_of_all,
  environments_per_project: limit_of_all,
  applications: limit_of_all,
  providers: limit_of_all,
  resource_servers: limit_of_all,
  roles: limit_of_all,
  keys: limit_of_all,
  webhooks: limit_of_all,
  webhooks_per_tenant: limit_of_all + 2,
}
const w = await world({ env: { OSTIARY_LIMITS: JSON.stringify(limits) } })
const admin = asAdministrator(w, await administratorToken(w, owner))
const tenant_keys = `/v1/tenants/${w.tenant_id}/platform-keys`

type Create = (i: number) => Promise<Reply>
const platform = (path: string, body: object): Promise<Reply> => w.call('POST', path, { body })
const application = { name: 'App', application_type: 'spa', redirect_uris: ['https://app.example.com/'] }
/** A disabled provider is counted too. */
const provider = (i: number) => ({ type: 'github', client_id: 'ours', client_secret: 'secret', enabled: i % 2 === 0 })
const authKey = (environment: TestEnvironment, i: number) =>
  platform(
    `${environment.path}/auth-keys`,
    i % 2 ? { type: 'auth_secret' } : { type: 'auth_publishable', allowed_origins: ['https://a.example'] },
  )
const webhook = (environment: TestEnvironment) => platform(`${environment.path}/webhooks`, { url: 'https://hooks.example.com/' })

/** Each kind of object: how many exist at the start, and how to create one more. */
// biome-ignore format: this table is read by column
const kinds: { kind: string; limit: LimitName; exist: number; create: Create; list: () => Promise<Reply>; beside?: number }[] = [
  { kind: 'applications of an environment', limit: 'applications',             exist: 0, create: () => platform(`${w.test.path}/applications`, application),                     list: () => w.call('GET', `${w.test.path}/applications`) },
  { kind: 'resource servers of an environment', limit: 'resource_servers',    exist: 0, create: (i) => platform(`${w.test.path}/resource-servers`, { name: 'API', identifier: `https://api.example/${i}` }), list: () => w.call('GET', `${w.test.path}/resource-servers`) },
  { kind: 'roles of an environment',         limit: 'roles',                    exist: 0, create: (i) => platform(`${w.test.path}/roles`, { name: `Role ${i}`, kind: i % 2 ? 'user' : 'organization' }), list: () => w.call('GET', `${w.test.path}/roles`) },
  { kind: 'providers of an environment',    limit: 'providers',                exist: 0, create: (i) => platform(`${w.test.path}/providers`, provider(i)),                        list: () => w.call('GET', `${w.test.path}/providers`) },
  { kind: 'auth keys of an environment',    limit: 'keys',                     exist: 0, create: (i) => authKey(w.test, i),                                                     list: () => w.call('GET', `${w.test.path}/auth-keys`) },
  { kind: 'platform keys of a tenant',      limit: 'keys',                     exist: 1, create: () => admin('POST', tenant_keys, { label: 'CI', scopes: ['*'] }),              list: () => admin('GET', tenant_keys) },
  { kind: 'webhooks of an environment',     limit: 'webhooks',                 exist: 0, create: () => webhook(w.test),                                                         list: () => w.call('GET', `${w.test.path}/webhooks`) },
  { kind: 'environments of a project',      limit: 'environments_per_project', exist: 2, create: (i) => platform(`/v1/platform/projects/${w.project.id}/environments`, { slug: `e${i}`, name: 'E', type: 'test' }), list: () => w.call('GET', `/v1/platform/projects/${w.project.id}/environments`) },
  { kind: 'projects of a tenant',           limit: 'projects_per_tenant',      exist: 1, create: (i) => platform('/v1/platform/projects', { slug: `p${i}`, name: 'P' }),        list: () => w.call('GET', '/v1/platform/projects') },
  { kind: 'tenants of a person',            limit: 'tenants_per_person',       exist: 1, create: (i) => admin('POST', '/v1/tenants', { slug: `t${i}`, name: 'T' }),             list: () => admin('GET', '/v1/tenants'), beside: 1 }, // the root tenant, which nobody created
]
for (const { kind, limit, exist, create, list, beside = 0 } of kinds)
  test(`of 50 parallel creations of ${kind} with room for one, exactly one succeeds`, async () => {
    const before = await auditEntries()
    for (let i = exist; i < limit_of_all - 1; i++) expectStatus(201, await create(100 + i))
    const replies = await overlapping(w, () => Array.from({ length: 50 }, (_, i) => create(i)))
    const created = replies.filter(({ status }) => status === 201)
    assert.equal(created.length, 1)
    for (const reply of replies.filter((reply) => !created.includes(reply))) {
      expectStatus(422, reply)
      assert.equal(reply.body.code, 'quota_exceeded')
      assert.match(reply.body.detail, new RegExp(`^The limit is ${limit_of_all} .*\\(${limit}\\)\\. .*ask the operator`, 'i'))
    }
    assert.equal(expectStatus(200, await list()).data.length, limit_of_all + beside)
    assert.equal((await auditEntries()) - before, limit_of_all - exist, 'the audit log has one entry for each created object')
  })

const Count = z.object({ n: z.int() })
const auditEntries = async () => (await w.deployment.db.maybeOne(Count, sql`select count(*) as n from audit_log`))?.n ?? 0

test('the webhooks of all environments of a tenant share a limit, also for parallel creations', async () => {
  const [, ...environments] = [w.test, w.live, ...(await otherEnvironments(w))]
  const replies = await Promise.all(Array.from({ length: 48 }, (_, i) => webhook(environments[i % environments.length] ?? w.live)))
  assert.equal(replies.filter(({ status }) => status === 201).length, limits.webhooks_per_tenant - limits.webhooks)
  const refused = replies.find(({ status }) => status === 422)
  assert.match(refused?.body.detail, /^The limit is 6 .*\(webhooks_per_tenant\)\. Delete a webhook of this tenant/)
})

async function otherEnvironments({ project, call }: World): Promise<TestEnvironment[]> {
  const { data } = expectStatus(200, await call('GET', `/v1/platform/projects/${project.id}/environments`))
  return data
    .filter(({ id }: TestEnvironment) => id !== w.test.id && id !== w.live.id)
    .map((environment: TestEnvironment) => ({ ...environment, path: `/v1/platform/projects/${project.id}/environments/${environment.id}` }))
}

let more = 0
/** Removals that make room for one more object. */
const removable = [
  {
    removed: 'a deleted application',
    path: `${w.test.path}/applications`,
    create: () => platform(`${w.test.path}/applications`, application),
  },
  {
    removed: 'a deleted resource server',
    path: `${w.test.path}/resource-servers`,
    create: () => platform(`${w.test.path}/resource-servers`, { name: 'API', identifier: `https://api.example/more/${more++}` }),
  },
  {
    removed: 'a deleted role',
    path: `${w.test.path}/roles`,
    create: () => platform(`${w.test.path}/roles`, { name: 'Role', kind: 'user' }),
  },
  { removed: 'a deleted provider', path: `${w.test.path}/providers`, create: () => platform(`${w.test.path}/providers`, provider(0)) },
  { removed: 'a revoked auth key', path: `${w.test.path}/auth-keys`, create: () => authKey(w.test, 1) },
  { removed: 'a deleted webhook', path: `${w.test.path}/webhooks`, create: () => webhook(w.test) },
]
for (const { removed, path, create } of removable)
  test(`${removed} makes room for one more`, async () => {
    expectStatus(422, await create())
    const [oldest] = expectStatus(200, await w.call('GET', path)).data
    expectStatus(204, await w.call('DELETE', `${path}/${oldest.id}`))
    expectStatus(201, await create())
    expectStatus(422, await create())
  })

test('an expired key counts against the quota, because its expiry can be changed', async () => {
  const path = `${w.live.path}/auth-keys`
  const expires_at = new Date(w.now().getTime() + 60_000).toISOString()
  for (let i = 0; i < limit_of_all; i++) expectStatus(201, await platform(path, { type: 'auth_secret', expires_at }))
  w.advance(120)
  assert.equal((await authKey(w.live, 1)).body.code, 'quota_exceeded')
})

test('a slug in use is 409 slug_taken even at the limit', async () => {
  expectStatus(409, await platform('/v1/platform/projects', { slug: 'shop', name: 'Again' }))
  expectStatus(409, await platform(`/v1/platform/projects/${w.project.id}/environments`, { slug: 'live', name: 'Again', type: 'live' }))
  expectStatus(409, await admin('POST', '/v1/tenants', { slug: 'acme', name: 'Again' }))
})

test('a request that was refused at the quota succeeds with the same Idempotency-Key when there is room', async () => {
  const create = () => w.call('POST', `${w.test.path}/applications`, { body: application, headers: { 'idempotency-key': 'quota' } })
  expectStatus(422, await create())
  const [newest] = expectStatus(200, await w.call('GET', `${w.test.path}/applications`)).data
  expectStatus(204, await w.call('DELETE', `${w.test.path}/applications/${newest.id}`))
  const made = expectStatus(201, await create())
  assert.equal(expectStatus(201, await create()).id, made.id)
})

test('objects can be rotated and changed at the limit', async () => {
  const [key] = expectStatus(200, await w.call('GET', `${w.test.path}/auth-keys`)).data
  expectStatus(200, await w.call('POST', `${w.test.path}/auth-keys/${key.id}/rotate`))
  expectStatus(200, await w.call('PATCH', `${w.test.path}/auth-keys/${key.id}`, { body: { label: 'x' } }))
})

test('a project is refused when the limit has no room for its two environments', async () => {
  const small = await world({ engine: 'sqlite', env: { OSTIARY_LIMITS: '{"environments_per_project":2}' } })
  expectStatus(
    422,
    await small.call('POST', `/v1/platform/projects/${small.project.id}/environments`, { body: { slug: 'x', name: 'X', type: 'test' } }),
  )
  Object.assign(small.deployment.config.limits, { environments_per_project: 1 })
  const refused = expectStatus(422, await small.call('POST', '/v1/platform/projects', { body: { slug: 'x', name: 'X' } }))
  assert.deepEqual([refused.code, /environments_per_project/.test(refused.detail)], ['quota_exceeded', true])
})

test('a promotion creates no more resource servers than the quota, and none if others came after its plan', async () => {
  const small = await world({ env: { OSTIARY_LIMITS: '{"resource_servers":2}' } })
  const { createProject, planned, step, make } = promoting(small)
  const project = await createProject()
  const server = (n: number) => ({ name: 'API', identifier: `https://api.example/${n}` })
  const servers = (...numbers: number[]) => ({ resource_servers: Object.fromEntries(numbers.map((n) => [`api-${n}`, server(n)])) })
  const full = /^quota_exceeded resource_server api-\d$/
  const errorsOf = ({ checks }: { checks: { level: string; code: string; object: string; slug: string }[] }) =>
    checks.filter(({ level }) => level === 'error').map(({ code, object, slug }) => `${code} ${object} ${slug}`)

  const too_many = await planned(project, own(project, servers(1, 2, 3)))
  assert.match(errorsOf(too_many).join(), full)
  expectStatus(422, await step([project, too_many.id], 'apply'))
  const two = await planned(project, own(project, servers(1, 2)))
  assert.deepEqual(errorsOf(two), [])
  await make(project.live, 'resource-servers', server(3))
  assert.notEqual((await step([project, two.id], 'apply')).status, 200)
  const replaced = { ...own(project, servers(1, 2)), prune: [{ object: 'resource_server', slug: 'api' }] }
  const { id } = await planned(project, replaced)
  expectStatus(200, await step([project, id], 'apply'))
  const list = expectStatus(200, await small.call('GET', `${project.live.path}/resource-servers`)).data
  assert.deepEqual(list.map(({ identifier }: { identifier: string }) => identifier).sort(), [
    'https://api.example/1',
    'https://api.example/2',
  ])
})

test('more resource servers than the quota stay and can be changed, and no other is created', async () => {
  const { db, config } = w.deployment
  const path = `${w.live.path}/resource-servers`
  const create = (n: number) => platform(path, { name: 'API', identifier: `https://api.example/${n}` })
  const { id } = expectStatus(201, await create(1))
  expectStatus(201, await create(2))
  Object.assign(config.limits, { resource_servers: 1 })
  expectStatus(200, await w.call('PATCH', `${path}/${id}`, { body: { scopes: [{ name: 'a:read' }] } }))
  assert.equal((await create(3)).body.code, 'quota_exceeded')
  assert.equal((await create(1)).body.code, 'quota_exceeded')
  Object.assign(config.limits, { resource_servers: limit_of_all })
  assert.equal((await create(1)).body.code, 'identifier_taken')
  assert.equal((await db.all(Count, sql`select 1 as n from resource_servers where environment_id = ${w.live.id}`)).length, 2)
})

test('the default limits hold when OSTIARY_LIMITS is not set', async () => {
  const usual = await world()
  const make = () => usual.call('POST', `${usual.test.path}/webhooks`, { body: { url: 'https://hooks.example.com/' } })
  for (let i = 0; i < default_limits.webhooks; i++) expectStatus(201, await make())
  assert.equal((await make()).body.code, 'quota_exceeded')
})

test('quota_exceeded has a documentation page', async () => {
  expectStatus(200, await w.call('GET', '/docs/errors/quota_exceeded', { key: null }))
})
