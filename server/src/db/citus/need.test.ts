import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Owner, type Statement, sql } from '../db.ts'
import { atCoordinator, onEveryNode } from '../environment.ts'
import { insertInto } from '../rows.ts'
import { type Need, needOf } from './need.ts'

const environment_id = 'env_a'
const own = sql`update users set name = 'n' where environment_id = ${environment_id} and id = 'u'`
const job = insertInto('jobs', { id: 'j', environment_id })
const counted = atCoordinator`(select count(*) from api_keys)`

// biome-ignore format: this table is read by column
const batches: [what: string, owner: Owner, statements: Statement[], need: Need][] = [
  ['rows of an environment',                              environment_id, [own, own],                                                          { environment_id, beside_coordinator: false }],
  ['an insert into a table of the coordinator beside it', environment_id, [own, job],                                                          { environment_id, beside_coordinator: true }],
  ['a change of the coordinator beside it',               environment_id, [own, atCoordinator`delete from jobs where id = 'j'`],               { environment_id, beside_coordinator: true }],
  ['a condition on rows of the coordinator',              environment_id, [sql`${own} and ${counted} < 5`],                                    { environment_id, beside_coordinator: true }],
  ['a change of rows that each node has',                 environment_id, [own, onEveryNode`update environments set name = 'n' where id = 'e'`], 'every node'],
  ['an insert into a table that each node has',           'none',         [insertInto('tenants', { id: 't' })],                                'every node'],
  ['tables without an environment',                       'none',         [job],                                                               'coordinator'],
  ['rows of many environments',                           'many',         [own],                                                               'every node'],
]
for (const [what, owner, statements, need] of batches)
  test(`a batch about ${what} needs ${JSON.stringify(need)}`, () => assert.deepEqual(needOf(owner, statements), need))
