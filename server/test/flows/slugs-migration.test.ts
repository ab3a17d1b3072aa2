/** Migration 0017 on a database with older objects: each gets a slug from its name, which can be set once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { identifiers, type Statement, sql } from '../../src/db/db.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { emptyDatabase } from '../support/empty-database.ts'

const at = new Date()

type Insert = (environment_id: string, id: string, text: string) => Statement

// biome-ignore format: these tables are read by column
const kinds: Record<string, { insert: Insert; objects: [environment_id: string, text: string, slug: string][] }> = {
  applications: {
    insert: (environment_id, id, name) => sql`insert into applications (environment_id, id, application_type, name, redirect_uris,
        post_logout_redirect_uris, token_endpoint_auth_method, jwks, jwks_uri, allowed_scopes, require_pkce, consent,
        backchannel_logout_uri, initiate_login_uri, logo_uri, allow_loopback_port, disabled, client_secret_hash, created_at, updated_at)
      values (${environment_id}, ${id}, 'spa', ${name}, '[]', '[]', 'none', null, null, '[]', 1, 'skip', null, null, null, 0, 0, null, ${at}, ${at})`,
    objects: [
      ['env_1', 'Café Zürich',   'cafe-zurich'],
      ['env_1', 'Cafe Zurich',   'cafe-zurich-2'],
      ['env_1', 'Cafe Zurich 2', 'cafe-zurich-2-2'],
      ['env_1', '商店',           'application'],
      ['env_1', `O'Neill`,       'o-neill'],
      ['env_2', 'Café Zürich',   'cafe-zurich'],
      ['env_2', 'CAFÉ ZÜRICH',   'cafe-zurich-2'],
    ],
  },
  resource_servers: {
    insert: (environment_id, id, name) => sql`insert into resource_servers (environment_id, id, identifier, name, scopes,
        access_token_ttl_seconds, access_token_format, created_at, updated_at)
      values (${environment_id}, ${id}, ${`https://api.example.com/${id}`}, ${name}, '[]', null, 'jwt', ${at}, ${at})`,
    objects: [
      ['env_1', 'Orders API',    'orders-api'],
      ['env_1', '—',             'resource-server'],
    ],
  },
  providers: {
    insert: (environment_id, id, name) => sql`insert into providers (environment_id, id, type, display_name, issuer, client_id, scopes, enabled,
        link_by_verified_email, created_at, updated_at)
      values (${environment_id}, ${id}, 'github', ${name}, null, 'c', '[]', 1, 0, ${at}, ${at})`,
    objects: [
      ['env_1', 'GitHub',        'github'],
      ['env_1', 'GitHub',        'github-2'],
    ],
  },
  webhooks: {
    insert: (environment_id, id, url) => sql`insert into webhooks (environment_id, id, url, events, description, disabled, secret, created_at, updated_at)
      values (${environment_id}, ${id}, ${url}, '[]', null, 0, 's', ${at}, ${at})`,
    objects: [
      ['env_1', 'https://hooks.example.com/a', 'hooks-example-com'],
      ['env_1', 'https://hooks.example.com/b', 'hooks-example-com-2'],
    ],
  },
}

const Row = z.object({ slug: z.string(), slug_settable: z.boolean() })
const Environment = z.object({ config_version: z.int() })

test('migration 0017 gives every object a slug, and every environment a configuration version', async () => {
  const db = await emptyDatabase()
  const all = readMigrations()
  await migrate(
    db,
    all.filter(({ number }) => number < 17),
  )
  const environment = (id: string) => sql`insert into environments (
      id, tenant_id, project_id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
    values (${id}, 'ten_1', 'prj_1', ${id}, 'Test', 'test', ${`http://localhost/e/${id}`}, ${at}, ${at}, ${at})`
  await db.batch([
    sql`insert into tenants (id, slug, name, created_at, updated_at) values ('ten_1', 'acme', 'Acme', ${at}, ${at})`,
    sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_1', 'prj_1', 'shop', 'Shop', ${at}, ${at})`,
    environment('env_1'),
    environment('env_2'),
    environment('env_3'),
    ...Object.values(kinds).flatMap(({ insert, objects }) =>
      objects.map(([environment_id, text], i) => insert(environment_id, `obj_${i}`, text)),
    ),
    // More than one slice of the same name, and a slice that ends within an environment.
    ...Array.from({ length: 1_200 }, (_, i) => kinds.applications?.insert('env_3', `obj_${String(i).padStart(4, '0')}`, 'Many')).filter(
      (statement) => statement !== undefined,
    ),
  ])
  await migrate(db, all)
  for (const [table, { objects }] of Object.entries(kinds))
    for (const [i, [environment_id, , slug]] of objects.entries()) {
      const [row] = await db.all(
        Row,
        sql`select slug, slug_settable from ${identifiers(table)} where environment_id = ${environment_id} and id = ${`obj_${i}`}`,
      )
      assert.deepEqual(row, { slug, slug_settable: true }, `${table} ${i}`)
    }
  const many = await db.all(Row, sql`select slug, slug_settable from applications where environment_id = 'env_3' order by id`)
  assert.deepEqual(
    many.map(({ slug }) => slug),
    Array.from({ length: 1_200 }, (_, i) => (i === 0 ? 'many' : `many-${i + 1}`)),
  )
  assert.deepEqual(await db.all(Environment, sql`select distinct config_version from environments`), [{ config_version: 1 }])
})

test('after migration 0017 no two objects of an environment have the same slug', async () => {
  const db = await emptyDatabase()
  await migrate(db)
  for (const [table, { insert }] of Object.entries(kinds)) {
    const same = sql`update ${identifiers(table)} set slug = 'same'`
    await assert.rejects(
      db.batch([
        sql`insert into tenants (id, slug, name, created_at, updated_at) values ('ten_1', 'acme', 'Acme', ${at}, ${at})`,
        sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_1', 'prj_1', 'shop', 'Shop', ${at}, ${at})`,
        sql`insert into environments (id, tenant_id, project_id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
          values ('env_1', 'ten_1', 'prj_1', 'test', 'Test', 'test', 'http://localhost/e/env_1', ${at}, ${at}, ${at})`,
        insert('env_1', 'obj_1', 'https://one.example.com'),
        insert('env_1', 'obj_2', 'https://two.example.com'),
        same,
      ]),
      table,
    )
  }
})
