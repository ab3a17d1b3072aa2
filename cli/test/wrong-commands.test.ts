/** Wrong command lines, as a new user writes them, against a running service: the exit code, and what the message names. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeCertificate } from '../../server/test/support/certificate.ts'
import { world } from '../../server/test/support/world.ts'
import { browserOf, openClient } from './support/terminal-of-client.ts'

const w = await world()
const client = openClient(w)
await w.createApplication(w.test, { slug: 'storefront' })
await w.createUser(w.test, { email: 'ada@example.com' })
const folder = mkdtempSync(join(tmpdir(), 'ostiary-wrong-'))
after(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'conf.yaml'), 'version: 1\n')

const T = ['--project', 'shop', '--env', 'test']
const web = ['applications', 'create', '--name', 'Shop', '--application-type', 'web', ...T]
const id = (prefix: string) => `${prefix}_01m7wwr5ftevtv5yxb47hmb4ht`

interface Line {
  words: string[]
  code: number
  says: (string | RegExp)[]
  /** Standard input. */
  input?: string
  key?: string
}

// biome-ignore format: this table is read by column
const lines: Line[] = [
  // Names that nothing has
  { words: ['projects', 'get', 'shp'],                                  code: 1, says: ['There is no project "shp". Did you mean "shop"?', '"ostiary projects list" lists them.'] },
  { words: ['projects', 'get', 'blog'],                                 code: 1, says: ['There is "shop".', '"ostiary projects list"'] },
  { words: ['applications', 'list', '--project', 'shpo', '--env', 'test'], code: 1, says: ['no project "shpo". Did you mean "shop"?', '"ostiary projects list"'] },
  { words: ['applications', 'list', '--project', 'shop', '--env', 'tset'], code: 1, says: ['no environment "tset". Did you mean "test"?', '"ostiary environments list --project shop"'] },
  { words: ['applications', 'list', '--project', 'shop', '--env', 'staging'], code: 1, says: ['There are "test", "live".', '"ostiary environments list --project shop"'] },
  { words: ['applications', 'get', 'storefornt', ...T],                 code: 1, says: ['no application "storefornt". Did you mean "storefront"?', '"ostiary applications list --project shop --env test"'] },
  { words: ['applications', 'get', 'store', ...T],                      code: 1, says: ['Did you mean "storefront"?'] },
  { words: ['users', 'get', 'ada@exmaple.com', ...T],                   code: 1, says: ['Did you mean "ada@example.com"?', '"ostiary users list --project shop --env test"'] },
  { words: ['users', 'get', 'nobody@example.org', ...T],                code: 1, says: [/^There is no user "nobody@example\.org"\. "ostiary users list/] },
  { words: ['webhooks', 'get', 'hook', ...T],                           code: 1, says: ['no webhook "hook".', '"ostiary webhooks list --project shop --env test"'] },
  { words: ['keys', 'get', 'mykey', ...T],                              code: 1, says: ['not_found', '"ostiary keys list --project shop --env test"'] },
  { words: ['requests', 'get', 'nonsense', ...T],                       code: 1, says: ['"ostiary requests list --project shop --env test"'] },
  { words: ['application-templates', 'get', 'grafan'],                  code: 1, says: ['no template "grafan". Did you mean "grafana"?', '"ostiary application-templates list"'] },
  { words: ['promote', 'test', 'lve', '--project', 'shop'],             code: 1, says: ['no environment "lve". Did you mean "live"?'] },
  { words: ['profiles', 'use', 'work'],                                 code: 1, says: ['There is no profile "work".', '"ostiary profiles list"'] },
  // Ids
  { words: ['applications', 'get', id('usr'), ...T],                    code: 2, says: ['is the id of a user', 'an application begins with app_'] },
  { words: ['applications', 'list', '--project', id('app'), '--env', 'test'], code: 2, says: ['--project: ', 'is the id of an application', 'begins with prj_'] },
  { words: ['applications', 'list', '--project', 'shop', '--env', id('prj')], code: 2, says: ['--env: ', 'begins with env_'] },
  { words: ['applications', 'get', id('app'), ...T],                    code: 1, says: ['not_found', '"ostiary applications list --project shop --env test"'] },
  { words: ['applications', 'list', '--project', id('prj'), '--env', 'test'], code: 1, says: ['"ostiary projects list"'] },
  { words: ['applications', 'list', '--project', 'shop', '--env', id('env')], code: 1, says: ['"ostiary environments list --project shop"'] },
  { words: ['open', 'nonsense'],                                        code: 2, says: ['"nonsense" is not an id', 'app_'] },
  // Verbs, options, words
  { words: ['projects', 'lst'],                                         code: 2, says: ['Did you mean "projects list"?', 'Usage: ostiary projects VERB'] },
  { words: ['projects', 'show', 'shop'],                                code: 2, says: ['There is no command "projects show".', /^ {2}get /m] },
  { words: ['applications', 'list', '--projct', 'shop', '--env', 'test'], code: 2, says: ['no option "--projct". Did you mean --project?', /^(?!.*"shop")/s] },
  { words: ['users', 'create', '--pasword', 'hunter2', ...T],           code: 2, says: ['Did you mean --password?', /^(?!.*hunter2)/s] },
  { words: [...web, '--redirect-uri', 'https://a.example'],             code: 2, says: ['Did you mean --redirect-uris?'] },
  { words: [...web, '/redirect_uris', 'https://a.example'],             code: 2, says: ['"/redirect_uris" is not expected here. Write --redirect-uris'] },
  { words: [...web, 'redirect_uris=https://a.example'],                 code: 2, says: ['Write --redirect-uris TEXT.'] },
  { words: ['applications', 'create', 'storefront', ...T],              code: 2, says: ['"storefront" is not expected here.', '"ostiary applications create --help"'] },
  { words: ['apply', 'conf.yaml', ...T],                                code: 2, says: ['Did you mean --file conf.yaml?'] },
  { words: ['diff', 'conf.yaml'],                                       code: 2, says: ['Did you mean --file conf.yaml?'] },
  { words: ['promote', 'test'],                                         code: 2, says: ['TO is missing.'] },
  { words: ['completion', 'tcsh'],                                      code: 2, says: ['bash, zsh or fish'] },
  // Values
  { words: ['users', 'list', '--project'],                              code: 2, says: ['--project needs a value: slug or id'] },
  { words: ['users', 'list', '--limit', 'ten', ...T],                   code: 2, says: ['--limit takes a number.'] },
  { words: ['settings', 'update', '--tokens.access-token-ttl-seconds', 'abc', ...T], code: 2, says: ['--tokens.access-token-ttl-seconds takes a number.'] },
  { words: ['settings', 'update', '--tokens.access-token-ttl-seconds', '1', ...T], code: 1, says: ['--tokens.access-token-ttl-seconds: Use a number of at least 60.', /^(?!.*\/tokens)/s] },
  { words: [...web.slice(0, 4), '--application-type', 'site', ...T],    code: 2, says: ['--application-type takes one of web, spa, native.'] },
  { words: web,                                                         code: 1, says: ['--redirect-uris: This field is required.', /^(?!.*\/redirect_uris)/s] },
  { words: [...web, '--redirect-uris', 'https://a.example', '--redirect-uris', 'b'], code: 1, says: ['--redirect-uris, value 2: Must be an absolute URI'] },
  { words: ['applications', 'create', '--data', '{"name":"X","application_type":"web","redirect_uris":["b"]}', ...T], code: 1, says: ['--redirect-uris, value 1 (/redirect_uris/0 in --data): '] },
  { words: ['projects', 'create', '--name', 'X'],                       code: 2, says: ['--slug is missing: '] },
  { words: ['projects', 'create', '--name', 'X', '--slug', 'Not A Slug'], code: 1, says: ['--slug: Use 1 to 63 of a-z'] },
  // Files and standard input
  { words: ['applications', 'create', '--data', '@none.json', ...T],    code: 2, says: ['none.json cannot be read: there is no such file or folder.'] },
  { words: ['applications', 'create', '--data', `@${folder}`, ...T],    code: 2, says: ['cannot be read: it is a folder.'] },
  { words: ['applications', 'create', '--data', '-', ...T],             code: 2, says: ['Standard input is empty'], input: '' },
  { words: ['applications', 'create', '--data', '{name:X}', ...T],      code: 2, says: ['--data is not JSON.'] },
  { words: ['apply', '--file', 'none.yaml', ...T],                      code: 2, says: ['none.yaml cannot be read: there is no such file'] },
  { words: ['apply', '--file', folder, ...T],                           code: 2, says: ['it is a folder'] },
  // What is missing
  { words: ['users', 'list'],                                           code: 2, says: ['--project is missing: ', 'There is shop.', '"ostiary projects list"'] },
  { words: ['users', 'list', '--project', 'shop'],                      code: 2, says: ['--env is missing: test, live', '"ostiary environments list --project shop"'] },
  { words: ['webhooks', 'listen'],                                      code: 2, says: ['--forward takes the address of the receiver'] },
  { words: ['webhooks', 'listen', '--forward', 'http://localhost:9'],   code: 2, says: ['--project is missing', '"ostiary projects list"'] },
  // Credentials
  { words: ['projects', 'list'], key: 'abc',                            code: 2, says: ['OSTIARY_KEY is not a key of Ostiary'] },
  { words: ['projects', 'list'], key: `svc_platform_sk_${'x'.repeat(40)}`, code: 1, says: ['invalid_key', 'mistyped, expired, rotated or revoked'] },
  { words: ['projects', 'list'], key: '',                               code: 2, says: ['There is no profile "default". Run "ostiary login"'] },
  { words: ['whoami', '--profile', 'work'], key: '',                    code: 2, says: ['There is no profile "work".'] },
  { words: ['members', 'list'],                                         code: 1, says: ['needs the sign-in of an administrator', '"ostiary login"'] },
  { words: ['use', '--project', 'shop'],                                code: 2, says: ['a key has no defaults'] },
  { words: ['login', '--url', 'localhost:3000'], key: '',               code: 2, says: ['--url takes the address', 'http:// or https://'] },
]
for (const { words, code, says, input, key = w.key } of lines)
  test(`ostiary ${words.join(' ').replace(folder, 'FOLDER')}${key === w.key ? '' : ' with another credential'}: exits with ${code}`, async () => {
    const result = await client.ostiary(words, { key: key === '' ? null : key, ...(input === undefined ? {} : { input }) })
    assert.equal(result.code, code, result.err)
    assert.equal(result.out, '')
    for (const part of says) typeof part === 'string' ? assert.ok(result.err.includes(part), result.err) : assert.match(result.err, part)
    assert.ok(key.length < 30 || !result.err.includes(key.slice(20)), 'the key is never printed')
  })

// biome-ignore format: this table is read by column
const first_words: [words: string[], says: string][] = [
  [['projcts', 'list'],          'There is no command "projcts". Did you mean "projects"?'],
  [['application', 'list'],      'Did you mean "applications" or "application-templates"?'],
  [['app', 'list'],              '"applications"'],
  [['delete', 'application'],    'Did you mean "applications delete"?'],
  [['listen'],                   'Did you mean "webhooks listen"?'],
  [['frobnicate'],               '"ostiary --help" lists the commands.'],
]
for (const [words, says] of first_words)
  test(`ostiary ${words.join(' ')}: exits with 2`, () => {
    const main = join(import.meta.dirname, '../src/main.ts')
    const { status, stderr } = spawnSync(process.execPath, [main, ...words], {
      encoding: 'utf8',
      env: { HOME: folder, PATH: process.env.PATH },
    })
    assert.equal(status, 2, stderr)
    assert.ok(stderr.includes(says), stderr)
  })

const listening = async (server: ReturnType<typeof createServer>) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return (server.address() as AddressInfo).port // as: it listens on TCP
}
const html = await listening(
  createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')),
)
const closed = await (async () => {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
})()
const tls = await listening(createTlsServer(makeCertificate('127.0.0.1'), (_, response) => response.end('{}')))

// biome-ignore format: this table is read by column
const services: [what: string, url: string, code: number, says: string[]][] = [
  ['nothing listens',              `http://127.0.0.1:${closed}`,  1, [`http://127.0.0.1:${closed} cannot be reached: nothing listens there. Is the service running?`, 'OSTIARY_URL']],
  ['the host is unknown',          'http://nohost.invalid',        1, ['its host name is unknown']],
  ['the certificate is unknown',   `https://127.0.0.1:${tls}`,     1, ['its certificate is not from an authority', 'NODE_EXTRA_CA_CERTS']],
  ['it does not speak TLS',        `https://127.0.0.1:${html}`,    1, ['it does not speak TLS there']],
  ['a proxy answers with a page',  `http://127.0.0.1:${html}`,     1, ['does not answer like a service of Ostiary', 'OSTIARY_URL']],
  ['the address has no scheme',    'localhost:3000',               2, ['OSTIARY_URL takes the address', 'http:// or https://']],
  ['the address has another scheme', 'ftp://localhost',            2, ['OSTIARY_URL takes the address', 'http:// or https://']],
  ['the address has a path',       'http://localhost:3000/v1',     2, ['without a path']],
]
for (const [what, url, code, says] of services)
  test(`where ${what}, the message says so and exits with ${code}`, async () => {
    const result = await openClient(w, { OSTIARY_URL: url }).ostiary(['projects', 'list'], { key: w.key })
    assert.equal(result.code, code, result.err)
    for (const part of says) assert.ok(result.err.includes(part), result.err)
    assert.ok(!result.err.includes(w.key.slice(20)))
  })

test('use keeps the project and the environment of a profile, and a change in Live uses neither', async () => {
  const { ostiary } = openClient(w)
  assert.equal((await ostiary(['login'], { openBrowser: browserOf(w) })).code, 0)
  const unknown = await ostiary(['use', '--project', 'shpo'])
  assert.deepEqual([unknown.code, unknown.err.includes('Did you mean "shop"?')], [1, true], unknown.err)
  const kept = await ostiary(['use', '--project', 'shop', '--env', 'live', '--json'])
  assert.deepEqual(JSON.parse(kept.out), { profile: 'default', tenant: null, project: 'shop', env: 'live' })
  assert.equal((await ostiary(['applications', 'list'])).code, 0)
  const create = ['applications', 'create', '--name', 'App', '--application-type', 'spa', '--redirect-uris', 'https://a.example/cb']
  assert.match((await ostiary(create)).err, /^This changes something in Live\. Write --env live to do it\.\n$/)
  assert.match((await ostiary([...create, '--env', 'live'])).err, /^This changes something in Live.* Write --project shop to do it\.\n$/)
  assert.equal((await ostiary([...create, '--env', 'live', '--project', 'shop'])).code, 0)
  assert.equal((await ostiary([...create, '--env', 'test'])).code, 0)
  assert.equal((await ostiary(['open', 'app_01m7wwr5ftevtv5yxb47hmb4ht'])).code, 1)
  assert.equal((await ostiary(['open', w.project.id, '--no-browser'])).code, 0)
  assert.match((await ostiary(['use', '--env', 'null', '--project', 'null'])).out, /^project {2}-\n/m)
})
