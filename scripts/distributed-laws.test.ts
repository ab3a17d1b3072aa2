import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { distributedOffences, misdirected } from './distributed-laws.ts'
import { parse, type Recorded, type RecordedBatch } from './recorded.ts'

const offencesOf = (text: string) => [...distributedOffences(parse(text, false))].map(({ law }) => law)

const values = 'a statement gives the environment as a value for each table'
const others = 'no subquery takes the environment from another row'
const subquery = 'no insert of values has a subquery'
const conflict = 'an insert that selects has no value after on conflict'
const elsewhere = 'no change reads a table that lives elsewhere'

// biome-ignore format: this table is read by column
const broken: [law: string, text: string][] = [
  [values,    'select id from users where id = ?'],
  [values,    'select u.id from grants g join users u on u.id = g.user_id where g.environment_id = ? and g.id = ?'],
  [values,    "select u.id from grants g join users u on u.environment_id = g.environment_id || '' and u.id = g.user_id where g.environment_id = ?"],
  [values,    'select u.id from grants g, users u where g.environment_id = ? and u.id = g.user_id'],
  [values,    'select id from users where environment_id = ? or id = ?'],
  [values,    'select user_id from user_words where user_id = ?'],
  [values,    'select id from users where (environment_id = ? or id = ?) and name = ?'],
  [values,    'select 1 from users u where u.environment_id = ? and exists (select 1 from sessions where user_id = u.id)'],
  [values,    'select (select count(*) from sessions) from users where environment_id = ?'],
  [values,    'select id from users where environment_id = ? union all select id from sessions'],
  [values,    'with found as (select id from sessions where id = ?) select id from found'],
  [values,    'select case when exists (select 1 from passkeys k where k.user_id = ?) then 1 else 0 end from users where environment_id = ?'],
  [values,    'select id from users u where (u.environment_id = ?) is not true and id = ?'],
  [values,    'update users set name = ? where id = ?'],
  [values,    'delete from users where id in (?…)'],
  [values,    'insert into users (environment_id, id) select 1 + 1, id from tenants where id = ?'],
  [values,    'insert into consents (environment_id, user_id) select environment_id, id from users where id = ?'],
  [values,    'delete from refused_calls where id = ?'],
  [others,    "select 1 from users u where u.environment_id = ? and exists (select 1 from sessions s where s.environment_id = u.environment_id and s.user_id = u.id)"],
  [others,    "select (select s.id from sessions s where s.environment_id = g.environment_id || '' and s.id = g.session_id) from grants g where g.environment_id = ?"],
  [others,    "update grants set a = (select s.id from sessions s where s.environment_id = grants.environment_id || '' and s.id = grants.session_id) where environment_id = ?"],
  [others,    'delete from refused_calls where scope_id = ? and exists (select 1 from refused_calls newer where newer.scope_id = refused_calls.scope_id and newer.id > refused_calls.id)'],
  [subquery,  "insert into jobs (id, tenant_id) values (?, (select own.tenant_id from environments own where own.id = ?))"],
  [subquery,  "insert into jobs (id, tenant_id) values (?…, coalesce((select own.tenant_id from environments own where own.id = ?), '')) on conflict (id) do nothing"],
  [conflict,  'insert into jobs (id, tries) select ?, ? where 1 = 1 on conflict (id) do update set tries = jobs.tries + ?'],
  [conflict,  'insert into consents (environment_id, user_id) select id, ? from environments where id = ? on conflict (environment_id, user_id) do update set ending = 0 where consents.ending < ?'],
  [elsewhere, 'update environments set updated_at = updated_at where id = ? and (select count(*) from applications where environment_id = ?) < ?'],
  [elsewhere, 'update invitations set ended_at = ? where id = ? and exists (select 1 from users b where b.environment_id = ? and b.id = ?)'],
  [elsewhere, 'update webhook_messages set attempts = 0 where environment_id = ? and exists (select 1 from jobs where jobs.id = webhook_messages.id)'],
  [elsewhere, 'delete from sessions where environment_id = ? and not exists (select 1 from dashboard_sessions d where d.session_id = sessions.id)'],
  [elsewhere, 'delete from jobs where id = ? and exists (select 1 from webhook_messages m where m.environment_id = ? and m.id = jobs.id)'],
]
for (const [law, text] of broken)
  test(`"${text}" breaks the law: ${law}`, () => assert.ok(offencesOf(text).includes(law), JSON.stringify(offencesOf(text))))

test('only one file writes the marks after the column of the environment', () => {
  const root = join(import.meta.dirname, '../server/src')
  const is_marked = (file: string) =>
    /(environment|scope)_id (\|\| ('|substr)|= [^)]*\) is true)/.test(readFileSync(join(root, file), 'utf8'))
  const writing = globSync('**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts') && is_marked(file))
  assert.deepEqual(writing, ['db/environment.ts'])
})

const kept: string[] = [
  'select count(*) as count from (select 1 from user_words where user_words = ? limit ?) holders',
  'select id from users where environment_id = ? and id = ?',
  "select id from users where environment_id || '' = ? and id = ?",
  'select id from users u where (u.environment_id = ?) is true and id = ?',
  'select u.id from users u join environments e on e.id = u.environment_id where u.environment_id = ?',
  'select u.id from grants g join users u on u.environment_id = g.environment_id || substr(?, 1, 0) and u.id = g.user_id where g.environment_id = ?',
  'select 1 from users u where u.environment_id = ? and exists (select 1 from sessions s where s.environment_id = ? and s.user_id = u.id)',
  "select 1 from users u where u.environment_id = ? and id in (select user_id from sessions where 'env_1' = environment_id)",
  'select * from (select * from users where environment_id = ? limit ?) listed where 1 = 1 order by id',
  'with recursive used (id) as (select id from grants where environment_id = ? union all select used.id from used where used.id is not null) select id from used',
  'select id from api_keys k left join environments e on e.id = k.environment_id where k.digest = ?',
  'insert into users (environment_id, id) values (?…)',
  'insert into removed_passkeys (environment_id, id) select environment_id, id from passkeys where environment_id = ? and id = ? on conflict (environment_id, id) do nothing',
  'insert into jobs (id, tenant_id) select ?, (select own.tenant_id from environments own where own.id = ?) where 1 = 1 on conflict (id) do nothing',
  'insert into backchannel_logouts (environment_id, id) with recursive used (id) as (select id from sessions where environment_id = ?) select ?, id from used on conflict (environment_id, id) do nothing',
  'insert into jobs (id, tries) select ?, ? where 1 = 1 on conflict (id) do update set tries = jobs.tries + excluded.tries',
  'insert into event_counters (environment_id, last) values (?…) on conflict (environment_id) do update set last = excluded.last where event_counters.last = ?',
  'insert into jobs (id) select m.id from webhook_messages m where m.environment_id = ? and status = ?',
  'insert into sessions (environment_id, id) select environment_id, ? from users u where environment_id = ? and id = ?',
  'update environments set updated_at = updated_at where id = ?',
  'update users set name = ? where environment_id = ? and exists (select 1 from environments e where e.id = ?)',
  'select 1 as held where (select count(*) from applications where environment_id = ?) < ?',
  'delete from events where (environment_id, id) in (select environment_id, id from events where created_at < ? order by created_at limit ?)',
  'delete from refused_calls where scope_id = ? and exists (select 1 from refused_calls newer where newer.scope_id = ? and newer.id > refused_calls.id)',
]
for (const text of kept) test(`"${text}" runs on a distributed database`, () => assert.deepEqual(offencesOf(text), []))

const of_user = 'select id from users where environment_id = ?'
const of_job = 'delete from jobs where id = ?'
const of_environment = 'update environments set name = ? where id = ?'
const by_handle = 'a statement about rows of an environment is sent by its handle (db.of), or by that of many (db.many)'
const at_coordinator = 'a statement about rows of the coordinator says so (atCoordinator)'
const on_every_node = 'a statement that changes rows of every node says so (onEveryNode)'

// biome-ignore format: this table is read by column
const sent: [text: string, owner: RecordedBatch['owner'], lives: Recorded['lives'], law: string | null][] = [
  [of_user,                                                    'environment', undefined,            null],
  [of_user,                                                    'many',        undefined,            null],
  [of_user,                                                    'none',        undefined,            by_handle],
  ['insert into users (environment_id, id) values (?…)',       'none',        undefined,            by_handle],
  [of_user,                                                    'another',     undefined,            'a handle sends statements about its own environment'],
  [of_user,                                                    'environment', 'at the coordinator', 'no statement says that it lives elsewhere'],
  [of_user,                                                    'environment', 'on every node',      'no statement says that it lives elsewhere'],
  [of_job,                                                     'none',        undefined,            null],
  [of_job,                                                     'environment', 'at the coordinator', null],
  [of_job,                                                     'environment', undefined,            at_coordinator],
  ['select 1 from users u join jobs j on j.id = u.id where u.environment_id = ?', 'environment', undefined, at_coordinator],
  ['select id from environments where id = ?',                 'none',        undefined,            null],
  [of_environment,                                             'environment', 'on every node',      null],
  [of_environment,                                             'environment', undefined,            on_every_node],
  [of_environment,                                             'none',        undefined,            on_every_node],
  ['delete from refused_calls where scope_id = ?',             'many',        undefined,            null],
  ['delete from refused_calls where scope_id = ?',             'environment', undefined,            on_every_node],
]
for (const [text, owner, lives, law] of sent)
  test(`"${text}" ${lives ?? 'unmarked'}, sent about ${owner}, ${law ? `breaks the law: ${law}` : 'is sent right'}`, () =>
    assert.deepEqual(
      [...misdirected({ ...parse(text, false), lives }, owner)].map((found) => found.law),
      law === null ? [] : [law],
    ))
