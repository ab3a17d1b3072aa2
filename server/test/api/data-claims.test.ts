/** Data for tokens, as backends write it: users and organizations have it by the same rules (decision 0179). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { organizationsOf, pointersOf } from '../support/organizations.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
let made = 0

const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, n]))
/** An object of one text, of so many bytes as compact JSON. */
const filled = (bytes: number, letter = 'x') => ({ text: letter.repeat((bytes - 11) / Buffer.byteLength(letter)) })
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

// biome-ignore format: this table is read by column
const refusals: [what: string, claims: unknown, pointer: string][] = [
  ['a list',                                     [],                                 '/claims'],
  ['a text',                                     'plan',                             '/claims'],
  ['1,025 bytes',                                filled(1_025),                      '/claims'],
  ['1,025 bytes in 512 letters',                 { te: 'ä'.repeat(508) },            '/claims'],
  ['1,025 bytes with what JSON escapes',         { te: '"'.repeat(508) },            '/claims'],
  ['21 names',                                   names(21),                          '/claims'],
  ['four levels of objects',                     nested(4),                          '/claims'],
  ['four levels of lists',                       { a: [[[]]] },                      '/claims'],
  ['a claim of every token',                     { sub: 'x' },                       '/claims/sub'],
  ['a claim that other tokens have',             { plan: 1, email: 'a@example.com' }, '/claims/email'],
  ['a claim of roles',                           { roles: ['admin'] },               '/claims/roles'],
  ['another claim of roles',                     { groups: ['admin'] },              '/claims/groups'],
  ['a claim of a standard that nothing here has', { entitlements: [] },              '/claims/entitlements'],
  ['a claim of this service',                    { grant_id: 'x' },                  '/claims/grant_id'],
  ['a claim of an organization',                 { org_id: 'x' },                    '/claims/org_id'],
  ['a claim that an organization could get',     { org_plan: 'x' },                  '/claims/org_plan'],
  ['a name with a space',                        { 'a b': 1 },                       '/claims/a b'],
  ['an empty name',                              { '': 1 },                          '/claims/'],
  ['a name beyond ASCII',                        { größe: 1 },                       '/claims/größe'],
  ['a name of 101 characters',                   { ['x'.repeat(101)]: 1 },           `/claims/${'x'.repeat(101)}`],
]

// biome-ignore format: this table is read by column
const accepted: [what: string, claims: object][] = [
  ['1,024 bytes',                            filled(1_024)],
  ['1,023 bytes in 511 letters of two',      { te: 'ä'.repeat(507) }],
  ['20 names',                               names(20)],
  ['three levels of objects',                nested(3) as object],
  ['three levels of lists',                  { a: [[1]] }],
  ['names with every character',             { [String.fromCharCode(...Array.from({ length: 94 }, (_, i) => 0x21 + i))]: 1 }],
  ['a name of 100 characters',               { ['x'.repeat(100)]: 1 }],
  ['names that only look like taken ones',   { Sub: 1, subject: 1, Org_id: 1, organization: 1, role: 1, 'https://example.com/roles': 1 }],
  ['every kind of value',                    { a: null, b: true, c: -0.5, d: '', e: [], f: {}, g: 1e21 }],
  ['names of prototypes',                    { constructor: 1, toString: 2, hasOwnProperty: 3 }],
]

for (const environment of [w.test, w.live]) {
  const { auth } = await organizationsOf(w, environment)
  const bodies = {
    users: () => ({ email: `data${++made}-${environment.type}@example.com` }),
    organizations: () => ({ name: 'Acme' }),
  }
  for (const list of ['users', 'organizations'] as const) {
    const create = (claims: unknown): Promise<Reply> => auth('POST', list, { ...bodies[list](), claims })
    const change = (id: string, claims: unknown): Promise<Reply> => auth('PATCH', `${list}/${id}`, { claims })
    const stored = async (id: string) => expectStatus(200, await auth('GET', `${list}/${id}`)).claims
    const about = `${list} in ${environment.type}`

    for (const [what, claims, pointer] of refusals)
      test(`claims with ${what} are refused at ${pointer.slice(0, 30)}, at creation and in a change: ${about}`, async () => {
        assert.deepEqual(pointersOf(await create(claims)), [422, 'validation_failed', pointer])
        const { id } = expectStatus(201, await create({ plan: 'team' }))
        assert.deepEqual(pointersOf(await change(id, claims)), [422, 'validation_failed', pointer])
        assert.deepEqual(await stored(id), { plan: 'team' })
      })

    for (const [what, claims] of accepted)
      test(`claims with ${what} are stored as they were sent: ${about}`, async () => {
        const { id, claims: answered } = expectStatus(201, await create(claims))
        assert.deepEqual([answered, await stored(id)], [claims, claims])
        const { data } = expectStatus(200, await auth('GET', list))
        assert.deepEqual(data[0].claims, claims)
      })

    test(`a change is a merge patch (RFC 7396), and the result has the bounds of a new object: ${about}`, async () => {
      const { id } = expectStatus(201, await create({ plan: 'team', limits: { seats: 5, users: 9 }, list: [1] }))
      const changed = async (claims: unknown) => expectStatus(200, await change(id, claims)).claims
      assert.deepEqual(await changed({ plan: null, limits: { seats: null }, list: [2], no: null }), { limits: { users: 9 }, list: [2] })
      assert.deepEqual(await changed({ limits: null, list: null }), {})
      assert.deepEqual(await changed(names(20)), names(20))
      assert.deepEqual(pointersOf(await change(id, { one: 1 })), [422, 'validation_failed', '/claims'])
      assert.deepEqual(await changed({ n0: null, one: 1 }), { ...Object.fromEntries(Object.entries(names(20)).slice(1)), one: 1 })
      assert.deepEqual(await changed(null), {})
      assert.deepEqual(await changed(filled(1_024)), filled(1_024))
      assert.deepEqual(pointersOf(await change(id, { n: 1 })), [422, 'validation_failed', '/claims'])
      assert.deepEqual(await changed({ text: null, n: nested(2) }), { n: nested(2) })
      assert.deepEqual(pointersOf(await change(id, { n: { a: { a: { a: 1 } } } })), [422, 'validation_failed', '/claims'])
      assert.deepEqual(await stored(id), { n: nested(2) })
    })

    test(`a name that became taken stays until claims are changed, and can be taken out: ${about}`, async () => {
      const { id }: { id: string } = expectStatus(201, await create({ plan: 'team' }))
      const before = { plan: 'team', org_plan: 'x' } // as an earlier list of names let pass
      await w.deployment.db
        .of(environment.id)
        .run(
          list === 'users'
            ? sql`update users set claims = ${before} where environment_id = ${environment.id} and id = ${id}`
            : sql`update organizations set claims = ${before} where environment_id = ${environment.id} and id = ${id}`,
        )
      assert.deepEqual(expectStatus(200, await auth('PATCH', `${list}/${id}`, { name: 'Other' })).claims, before)
      assert.deepEqual(pointersOf(await change(id, { plan: 'free' })), [422, 'validation_failed', '/claims/org_plan'])
      assert.deepEqual(expectStatus(200, await change(id, { plan: 'free', org_plan: null })).claims, { plan: 'free' })
    })

    test(`a name of the prototype is not stored: ${about}`, async () => {
      const body = JSON.stringify(bodies[list]()).replace('{', '{"claims":{"plan":1,"__proto__":{"admin":true}},')
      const reply = await auth('POST', list, body, { 'content-type': 'application/json' })
      assert.deepEqual(pointersOf(reply), [422, 'validation_failed', '/claims/__proto__'])
    })
  }
}

test('the event of a change names the field, and the audit log keeps that it changed but not the data of a person', async () => {
  const { auth } = await organizationsOf(w, w.test)
  const { id } = expectStatus(201, await auth('POST', 'users', { email: 'audited@example.com', claims: { plan: 'team' } }))
  expectStatus(200, await auth('PATCH', `users/${id}`, { claims: { plan: 'enterprise' } }))
  const Data = z.object({ data: z.record(z.string(), z.unknown()) })
  const event = await w.deployment.db.maybeOne(Data, sql`select data from events where type = 'user.updated' and user_id = ${id}`)
  assert.deepEqual(event?.data, { changed: ['claims'] })
  const Entry = z.object({ before: z.string(), after: z.string() })
  const entry = await w.deployment.db.maybeOne(
    Entry,
    sql`select before_change as before, after_change as after from audit_log where object_id = ${id} and action = 'changeUser'`,
  )
  assert.deepEqual([entry?.before, entry?.after], ['{"claims":"[personal]"}', '{"claims":"[personal]"}'])
})

test('no platform key and no person writes claims', async () => {
  const { auth } = await organizationsOf(w, w.test)
  const { id } = expectStatus(201, await auth('POST', 'users', { email: 'kept@example.com', claims: { plan: 'team' } }))
  for (const path of [`/v1/auth/users/${id}`, `${w.test.path}/users/${id}`])
    assert.ok([401, 403, 404, 405].includes((await w.call('PATCH', path, { body: { claims: { plan: 'enterprise' } } })).status), path)
  assert.deepEqual(expectStatus(200, await w.call('GET', `${w.test.path}/users/${id}`)).claims, { plan: 'team' })
})
