/** Organizations: how they are created, found, changed and deleted (decision 0177). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { organizationsOf, pointersOf } from '../support/organizations.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment

const Event = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) })
const eventsOf = (id: string) =>
  db.all(Event, sql`select type, data from events where type like 'organization%' and data like ${`%${id}%`} order by id`)

for (const environment of [w.test, w.live]) {
  const { auth, create, user, role } = await organizationsOf(w, environment)
  const patch = (id: string, body: unknown, headers: Record<string, string> = {}) => auth('PATCH', `organizations/${id}`, body, headers)
  const in_type = `(${environment.type})`

  test(`an organization is created, read, listed, changed and deleted, and every change causes an event ${in_type}`, async () => {
    const key = { 'idempotency-key': `organization-${environment.type}` }
    const body = { name: 'Café Zürich', external_id: 'customer-1', metadata: { seats: 5 }, claims: { plan: 'team' } }
    const created = await auth('POST', 'organizations', body, key)
    const organization = expectStatus(201, created)
    const { id, created_at, updated_at, ...shown } = organization
    assert.match(id, /^org_/)
    assert.equal(created.headers.get('location'), `${w.base_url}/v1/auth/organizations/${id}`)
    assert.deepEqual(shown, {
      tenant_id: w.tenant_id,
      project_id: w.project.id,
      environment_id: environment.id,
      slug: 'cafe-zurich',
      ...body,
      disabled: false,
      member_count: 0,
    })
    assert.deepEqual(expectStatus(201, await auth('POST', 'organizations', body, key)), organization)
    const got = await auth('GET', `organizations/${id}`)
    assert.deepEqual(got.body, organization)
    assert.deepEqual(expectStatus(200, await auth('GET', 'organizations')).data, [organization])
    for (const path of ['', `/${id}`]) {
      const { body } = await w.call('GET', `${environment.path}/organizations${path}`)
      assert.deepEqual(path === '' ? body.data : [body], [organization])
    }

    const fields = { name: 'Café', disabled: true, external_id: 'customer-2' }
    const etag = got.headers.get('etag') ?? ''
    const changed = await patch(id, fields, { 'if-match': etag })
    assert.deepEqual({ ...changed.body, updated_at: '' }, { ...organization, ...fields, updated_at: '' })
    assert.deepEqual(pointersOf(await patch(id, { name: 'Late' }, { 'if-match': etag })), [412, 'stale_version'])
    const unchanged = await patch(id, fields)
    assert.equal(unchanged.headers.get('etag'), changed.headers.get('etag'))
    const reset = expectStatus(200, await patch(id, { external_id: null, metadata: null, claims: null, disabled: null }))
    const bare = { ...organization, name: 'Café', external_id: null, metadata: {}, claims: {} }
    assert.deepEqual({ ...reset, updated_at: '' }, { ...bare, updated_at: '' })
    assert.deepEqual(pointersOf(await auth('DELETE', `organizations/${id}`, undefined, { 'if-match': etag })), [412, 'stale_version'])
    assert.equal((await auth('DELETE', `organizations/${id}`)).status, 204)
    for (const method of ['DELETE', 'GET']) assert.equal((await auth(method, `organizations/${id}`)).status, 404)
    assert.deepEqual(expectStatus(200, await auth('GET', 'organizations')).data, [])
    const named = { organization_id: id, slug: 'cafe-zurich' }
    assert.deepEqual(await eventsOf(id), [
      { type: 'organization.created', data: { ...named, external_id: 'customer-1', name: 'Café Zürich' } },
      { type: 'organization.updated', data: { organization_id: id, changed: ['external_id', 'name', 'disabled'] } },
      { type: 'organization.updated', data: { organization_id: id, changed: ['external_id', 'metadata', 'claims', 'disabled'] } },
      { type: 'organization.deleted', data: { ...named, external_id: null, name: 'Café' } },
    ])
  })

  test(`an organization is created with its first members, each of whom has an event, or not at all ${in_type}`, async () => {
    await role('owner', { administers: true })
    await role('clerk')
    const [ada, bob] = [await user(), await user()]
    const members = [{ user_id: ada.id, roles: ['owner', 'clerk'] }, { user_id: bob.id }]
    const unknown = { user_id: 'usr_01m7wwr5ftevtv5yxb47hmb4ht' }
    const refused = await auth('POST', 'organizations', { name: 'None', slug: 'with-members', members: [...members, unknown] })
    assert.deepEqual(pointersOf(refused), [422, 'validation_failed', '/members/2/user_id'])
    const organization = await create({ slug: 'with-members', members })
    assert.equal(organization.member_count, 2)
    assert.equal(expectStatus(200, await auth('GET', `organizations/${organization.id}`)).member_count, 2)
    const list = expectStatus(200, await auth('GET', `organizations/${organization.id}/members`)).data
    assert.deepEqual(
      list.map((member: { user_id: string; roles: string[] }) => [member.user_id, member.roles]),
      [
        [bob.id, []],
        [ada.id, ['clerk', 'owner']],
      ],
    )
    const of = (user_id: string, roles: string[]) => ({ organization_id: organization.id, user_id, roles, administrators: 1 })
    assert.deepEqual((await eventsOf(organization.id)).slice(1), [
      { type: 'organization_member.added', data: of(ada.id, ['clerk', 'owner']) },
      { type: 'organization_member.added', data: of(bob.id, []) },
    ])
  })

  const claims = (claims: unknown) => ({ claims })
  const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, n]))
  // biome-ignore format: this table is read by column
  const refusals: [fields: object, ...pointers: string[]][] = [
    [{ name: '' },                                   '/name'],
    [{ name: 'x'.repeat(101) },                      '/name'],
    [{ name: 'two\nlines' },                         '/name'],
    [{ slug: 'none' },                               '/slug'],
    [{ slug: 'Acme' },                               '/slug'],
    [{ slug: 'x'.repeat(64) },                       '/slug'],
    [{ external_id: '' },                            '/external_id'],
    [{ external_id: 'a b' },                         '/external_id'],
    [{ external_id: 'ä' },                           '/external_id'],
    [{ external_id: 'x'.repeat(256) },               '/external_id'],
    [{ metadata: [] },                               '/metadata'],
    [{ metadata: { text: 'x'.repeat(16_384) } },     '/metadata'],
    [claims([]),                                     '/claims'],
    [claims(names(21)),                              '/claims'],
    [claims({ text: 'x'.repeat(1_014) }),            '/claims'],
    [claims({ text: 'ä'.repeat(507) }),              '/claims'],
    [claims({ a: { b: { c: {} } } }),                '/claims'],
    [claims({ a: [[[1]]] }),                         '/claims'],
    [claims({ sub: 'x' }),                           '/claims/sub'],
    [claims({ 'roles': [] }),                        '/claims/roles'],
    [claims({ grant_id: 'x' }),                      '/claims/grant_id'],
    [claims({ org_id: 'x', plan: 1 }),               '/claims/org_id'],
    [claims({ org_: 'x' }),                          '/claims/org_'],
    [claims({ '': 'x' }),                            '/claims/'],
    [claims({ 'a b': 'x' }),                         '/claims/a b'],
    [claims({ ['x'.repeat(101)]: 1 }),               `/claims/${'x'.repeat(101)}`],
    [{ members: {} },                                '/members'],
    [{ members: Array.from({ length: 101 }, (_, n) => ({ user_id: `usr_0${String(n).padStart(25, '0')}` })) }, '/members'],
    [{ members: [{ user_id: 'ada' }] },              '/members/0/user_id'],
    [{ member_count: 3 },                            '/member_count'],
    [{ disabled: true },                             '/disabled'],
    [{ id: 'org_01m7wwr5ftevtv5yxb47hmb4ht' },       '/id'],
  ]
  for (const [fields, ...pointers] of refusals)
    test(`an organization is refused with ${JSON.stringify(fields).slice(0, 80)} ${in_type}`, async () => {
      const reply = await auth('POST', 'organizations', { name: 'Acme', ...fields })
      assert.deepEqual(pointersOf(reply), [422, 'validation_failed', ...pointers])
    })

  const accepted: object[] = [
    { external_id: '!~'.repeat(127) },
    { slug: 'none-2' },
    claims({ text: 'x'.repeat(1_013) }),
    claims(names(20)),
    claims({ a: { b: { c: 1 } }, list: [[1]] }),
    claims({ 'https://example.com/plan': 'team', Org_id: 1, ['x'.repeat(100)]: null }),
    { metadata: { text: 'x'.repeat(16_373) } },
  ]
  for (const fields of accepted)
    test(`an organization is created with ${JSON.stringify(fields).slice(0, 80)} ${in_type}`, async () => {
      const made = await create(fields)
      assert.deepEqual({ ...made, ...fields }, made)
    })

  test(`each time an organization is switched off raises its number ${in_type}`, async () => {
    const { id } = await create()
    const Ending = z.object({ ending: z.int() })
    const ending = async () =>
      (await db.maybeOne(Ending, sql`select ending from organizations where environment_id = ${environment.id} and id = ${id}`))?.ending
    const numbers: unknown[] = []
    for (const disabled of [true, true, false, true]) {
      expectStatus(200, await patch(id, { disabled, metadata: { n: numbers.length } }))
      numbers.push(await ending())
    }
    assert.deepEqual(numbers, [1, 1, 1, 2])
  })

  test(`metadata and claims are merged, and claims keep their bounds as a whole ${in_type}`, async () => {
    const { id } = await create({ metadata: { a: { b: 1, c: 2 } }, claims: { plan: 'team', limits: { seats: 5 } } })
    const changed = expectStatus(200, await patch(id, { metadata: { a: { b: null }, d: 3 }, claims: { limits: { users: 9 } } }))
    assert.deepEqual(changed.metadata, { a: { c: 2 }, d: 3 })
    assert.deepEqual(changed.claims, { plan: 'team', limits: { seats: 5, users: 9 } })
    assert.deepEqual(expectStatus(200, await patch(id, { claims: { plan: null } })).claims, { limits: { seats: 5, users: 9 } })
    assert.deepEqual(pointersOf(await patch(id, { claims: names(20) })), [422, 'validation_failed', '/claims'])
    assert.deepEqual(pointersOf(await patch(id, { claims: { limits: { seats: { of: { any: 1 } } } } })), [
      422,
      'validation_failed',
      '/claims',
    ])
    assert.deepEqual(pointersOf(await patch(id, { claims: { aud: 'x' } })), [422, 'validation_failed', '/claims/aud'])
    assert.deepEqual(pointersOf(await patch(id, { metadata: { text: 'x'.repeat(16_373) } })), [422, 'validation_failed', '/metadata'])
    for (const [name, value] of Object.entries({ slug: 'other', id, member_count: 0, environment_id: environment.id, created_at: '' }))
      assert.deepEqual(pointersOf(await patch(id, { [name]: value })), [422, 'validation_failed', `/${name}`])
  })

  test(`a slug and an external id are given once, and again when their organization is gone ${in_type}`, async () => {
    const [one, two] = [await create({ slug: 'once', external_id: 'once' }), await create({ external_id: 'twice' })]
    const again = (fields: object): Promise<Reply> => auth('POST', 'organizations', { name: 'Again', ...fields })
    assert.deepEqual(pointersOf(await again({ slug: 'once' })), [409, 'slug_taken'])
    assert.deepEqual(pointersOf(await again({ external_id: 'once' })), [409, 'identifier_taken'])
    assert.deepEqual(pointersOf(await patch(two.id, { external_id: 'once' })), [409, 'identifier_taken'])
    expectStatus(200, await patch(two.id, { external_id: 'twice', name: 'Same' }))
    assert.equal((await auth('DELETE', `organizations/${one.id}`)).status, 204)
    expectStatus(200, await patch(two.id, { external_id: 'once' }))
    expectStatus(201, await again({ slug: 'once', external_id: 'twice' }))
  })

  test(`a name makes a slug of its own, and never the one that stands for no organization ${in_type}`, async () => {
    assert.equal((await create({ name: 'None' })).slug, 'organization')
    assert.equal((await create({ name: 'Same name' })).slug, 'same-name')
    const others = await Promise.all(Array.from({ length: 30 }, () => create({ name: 'Same name' })))
    const slugs = others.map(({ slug }) => slug)
    assert.equal(new Set(slugs).size, 30)
    for (const slug of slugs) assert.match(slug, /^same-name-([2-9]|10|[0-9a-z]{8})$/)
  })

  test(`a list finds organizations by slug, external id and words ${in_type}`, async () => {
    const [blue, red] = [
      await create({ name: 'Deep Ocean', slug: 'found-blue', external_id: 'X-1' }),
      await create({ name: 'Deep Desert', slug: 'found-red', external_id: 'X-2' }),
    ]
    // biome-ignore format: this table is read by column
    const cases: [query: Record<string, string>, found: object[]][] = [
      [{ slug: 'found-blue' },                       [blue]],
      [{ slug: 'found' },                            []],
      [{ external_id: 'X-2' },                       [red]],
      [{ external_id: 'x-2' },                       []],
      [{ external_id: 'X-2', slug: 'found-blue' },   []],
      [{ query: 'deep' },                            [red, blue]],
      [{ query: 'OCEAN found' },                     [blue]],
      [{ query: 'x-1' },                             [blue]],
      [{ query: 'deep', slug: 'found-red' },         [red]],
      [{ query: 'de%p' },                            []],
      [{ query: 'deep', limit: '1' },                [red]],
    ]
    for (const [query, found] of cases) {
      const search = new URLSearchParams(query)
      assert.deepEqual(expectStatus(200, await auth('GET', `organizations?${search}`)).data, found, `${search}`)
      assert.deepEqual(expectStatus(200, await w.call('GET', `${environment.path}/organizations?${search}`)).data, found, `${search}`)
    }
    for (const query of ['slug=UPPER', 'external_id=', 'external_id=a%20b', 'limit=0'])
      assert.equal((await auth('GET', `organizations?${query}`)).status, 422, query)
  })
}

test('organizations of another environment are unknown', async () => {
  const [ours, theirs] = [await organizationsOf(w, w.test), await organizationsOf(w, w.live)]
  const { id } = await theirs.create()
  const { id: user_id } = await ours.user()
  const unknown = 'org_01m7wwr5ftevtv5yxb47hmb4ht'
  const answerOf = ({ status, body }: Reply) => [status, body.code, body.detail]
  const calls: [method: string, path: (id: string) => string, body?: object][] = [
    ['GET', (id) => id],
    ['PATCH', (id) => id, { name: 'Taken' }],
    ['DELETE', (id) => id],
    ['GET', (id) => `${id}/members`],
    ['POST', (id) => `${id}/members`, { user_id }],
    ['GET', (id) => `${id}/members/${user_id}`],
    ['PATCH', (id) => `${id}/members/${user_id}`, { roles: [] }],
    ['DELETE', (id) => `${id}/members/${user_id}`],
  ]
  for (const [method, path, body] of calls) {
    const [foreign, absent] = [id, unknown].map((id) => ours.auth(method, `organizations/${path(id)}`, body))
    assert.deepEqual(answerOf(await (foreign ?? assert.fail())), answerOf(await (absent ?? assert.fail())), `${method} ${path('…')}`)
    assert.equal((await (foreign ?? assert.fail())).status, 404)
    if (method === 'GET') assert.equal((await w.call('GET', `${w.test.path}/organizations/${path(id)}`)).status, 404)
  }
})
