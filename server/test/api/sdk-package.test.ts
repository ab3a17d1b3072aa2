/** The client library as a package that the service serves: installed by npm, used, and the same bytes at every time. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { sdk_version, sdkAddress, sdkFile } from '@ostiary/contract/sdk-package.ts'
import { snippetsOf } from '../../../dashboard/src/pages/application/snippets.ts'
import { packedSdk, packSdk } from '../../../sdk/pack.ts'
import { createDocumentation } from '../../src/site/documents/serve.ts'
import { world } from '../support/world.ts'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'ostiary-sdk-package-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const sdk_folder = join(folder, 'sdk')
const w = await world({ sdk_folder })
const get = (path: string, headers: Record<string, string> = {}) => fetch(w.reach(w.base_url + path), { headers })
const path = `/sdk/${sdkFile()}`

test('until the package is there, the answer is 503 with a time to try again, and nothing is built', async () => {
  const reply = await get(path)
  assert.deepEqual([reply.status, reply.headers.get('retry-after')], [503, '2'])
  assert.equal(existsSync(sdk_folder), false)
})

test('the package is immutable, has its hash, and its bytes are those of its sources', async () => {
  packSdk(sdk_folder)
  const reply = await get(path)
  assert.deepEqual(
    [reply.status, reply.headers.get('content-type'), reply.headers.get('cache-control')],
    [200, 'application/gzip', 'public, max-age=31536000, immutable'],
  )
  const bytes = Buffer.from(await reply.arrayBuffer())
  assert.equal(reply.headers.get('repr-digest'), `sha-512=:${createHash('sha512').update(bytes).digest('base64')}:`)
  assert.ok(bytes.equals(packedSdk()), 'packed again it has the same bytes')
  const known = await get(path, { 'if-none-match': reply.headers.get('etag') ?? '' })
  assert.deepEqual([known.status, await known.text()], [304, ''])
})

for (const name of ['ostiary-sdk-9.9.9.tgz', 'ostiary-sdk-.tgz', `${sdkFile()}.tmp`, '..%2Fbuild.json', 'package.json', 'a'.repeat(200)])
  test(`there is no package ${name.slice(0, 30)}`, async () => assert.equal((await get(`/sdk/${name}`)).status, 404))

test('npm installs it from the service without a registry, and it calls the service and verifies tokens', async () => {
  const consumer = join(folder, 'consumer')
  mkdirSync(consumer)
  writeFileSync(join(consumer, 'package.json'), '{"name":"consumer","version":"1.0.0","type":"module"}')
  const address = w.reach(sdkAddress(w.base_url))
  const npm = ['npm', ['install', address, '--ignore-scripts', '--no-audit', '--no-fund', `--cache=${join(folder, 'cache')}`]] as const
  const child = spawn(npm[0], npm[1], { cwd: consumer, env: { ...process.env, npm_config_registry: 'http://127.0.0.1:9/' } })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  assert.equal(code, 0, said)
  const { packages } = JSON.parse(readFileSync(join(consumer, 'package-lock.json'), 'utf8'))
  assert.deepEqual(Object.keys(packages), ['', 'node_modules/@ostiary/sdk'])
  const { version, resolved, integrity } = packages['node_modules/@ostiary/sdk']
  assert.deepEqual([version, resolved], [sdk_version, address])
  assert.equal(`${(await get(path)).headers.get('repr-digest')}`, `sha-512=:${integrity.replace('sha512-', '')}:`)

  writeFileSync(
    join(consumer, 'use.js'),
    `import { createClient } from '@ostiary/sdk'
import { createKeySet, verifyAccessToken } from '@ostiary/sdk/verify'
const { exports } = (await import('./node_modules/@ostiary/sdk/package.json', { with: { type: 'json' } })).default
for (const name of Object.keys(exports)) await import(name.replace('.', '@ostiary/sdk'))
const client = createClient({ base_url: process.env.BASE_URL, api_key: process.env.KEY })
const { data } = await client.listProjects().page()
const keys = createKeySet({ issuer: 'https://id.example' })
const refused = await verifyAccessToken('no token', { keys, issuer: 'https://id.example', audience: 'a' }).catch((error) => error.name)
console.log(JSON.stringify([data.length > 0, refused]))`,
  )
  const env = { ...process.env, BASE_URL: w.reach(w.base_url), KEY: w.key }
  const used = spawn(process.execPath, ['use.js'], { cwd: consumer, env })
  const [out, err] = await Promise.all([text(used.stdout), text(used.stderr), once(used, 'close')])
  assert.equal(out.trim(), '[true,"TokenError"]', err)
})

test('the package of a release is served with the bytes of the release', async () => {
  writeFileSync(join(sdk_folder, 'ostiary-sdk-0.2.0.tgz'), 'as it was released')
  assert.equal(await (await get('/sdk/ostiary-sdk-0.2.0.tgz')).text(), 'as it was released')
})

test('the version that snippets name is that of the package', () => {
  for (const name of ['sdk', 'cli', 'contract'])
    assert.equal(JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')).version, sdk_version, name)
})

const lock = (name: string) => JSON.parse(readFileSync(join(root, name, 'package-lock.json'), 'utf8')).packages
test('the tools that pack it are the same for developers and for a service', () => {
  for (const name of ['typescript', '@types/node', 'undici-types'].map((each) => `node_modules/${each}`))
    assert.equal(lock('dashboard')[name].integrity, lock('.')[name].integrity, name)
})

const texts = globSync(
  '{README.md,llms.txt,docs/**/*.md,sdk/README.md,examples/**/*.{md,js,json},dashboard/src/**/*.{ts,tsx},cli/src/**/*.ts,contract/src/**/*.ts,server/src/**/*.ts}',
  {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'decisions',
  },
).map((file) => ({ file: file.replaceAll('\\', '/'), source: readFileSync(join(root, file), 'utf8') }))

test('whatever installs the client library takes the address where a service serves this version', () => {
  const lines = texts.flatMap(({ file, source }) =>
    [...source.matchAll(/^.*npm (?:install|i|add) .*$/gm)].map(([line]) => ({ file, line: line.trim() })),
  )
  assert.ok(lines.length > 20)
  const named = lines.filter(({ line }) => /ostiary/.test(line))
  assert.ok(named.length >= 6)
  for (const { file, line } of named)
    assert.ok(
      line.includes(`http://localhost:3000/sdk/${sdkFile()}`) || /\/sdk\/ostiary-sdk-\{version\}\.tgz|sdkAddress\(/.test(line),
      `${file}: ${line}`,
    )
})

test('a page of another language installs the libraries of that language', () => {
  for (const name of ['django', 'fastapi', 'go', 'spring', 'aspnet-core', 'laravel', 'rails']) {
    const guide = texts.find(({ file }) => file === `docs/guides/${name}.md`) ?? assert.fail(name)
    assert.doesNotMatch(guide.source, /@ostiary\/sdk|npm install/, name)
  }
})

test('the served documents and the Connect panel name the address of their service', async () => {
  const documentation = createDocumentation('https://id.example', root)
  for (const [row, name] of [
    ['guide', 'express.md'],
    ['guide', 'nextjs'],
    ['document', 'sdk'],
    ['example', 'fastify-api'],
  ] as const) {
    const served = String((await documentation.find(row, name))?.body)
    assert.ok(served.includes(`https://id.example/sdk/${sdkFile()}`), name)
    assert.doesNotMatch(served, /localhost:3000\/sdk/, name)
  }
  const [mcp] = snippetsOf(
    {
      application_type: 'native',
      client_id: 'app_1',
      redirect_uris: ['http://localhost:8080/cb'],
      token_endpoint_auth_method: 'none',
      allow_loopback_port: false,
      organizations: 'none',
    },
    { issuer: 'https://id.example/e/env_1', base_url: 'https://id.example' },
  ).filter(({ name }) => name === 'MCP server')
  assert.ok(mcp?.program.install.endsWith(` https://id.example/sdk/${sdkFile()}`), mcp?.program.install)
})

/** Where a program of a reader listens. The port of the service is for the service. */
const listens = [
  /\.listen\([^)]*\b3000\b/,
  /(?:PORT|port)\W{1,12}(?:\?\?|\|\||,|=|:=)\s*["']?3000\b/,
  /--forward \S*:3000/,
  /redirect_uris?"?:? \[?["']?http:\/\/(?:localhost|127\.0\.0\.1):3000/,
]
test('no program of a sample listens at the port of the service', () => {
  const samples = texts.filter(
    ({ file }) => /^(docs|examples|sdk|dashboard\/src\/pages)\/|^README/.test(file) && !file.startsWith('docs/operate'),
  )
  for (const { file, source } of samples)
    for (const [number, line] of source.split('\n').entries())
      for (const pattern of listens) assert.doesNotMatch(line, pattern, `${file}:${number + 1}`)
})

test(
  'a clone that was started once has its package',
  { skip: existsSync(join(root, 'dist/sdk.json')) ? false : 'nothing is built' },
  () => {
    assert.ok(existsSync(join(root, 'dist/sdk', sdkFile())))
    assert.equal(spawnSync('tar', ['-tzf', join(root, 'dist/sdk', sdkFile())], { encoding: 'utf8' }).status, 0)
  },
)
