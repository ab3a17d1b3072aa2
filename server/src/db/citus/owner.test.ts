import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTwoForms, type Statement, sql } from '../db.ts'
import { inEnvironment, sameEnvironment } from '../environment.ts'
import { type Need, needOf } from './owner.ts'

const [a, b] = [`env_0${'a'.repeat(25)}`, `env_0${'b'.repeat(25)}`]
const change = (id: string) => sql`update users set name = ${b} where environment_id = ${id} and id = 'u'`
const job = sql`insert into jobs (id, environment_id) values ('j', ${a})`

const about = { environment_id: a, beside_coordinator: false }
const beside = { environment_id: a, beside_coordinator: true }

// biome-ignore format: this table is read by column
const batches: [what: string, statements: Statement[], need: Need][] = [
  ['a comparison with the environment',                [sql`select id from users where id = ${b} and environment_id = ${a}`], about],
  ['a comparison with a mark',                         [sql`select id from users u where u.id = ${b} and ${inEnvironment(a, 'u')}`], about],
  ['a join with a value that is not used',             [sql`select u.id from grants g join users u on ${sameEnvironment('u', 'g', a)} where g.environment_id = ${a}`], about],
  ['an insert of values',                              [sql`insert into users (environment_id, id) values (${a}, ${b})`], about],
  ['an insert over several lines',                     [sql`insert into users
    ( environment_id, id)
    values ( ${a}, ${b})`], about],
  ['an insert that selects',                           [sql`insert into users (environment_id, id) select ${a}, ${b} where 1 = 1`], about],
  ['an insert that selects from rows of it',           [sql`insert into endings (environment_id, id) select ${a}, id from users where environment_id = ${a}`], about],
  ['a change that reads a table of every node',        [sql`update users set name = 'n' where environment_id = ${a} and exists (select 1 from environments where id = ${a})`], about],
  ['a read of tables of every node',                   [sql`select e.id from environments e join projects p on p.id = e.project_id where e.id = ${a}`], about],
  ['several statements about it',                      [change(a), change(a)], about],
  ['the form for a distributed database',              [inTwoForms(sql`select 1 from users`, change(a))], about],
  ['statements about two environments',                [change(a), change(b)], 'every node'],
  ['a change of a table of every node',                [sql`update environments set name = 'n' where id = ${a}`], 'every node'],
  ['a change beside one of a table of every node',     [sql`update environments set name = 'n' where id = ${a}`, change(a)], 'every node'],
  ['a change beside one of the coordinator',           [change(a), job], beside],
  ['a read of the coordinator',                        [sql`select k.id from api_keys k where k.environment_id = ${a}`], 'coordinator'],
  ['a table that is distributed by scope',             [sql`select minute from dropped_calls where scope_id = ${a}`], 'every node'],
  ['a read of all environments from a row of one',     [sql`select id from users where (environment_id, id) > (${a}, ${'u'})`], 'every node'],
  ['text that is not an id',                           [change('env_1')], 'every node'],
  ['nothing about environments',                       [sql`select 1 as one`], 'coordinator'],
  ['a change of the coordinator',                       [job], 'coordinator'],
  ['a read of tables of every node, of no environment', [sql`select id from environments where id = ${'env_1'}`], 'coordinator'],
  ['a read of both',                                    [sql`select u.id from users u join jobs j on j.id = u.id where u.environment_id = ${a}`], beside],
]
for (const [what, statements, need] of batches)
  test(`${what} needs ${typeof need === 'string' ? `the ${need}`.replace('the every', 'every') : `the node of its environment${need.beside_coordinator ? ' and the coordinator' : ''}`}`, () => {
    assert.deepEqual(needOf(statements), need)
  })
