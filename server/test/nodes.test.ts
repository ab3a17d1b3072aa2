/**
 * Batches about one environment go to the node that has its rows (decision 0148): two servers pretend to be the coordinator and a worker of a
 * distributed database. A row says which of them answered.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Client } from 'pg'
import { z } from 'zod'
import { createDb, DatabaseUnavailable, type Db, sql } from '../src/db/db.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { insertInto } from '../src/db/rows.ts'
import { freshDatabase, noPostgres, runCommand, startPostgres } from './support/postgres.ts'
import { pretendPlaced } from './support/pretended-citus.ts'
import { until } from './support/receiver.ts'
import { openLine } from './support/tcp-proxy.ts'

const worker = noPostgres ? null : await startPostgres()
after(() => worker?.stop())

const Answer = z.object({ node: z.string() })
const environment = (letter: string): EnvironmentId => `env_0${letter.repeat(25)}`
/** On the worker are the environments of this letter. */
const [of_coordinator, of_worker] = [environment('a'), environment('b')]

const tables = (node: string) => `
  create table users (environment_id text, id text, primary key (environment_id, id));
  create table environments (id text); create table jobs (id text); create table settled (node text);
  insert into settled values ('${node}')`

/** The catalogue of Citus about its nodes. Shard 1 is on the coordinator, and shard 2 on the worker. */
const catalogue = (port: string) => `
  create table pg_dist_shard (logicalrelid regclass, shardid bigint); create table pg_dist_placement (shardid bigint, groupid integer);
  create table pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text); create table pg_dist_local_group (groupid integer);
  insert into pg_dist_shard values ('users'::regclass, 1), ('users'::regclass, 2);
  insert into pg_dist_placement values (1, 0), (2, 1);
  insert into pg_dist_node values (0, '127.0.0.1', 1, 'primary'), (1, '127.0.0.1', ${port}, 'primary'), (1, '127.0.0.1', 1, 'secondary');
  insert into pg_dist_local_group values (0);
  create function get_shard_id_for_distribution_column(regclass, text) returns bigint as 'select case when $2 like ''env_0b%'' then 2 else 1 end' language sql`

/** A coordinator and a worker that is reached through `line`. With another password of the worker, it is out of reach from the beginning. */
async function opened({ is_reachable = true, connections = 3 } = {}) {
  assert.ok(worker)
  const url = await freshDatabase()
  const { password, pathname } = new URL(url)
  await runCommand(worker.url, `create database ${pathname.slice(1)}`)
  const url_of_worker = Object.assign(new URL(worker.url), { pathname }).href
  const line = await openLine(url_of_worker)
  for (const [node, at] of Object.entries({ coordinator: url, worker: url_of_worker })) {
    await runCommand(at, tables(node))
    await pretendPlaced(at, ['users', 'environments', 'jobs'])
  }
  await runCommand(url, catalogue(new URL(line.url).port))
  const user_of_process = `process_${pathname.slice(1)}`
  for (const [at, secret] of [
    [url, password],
    [url_of_worker, is_reachable ? password : 'another'],
  ] as const)
    await runCommand(at, `create role ${user_of_process} superuser login password '${secret}'`)
  const db = createDb(openPostgres(Object.assign(new URL(url), { username: user_of_process }).href, { connections }))
  after(async () => {
    line.close()
    await db.close()
  })
  return { db, line, url, url_of_worker }
}

/** The node that answers a read about the users of an environment. */
async function nodeOf(db: Db, environment_id: EnvironmentId): Promise<string | undefined> {
  const [row] = await db
    .of(environment_id)
    .all(
      Answer,
      sql`select s.node from settled s where not exists (select 1 from users u where u.environment_id = ${environment_id} and u.id = 'none')`,
    )
  return row?.node
}
const untilReached = (db: Db) => until('the worker answers', async () => (await nodeOf(db, of_worker)) === 'worker')
const addUser = (environment_id: EnvironmentId, id: string) => sql`insert into users (environment_id, id) values (${environment_id}, ${id})`
const usersAt = async (url: string) => {
  const db = createDb(openPostgres(url))
  const rows = await db.all(z.object({ id: z.string() }), sql`select id from users order by id`)
  await db.close()
  return rows.map(({ id }) => id)
}

test('a batch about an environment goes to the node of its rows, and each other to the coordinator', { skip: noPostgres }, async () => {
  const { db, url, url_of_worker } = await opened()
  await untilReached(db)
  assert.equal(await nodeOf(db, of_coordinator), 'coordinator')
  const job = (id: string) => insertInto('jobs', { id })
  await db.of(of_worker).batch([addUser(of_worker, '1'), addUser(of_worker, '2')])
  await db.of(of_coordinator).batch([addUser(of_coordinator, '3'), addUser(of_coordinator, '4')])
  await db.many.batch([addUser(of_worker, '5'), addUser(of_coordinator, '6')])
  await db.of(of_worker).batch([addUser(of_worker, '7'), job('7')])
  assert.deepEqual(await usersAt(url_of_worker), ['1', '2'])
  assert.deepEqual(await usersAt(url), ['3', '4', '5', '6', '7'])
})

test('look-ups of one turn go to the node of each', { skip: noPostgres }, async () => {
  const { db } = await opened()
  await untilReached(db)
  const find = (environment_id: EnvironmentId) =>
    db
      .of(environment_id)
      .maybeOne(Answer, sql`select s.node from settled s left join users u on u.environment_id = ${environment_id} and u.id = 'none'`)
  const of_none = () => db.maybeOne(Answer, sql`select node from settled`)
  const found = await Promise.all([find(of_worker), of_none(), find(of_coordinator), find(of_worker)])
  assert.deepEqual(
    found.map((row) => row?.node),
    ['worker', 'coordinator', 'coordinator', 'worker'],
  )
})

test('batches for a node that was never reached pass the coordinator', { skip: noPostgres }, async () => {
  const { db, line } = await opened({ is_reachable: false })
  let is_tried = false
  line.onSent = () => {
    is_tried = true
  }
  await until('the worker is tried', async () => (await nodeOf(db, of_worker)) === 'coordinator' && is_tried)
  for (let times = 0; times < 5; times++) assert.equal(await nodeOf(db, of_worker), 'coordinator')
})

test('a node that is gone takes its environments with it until they are elsewhere', { skip: noPostgres }, async () => {
  const { db, line, url } = await opened()
  await untilReached(db)
  line.close()
  const failed = await until('the worker is missed', () =>
    nodeOf(db, of_worker).then(
      () => false as const,
      (error: unknown) => error,
    ),
  )
  assert.ok(failed instanceof DatabaseUnavailable)
  await assert.rejects(db.of(of_worker).batch([addUser(of_worker, '1'), addUser(of_worker, '2')]), DatabaseUnavailable)
  assert.equal(await nodeOf(db, of_coordinator), 'coordinator')
  await runCommand(url, 'update pg_dist_placement set groupid = 0')
  await until('the coordinator has the rows', () =>
    nodeOf(db, of_worker).then(
      (node) => node === 'coordinator',
      () => false,
    ),
  )
})

test('a node that hangs holds up no batch for another', { skip: noPostgres }, async () => {
  const { db, line } = await opened()
  await untilReached(db)
  const release = line.holdAnswers()
  const hanging = Promise.allSettled(
    Array.from({ length: 50 }, (_, n) =>
      n % 2 === 0 ? db.of(of_worker).batch([addUser(of_worker, `${n}`), addUser(of_worker, `${n}.`)]) : nodeOf(db, of_worker),
    ),
  )
  for (let n = 0; n < 20; n++) {
    assert.equal(await nodeOf(db, of_coordinator), 'coordinator')
    await db.of(of_coordinator).batch([addUser(of_coordinator, `${n}`), addUser(of_coordinator, `${n}.`)])
  }
  const outcomes = await hanging
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof DatabaseUnavailable))
  release()
  await untilReached(db)
})

test('what the coordinator answers alone waits for no node', { skip: noPostgres }, async () => {
  const { db, url } = await opened()
  await untilReached(db)
  const job = (id: string) => insertInto('jobs', { id })
  const holder = new Client({ connectionString: url })
  await holder.connect()
  await holder.query('begin; lock table users') // as if the batches below waited for the worker
  const waiting = Promise.allSettled(
    Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0
        ? db.of(of_worker).batch([addUser(of_worker, `${n}`), job(`${n}`)])
        : db.many.batch([addUser(of_worker, `${n}`), addUser(of_coordinator, `${n}`)]),
    ),
  )
  for (let n = 0; n < 20; n++) {
    await db.batch([job(`now ${n}`), job(`now ${n}.`)])
    assert.equal((await db.maybeOne(Answer, sql`select node from settled`))?.node, 'coordinator')
  }
  await holder.query('rollback')
  await holder.end()
  await waiting
})
