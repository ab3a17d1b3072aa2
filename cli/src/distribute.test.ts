/** `ostiary distribute` where there is no Citus. `distribute.citus.test.ts` has three nodes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distribute } from '@ostiary/server/db/citus/distribute.ts'
import { createDb } from '@ostiary/server/db/db.ts'
import { openPostgres } from '@ostiary/server/db/postgres/postgres.ts'
import { freshDatabase, noPostgres } from '../../server/test/support/postgres.ts'

test('a PostgreSQL without Citus is refused with what the operator has to do, and stays empty', { skip: noPostgres }, async () => {
  const url = await freshDatabase()
  const words = /no extension Citus\. Install Citus on each node.*create extension citus.*citus_set_coordinator_host.*citus_add_node/
  for (const is_dry_run of [true, false])
    await assert.rejects(distribute(url, { shards: null, is_dry_run }), { name: 'CannotStart', message: words })
  const db = createDb(openPostgres(url))
  assert.equal((await db.schema()).number, 0)
  await db.close()
})

test('a database that is out of reach is said so, without its password', async () => {
  const url = 'postgres://a:hush@127.0.0.1:9/x'
  await assert.rejects(distribute(url, { shards: null }), { name: 'DatabaseUnavailable', message: /^(?!.*hush).*cannot be reached/ })
})
