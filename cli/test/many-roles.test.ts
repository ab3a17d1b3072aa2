/** 1,000 roles, more than an environment has by default: applied, pulled and compared, in two environments. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { world } from '../../server/test/support/world.ts'
import { openClient } from './support/terminal-of-client.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"roles":1000}' } })
const client = openClient(w)
const folder = mkdtempSync(join(tmpdir(), 'ostiary-roles-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const fileOf = (name: string) => join(folder, `${name}.yaml`)
const write = (name: string, document: object) => writeFileSync(fileOf(name), stringify({ version: 1, ...document }))
const read = (name: string) => parse(readFileSync(fileOf(name), 'utf8'))
async function ostiary(command: string, name: string, environment: string, ...more: string[]): Promise<void> {
  const words = [command, '--file', fileOf(name), '--project', 'shop', '--env', environment, ...more]
  const { code, out, err } = await client.ostiary(words, { key: w.key })
  assert.equal(code, 0, out + err)
}

const times = <T>(n: number, of: (i: number) => [string, T]) => Object.fromEntries(Array.from({ length: n }, (_, i) => of(i)))
const apis = Array.from({ length: 20 }, (_, i) => `api-${String(i).padStart(2, '0')}`)
const scopesOf = (api: string) => ['read', 'write', 'delete'].map((what) => `${api}:${what}`)
const resource_servers = times(20, (i) => {
  const api = apis[i] ?? ''
  return [
    api,
    { identifier: `https://${api}.example.com`, name: api, require_roles: true, scopes: scopesOf(api).map((name) => ({ name })) },
  ]
})
const roles = times(1_000, (i) => {
  const named = [...new Set([apis[i % 20] ?? '', apis[(i * 7 + 1) % 20] ?? ''])]
  const permissions = named.map((resource_server) => ({ resource_server, scopes: [scopesOf(resource_server)[i % 3] ?? ''] }))
  return [`role-${String(i).padStart(4, '0')}`, { kind: i % 4 === 0 ? 'organization' : 'user', name: `Role ${i}`, permissions }]
})

test('1,000 roles are applied and pulled, come back equal in another environment, and leave nothing to change', async () => {
  // A document has at most 1,000 objects, so the resource servers are a part of their own.
  write('servers', { resource_servers })
  write('roles', { roles })
  for (const part of ['servers', 'roles']) await ostiary('apply', part, 'test', '--yes')
  await ostiary('pull', 'pulled', 'test')
  const { roles: pulled } = read('pulled')
  const { description, administers, default: is_default, ...written } = pulled['role-0001']
  assert.deepEqual([description, administers, is_default, written], [null, false, false, roles['role-0001']])
  assert.equal(Object.keys(pulled).length, 1_000)
  await ostiary('diff', 'roles', 'test')

  write('of-test', { roles: pulled })
  for (const part of ['servers', 'of-test']) await ostiary('apply', part, 'live', '--yes')
  await ostiary('pull', 'back', 'live')
  assert.deepEqual(read('back').roles, pulled)
  await ostiary('diff', 'of-test', 'live')
})
