/**
 * One rule for the query and the form of every route: what exceeds the limits is refused and not parsed, and a page parses its query a bounded
 * number of times (docs/decisions/0169-one-rule-for-queries.md). Parsing is counted in characters.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { world } from '../support/world.ts'

const w = await world()
const client = await w.createApplication(w.test)

/** The characters that are parsed as a query or form while `act` runs, of texts that hold the mark. */
async function parsedDuring<T>(mark: string, act: () => Promise<T>): Promise<{ characters: number; result: T }> {
  const Native = globalThis.URLSearchParams
  let characters = 0
  class Counting extends Native {
    constructor(init?: ConstructorParameters<typeof URLSearchParams>[0]) {
      super(init)
      if (typeof init === 'string' && init.includes(mark)) characters += init.length
    }
  }
  globalThis.URLSearchParams = Counting
  try {
    return { result: await act(), characters }
  } finally {
    globalThis.URLSearchParams = Native
  }
}

const parameters = (count: number) => Array.from({ length: count }, (_, n) => `mark${n}=x`).join('&')
const filled = (path: string) =>
  path
    .replace('{environment_id}', path.startsWith('/v1/') ? '{environment_id}' : w.test.id)
    .replace('dashboard/api/{path}', 'dashboard/api/v1/me')
    .replaceAll(/\{\w+\}/g, 'app_01m7wwr5ftevtv5yxb47hmb4ht')

const all = [...Object.values<Route>(serviceRoutes), ...Object.values<Route>(oidcRoutes), ...Object.values<Route>(routes)].filter(
  ({ method }) => method === 'GET',
)
const paths = [...new Set(all.map(({ path }) => filled(path)))]

for (const path of paths)
  test(`GET ${path}: 201 parameters are refused and not parsed`, async () => {
    const send = (query: string) => w.call('GET', `${path}?${query}`, { key: null, headers: { 'x-ostiary-dashboard': '1' } })
    const { characters, result } = await parsedDuring('mark1=', () => send(parameters(201)))
    // A route that has already been refused for its credential or its address says so.
    assert.ok([400, 401, 404].includes(result.status), String(result.status))
    assert.equal(characters, 0)
    if (path !== '/dashboard/api/v1/me' && !path.startsWith('/e/') && !path.includes('/e/')) {
      assert.equal(result.status, 400)
      assert.equal(result.body.code, 'malformed_request')
      assert.match(result.body.detail, /more than 200 parameters/)
    }
    const allowed = await send(parameters(200))
    assert.ok(allowed.body?.detail === undefined || !/more than 200 parameters/.test(allowed.body.detail))
  })

const asked = authorizationRequest(w.test, client).url.split('?')[1] ?? ''
const longest = 6
const pages = Object.values<Route>(oidcRoutes).filter(({ method, page }) => method === 'GET' && page === true)
// biome-ignore format: this table is read by column
const shapes: [what: string, query: string][] = [
  ['a request with 64 parameters that are cut in a percent sign', `${asked}&${Array.from({ length: 64 }, () => `mark=${'%5B'.repeat(60)}%5`).join('&')}`],
  ['a request with a long parameter',                             `${asked}&mark=${'x'.repeat(10_000)}`],
]
for (const { path } of pages)
  for (const [what, query] of shapes)
    test(`GET ${path}: ${what} is parsed a few times`, async () => {
      const { characters, result } = await parsedDuring('mark=', () => w.call('GET', `${filled(path)}?${query}`, { key: null }))
      assert.ok(result.status < 500, String(result.status))
      assert.ok(characters <= longest * query.length, `${characters} characters of ${query.length}`)
    })

const forms = Object.values<Route>(oidcRoutes).filter(({ method, page }) => method === 'POST' && page === true)
for (const { path } of forms)
  test(`POST ${path}: a form that holds a request of 20,000 parameters is refused, and the request is not parsed`, async () => {
    const body = new URLSearchParams({ request: `${asked}&mark=x${'&'.repeat(20_000)}` }).toString()
    const { characters, result } = await parsedDuring('mark=x&', async () => {
      const response = await fetch(`${w.base_url}${filled(path)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
        redirect: 'manual',
      })
      await response.arrayBuffer()
      return response
    })
    assert.equal(result.status, 400)
    assert.equal(characters, 0)
  })
