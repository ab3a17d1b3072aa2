import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '@ostiary/server/base/config/config.ts'
import { sql } from '@ostiary/server/db/db.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'
import { checkIssuers } from './doctor-issuers.ts'

const w = await world({ env: { OSTIARY_ISSUER_HOSTS: 'login.acme.example=acme' } })
const body = { slug: 'own', name: 'Own', type: 'test', issuer: 'https://login.acme.example' }
expectStatus(201, await w.call('POST', `/v1/platform/projects/${w.project.id}/environments`, { body }))
const acme = { pattern: 'login.acme.example', tenant_slug: 'acme' }

/** The findings that are not ok, with other entries or another base URL. */
async function findings(change: Partial<Config>) {
  const found = await checkIssuers({ ...w.deployment, config: { ...w.deployment.config, ...change } })
  return found.filter(({ level }) => level !== 'ok').map(({ level, text }) => `${level} ${text}`)
}

test('doctor finds nothing wrong with listed hosts, and an issuer with a host of its own needs no base URL', async () => {
  assert.deepEqual(await findings({}), [])
})

test('doctor names an entry that is bound to a tenant which does not exist', async () => {
  const issuer_hosts = [acme, { pattern: '*.globex.example', tenant_slug: 'globex' }]
  const [only, ...others] = await findings({ issuer_hosts })
  assert.match(only ?? '', /^warning OSTIARY_ISSUER_HOSTS: \*\.globex\.example=globex names a tenant that does not exist/)
  assert.deepEqual(others, [])
})

test('doctor names an issuer whose host is no longer listed', async () => {
  const [only, ...others] = await findings({ issuer_hosts: [] })
  assert.match(only ?? '', /^warning 1 issuers have a host .* no longer lists: https:\/\/login\.acme\.example\./)
  assert.deepEqual(others, [])
})

test('doctor counts the issuers below another base URL, and not those with a host of their own', async () => {
  const [only] = await findings({ base_url: 'https://moved.example' })
  assert.match(only ?? '', /^warning 3 issuers are not under https:\/\/moved\.example/)
})

test('doctor reports an entry without a tenant as a problem once there are two', async () => {
  const issuer_hosts = [acme, { pattern: '*.acme.example', tenant_slug: null }]
  assert.deepEqual(await findings({ issuer_hosts }), [])
  const at = w.now()
  await w.deployment.db.batch([
    sql`insert into tenants (id, slug, name, created_at, updated_at) values ('ten_2', 'globex', 'Globex', ${at}, ${at})`,
  ])
  const [only] = await findings({ issuer_hosts })
  assert.match(only ?? '', /^problem OSTIARY_ISSUER_HOSTS: .*Write \*\.acme\.example=tenant-slug$/)
})
