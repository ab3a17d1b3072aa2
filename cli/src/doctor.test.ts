import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDb, sql } from '@ostiary/server/db/db.ts'
import { migrate, readMigrations } from '@ostiary/server/db/migrate.ts'
import { openPostgres } from '@ostiary/server/db/postgres/postgres.ts'
import { openSqlite } from '@ostiary/server/db/sqlite/sqlite.ts'
import { startService } from '@ostiary/server/main.ts'
import { z } from 'zod'
import { commandLineTool } from '../../launch.mjs'
import { freshDatabase, noPostgres } from '../../server/test/support/postgres.ts'
import { noRedis, startRedis } from '../../server/test/support/redis.ts'
import { world } from '../../server/test/support/world.ts'

const main = await commandLineTool('serve') // the build, as users run it

function ostiary(command: string, env: Record<string, string>, options: readonly string[] = [], input = '') {
  const args = ['--disable-warning=ExperimentalWarning', main, command, ...options]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8', input })
  return { status, stdout, stderr }
}

const engines = {
  sqlite: {
    skip: false,
    fresh: async () => {
      const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-doctor-'))
      after(() => rmSync(data_dir, { recursive: true, force: true }))
      return { env: { OSTIARY_DATA_DIR: data_dir }, open: () => openSqlite(join(data_dir, 'ostiary.db')) }
    },
  },
  postgres: {
    skip: noPostgres,
    fresh: async () => {
      const url = await freshDatabase()
      const env = { OSTIARY_DATABASE_URL: url, OSTIARY_MASTER_KEY: Buffer.alloc(32).toString('base64') }
      return { env, open: () => openPostgres(url) }
    },
  },
} as const

for (const [name, { skip, fresh }] of Object.entries(engines))
  test(`doctor reports the state of the schema and does not change it (${name})`, { skip }, async (t) => {
    const { env, open } = await fresh()
    const db = createDb(open())
    t.after(() => db.close())
    const all = readMigrations()

    assert.match(ostiary('doctor', env).stdout, /ok\s+The database is empty/)
    assert.equal((await db.schema()).number, 0)
    if (all.length > 1) {
      await migrate(db, all.slice(0, 1))
      assert.match(ostiary('doctor', env).stdout, new RegExp(String.raw`warning\s+The schema .*\(missing migrations: ${all.length - 1}\)`))
      assert.equal((await db.schema()).number, all[0]?.number)
    }
    assert.equal(ostiary('migrate', env).status, 0)
    assert.equal((await db.schema()).number, all.at(-1)?.number)
    const { status, stdout } = ostiary('doctor', env)
    assert.equal(status, 0)
    assert.match(stdout, name === 'sqlite' ? /ok\s+The embedded database is sound/ : /ok\s+The database server is PostgreSQL 1/)
  })

test('doctor and migrate refuse a database of version 0.1.0 in words, and leave it as it is', async () => {
  const { env, open } = await engines.sqlite.fresh()
  const db = createDb(open())
  await db.run(sql`create table schema_migrations (number integer primary key, name text not null)`)
  await db.run(sql`insert into schema_migrations (number, name) values (48, 'resource_server_scopes')`)
  const refused = /schema 48 of Ostiary 0\.1\.0, which was never released.*Start with an empty database.*Nothing was changed\./
  const found = ostiary('doctor', env)
  assert.equal(found.status, 1)
  assert.match(found.stdout, new RegExp(`PROBLEM\\s+.*${refused.source}`))
  const migrated = ostiary('migrate', env)
  assert.equal(migrated.status, 1)
  assert.match(migrated.stderr, refused)
  assert.deepEqual(await db.schema(), { number: 48, oldest_program: 48 })
  await db.close()
})

test('doctor reports a database that is out of reach as a problem, without its password', () => {
  const env = { OSTIARY_DATABASE_URL: 'postgres://a:hush@127.0.0.1:9/x', OSTIARY_MASTER_KEY: Buffer.alloc(32).toString('base64') }
  const { status, stdout } = ostiary('doctor', env)
  assert.equal(status, 1)
  assert.match(stdout, /PROBLEM\s+The database at 127\.0\.0\.1:9\/x cannot be reached/)
  assert.doesNotMatch(stdout, /hush/)
})

test('doctor fails while forwarded headers come from an address that is not a trusted proxy', async () => {
  const { env, open } = await engines.sqlite.fresh()
  const db = createDb(open())
  await migrate(db, readMigrations())
  const seen = (at: Date) => JSON.stringify({ address: '172.30.84.1', at: at.toISOString() })
  await db.run(sql`insert into deployment (name, value) values ('untrusted_forwarder', ${seen(new Date())})`)
  const failed = ostiary('doctor', env)
  assert.equal(failed.status, 1)
  assert.match(
    failed.stdout,
    /PROBLEM\s+Requests with forwarded headers come from 172\.30\.84\.1, which OSTIARY_TRUSTED_PROXIES does not name/,
  )
  assert.equal(ostiary('doctor', { ...env, OSTIARY_TRUSTED_PROXIES: '172.30.84.0/24' }).status, 0)
  await db.close()
})

test('doctor prints the value of every limit', async () => {
  const { env } = await engines.sqlite.fresh()
  const { stdout } = ostiary('doctor', { ...env, OSTIARY_LIMITS: '{"keys":7,"webhooks":0}' })
  assert.match(stdout, /^ok +The limits are tenants_per_person 20, .*\bkeys 7, webhooks 0, webhooks_per_tenant 200, /m)
})

test(
  'doctor reports the rights of other users in the data directory',
  { skip: process.platform === 'win32' && 'needs the rights of POSIX' },
  async () => {
    const { env } = await engines.sqlite.fresh()
    assert.equal(ostiary('migrate', env).status, 0)
    assert.match(ostiary('doctor', env).stdout, /^ok +The files in .+ are accessible to this user only\./m)
    writeFileSync(join(env.OSTIARY_DATA_DIR, 'notes.txt'), '') // a file of another program, so the mode of the directory does not change
    chmodSync(env.OSTIARY_DATA_DIR, 0o777)
    const { status, stdout } = ostiary('doctor', env)
    assert.equal(status, 1)
    assert.match(stdout, /^PROBLEM +Other users can replace files in the data directory .+\. Run: chmod 700 /m)
  },
)

test('doctor tries the limiter of the service in Redis, and prints no password', { skip: noRedis }, async () => {
  const { env } = await engines.sqlite.fresh()
  assert.equal(ostiary('migrate', env).status, 0)
  const redis = await startRedis()
  const good = ostiary('doctor', { ...env, OSTIARY_REDIS_URL: redis.url })
  assert.match(good.stdout, /ok\s+Redis answers/)
  assert.equal(good.status, 0)
  const wrong = ostiary('doctor', { ...env, OSTIARY_REDIS_URL: redis.url.replace('hush', 'mistaken') })
  assert.match(wrong.stdout, /PROBLEM\s+OSTIARY_REDIS_URL cannot be used/)
  assert.equal(wrong.status, 1)
  for (const { stdout } of [good, wrong]) assert.doesNotMatch(stdout, /hush|mistaken/)
})

test('doctor, recover and bootstrap with new,old seal nothing again while a service runs with old', async () => {
  const [old_key, new_key] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
  const w = await world({ engine: 'sqlite', env: { OSTIARY_MASTER_KEY: `${old_key}` } })
  const { db, config } = w.deployment
  const env = { OSTIARY_DATA_DIR: w.data_dir, OSTIARY_PORT: String(config.port), OSTIARY_MASTER_KEY: `${new_key},${old_key}` }
  const readSealed = () =>
    db.all(
      z.object({ sealed: z.string() }),
      sql`select value as sealed from deployment where name = 'secret' union all select private_key from signing_keys order by 1`,
    )
  assert.equal((await fetch(`${w.test.issuer}/v1/oauth/jwks.json`)).status, 200) // creates signing keys
  const before = await readSealed()
  assert.ok(before.length > 1)

  const { status, stdout } = ostiary('doctor', env)
  assert.equal(status, 0)
  assert.match(stdout, /^warning +Secrets are still sealed under an older master key \(\d+\)/m)
  assert.equal(ostiary('recover', env, ['--tenant', 'acme', '--email', 'lost@example.com']).status, 0)
  assert.equal(ostiary('bootstrap', env, ['--tenant', 'Beta', '--email', 'b@example.com'], 'correct horse battery').status, 2) // there is a tenant
  assert.equal(ostiary('migrate', env).status, 0)
  assert.deepEqual(await readSealed(), before)

  // The next start with both keys opens what is under either, and seals what is under the old one again.
  await w.service.stop()
  const both = await startService(
    { ...config, master_keys: [new_key, old_key].map((key) => Buffer.from(`${key}`, 'base64')) },
    { write() {} },
  )
  await both.stop()
  assert.match(ostiary('doctor', env).stdout, /^ok +Every secret is sealed under the first master key/m)
  assert.equal(ostiary('doctor', { ...env, OSTIARY_MASTER_KEY: `${new_key}` }).status, 0)
})

test('doctor counts processes whose host names begin alike', { skip: noPostgres }, async () => {
  const { hostname } = os
  after(() => setHostname(hostname))
  setHostname(() => `${'ostiary-production-'.repeat(4)}1`)
  const w = await world({ engine: 'postgres' })
  setHostname(() => `${'ostiary-production-'.repeat(4)}2`)
  await w.startAnotherService()
  const { database_url, master_keys } = w.deployment.config
  const env = { OSTIARY_DATABASE_URL: `${database_url}`, OSTIARY_MASTER_KEY: `${master_keys?.[0]?.toString('base64')}` }
  assert.match(ostiary('doctor', env).stdout, /^warning +Now 2 processes serve/m)
})

function setHostname(hostname: () => string): void {
  os.hostname = hostname
  syncBuiltinESMExports()
}

const no_port = { OSTIARY_DATABASE_URL: 'postgres://a:hush@127.0.0.1:9/x', OSTIARY_MASTER_KEY: Buffer.alloc(32).toString('base64') }
const json_results: { when: string; env: Record<string, string>; code: number; status: string; check: string }[] = [
  { when: 'nothing is wrong', env: {}, code: 0, status: 'ok', check: 'schema' },
  { when: 'there is a warning', env: { OSTIARY_BASE_URL: 'http://a.test' }, code: 0, status: 'warning', check: 'configuration' },
  { when: 'the database is out of reach', env: no_port, code: 1, status: 'problem', check: 'database' },
  { when: 'a setting is wrong', env: { OSTIARY_PORT: 'x' }, code: 1, status: 'problem', check: 'configuration' },
  { when: 'the data directory is a file', env: { OSTIARY_DATA_DIR: main }, code: 1, status: 'problem', check: 'database' },
]
for (const { when, env, code, status, check } of json_results)
  test(`doctor --json prints one line, and exits with ${code}, when ${when}`, async () => {
    const fresh = (await engines.sqlite.fresh()).env
    const result = ostiary('doctor', { ...fresh, ...env }, ['--json'])
    assert.equal(result.status, code)
    assert.match(result.stdout, /^\{.*\}\n$/)
    const report = JSON.parse(result.stdout)
    assert.deepEqual([Object.keys(report), report.status], [['status', 'findings'], status])
    assert.ok(report.findings.some((finding: { check: string; level: string }) => finding.check === check && finding.level === status))
    for (const finding of report.findings) assert.deepEqual(Object.keys(finding), ['check', 'level', 'text'])
    assert.doesNotMatch(result.stdout, /hush/)
  })

test('doctor --json names every check of a migrated deployment', async () => {
  const { env } = await engines.sqlite.fresh()
  assert.equal(ostiary('migrate', env).status, 0)
  const { status, stdout } = ostiary('doctor', env, ['--json'])
  assert.equal(status, 0)
  const names = JSON.parse(stdout).findings.map(({ check }: { check: string }) => check)
  assert.deepEqual(
    [...new Set(names)],
    ['configuration', 'database', 'audit_log', 'files', 'issuers', 'providers', 'expiry', 'mail', 'clock'],
  )
})
