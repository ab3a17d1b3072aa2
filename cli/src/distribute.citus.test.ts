/** `ostiary distribute` and `ostiary doctor` on three nodes: what they change, refuse and say (decision 0146). */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { distribute, inspectDistribution } from '@ostiary/server/db/citus/distribute.ts'
import { type Place, placeOf, tables_of } from '@ostiary/server/db/citus/placement.ts'
import { createDb, sql } from '@ostiary/server/db/db.ts'
import { migrate, readMigrations } from '@ostiary/server/db/migrate.ts'
import { openPostgres } from '@ostiary/server/db/postgres/postgres.ts'
import { time_limits } from '@ostiary/server/db/postgres/time.ts'
import { startService } from '@ostiary/server/main.ts'
import { Client } from 'pg'
import { distributedDatabase, noCitus, startCitus } from '../../server/test/support/citus.ts'
import { type Child, run } from '../../server/test/support/cli-process.ts'
import { createAgent, refresh, signInForTokens, userinfo } from '../../server/test/support/cookie-browser.ts'
import { until } from '../../server/test/support/receiver.ts'
import { assertWellRefused, env_of_load, prepareLoad, startLoad, summaryOf } from '../../server/test/support/steady-load.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'

const citus = noCitus ? null : await startCitus()
after(() => citus?.stop())
const skip = { skip: noCitus }
const started = () => citus ?? assert.fail('a skipped test runs')

type Row = Record<string, unknown>

async function ask(url: string, ...commands: string[]): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    let rows: Row[] = []
    for (const command of commands) rows = (await client.query(command)).rows
    return rows
  } finally {
    await client.end()
  }
}

const every_table = Object.values(tables_of).flat()
/** They say that, and how, a database was distributed. */
const changed_by_distributing = new Set(['deployment', 'schema_migrations', 'event_counters'])

/** Rows and a digest of each table, whatever the order of its rows. */
async function contentsOf(url: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const table of every_table.filter((name) => !changed_by_distributing.has(name))) {
    const [row] = await ask(
      url,
      `select count(*) as rows, coalesce(sum(hashtextextended(to_jsonb(t)::text, 0)), 0) as digest from ${table} t`,
    )
    contents[table] = `${row?.rows} ${row?.digest}`
  }
  return contents
}

/** Every table by its place, as Citus has it. */
async function placesOf(url: string): Promise<Record<string, string>> {
  const rows = await ask(
    url,
    'select table_name::text as name, citus_table_type as type, distribution_column as key, shard_count from citus_tables',
  )
  return Object.fromEntries(rows.map(({ name, type, key, shard_count }) => [name, `${type} ${key} ${shard_count}`]))
}

const as_registered = (shards: number) => {
  const said: Record<Place, string> = {
    environment: `distributed environment_id ${shards}`,
    scope: `distributed scope_id ${shards}`,
    everywhere: 'reference <none> 1',
    coordinator: 'local <none> 1',
  }
  return Object.fromEntries(every_table.map((table) => [table, said[placeOf(table) ?? 'coordinator']]))
}

const marker = 'a-person-who-is-deleted-later'

/** The schema, 1,000 people in each of two environments, an event of each, and what refers to them. */
async function fill(url: string): Promise<void> {
  const db = createDb(openPostgres(url))
  await migrate(db)
  await db.close()
  await ask(
    url,
    `insert into tenants (id, slug, name, created_at, updated_at) values ('ten_1', 't', 't', 0, 0)`,
    `insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_1', 'prj_1', 'p', 'p', 0, 0)`,
    `insert into environments (tenant_id, project_id, id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
     select 'ten_1', 'prj_1', 'env_' || n, 'e' || n, 'e', 'test', 'https://' || n, 0, 0, 0 from generate_series(1, 2) n`,
    `insert into members (tenant_id, user_id, role, created_at, updated_at) values ('ten_1', 'usr_1', 'owner', 0, 0)`,
    `insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, created_at, updated_at)
     select 'env_' || 1 + n % 2, 'usr_' || n, n || '@example.com', n || '@example.com', 1, 0, '{}', 0, 0 from generate_series(1, 2000) n`,
    `update users set name = '${marker}', email = '${marker}@example.com', email_key = '${marker}@example.com' where id = 'usr_7'`,
    `insert into consents (environment_id, user_id, application_id, scope, ending, created_at, updated_at)
     select environment_id, id, 'app', 'openid', 0, 0, 0 from users`,
    `insert into issuer_origins (issuer, environment_id, created_at) select issuer, id, 0 from environments`,
    `insert into leases (name, holder, expires_at) values ('sequencer', 'x', 0)`,
  )
}

async function filled(): Promise<string> {
  const url = await started().freshDatabase()
  await fill(url)
  return url
}

const environment = (url: string) => ({ OSTIARY_DATABASE_URL: url, OSTIARY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') })
const ostiary = (command: string, url: string, ...options: string[]): Child => run(command, environment(url), undefined, options)

test('an empty database is migrated, and each table gets its place; a second run has nothing to do', skip, async () => {
  const url = await started().freshDatabase()
  const said: string[] = []
  const { steps, nodes, shards } = await distribute(url, { shards: 4, say: (line) => said.push(line) })
  assert.deepEqual(await placesOf(url), as_registered(4))
  assert.deepEqual([nodes.length, shards, said.length], [3, 4, steps.length + 1])
  assert.deepEqual((await distribute(url, { shards: null })).steps, [])
  const db = createDb(openPostgres(url))
  const newest = readMigrations().at(-1)?.number
  assert.deepEqual(await db.schema(), { number: newest, oldest_program: newest })
  await db.close()
})

test('a dry run says every step and changes nothing, of an empty and of a filled database', skip, async () => {
  const state = (url: string) =>
    ask(url, `select relname, relfilenode from pg_class where relnamespace = 'public'::regnamespace order by 1`)
  for (const url of [await started().freshDatabase(), await filled()]) {
    const before = await state(url)
    const dry = await distribute(url, { shards: 4, is_dry_run: true })
    assert.deepEqual(await state(url), before)
    const done = await distribute(url, { shards: 4 })
    assert.deepEqual(
      done.steps.filter((step) => !dry.steps.includes(step) && !step.includes('event_counters')), // these got rows meanwhile
      [],
    )
  }
})

/** Runs the command until it says that it did a step, and kills it there, in the middle of the next one. */
async function killAt(url: string, moment: RegExp): Promise<void> {
  const child = ostiary('distribute', url, '--shards', '4')
  let text = ''
  child.process.stderr?.on('data', (chunk) => {
    text += chunk
    if (text.split('\n').some((line) => moment.test(line))) child.process.kill('SIGKILL')
  })
  const { signal, stderr } = await child.ended
  assert.equal(signal, 'SIGKILL', `${moment}: ${stderr}`)
  assert.equal((await inspectDistribution(url))?.state, 'begun')
}

const lease_until = (ms: number) =>
  `insert into leases (name, holder, expires_at) values ('early ends', 'x', floor(extract(epoch from clock_timestamp()) * 1000) + ${ms})`

/** Faults of a database, and the words of the refusal. Each is mended before the next. */
const refusals: { why: string; spoil: string; words: RegExp; mend: string }[] = [
  {
    why: 'a process of the service holds a lease',
    spoil: lease_until(50_000),
    words: /The service ran a moment ago: the last of its leases ends in (4\d|50) s/,
    mend: `delete from leases where name = 'early ends'`,
  },
  {
    why: 'a table has a trigger',
    spoil: `create function nothing() returns trigger language plpgsql as 'begin return new; end'; create trigger theirs before insert on users for each row execute function nothing()`,
    words: /trigger theirs of users\. Drop it/,
    mend: 'drop function nothing cascade',
  },
  {
    why: 'a table of others refers to one of ours',
    spoil: `create table theirs (environment_id text collate "C", id text collate "C", foreign key (environment_id, id) references users (environment_id, id))`,
    words: /foreign key theirs_environment_id_id_fkey of theirs/,
    mend: 'drop table theirs',
  },
  {
    why: 'a table was distributed by hand',
    spoil: `select create_distributed_table('consents', 'user_id', shard_count => 4)`,
    words: /consents is distributed in another way.*undistribute_table\('consents'/,
    mend: `select undistribute_table('consents')`,
  },
]

test('it refuses with the reason, and changes nothing', skip, async () => {
  const url = await filled()
  const { steps } = await distribute(url, { shards: 4, is_dry_run: true })
  for (const { why, spoil, words, mend } of refusals) {
    await ask(url, spoil)
    const { code, stdout, stderr } = await ostiary('distribute', url).ended
    assert.deepEqual([code, stdout], [1, ''], why)
    assert.match(stderr, words, why)
    await ask(url, mend)
  }
  const serving = new Client({ connectionString: url, application_name: 'ostiary serve x' })
  await serving.connect()
  const said: string[] = []
  assert.deepEqual((await distribute(url, { shards: 4, is_dry_run: true, say: (line) => said.push(line) })).steps, steps)
  assert.match(said.join(), /The service runs \(processes: 1\)/)
  await assert.rejects(distribute(url, { shards: 4 }), { name: 'CannotStart', message: /The service runs \(processes: 1\)/ })
  await serving.end()
  // A lease that ends later than any is long comes from a wrong clock and is ignored.
  await ask(url, lease_until(3_600_000))
  assert.deepEqual((await distribute(url, { shards: 4, is_dry_run: true })).steps, steps)
})

test(
  'it refuses a worker, a database without the extension, nodes that are missing, and other shards than the tables have',
  skip,
  async () => {
    const url = await started().freshDatabase()
    const [, worker = ''] = started().nodesOf(url)
    const refused = (address: string, shards: number | null, words: RegExp) =>
      assert.rejects(distribute(address, { shards }), { name: 'CannotStart', message: words })
    await refused(worker, null, /is a worker of Citus\. Let OSTIARY_DATABASE_URL name the coordinator/)
    await refused(Object.assign(new URL(url), { pathname: '/postgres' }).href, null, /no extension Citus\. As a superuser/)
    await distribute(url, { shards: 4 })
    await refused(url, 5, /have 4 shards already, and --shards says 5/)
    const alone = await started().freshDatabase()
    await ask(alone, `select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid <> 0`)
    await refused(alone, null, /has no node that takes tables/)
    await ask(alone, `select citus_remove_node(nodename, nodeport) from pg_dist_node`)
    await refused(alone, null, /do not know the address of this one/)
  },
)

test(
  'a migration puts its new tables in place after its commit, even if it was killed in between, and only at the coordinator',
  skip,
  async () => {
    const url = await started().freshDatabase()
    const [, worker = ''] = started().nodesOf(url)
    const before = readMigrations()
    const created = ['promoted_notes', 'promotion_notes']
    const adding = created.map((table) => `create table ${table} (environment_id text not null)`)
    const migrations = [...before, { number: 9998, name: 'notes', oldest_program: 9998, statements: adding }]
    await distribute(url, { shards: 4, migrations: before })
    const expected = Object.entries(as_registered(4))
    assert.deepEqual(await placesOf(url), Object.fromEntries(expected.filter(([table]) => !created.includes(table))))

    const of_worker = createDb(openPostgres(worker))
    await assert.rejects(migrate(of_worker, migrations), { name: 'CannotStart', message: /only its coordinator can migrate/ })
    assert.deepEqual(await of_worker.migrate(before), { from: before.at(-1)?.number, to: before.at(-1)?.number })
    await of_worker.close()

    // A run of the command that was cut short is left to its next run.
    const impatient = createDb(openPostgres(url, { limits: { ...time_limits, placed_ms: 0 } }))
    await ask(url, `update deployment set value = 'begun' where name = 'distribution'`)
    await assert.rejects(migrate(impatient, migrations), {
      name: 'CannotStart',
      message: /promoted_states, promotions\. Run "ostiary distribute"/,
    })
    await impatient.close()

    // As a process leaves it that was killed between the commit of the migration and the first placement.
    await ask(url, `update deployment set value = 'whole' where name = 'distribution'`)
    const db = createDb(openPostgres(url))
    after(() => db.close())
    await Promise.all([migrate(db, migrations), migrate(db, migrations)])
    assert.deepEqual(await placesOf(url), as_registered(4))
  },
)

const database_files = (folder: string): string[] =>
  readdirSync(join(folder, 'base'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

test('a person who is deleted afterwards is in no file of a table of any node', skip, async () => {
  const url = await filled()
  await distribute(url, { shards: 4 })
  const nodes = started().nodesOf(url)
  const found = async () => {
    for (const node of nodes) await ask(node, 'checkpoint')
    const folders = await Promise.all(nodes.map(async (node) => String((await ask(node, 'show data_directory'))[0]?.data_directory)))
    const oids = await Promise.all(
      nodes.map(async (node) => String((await ask(node, 'select oid from pg_database where datname = current_database()'))[0]?.oid)),
    )
    return folders.flatMap((folder, index) =>
      database_files(folder).filter((file) => file.includes(`/base/${oids[index]}/`) && readFileSync(file).includes(marker)),
    )
  }
  assert.equal((await found()).length > 0, true)
  const db = createDb(openPostgres(url))
  for (const table of ['consents', 'users'] as const) {
    const key = table === 'users' ? sql`id` : sql`user_id`
    const from = table === 'users' ? sql`users` : sql`consents`
    assert.equal(await db.run(sql`delete from ${from} where environment_id = 'env_2' and ${key} = 'usr_7'`), 1)
  }
  await db.close()
  for (const table of ['users', 'consents']) await ask(url, `vacuum (full, analyze) ${table}`)
  assert.deepEqual(await found(), [])
})

/** Moves the shards with the rows of an environment to the other worker while they are written. Returns its port. */
async function moveShardOf(url: string, environment_id: string): Promise<number> {
  const [shard] = await ask(
    url,
    `select shardid, nodename, nodeport from pg_dist_shard s join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('consents', '${environment_id}')`,
  )
  const [other] = await ask(url, `select nodename, nodeport from pg_dist_node where groupid <> 0 and nodeport <> ${shard?.nodeport}`)
  await ask(
    url,
    `select citus_move_shard_placement(${shard?.shardid}, '${shard?.nodename}', ${shard?.nodeport}, '${other?.nodename}', ${other?.nodeport}, 'force_logical')`,
  )
  return Number(other?.nodeport)
}

test('a shard that moves to another node loses no change that was answered', skip, async () => {
  const url = await filled()
  await distribute(url, { shards: 4 })
  const db = createDb(openPostgres(url))
  after(() => db.close())
  let answered = 0
  let refused = 0
  let is_moving = true
  const write = async (): Promise<void> => {
    for (let n = 0; is_moving || n < 10; n++) {
      const id = `moved_${answered + refused}_${Math.random()}` // one row for each write
      const insert = sql`insert into consents (environment_id, user_id, application_id, scope, ending, created_at, updated_at)
        values ('env_1', ${id}, 'app', 'moved', 0, 0, 0)`
      await db.batch([insert, sql`update users set updated_at = updated_at + 1 where environment_id = 'env_1' and id = 'usr_2'`]).then(
        () => answered++,
        () => refused++,
      )
    }
  }
  const writing = Promise.all([write(), write()])
  await moveShardOf(url, 'env_1')
  is_moving = false
  await writing
  const [row] = await ask(
    url,
    `select (select count(*) from consents where environment_id = 'env_1' and scope = 'moved')::int as rows,
            (select updated_at from users where environment_id = 'env_1' and id = 'usr_2')::int as changes`,
  )
  assert.ok(answered > 0)
  // A refused change may have been made: its answer says that this is not known.
  assert.ok(Number(row?.rows) >= answered && Number(row?.rows) <= answered + refused, JSON.stringify({ row, answered, refused }))
  assert.equal(row?.changes, row?.rows)
})

test('a shard that moves under refreshes in four environments loses none, and is then answered from the other node', skip, async (t) => {
  const url = await distributedDatabase(started())
  const w = await world({ engine: 'sqlite', env: { ...environment(url), ...env_of_load } }) // which chooses no database of its own
  const second = await w.createProject('second')
  const load = startLoad(w, await prepareLoad(w, [w.test, w.live, second.test, second.live]))
  await until('every sender is served', () => load.isServedSince(0))
  const began = performance.now()
  const port = await moveShardOf(url, w.test.id)
  const moved = { at: performance.now(), now: w.now().getTime() }
  await until('every sender is served again', () => load.isServedSince(moved.at))
  await load.end()
  const meanwhile = load.answers.filter((each) => each.began > began && each.began < moved.at)
  t.diagnostic(`moved in ${Math.round(moved.at - began)} ms, meanwhile:\n${summaryOf(meanwhile)}`)
  // Each family was refreshed once more with the token that was answered last.
  assertWellRefused(load.answers)
  const places = await ask(
    url,
    `select nodeport, result from run_command_on_placements('refresh_chains', $$select max(issued_at) from %s where environment_id = '${w.test.id}'$$)
      where result <> ''`,
  )
  assert.deepEqual(
    places.map(({ nodeport }) => nodeport),
    [port],
  )
  assert.ok(Number(places[0]?.result) > moved.now)
})

async function postmasterOf(url: string): Promise<number> {
  const [row] = await ask(url, 'show data_directory')
  return Number(readFileSync(join(String(row?.data_directory), 'postmaster.pid'), 'utf8').split('\n', 1)[0])
}

test('doctor names the nodes, one that does not answer, and tables that are not in their places', skip, async () => {
  const url = await started().freshDatabase()
  const doctor = async () => (await ostiary('doctor', url).ended).stdout
  assert.match(await doctor(), /^ok +The database has the extension Citus 13\.\S+, and its tables are not distributed\.$/m)
  await distribute(url, { shards: 4 })
  const [coordinator = '', worker = ''] = started()
    .nodesOf(url)
    .map((node) => new URL(node).host)
  const whole = await doctor()
  assert.match(
    whole,
    new RegExp(
      `^ok +Citus 13\\.\\S+ distributes the tables over 3 nodes: ${coordinator} \\(coordinator\\), .*${worker}.* Shards of each table: 4\\.$`,
      'm',
    ),
  )
  assert.doesNotMatch(whole, /not where|by hand|does not answer/)

  await ask(url, `select undistribute_table('refused_calls')`)
  assert.match(
    await doctor(),
    /^PROBLEM +Tables are not where this version wants them \(1, refused_calls among them\)\. Run "ostiary migrate"/m,
  )
  await ask(url, `select create_reference_table('refused_calls')`)
  assert.match(
    await doctor(),
    /^PROBLEM +Tables were distributed by hand: refused_calls is on every node and belongs to the nodes by scope_id\./m,
  )

  const pid = await postmasterOf(started().nodesOf(url)[1] ?? '')
  process.kill(pid, 'SIGSTOP')
  try {
    assert.match(await doctor(), new RegExp(`^PROBLEM +The node ${worker} does not answer\\.`, 'm'))
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})

const many = 100_000

test(
  '100,000 people and their keys are answered the same before and after, even if the command is killed at five moments',
  skip,
  async () => {
    const url = await started().freshDatabase()
    const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-distribute-'))
    after(() => rmSync(data_dir, { recursive: true, force: true }))
    const w = await world({ data_dir, env: environment(url) })
    const people = await Promise.all(Array.from({ length: 20 }, () => w.createUser(w.test)))
    const [person = assert.fail()] = people
    await ask(
      url,
      `insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, created_at, updated_at)
     select '${w.test.id}', 'usr_' || lpad(n::text, 26, '0'), n || '@example.com', n || '@example.com', 1, 0, '{}', n, n from generate_series(1, ${many}) n`,
    )
    const secret = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
    const client = await w.createApplication(w.test)
    const { tokens } = await signInForTokens(w, w.test, client, { user: person })
    const get = async (path: string, options = {}) => expectStatus(200, await w.call('GET', path, options))
    const answers = async () => ({
      platform: (await get('/v1/api-keys/whoami')).id,
      secret: (await get('/v1/api-keys/whoami', { key: secret })).id,
      users: await get(`${w.test.path}/users?limit=100`),
      user: await get(`${w.test.path}/users/${person.id}`),
      one_of_many: await get(`${w.test.path}/users?email=${many}@example.com`),
      userinfo: expectStatus(200, await userinfo(w, w.test, tokens.access_token)),
      keys: await get(`${w.test.issuer}/v1/oauth/jwks.json`, { key: null }),
      applications: await get(`${w.test.path}/applications`),
    })
    const before = await answers()
    assert.equal(before.one_of_many.data.length, 1)

    await assert.rejects(distribute(url, { shards: 4 }), { name: 'CannotStart', message: /The service runs \(processes: 1\)/ })
    await w.service.stop()
    await ask(url, 'delete from leases') // instead of waiting for them
    const contents = await contentsOf(url)
    for (const moment of [/oldest/, /^projects /, /^used_assertions /, /^audit_log /, /^the first copy of /]) await killAt(url, moment)
    const { code, stdout, stderr } = await ostiary('distribute', url, '--json').ended
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).status, 'done')
    assert.deepEqual(await placesOf(url), as_registered(4))
    assert.deepEqual(await contentsOf(url), contents)
    const copies = await ask(url, 'select sum(pg_relation_size(logicalrelid)) as bytes from pg_dist_partition')
    assert.deepEqual(copies, [{ bytes: '0' }], 'no table holds a first copy of its rows')

    const service = await startService(w.deployment.config, { now: w.now, write: () => {} })
    after(() => service.stop())
    assert.deepEqual(await answers(), before)
    const next = expectStatus(200, await refresh(w, w.test, client, tokens.refresh_token))
    expectStatus(200, await userinfo(w, w.test, next.access_token))
    for (const user of people.slice(0, 5)) await signInForTokens(w, w.test, client, { user, agent: createAgent() })

    const pid = await postmasterOf(started().nodesOf(url)[1] ?? '')
    process.kill(pid, 'SIGSTOP')
    try {
      assert.equal((await fetch(w.reach(`${w.base_url}/readyz`))).status, 200, 'a node that does not answer leaves the service ready')
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  },
)
