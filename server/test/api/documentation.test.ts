/** The documentation that the service serves: the OpenAPI document, the reference and the pages of errors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errors } from '@ostiary/contract/errors.ts'
import { oauthErrors } from '@ostiary/contract/oidc.ts'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import { world } from '../support/world.ts'

const w = await world()
const get = (path: string, headers: Record<string, string> = {}) => w.call('GET', path, { key: null, headers })
const names = [routes, oidcRoutes, serviceRoutes].flatMap((table) => Object.keys(table))

test('/openapi.json is the document of this deployment, for every origin', async () => {
  const { status, headers, body } = await get('/openapi.json')
  assert.equal(status, 200)
  assert.equal(body.openapi, '3.1.0')
  assert.deepEqual(
    body.servers.map(({ url }: { url: string }) => url),
    [w.base_url],
  )
  assert.equal(headers.get('access-control-allow-origin'), '*')
})

for (const path of ['/openapi.json', '/docs/api', '/docs/errors', '/docs/errors/not_found'])
  test(`${path} can be cached, and the same version is 304 without a body`, async () => {
    const { headers } = await get(path)
    assert.equal(headers.get('cache-control'), 'public, max-age=300')
    const again = await get(path, { 'if-none-match': `"other", ${headers.get('etag')}` })
    assert.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', headers.get('etag')])
  })

for (const path of ['/docs/api', '/docs/errors', '/docs/errors/invalid_grant'])
  test(`${path} loads nothing and runs no script`, async () => {
    const { headers, body } = await get(path)
    assert.match(
      headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-src ('sha256-[\w+/=]+' ?)+; img-src data:; frame-ancestors 'none'; base-uri 'none'$/,
    )
    assert.doesNotMatch(body, /<script|<form|<img|\son\w+=|style="/)
  })

test('the reference has every operation once, each with an anchor, and all its links lead to anchors', async () => {
  const { body } = await get('/docs/api')
  const anchors = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  assert.equal(new Set(anchors).size, anchors.length, 'no id occurs twice')
  for (const name of names) assert.ok(anchors.includes(name), name)
  for (const [, target] of body.matchAll(/href="#([^"]+)"/g)) assert.ok(anchors.includes(target), target)
})

test('the reference calls every operation of the API with curl, and has no key in it', async () => {
  const { body } = await get('/docs/api')
  for (const name of Object.keys(routes)) assert.match(body, new RegExp(`aria-label="Call of ${name} with curl"><code>curl `), name)
  assert.doesNotMatch(body, /svc_\w+_[0-9A-Za-z]{20}/)
})

test('every code of the API and of OAuth has a page with its status, its remedy and an example', async () => {
  for (const [code, { status, explanation }] of [...Object.entries(errors), ...Object.entries(oauthErrors)]) {
    const page = await get(`/docs/errors/${code}`)
    assert.equal(page.status, 200, code)
    assert.ok(page.body.includes(`<span class="verb">${status}</span> <code>${code}</code>`), code)
    assert.ok(page.body.includes(explanation.split(/[`"']/, 1)[0]), code)
    assert.ok(page.body.includes(`&quot;${code}&quot;`), `${code} in an example`)
  }
})

test('the index leads to the page of every code, and the reference only to codes that exist', async () => {
  const index = (await get('/docs/errors')).body
  for (const code of [...Object.keys(errors), ...Object.keys(oauthErrors)]) assert.ok(index.includes(`href="/docs/errors/${code}"`), code)
  const linked = new Set([...(await get('/docs/api')).body.matchAll(/href="\/docs\/errors\/(\w+)"/g)].map(([, code]) => code))
  for (const code of linked) assert.ok(Object.hasOwn(errors, code) || Object.hasOwn(oauthErrors, code), code)
})

for (const code of ['nothing', 'toString', '__proto__', 'a'.repeat(150)])
  test(`the page of the unknown code ${code.slice(0, 20)} is 404`, async () => {
    assert.equal((await get(`/docs/errors/${code}`)).status, 404)
  })

test('the type of a problem is the address of its page', async () => {
  const { body } = await w.call('GET', '/v1/platform/projects', { key: null })
  assert.equal((await get(body.type)).status, 200)
})
