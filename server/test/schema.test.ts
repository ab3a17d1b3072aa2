/** Rules that the whole schema keeps. The code that relies on each of them is named beside it. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { documentFields, object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import { z } from 'zod'
import { distributionColumn, placeOf, tables_of } from '../src/db/citus/placement.ts'
import { createDb, type Db, identifiers, sql } from '../src/db/db.ts'
import { migrate, oldestProgramOf, readMigrations } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { type AssociatedData, type SealedColumns, sealed_columns } from '../src/deployment/secrets/sealed-columns.ts'
import type { Secrets } from '../src/deployment/secrets/secrets.ts'
import { mailStatements } from '../src/domain/mail/send.ts'
import { openDeployment } from '../src/main.ts'
import { countStale, resealAll } from '../src/setup/reseal.ts'
import { expiring_rows } from '../src/workers/expiring-rows.ts'
import { authorizationRequest, createAgent, formOf } from './support/cookie-browser.ts'
import { signInToDashboard } from './support/dashboard.ts'
import { withMethods } from './support/db-methods.ts'
import { freshDatabase, noPostgres } from './support/postgres.ts'
import { createTwoTenants } from './support/tenants.ts'
import { type World, world } from './support/world.ts'

const Name = z.object({ name: z.string() })
const Column = z.object({ table_name: z.string(), column_name: z.string() })

const engines = {
  sqlite: {
    skip: false,
    open: async () => createDb(openSqlite(join(temporaryFolder(), 'ostiary.db'))),
    programs: sql`select type || ' ' || name as name from sqlite_schema where type in ('trigger', 'view')
      union all select 'foreign key of ' || t.name as name from sqlite_schema t, pragma_foreign_key_list(t.name) f
       where t.type = 'table' and (f.on_delete <> 'NO ACTION' or f.on_update <> 'NO ACTION')`,
    columns: sql`select t.name as table_name, c.name as column_name from sqlite_schema t, pragma_table_info(t.name) c
      where t.type = 'table' and t.name not like 'user!_words!_%' escape '!'`, // the tables within the full-text table
  },
  postgres: {
    skip: noPostgres,
    open: async () => createDb(openPostgres(await freshDatabase())),
    programs: sql`select 'trigger ' || tgname as name from pg_trigger where not tgisinternal
      union all select 'view ' || relname from pg_class where relkind in ('v', 'm') and relnamespace = 'public'::regnamespace
      union all select 'rule ' || rulename from pg_rewrite r join pg_class c on c.oid = r.ev_class where c.relnamespace = 'public'::regnamespace
      union all select 'foreign key ' || conname from pg_constraint where contype = 'f' and (confdeltype <> 'a' or confupdtype <> 'a')`,
    columns: sql`select table_name, column_name from information_schema.columns where table_schema = 'public'`,
  },
}

/**
 * The row cache (`db/memory.ts`, `db/sqlite/statements.ts`) finds the tables that a statement changes or reads by the names in its
 * text. A trigger, a cascade or a view would add tables whose names are not there.
 */
const adds_tables = /\btrigger\b|\bcascade\b|\bview\b|\bset null\b|\bset default\b|\bcreate rule\b/i

for (const { number, name, statements } of readMigrations())
  test(`migration ${number} (${name}) creates no trigger, cascade or view`, () =>
    assert.deepEqual(
      statements.filter((statement) => adds_tables.test(statement)),
      [],
    ))

/** Tables whose rows stay until a change removes them. */
const lasting: Record<string, string> = {
  deployment: 'the secret, the root and the demo of the deployment',
  schema_migrations: 'one row for each migration',
  tenants: 'an administrator manages them',
  members: 'an administrator manages them',
  projects: 'an administrator manages them',
  environments: 'an administrator manages them',
  upstream_holds: 'one row for each environment',
  promoted_states: 'one row for each environment',
  issuer_origins: 'an issuer is never used again',
  issuer_certificates: 'one row for each environment',
  api_keys: 'a key that expired or was revoked stays listed',
  applications: 'an administrator manages them',
  application_origins: 'changes with its application',
  application_secrets: 'changes with its application; at most two each',
  users: 'an administrator manages them',
  user_texts: 'changes with its user',
  user_words: 'changes with its user',
  user_job_parts: 'go with the end of their job',
  identities: 'changes with its user',
  totp_methods: 'changes with its user',
  recovery_codes: 'changes with its user',
  passkeys: 'changes with its user',
  consents: 'ends with its user or application',
  disconnections: 'ends with its user or application',
  organization_disconnections: 'ends with its user, organization or application',
  organization_consents: 'ends with its user, membership or application',
  endings: 'the worker removes an ending whose rows are done (`oidc/end-in-slices.ts`)',
  signing_keys: 'rotation removes them (`rotateAgedKeys`)',
  es256_keys: 'rotation removes them (`rotateAgedKeys`)',
  resource_servers: 'an administrator manages them',
  resource_server_scopes: 'changes with its resource server',
  roles: 'an administrator manages them',
  role_resource_servers: 'changes with its role',
  role_holders: 'changes with its user; a worker deletes those of a deleted role',
  metadata_clients: 'an administrator manages them, and a new one takes the place of one without use',
  organizations: 'a backend manages them',
  organization_members: 'changes with its organization and its user; a worker deletes those of a deleted one',
  organization_role_holders: 'changes with its member',
  organization_counts: 'one row for each environment',
  providers: 'an administrator manages them',
  webhooks: 'an administrator manages them',
  jobs: 'the queue deletes a job that is done or given up',
  event_counters: 'one row for each environment',
  telemetry_cursors: 'one row for each environment',
  audit_log: 'the log of a tenant is kept whole',
  audit_heads: 'one row for each tenant',
  leases: 'one row for each kind of work; an expired lease is taken over',
  grants: 'a worker visits each when it may be over (`workers/visit-grants.ts`)',
  refresh_chains: 'a chain goes with its grant',
}

for (const [engine, { skip, open, programs, columns }] of Object.entries(engines)) {
  test(`the schema has no trigger, cascade or view (${engine})`, { skip }, async () => {
    const db = await migrated(open)
    assert.deepEqual(await db.all(Name, programs), [])
  })

  test(
    `every table is in the registry of expiring rows or in the list of lasting tables, and not in both (${engine})`,
    { skip },
    async () => {
      const db = await migrated(open)
      const tables = new Set((await db.all(Column, columns)).map(({ table_name }) => table_name))
      assert.deepEqual([...tables].sort(), [...expiring_rows.map(({ table }) => table), ...Object.keys(lasting)].sort())
    },
  )

  test(`a new master key reseals any number of rows, a slice at a time (${engine})`, { skip }, async () => {
    const db = await migrated(open)
    const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 450)`
    await db.batch([
      sql`insert into totp_methods (environment_id, id, user_id, secret, last_step, created_at)
          ${numbers} select 'env_' || (i % 2), 'mth_' || i, 'usr_' || i, case when i % 3 = 0 then 'new' else 'old' end, 1, 1 from n`,
      sql`insert into dashboard_sessions (session_hash, environment_id, user_id, session_id, grant_id, tokens, access_token_until, refresh_at,
            refreshing_until, created_at, expires_at)
          ${numbers} select 'hash_' || i, 'env_0', 'usr_' || i, 'ses_' || i, 'gra_' || i, 'old', 1, 1, 1, 1, 1 from n`,
    ])
    const secrets = { isStale: (text: string) => text === 'old', unseal: (text: string) => text, seal: () => 'new' }
    const most: number[] = []
    const observed = withMethods(db, ({ all, batch }) => ({
      async all(schema, statement) {
        const rows = await all(schema, statement)
        most.push(rows.length)
        return rows
      },
      batch(statements) {
        most.push(statements.length)
        return batch(statements)
      },
    }))
    const sealing = { db: observed, secrets: secrets as unknown as Secrets } // as: resealing uses only these
    assert.equal(await countStale(sealing), 300 + 450)
    assert.equal(await resealAll(sealing), 300 + 450)
    assert.equal(await countStale(sealing), 0)
    assert.ok(Math.max(...most) <= 200)
  })

  test(`every table with an expiry column expires by it, or its exception has a reason (${engine})`, { skip }, async () => {
    const db = await migrated(open)
    const expiry = (await db.all(Column, columns)).filter(({ column_name }) => /(^|_)expires_at$/.test(column_name))
    assert.ok(expiry.length > 10)
    const unswept = expiry.filter(
      ({ table_name, column_name }) => !expiring_rows.some((row) => row.table === table_name && row.time === column_name),
    )
    assert.deepEqual(unswept.map(({ table_name, column_name }) => `${table_name}.${column_name}`).sort(), [
      'api_keys.expires_at', // lasting
      'application_secrets.expires_at', // lasting
      'grants.expires_at', // the end of the last token; the newest of a session is kept for longer
      'invitations.expires_at', // an invitation that expired is listed for as long as its link is recognised
      'issuer_certificates.expires_at', // lasting
      'leases.expires_at', // lasting
      'providers.secret_expires_at', // lasting
      'refresh_chains.expires_at', // the end of the live token; a chain goes with its grant
      'sessions.expires_at', // the idle timeout; a walk removes the row a day later (`workers/walk-ends.ts`)
    ])
  })
}

test('every field of an object that can be written has a column', async () => {
  const db = await migrated(engines.sqlite.open)
  const columns = Map.groupBy(await db.all(Column, engines.sqlite.columns), ({ table_name }) => table_name)
  for (const kind of object_kinds) {
    const { section } = object_descriptions[kind]
    const names = columns.get(section)?.map(({ column_name }) => column_name) ?? []
    const missing = documentFields(kind).filter((name) => !names.includes(name))
    assert.deepEqual(missing, [], `Add these columns to the table ${section} in a migration: ${missing.join(', ')}`)
  }
})

test('every table has one place on a distributed database', async () => {
  const db = await migrated(engines.sqlite.open)
  const tables = new Set((await db.all(Column, engines.sqlite.columns)).map(({ table_name }) => table_name))
  assert.deepEqual(Object.values(tables_of).flat().sort(), [...tables].sort())
})

test('a table has the column of its place in every row, and is on the coordinator or everywhere only where no environment owns its rows', async () => {
  const db = await migrated(engines.sqlite.open)
  const columns = Map.groupBy(await db.all(Column, engines.sqlite.columns), ({ table_name }) => table_name)
  const unplaced = [...columns].filter(([table, of_table]) => {
    const column = distributionColumn(table)
    return column !== null && !of_table.some(({ column_name }) => column_name === column)
  })
  assert.deepEqual(unplaced, [])
  const named = [...columns].filter(([, of_table]) => of_table.some(({ column_name }) => column_name === 'environment_id'))
  assert.deepEqual(named.flatMap(([table]) => (placeOf(table) === 'environment' ? [] : [table])).sort(), [
    'api_keys', // found by the digest, before the environment is known
    'audit_log', // of a tenant
    'dashboard_sessions', // found by the digest of the cookie
    'issuer_origins', // found by the issuer
    'jobs', // takes turns over all tenants
  ])
})

test('each unique key of a distributed table holds the column by which it is distributed', async () => {
  const db = await migrated(engines.sqlite.open)
  const Key = z.object({ table_name: z.string(), key: z.string(), column_name: z.string().nullable() })
  const columns = await db.all(
    Key,
    sql`select t.name as table_name, i.name as key, c.name as column_name
          from sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c where t.type = 'table' and i."unique" = 1`,
  )
  const keys = Map.groupBy(columns, ({ key }) => key)
  const without = [...keys].flatMap(([key, of_key]) => {
    const column = distributionColumn(of_key[0]?.table_name ?? '')
    return column === null || of_key.some(({ column_name }) => column_name === column) ? [] : [key]
  })
  assert.ok(keys.size > 60)
  assert.deepEqual(without, [])
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-schema-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function migrated(open: () => Promise<Db>): Promise<Db> {
  const db = await open()
  after(() => db.close())
  await migrate(db)
  return db
}

const [old_key, new_key] = [randomBytes(32), randomBytes(32)]

test('every column that holds sealed text is in the registry of sealed columns, and a new master key reseals each of them', async () => {
  const w = await world({ engine: 'sqlite', env: { OSTIARY_MASTER_KEY: old_key.toString('base64') } })
  await sealEverything(w)
  const { db, config } = w.deployment
  const before = await findSealed(db)
  assert.deepEqual([...before.keys()].sort(), registered().sort())

  const both = await openDeployment({ ...config, master_keys: [new_key, old_key] })
  assert.equal(await countStale(both), [...before.values()].flat().length)
  await resealAll(both)
  assert.equal(await countStale(both), 0)
  await both.db.close()
  const after_change = await findSealed(db)
  assert.deepEqual([...after_change.keys()].sort(), registered().sort())
  const keyOf = (sealed: string) => sealed.split('.')[1]
  const old_keys = new Set([...before.values()].flat().map(keyOf))
  assert.equal(old_keys.size, 1)
  for (const [column, texts] of after_change) assert.ok(!texts.some((sealed) => old_keys.has(keyOf(sealed))), column)
  await (await openDeployment({ ...config, master_keys: [new_key] })).db.close()
})

const registered = () =>
  Object.values<SealedColumns>(sealed_columns).flatMap(({ table, columns, path = [] }) =>
    columns.map((column) => [table, column, ...path].join('.')),
  )

/** Fills every column that can contain sealed text. */
async function sealEverything(w: World): Promise<void> {
  const { ours } = await createTwoTenants(w)
  const { test: environment } = ours
  const call = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await w.call(method, `${environment.path}${path}`, { key: ours.platform, body })
    assert.ok(status < 300, JSON.stringify(answer))
    return answer
  }
  const smtp = { host: 'mail.invalid', username: 'u', password: 'of the mail server' }
  await call('PATCH', '/settings', { email: { delivery: 'smtp', from: 'shop@example.com', smtp } })
  await call('POST', `/webhooks/${environment.webhook_id}/rotate-secret`)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await call('PATCH', `/resource-servers/${environment.resource_server_id}`, { access_token_signing_alg: 'ES256' })
  await call('GET', '/signing-keys')
  await call('POST', '/providers', { type: 'apple', client_id: 'a', team_id: 'TEAM', key_id: 'KEY', private_key })

  const agent = createAgent()
  const redirect_uris = ['https://app.example.com/callback']
  const application = await call('POST', '/applications', { name: 'Shop', application_type: 'web', redirect_uris })
  // Larger than a cookie, so that the attempt at the provider is a row.
  const large = { state: 's'.repeat(1_000), nonce: 'n'.repeat(1_000), login_hint: 'l'.repeat(900) }
  const page = await agent.get(authorizationRequest(environment, application, large).url)
  const { hidden } = formOf(page.body)
  const left = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: environment.provider_id })
  assert.match(left.headers.get('location') ?? '', /^https:\/\/github\.com\//)

  const forgot = await agent.get(`${environment.issuer}/forgot-password?${hidden.request}`)
  assert.equal((await agent.submit(forgot, { email: 'nobody@example.com' })).status, 200)

  const { db, secrets } = w.deployment
  const mail = { to: 'ada@example.com', user_id: null, request_id: null, notice: { kind: 'password_changed', device: null } } as const
  await db.batch(await mailStatements(w.deployment, environment.id, mail, w.now()))
  await db.run(sql`insert into totp_methods (environment_id, id, user_id, secret, last_step, created_at)
    values (${environment.id}, 'mth_1', 'usr_1', ${secrets.seal('s', sealed_columns.totp_methods.associatedData(environment.id, 'mth_1'))}, 1, 1)`)
  const token = (row: AssociatedData) => secrets.seal('of the provider', row)
  const upstream = { provider_id: 'prv_1', sid: null, id_token: token(sealed_columns.half_sign_ins.associatedData(environment.id, 'half')) }
  await db.run(sql`insert into half_sign_ins (environment_id, secret_hash, user_id, request_hash, enrols, signed_in, tries, needs_code, expires_at)
    values (${environment.id}, 'half', 'usr_1', '', 0, ${{ upstream }}, 0, 0, ${w.now()})`)
  await db.run(sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, created_at, auth_time, last_seen_at, expires_at,
                                         absolute_expires_at, upstream_id_token)
    values (${environment.id}, 'ses_1', 'usr_1', 'x', '[]', '', 'email_code', 1, 1, 1, ${w.now()}, ${w.now()}, ${token(sealed_columns.sessions.associatedData(environment.id, 'ses_1'))})`)
  await signInToDashboard(w)
  const demo = secrets.seal('{}', sealed_columns.deployment.associatedData('demo'))
  await db.run(sql`insert into deployment (name, value) values ('demo', ${demo})`)
}

/** Every sealed text of the database by the column it is in; a column with JSON is followed by the path in the document. */
async function findSealed(db: Db): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  const add = (where: string, value: unknown): void => {
    if (typeof value === 'string' && /^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]{22,}$/.test(value))
      found.set(where, [...(found.get(where) ?? []), value])
    else if (typeof value === 'string' && /^[{[]/.test(value)) add(where, parsed(value))
    else if (typeof value === 'object' && value !== null) for (const [name, inner] of Object.entries(value)) add(`${where}.${name}`, inner)
  }
  for (const { table_name, column_name } of await db.all(Column, engines.sqlite.columns)) {
    const [table, column] = [identifiers(table_name), identifiers(column_name)]
    const rows = await db.all(z.object({ value: z.unknown() }), sql`select ${column} as value from ${table} where ${column} is not null`)
    for (const { value } of rows) add(`${table_name}.${column_name}`, value)
  }
  return found
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // the text only looks like JSON
  }
}

test('each migration after the first names the oldest program that runs on its schema, which no later migration takes back', () => {
  const [, ...later] = readMigrations()
  const folder = join(import.meta.dirname, '../migrations')
  const silent = later.filter(({ number, name }) => {
    const file = `${String(number).padStart(4, '0')}_${name}.sql`
    return oldestProgramOf(readFileSync(join(folder, file), 'utf8')) === null
  })
  assert.deepEqual(silent, [])
  assert.ok(later.every(({ number, oldest_program }) => oldest_program <= number))
})
