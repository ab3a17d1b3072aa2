/** The management API is not answered at the host of an issuer: every row of its table (decision 0044). */
import assert from 'node:assert/strict'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { rows, testRows } from '../support/route-table.ts'
import { expectStatus, world } from '../support/world.ts'

const issuer = 'https://login.acme.example'
const w = await world({ env: { OSTIARY_ISSUER_HOSTS: 'login.acme.example' } })
const body = { slug: 'own', name: 'Own', type: 'live', issuer }
expectStatus(201, await w.call('POST', `/v1/platform/projects/${w.project.id}/environments`, { body }))

async function codeAt(host: string, method: string, path: string) {
  const headers = { host, 'x-api-key': w.key, 'content-type': 'application/json', connection: 'close' }
  const { status, body } = await sendRaw(w.reach(w.base_url), rawRequest(method, path, headers, method === 'GET' ? '' : '{}'))
  const { code = null, detail = '' } = body === '' ? {} : JSON.parse(body)
  return { status, code, detail }
}

const no_route = 'There is no such address.'
const management = rows.filter(({ route }) => route.path.startsWith('/v1/'))

testRows('a route of the management API is 404 at the host of an issuer, with any key', management, async ({ route }) => {
  const path = route.path.replaceAll(/\{\w+\}/g, 'unknown')
  const there = await codeAt('login.acme.example', route.method, path)
  assert.deepEqual([there.status, there.code], [404, 'not_found'])
  assert.ok(there.detail.startsWith(no_route) && there.detail.endsWith(`${issuer}/.well-known/openid-configuration`), there.detail)
  const here = await codeAt(new URL(w.base_url).host, route.method, path)
  assert.ok(here.status !== 421 && !here.detail.startsWith(no_route), `the route exists: ${here.status} ${here.detail}`)
})
