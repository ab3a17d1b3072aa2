import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, type RecordedBatch } from './recorded.ts'
import { judgeRecord } from './recorded-laws.ts'

const keys = new Map([
  ['environments', [['id']]],
  ['users', [['environment_id', 'id']]],
  ['sessions', [['environment_id', 'id']]],
  ['jobs', [['id']]],
  ['audit_log', [['tenant_id', 'id']]],
])
const batch = (...texts: string[]): RecordedBatch => ({
  file: 'some.test.ts',
  engine: 'postgres',
  owner: 'many',
  is_refused: false,
  statements: texts.map((text) => {
    const [, guard, of_key] = /^(guard )?(of key: )?/.exec(text) ?? []
    return parse(text.replace(/^guard (of key: )?/, ''), guard !== undefined, of_key !== undefined)
  }),
})
const about = 'update users set updated_at = updated_at where environment_id = ? and id = ?'
const end = 'update sessions set ended_at = ? where environment_id = ? and id = ?'

// biome-ignore format: this table is read by column
const broken: [law: string, texts: string[]][] = [
  ['batches take locks in one order',              [about, 'update tenants set name = ? where id = ?']],
  ['each table has a place in lock_order',         ['insert into pears (id) values (?) on conflict (id) do nothing']],
  ['batches take locks in one order',              ['update es256_keys set unused_from = ? where environment_id = ? and kid = ?', 'update roles set name = ? where environment_id = ? and id = ?']],
  ['a batch about a user begins with aboutUser',   [end, 'update grants set ended_at = ? where environment_id = ? and id = ?']],
  ['a batch about a user begins with aboutUser',   ['insert into sessions (id) values (?)']],
  ['a guard reads only rows that its batch holds', ['guard insert into members (user_id) select id from users where blocked_at is null']],
  ['a guard reads only rows that its batch holds', ['guard update users set a = 1 where environment_id = ? and id = ? and (select count(*) from passkeys where user_id = ?) < 5']],
  ['no statement changes any number of rows',      [about, 'update sessions set ended_at = ? where environment_id = ? and user_id = ?']],
  ['no statement changes any number of rows',      [about, 'update sessions set ended_at = ? where (environment_id = ? and id = ? or user_id = ?)']],
  ['no statement changes any number of rows',      ['delete from jobs']],
  ['no statement changes any number of rows',      ['delete from jobs where id = ? and lane = ? or attempts = ?']],
  ['no statement changes any number of rows',      ['delete from sessions where (environment_id, id) in (select environment_id, id from sessions where expires_at < ?)']],
  ['no statement changes any number of rows',      ['delete from jobs where lane = ? and coalesce((select 1 from leases where name = ? limit ?), 0) = 1']],
  ['a guard of a key gives a value for each column of a unique key', ['guard of key: update jobs set lane = ? where (id) in (select id from jobs limit ?)']],
  ['a guard of a key gives a value for each column of a unique key', ['guard of key: update jobs set lane = ? where id in (?…)']],
  ['a guard of a key gives a value for each column of a unique key', ['guard of key: insert into jobs (id) values (?)']],
  ['a guard of a key gives a value for each column of a unique key', ['guard of key: insert into jobs (id) select id from jobs where id = ?']],
  ['a statement marks the table that it changes, and no other', ['with a as (select 1) update jobs set lane = ? where id = ?']],
  ['a statement marks the table that it changes, and no other', ['update public.jobs set lane = ? where id = ?']],
  ['a statement is in the grammar of PostgreSQL',  ['replace into jobs (id) values (?)']],
  ['an insert that selects, alone in its batch, returns what it wrote', ['insert into consents (environment_id, user_id) select ?, id from users where environment_id = ? on conflict (environment_id, user_id) do nothing']],
]
for (const [law, texts] of broken)
  test(`a run fails where ${texts.join('; ')}, since ${law}`, () => {
    const offences = judgeRecord([batch(...texts)], keys)
    assert.ok(
      offences.some((offence) => offence.law === law && offence.file === 'some.test.ts'),
      JSON.stringify(offences),
    )
  })

// biome-ignore format: this table is read by column
const kept: [what: string, texts: string[]][] = [
  ['the row of the user comes first',         [about, end, 'guard insert into sessions (environment_id, id) select environment_id, id from users where environment_id = ? and blocked_at is null']],
  ['rows of an environment that the batch holds stand in any order', ['update environments set keys_version = keys_version + 1 where id = ?', 'update es256_keys set unused_from = ? where environment_id = ?', "insert into roles (environment_id, id) values (?…) on conflict do nothing"]],
  ['rows of a user that the batch holds stand in any order', [about, 'update half_sign_ins set a = 1 where environment_id = ? and x in (select y from z limit ?)', 'update sessions set a = 1 where environment_id = ? and id in (?…)']],
  ['a row under a random key is inserted',    ['insert into events (environment_id, id) values (?…)', about]],
  ['a limited list names the rows',           ['delete from jobs where (id) in (select id from jobs where a < ? order by a limit ?)']],
  ['an alternative is in a query for one row', ['update jobs set lane = ? where id = (select min(id) from jobs where lane = ? or lane = ?)']],
  ['SQLite explains a query',                 ['explain query plan select id from users where environment_id = ? and id = ?']],
  ['a guard of a key names one row',          ['guard of key: update jobs set lane = ? where id = ? and lane = ?']],
  ['a condition is on the row itself',        ['guard update users set a = 1 where environment_id = ? and id = ? and version = ?']],
]
for (const [what, texts] of kept)
  test(`a run keeps the laws where ${what}`, () => {
    const known = new Map([...keys, ['half_sign_ins', [['environment_id', 'secret_hash']]]])
    assert.deepEqual(judgeRecord([batch(...texts)], known), [])
  })
