/** The warnings of plans about people who gain or lose a permission: where they stand, whom they count and what they say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import { join, sql } from '../../src/db/db.ts'
import { type AccessDocument, createAccessProject, factsIn, isOfAccess, roles, servers } from '../support/access-plans.ts'
import { organizationsOf } from '../support/organizations.ts'
import { own, promoting, upward } from '../support/promotions.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { project, live, people, become, give, planTo, planned, apply } = await createAccessProject(w, 5)
const { step } = promoting(w)

const document = (resource_servers: AccessDocument['resource_servers'], of_roles: AccessDocument['roles']): AccessDocument => ({
  resource_servers,
  roles: of_roles,
})
const placeOf = ({ object, slug, pointer }: PromotionCheck) => `${object} ${slug} ${pointer}`
/** Begins with new objects, so that no entry stays from an earlier test. */
async function begin(wanted: AccessDocument): Promise<void> {
  w.advance(180) // a project stores so many plans an hour
  await become(live, document({}, {}))
  await become(live, wanted)
}
const shop = servers('shop: read write delete')
/** Two have `support`, one `lead`, one both, and one none. */
const held = [['support'], ['support'], ['lead'], ['support', 'lead'], []]

interface Case {
  rule: string
  before: AccessDocument
  after: AccessDocument
  facts: string[]
  places: string[]
}

const usual = roles('support: shop.read shop.write', 'lead: shop.read shop.write shop.delete')
// biome-ignore format: this table is read by column
const cases: Case[] = [
  { rule: 'those who have no other role that gives it lose what a role gives no more', before: document(shop, usual), after: document(shop, roles('support: shop.read', 'lead: shop.read shop.write shop.delete')),
    facts: ['2 lose shop.write'], places: ['role support /permissions'] },
  { rule: 'those who did not have it gain what a role gives', before: document(shop, usual), after: document(shop, roles('support: shop.read shop.write shop.delete', 'lead: shop.read shop.write shop.delete')),
    facts: ['2 gain shop.delete'], places: ['role support /permissions'] },
  { rule: 'one role can give and take', before: document(shop, usual), after: document(shop, roles('support: shop.read shop.delete', 'lead: shop.read shop.write shop.delete')),
    facts: ['2 gain shop.delete', '2 lose shop.write'], places: ['role support /permissions', 'role support /permissions'] },
  { rule: 'what several roles take is counted once', before: document(shop, usual), after: document(shop, roles('support: shop.read', 'lead: shop.read shop.delete')),
    facts: ['4 lose shop.write'], places: ['role lead /permissions'] },
  { rule: 'one role gives what another takes', before: document(shop, usual), after: document(shop, roles('support: shop.read shop.write shop.delete', 'lead: shop.read shop.write')),
    facts: ['2 gain shop.delete', 'One lose shop.delete'], places: ['role lead /permissions', 'role support /permissions'] },
  { rule: 'nobody gains or loses what another role gives too', before: document(shop, usual), after: document(shop, roles('support: shop.read shop.write', 'lead: shop.delete', 'other: shop.read')),
    facts: ['One lose shop.read', 'One lose shop.write'], places: ['role lead /permissions'] },
  { rule: 'everyone gains what a role gives that everyone has', before: document(shop, usual), after: document(shop, roles('support*: shop.read shop.write', 'lead: shop.read shop.write shop.delete')),
    facts: ['Every gain shop.read', 'Every gain shop.write'], places: ['role support /default'] },
  { rule: 'everyone loses what a role gave that not everyone has any more', before: document(shop, roles('support*: shop.read', 'lead: shop.delete')), after: document(shop, roles('support: shop.read', 'lead: shop.delete')),
    facts: ['Every lose shop.read'], places: ['role support /default'] },
  { rule: 'a role that is new and that everyone has gives something to everyone', before: document(shop, usual), after: document(shop, { ...usual, ...roles('basic*: shop.read') }),
    facts: ['Every gain shop.read'], places: ['role basic /default'] },
  { rule: 'nobody has a role that is new', before: document(shop, usual), after: document({ ...shop, ...servers('new: read') }, { ...usual, ...roles('basic: shop.read new.read') }),
    facts: [], places: [] },
  { rule: 'those who have a role lose what it gave when it is deleted', before: document(shop, usual), after: document(shop, roles('lead: shop.read shop.write shop.delete')),
    facts: ['2 lose shop.read', '2 lose shop.write'], places: ['role support null'] },
  { rule: 'everyone without a role loses what a resource server gives to roles alone from then on', before: document(servers('shop?: read write'), roles('support: shop.read', 'lead:')), after: document(servers('shop: read write'), roles('support: shop.read', 'lead:')),
    facts: ['Every lose shop.read', 'Every lose shop.write'], places: ['resource_server shop /require_roles'] },
  { rule: 'everyone gains what a resource server gives without a role from then on', before: document(servers('shop: read write'), roles('support: shop.read', 'lead*: shop.write')), after: document(servers('shop?: read write'), roles('support: shop.read', 'lead*: shop.write')),
    facts: ['Every gain shop.read'], places: ['resource_server shop /require_roles'] },
  { rule: 'those whose role gives it lose a scope that is gone', before: document(shop, usual), after: document(servers('shop: read delete'), usual),
    facts: ['4 lose shop.write'], places: ['resource_server shop /scopes'] },
  { rule: 'those whose role gives them lose the scopes of a resource server that is deleted', before: document(shop, usual), after: document({}, usual),
    facts: ['2 lose shop.delete', '4 lose shop.read', '4 lose shop.write'], places: ['resource_server shop null'] },
  { rule: 'a resource server that requires no roles concerns nobody', before: document(servers('shop?: read write delete'), usual), after: document(servers('shop?: read new'), roles('support: shop.read', 'lead*: shop.new')),
    facts: [], places: [] },
  { rule: 'another name and another description concern nobody', before: document(shop, usual), after: document({ shop: { ...shop.shop, name: 'Another' } }, { ...usual, support: { ...usual.support, name: 'Help', description: 'Note' } }),
    facts: [], places: [] },
]
for (const { rule, before, after, facts, places } of cases)
  test(`a plan says: ${rule}`, async () => {
    await begin(before)
    await give(...held.map((slugs) => slugs.filter((slug) => before.roles[slug])))
    const { checks } = await planTo(live, after)
    assert.deepEqual(factsIn(checks), facts)
    assert.deepEqual(checks.filter(isOfAccess).map(placeOf).sort(), places)
    for (const { level } of checks.filter(isOfAccess)) assert.equal(level, 'warning')
  })

const detailsOf = (checks: readonly PromotionCheck[]) => checks.filter(isOfAccess).map(({ code, detail }) => `${code}: ${detail}`)

test('a warning names the permissions, the resource server and the roles, at most five and three of them', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const api = servers(`api: ${names.join(' ')}`, 'open: read')
  const all = names.map((name) => `api.${name}`).join(' ')
  await begin(document(api, roles(`one: ${all} open.read`, 'two: api.a open.read', 'three: api.a', 'four: api.a')))
  await give(['one', 'two'], ['one'], ['two'], ['three', 'four'])
  const changed = document(servers('api: a b c d e f g', 'open?: read'), roles('one: api.g', 'two: open.read', 'three:', 'four:'))
  assert.deepEqual(detailsOf((await planTo(live, changed)).checks), [
    'people_gain_access: Every user gains "read" of the resource server "open", which requires no roles any more. Apply this only if they should have it.',
    'people_lose_access: 4 users lose "a" of the resource server "api" by the roles "four", "one", "three" and 1 more. Give those who still need it a role that gives it first.',
    'people_lose_access: 2 users lose "b", "c", "d", "e" and "f" of the resource server "api" by the role "one". Give those who still need it a role that gives it first.',
  ])
  const less = document(
    servers(`api: ${names.join(' ')}`, 'open: read'),
    roles('one:', 'two: api.a open.read', 'three: api.a', 'four: api.a'),
  )
  assert.deepEqual(detailsOf((await planTo(live, less)).checks), [
    'people_lose_access: 2 users lose "b", "c", "d", "e" and "f" of the resource server "api" by the role "one". Users lose 3 more permissions. Give those who still need it a role that gives it first.',
  ])
  const closed = document(servers(`api: ${names.join(' ')}`, 'open: read'), roles(`one*: ${all} open.read`))
  await begin(closed)
  await become(live, document(servers(`api: ${names.join(' ')}`, 'open?: read'), roles('one*: api.a')))
  assert.deepEqual(detailsOf((await planTo(live, document(servers('api: a', 'open: read'), roles('one: api.a')))).checks), [
    'people_lose_access: Every user loses "a" of the resource server "api" by the role "one", except those with another role that gives it. Give those who still need it a role that gives it first.',
    'people_lose_access: Every user loses "read" of the resource server "open", except those with a role that gives it. Give those who still need it a role that gives it first.',
  ])
})

test('a promotion warns as a document does, and so does the dry run of its revert', async () => {
  await begin(document(shop, usual))
  await give(...held)
  await become(project.test, document(shop, roles('support: shop.read', 'lead: shop.read shop.write shop.delete')))
  const plan = await planned(upward(project))
  assert.deepEqual(factsIn(plan.checks), ['2 lose shop.write'])
  const { data } = expectStatus(200, await w.call('GET', `${project.path}/promotions?limit=1`))
  assert.equal(data[0].summary.warnings, plan.checks.length)
  await apply(plan)
  const back = expectStatus(200, await step([project, plan.id], 'revert', { dry_run: true }))
  assert.deepEqual(factsIn(back.checks), ['2 gain shop.write'])
})

test('an entry that gave nothing gives something when the role is written again, and the plan says so', async () => {
  await begin(document(shop, usual))
  await give(...held)
  await become(live, document(servers('shop: read delete'), usual))
  const { checks: none } = await planTo(live, document(shop, usual))
  assert.deepEqual(factsIn(none), [], 'a scope that is made again differs from the old one')
  await become(live, document(shop, usual))
  const { checks } = await planTo(live, document(shop, { ...usual, ...roles('support: shop.write shop.read shop.delete') }))
  assert.deepEqual(factsIn(checks), ['2 gain shop.delete', '3 gain shop.write'])
})

test('blocked people are not counted, nor members where no organization exists', async () => {
  await begin(document(shop, usual))
  await give(...held)
  const { key } = await createAuthKey(w, live, 'auth_secret')
  const block = (verb: string) => w.call('POST', `/v1/auth/users/${people[0]?.id}/${verb}`, { key })
  expectStatus(200, await block('block'))
  const less = document(shop, roles('support: shop.read', 'lead: shop.read shop.write shop.delete'))
  assert.deepEqual(factsIn((await planTo(live, less)).checks), ['One lose shop.write'])
  expectStatus(200, await block('unblock'))
  const staff = { staff: { ...roles('staff*: shop.read').staff, kind: 'organization' } }
  await become(live, document(shop, { ...usual, ...staff }))
  assert.deepEqual(factsIn((await planTo(live, document(shop, usual))).checks), [])
})

test('a plan that cannot be applied is counted too', async () => {
  await begin(document(shop, usual))
  await become(project.test, document({ ...shop, ...servers('other: x') }, { ...usual, ...roles('all*: other.x') }))
  const { checks } = await planned(upward(project))
  assert.ok(checks.some(({ code }: PromotionCheck) => code === 'value_required'))
  assert.deepEqual(factsIn(checks), ['Every gain other.x'])
})

test('more than 1,000 people are 1,000 or more', async () => {
  await begin(document(shop, usual))
  await give(...held)
  const { id: role_id } = expectStatus(200, await w.call('GET', `${live.path}/roles?slug=support`)).data[0]
  const id = people[0]?.id ?? ''
  const now = w.now()
  const given = JSON.stringify([role_id])
  const { db } = w.deployment
  for (let n = 0; n < 1_200; n += 100) {
    const ids = Array.from({ length: 100 }, (_, i) => `${id.slice(0, -4)}${String(n + i).padStart(4, '0')}`)
    const users = ids.map((id) => sql`(${live.id}, ${id}, ${id}, ${id}, 0, 0, '{}', ${given}, ${now}, ${now})`)
    const holders = ids.map((id) => sql`(${live.id}, ${role_id}, ${id})`)
    await db.run(sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, roles, created_at, updated_at)
      values ${join(users, ', ')}`)
    await db.run(sql`insert into role_holders (environment_id, role_id, user_id) values ${join(holders, ', ')}`)
  }
  const { checks } = await planTo(live, document(shop, roles('support: shop.read', 'lead: shop.read shop.write')))
  assert.deepEqual(factsIn(checks), ['1,000 or more lose shop.write', '2 lose shop.delete'])
  assert.deepEqual(factsIn((await planned(own(project, { roles: { support: { name: 'Help' } } }))).checks), [])
})

test('members of organizations are counted by the roles of their kind, beside users, where the organization is enabled', async () => {
  const ofMembers = (fields: AccessDocument['roles']) =>
    Object.fromEntries(Object.entries(fields).map(([slug, role]) => [slug, { ...role, kind: 'organization' }]))
  const clerks = ofMembers(roles('clerk: shop.read shop.write', 'boss: shop.write'))
  await begin(document(shop, { ...usual, ...clerks }))
  await give(...held)
  const orgs = await organizationsOf(w, live)
  const [first, second, disabled] = [await orgs.create(), await orgs.create(), await orgs.create()]
  const added: [organization: { id: string }, person: number, roles: string[]][] = [
    [first, 0, ['clerk']],
    [first, 1, ['clerk', 'boss']],
    [second, 0, ['clerk']],
    [second, 2, []],
    [disabled, 3, ['clerk']],
  ]
  for (const [{ id }, person, given] of added) expectStatus(201, await orgs.add(id, people[person]?.id ?? '', given))
  expectStatus(200, await orgs.auth('PATCH', `organizations/${disabled.id}`, { disabled: true }))
  const detailsOf = async (after: AccessDocument) =>
    (await planTo(live, after)).checks.filter(isOfAccess).map(({ slug, detail }: PromotionCheck) => `${slug}: ${detail.split('.')[0]}`)
  const less = { ...usual, ...ofMembers(roles('clerk: shop.read', 'boss: shop.write')) }
  assert.deepEqual(await detailsOf(document(shop, less)), [
    'clerk: 2 members of organizations lose "write" of the resource server "shop" by the role "clerk"',
  ])
  const everyone = { ...usual, ...clerks, ...ofMembers(roles('basic*: shop.delete')) }
  assert.deepEqual(await detailsOf(document(shop, everyone)), [
    'basic: Every member of an organization gains "delete" of the resource server "shop" by the role "basic"',
  ])
  const open = { ...usual, ...clerks }
  const both = (await planTo(live, document(servers('shop?: read write delete'), open))).checks.filter(isOfAccess)
  assert.deepEqual(
    both.map(({ detail }: PromotionCheck) => /^Every (user|member)/.exec(detail)?.[1]),
    ['user', 'member'],
  )
})

test('where an organization becomes required, a plan says that people without one lose access', async () => {
  await begin(document(shop, {}))
  const after = document({ shop: { ...shop.shop, organizations: 'required' } }, {})
  const { checks } = await planTo(live, after)
  const [warning, ...others] = checks.filter(isOfAccess)
  assert.deepEqual(others, [])
  assert.equal(placeOf(warning), 'resource_server shop /organizations')
  assert.match(warning.detail, /^People who act for no organization/)
})
