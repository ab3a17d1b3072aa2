import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedTables } from './statements.ts'

const named = ['grants', 'refresh_chains', 'sessions']

// biome-ignore format: this table is read by column
const forms: [what: string, text: string, changed: readonly string[]][] = [
  ['an insert changes its table',                 'insert into grants (a) select a from sessions, refresh_chains', ['grants']],
  ['an upsert changes its table',                 'insert into grants (a) values (?) on conflict (a) do update set a = (select a from sessions)', ['grants']],
  ['an update changes its table',                 'update refresh_chains set a = ? where exists (select 1 from sessions)', ['refresh_chains']],
  ['a delete changes its table',                  'delete from sessions where a in (select a from grants)', ['sessions']],
  ['line breaks and capitals change nothing',  '\n  UPDATE grants\n set a = ? where b in (select b from sessions)', ['grants']],
  ['a select changes nothing',                    'select 1 as held from grants, sessions where a = ?', []],
  ['a change after with may change all',          'with a as (select a from grants) update sessions set a = 1', named],
  ['insert or replace may change all',            'insert or replace into grants (a) select a from sessions', named],
  ['update or ignore may change all',             'update or ignore grants set a = (select a from sessions)', named],
  ['a table in quotes may change all',            'update "grants" set a = (select a from sessions)', named],
  ['a table of another schema may change all',    'update main.grants set a = (select a from sessions)', named],
  ['a table that is not known may change all',    'update others set a = (select a from sessions)', named],
]
for (const [what, text, changed] of forms) test(what, () => assert.deepEqual(changedTables(text, named), changed))
