/** The documentation that the service serves: documents, search, reference, the pages of errors, and the OpenAPI document. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errors } from '@ostiary/contract/errors.ts'
import { mailFailures } from '@ostiary/contract/mail.ts'
import { oauthErrors } from '@ostiary/contract/oidc.ts'
import { openApi } from '@ostiary/contract/openapi.ts'
import { shownCodes } from '@ostiary/contract/refused-call.ts'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import { world } from '../support/world.ts'

const w = await world()
const get = (path: string, headers: Record<string, string> = {}) => w.call('GET', path, { key: null, headers })
const names = [routes, oidcRoutes, serviceRoutes].flatMap((table) => Object.keys(table))

/** Every page of the documentation, found by following links. */
async function everyPage(): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const { status, body } = await get(path)
    assert.equal(status, 200, path)
    pages.set(path, String(body))
    const links = [...String(body).matchAll(/ href="(\/docs[^"#]*)/g)].map(([, link = '']) => link)
    if (!path.endsWith('.md')) waiting.push(...links)
  }
  return pages
}
const pages = await everyPage()
const html_pages = [...pages].filter(([path]) => !path.endsWith('.md'))
const anchorsIn = (body = '') => [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)

test('/openapi.json is the document of this deployment, for every origin', async () => {
  const { status, headers, body } = await get('/openapi.json')
  assert.equal(status, 200)
  assert.deepEqual(body, JSON.parse(JSON.stringify(openApi(w.base_url))))
  assert.deepEqual(
    body.servers.map(({ url }: { url: string }) => url),
    [w.base_url],
  )
  assert.equal(headers.get('access-control-allow-origin'), '*')
})

const cached = ['/openapi.json', '/llms.txt', '/docs', '/docs/quick-start', '/docs/quick-start.md', '/docs/api', '/docs/errors/not_found']
for (const path of cached)
  test(`${path} can be cached, comes compressed, and the same version is 304 without a body`, async () => {
    const { headers } = await get(path, { 'accept-encoding': 'gzip, br' })
    assert.equal(headers.get('cache-control'), 'public, max-age=300')
    assert.equal(headers.get('vary'), 'Accept-Encoding')
    assert.equal(headers.get('content-encoding'), 'br')
    const again = await get(path, { 'accept-encoding': 'gzip, br', 'if-none-match': `"other", ${headers.get('etag')}` })
    assert.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', headers.get('etag')])
    const plain = await get(path, { 'accept-encoding': 'identity', 'if-none-match': headers.get('etag') ?? '' })
    assert.deepEqual([plain.status, plain.headers.get('content-encoding')], [200, null])
  })

test('every link of every page leads to a page, and its anchor to an element with that id, which is the only one', () => {
  assert.ok(html_pages.length > 100)
  for (const [path, body] of html_pages) {
    assert.equal(new Set(anchorsIn(body)).size, anchorsIn(body).length, `${path}: no id occurs twice`)
    for (const [, page = '', anchor] of body.matchAll(/ href="([^"#]*)#([^"]+)"/g)) {
      if (/^https:/.test(page)) continue
      assert.ok(anchorsIn(pages.get(page || path)).includes(anchor), `${path}: ${page}#${anchor}`)
    }
  }
})

test('every address of a document that the dashboard, the service or the command line names leads to a page', async () => {
  const cwd = join(import.meta.dirname, '../../..')
  const sources = globSync('{dashboard,server,cli}/src/**/*.{ts,tsx}', { cwd }).map((file) => readFileSync(join(cwd, file), 'utf8'))
  const named = sources.flatMap((text) => [...text.matchAll(/["'`](\/docs(?:\/[\w.-]+)*)(?:#([\w-]+))?["'`]/g)])
  assert.ok(named.some(([, page]) => page === '/docs/errors/insufficient_role'))
  for (const [link, page = '', anchor] of named) {
    assert.equal((await get(page)).status, 200, link)
    if (anchor !== undefined) assert.ok(anchorsIn(pages.get(page)).includes(anchor), link)
  }
})

test('every page loads nothing, runs the one script of the documentation, and has a policy for exactly that', async () => {
  const { headers } = await get('/docs/quick-start')
  const sources =
    /^default-src 'none'; style-src ('sha256-[\w+/=]+' ?)+; img-src data:; script-src 'sha256-([\w+/=]+)'; connect-src (\S+); frame-ancestors 'none'; base-uri 'none'$/
  const [, , hash, calls] = sources.exec(headers.get('content-security-policy') ?? '') ?? assert.fail()
  assert.equal(calls, `${w.base_url}/docs/search`)
  for (const [path, body] of html_pages) {
    const scripts = [...body.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)
    assert.deepEqual(
      scripts.map((script) => createHash('sha256').update(script).digest('base64')),
      [hash],
      path,
    )
    assert.doesNotMatch(body.replace(scripts[0] ?? '', ''), /<script |<img|<iframe|<object|\son\w+="|style="|<link rel="stylesheet/, path)
  }
})

test('every document is there as Markdown, and its links lead to Markdown', async () => {
  for (const [path, body] of pages) {
    if (!path.endsWith('.md')) continue
    assert.match(body, /^# /, path)
    for (const [, link = ''] of body.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '').matchAll(/\]\((\/[^)#]*)/g))
      assert.ok(pages.has(link) || ['/openapi.json', '/llms.txt'].includes(link), `${path}: ${link}`)
  }
  assert.ok(pages.has('/docs/quick-start.md'))
})

test('llms.txt lists documents that exist, by absolute addresses', async () => {
  const { body, headers } = await get('/llms.txt')
  assert.match(headers.get('content-type') ?? '', /^text\/plain/)
  const links = [...String(body).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
  assert.ok(links.includes(`${w.base_url}/docs/quick-start.md`))
  for (const link of links) assert.equal((await get(link.replace(w.base_url, ''))).status, 200, link)
})

// biome-ignore format: this table is read by column
const searches: [query: string, first: string][] = [
  ['slug_taken',            '/docs/errors/slug_taken'],
  ['createProject',         '/docs/api/projects#createProject'],
  ['Reverse proxy and TLS', '/docs/operate#reverse-proxy-and-tls'],
  ['REVERSE  proxy?',       '/docs/guides/proxy'],
  ['JupyterHub',            '/docs/applications#jupyterhub'],
]
for (const [q, first] of searches)
  test(`the search for "${q}" begins with ${first}, as JSON and as a page`, async () => {
    const path = `/docs/search?${new URLSearchParams({ q })}`
    const { body } = await get(path)
    assert.equal(body.results[0].url, first)
    assert.ok(body.results.length <= 20)
    assert.match(String((await get(path, { accept: 'text/html' })).body), new RegExp(`<ol class="found"><li><a href="${first}"`))
  })

// biome-ignore format: this table is read by column
const fruitless: [name: string, query: string][] = [
  ['no query',             ''],
  ['an empty query',       '?q='],
  ['a word of nothing',    '?q=xyzzyx'],
  ['signs',                '?q=%3C%2F%22%27'],
  ['broken encoding',      '?q=%E0%A4'],
  ['more than 12 words',   `?q=${Array.from({ length: 12 }, (_, i) => `zq${i}`).join('+')}+issuer`],
  ['a query of 20,000 characters', `?q=${'a'.repeat(20_000)}`],
]
for (const [name, query] of fruitless)
  test(`a search with ${name} finds nothing, and the page escapes it`, async () => {
    assert.deepEqual((await get(`/docs/search${query}`)).body.results, [])
    const { status, body } = await get(`/docs/search${query}`, { accept: 'text/html' })
    assert.equal(status, 200)
    assert.doesNotMatch(String(body), /<\/"'/)
    assert.ok(String(body).length < 40_000)
  })

test('the overview of the reference leads to every operation and every schema, on one page each', () => {
  const overview = pages.get('/docs/api') ?? ''
  for (const name of names) {
    const [, page = ''] = new RegExp(`<li id="${name}"><a href="([^"#]+)#${name}">`).exec(overview) ?? assert.fail(name)
    const shown = html_pages.filter(([, body]) => body.includes(`<article id="${name}">`)).map(([path]) => path)
    assert.deepEqual(shown, [page], name)
  }
})

test('the reference has no real key in its examples', () => {
  const all = html_pages
    .filter(([path]) => path.startsWith('/docs/api/'))
    .map(([, body]) => body)
    .join('')
  const keys = [...all.matchAll(/svc_(?:auth|platform)_\w+_[0-9A-Za-z]{20,}/g)].map(([key]) => key)
  assert.ok(keys.length > 0)
  for (const key of keys) assert.match(key, /_(Example)+Exam000000$/)
})

interface Schema {
  $ref?: string
  enum?: string[]
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
}
const { schemas } = openApi().components as { schemas: Record<string, Schema> } // as: the part that is read here

/** The words of a closed list, also behind a reference or beside null. */
const wordsOf = ({ $ref, enum: words = [], anyOf = [] }: Schema): string[] => [
  ...words,
  ...anyOf.flatMap(wordsOf),
  ...($ref === undefined ? [] : wordsOf(schemas[$ref.replace(/^.*\//, '')] ?? {})),
]

/** The words of all members of answers that say why something failed. */
const whyWords = ({ properties = {}, anyOf = [], oneOf = [], items = {} }: Schema): string[] => [
  ...Object.entries(properties).flatMap(([name, member]) => [
    ...(/^(code|cause|error|reason|.+_reason)$/.test(name) ? wordsOf(member) : []),
    ...whyWords(member),
  ]),
  ...[...anyOf, ...oneOf].flatMap(whyWords),
  ...(items.properties ? whyWords(items) : []),
]

const codes = new Set([...shownCodes, ...mailFailures, ...Object.values(schemas).flatMap(whyWords)])

test('every code that the service can show has a page, and a text in Markdown', async () => {
  for (const code of ['issuer_mismatch', 'address_not_allowed', 'gone', 'no_smtputf8', 'two_owners']) assert.ok(codes.has(code), code)
  for (const code of codes) {
    assert.equal((await get(`/docs/errors/${code}`)).status, 200, code)
    assert.ok(String((await get(`/docs/errors/${code}.md`)).body).includes(`\`${code}\``), code)
  }
})

test('every page that is made from tables is there as Markdown, as documents and codes are', async () => {
  const made = html_pages.filter(([path]) => /^\/docs\/(api(\/[\w-]+)?|errors|decisions)$/.test(path))
  assert.ok(made.length > 30)
  for (const [path] of made) {
    const { status, headers, body } = await get(`${path}.md`)
    assert.equal(status, 200, path)
    assert.match(headers.get('content-type') ?? '', /^text\/markdown/, path)
    assert.match(String(body), /^# /, path)
  }
})

test('every code of the API and of OAuth has its status, its remedy and an example on its page', async () => {
  for (const [code, { status, explanation }] of [...Object.entries(errors), ...Object.entries(oauthErrors)]) {
    const page = await get(`/docs/errors/${code}`)
    assert.equal(page.status, 200, code)
    assert.ok(page.body.includes(`<span class="verb">${status}</span> <code>${code}</code>`), code)
    assert.ok(page.body.includes(explanation.split(/[`"']/, 1)[0]), code)
    assert.ok(page.body.includes(`&quot;${code}&quot;`), `${code} in an example`)
  }
})

test('the index leads to the page of every code', async () => {
  const index = (await get('/docs/errors')).body
  for (const code of codes) assert.ok(index.includes(`href="/docs/errors/${code}"`), code)
})

for (const name of ['nothing', 'toString', '__proto__', '.md', 'a'.repeat(150), '..%2F..%2Fpackage.json', 'quick-start.md.md']) // citation-check: it must not exist
  for (const place of ['', '/guides', '/settings', '/decisions', '/packaging', '/api', '/errors'])
    test(`/docs${place} has no page of the name ${name.slice(0, 24)}`, async () => {
      const { status, body } = await get(`/docs${place}/${name}`)
      assert.deepEqual([status, body.code], [404, 'not_found'])
    })

// biome-ignore format: this table is read by column
const guesses: [path: string, headers: Record<string, string>, status: number, location: string | null][] = [
  ['/docs/saml',                  { accept: 'text/html' },                          302, '/docs/search?q=saml'],
  ['/docs/guides/session-length', { accept: 'text/html,*/*;q=0.8' },                302, '/docs/search?q=session+length'],
  ['/docs/saml',                  {},                                               404, null],
  ['/docs/saml',                  { accept: 'text/html', 'x-api-key': 'any' },      404, null],
  ['/docs/saml.md',               { accept: 'text/html' },                          404, null],
  ['/docs/a%22b',                 { accept: 'text/html' },                          404, null],
  [`/docs/${'a'.repeat(41)}`,     { accept: 'text/html' },                          404, null],
  ['/docs/decisions/saml',        { accept: 'text/html' },                          404, null],
]
for (const [path, headers, status, location] of guesses)
  test(`a guess of an address, ${path.slice(0, 30)}${Object.keys(headers).length > 0 ? ' by a browser' : ''}, is ${status}`, async () => {
    const answer = await w.call('GET', path, { key: null, headers })
    assert.deepEqual([answer.status, answer.headers.get('location')], [status, location])
  })

test('the type of a problem is the address of its page', async () => {
  const { body } = await w.call('GET', '/v1/platform/projects', { key: null })
  assert.equal((await get(body.type)).status, 200)
})
