/** The PostgreSQL engine on a database that Citus distributes over three nodes: batches are blocks, and so atomic (decision 0144). */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { createDb, type Engine, guard, type Migration, requires, type Statement, sql } from '../src/db/db.ts'
import { migrate } from '../src/db/migrate.ts'
import { indexes_without_marks } from '../src/db/placement.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { noCitus, placeTables, startCitus } from './support/citus.ts'
import { testConformance } from './support/db.conformance.ts'
import { runCommand } from './support/postgres.ts'

const citus = noCitus ? null : await startCitus()
after(() => citus?.stop())

/** Distributes the tables of the conformance tests after the migration that makes them. Their keys hold the column then. */
const distribute_things = `
  alter table children drop constraint children_thing_id_fkey; alter table children drop constraint children_pkey;
  alter table children add primary key (thing_id, id); alter table things drop constraint things_label_key;
  select create_distributed_table('things', 'id'); select create_distributed_table('children', 'thing_id', colocate_with => 'things');
  alter table children add foreign key (thing_id) references things (id)`

function distributing(url: string): Engine {
  const engine = openPostgres(url, { has_blocks: true })
  return {
    ...engine,
    async migrate(migrations: readonly Migration[]) {
      const migrated = await engine.migrate(migrations)
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
    for (const [index, create] of Object.entries(indexes_without_marks)) await runCommand(url, `drop index ${index}; ${create}`)
    await placeTables(url)
    const db = createDb(openPostgres(url, { has_blocks: true, connections: 2 }))
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
    // All are sent at once, so batches stand behind failing ones on the same connections.
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
