/** The survey `strangers` of the benchmark tries every public route: a route without inputs of its own would be measured with half a table. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import type { Strangers } from '../../bench/strangers/ground.ts'
import { of_every_route, ofForms, ofRoute } from '../../bench/strangers/inputs.ts'
import { all_routes, inputsOf } from '../../bench/strangers/processor.ts'

const form = { cookie: 'a=b', hidden: { csrf: 'c' } }
const strangers = {
  seeded: {
    issuer: 'http://localhost:1/e/env_a',
    client: { client_id: 'app_a', redirect_uri: 'https://app.example.com/callback' },
    paths: { authorize: '/e/env_a/oauth/authorize' },
    address: { host: 'localhost', port: 1 },
    scope: 'openid',
  },
  provider_id: 'idp_a',
  publishable_key: 'publishable_test_a',
  forms: { 'sign-in': form, 'sign-up': form, 'forgot-password': form },
} as unknown as Strangers // as: what the inputs read of a seeded service

test('the survey has every row of the tables of routes', () => {
  const rows = [serviceRoutes, oidcRoutes, routes].flatMap((table) => Object.keys(table))
  assert.deepEqual(all_routes.map(({ name }) => name).toSorted(), rows.toSorted())
})

for (const route of all_routes.filter(({ group }) => group !== 'API'))
  test(`${route.method} ${route.path} has inputs of its own, and those of every route`, () => {
    const own = { ...ofRoute(strangers, route.name), ...(route.takes_form ? ofForms(strangers, route.name) : {}) }
    assert.ok(Object.keys(own).length > 0, `bench/strangers/inputs.ts has none for ${route.name}.`)
    const all = inputsOf(strangers, route)
    for (const title of [...Object.keys(own), ...Object.keys(of_every_route)]) assert.equal(typeof all[title]?.(1), 'object', title)
  })

test('every route that the server registers has a row', () => {
  const root = join(import.meta.dirname, '../src')
  const registering = /\bapp\.(?:get|post|put|patch|delete|options|all|route)\(\s*([^\s,)]*)/g
  const found = globSync('**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(registering)].map(([, path = '']) => `${file}: ${path}`))
  assert.ok(found.length > 10)
  const by_row = /: (?:\{|(?:serviceRoutes\.)?\w+\.path\b|path\.replace|`\$\{dashboard\.path\}\/\*`|route\.path\.replace)/
  assert.deepEqual(
    found.filter((each) => !by_row.test(each)),
    [],
  )
})
