/** Migration 0019 with settings of the old schema, on both engines: `secure` of a mail server becomes `tls`. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { z } from 'zod'
import { createDb, sql } from '../src/db/db.ts'
import { migrate, readMigrations } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { effectiveSettings } from '../src/domain/tenancy/settings.ts'
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

// biome-ignore format: this table is read by column
const cases: [smtp: object | null, tls: string | null][] = [
  [{ host: 'a.test', port: 465, secure: true },                        'implicit'],
  [{ host: 'a.test', secure: false, port: 465 },                       'implicit'],
  [{ host: 'a.test', port: 4650, secure: true },                       'starttls'],
  [{ host: 'a.test', port: 587, secure: false },                       'starttls'],
  [{ host: 'a.test', secure: true, password: 'v1.a.b.c' },             'starttls'],
  [{ host: 'a.test', username: '"secure":true,"port":465,' },          'starttls'],
  [{ host: 'a.test' },                                                 'starttls'],
  [null,                                                               null],
]
const now = new Date('2026-11-20T12:00:00.000Z')
const Row = z.object({ id: z.string(), settings: z.record(z.string(), z.unknown()) })

for (const [engine, { skip, fresh }] of Object.entries(engines))
  test(`stored mail servers keep everything and get the kind of TLS (${engine})`, { skip }, async () => {
    const db = await fresh()
    const migrations = readMigrations()
    await migrate(db, migrations.filter(({ number }) => number < 19)) // biome-ignore format: one call
    const environments = cases.map(([smtp], i) => {
      const settings = smtp === null ? { sign_up: { mode: 'closed' } } : { email: { from: 'a@example.com', smtp } }
      return sql`insert into environments (tenant_id, project_id, id, slug, name, type, issuer, settings, created_at, updated_at, settings_updated_at)
        values ('ten_1', 'prj_1', ${`env_${i}`}, ${`e${i}`}, 'E', 'live', ${`https://id.example.com/${i}`}, ${settings}, ${now}, ${now}, ${now})`
    })
    const created = await db.batch([
      sql`insert into tenants (id, slug, name, created_at, updated_at) values ('ten_1', 't', 'T', ${now}, ${now})`,
      sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_1', 'prj_1', 'p', 'P', ${now}, ${now})`,
      ...environments,
    ])
    assert.ok(created)
    await migrate(db)
    const rows = await db.all(Row, sql`select id, settings from environments order by id`)
    for (const [i, { settings }] of rows.entries()) {
      const [smtp, tls] = cases[i] ?? [null, null]
      const { email } = effectiveSettings('live', settings)
      assert.equal(email.smtp?.tls ?? null, tls, JSON.stringify(smtp))
      const { secure: _, ...kept } = (smtp ?? {}) as { secure?: boolean } // as: a row of the table
      assert.deepEqual({ ...email.smtp, ...kept }, { ...email.smtp }, 'everything else stays')
    }
    await db.close()
  })
