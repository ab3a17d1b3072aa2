import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { guard, join, type OfEnvironment, sql } from './db.ts'
import { inEnvironment } from './environment.ts'
import { insertInto } from './rows.ts'

const environment_id: EnvironmentId = 'env_a'
const Id = z.object({ id: z.string() })

/** Takes what the handle of an environment takes. The type check judges these calls. */
const ofEnvironment = (_: typeof Id, { values }: OfEnvironment) => values

test('a statement with the environment as a value, its own or that of a part, is of an environment', () => {
  assert.deepEqual(ofEnvironment(Id, sql`select id from users where environment_id = ${environment_id} and id = ${'u'}`), ['env_a', 'u'])
  assert.deepEqual(ofEnvironment(Id, sql`select id from users where ${inEnvironment(environment_id)}`), ['env_a'])
  assert.deepEqual(ofEnvironment(Id, guard(insertInto('users', { environment_id, id: 'u' }))), ['env_a', 'u'])
  assert.deepEqual(ofEnvironment(Id, join([sql`id = ${environment_id}`, sql`id <> ${environment_id}`], ' or ')), ['env_a', 'env_a'])
})

test('any other statement is not, and the type check refuses it', () => {
  const id: string = 'env_a'
  // @ts-expect-error no value
  assert.deepEqual(ofEnvironment(Id, sql`select id from users`), [])
  // @ts-expect-error a text, which need not be the id of an environment
  assert.deepEqual(ofEnvironment(Id, sql`select id from users where environment_id = ${id}`), ['env_a'])
  // @ts-expect-error a table without an environment
  assert.deepEqual(ofEnvironment(Id, insertInto('jobs', { id: 'j' })), ['j'])
})
