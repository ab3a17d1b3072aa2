/** What a role named and gives no more is given by a plan only if the plan writes the permissions of the role. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccessDocument, createAccessProject, roles, servers } from '../support/access-plans.ts'
import { ownOf, upward } from '../support/promotions.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { project, live, people, become, give, planned, apply, accessOf } = await createAccessProject(w, 1)
const identifier_of_shop = { object: 'resource_server', slug: 'shop', pointer: '/identifier', value: 'https://shop.example' }
const shop = servers('shop: read write')
const of_shop = roles('support: shop.read shop.write')
const scopesOfPerson = async () => [...(await accessOf(people[0] ?? { id: '' })).scopes].sort()

const begin = async () => {
  w.advance(600) // a project stores so many plans an hour
  await become(live, { resource_servers: {}, roles: {} })
  await become(live, { resource_servers: shop, roles: of_shop })
  await give(['support'])
  assert.deepEqual(await scopesOfPerson(), ['shop.read', 'shop.write'])
}

/** The scope `write` was taken out of the resource server and made again, so the entry of the role gives it no more. */
async function leaveDormant() {
  await begin()
  await apply(await planned(ownOf(live, { resource_servers: servers('shop: read') })))
  await apply(await planned(ownOf(live, { resource_servers: shop })))
  assert.deepEqual(await scopesOfPerson(), ['shop.read'])
}
const fromTest = async (resource_servers: object, of_roles: object) => {
  await become(project.test, { resource_servers, roles: of_roles } as AccessDocument) // as: the same sections
  return upward(project)
}

// biome-ignore format: this table is read by column
const dormant: [what: string, body: () => object | Promise<object>, gives: string[]][] = [
  ['a document with equal permissions',                     () => ownOf(live, { resource_servers: shop, roles: of_shop }),                                    ['shop.read']],
  ['a document with the permissions in another order',      () => ownOf(live, { roles: roles('support: shop.write shop.read') }),                             ['shop.read']],
  ['a document with equal permissions and another name',    () => ownOf(live, { roles: { support: { ...of_shop.support, name: 'Help', default: true } } }),   ['shop.read']],
  ['a document that changes the resource server alone',     () => ownOf(live, { resource_servers: servers('shop: read write delete') }),                      ['shop.read']],
  ['a promotion of an equal role, made in Test',            () => fromTest(shop, of_shop),                                                                    ['shop.read']],
  ['a promotion of an equal role with another description', () => fromTest(shop, { support: { ...of_shop.support, description: 'Helps' } }),                  ['shop.read']],
  ['a document with another permission',                    () => ownOf(live, { resource_servers: servers('shop: read write delete'), roles: roles('support: shop.read shop.write shop.delete') }), ['shop.delete', 'shop.read', 'shop.write']],
  ['a promotion of a role with fewer permissions',          () => fromTest(shop, roles('support: shop.write')),                                               ['shop.write']],
]
for (const [what, body, gives] of dormant)
  test(`what a role gave no more is given ${gives.includes('shop.write') ? 'again' : 'no more'} after ${what}`, async () => {
    await leaveDormant()
    await apply(await planned(await body()))
    assert.deepEqual(await scopesOfPerson(), gives)
  })

test('a role that stays does not give the scopes of a resource server that is made again, until its permissions are sent', async () => {
  await begin()
  await become(live, { resource_servers: {}, roles: of_shop })
  await apply(await planned({ ...(await fromTest(shop, of_shop)), values: [identifier_of_shop] }))
  assert.deepEqual(await scopesOfPerson(), [])
  const { id, permissions } = expectStatus(200, await w.call('GET', `${live.path}/roles?slug=support`)).data[0]
  expectStatus(200, await w.call('PATCH', `${live.path}/roles/${id}`, { body: { permissions } }))
  assert.deepEqual(await scopesOfPerson(), ['shop.read', 'shop.write'])
})

test('a promotion that makes a role and its resource server again gives what they say, to those who are given the role', async () => {
  await begin()
  await become(live, { resource_servers: {}, roles: {} })
  await apply(await planned({ ...(await fromTest(shop, of_shop)), values: [identifier_of_shop] }))
  assert.deepEqual(await scopesOfPerson(), [], 'a later role with the slug has no holders')
  await give(['support'])
  assert.deepEqual(await scopesOfPerson(), ['shop.read', 'shop.write'])
})
