/** How the built dashboard is served. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { world } from '../support/world.ts'

const above = mkdtempSync(join(tmpdir(), 'ostiary-dashboard-'))
after(() => rmSync(above, { recursive: true, force: true }))
const folder = join(above, 'dashboard')
const script = `export const text = '${'abc '.repeat(2_000)}'\n`
writeFileSync(join(above, 'secret.js'), 'not served')
const w = await world({ dashboard_folder: folder })

const get = async (path: string, headers: Record<string, string> = {}) =>
  fetch(w.reach(`${w.base_url}${path}`), { headers, redirect: 'manual' })

test('until it is built, a page says so and opens the dashboard by itself', async () => {
  const reply = await get('/dashboard/t/acme', { accept: 'text/html' })
  assert.equal(reply.status, 503)
  assert.match(await reply.text(), /<meta http-equiv="refresh" content="2">/)
  assert.equal((await get('/dashboard/assets/main-1.js')).status, 404)
})

test('a build that ends while the service runs is served', async () => {
  build('<meta name="csp-nonce" nonce="__CSP_NONCE__" content="__CSP_NONCE__">', 1)
  assert.equal((await get('/dashboard')).status, 200)
})

function build(head: string, at: number) {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'assets/main-1a2b.js'), script)
  writeFileSync(join(folder, 'assets/inter-1a2b.woff2'), 'wOF2 font')
  writeFileSync(join(folder, 'assets/main-1a2b.js.map'), 'not served')
  writeFileSync(join(folder, 'favicon-test.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(folder, 'index.html'), `<!doctype html><html><head>${head}</head></html>`)
  utimesSync(join(folder, 'index.html'), at, at)
}

for (const path of ['/dashboard', '/dashboard/', '/dashboard/t/acme/p/shop/test?tab=keys', '/dashboard/go/app_1', '/dashboard/index.html'])
  test(`${path} is the entry page, under a strict policy with a nonce of its own`, async () => {
    const nonces = []
    for (let n = 0; n < 2; n++) {
      const reply = await get(path)
      assert.equal(reply.status, 200)
      assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      assert.equal(reply.headers.get('x-frame-options'), 'DENY')
      const policy = reply.headers.get('content-security-policy') ?? ''
      const [, nonce = ''] = /'nonce-([\w-]{22})'/.exec(policy) ?? []
      assert.equal(
        policy,
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      )
      assert.match(await reply.text(), new RegExp(`nonce="${nonce}" content="${nonce}"`))
      nonces.push(nonce)
    }
    assert.notEqual(nonces[0], nonces[1])
  })

const decode: Record<string, (body: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync }
// biome-ignore format: this table is read by column
const codings: [accept: string, coding: string | undefined][] = [
  ['gzip, deflate, br', 'br'],
  ['br;q=0, gzip',      'gzip'],
  ['GZIP',              'gzip'],
  ['gzip;q=0.5',        'gzip'],
  ['identity',          undefined],
  ['br;q=0',            undefined],
  ['',                  undefined],
  ['xbr, gzipx',        undefined],
]
for (const [accept, coding] of codings)
  test(`a script is served ${coding ? `as ${coding}` : 'as it is'} for Accept-Encoding ${JSON.stringify(accept)}, and kept for good`, async () => {
    const { status, headers } = await sendRaw(
      w.reach(w.base_url),
      rawRequest('GET', '/dashboard/assets/main-1a2b.js', { 'accept-encoding': accept, host: new URL(w.base_url).host }),
    )
    assert.equal(status, 200)
    assert.equal(headers['content-encoding'], coding)
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers.vary, 'Accept-Encoding')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    if (coding) assert.ok(Number(headers['content-length']) < script.length / 10)
    else assert.equal(Number(headers['content-length']), script.length)
  })

test('the compressed forms hold the file', async () => {
  const { createFiles } = await import('../../src/site/dashboard/files.ts')
  const file = await createFiles(folder).find('assets/main-1a2b.js')
  for (const [coding, unpack] of Object.entries(decode)) assert.equal(String(unpack(file?.coded[coding] ?? Buffer.alloc(0))), script)
  const font = await createFiles(folder).find('assets/inter-1a2b.woff2')
  assert.deepEqual(font?.coded, {})
})

test('a client that has the file gets 304, for the same coding only', async () => {
  const path = '/dashboard/assets/main-1a2b.js'
  const tag = (await get(path, { 'accept-encoding': 'br' })).headers.get('etag') ?? ''
  assert.equal((await get(path, { 'accept-encoding': 'br', 'if-none-match': `"other", W/${tag}` })).status, 304)
  assert.equal((await get(path, { 'accept-encoding': 'gzip', 'if-none-match': tag })).status, 200)
})

test('a file without a hash in its name is asked for each time', async () => {
  const reply = await get('/dashboard/favicon-test.svg')
  assert.equal(reply.headers.get('cache-control'), 'no-cache')
  assert.equal(reply.headers.get('content-type'), 'image/svg+xml')
})

const paths = [
  '/dashboard/assets/../../secret.js',
  '/dashboard/../secret.js',
  '/dashboard/%2e%2e/secret.js',
  '/dashboard/..%2fsecret.js',
  '/dashboard/assets/..%2f..%2fsecret.js',
  '/dashboard/assets/..\\..\\secret.js',
  '/dashboard//secret.js',
  `/dashboard/${join(above, 'secret.js')}`,
  '/dashboard/assets/main-1a2b.js%00',
  '/dashboard/assets/main-1a2b.js.map',
  '/dashboard/assets/',
  '/dashboard/assets/constructor',
]
for (const path of paths)
  test(`${path.replace(above, '…')} serves no file`, async () => {
    const { status, body } = await sendRaw(w.reach(w.base_url), rawRequest('GET', path, { host: new URL(w.base_url).host }))
    assert.ok(!body.includes('not served'))
    assert.ok(status === 404 || status === 400 || body.includes('csp-nonce'), `${status} ${body.slice(0, 80)}`)
  })

test('another build replaces the entry page', async () => {
  build('<title>second</title>', 2)
  assert.match(await (await get('/dashboard')).text(), /second/)
})

test('a hosted page of an environment allows no connection, so it cannot call the dashboard', async () => {
  for (const url of [`${w.test.issuer}/account`, `${w.admin_issuer}/account`, `${w.test.issuer}/oauth/authorize?client_id=app_1`]) {
    const reply = await fetch(w.reach(url), { headers: { accept: 'text/html' } })
    const policy = reply.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none';/)
    assert.doesNotMatch(policy, /connect-src/)
  }
})
