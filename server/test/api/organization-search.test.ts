/** The searches for organizations and members read a bounded number of rows in one call. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Statement, sql } from '../../src/db/db.ts'
import { createIndexWalk } from '../../src/domain/users/index-walk.ts'
import { organizationsOf } from '../support/organizations.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const { create } = await organizationsOf(w, w.test)

const read_at_most = 10_000
const rows = read_at_most + 600
const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})`
const id = (prefix: 'org' | 'usr') => sql`cast(${`${prefix}_01m7wwr5ftevtv5yxb`} as text) || cast(10000000 + i as text)`
const insert = ({ parts, values }: Statement) => db.batch([{ ...sql``, parts, values }])
const read = async (path: string, cursor?: string) =>
  expectStatus(200, await w.call('GET', `${w.test.path}/${path}${cursor ? `&cursor=${cursor}` : ''}`))

test('a search reads at most 10,000 organizations in one call, and its cursor continues from there', async () => {
  await insert(sql`insert into organizations (environment_id, id, slug, name, metadata, claims, disabled, created_at, updated_at)
    ${numbers} select ${w.test.id}, ${id('org')}, 'org-' || i, case when i = 1 then 'Wanted' else 'Other' end, '{}', '{}', 0, 0, 0 from n`)
  const first = await read('organizations?query=wanted')
  assert.deepEqual([first.data, first.has_more], [[], true])
  const second = await read('organizations?query=wanted', first.next_cursor)
  assert.deepEqual([second.data.map(({ slug }: { slug: string }) => slug), second.has_more], [['org-1'], false])
  assert.equal((await w.call('GET', `${w.test.path}/organizations?query=other&cursor=${first.next_cursor}`)).body.code, 'invalid_cursor')
})

test('a search of members is bounded with the index of users and without, for a role and for all, and its cursor continues', async () => {
  const organization = await create()
  const role = { slug: 'clerk', name: 'Clerk', kind: 'organization' }
  const role_id = expectStatus(201, await w.call('POST', `${w.test.path}/roles`, { body: role })).id
  await insert(sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, name, metadata, created_at, updated_at)
    ${numbers} select ${w.test.id}, ${id('usr')}, 'p' || i || '@example.com', 'p' || i || '@example.com', 0, 0,
      case when i <= 2500 then 'Early' end, '{}', 0, 0 from n`)
  await insert(sql`insert into organization_members (environment_id, organization_id, user_id, membership, roles, created_at, updated_at)
    ${numbers} select ${w.test.id}, ${organization.id}, ${id('usr')}, i, ${[role_id]}, 0, 0 from n`)
  await insert(sql`insert into organization_role_holders (environment_id, role_id, organization_id, membership, user_id)
    ${numbers} select ${w.test.id}, ${role_id}, ${organization.id}, i, ${id('usr')} from n`)
  const listOf = (query: string) => `organizations/${organization.id}/members?query=${query}`
  await db.batch([sql`delete from deployment where name = 'user_search'`])
  for (const filter of ['', '&role=clerk']) {
    const path = listOf(`p1@${filter}`)
    const first = await read(path)
    assert.deepEqual([first.data, first.has_more], [[], true])
    const second = await read(path, first.next_cursor)
    assert.deepEqual(
      [second.data.map(({ email, roles }: { email: string; roles: string[] }) => [email, roles]), second.has_more],
      [[['p1@example.com', ['clerk']]], false],
    )
  }

  await createIndexWalk(w.deployment).finish()
  const found = async (query: string, cursor?: string) => {
    const { data, has_more, next_cursor } = await read(listOf(query), cursor)
    return { emails: data.map(({ email }: { email: string }) => email), has_more, next_cursor }
  }
  for (const filter of ['', '&role=clerk']) {
    const one = await found(`p1@${filter}`)
    assert.deepEqual([one.emails, one.has_more], [['p1@example.com'], false], 'few users have the word')
    assert.deepEqual((await found(`nobody${filter}`)).emails, [])
    const parts = [await found(`early&limit=1${filter}`)]
    while (parts.at(-1)?.has_more && parts.length < 5) parts.push(await found(`early&limit=1${filter}`, parts.at(-1)?.next_cursor))
    assert.deepEqual(
      parts.map(({ emails }) => emails),
      [[], [], ['p2500@example.com'], ['p2499@example.com'], ['p2498@example.com']],
      'many have it, but not the 4,000 members whom a call looks at',
    )
  }
})
