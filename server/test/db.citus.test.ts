/** The PostgreSQL engine on a database that Citus distributes over three nodes: batches are blocks, and so atomic (decision 0145). */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { createDb, type Db, type Engine, guard, type Migration, requires, type Statement, sql } from '../src/db/db.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { findWaitingOwners, outboxes } from '../src/domain/events/outbox.ts'
import { countMail } from '../src/domain/mail/address-limit.ts'
import { walks } from '../src/domain/sessions/early-ends.ts'
import { findDueGrants } from '../src/domain/sessions/grant-visits.ts'
import { noCitus, placeTables, startCitus } from './support/citus.ts'
import { testConformance } from './support/db.conformance.ts'
import { runCommand } from './support/postgres.ts'
import { patient } from './support/world.ts'

const citus = noCitus ? null : await startCitus()
after(() => citus?.stop())

/** Distributes the tables of the conformance tests after the migration that makes them. Their keys contain the column then. */
const distribute_things = `
  alter table children drop constraint children_thing_id_fkey; alter table children drop constraint children_pkey;
  alter table children add primary key (thing_id, id); alter table things drop constraint things_label_key;
  select create_distributed_table('things', 'id'); select create_distributed_table('children', 'thing_id', colocate_with => 'things');
  alter table children add foreign key (thing_id) references things (id);
  select citus_add_local_table_to_metadata('schema_migrations')`

/** Migrates by connections of their own: a process that has met one kind of database sends nothing to the other. */
function distributing(url: string): Engine {
  return {
    ...openPostgres(url),
    async migrate(migrations: readonly Migration[]) {
      const before = openPostgres(url)
      const migrated = await before.migrate(migrations).finally(before.close)
      const makes_things = migrations.some(({ statements }) => statements.some((statement) => statement.startsWith('create table things')))
      if (makes_things && migrated.from < migrated.to) await runCommand(url, distribute_things)
      return migrated
    },
  }
}

if (citus)
  await testConformance(async () => {
    const url = await citus.freshDatabase()
    return () => distributing(url)
  })

test(
  'a batch over every place that fails at its end leaves nothing on any node, and the batches behind it succeed',
  { skip: noCitus },
  async () => {
    if (!citus) return
    const url = await citus.freshDatabase()
    const before = createDb(openPostgres(url))
    await migrate(before)
    await before.close()
    await placeTables(url)
    const db = createDb(openPostgres(url, { connections: 2 }))
    after(() => db.close())

    const batch = (n: number, last: Statement): Statement[] => [
      sql`insert into tenants (id, slug, name, created_at, updated_at) values (${`ten_${n}`}, ${`t${n}`}, 't', 0, 0)`,
      sql`insert into issuer_origins (issuer, environment_id, created_at) values (${`https://${n}`}, ${`env_${n}`}, 0)`,
      sql`insert into consents (environment_id, user_id, application_id, scope, ending, created_at, updated_at)
      values (${`env_${n}`}, 'usr', 'app', 's', 0, 0, 0)`,
      sql`insert into consents (environment_id, user_id, application_id, scope, ending, created_at, updated_at)
      values (${`env_other_${n}`}, 'usr', 'app', 's', 0, 0, 0)`,
      sql`insert into dropped_calls (scope_id, minute, count) values (${`env_${n}`}, 1, 1)`,
      sql`insert into jobs (id, kind, lane, tenant_id, environment_id, payload, due_at, created_at)
      select ${`job_${n}`}, 'webhook', 'l', 't', null, '{}', 0, 0 where 1 = 1`,
      last,
    ]
    const fails = [
      guard(sql`update consents set scope = 'x' where environment_id = 'env_none' and user_id = 'u' and application_id = 'a'`),
      guard(sql`update jobs set lane = 'x' where id = 'none'`),
      requires(sql`exists (select 1 from consents where environment_id = 'env_none')`),
      sql`insert into jobs (id, kind) values ('half', null)`,
      sql`insert into consents (environment_id, user_id) values ('env_half', null)`,
    ]
    const holds = guard(sql`update jobs set lane = 'y' where id like 'job_%' and lane = 'l'`)
    // All are sent at once, so batches queue behind failing ones on the same connections.
    const outcomes = await Promise.allSettled(fails.flatMap((last, i) => [db.batch(batch(2 * i, last)), db.batch(batch(2 * i + 1, holds))]))
    const happened = outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value !== null)
    assert.deepEqual(
      happened,
      fails.flatMap(() => [false, true]),
    )

    const counts = await Promise.all(
      citus.nodesOf(url).map(async (node) => {
        const client = new Client({ connectionString: node })
        await client.connect()
        const { rows } =
          await client.query(`select (select count(*) from tenants) as tenants, (select count(*) from issuer_origins) as issuers, (select count(*) from consents) as consents,
        (select count(*) from dropped_calls) as dropped, (select count(*) from jobs) as jobs,
        (select count(*) from pg_prepared_xacts where database = current_database()) as prepared`)
        await client.end()
        return rows[0]
      }),
    )
    const n = fails.length
    for (const of_node of counts)
      assert.deepEqual(of_node, { tenants: `${n}`, issuers: `${n}`, consents: `${2 * n}`, dropped: `${n}`, jobs: `${n}`, prepared: '0' })
  },
)

const day_ms = 86_400_000
const at = new Date(100 * day_ms)

const env = (letter: string) => `env_0${letter.repeat(25)}` as const

/** Three environments of two tenants, each with rows whose times and ends differ. */
const seed = `
  insert into tenants (id, slug, name, created_at, updated_at) values ('ten_a', 'a', 'a', 0, 0), ('ten_b', 'b', 'b', 0, 0);
  insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_a', 'prj_a', 'a', 'a', 0, 0), ('ten_b', 'prj_b', 'b', 'b', 0, 0);
  insert into environments (tenant_id, project_id, id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
    values ('ten_a', 'prj_a', 'env_a', 'a', 'a', 'test', 'https://a', 0, 0, 0), ('ten_a', 'prj_a', 'env_b', 'b', 'b', 'live', 'https://b', 0, 0, 0),
           ('ten_b', 'prj_b', 'env_c', 'c', 'c', 'test', 'https://c', 0, 0, 0), ('ten_b', 'prj_b', 'env_d', 'd', 'd', 'live', 'https://d', 0, 0, 0);
  insert into event_counters (environment_id, last) select id, 0 from environments;
  create table numbered as select e.id as environment_id, lpad(n::text, 3, '0') as n, n % 2 as two, n % 3 as three, n % 5 as five,
    n % 7 as seven, (n * 37 % 101)::bigint * ${day_ms} + 1 as day from environments e, generate_series(1, 120) n where e.id <> 'env_d';
  insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, created_at, auth_time, last_seen_at, expires_at, absolute_expires_at, ended_at)
    select environment_id, 'ses_' || n, 'usr_' || five, environment_id || n, '[]', '', 'email_code', 0, 0, 0, day, day + three * 20 * ${day_ms}::bigint,
      case when seven = 0 then 5 end from numbered;
  insert into dashboard_sessions (session_hash, environment_id, user_id, session_id, grant_id, tokens, access_token_until, refresh_at, refreshing_until,
      created_at, expires_at)
    select environment_id || n, environment_id, 'usr_' || five, 'ses_' || n, 'g', '', 0, 0, 0, 0, (99 + two * 2) * ${day_ms}::bigint from numbered where three < 2;
  insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr, began_with, created_at, expires_at, ended_at,
      last_used_at, code_hash, visit_at)
    select environment_id, 'grt_' || n, 'usr_' || five, 'app_' || two, 'ses_' || lpad((1 + seven)::text, 3, '0'), '', '', 0, 0, '[]', '', 'email_code', day / 2, day,
      case when five = 0 then day end, case when two = 0 then day end, 'code_' || n, case when n = '001' then 0 when three > 0 and five = 1 then day else 999 * day end from numbered;
  insert into refresh_chains (environment_id, grant_id, number, digest, issued_at, expires_at)
    select environment_id, 'grt_' || n, 1, n, day - three * ${day_ms}::bigint, day + two * ${day_ms}::bigint from numbered where seven > 1;
  insert into authorization_codes (environment_id, code_hash, grant_id, client_id, redirect_uri, scope, expires_at, spent_by)
    select environment_id, 'code_' || n, 'grt_' || n, 'app', '', '', 0, case when three = 0 then 'x' end from numbered;
  insert into events (environment_id, id, type, created_at, actor_type, data)
    select environment_id, 'evt_' || n, 'user.created', 0, 'system', '{}' from numbered where environment_id <> 'env_b';
  insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, created_at, updated_at)
    select environment_id, 'usr_' || n, n || '@x.test', n || '@x.test', two, 0, '{}', 0, 0 from numbered where environment_id <> 'env_a';
  drop table numbered`.replaceAll(/env_([abcd])/g, (_, letter: string) => env(letter))

/** The statements about many environments that need a form of their own, or one text that both kinds of database run. */
const about_many: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  'sessions that are over': (db) => walks.sessions.find(db, { environment_id: '', id: '' }, at),
  'sessions that are over, further on': (db) => walks.sessions.find(db, { environment_id: env('b'), id: 'ses_060' }, at),
  'grants that are over': (db) => walks.grants.find(db, { environment_id: '', id: '' }, at),
  'grants that are over, further on': (db) => walks.grants.find(db, { environment_id: env('b'), id: 'grt_060' }, at),
  'grants whose visit is due': async (db) =>
    (await findDueGrants(db, at)).sort((a, b) => (a.environment_id + a.id < b.environment_id + b.id ? -1 : 1)),
  'owners of waiting events': (db) => findWaitingOwners(db, outboxes.events),
  'owners of waiting events, further on': (db) => findWaitingOwners(db, outboxes.events, env('a')),
  'owners of waiting audit entries': (db) => findWaitingOwners(db, outboxes.audit_log),
  'whether an address is proven in the tenant': (db) =>
    Promise.all(
      ['a', 'b', 'c']
        .map(env)
        .flatMap((environment_id) =>
          ['001@x.test', '002@x.test', 'none@x.test'].map(async (to) =>
            (await countMail({ ...limited, db }, environment_id, { to }, at)).map(({ values }) => values.map(String)),
          ),
        ),
    ),
}
const limited = { secrets: { mac: () => Buffer.from('mac') }, config: { limits: { mails_per_address: 5 } } } as unknown as Parameters<
  typeof countMail
>[0] // as: what it reads

test('the statements about many environments answer the same before and after the tables are distributed', { skip: noCitus }, async (t) => {
  if (!citus) return
  const url = await citus.freshDatabase()
  const before = createDb(openPostgres(url, { limits: patient }))
  after(() => before.close())
  await migrate(before)
  await runCommand(url, seed)
  const answered = await Promise.all(Object.entries(about_many).map(async ([name, ask]) => [name, await ask(before)] as const))
  await before.run(sql`delete from deployment`)
  await before.close()
  await placeTables(url)
  const db = createDb(openPostgres(url, { limits: patient }))
  after(() => db.close())
  for (const [name, expected] of answered) await t.test(name, async () => assert.deepEqual(await about_many[name]?.(db), expected))
  assert.deepEqual(await findWaitingOwners(db, outboxes.events), [env('a'), env('c')])
  const found = await walks.sessions.find(db, { environment_id: '', id: '' }, at)
  assert.ok([true, false].every((is_over) => found.some((session) => session.is_over === is_over)))
})
