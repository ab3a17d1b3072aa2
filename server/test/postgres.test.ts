/** The PostgreSQL server of the tests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase, noPostgres, startPostgres } from './support/postgres.ts'
import { requireAsPackage } from './support/postgres-package.ts'

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new (requireAsPackage('pg').Client)({ connectionString: url })
  await client.connect()
  const { rows } = await client.query({ text, rowMode: 'array' })
  await client.end()
  return rows.flat()
}

test('fresh databases are empty and separate', { skip: noPostgres }, async () => {
  const [one, two] = [await freshDatabase(), await freshDatabase()]
  await ask(one, 'create table things (name text)')
  const tables = `select count(*)::integer from information_schema.tables where table_schema = 'public'`
  assert.deepEqual([await ask(one, tables), await ask(two, tables)], [[1], [0]])
})

test('the server of the tests does not sort text by bytes', { skip: noPostgres }, async () => {
  assert.deepEqual(await ask(await freshDatabase(), `select * from (values ('B'), ('a')) as letters (letter) order by letter`), ['a', 'B'])
})

test('a stopped server refuses connections', { skip: noPostgres }, async () => {
  const server = await startPostgres()
  await server.stop()
  await assert.rejects(ask(server.url, 'select 1'), { code: 'ECONNREFUSED' })
})
