import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTwoForms, type Statement, sql } from './db.ts'
import { inEnvironment, sameEnvironment } from './environment.ts'
import { environmentOf } from './owner.ts'

const [a, b] = [`env_0${'a'.repeat(25)}`, `env_0${'b'.repeat(25)}`]
const change = (id: string) => sql`update users set name = ${b} where environment_id = ${id} and id = 'u'`
const job = sql`insert into jobs (id, environment_id) values ('j', ${a})`

// biome-ignore format: this table is read by column
const batches: [what: string, statements: Statement[], environment_id: string | null][] = [
  ['a comparison with the environment',                [sql`select id from users where id = ${b} and environment_id = ${a}`], a],
  ['a comparison with a mark',                         [sql`select id from users u where u.id = ${b} and ${inEnvironment(a, 'u')}`], a],
  ['a join with a value that is not used',             [sql`select u.id from grants g join users u on ${sameEnvironment('u', 'g', a)} where g.environment_id = ${a}`], a],
  ['an insert of values',                              [sql`insert into users (environment_id, id) values (${a}, ${b})`], a],
  ['an insert that selects',                           [sql`insert into users (environment_id, id) select ${a}, ${b} where 1 = 1`], a],
  ['an insert that selects from rows of it',           [sql`insert into endings (environment_id, id) select ${a}, id from users where environment_id = ${a}`], a],
  ['a change that reads a table of every node',        [sql`update users set name = 'n' where environment_id = ${a} and exists (select 1 from environments where id = ${a})`], a],
  ['a read of tables of every node',                   [sql`select e.id from environments e join projects p on p.id = e.project_id where e.id = ${a}`], a],
  ['several statements about it',                      [change(a), change(a)], a],
  ['the form for a distributed database',              [inTwoForms(sql`select 1 from users`, change(a))], a],
  ['statements about two environments',                [change(a), change(b)], null],
  ['a change of a table of every node',                [sql`update environments set name = 'n' where id = ${a}`], null],
  ['a change beside one of a table of every node',     [sql`update environments set name = 'n' where id = ${a}`, change(a)], null],
  ['a change beside one of the coordinator',           [change(a), job], null],
  ['a read of the coordinator',                        [sql`select k.id from api_keys k where k.environment_id = ${a}`], null],
  ['a table that is distributed by scope',             [sql`select minute from dropped_calls where scope_id = ${a}`], null],
  ['a read of all environments from a row of one',     [sql`select id from users where (environment_id, id) > (${a}, ${'u'})`], null],
  ['text that is not an id',                           [change('env_1')], null],
  ['nothing about environments',                       [sql`select 1 as one`], null],
]
for (const [what, statements, environment_id] of batches)
  test(`${environment_id === null ? 'a batch about no one environment' : 'a batch about an environment'}: ${what}`, () => {
    assert.equal(environmentOf(statements), environment_id)
  })
