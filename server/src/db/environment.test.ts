import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type Statement, sql } from './db.ts'
import { inEnvironment, likelyInEnvironment, sameEnvironment, unindexed, withoutMarks } from './environment.ts'

// biome-ignore format: this table is read by column
const conditions: [condition: () => Statement, marked: string, bare: string, values: string[]][] = [
  [() => inEnvironment('env_1'),             "environment_id || '' = ?",                                               'environment_id = ?',                                       ['env_1']],
  [() => inEnvironment('env_1', 'u'),        "u.environment_id || '' = ?",                                             'u.environment_id = ?',                                     ['env_1']],
  [() => likelyInEnvironment('env_1', 'u'),  '(u.environment_id = ?) is true',                                         '(u.environment_id = ?)',                                   ['env_1']],
  [() => sameEnvironment('u', 'g', 'env_1'), 'u.environment_id = g.environment_id || substr(?, 1, 0)',                 'u.environment_id = ?',                                     ['env_1']],
  [() => unindexed('g'),                     "g.environment_id || ''",                                                 'g.environment_id',                                         []],
  [() => unindexed('l', 'tenant_id'),        "l.tenant_id || ''",                                                      "l.tenant_id || ''",                                        []],
]
for (const [condition, marked, bare, values] of conditions)
  test(`"${marked}" is "${bare}" on a distributed database`, () => {
    const { parts, values: given } = condition()
    assert.equal(parts.join('?'), marked)
    assert.equal(withoutMarks(parts).join('?'), bare)
    assert.deepEqual(given, values)
  })

test('statements about two environments have the same array of parts, by which engines recognise a text', () => {
  const find = (environment_id: EnvironmentId) =>
    sql`select u.id from grants g join users u on ${sameEnvironment('u', 'g', environment_id)} where ${inEnvironment(environment_id, 'g')}`
  assert.equal(find('env_1').parts, find('env_2').parts)
  assert.deepEqual(find('env_2').values, ['env_2', 'env_2'])
})
