/**
 * No statement about the members of an organization reads or sorts all of a large one, nor all memberships of a person in very many. Each engine
 * would do so for the first page of a list, where nothing but the limit bounds it (decision 0181).
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { createDb, type Db, rowOf, rowsOf, type Statement, sql } from '../src/db/db.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import * as members from '../src/domain/organizations/members.ts'
import * as memberships from '../src/domain/organizations/memberships.ts'
import * as organizations from '../src/domain/organizations/store.ts'
import { withMethods } from './support/db-methods.ts'
import { environment_rows, run } from './support/plain-batch.ts'
import { freshDatabase, noPostgres, runCommand, without_autovacuum } from './support/postgres.ts'

const environment_id = 'e' as EnvironmentId // as: an id of this test
const large = 'large'
const person = 'person'
const count = 3_000
const limit = 21
const of_large = { organization_id: large, role: undefined }
const with_role = { organization_id: large, role: 'all' }
const first = { last: null, limit }
const middle = { last: String(count / 2), limit }
const end = { last: '10', limit }
const everything = { slug: undefined, external_id: undefined }
const some_users = Array.from({ length: limit }, (_, n) => `u${String(7 + 100 * n).padStart(5, '0')}`)
const words = ['u']
const idOf = (n: number) => `o${String(n).padStart(5, '0')}`

type Use = [what: string, ask: (db: Db) => Promise<unknown>]

// biome-ignore format: this table is read by column
const uses: Use[] = [
  ['organizations',                            (db) => organizations.listOrganizations(db, environment_id, everything, first)],
  ['organizations, in the middle',             (db) => organizations.listOrganizations(db, environment_id, everything, { last: idOf(count / 2), limit })],
  ['the names of organizations',               (db) => organizations.findOrganizationNames(db, environment_id, everything, first)],
  ['members',                                  (db) => members.listMembers(db, environment_id, of_large, first)],
  ['members, in the middle',                   (db) => members.listMembers(db, environment_id, of_large, middle)],
  ['members, at the end',                      (db) => members.listMembers(db, environment_id, of_large, end)],
  ['members with a role',                      (db) => members.listMembers(db, environment_id, with_role, first)],
  ['members with a role, in the middle',       (db) => members.listMembers(db, environment_id, with_role, middle)],
  ['members with a role, at the end',          (db) => members.listMembers(db, environment_id, with_role, end)],
  ['members with a role of nobody',            (db) => members.listMembers(db, environment_id, { ...with_role, role: 'none' }, first)],
  ['the names of members',                     (db) => members.findMemberNames(db, environment_id, of_large, first)],
  ['the names of members, in the middle',      (db) => members.findMemberNames(db, environment_id, of_large, middle)],
  ['the names of members with a role',         (db) => members.findMemberNames(db, environment_id, with_role, first)],
  ['members among some users',                 (db) => members.findMembersAmong(db, environment_id, { ...of_large, user_ids: some_users }, first)],
  ['members with a role among some users',     (db) => members.findMembersAmong(db, environment_id, { ...with_role, user_ids: some_users }, first)],
  ['members by words, among the next',         (db) => members.findMembersAmongNext(db, environment_id, { ...of_large, words }, { ...first, looked_at: limit })],
  ['members with a role, by words',            (db) => members.findMembersAmongNext(db, environment_id, { ...with_role, words }, { ...middle, looked_at: limit })],
  ['a member',                                 (db) => members.findMember(db, { environment_id, organization_id: large, user_id: 'u00007' })],
  ['some members',                             (db) => members.findMembers(db, environment_id, large, some_users)],
  ['the organizations of a user',              (db) => members.listOrganizationsOf(db, environment_id, person, first)],
  ['the organizations of a user, in the middle', (db) => members.listOrganizationsOf(db, environment_id, person, { last: idOf(count / 2), limit })],
  ['the memberships of the account page',      (db) => members.listMembershipsOf(db, environment_id, person, first)],
  ['whether a user has several organizations', (db) => memberships.findTwoMemberships(db, { environment_id, id: person })],
  ['the membership of a user',                 (db) => memberships.findMembershipIn(db, { environment_id, id: person }, 'customer-7')],
]
/** Each row of a page is joined with its user, organization, environment and roles; a condition reads one more. */
const most_rows = 16 * limit

async function fill(db: Db): Promise<void> {
  await run(db, ...environment_rows)
  const numbers = sql`with recursive numbers (i) as (select cast(1 as bigint) union all select i + 1 from numbers where i < ${count}) select i from numbers`
  const id = (prefix: string) => sql`${prefix} || substr('00000' || n.i, length('00000' || n.i) - 4)`
  const organization = (key: Statement, name: Statement, from: Statement) => sql`
    insert into organizations (environment_id, id, slug, name, metadata, claims, disabled, created_at, updated_at)
      select ${environment_id}, ${key}, ${name}, ${name}, '{}', '{}', 0, 0, 0 ${from}`
  const user = (key: Statement, from: Statement) => sql`
    insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, created_at, updated_at)
      select ${environment_id}, ${key}, ${key}, ${key}, 1, 0, '{}', 0, 0 ${from}`
  const of_numbers = sql`from (${numbers}) n`
  const statements = [
    organization(id('o'), sql`'customer-' || n.i`, of_numbers),
    organization(sql`cast(${large} as text)`, sql`cast(${large} as text)`, sql``),
    user(id('u'), of_numbers),
    user(sql`cast(${person} as text)`, sql``),
    sql`insert into user_texts (environment_id, user_id, words) select environment_id, id, ${'\n'} || id || ${'\n'} from users`,
    ...['all', 'none'].map(
      (slug) => sql`insert into roles (environment_id, id, slug, kind, name, "default", administers, permissions, created_at, updated_at)
        values (${environment_id}, ${slug}, ${slug}, 'organization', ${slug}, 0, 0, '[]', 0, 0)`,
    ),
    sql`insert into organization_members (environment_id, organization_id, user_id, membership, roles, created_at, updated_at)
      select ${environment_id}, ${large}, ${id('u')}, n.i, '["all"]', 0, 0 ${of_numbers}`,
    sql`insert into organization_role_holders (environment_id, role_id, organization_id, membership, user_id)
      select ${environment_id}, 'all', ${large}, n.i, ${id('u')} ${of_numbers}`,
    sql`insert into organization_members (environment_id, organization_id, user_id, membership, roles, created_at, updated_at)
      select ${environment_id}, ${id('o')}, ${person}, 1, '[]', 0, 0 ${of_numbers}`,
  ]
  for (const statement of statements) await db.batch([statement]) // a batch has two seconds
}

/** The statements that a use sends. */
async function statementsOf(db: Db, [, ask]: Use): Promise<Statement[]> {
  const sent: Statement[] = []
  const recording = withMethods(db, ({ all, maybeOne }) => ({
    all(schema, statement) {
      sent.push(statement)
      return all(schema, statement)
    },
    maybeOne(schema, statement) {
      sent.push(statement)
      return maybeOne(schema, statement)
    },
  }))
  await ask(recording)
  assert.ok(sent.length > 0)
  return sent
}

const folder = mkdtempSync(join(tmpdir(), 'ostiary-organization-plans-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const Step = z.object({ detail: z.string() })
/** A scan of rows that a step before it found, and the order of the few roles of one member. */
const harmless = /^SCAN listed$|^USE TEMP B-TREE FOR string_agg/
const sorting = 'USE TEMP B-TREE FOR ORDER BY'

// The service gathers no statistics there.
test('SQLite finds members and memberships by indexes and in their order', async () => {
  const db = createDb(openSqlite(join(folder, 'ostiary.db')))
  after(() => db.close())
  await migrate(db)
  await fill(db)
  for (const use of uses)
    for (const statement of await statementsOf(db, use)) {
      const steps = rowsOf(Step, (await run(db, sql`explain query plan ${statement}`))?.[0]).map(({ detail }) => detail)
      const sorts_few = / in \(/.test(statement.parts.join('?')) // as many as are named
      assert.deepEqual(
        steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step) && !harmless.test(step) && !(sorts_few && step === sorting)),
        [],
        `${use[0]}\n${steps.join('\n')}`,
      )
    }
})

const Fetched = z.object({ fetched: z.int() })

// A server analyses a table that grew within a minute. Before that it may take a large organization for a small one. It also vacuums it, which makes
// indexes cheaper for it.
for (const state of ['prepared on empty tables and analysed since', 'with statistics', 'vacuumed'])
  test(`PostgreSQL reads a few rows for members and memberships, ${state}`, { skip: noPostgres }, async () => {
    const url = await freshDatabase()
    const db = createDb(openPostgres(url, { connections: 1 }))
    after(() => db.close())
    await migrate(db)
    await runCommand(url, without_autovacuum)
    if (state.startsWith('prepared')) for (const use of uses) for (let time = 0; time < 10; time++) await use[1](db)
    await fill(db)
    await runCommand(url, state === 'vacuumed' ? 'vacuum analyze' : 'analyze')
    const rows_read = sql`select coalesce(sum(idx_tup_fetch + seq_tup_read), 0) as fetched from pg_stat_xact_user_tables`
    for (const use of uses)
      for (const statement of await statementsOf(db, use))
        for (let time = 0; time < 10; time++) {
          const [before, , later] = (await run(db, rows_read, statement, rows_read)) ?? []
          const fetched = (rowOf(Fetched, later)?.fetched ?? Number.NaN) - (rowOf(Fetched, before)?.fetched ?? Number.NaN)
          assert.ok(fetched <= most_rows, `${fetched} rows for ${use[0]}: ${statement.parts.join('?')}`)
        }
  })
