/** Migration 0009 with rows of the old schema, on both engines: new invitations, deleted accounts, and ended links. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { z } from 'zod'
import { createDb, type Db, type Statement, sql } from '../src/db/db.ts'
import { migrate, readMigrations } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { findByLink } from '../src/domain/members/invitations.ts'
import { dropDatabase, freshDatabase, noPostgres } from './support/postgres.ts'

const engines = {
  sqlite: {
    skip: false,
    async fresh() {
      const folder = mkdtempSync(join(tmpdir(), 'ostiary-migration-'))
      after(() => rmSync(folder, { recursive: true, force: true }))
      return createDb(openSqlite(join(folder, 'ostiary.db')))
    },
  },
  postgres: {
    skip: noPostgres,
    async fresh() {
      const url = await freshDatabase()
      after(() => dropDatabase(url))
      return createDb(openPostgres(url))
    },
  },
}

const now = new Date('2026-11-20T12:00:00.000Z')
const [day, joined] = [86_400_000, new Date(now.getTime() - 86_400_000)]

const tenant = (id: string, slug: string) =>
  sql`insert into tenants (id, slug, name, created_at, updated_at) values (${id}, ${slug}, ${slug}, ${now}, ${now})`
const environment = (tenant_id: string, project_id: string, id: string) => [
  sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at)
      values (${tenant_id}, ${project_id}, 'p', 'p', ${now}, ${now})`,
  sql`insert into environments (tenant_id, project_id, id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
      values (${tenant_id}, ${project_id}, ${id}, 'live', 'Live', 'live', 'https://id.example.com', ${now}, ${now}, ${now})`,
]
interface OldUser {
  environment?: string
  password?: string
  signed_in?: Date
  verified?: boolean
}
const user = (id: string, { environment: environment_id = 'env_root', password, signed_in, verified = false }: OldUser = {}) =>
  sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, password_hash,
        last_sign_in_at, created_at, updated_at)
      values (${environment_id}, ${id}, ${`${id}@Example.com`}, ${`${id}@example.com`}, ${verified}, 0, '{}', ${password ?? null}, ${signed_in ?? null}, ${now}, ${now})`
const member = (tenant_id: string, user_id: string, role: string) =>
  sql`insert into members (tenant_id, user_id, role, version, created_at, updated_at)
      values (${tenant_id}, ${user_id}, ${role}, 3, ${joined}, ${now})`
const link = (token_hash: string, user_id: string, expires_at: Date, spent_by: string | null) =>
  sql`insert into invitations (environment_id, token_hash, user_id, expires_at, spent_by)
      values ('env_root', ${token_hash}, ${user_id}, ${expires_at}, ${spent_by})`
const created = (id: string, user_id: string, method: string) =>
  sql`insert into events (environment_id, id, type, created_at, actor_type, user_id, data)
      values ('env_root', ${id}, 'user.created', ${now}, 'user', ${user_id}, ${{ email: `${user_id}@example.com`, method }})`

const old_rows: Statement[] = [
  ...[tenant('ten_root', 'ostiary'), tenant('ten_a', 'a'), tenant('ten_b', 'b')],
  ...environment('ten_root', 'prj_root', 'env_root'),
  ...environment('ten_a', 'prj_a', 'env_a'),
  user('usr_owner', { password: 'hash', signed_in: now, verified: true }),
  user('usr_invited'),
  user('usr_both'),
  user('usr_passworded', { password: 'hash', verified: true }),
  user('usr_long_ago', { password: 'hash', signed_in: now, verified: true }),
  user('usr_no_password', { signed_in: now }),
  user('usr_provider'),
  user('usr_removed'),
  user('usr_customer', { environment: 'env_a' }),
  sql`insert into identities (environment_id, provider_id, subject, user_id, created_at)
      values ('env_root', 'prv_1', 's', 'usr_provider', ${now})`,
  member('ten_a', 'usr_owner', 'owner'),
  member('ten_a', 'usr_invited', 'admin'),
  member('ten_a', 'usr_both', 'viewer'),
  member('ten_b', 'usr_both', 'owner'),
  member('ten_b', 'usr_passworded', 'viewer'),
  member('ten_b', 'usr_no_password', 'viewer'),
  member('ten_b', 'usr_provider', 'viewer'),
  link('open', 'usr_invited', new Date(now.getTime() + day), null),
  link('spent', 'usr_passworded', new Date(now.getTime() + day), 'attempt'),
  created('evt_1', 'usr_owner', 'bootstrap'),
  created('evt_2', 'usr_long_ago', 'invitation'),
]

const Id = z.object({ id: z.string() })
const ids = async (db: Db, query: Statement) => (await db.all(Id, query)).map(({ id }) => id)
const Invitation = z.object({
  tenant_id: z.string(),
  id: z.string(),
  email: z.string(),
  role: z.string(),
  inviter_id: z.string().nullable(),
  token_hash: z.string().nullable(),
  expires_at: z.date().nullable(),
  created_at: z.date(),
})

for (const [name, { skip, fresh }] of Object.entries(engines))
  test(`members who never used their account become invitations without a link, and every old link ends: ${name}`, { skip }, async () => {
    const db = await fresh()
    const before = readMigrations().filter(({ number }) => number < 9)
    const through_0009 = readMigrations().filter(({ number }) => number <= 9)
    await migrate(db, before)
    await db.batch(old_rows)
    await migrate(db, through_0009)

    const invited = { inviter_id: null, token_hash: null, expires_at: null, created_at: joined }
    assert.deepEqual(
      await db.all(
        Invitation,
        sql`select tenant_id, id, email, role, inviter_id, token_hash, expires_at, created_at from invitations order by tenant_id, id`,
      ),
      [
        { tenant_id: 'ten_a', id: 'inv_both', email: 'usr_both@Example.com', role: 'viewer', ...invited },
        { tenant_id: 'ten_a', id: 'inv_invited', email: 'usr_invited@Example.com', role: 'admin', ...invited },
        { tenant_id: 'ten_b', id: 'inv_both', email: 'usr_both@Example.com', role: 'owner', ...invited },
      ],
    )
    assert.deepEqual(await ids(db, sql`select tenant_id || ' ' || user_id as id from members order by tenant_id, user_id`), [
      'ten_a usr_owner',
      'ten_b usr_no_password',
      'ten_b usr_passworded',
      'ten_b usr_provider',
    ])
    assert.deepEqual(await ids(db, sql`select id from users order by id`), [
      'usr_customer',
      'usr_long_ago',
      'usr_no_password',
      'usr_owner',
      'usr_passworded',
      'usr_provider',
    ])
    assert.deepEqual(await ids(db, sql`select id from users where email_verified = 1`), ['usr_owner'])
    assert.deepEqual(await Promise.all(['open', 'spent', 'never'].map((hash) => findByLink(db, 'env_root', hash, now))), [
      'ended',
      'ended',
      'unknown',
    ])
    await db.close()
  })
