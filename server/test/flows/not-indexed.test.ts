/** Search engines list the documentation and no other page. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes, serviceRoutes } from '@ostiary/contract/routes.ts'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { world } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'ostiary-not-indexed-'))
after(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), '<!doctype html><html><head></head></html>')
const w = await world({ dashboard_folder: folder })
const client = await w.createApplication(w.test)

const get = async (path: string) => {
  const { status, headers } = await w.call('GET', path, { key: null, headers: { accept: 'text/html' } })
  return { status, is_page: headers.get('content-type')?.startsWith('text/html') ?? false, robots: headers.get('x-robots-tag') }
}

const addressOf = (path: string) => path.replace('{environment_id}', w.test.id).replaceAll(/\{\w+\}/g, 'unknown')
const pages = [...Object.values<Route>(oidcRoutes), ...Object.values<Route>(serviceRoutes)]
  .filter(({ method, page }) => method === 'GET' && page === true)
  .map(({ path }) => addressOf(path))

const seen: string[] = []
for (const path of [
  ...new Set([...pages, authorizationRequest(w.test, client).url, '/nowhere', `/e/${w.test.id}/nowhere`, '/dashboard/t/acme']),
])
  test(`GET ${path.split('?')[0]}: ${path.startsWith('/docs') ? 'a document may be listed' : 'a page is not listed'}`, async () => {
    const { status, is_page, robots } = await get(path)
    if (!is_page) return assert.equal(robots, null)
    seen.push(path)
    if (!path.startsWith('/docs')) assert.equal(robots, 'noindex')
    else if (status === 200) assert.equal(robots, null)
  })

test('other answers have no such header', async () => {
  for (const path of ['/openapi.json', '/llms.txt', '/healthz', `/e/${w.test.id}/v1/oauth/jwks.json`])
    assert.equal((await get(path)).robots, null)
})

test('pages of the issuer, of the service, of the dashboard and of errors are among them', () => {
  for (const path of ['/', '/setup', '/dashboard', '/nowhere', `/e/${w.test.id}/account`, `/e/${w.test.id}/nowhere`, '/docs'])
    assert.ok(seen.includes(path), path)
})
