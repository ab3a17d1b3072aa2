/** Migration 0013 on a database with older identities: each gets the current issuer of its provider. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { issuerOfProvider } from '../../src/domain/providers/kinds.ts'
import { emptyDatabase } from '../support/empty-database.ts'

// biome-ignore format: this table is read by column
const providers = [
  { type: 'oidc',      issuer: 'https://sso.example.com',                            expected: 'https://sso.example.com' },
  { type: 'oidc',      issuer: 'https://sso.example.com/tenant/',                    expected: 'https://sso.example.com/tenant' },
  { type: 'microsoft', issuer: 'https://login.microsoftonline.com/tenant/v2.0',      expected: 'https://login.microsoftonline.com/tenant/v2.0' },
  { type: 'gitlab',    issuer: 'https://gitlab.acme.example',                        expected: 'https://gitlab.acme.example' },
  { type: 'gitlab',    issuer: null,                                                 expected: 'https://gitlab.com' },
  { type: 'google',    issuer: null,                                                 expected: 'https://accounts.google.com' },
  { type: 'apple',     issuer: null,                                                 expected: 'https://appleid.apple.com' },
  { type: 'github',    issuer: null,                                                 expected: 'https://github.com' },
] as const

const Identity = z.object({ provider_id: z.string(), issuer: z.string(), subject: z.string(), user_id: z.string() })

test('migration 0014 keeps the user of an identity and sets the issuer that a sign-in looks up', async () => {
  const db = await emptyDatabase()
  const all = readMigrations()
  await migrate(
    db,
    all.filter(({ number }) => number < 13),
  )
  const at = new Date()
  await db.batch([
    sql`insert into tenants (id, slug, name, created_at, updated_at) values ('ten_1', 'acme', 'Acme', ${at}, ${at})`,
    sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_1', 'prj_1', 'shop', 'Shop', ${at}, ${at})`,
    sql`insert into environments (id, tenant_id, project_id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
        values ('env_1', 'ten_1', 'prj_1', 'test', 'Test', 'test', 'http://localhost/e/env_1', ${at}, ${at}, ${at})`,
    ...providers.flatMap(({ type, issuer }, i) => [
      sql`insert into providers (environment_id, id, type, display_name, issuer, client_id, scopes, enabled,
            link_by_verified_email, created_at, updated_at)
          values ('env_1', ${`prv_${i}`}, ${type}, 'Provider', ${issuer}, 'c', '[]', 1, 0, ${at}, ${at})`,
      sql`insert into identities (environment_id, provider_id, subject, user_id, created_at)
          values ('env_1', ${`prv_${i}`}, 'one', ${`usr_${i}`}, ${at})`,
    ]),
  ])
  await migrate(db, all)
  const identities = await db.all(Identity, sql`select provider_id, issuer, subject, user_id from identities order by provider_id`)
  assert.deepEqual(
    identities,
    providers.map(({ expected }, i) => ({ provider_id: `prv_${i}`, issuer: expected, subject: 'one', user_id: `usr_${i}` })),
  )
  for (const { expected, ...provider } of providers) assert.equal(issuerOfProvider(provider), expected)
})
