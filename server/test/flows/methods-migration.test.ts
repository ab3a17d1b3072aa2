/** Migration 0018 on a database with older accounts: identities get ids, and sessions and grants the method they began with. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { MethodId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { createIds } from '../../src/base/ids.ts'
import { sql } from '../../src/db/db.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { listMethods, passwordMethod } from '../../src/domain/accounts/methods.ts'
import { emptyDatabase } from '../support/empty-database.ts'

const BeganWith = z.object({ id: z.string(), began_with: z.string().nullable() })

test('every older identity gets an id of its own, and password sessions and grants the method of the password', async () => {
  const db = await emptyDatabase()
  const all = readMigrations()
  await migrate(
    db,
    all.filter(({ number }) => number < 18),
  )
  const at = new Date(1_800_000_000_000)
  let seed = 0
  const newId = createIds(
    () => at,
    (bytes) => Uint8Array.from({ length: bytes }, () => ++seed * 73),
  )
  const environment_id = newId('env') as EnvironmentId // as: newId gives exactly this
  const users = [newId('usr'), newId('usr')]
  const providers = [newId('prv'), newId('prv')]
  await db.batch([
    sql`insert into tenants (id, slug, name, created_at, updated_at) values ('ten_1', 'acme', 'Acme', ${at}, ${at})`,
    sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_1', 'prj_1', 'shop', 'Shop', ${at}, ${at})`,
    sql`insert into environments (id, tenant_id, project_id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
        values (${environment_id}, 'ten_1', 'prj_1', 'test', 'Test', 'test', 'http://localhost/e/env_1', ${at}, ${at}, ${at})`,
    ...providers.map(
      (id) => sql`insert into providers (environment_id, id, slug, type, display_name, issuer, client_id, scopes, enabled,
            link_by_verified_email, created_at, updated_at)
          values (${environment_id}, ${id}, ${`company-${id}`}, 'oidc', 'Company', 'https://sso.example.com', 'c', '[]', 1, 0, ${at}, ${at})`,
    ),
    ...users.flatMap((user_id, n) => [
      sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, password_hash, created_at, updated_at)
          values (${environment_id}, ${user_id}, ${`${n}@a.example`}, ${`${n}@a.example`}, 1, 0, '{}', ${n === 0 ? 'hash' : null}, ${at}, ${at})`,
      ...providers.flatMap((provider_id) =>
        ['one', 'two', 'three'].map(
          (subject) => sql`insert into identities (environment_id, provider_id, issuer, subject, user_id, created_at)
            values (${environment_id}, ${provider_id}, 'https://sso.example.com', ${`${subject} of ${n}`}, ${user_id}, ${at})`,
        ),
      ),
      ...['["pwd"]', '[]'].flatMap((amr) => [
        sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, created_at, auth_time, last_seen_at, expires_at, absolute_expires_at)
            values (${environment_id}, ${`ses_${n}${amr}`}, ${user_id}, ${`${n}${amr}`}, ${amr}, '', ${at}, ${at}, ${at}, ${at}, ${at})`,
        sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr, created_at, expires_at)
            values (${environment_id}, ${`grt_${n}${amr}`}, ${user_id}, 'app_1', ${`ses_${n}${amr}`}, 'openid', '[]', 0, ${at}, ${amr}, '', ${at}, ${at})`,
      ]),
    ]),
  ])
  await migrate(db, all)
  const found = await Promise.all(users.map((user_id) => listMethods(db, environment_id, user_id, sql`order by id`)))
  assert.deepEqual(
    found.map((methods) => methods.map(({ type }) => type).sort()),
    [['password', ...Array(6).fill('provider')], Array(6).fill('provider')],
  )
  const ids = found.flat().map(({ id }) => MethodId.parse(id))
  assert.equal(new Set(ids).size, 13)
  const [password] = found[0]?.filter(({ type }) => type === 'password') ?? []
  assert.deepEqual([password?.id, password?.created_at], [passwordMethod(users[0] ?? ''), at.toISOString()])
  for (const table of [sql`sessions`, sql`grants`]) {
    const rows = await db.all(BeganWith, sql`select id, began_with from ${table} order by id`)
    assert.deepEqual(
      rows.map(({ id, began_with }) => [id.slice(4), began_with]),
      users.flatMap((user_id, n) => [
        [`${n}["pwd"]`, passwordMethod(user_id)],
        [`${n}[]`, null],
      ]),
    )
  }
})
