/** Organizations and members when many callers arrive together, and when one of either goes meanwhile (decision 0177). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { createHolderWalk } from '../../src/domain/roles/holders.ts'
import { holdEndings, rowsFollowed } from '../support/endings.ts'
import { organizationsOf } from '../support/organizations.ts'
import { amidBatch, overlapping } from '../support/overlapping-batches.ts'
import { mostRowsOfStatement } from '../support/slices.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const limits = { organizations: 6, members_per_organization: 4, organizations_per_user: 3 }
const w = await world({ env: { OSTIARY_LIMITS: JSON.stringify(limits) } })
const { db } = w.deployment

const Count = z.object({ n: z.int() })
const count = async (query: Statement): Promise<number> => (await db.maybeOne(Count, query))?.n ?? 0
const withLimits = (changed: Partial<typeof limits>) => Object.assign(w.deployment.config.limits, limits, changed)
const roomy = { organizations: 100_000, members_per_organization: 100_000, organizations_per_user: 5_000 }

/** An environment of its own, where nothing was made. */
let projects = 0
const fresh = async () => {
  const { test } = await w.createProject(`race-${++projects}`)
  return { environment: test, ...(await organizationsOf(w, test)) }
}

/** Asserts that one reply has the status, and every other one is refused with the code. */
function exactlyOne(replies: readonly Reply[], status: number, code: string): void {
  const created = replies.filter((reply) => reply.status === status)
  assert.equal(created.length, 1, JSON.stringify(replies.map(({ status, body }) => [status, body.code])))
  for (const { body } of replies.filter((reply) => !created.includes(reply))) assert.equal(body.code, code)
}

const parallel = (call: (n: number) => Promise<Reply>) => () => Array.from({ length: 50 }, (_, n) => call(n))

test('of 50 parallel creations of organizations with room for one, exactly one succeeds, and one more after a deletion', async () => {
  const { environment, auth, create } = await fresh()
  const made = [await create(), await create(), await create(), await create(), await create()]
  const another = () =>
    overlapping(
      w,
      parallel((n) => auth('POST', 'organizations', { name: `Racer ${n}` })),
    )
  exactlyOne(await another(), 201, 'quota_exceeded')
  assert.equal((await auth('DELETE', `organizations/${made[0]?.id}`)).status, 204)
  exactlyOne(await another(), 201, 'quota_exceeded')
  assert.equal(await count(sql`select count(*) as n from organizations where environment_id = ${environment.id}`), 6)
})

test('of 50 parallel additions of members with room for one, exactly one succeeds, and the count is exact', async () => {
  withLimits({ organizations: 100 })
  const { auth, add, create, read, user, remove } = await fresh()
  const organization = await create()
  const people = await Promise.all(Array.from({ length: 53 }, () => user()))
  for (const { id } of people.slice(50)) expectStatus(201, await add(organization.id, id))
  exactlyOne(
    await overlapping(
      w,
      parallel((n) => add(organization.id, people[n]?.id ?? '')),
    ),
    201,
    'quota_exceeded',
  )
  assert.equal((await read(organization.id)).member_count, 4)
  assert.equal(expectStatus(200, await auth('GET', `organizations/${organization.id}/members`)).data.length, 4)
  assert.equal((await remove(organization.id, people[50]?.id ?? '')).status, 204)
  const removals = await overlapping(
    w,
    parallel(() => remove(organization.id, people[51]?.id ?? '')),
  )
  exactlyOne(removals, 204, 'not_found')
  assert.equal((await read(organization.id)).member_count, 2)
})

test('of 50 parallel additions of one user, one succeeds in an organization, and as many as the limit in all', async () => {
  withLimits({ organizations: 100 })
  const { auth, add, create, read, user } = await fresh()
  const person = await user()
  const one = await create()
  exactlyOne(
    await overlapping(
      w,
      parallel(() => add(one.id, person.id)),
    ),
    201,
    'already_member',
  )
  assert.equal((await read(one.id)).member_count, 1)
  const others = await Promise.all(Array.from({ length: 50 }, () => create()))
  const replies = await overlapping(
    w,
    parallel((n) => add(others[n]?.id ?? '', person.id)),
  )
  assert.equal(replies.filter(({ status }) => status === 201).length, limits.organizations_per_user - 1)
  for (const { body } of replies.filter(({ status }) => status !== 201)) {
    assert.equal(body.code, 'quota_exceeded')
    assert.match(body.detail, /^The limit is 3 .*\(organizations_per_user\)/)
  }
  assert.equal(expectStatus(200, await auth('GET', `users/${person.id}/organizations`)).data.length, 3)
  const refused = await auth('POST', 'organizations', { name: 'Full', members: [{ user_id: person.id }] })
  assert.deepEqual([refused.status, refused.body.code], [422, 'quota_exceeded'])
})

test('more first members than an organization can have are refused, and no organization is made', async () => {
  withLimits({})
  const { auth, user } = await fresh()
  const members = await Promise.all(Array.from({ length: 5 }, async () => ({ user_id: (await user()).id })))
  const refused = await auth('POST', 'organizations', { name: 'Full', members })
  assert.deepEqual([refused.status, refused.body.code], [422, 'quota_exceeded'])
  assert.match(refused.body.detail, /\(members_per_organization\)/)
  assert.deepEqual(expectStatus(200, await auth('GET', 'organizations')).data, [])
})

test('of 50 parallel organizations with one external id, and of 50 changes to it, one gets it', async () => {
  withLimits(roomy)
  const { auth, create } = await fresh()
  const created = await overlapping(
    w,
    parallel((n) => auth('POST', 'organizations', { name: `Racer ${n}`, external_id: 'one' })),
  )
  exactlyOne(created, 201, 'identifier_taken')
  const others = await Promise.all(Array.from({ length: 50 }, () => create()))
  const changed = await overlapping(
    w,
    parallel((n) => auth('PATCH', `organizations/${others[n]?.id}`, { external_id: 'two' })),
  )
  exactlyOne(changed, 200, 'identifier_taken')
})

test('50 parallel members with roles are all added, and each event counts the administrators of its moment', async () => {
  withLimits(roomy)
  const { environment, add, create, role, user } = await fresh()
  await role('owner', { administers: true })
  const organization = await create()
  const people = await Promise.all(Array.from({ length: 50 }, () => user()))
  const replies = await overlapping(
    w,
    parallel((n) => add(organization.id, people[n]?.id ?? '', ['owner'])),
  )
  for (const reply of replies) expectStatus(201, reply)
  const Event = z.object({ data: z.object({ administrators: z.int() }) })
  const events = await db.all(
    Event,
    sql`select data from events where environment_id = ${environment.id} and type = 'organization_member.added'`,
  )
  const numbers = events.map(({ data }) => data.administrators).sort((a, b) => a - b)
  assert.deepEqual(
    numbers,
    Array.from({ length: 50 }, (_, n) => n + 1),
  )
})

for (const gone of ['organization', 'user'] as const)
  for (const first of ['the addition', 'the deletion'] as const)
    test(`${first} comes first where a member is added while the ${gone} is deleted, and nothing is left`, async () => {
      withLimits(roomy)
      const { environment, auth, add, create, user } = await fresh()
      const [organization, person] = [await create(), await user()]
      const addition = () => add(organization.id, person.id)
      const deletion = () =>
        gone === 'organization' ? auth('DELETE', `organizations/${organization.id}`) : auth('DELETE', `users/${person.id}`)
      const is_first = first === 'the addition'
      const [one, other] = is_first ? [addition, deletion] : [deletion, addition]
      const lock = 'lock table audit_log in share row exclusive mode'
      const [early, ...late] = await amidBatch(w, lock, one, () => [other(), other()])
      const [added, deleted] = is_first ? [[early], late] : [late, [early]]
      assert.deepEqual(statusesOf(deleted), is_first ? [204, 404] : [204])
      const refused = gone === 'organization' ? 404 : 422
      if (db.engine === 'postgres') assert.deepEqual(statusesOf(added), is_first ? [201] : [refused, refused])
      else for (const { status } of added) assert.ok([201, 409, refused].includes(status)) // in the order of what their calls read before
      await rowsFollowed(db)
      assert.equal(await count(sql`select count(*) as n from organization_members where environment_id = ${environment.id}`), 0)
      if (gone === 'user') assert.equal(expectStatus(200, await auth('GET', `organizations/${organization.id}`)).member_count, 0)
      else assert.equal(await count(sql`select organization_count as n from users where id = ${person.id}`), 0)
    })

const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort((a, b) => a - b)

/** The id of the i-th row. */
const id = (prefix: 'org' | 'usr') => sql`cast(${`${prefix}_01m7wwr5ftevtv5yxb`} as text) || cast(10000000 + i as text)`

/** Inserts members, or memberships of one user, as additions would. */
async function insertMany(environment_id: string, of: { organization_id: string } | { user_id: string }, rows: number) {
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})`
  const [organization_id, user_id] = 'user_id' in of ? [id('org'), sql`${of.user_id}`] : [sql`${of.organization_id}`, id('usr')]
  const missing =
    'user_id' in of
      ? sql`insert into organizations (environment_id, id, slug, name, metadata, claims, disabled, member_count, memberships, created_at, updated_at)
          ${numbers} select ${environment_id}, ${id('org')}, 'org-' || i, 'Many', '{}', '{}', 0, 1, 1, 0, 0 from n`
      : sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, organization_count, created_at, updated_at)
          ${numbers} select ${environment_id}, ${id('usr')}, 'many' || i || '@example.com', 'many' || i, 0, 0, '{}', 1, 0, 0 from n`
  const counter =
    'user_id' in of
      ? sql`update users set organization_count = organization_count + ${rows} where environment_id = ${environment_id} and id = ${of.user_id}`
      : sql`update organizations set member_count = member_count + ${rows}, memberships = memberships + ${rows}
             where environment_id = ${environment_id} and id = ${of.organization_id}`
  const members = sql`insert into organization_members (environment_id, organization_id, user_id, membership, roles, created_at, updated_at)
    ${numbers} select ${environment_id}, ${organization_id}, ${user_id}, i, '[]', 0, 0 from n`
  for (const statement of [missing, counter, members]) await db.batch([{ ...sql``, parts: statement.parts, values: statement.values }])
}

test('an organization of many members is gone at once, and the worker deletes the rows in slices, even after a crash', async () => {
  withLimits(roomy)
  const { environment, auth, create } = await fresh()
  const organization = await create()
  await insertMany(environment.id, { organization_id: organization.id }, 650)
  assert.equal(expectStatus(200, await auth('GET', `organizations/${organization.id}`)).member_count, 650)
  const held = holdEndings(db)
  const most = await mostRowsOfStatement(db, async () =>
    assert.equal((await auth('DELETE', `organizations/${organization.id}`)).status, 204),
  )
  assert.equal(most, 1)
  const left = () => count(sql`select count(*) as n from organization_members where organization_id = ${organization.id}`)
  assert.equal(await left(), 650)
  assert.deepEqual(expectStatus(200, await auth('GET', 'users/usr_01m7wwr5ftevtv5yxb10000001/organizations')).data, [])
  assert.equal((await auth('GET', `organizations/${organization.id}/members`)).status, 404)
  const slices = await mostRowsOfStatement(db, async () => {
    held.allow(Number.MAX_SAFE_INTEGER)
    await rowsFollowed(db)
  })
  held.goOn()
  assert.ok(slices <= 200, `${slices} rows in one statement`)
  assert.equal(await left(), 0)
  assert.equal(await count(sql`select count(*) as n from users where environment_id = ${environment.id} and organization_count <> 0`), 0)
})

test('a deleted user leaves every organization at once, and counts and limits do not wait for the rows', async () => {
  withLimits({ ...roomy, members_per_organization: 1, organizations_per_user: 2 })
  const { environment, auth, add, create, read, user } = await fresh()
  const [leaving, staying] = [await user(), await user()]
  const [one, two, three] = [await create(), await create(), await create()]
  expectStatus(201, await add(one.id, leaving.id))
  for (const { id } of [two, three]) expectStatus(201, await add(id, staying.id))
  await insertMany(environment.id, { user_id: leaving.id }, 450)
  const held = holdEndings(db)
  assert.equal((await add(one.id, staying.id)).body.code, 'quota_exceeded')
  assert.equal((await auth('DELETE', `users/${leaving.id}`)).status, 204)
  assert.equal((await auth('DELETE', `organizations/${two.id}`)).status, 204)
  assert.equal((await read(one.id)).member_count, 0)
  const { data } = expectStatus(200, await auth('GET', 'organizations?slug=org-7'))
  assert.equal(data[0].member_count, 0)
  expectStatus(201, await add(one.id, staying.id))
  assert.equal((await read(one.id)).member_count, 1)
  held.goOn()
  await rowsFollowed(db)
  assert.equal((await read(one.id)).member_count, 1)
  assert.equal(await count(sql`select organization_count as n from users where id = ${staying.id}`), 2)
  assert.equal(await count(sql`select count(*) as n from organization_members where user_id = ${leaving.id}`), 0)
  assert.equal(await count(sql`select sum(member_count) as n from organizations where environment_id = ${environment.id}`), 2)
})

test('a worker deletes the holders of a deleted role', async () => {
  withLimits(roomy)
  const { environment, add, create, role, user } = await fresh()
  const [gone, kept] = [await role('gone'), await role('kept')]
  const organization = await create()
  for (let n = 0; n < 3; n++) expectStatus(201, await add(organization.id, (await user()).id, ['gone', 'kept']))
  assert.equal((await w.call('DELETE', `${environment.path}/roles/${gone}`)).status, 204)
  await createHolderWalk(w.deployment, () => false).work()
  const of = (id: string) => count(sql`select count(*) as n from organization_role_holders where role_id = ${id}`)
  assert.deepEqual([await of(gone), await of(kept)], [0, 3])
})
