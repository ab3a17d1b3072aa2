/** Issuers with a host of their own (decision 0044): who can take one, and what each host answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { asAdministrator } from '../support/administrator.ts'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { freePort } from '../support/free-port.ts'
import { leadHere } from '../support/names.ts'
import { type RawReply, sendRaw } from '../support/raw-http.ts'
import { findCall } from '../support/refused-calls.ts'
import { createAdministrator, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const issuer_hosts =
  'login.acme.example=acme, *.brands.acme.example=acme, login.globex.example=globex, *.localhost=acme, *.example.com=acme, 192.0.2.7=acme'
leadHere('id.example.com')
const port = await freePort()
const here = `id.example.com:${port}`
const base_url = `http://${here}`
const w = await world({ env: { OSTIARY_PORT: String(port), OSTIARY_BASE_URL: base_url, OSTIARY_ISSUER_HOSTS: issuer_hosts } })
const { ours, theirs } = await createTwoTenants(w)
const listening = `http://127.0.0.1:${port}`

let slugs = 0
const create = (issuer: unknown, tenant = ours, project_id = tenant.project_id): Promise<Reply> =>
  w.call('POST', `/v1/platform/projects/${project_id}/environments`, {
    key: tenant.platform,
    body: { slug: `own-${++slugs}`, name: 'Own', type: 'live', issuer },
  })

const login = expectStatus(201, await create('https://login.acme.example'))
const ported = expectStatus(201, await create('https://login.acme.example:8443'))

// biome-ignore format: this table is read by column
const refusals: [issuer: unknown, why: string][] = [
  ['https://login.globex.example',         'the host of another tenant'],
  ['https://unlisted.example',             'a host that is not listed'],
  ['https://acme.example',                 'a parent domain of a listed host'],
  ['https://brands.acme.example',          'the suffix of a wildcard alone'],
  ['https://a.b.brands.acme.example',      'two labels for a wildcard'],
  ['https://id.example.com',               'the host of the service, which a wildcard covers'],
  ['https://id.example.com:8443',          'the host of the service with another port'],
  ['https://example.com',                  'a parent domain of the service'],
  ['http://login.acme.example',            'no https'],
  ['https://login.acme.example/',          'a slash at the end'],
  ['https://login.acme.example:443',       'the default port'],
  ['https://Login.acme.example',           'upper case'],
  ['HTTPS://login.acme.example',           'a scheme in upper case'],
  ['https://login.acme.example.',          'a dot at the end'],
  ['https://login.acme.example/e/1',       'a path'],
  ['https://login.acme.example?a',         'a query'],
  ['https://login.acme.example#a',         'a fragment'],
  ['https://me@login.acme.example',        'user information'],
  ['https://*.brands.acme.example',        'a wildcard'],
  ['https://söhne.brands.acme.example',    'letters outside ASCII'],
  ['https://a_b.brands.acme.example',      'an underscore'],
  ['https://-a.brands.acme.example',       'a label that begins with a hyphen'],
  [`https://${'a'.repeat(64)}.brands.acme.example`, 'a label of 64 characters'],
  [`https://${'a'.repeat(5_000)}.example`, 'a very long host'],
  ['https://login.acme.example:65536',     'a port out of range'],
  ['https://192.0.2.007',                  'an address in another notation'],
  ['login.acme.example',                   'a host only'],
  ['',                                     'an empty text'],
  [7,                                      'a number'],
]
for (const [issuer, why] of refusals)
  test(`an environment cannot take an issuer with ${why}: 422 at /issuer`, async () => {
    const { errors, code } = expectStatus(422, await create(issuer))
    assert.equal(code, 'validation_failed')
    assert.deepEqual(
      errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/issuer'],
    )
  })

test('a host of another tenant and a host that is not listed get the same answer', async () => {
  const [foreign, unlisted] = await Promise.all([create('https://login.globex.example'), create('https://unlisted.example')])
  const { request_id: _, ...of_foreign } = expectStatus(422, foreign)
  const { request_id: __, ...of_unlisted } = expectStatus(422, unlisted)
  assert.deepEqual(of_foreign, of_unlisted)
})

for (const issuer of [
  'https://shop.brands.acme.example',
  'https://xn--shne-5qa.brands.acme.example:444',
  'https://192.0.2.7',
  'https://a.localhost:8443',
])
  test(`an environment can take the issuer ${issuer}`, async () => {
    const made = expectStatus(201, await create(issuer))
    assert.equal(made.issuer, issuer)
    assert.equal(
      expectStatus(200, await w.call('GET', `/v1/platform/projects/${ours.project_id}/environments/${made.id}`, { key: ours.platform }))
        .issuer,
      issuer,
    )
  })

test('an issuer that is taken is 409 issuer_taken for both tenants, and nothing is created', async () => {
  expectStatus(201, await create('https://login.globex.example', theirs))
  for (const reply of [await create('https://login.acme.example'), await create('https://login.globex.example', theirs)])
    assert.equal(expectStatus(409, reply).code, 'issuer_taken')
  const first = { slug: 'own', name: 'Own', type: 'test', issuer: 'https://login.acme.example' }
  const reply = await w.call('POST', '/v1/platform/projects', {
    key: ours.platform,
    body: { slug: 'taken', name: 'Taken', environments: [first] },
  })
  assert.equal(expectStatus(409, reply).code, 'issuer_taken')
  assert.deepEqual(expectStatus(200, await w.call('GET', '/v1/platform/projects?slug=taken', { key: ours.platform })).data, [])
})

test('an issuer is never used again, even after its environment is gone', async () => {
  const made = expectStatus(201, await create('https://gone.brands.acme.example'))
  await w.deployment.db.batch([sql`delete from environments where id = ${made.id}`])
  assert.equal(expectStatus(409, await create('https://gone.brands.acme.example')).code, 'issuer_taken')
  assert.equal((await at('gone.brands.acme.example', '/.well-known/openid-configuration')).status, 421)
})

test('of 50 parallel creations with one issuer one succeeds', async () => {
  const roomy = expectStatus(
    201,
    await w.call('POST', '/v1/platform/projects', { key: ours.platform, body: { slug: 'race', name: 'Race' } }),
  )
  const replies = await Promise.all(Array.from({ length: 50 }, () => create('https://race.brands.acme.example', ours, roomy.id)))
  const codes = replies.map(({ status, body }) => (status === 201 ? 201 : body.code))
  assert.deepEqual([...new Set(codes)].sort(), [201, 'issuer_taken'])
  assert.equal(codes.filter((code) => code === 201).length, 1)
})

test('a project can be created with environments that have issuers of their own, each once', async () => {
  const body = (...issuers: string[]) => ({
    slug: `with-issuers-${++slugs}`,
    name: 'With issuers',
    environments: issuers.map((issuer, i) => ({ slug: `e${i}`, name: 'E', type: 'test', issuer })),
  })
  const post = (sent: unknown) => w.call('POST', '/v1/platform/projects', { key: ours.platform, body: sent })
  const [a, b] = ['https://one.brands.acme.example', 'https://two.brands.acme.example']
  const twice = expectStatus(422, await post(body(a, a)))
  assert.deepEqual(twice.errors[0].pointer, '/environments/1/issuer')
  const foreign = expectStatus(422, await post(body(a, 'https://login.globex.example')))
  assert.deepEqual(foreign.errors[0].pointer, '/environments/1/issuer')
  const made = expectStatus(201, await post(body(a, b)))
  assert.deepEqual(
    made.environments.map(({ issuer }: { issuer: string }) => issuer),
    [a, b],
  )
})

test('the issuer of an environment cannot be changed', async () => {
  const path = `/v1/platform/projects/${ours.project_id}/environments/${login.id}`
  for (const issuer of ['https://other.brands.acme.example', null])
    expectStatus(422, await w.call('PATCH', path, { key: ours.platform, body: { issuer } }))
})

/** Sends these lines as the head of a request. */
const raw = (...lines: string[]): Promise<RawReply> => sendRaw(listening, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`)
const at = (host: string, path: string, ...more: string[]) => raw(`GET ${path} HTTP/1.1`, `Host: ${host}`, ...more)
const discovery = '/.well-known/openid-configuration'
const whoami = '/v1/api-keys/whoami'
const jsonOf = ({ body }: RawReply) => JSON.parse(body)

/** Who answers: an issuer, the service itself, nobody (421), or a status. */
async function whoAnswers(first_lines: (path: string) => string[]): Promise<string | number> {
  const found = await raw(...first_lines(discovery))
  const service = await raw(...first_lines('/openapi.json'))
  if (found.status === 200) {
    assert.equal(service.status, 404)
    return jsonOf(found).issuer
  }
  assert.equal(service.status, found.status === 404 ? 200 : found.status)
  return service.status === 200 ? 'service' : service.status
}

// biome-ignore format: this table is read by column
const hosts: [what: string, lines: (path: string) => string[], answers: string | number][] = [
  ['the host of the service',                  (path) => [`GET ${path} HTTP/1.1`, `Host: ${here}`],                                    'service'],
  ['the host of an issuer',                    (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example'],                                login.issuer],
  ['the host of an issuer in upper case',      (path) => [`GET ${path} HTTP/1.1`, 'Host: LOGIN.Acme.Example'],                                login.issuer],
  ['the host of an issuer with :443',          (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example:443'],                            login.issuer],
  ['the host of an issuer with its port',      (path) => [`GET ${path} HTTP/1.1`, 'Host: Login.acme.example:8443'],                           ported.issuer],
  ['the host of an issuer with an empty port', (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example:'],                               login.issuer],
  ['the host of an issuer with another port',  (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example:8444'],                           421],
  ['the host of an issuer with :80',           (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example:80'],                             421],
  ['the host of an issuer with :0443',         (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example:0443'],                           421],
  ['the host of an issuer with a dot',         (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example.'],                               421],
  ['the host of an issuer with spaces around', (path) => [`GET ${path} HTTP/1.1`, 'Host:   login.acme.example  '],                            login.issuer],
  ['a listed host without an environment',     (path) => [`GET ${path} HTTP/1.1`, 'Host: new.brands.acme.example'],                           421],
  ['such a host in upper case',                (path) => [`GET ${path} HTTP/1.1`, 'Host: NEW.brands.acme.example'],                           421],
  ['a label too many for a wildcard',          (path) => [`GET ${path} HTTP/1.1`, 'Host: a.new.brands.acme.example'],                         'service'],
  ['the suffix of a wildcard',                 (path) => [`GET ${path} HTTP/1.1`, 'Host: brands.acme.example'],                               'service'],
  ['a parent of the service under a wildcard', (path) => [`GET ${path} HTTP/1.1`, 'Host: example.com'],                                       'service'],
  ['the service without its port',             (path) => [`GET ${path} HTTP/1.1`, 'Host: id.example.com'],                               'service'],
  ['an address',                               (path) => [`GET ${path} HTTP/1.1`, 'Host: 10.0.0.7:3000'],                                     'service'],
  ['an IPv6 address',                          (path) => [`GET ${path} HTTP/1.1`, 'Host: [::1]:3000'],                                        'service'],
  ['an unknown host',                          (path) => [`GET ${path} HTTP/1.1`, 'Host: elsewhere.example'],                                 'service'],
  ['an empty host',                            (path) => [`GET ${path} HTTP/1.1`, 'Host:'],                                                   'service'],
  ['user information before a host',           (path) => [`GET ${path} HTTP/1.1`, 'Host: me@login.acme.example'],                             'service'],
  ['a host with a path',                       (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example/e'],                              'service'],
  ['two hosts in one header',                  (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example, id.example.com'],                'service'],
  ['a very long host',                         (path) => [`GET ${path} HTTP/1.1`, `Host: ${'a'.repeat(5_000)}.brands.acme.example`],          'service'],
  ['two Host headers',                         (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example', `Host: ${here}`],        400],
  ['the same Host header twice',               (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example', 'Host: login.acme.example'],    400],
  ['no Host in HTTP/1.1',                      (path) => [`GET ${path} HTTP/1.1`],                                                            400],
  ['no Host in HTTP/1.0',                      (path) => [`GET ${path} HTTP/1.0`],                                                            'service'],
  ['the host of an issuer in HTTP/1.0',        (path) => [`GET ${path} HTTP/1.0`, 'Host: login.acme.example'],                                login.issuer],
  ['a target in absolute form',                (path) => [`GET https://login.acme.example${path} HTTP/1.1`, 'Host: login.acme.example'],      login.issuer],
  ['an absolute target before Host',           (path) => [`GET http://LOGIN.acme.example:443${path} HTTP/1.1`, `Host: ${here}`],       login.issuer],
  ['an absolute target of the service',        (path) => [`GET http://${here}${path} HTTP/1.1`, 'Host: login.acme.example'],          'service'],
  ['an absolute target without environment',   (path) => [`GET https://new.brands.acme.example${path} HTTP/1.1`, `Host: ${here}`],     421],
  ['X-Forwarded-Host at the service',          (path) => [`GET ${path} HTTP/1.1`, `Host: ${here}`, 'X-Forwarded-Host: login.acme.example'], 'service'],
  ['Forwarded at the service',                 (path) => [`GET ${path} HTTP/1.1`, `Host: ${here}`, 'Forwarded: host=login.acme.example'], 'service'],
  ['X-Forwarded-Host at an issuer',            (path) => [`GET ${path} HTTP/1.1`, 'Host: login.acme.example', 'X-Forwarded-Host: id.example.com', 'X-Original-Host: evil.example', 'Forwarded: host=evil.example;proto=http'], login.issuer],
]
for (const [what, lines, answers] of hosts)
  test(`${what}: ${typeof answers === 'number' ? answers : `answered by ${answers}`}`, async () => {
    assert.equal(await whoAnswers(lines), answers)
  })

const { id } = login
// biome-ignore format: this table is read by column
const paths: [method: string, host: string, path: string, status: number][] = [
  ['GET',     'login.acme.example',        discovery,                                              200],
  ['GET',     'login.acme.example',        '/.well-known/oauth-authorization-server',              200],
  ['GET',     'login.acme.example',        '/v1/oauth/jwks.json',                                  200],
  ['HEAD',    'login.acme.example',        '/v1/oauth/jwks.json',                                  200],
  ['GET',     'login.acme.example',        '/v1/oauth/token',                                      405],
  ['OPTIONS', 'login.acme.example',        '/v1/oauth/token',                                      204],
  ['GET',     'login.acme.example',        '/oauth/authorize',                                     400],
  ['GET',     'login.acme.example',        whoami,                                                 404],
  ['GET',     'login.acme.example',        '/v1/platform/projects',                                404],
  ['GET',     'login.acme.example',        '/v1/auth/config',                                      404],
  ['OPTIONS', 'login.acme.example',        '/v1/auth/config',                                      404],
  ['GET',     'login.acme.example',        '/v1/me',                                               404],
  ['GET',     'login.acme.example',        '/',                                                    303],
  ['GET',     'login.acme.example',        '/.well-known/change-password',                         303],
  ['GET',     'new.brands.acme.example',   '/.well-known/change-password',                         421],
  ['GET',     here,                        `/e/${id}/.well-known/change-password`,                 404],
  ['GET',     here,                        `/e/${w.test.id}/.well-known/change-password`,          303],
  ['GET',     here,                        '/.well-known/change-password',                         404],
  ['GET',     'login.acme.example',        '/docs/api',                                            404],
  ['GET',     'login.acme.example',        '/openapi.json',                                        404],
  ['GET',     'login.acme.example',        '/favicon.ico',                                         404],
  ['GET',     'login.acme.example',        '/.well-known/oauth-protected-resource',                404],
  ['GET',     'login.acme.example',        `/e/${id}${discovery}`,                                 404],
  ['GET',     'login.acme.example',        `/e/${w.test.id}${discovery}`,                          404],
  ['GET',     'login.acme.example',        `/.well-known/oauth-authorization-server/e/${id}`,      404],
  ['GET',     'login.acme.example',        `/../${w.test.id}${discovery}`,                         404],
  ['GET',     'login.acme.example',        `/..%2f${w.test.id}${discovery}`,                       404],
  ['GET',     'login.acme.example',        `//e/${w.test.id}${discovery}`,                         404],
  ['GET',     'login.acme.example',        `http:/e/${w.test.id}${discovery}`,                     400],
  ['OPTIONS', 'login.acme.example',        '*',                                                    404],
  ['GET',     'login.acme.example',        '/%zz',                                                 400],
  ['GET',     'login.acme.example',        '/healthz',                                             200],
  ['GET',     'login.acme.example',        '/readyz',                                              200],
  ['GET',     'login.acme.example',        '/healthz/',                                            404],
  ['GET',     'new.brands.acme.example',   '/healthz',                                             200],
  ['GET',     'new.brands.acme.example',   '/readyz?probe=1',                                      200],
  ['GET',     'new.brands.acme.example',   discovery,                                              421],
  ['GET',     'new.brands.acme.example',   whoami,                                                 421],
  ['POST',    'new.brands.acme.example',   '/v1/platform/projects',                                421],
  ['OPTIONS', 'new.brands.acme.example',   '/v1/auth/config',                                      421],
  ['GET',     'new.brands.acme.example',   '/nowhere',                                             421],
  ['GET',     here,                        `/e/${id}${discovery}`,                                 404],
  ['GET',     here,                        `/e/${id}/v1/oauth/jwks.json`,                          404],
  ['GET',     here,                        `/e/${id}/oauth/authorize`,                             404],
  ['POST',    here,                        `/e/${id}/v1/oauth/token`,                              404],
  ['OPTIONS', here,                        `/e/${id}/v1/oauth/token`,                              404],
  ['GET',     here,                        `/.well-known/oauth-authorization-server/e/${id}`,      404],
  ['GET',     'elsewhere.example',         `/e/${id}${discovery}`,                                 404],
  ['GET',     here,                        `/e/${w.test.id}${discovery}`,                          200],
  ['GET',     here,                        `/e/${w.test.id}/.well-known/oauth-authorization-server`, 200],
  ['GET',     here,                        `/.well-known/oauth-authorization-server/e/${w.test.id}`, 200],
  ['GET',     here,                        whoami,                                                 200],
]
for (const [method, host, path, status] of paths)
  test(`${method} ${path.replace(id, '{own}').replace(w.test.id, '{shared}')} at ${host}: ${status}`, async () => {
    const reply = await raw(`${method} ${path} HTTP/1.1`, `Host: ${host}`, `X-API-Key: ${ours.platform}`, 'Content-Length: 0')
    assert.equal(reply.status, status, reply.body)
    if (status === 421) assert.equal(jsonOf(reply).code, 'misdirected_request')
    if (status === 404 && method !== 'OPTIONS') assert.equal(jsonOf(reply).type, `${base_url}/docs/errors/not_found`)
    // The service of this test is http, and an issuer with a host of its own is always https.
    const is_own = host === 'login.acme.example' && !/^\/(healthz|readyz)$|^http:/.test(path)
    assert.equal(reply.headers['strict-transport-security'], is_own ? 'max-age=31536000' : undefined)
  })

test('every address in the metadata of an issuer is at its own origin, whatever the headers say', async () => {
  const forged = ['X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: http', 'X-Forwarded-Port: 81', 'Forwarded: host=evil.example']
  for (const [host, path, { issuer }] of [
    ['LOGIN.acme.example:443', discovery, login],
    ['login.acme.example', '/.well-known/oauth-authorization-server', login],
    ['login.acme.example:8443', discovery, ported],
    ['evil.example', `/e/${w.test.id}${discovery}`, w.test],
    ['evil.example', `/.well-known/oauth-authorization-server/e/${w.test.id}`, w.test],
  ] as const) {
    const reply = await at(host, path, ...forged)
    const addresses = Object.entries(jsonOf(reply)).filter(([name]) => /(_endpoint|jwks_uri|^issuer)$/.test(name))
    assert.ok(addresses.length >= 7)
    for (const [name, address] of addresses)
      assert.ok(address === issuer || String(address).startsWith(`${issuer}/`), `${name}: ${address}`)
    assert.equal(reply.headers['access-control-allow-origin'], '*')
  }
})

test('a page at the host of an issuer sets cookies that are Secure and of that host alone, though the service is http', async () => {
  const path = `/v1/platform/projects/${ours.project_id}/environments/${id}/applications`
  const fields = { name: 'Shop', application_type: 'web', redirect_uris: ['https://shop.example/callback'] }
  const client = expectStatus(201, await w.call('POST', path, { key: ours.platform, body: fields }))
  const { search } = new URL(authorizationRequest(login, client).url)
  const page = await at('login.acme.example', `/oauth/authorize${search}`)
  assert.equal(page.status, 200)
  assert.match(
    page.headers['set-cookie'] ?? '',
    new RegExp(`^__Host-ostiary_form_${id}_[\\w-]{8}=[\\w-]{43}; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Lax; Secure$`),
  )
  const addresses = [...page.body.matchAll(/(?:action|href|src)="(https?:[^"]*)"/g)].map(([, address = '']) => address)
  assert.ok(addresses.length > 0)
  for (const address of addresses)
    assert.ok(
      [`${login.issuer}/`, 'https://shop.example/'].some((start) => address.startsWith(start)),
      address,
    )
})

test('a page at the host of an issuer has its brand, and a page of a reserved host that of the service', async () => {
  const html = 'Accept: text/html'
  const own = await at('login.acme.example', '/nowhere', html)
  assert.equal(own.status, 404)
  assert.match(own.body, /<title>[^<]* · Project ours<\/title>/)
  const api = await at('login.acme.example', whoami, html)
  assert.equal(api.status, 404)
  const misdirected = await at('new.brands.acme.example', '/nowhere', html)
  assert.equal(misdirected.status, 421)
  assert.match(misdirected.body, /<title>[^<]* · Ostiary<\/title>/)
  assert.ok(misdirected.body.includes(`href="${base_url}/"`))
  const elsewhere = await at(here, `/e/${id}/nowhere`, html)
  assert.match(elsewhere.body, /<title>[^<]* · Ostiary<\/title>/, 'the path of an environment with a host of its own names nothing')
})

test('a problem at the host of an issuer names its discovery document', async () => {
  const { detail } = jsonOf(await at('login.acme.example', '/nowhere'))
  assert.ok(detail.endsWith(`${login.issuer}${discovery}`), detail)
})

test('a refused call at the host of an issuer belongs to its environment', async () => {
  const reply = await raw('POST /v1/oauth/token HTTP/1.1', 'Host: login.acme.example', 'Content-Length: 0')
  const place = { path: `/v1/platform/projects/${ours.project_id}/environments/${id}` }
  const record = expectStatus(200, await findCall(w, ours, place as never, reply.headers['x-request-id'] ?? ''))
  assert.deepEqual([record.route, record.status], ['/e/{environment_id}/v1/oauth/token', reply.status])
})

test('a call to a reserved host belongs to the owner of its key', async () => {
  const reply = await at('new.brands.acme.example', whoami, `X-API-Key: ${ours.platform}`)
  const record = expectStatus(200, await findCall(w, ours, null, reply.headers['x-request-id'] ?? ''))
  assert.equal(record.code, 'misdirected_request')
})

test(
  'an environment that one process creates is answered by the others at once, at its host and nowhere else',
  { skip: w.deployment.config.database_url === null && 'needs PostgreSQL' },
  async () => {
    const other = await w.startAnotherService()
    const there = `http://127.0.0.1:${other.service.addresses[0]?.port}`
    const ask = () => sendRaw(there, `GET ${discovery} HTTP/1.1\r\nHost: late.brands.acme.example\r\nConnection: close\r\n\r\n`)
    assert.equal((await ask()).status, 421)
    const made = expectStatus(201, await create('https://late.brands.acme.example'))
    assert.equal(jsonOf(await ask()).issuer, made.issuer)
  },
)

test('random hosts take no memory, and an issuer is found among them', async () => {
  for (let i = 0; i < 300; i++) assert.equal((await at(`h${i}.brands.acme.example`, discovery)).status, 421)
  assert.equal((await at('login.acme.example', discovery)).status, 200)
})

test('a host that is no longer listed keeps its issuer', async () => {
  const moved = await world({ env: { OSTIARY_ISSUER_HOSTS: 'login.acme.example' } })
  const body = { slug: 'own', name: 'Own', type: 'test', issuer: 'https://login.acme.example' }
  const path = `/v1/platform/projects/${moved.project.id}/environments`
  expectStatus(201, await moved.call('POST', path, { body }))
  await moved.service.stop()
  const unlisted = await moved.startAnotherService({ issuer_hosts: [] })
  const ask = (host: string) =>
    sendRaw(unlisted.at(moved.base_url), `GET ${discovery} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  assert.equal((await ask('login.acme.example')).status, 200)
  assert.equal((await ask('login.acme.example:1')).status, 404, 'the service, where this path does not exist')
})

const Tenants = z.object({ count: z.int() })

test('a host without a tenant is for the only tenant, and for nobody once there is a second', async () => {
  const one = await world({ env: { OSTIARY_ISSUER_HOSTS: '*.acme.example' } })
  const path = `/v1/platform/projects/${one.project.id}/environments`
  const own = (slug: string) =>
    one.call('POST', path, { body: { slug, name: 'Own', type: 'test', issuer: `https://${slug}.acme.example` } })
  expectStatus(201, await own('first'))
  const stranger = await createAdministrator(one, 'stranger@example.org')
  expectStatus(201, await asAdministrator(one, stranger.token, null)('POST', '/v1/tenants', { slug: 'globex', name: 'Globex' }))
  assert.deepEqual(await one.deployment.db.all(Tenants, sql`select count(*) as count from tenants`), [{ count: 3 }])
  expectStatus(422, await own('second'))
  await one.service.stop()
  await assert.rejects(one.startAnotherService(), { name: 'CannotStart', message: /OSTIARY_ISSUER_HOSTS: .*\*\.acme\.example=tenant-slug/ })
})
