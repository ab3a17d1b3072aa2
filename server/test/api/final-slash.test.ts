/** The address of a page of the site works with a final slash too; all other addresses are exact. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import { world } from '../support/world.ts'

const w = await world()
const ask = (method: string, path: string) => fetch(w.reach(w.base_url + path), { method, redirect: 'manual' })
const rows = (table: Readonly<Record<string, Route>>) => Object.entries(table).filter(([, { method }]) => method === 'GET')
const is_dashboard = /^\/dashboard/
const pages = rows(serviceRoutes).filter(([, { page, path }]) => page === true && path !== '/' && !is_dashboard.test(path))
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'concepts')

for (const [name, { path }] of pages)
  for (const [query, method] of [
    ['', 'GET'],
    ['?q=a/&x=%2F', 'GET'],
    ['', 'HEAD'],
  ] as const)
    test(`${name}: ${method} ${path}/${query} leads to the page, with its query`, async () => {
      const reply = await ask(method, `${filled(path)}/${query}`)
      assert.deepEqual([reply.status, reply.headers.get('location')], [308, filled(path) + query])
    })

test('the pages that the issue names are among them', () => {
  const paths = pages.map(([, { path }]) => path)
  for (const path of ['/docs', '/docs/api', '/demo', '/setup', '/docs/errors/{code}']) assert.ok(paths.includes(path), path)
})

const all_paths = [routes, oidcRoutes, serviceRoutes].flatMap((table) => Object.values<Route>(table).map(({ path }) => path))
const exact = [...rows(routes), ...rows(oidcRoutes), ...rows(serviceRoutes).filter(([, { page }]) => page !== true)].filter(
  ([, { path }]) => !path.startsWith('/dashboard') && !path.endsWith('/') && !all_paths.includes(`${path}/`),
)
for (const [name, { path }] of exact)
  test(`${name}: ${path} with a final slash is not found`, async () => {
    const at = path.replace('{environment_id}', w.test.id)
    const reply = await ask('GET', `${filled(at)}/`)
    assert.ok(reply.status !== 308, String(reply.headers.get('location')))
    assert.ok(reply.status >= 400, String(reply.status))
  })

// biome-ignore format: this table is read by column
const others: [method: string, path: string][] = [
  ['GET',  '//docs/'],
  ['GET',  '/docs//'],
  ['GET',  '/docs/api//'],
  ['GET',  '//evil.example/docs/'],
  ['GET',  '/\\evil.example/'],
  ['GET',  '/docs/a/b/c/'],
  ['GET',  '/.well-known/oauth-protected-resource/'],
  ['GET',  '/v1/application-templates/'],
  ['GET',  '/healthz/'],
  ['POST', '/docs/'],
]
for (const [method, path] of others)
  test(`${method} ${path} leads nowhere`, async () => {
    const { status, headers } = await ask(method, path)
    assert.ok(status >= 400, String(status))
    assert.equal(headers.get('location'), null)
  })
