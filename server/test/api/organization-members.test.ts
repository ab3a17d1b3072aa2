/** Members of organizations: added, found, given roles, and removed (decision 0177). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { rowsFollowed } from '../support/endings.ts'
import { organizationsOf, pointersOf } from '../support/organizations.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment

const Event = z.object({ type: z.string(), user_id: z.string(), data: z.record(z.string(), z.unknown()) })
/** The events of the members of an organization, by what each says. */
const eventsOf = async (id: string) =>
  (
    await db.all(
      Event,
      sql`select type, user_id, data from events where type like 'organization_member.%' and data like ${`%${id}%`} order by id`,
    )
  ).map(({ type, user_id, data }) => ({ type: type.split('.')[1], user_id, data }))

for (const environment of [w.test, w.live]) {
  const { auth, add, create, read, remove, role, user } = await organizationsOf(w, environment)
  await role('owner', { administers: true })
  await role('clerk')
  await role('member', { default: true })
  await role('tester', { kind: 'user' })
  const in_type = `(${environment.type})`
  const idsOf = ({ data }: { data: { user_id: string }[] }) => data.map(({ user_id }) => user_id)

  test(`a member is added, read, listed, changed and removed, and every change causes an event ${in_type}`, async () => {
    const person = await user({ name: 'Ada', given_name: 'A.' })
    const organization = await create()
    const at = `organizations/${organization.id}/members`
    const created = await add(organization.id, person.id, ['owner', 'clerk'])
    const member = expectStatus(201, created)
    const { created_at, updated_at, ...shown } = member
    assert.equal(created.headers.get('location'), `${w.base_url}/v1/auth/${at}/${person.id}`)
    assert.deepEqual(shown, {
      organization_id: organization.id,
      user_id: person.id,
      tenant_id: w.tenant_id,
      project_id: w.project.id,
      environment_id: environment.id,
      email: person.email,
      name: 'Ada',
      roles: ['clerk', 'owner'],
      last_used_at: null,
    })
    const got = await auth('GET', `${at}/${person.id}`)
    assert.deepEqual(got.body, member)
    assert.deepEqual(expectStatus(200, await auth('GET', at)).data, [member])
    const of_user = { ...member, organization: { id: organization.id, slug: organization.slug, name: 'Acme', disabled: false } }
    assert.deepEqual(expectStatus(200, await auth('GET', `users/${person.id}/organizations`)).data, [of_user])
    for (const [path, expected] of [
      [`organizations/${organization.id}/members`, [member]],
      [`users/${person.id}/organizations`, [of_user]],
    ] as const)
      assert.deepEqual(expectStatus(200, await w.call('GET', `${environment.path}/${path}`)).data, expected)
    assert.deepEqual((await w.call('GET', `${environment.path}/organizations/${organization.id}/members/${person.id}`)).body, member)
    assert.equal((await read(organization.id)).member_count, 1)

    const etag = got.headers.get('etag') ?? ''
    const changed = await auth('PATCH', `${at}/${person.id}`, { roles: ['clerk'] }, { 'if-match': etag })
    assert.deepEqual({ ...changed.body, updated_at: '' }, { ...member, roles: ['clerk'], updated_at: '' })
    for (const body of [{}, { roles: ['clerk'] }]) {
      const same = await auth('PATCH', `${at}/${person.id}`, body)
      assert.equal(same.headers.get('etag'), changed.headers.get('etag'))
    }
    assert.deepEqual(pointersOf(await auth('DELETE', `${at}/${person.id}`, undefined, { 'if-match': etag })), [412, 'stale_version'])
    assert.deepEqual(expectStatus(200, await auth('PATCH', `${at}/${person.id}`, { roles: null })).roles, [])
    assert.equal((await remove(organization.id, person.id)).status, 204)
    for (const method of ['GET', 'DELETE']) assert.equal((await auth(method, `${at}/${person.id}`)).status, 404)
    assert.equal((await read(organization.id)).member_count, 0)
    assert.deepEqual(expectStatus(200, await auth('GET', `users/${person.id}/organizations`)).data, [])
    const of = (roles: string[], administrators: number, more: object = {}) => ({
      user_id: person.id,
      data: { organization_id: organization.id, user_id: person.id, roles, ...more, administrators },
    })
    assert.deepEqual(await eventsOf(organization.id), [
      { type: 'added', ...of(['clerk', 'owner'], 1) },
      { type: 'updated', ...of(['clerk'], 0, { previous_roles: ['clerk', 'owner'] }) },
      { type: 'updated', ...of([], 0, { previous_roles: ['clerk'] }) },
      { type: 'removed', ...of([], 0) },
    ])
  })

  // biome-ignore format: this table is read by column
  const refusals: [what: string, body: object, ...pointers: string[]][] = [
    ['no user',                      {},                                                        '/user_id'],
    ['no id of a user',              { user_id: 'ada' },                                        '/user_id'],
    ['an unknown user',              { user_id: 'usr_01m7wwr5ftevtv5yxb47hmb4ht' },             '/user_id'],
    ['an unknown role',              { roles: ['clerk', 'unknown'] },                           '/roles/1'],
    ['a role of users',              { roles: ['tester'] },                                     '/roles/0'],
    ['a role twice',                 { roles: ['clerk', 'owner', 'clerk'] },                    '/roles/2'],
    ['21 roles',                     { roles: Array.from({ length: 21 }, (_, n) => `r${n}`) },  '/roles'],
    ['no slug',                      { roles: ['Clerk'] },                                      '/roles/0'],
    ['a field that it does not have', { last_used_at: null },                                   '/last_used_at'],
  ]
  for (const [what, body, ...pointers] of refusals)
    test(`a member is refused with ${what} ${in_type}`, async () => {
      const [person, organization] = [await user(), await create()]
      const sent = 'user_id' in body || what === 'no user' ? body : { user_id: person.id, ...body }
      assert.deepEqual(pointersOf(await auth('POST', `organizations/${organization.id}/members`, sent)), [
        422,
        'validation_failed',
        ...pointers,
      ])
      assert.equal((await read(organization.id)).member_count, 0)
      if (!('roles' in body)) return
      expectStatus(201, await add(organization.id, person.id))
      const refused = await auth('PATCH', `organizations/${organization.id}/members/${person.id}`, body)
      assert.deepEqual(pointersOf(refused), [422, 'validation_failed', ...pointers])
    })

  test(`a user of another environment is refused like an unknown one ${in_type}`, async () => {
    const other = await organizationsOf(w, environment === w.test ? w.live : w.test)
    const [foreign, organization] = [await other.user(), await create()]
    const answers = [await add(organization.id, foreign.id), await add(organization.id, 'usr_01m7wwr5ftevtv5yxb47hmb4ht')]
    const [one, another] = answers.map(({ status, body }) => [status, body.code, body.detail, body.errors])
    assert.deepEqual(one, another)
    assert.deepEqual(pointersOf(answers[0] as Reply), [422, 'validation_failed', '/user_id'])
  })

  test(`a user is a member once, and again after the removal ${in_type}`, async () => {
    const [person, organization] = [await user(), await create()]
    expectStatus(201, await add(organization.id, person.id, ['owner']))
    assert.deepEqual(pointersOf(await add(organization.id, person.id)), [409, 'already_member'])
    const membership = async () =>
      (
        await db.maybeOne(
          z.object({ membership: z.int() }),
          sql`select membership from organization_members where organization_id = ${organization.id} and user_id = ${person.id}`,
        )
      )?.membership
    const first = await membership()
    assert.equal((await remove(organization.id, person.id)).status, 204)
    assert.deepEqual(expectStatus(201, await add(organization.id, person.id)).roles, [])
    assert.notEqual(await membership(), first)
    assert.equal((await read(organization.id)).member_count, 1)
  })

  test(`members are listed in the order of their addition, by role and by words, in pages ${in_type}`, async () => {
    const organization = await create()
    const people = [
      await user({ name: 'Ada Lovelace', email: `ada.${environment.type}@one.example` }),
      await user({ given_name: 'Bob', email: `bob.${environment.type}@two.example` }),
      await user({ nickname: 'ADA', email: `carl.${environment.type}@two.example` }),
    ]
    const [ada, bob, carl] = people.map(({ id }) => id) as [string, string, string] // as: three
    for (const [id, roles] of [
      [carl, ['clerk']],
      [ada, ['clerk', 'owner']],
      [bob, []],
    ] as [string, string[]][])
      expectStatus(201, await add(organization.id, id, roles))
    // biome-ignore format: this table is read by column
    const cases: [query: Record<string, string>, found: string[]][] = [
      [{},                                  [bob, ada, carl]],
      [{ role: 'clerk' },                   [ada, carl]],
      [{ role: 'owner' },                   [ada]],
      [{ role: 'member' },                  []],
      [{ role: 'tester' },                  []],
      [{ role: 'unknown' },                 []],
      [{ query: 'ada' },                    [ada, carl]],
      [{ query: 'two.example' },            [bob, carl]],
      [{ query: 'ada', role: 'owner' },     [ada]],
      [{ query: 'ada lovelace' },           [ada]],
      [{ query: bob },                      [bob]],
      [{ query: bob, role: 'clerk' },       []],
      [{ query: 'usr_01m7wwr5ftevtv5yxb47hmb4ht' }, []],
      [{ query: ' ' },                      [bob, ada, carl]],
    ]
    const at = `organizations/${organization.id}/members`
    for (const [query, found] of cases) {
      const search = new URLSearchParams(query)
      const pages: string[] = []
      for (let cursor = ''; ; ) {
        const page = expectStatus(200, await auth('GET', `${at}?limit=1&${search}${cursor && `&cursor=${cursor}`}`))
        pages.push(...idsOf(page))
        if (!page.has_more) break
        cursor = page.next_cursor
      }
      assert.deepEqual(pages, found, `${search}`)
      assert.deepEqual(idsOf(expectStatus(200, await w.call('GET', `${environment.path}/${at}?${search}`))), found, `${search}`)
    }
    const { next_cursor } = expectStatus(200, await auth('GET', `${at}?limit=1`))
    for (const other of [`${at}?role=clerk`, `organizations/${(await create()).id}/members?limit=1`, 'organizations?limit=1'])
      assert.equal((await auth('GET', `${other}&cursor=${next_cursor}`)).body.code, 'invalid_cursor')
    assert.equal((await auth('GET', `${at}?role=No`)).status, 422)
  })

  test(`the organizations of a user are listed in pages, the newest first ${in_type}`, async () => {
    const person = await user()
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.unshift((await create({ members: [{ user_id: person.id }] })).id)
    const first = expectStatus(200, await auth('GET', `users/${person.id}/organizations?limit=2`))
    const rest = expectStatus(200, await auth('GET', `users/${person.id}/organizations?limit=2&cursor=${first.next_cursor}`))
    const found = [...first.data, ...rest.data].map(({ organization_id }: { organization_id: string }) => organization_id)
    assert.deepEqual([found, rest.has_more], [ids, false])
    assert.equal((await auth('GET', 'users/usr_01m7wwr5ftevtv5yxb47hmb4ht/organizations')).status, 404)
  })

  test(`the number of administrators counts members who hold a role that administers and are not blocked ${in_type}`, async () => {
    const organization = await create()
    const [ada, bob, carl] = [await user(), await user(), await user()]
    await role('second', { administers: true })
    expectStatus(201, await add(organization.id, ada.id, ['owner', 'second']))
    expectStatus(201, await add(organization.id, bob.id, ['second']))
    expectStatus(201, await add(organization.id, carl.id, ['clerk']))
    expectStatus(200, await auth('POST', `users/${bob.id}/block`))
    assert.equal((await remove(organization.id, carl.id)).status, 204)
    const roles = expectStatus(200, await w.call('GET', `${environment.path}/roles?slug=second`)).data
    expectStatus(200, await auth('POST', `users/${bob.id}/unblock`))
    assert.equal((await w.call('DELETE', `${environment.path}/roles/${roles[0].id}`)).status, 204)
    expectStatus(201, await add(organization.id, carl.id))
    assert.equal((await auth('DELETE', `users/${ada.id}`)).status, 204)
    assert.equal((await remove(organization.id, carl.id)).status, 204)
    const numbers = (await eventsOf(organization.id)).filter(({ user_id }) => user_id !== ada.id)
    assert.deepEqual(
      numbers.map(({ type, data }) => [type, data.administrators]),
      [
        ['added', 2],
        ['added', 2],
        ['removed', 1],
        ['added', 1],
        ['removed', 0],
      ],
    )
  })

  test(`a deleted role is taken from every member, and a later one with its slug has no members ${in_type}`, async () => {
    const organization = await create()
    const person = await user()
    const id = await role('passing')
    expectStatus(201, await add(organization.id, person.id, ['passing', 'clerk']))
    assert.equal((await w.call('DELETE', `${environment.path}/roles/${id}`)).status, 204)
    const at = `organizations/${organization.id}/members`
    const member = async () => expectStatus(200, await auth('GET', `${at}/${person.id}`))
    assert.deepEqual((await member()).roles, ['clerk'])
    await role('passing')
    assert.deepEqual((await member()).roles, ['clerk'])
    assert.deepEqual(expectStatus(200, await auth('GET', `${at}?role=passing`)).data, [])
    assert.deepEqual(expectStatus(200, await auth('PATCH', `${at}/${person.id}`, { roles: ['passing'] })).roles, ['passing'])
    assert.deepEqual(idsOf(expectStatus(200, await auth('GET', `${at}?role=passing`))), [person.id])
  })

  test(`a deleted user leaves all organizations at once, and a deleted organization loses all members ${in_type}`, async () => {
    const [one, two] = [await create(), await create()]
    const [ada, bob] = [await user(), await user()]
    for (const { id } of [one, two]) for (const person of [ada, bob]) expectStatus(201, await add(id, person.id, ['clerk']))
    assert.equal((await auth('DELETE', `users/${ada.id}`)).status, 204)
    assert.equal((await read(one.id)).member_count, 1)
    assert.deepEqual(idsOf(expectStatus(200, await auth('GET', `organizations/${one.id}/members?role=clerk`))), [bob.id])
    for (const [method, body] of [['GET'], ['PATCH', { roles: [] }], ['DELETE']] as [string, object?][])
      assert.equal((await auth(method, `organizations/${one.id}/members/${ada.id}`, body)).status, 404)
    assert.equal((await auth('DELETE', `organizations/${two.id}`)).status, 204)
    const of_bob = expectStatus(200, await auth('GET', `users/${bob.id}/organizations`)).data
    assert.deepEqual(
      of_bob.map(({ organization }: { organization: { id: string } }) => organization.id),
      [one.id],
    )
    await rowsFollowed(db)
    assert.equal((await read(one.id)).member_count, 1)
    const Row = z.object({ n: z.int() })
    for (const table of [sql`organization_members`, sql`organization_role_holders`]) {
      const rows = sql`select count(*) as n from ${table} where user_id = ${ada.id} or organization_id = ${two.id}`
      assert.equal((await db.maybeOne(Row, rows))?.n, 0)
    }
  })
}

test('an administrator adds members and gives roles in Live after a fresh sign-in, and takes them by any', async () => {
  const { create, user } = await organizationsOf(w, w.live)
  const [organization, person, other] = [await create(), await user(), await user()]
  const aged = await administratorToken(w, owner)
  w.advance(601)
  const fresh = await administratorToken(w, owner)
  const call = (token: string, method: string, path: string, body?: object) =>
    asAdministrator(w, token)(method, `/v1/auth/organizations${path}`, body, { 'x-environment-id': w.live.id })
  const at = `/${organization.id}/members`
  const isStale = ({ status, body }: Reply) => status === 403 && body.code === 'reauthentication_required'
  const members = [{ user_id: other.id }]
  for (const [method, path, body] of [
    ['POST', '', { name: 'With members', members }],
    ['POST', at, { user_id: person.id }],
  ] as [string, string, object][]) {
    assert.ok(isStale(await call(aged, method, path, body)), `${method} ${path}`)
    expectStatus(201, await call(fresh, method, path, body))
  }
  assert.ok(isStale(await call(aged, 'PATCH', `${at}/${person.id}`, { roles: ['clerk'] })))
  expectStatus(200, await call(fresh, 'PATCH', `${at}/${person.id}`, { roles: ['clerk', 'owner'] }))
  expectStatus(200, await call(aged, 'PATCH', `${at}/${person.id}`, { roles: ['clerk'] }))
  expectStatus(201, await call(aged, 'POST', '', { name: 'Without members' }))
  expectStatus(200, await call(aged, 'PATCH', `/${organization.id}`, { disabled: true, name: 'Off' }))
  assert.ok(isStale(await call(aged, 'PATCH', `/${organization.id}`, { disabled: false })))
  assert.equal((await call(aged, 'DELETE', `${at}/${person.id}`)).status, 204)
  assert.ok(isStale(await call(aged, 'DELETE', `/${organization.id}`)))
  assert.equal((await call(fresh, 'DELETE', `/${organization.id}`)).status, 204)
})
