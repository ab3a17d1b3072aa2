/** Tenants, projects, environments and members: their fields, their defaults, and the roles that manage them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorToken, asAdministrator, joinTenant } from '../support/administrator.ts'
import { createAdministrator, createPlatformKey } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const w = await world()
const token = await administratorToken(w, owner)
const admin = asAdministrator(w, token)
const projects = '/v1/platform/projects'
const refusal = ({ status, body }: Reply) => [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]

// biome-ignore format: this table is read by column
const slugs: [slug: unknown, is_good: boolean][] = [
  ['a',               true], ['0',        true], ['-',      true], ['shop-2', true], ['x'.repeat(63), true],
  ['',                false], ['x'.repeat(64), false], ['Shop', false], ['shop_2', false], ['shop.2', false],
  ['shop 2',          false], ['shöp',    false], ['shop\n', false], ['../x',   false], [1,              false], [null, false],
]

/** The objects that have a slug and a name. */
const named_objects: Record<string, { path: string; fields: object }> = {
  tenant: { path: '/v1/tenants', fields: {} },
  project: { path: projects, fields: {} },
  environment: { path: `${projects}/${w.project.id}/environments`, fields: { type: 'test' } },
}

for (const [kind, { path, fields }] of Object.entries(named_objects)) {
  test(`${kind}: the slug is 1 to 63 of a-z, 0-9 and hyphen, and unique`, async () => {
    for (const [slug, is_good] of slugs) {
      const reply = await admin('POST', path, { slug, name: 'X', ...fields })
      if (is_good) {
        assert.equal(expectStatus(201, reply).slug, slug)
        const again = await admin('POST', path, { slug, name: 'Y', ...fields })
        assert.equal(`${again.status} ${again.body.code}`, '409 slug_taken')
      } else assert.deepEqual(refusal(reply), [422, ['/slug']], JSON.stringify(slug))
    }
  })

  test(`${kind}: the name is 1 to 100 characters of any language and can be changed, and the slug cannot`, async () => {
    const made = expectStatus(201, await admin('POST', path, { slug: `named-${kind}`, name: 'Ñandú 🦤', ...fields }))
    const object = `${path}/${made.id}`
    for (const name of ['x', 'x'.repeat(100), '<script>alert(1)</script>', '名前'])
      assert.equal(expectStatus(200, await admin('PATCH', object, { name })).name, name)
    for (const name of ['', 'x'.repeat(101), 'a\u0000b', 'a\nb', 'a\u202eb', 'a\u2028b', 1, null, ['x']])
      assert.deepEqual(refusal(await admin('PATCH', object, { name })), [422, ['/name']])
    assert.deepEqual(refusal(await admin('PATCH', object, { slug: 'other' })), [422, ['/slug']])
    const now = expectStatus(200, await admin('GET', object))
    assert.deepEqual([now.slug, now.name, now.created_at], [made.slug, '名前', made.created_at])
    assert.ok(now.updated_at >= made.updated_at)
  })

  test(`${kind}: of 12 parallel creations with the same slug, one succeeds`, async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => admin('POST', path, { slug: `raced-${kind}`, name: 'X', ...fields })),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array.from({ length: 11 }, () => 409)])
  })
}

test('a new project has one Test and one Live environment, each with its own issuer', async () => {
  const made = await admin('POST', projects, { slug: 'pair', name: 'Pair' })
  const project = expectStatus(201, made)
  assert.deepEqual(Object.keys(project), [
    'id',
    'tenant_id',
    'slug',
    'name',
    'promotion',
    'fresh_sign_in',
    'created_at',
    'updated_at',
    'environments',
  ])
  assert.equal(made.headers.get('location'), `${w.base_url}${projects}/${project.id}`)
  const { data } = expectStatus(200, await admin('GET', `${projects}/${project.id}/environments`))
  assert.deepEqual(namesOf(data), [
    ['test', 'Test', 'test'],
    ['live', 'Live', 'live'],
  ])
  assert.deepEqual(project.environments, data)
  const { environments: _, ...shown } = project
  assert.deepEqual(expectStatus(200, await admin('GET', `${projects}/${project.id}`)), shown)
  for (const environment of data) {
    assert.equal(environment.issuer, `${w.base_url}/e/${environment.id}`)
    assert.equal(
      expectStatus(200, await w.call('GET', `${environment.issuer}/.well-known/openid-configuration`, { key: null })).issuer,
      environment.issuer,
    )
  }
})

const namesOf = (environments: Record<string, string>[]) => environments.map(({ slug, name, type }) => [slug, name, type])

test('the environments in the body of a new project replace Test and Live, and are listed in the same order', async () => {
  const environments = [
    { slug: 'dev', name: 'Development', type: 'test' },
    { slug: 'staging', name: 'Staging', type: 'test' },
    { slug: 'eu', name: 'Europe', type: 'live' },
  ]
  const project = expectStatus(201, await admin('POST', projects, { slug: 'replaced', name: 'Replaced', environments }))
  const expected = environments.map(({ slug, name, type }) => [slug, name, type])
  assert.deepEqual(namesOf(project.environments), expected)
  const { data } = expectStatus(200, await admin('GET', `${projects}/${project.id}/environments`))
  assert.deepEqual(data, project.environments)
  assert.equal(expectStatus(200, await admin('GET', `${projects}/${project.id}/environments/${data[0].id}`)).config_version, 1)
})

const one = { slug: 'dev', name: 'Development', type: 'test' }
// biome-ignore format: this table is read by column
const refused_environments: [why: string, environments: unknown, pointer: string][] = [
  ['none',                       [],                                         '/environments'],
  ['no list',                    one,                                        '/environments'],
  ['the same slug twice',        [one, { ...one, type: 'live' }],            '/environments/1/slug'],
  ['an environment without type', [{ slug: 'dev', name: 'Development' }],    '/environments/0/type'],
  ['a custom issuer',            [{ ...one, issuer: 'https://id.example.com' }], '/environments/0/issuer'],
  ['101 environments',           Array.from({ length: 101 }, (_, n) => ({ ...one, slug: `dev-${n}` })), '/environments'],
]
for (const [why, environments, pointer] of refused_environments)
  test(`a project with ${why} as environments is refused`, async () => {
    const reply = await admin('POST', projects, { slug: 'refused', name: 'Refused', environments })
    assert.deepEqual(refusal(reply), [422, [pointer]])
  })

test('a project with more environments than the quota is refused', async () => {
  const environments = Array.from({ length: 21 }, (_, n) => ({ ...one, slug: `dev-${n}` }))
  const reply = await admin('POST', projects, { slug: 'refused', name: 'Refused', environments })
  assert.equal(`${reply.status} ${reply.body.code}`, '422 quota_exceeded')
  assert.equal((await admin('POST', projects, { slug: 'refused', name: 'Not refused' })).status, 201)
})

test('a custom issuer of an environment is refused', async () => {
  const reply = await admin('POST', `${projects}/${w.project.id}/environments`, { ...one, issuer: 'https://id.example.com' })
  assert.deepEqual(refusal(reply), [422, ['/issuer']])
})

test('a null issuer is not an issuer of its own', async () => {
  const body = { slug: 'no-issuer', name: 'No issuer', environments: [{ ...one, issuer: null }] }
  const [with_null] = expectStatus(201, await admin('POST', projects, body)).environments
  const added = { slug: 'null-issuer', name: 'Null', type: 'live', issuer: null }
  const later = expectStatus(201, await admin('POST', `${projects}/${w.project.id}/environments`, added))
  for (const { id, issuer } of [with_null, later]) assert.ok(issuer.startsWith(w.base_url) && issuer.includes(id), issuer)
})

test('environments of either type can be added, and their type and issuer never change', async () => {
  const list = `${projects}/${w.project.id}/environments`
  for (const type of ['test', 'live']) {
    const made = expectStatus(201, await admin('POST', list, { slug: `more-${type}`, name: 'More', type }))
    assert.deepEqual(expectStatus(200, await admin('GET', `${list}/${made.id}`)), made)
    const settings = expectStatus(200, await admin('GET', `${list}/${made.id}/settings`))
    assert.equal(settings.email.delivery, type === 'test' ? 'capture' : 'none')
    for (const field of ['type', 'issuer', 'id'])
      assert.deepEqual(refusal(await admin('PATCH', `${list}/${made.id}`, { [field]: 'x' })), [422, [`/${field}`]])
  }
  for (const type of ['staging', 'TEST', null, undefined])
    assert.deepEqual(refusal(await admin('POST', list, { slug: 'x1', name: 'X', type })), [422, ['/type']])
})

test('a slug is unique only within its tenant or project', async () => {
  const other = expectStatus(201, await admin('POST', '/v1/tenants', { slug: 'second', name: 'Second' }))
  const { id } = expectStatus(201, await asAdministrator(w, token, other.id)('POST', projects, { slug: 'shop', name: 'Shop' }))
  expectStatus(
    201,
    await asAdministrator(w, token, other.id)('POST', `${projects}/${id}/environments`, { slug: 'more', name: 'X', type: 'test' }),
  )
})

test('the creator of a tenant is its owner and only member', async () => {
  const creator = await createAdministrator(w, 'creator@example.com')
  const as = asAdministrator(w, creator.token, null)
  const made = expectStatus(201, await as('POST', '/v1/tenants', { slug: 'creators', name: 'Creators' }))
  assert.deepEqual(expectStatus(200, await as('GET', '/v1/tenants')).data, [made])
  const { data } = expectStatus(200, await as('GET', `/v1/tenants/${made.id}/members`))
  assert.deepEqual(
    data.map(({ user_id, role, email }: Record<string, string>) => [user_id, role, email]),
    [[creator.user_id, 'owner', creator.email]],
  )
  assert.equal((await admin('GET', `/v1/tenants/${made.id}`)).status, 404)
  const { id, key } = await createPlatformKey(w, { tenant_id: made.id, token: creator.token })
  assert.deepEqual(expectStatus(200, await w.call('GET', projects, { key })).data, [])
  assert.equal((await admin('GET', `/v1/tenants/${made.id}/platform-keys/${id}`)).status, 404)
})

test('a member grants roles up to their own, and changes only members who are not above them', async () => {
  const members = `/v1/tenants/${w.tenant_id}/members`
  const colleagues = new Map<string, { user_id: string; token: string }>()
  for (const role of ['viewer', 'developer', 'admin', 'owner'] as const) {
    const made = await createAdministrator(w, `some-${role}@example.com`)
    colleagues.set(role, made)
    await joinTenant(w, { tenant_id: w.tenant_id, token }, made, role)
  }
  const as = (role: string) => asAdministrator(w, colleagues.get(role)?.token ?? '')
  const member = (role: string) => `${members}/${colleagues.get(role)?.user_id}`
  assert.equal((await as('admin')('POST', members, { email: 'x@example.com', role: 'owner' })).body.code, 'insufficient_role')
  assert.equal((await as('admin')('PATCH', member('owner'), { role: 'viewer' })).body.code, 'insufficient_role')
  assert.equal((await as('admin')('PATCH', member('viewer'), { role: 'owner' })).body.code, 'insufficient_role')
  assert.equal((await as('admin')('DELETE', member('owner'))).body.code, 'insufficient_role')
  assert.equal((await as('developer')('DELETE', member('viewer'))).body.code, 'insufficient_role')
  assert.equal((await as('developer')('PATCH', member('developer'), { role: 'admin' })).body.code, 'insufficient_role')
  expectStatus(200, await as('admin')('PATCH', member('viewer'), { role: 'admin' }))
  expectStatus(200, await as('viewer')('GET', `/v1/tenants/${w.tenant_id}/platform-keys`))
  assert.equal((await as('developer')('DELETE', member('developer'))).status, 204)
  assert.equal((await as('developer')('GET', `/v1/tenants/${w.tenant_id}`)).status, 404)
  assert.equal((await as('owner')('DELETE', member('admin'))).status, 204)
  assert.equal((await as('admin')('GET', projects)).status, 404)
  assert.deepEqual(refusal(await admin('POST', members, { email: 'x@example.com', role: 'root' })), [422, ['/role']])
})

test('members are listed by when they joined, invitations by when they were sent, newest first', async () => {
  const [old, young] = [await createAdministrator(w, 'old@example.com'), await createAdministrator(w, 'young@example.com')]
  const tenant = expectStatus(201, await asAdministrator(w, token, null)('POST', '/v1/tenants', { slug: 'in-order', name: 'In order' }))
  const members = `/v1/tenants/${tenant.id}/members`
  for (const person of [young, old]) await joinTenant(w, { tenant_id: tenant.id, token }, person, 'viewer')
  expectStatus(201, await admin('POST', members, { email: 'pending@example.com', role: 'viewer' }))
  const seen = []
  for (let query = '?limit=1'; query !== ''; ) {
    const { data, next_cursor } = expectStatus(200, await admin('GET', members + query))
    seen.push(...data.map(({ email }: { email: string }) => email))
    query = next_cursor === null ? '' : `?limit=1&cursor=${next_cursor}`
  }
  assert.deepEqual(seen, ['pending@example.com', old.email, young.email, owner.email])
})

test('when both owners leave at once, one stays', async () => {
  const first = await createAdministrator(w, 'first@example.com')
  const second = await createAdministrator(w, 'second@example.com')
  const tenant = expectStatus(201, await asAdministrator(w, first.token, null)('POST', '/v1/tenants', { slug: 'two-owners', name: 'Two' }))
  const members = `/v1/tenants/${tenant.id}/members`
  await joinTenant(w, { tenant_id: tenant.id, token: first.token }, second, 'owner')
  const leave = ({ user_id, token: own }: typeof first) => asAdministrator(w, own, null)('DELETE', `${members}/${user_id}`)
  const replies = await Promise.all([leave(first), leave(second)])
  assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 409])
  assert.equal(replies.find(({ status }) => status === 409)?.body.code, 'last_owner')
})

test('a removed member loses access at once, and an administrator token expires after an hour', async () => {
  const made = await createAdministrator(w, 'leaver@example.com')
  const members = `/v1/tenants/${w.tenant_id}/members`
  await joinTenant(w, { tenant_id: w.tenant_id, token }, made, 'admin')
  const as = asAdministrator(w, made.token)
  expectStatus(200, await as('GET', projects))
  assert.equal((await admin('DELETE', `${members}/${made.user_id}`)).status, 204)
  assert.equal((await as('GET', projects)).status, 404)
  expectStatus(200, await as('GET', '/v1/me'))
  w.advance(3_601)
  assert.equal((await as('GET', '/v1/me')).body.code, 'invalid_key')
})
