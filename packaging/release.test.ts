/** A release, unpacked into an empty folder of a machine that has Node and nothing else: no npm, no other program, no other variable. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { brokenLinks, documentsIn } from '../scripts/links.ts'
import { freePort } from '../server/test/support/free-port.ts'
import { until } from '../server/test/support/receiver.ts'
import { accepted_licences, type Bom, licenceOf } from './bom.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8')) as { version: string } // as: a package.json
const skip = process.platform === 'linux' ? false : 'a release has the native modules of Linux'
const folder = mkdtempSync(join(tmpdir(), 'ostiary release '))
const [place, data, home] = [join(folder, 'unpacked'), join(folder, 'data'), join(folder, 'home')]
const started = new Set<ChildProcess>()
after(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const port = await freePort()
const env = { PATH: join(folder, 'nothing'), HOME: home, OSTIARY_PORT: String(port), OSTIARY_DATA_DIR: data }
const base_url = `http://localhost:${port}`
let release = ''

before(() => {
  if (skip) return
  const archive = join(root, `release/ostiary-${version}-${process.platform}-${process.arch}.tar.gz`)
  const made = spawnSync(process.execPath, [...process.execArgv, join(root, 'packaging/release.ts'), '--this-platform'], {
    encoding: 'utf8',
  })
  assert.equal(made.status, 0, made.stderr)
  const [hash, name] = readFileSync(`${archive}.sha256`, 'utf8').trim().split('  ')
  assert.equal(hash, createHash('sha256').update(readFileSync(archive)).digest('hex'))
  assert.equal(name, archive.replace(/^.*\//, ''))
  mkdirSync(place)
  mkdirSync(home)
  const unpacked = spawnSync('tar', ['-xzf', archive, '-C', place], { encoding: 'utf8' })
  assert.equal(unpacked.status, 0, unpacked.stderr)
  release = join(place, `ostiary-${version}`)
})

function ostiary(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(release, 'ostiary.mjs'), ...args], {
    cwd: home,
    env,
    input,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

async function serve(...options: string[]) {
  const service = spawn(process.execPath, [join(release, 'ostiary.mjs'), 'serve', ...options], { cwd: home, env })
  started.add(service)
  let said = ''
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  await until('the service listens', () => {
    if (service.exitCode !== null) throw new Error(said)
    return said.includes('"listening"')
  })
  return { service, said: () => said }
}

test('it has one folder with the entry, the build, the native module, the documents and the lists', { skip }, () => {
  assert.deepEqual(readdirSync(place), [`ostiary-${version}`])
  const expected = [
    'LICENCES.txt',
    'dist',
    'docs',
    'health.mjs',
    'node_modules',
    'ostiary.mjs',
    'package.json',
    'packaging',
    'sbom.cdx.json',
    'sdk',
  ]
  const found = readdirSync(release)
  assert.deepEqual(
    expected.filter((name) => !found.includes(name)),
    [],
  )
  for (const path of [
    'packaging/helm/ostiary/templates/deployment.yaml',
    'dist/dashboard/index.html',
    `dist/sdk/ostiary-sdk-${version}.tgz`,
  ])
    assert.ok(existsSync(join(release, path)), path)
  const { exports } = JSON.parse(readFileSync(join(release, 'sdk/package.json'), 'utf8'))
  for (const { types, default: code } of Object.values<Record<string, string>>(exports))
    for (const path of [types, code]) assert.ok(existsSync(join(release, 'sdk', path ?? '')), path)
  for (const absent of ['server', 'contract', 'launch.mjs', 'package-lock.json', 'scripts']) assert.ok(!found.includes(absent), absent)
  assert.deepEqual(
    globSync('node_modules/*/*', { cwd: release }).filter((path) => !/@node-rs.(argon2|bcrypt)/.test(path)),
    [],
  )
})

test('every link in its documents leads somewhere', { skip }, () => {
  const documents = documentsIn(release)
  assert.ok(documents.includes('docs/quick-start.md'))
  assert.deepEqual(
    documents.flatMap((path) => brokenLinks(release, path)),
    [],
  )
})

test('it says its version and its help, and nothing else', { skip }, () => {
  assert.deepEqual(ostiary(['--version']), { status: 0, stdout: `ostiary ${version}\n`, stderr: '' })
  const help = ostiary(['--help'])
  assert.deepEqual([help.status, help.stderr], [0, ''])
  assert.equal(ostiary(['nonsense']).status, 2)
})

test('it creates the first tenant, serves it with its issuer and the documentation, and stops on SIGTERM', { skip }, async () => {
  // word-check: the signal tells it
  const bootstrap = ostiary(
    ['bootstrap', '--email', 'you@example.com', '--password-stdin', '--tenant', 'Acme', '--json'],
    'a long enough password',
  )
  assert.equal(bootstrap.status, 0, bootstrap.stderr)
  const [, entry = ''] = /^ {2}node (\S.*ostiary\.mjs) serve /m.exec(bootstrap.stderr) ?? assert.fail(bootstrap.stderr)
  assert.equal(realpathSync(join(home, entry)), realpathSync(join(release, 'ostiary.mjs')), 'the command that it names is there')
  const { key, admin_issuer, tenant_id } = JSON.parse(bootstrap.stdout)
  const { service, said } = await serve()
  assert.equal((await fetch(`${base_url}/readyz`)).status, 200)
  const whoami = await fetch(`${base_url}/v1/api-keys/whoami`, { headers: { 'x-api-key': key } })
  assert.equal(((await whoami.json()) as { tenant_id: string }).tenant_id, tenant_id) // as: the JSON of a key
  const discovery = await fetch(`${admin_issuer}/.well-known/openid-configuration`)
  assert.equal(((await discovery.json()) as { issuer: string }).issuer, admin_issuer) // as: the JSON of discovery
  for (const path of [
    '/docs',
    '/docs/quick-start',
    '/docs/search?q=backup',
    '/docs/packaging/nginx.conf',
    '/llms.txt',
    '/docs/api',
    '/docs/errors',
    '/openapi.json',
    '/.well-known/oauth-protected-resource',
  ])
    assert.equal((await fetch(`${base_url}${path}`)).status, 200, path)

  const health = () => spawnSync(process.execPath, [join(release, 'health.mjs')], { env }).status
  assert.equal(health(), 0)
  service.kill('SIGTERM')
  const [code] = await once(service, 'exit')
  assert.equal(code, 0)
  assert.doesNotMatch(said(), /ExperimentalWarning/)
  assert.equal(health(), 1)
})

test('a check of the configuration works', { skip }, () => {
  const { status, stdout, stderr } = ostiary(['doctor', '--json'])
  assert.equal(status, 0, stdout + stderr)
  assert.equal(JSON.parse(stdout).status === 'problem', false)
})

test('its bill of materials lists what it contains, by the hashes of the lock file and with accepted licences', { skip }, () => {
  const bom: Bom = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'))
  const names = bom.components.map((component) => component['bom-ref'].replace(/@[^@]*$/, ''))
  for (const name of ['@ostiary/server', 'fastify', 'pg', 'zod', 'jose', '@node-rs/argon2', '@node-rs/bcrypt'])
    assert.ok(names.includes(name), name)
  for (const name of ['oidc-provider', 'playwright-core', 'typescript', '@ostiary/bench']) assert.ok(!names.includes(name), name)
  for (const component of bom.components)
    if (!component['bom-ref'].startsWith('@ostiary/')) assert.ok(accepted_licences.includes(licenceOf(component)), component['bom-ref'])
})

test('every package of which the build has code is in its bill of materials', { skip }, () => {
  const { components }: Bom = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'))
  const names = new Set(components.map((component) => component['bom-ref'].replace(/@[^@]*$/, '')))
  const maps = globSync('dist/*.map', { cwd: release }).map(
    (path) => JSON.parse(readFileSync(join(release, path), 'utf8')) as { sources: string[] },
  ) // as: a source map
  const used = maps.flatMap(({ sources }) => sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []))
  assert.ok(used.length > 100)
  assert.deepEqual(
    [...new Set(used)].filter((name) => !names.has(name)),
    [],
  )
})

test('it leaves nothing in the folder where it runs', { skip }, () => {
  assert.deepEqual(readdirSync(home), [])
  assert.equal(existsSync(join(data, 'master.key')) || readdirSync(data).length > 0, true)
})
