/** Commands with a key, against a running service: answers, refusals, Live, pipelines that run twice. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../../server/test/support/receiver.ts'
import { createRole } from '../../server/test/support/roles.ts'
import { expectStatus, world } from '../../server/test/support/world.ts'
import { openClient, type Result } from './support/terminal-of-client.ts'

const w = await world()
const client = openClient(w)
const ostiary = (words: readonly string[], options = {}) => client.ostiary(words, { key: w.key, ...options })
const inTest = ['--project', 'shop', '--env', 'test']
const json = (result: Result) => {
  assert.equal(result.code, 0, result.err)
  return JSON.parse(result.out)
}

const person = await w.createUser(w.test, { email: 'ada@example.com', name: 'Ada Example' })
const application = await w.createApplication(w.test, { slug: 'storefront' })
const secret_key: string = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
const live_key: string = expectStatus(201, await w.call('POST', `${w.live.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
const publishable = expectStatus(
  201,
  await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_publishable', allowed_origins: ['https://app.example.com'] } }),
)

test('access shows each scope, and the role that gives it or why none does', async () => {
  const grace = await w.createUser(w.test, { email: 'grace@example.com' })
  const scopes = (...names: string[]) => names.map((name) => ({ name }))
  const server = async (slug: string, ...names: string[]) =>
    expectStatus(
      201,
      await w.call('POST', `${w.test.path}/resource-servers`, {
        body: { slug, name: slug, identifier: `https://${slug}.example.com`, scopes: scopes(...names) },
      }),
    )
  await server('billing', 'invoices:read')
  const { id } = await server('orders', 'orders:read', 'orders:delete', 'orders:export', 'orders:again')
  const permitting = (...names: string[]) => [{ resource_server: 'orders', scopes: names }]
  await createRole(w, w.test, { slug: 'editor', permissions: permitting('orders:read', 'orders:again') })
  await createRole(w, w.test, { slug: 'remover', permissions: permitting('orders:delete') })
  for (const names of [
    ['orders:read', 'orders:delete', 'orders:export'],
    ['orders:read', 'orders:delete', 'orders:export', 'orders:again'],
  ])
    expectStatus(200, await w.call('PATCH', `${w.test.path}/resource-servers/${id}`, { body: { scopes: scopes(...names) } }))
  expectStatus(200, await w.call('PATCH', `${w.test.path}/resource-servers/${id}`, { body: { require_roles: true } }))
  expectStatus(200, await w.call('PATCH', `/v1/auth/users/${grace.id}`, { key: secret_key, body: { roles: ['editor'] } }))

  const { out, err, code } = await ostiary(['access', 'grace@example.com', ...inTest])
  assert.deepEqual([code, err], [0, ''])
  assert.equal(
    out,
    [
      'user   grace@example.com',
      'roles  editor',
      '',
      'RESOURCE SERVER  SCOPE          GIVEN  BY',
      'billing          invoices:read  yes    roles are not required',
      'orders           orders:read    yes    editor',
      'orders           orders:delete  no     the user lacks remover',
      'orders           orders:export  no     no role gives it',
      'orders           orders:again   no     editor: the scope is newer than the role, so save its permissions again',
      '',
    ].join('\n'),
  )
  const of_key = await ostiary(['access', 'grace@example.com'], { key: secret_key })
  assert.match(of_key.out, /\norders +orders:read +yes +editor\n$/)
  assert.match(of_key.err, /^Scopes that are not given are shown to administrators/)
  const answer = json(await ostiary(['access', grace.id, ...inTest, '--json']))
  assert.deepEqual(answer, json(await ostiary(['users', 'access', 'grace@example.com', ...inTest, '--json'])))
  assert.deepEqual(answer.roles, ['editor'])
  assert.match((await ostiary(['users', 'list', '--role', 'editor', ...inTest])).out, /grace@example\.com/)
  await createRole(w, w.test, { slug: 'clerk', kind: 'organization', permissions: permitting('orders:read') })
  const members = [{ user_id: grace.id, roles: ['clerk'] }]
  expectStatus(201, await w.call('POST', '/v1/auth/organizations', { key: secret_key, body: { slug: 'acme', name: 'Acme', members } }))
  const in_organization = await ostiary(['access', 'grace@example.com', '--organization', 'acme', ...inTest])
  assert.deepEqual([in_organization.code, in_organization.err], [0, ''])
  assert.match(in_organization.out, /\nroles +clerk\n/)
  assert.match(in_organization.out, /\norders +orders:read +yes +clerk\norders +orders:delete +no +no role gives it\n/)
  expectStatus(201, await w.call('POST', '/v1/auth/organizations', { key: secret_key, body: { slug: 'other', name: 'Other' } }))
  const of_other = await ostiary(['access', 'grace@example.com', '--organization', 'other', ...inTest])
  assert.match(of_other.out, /\n\nThe user is not a member of the organization, or it is disabled\.\n$/)
  expectStatus(200, await w.call('POST', `/v1/auth/users/${grace.id}/block`, { key: secret_key }))
  assert.match((await ostiary(['access', 'grace@example.com', ...inTest])).out, /^blocked_at +2.*\n\nA blocked user has no access\.\n$/m)
  assert.equal((await ostiary(['access', 'nobody@example.com', ...inTest])).code, 1)
})

test('the signing key of either algorithm is rotated', async () => {
  const create = ['resource-servers', 'create', '--name', 'Stock', '--identifier', 'https://stock.example.com']
  const rotate = (...more: string[]) => ostiary(['signing-keys', 'rotate', ...more, ...inTest, '--yes', '--json'])
  assert.match((await rotate('--alg', 'ES256')).err, /^No signing key \(no_signing_key\): No resource server/)
  const server = json(await ostiary([...create, '--access-token-signing-alg', 'ES256', ...inTest, '--json']))
  assert.equal(server.access_token_signing_alg, 'ES256')
  assert.deepEqual([json(await rotate()).alg, json(await rotate('--alg', 'ES256')).alg], ['RS256', 'ES256'])
  const wrong = await rotate('--alg', 'PS256')
  assert.ok(wrong.code !== 0 && /--alg/.test(wrong.err), wrong.err)
})

test('an application that is created by a template prints the setup of the product, with its values in it', async () => {
  const create = ['applications', 'create', '--template', 'memos', '--url', 'https://memos.example.com', ...inTest]
  const { code, out, err } = await ostiary(create)
  assert.equal(code, 0, err)
  const [, client_id = '', client_secret = ''] = /^client_id +(\S+)\n(?:.*\n)*client_secret +(\S+)\n/m.exec(out) ?? assert.fail(out)
  assert.ok(out.includes(`\nClient ID: ${client_id}\nClient secret: ${client_secret}\n`), out)
  assert.ok(out.includes(`\nAuthorization endpoint: ${w.test.issuer}/oauth/authorize\n`), out)
  const [, setting = ''] = /needs a user name.*\n {2}ostiary (settings update .*)\n/.exec(err) ?? assert.fail(err)
  assert.equal((await ostiary(setting.split(' '))).code, 0, setting)
  assert.doesNotMatch((await ostiary(create)).err, /needs a user name/)
  assert.equal(json(await ostiary([...create, '--json'])).template, 'memos')
  assert.match((await ostiary([...create.slice(0, 4), ...inTest])).err, /--url: This field is required\./)
})

// biome-ignore format: this table is read by column
const answers: { words: string[]; key?: string; code?: number; out?: RegExp; err?: RegExp }[] = [
  { words: ['projects', 'list'],                                                   out: /^ID +SLUG +NAME +CREATED AT\nprj_\w+ +shop +Project shop / },
  { words: ['projects', 'get', 'shop'],                                            out: /^id +prj_\w+\n.*\nslug +shop\n/m },
  { words: ['projects', 'get', w.project.id],                                      out: /^slug +shop\n/m },
  { words: ['environments', 'list', '--project', 'shop'],                          out: /^ID +SLUG +NAME +TYPE +ISSUER/ },
  { words: ['environments', 'get', 'live', '--project', 'shop'],                   out: /^type +live\n/m },
  { words: ['applications', 'get', 'storefront', ...inTest],                       out: new RegExp(`^client_id +${application.id}\n`, 'm') },
  { words: ['applications', 'get', application.id, '--project', w.project.id, '--env', w.test.id], out: /^slug +storefront\n/m },
  { words: ['settings', 'get', ...inTest],                                         out: /^tokens\.access_token_ttl_seconds +3600\n/m },
  { words: ['users', 'get', 'ada@example.com', ...inTest],                         out: /^name +Ada Example\n/m },
  { words: ['users', 'list', ...inTest],                                           out: /Ada Example/ },
  { words: ['users', 'get', 'ada@example.com'], key: secret_key,                   out: new RegExp(`^id +${person.id}\n`, 'm') },
  { words: ['sessions', 'list', 'ada@example.com'], key: secret_key,               out: /^Nothing found\.\n$/ },
  { words: ['users', 'block', 'ada@example.com', '--yes'], key: secret_key,        out: /^id +usr_/ },
  { words: ['tokens', 'validate', '--token', 'x'], key: live_key,                  out: /^active +false\nreason +malformed\n/ },
  { words: ['config', 'get', '--origin', 'https://app.example.com'], key: publishable.key, out: /^environment\.id / },
  { words: ['whoami'],                                                             out: /^service +http:.*\n(.*\n)*type +platform_secret\n/ },
  { words: ['keys', 'usage', publishable.id, ...inTest],                           out: /^(Nothing found\.|ROUTE )/ },
  { words: ['requests', 'summary', ...inTest],                                     out: /^(Nothing found\.|CODE )/ },
  { words: ['application-templates', 'list'],                                      out: /^SLUG +NAME +STATUS +URL\n(.*\n)*grafana +Grafana +from its documentation +\{url\}\/login\/generic_oauth\n/ },
  { words: ['application-templates', 'get', 'gatus'],                              out: /^slug +gatus\n(.*\n)*# config\.yaml\nsecurity:\n(.*\n)* +issuer-url: "\{issuer\}"\n/ },
  { words: ['application-templates', 'get', 'none'],                      code: 1, err: /^There is no template "none"\./ },

  { words: ['projects', 'get', 'none'],                             code: 1, err: /^There is no project "none"\. There is "shop"\. "ostiary projects list" lists them\.\n$/ },
  { words: ['applications', 'get', 'NONE', ...inTest],              code: 1, err: /^There is no application "NONE"\. .*"ostiary applications list --project shop --env test" lists them\.\n$/ },
  { words: ['applications', 'list', '--project', 'shop', '--env', 'none'], code: 1, err: /^There is no environment "none"\. There are "test", "live"\. / },
  { words: ['applications', 'list', '--env', 'test'],               code: 2, err: /^--project is missing/ },
  { words: ['applications', 'list', '--project', 'shop'],           code: 2, err: /^--env is missing: test, live/ },
  { words: ['members', 'list'],                                     code: 1, err: /^This command needs the sign-in of an administrator, and this is a platform key\./ },
  { words: ['projects', 'list'], key: secret_key,                   code: 1, err: /^This command needs a platform key or the sign-in of an administrator/ },
  { words: ['users', 'block', person.id], key: live_key,            code: 1, err: /^This changes something in Live\. Write --env live to do it\.\n$/ },
  { words: ['users', 'block', person.id, '--env', 'live', '--confirm', 'x'], key: live_key, code: 1, err: /^Not found \(not_found\)/ },
  { words: ['users', 'block', person.id, '--env', 'live'], key: secret_key, code: 1, err: /^The key belongs to Test, and --env says "live"\.\n$/ },
  { words: ['projects', 'list'], key: 'secret',                     code: 2, err: /^OSTIARY_KEY is not a key of Ostiary/ },
  { words: ['projects', 'list'], key: `${w.key.slice(0, -1)}${w.key.endsWith('A') ? 'B' : 'A'}`, code: 1, err: /^Invalid credential \(invalid_key\): .*\nRequest req_/ },
  { words: ['projects', 'list', '--profile', 'other'],              code: 2, err: /^OSTIARY_KEY is set, and --profile names a sign-in/ },
  { words: ['projects', 'list', '--limit', '0'],                    code: 2, err: /^--limit takes a number from 1\.\n/ },
  { words: ['projects', 'list', '--limit', '1', '--all'],           code: 2, err: /^--all and --limit exclude each other\.\n/ },
  { words: ['projects', 'frobnicate'],                              code: 2, err: /^There is no command "projects frobnicate"\.\n/ },
  { words: ['projects', 'updat', 'shop'],                           code: 2, err: /^There is no command "projects updat"\. Did you mean "projects update"\?\n/ },
  { words: ['projects'],                                            code: 2, err: /^Usage: ostiary projects VERB/ },
]
for (const { words, key = w.key, code = 0, out = /^$/, err = /^/ } of answers)
  test(`ostiary ${words.join(' ')}${key === w.key ? '' : ' with another key'}: exits with ${code}`, async () => {
    const result = await ostiary(words, { key })
    assert.equal(result.code, code, result.err)
    assert.match(result.out, out)
    assert.match(result.err, err)
    assert.ok(key.length < 30 || !(result.out + result.err).includes(key.slice(30)), 'the key is never printed')
  })

test('--json prints one document', async () => {
  const result = await ostiary(['users', 'list', ...inTest, '--json'])
  const { data, has_more, next_cursor } = json(result)
  assert.deepEqual([data[0].name, has_more, next_cursor], ['Ada Example', false, null])
  assert.equal(result.out.trim().split('\n').length, 1)
})

test('a refused field is named by its option, with the request id and the command that says more', async () => {
  const refused = await ostiary(['applications', 'create', '--name', '', '--application-type', 'spa', '--redirect-uris', 'x', ...inTest])
  assert.equal(refused.code, 1)
  assert.match(refused.err, /^Validation failed \(validation_failed\): .*\n {2}--name: /m)
  const [, request_id = '', call = ''] = /^Request (req_\w+)\. More: ostiary (.+)$/m.exec(refused.err) ?? []
  assert.equal(call, `requests get ${request_id} --project shop --env test`)
  const record = await until('the record of the refused call', async () => {
    const found = await ostiary([...call.split(' '), '--json'])
    return found.code === 0 && json(found)
  })
  assert.equal(record.code, 'validation_failed')
})

test('a list is read page by page, up to the limit or to its end', async () => {
  for (let count = 0; count < 105; count++) await w.createUser(w.live)
  const list = (...args: string[]) => ostiary(['users', 'list', '--project', 'shop', '--env', 'live', ...args])
  assert.equal(json(await list('--json')).data.length, 20)
  const limited = json(await list('--json', '--limit', '101'))
  assert.deepEqual([limited.data.length, limited.has_more], [101, true])
  assert.equal(json(await list('--json', '--all')).data.length, 105)
  assert.equal(json(await list('--json', '--all', '--cursor', limited.next_cursor)).data.length, 4)
  assert.match((await list()).err, /^There are more/)
})

test('a service that cannot be reached is exit code 1', async () => {
  const away = openClient(w, { OSTIARY_URL: 'http://127.0.0.1:1' })
  const { code, err } = await away.ostiary(['projects', 'get', 'shop'], { key: w.key })
  assert.equal(code, 1)
  assert.match(err, /^http:\/\/127\.0\.0\.1:1 cannot be reached\. OSTIARY_URL has the address/)
})

test('the body can come from a file, and from standard input', async () => {
  const file = join(w.data_dir, 'body.json')
  writeFileSync(file, '{"label":"from a file","type":"auth_secret"}')
  assert.equal(json(await ostiary(['keys', 'create', '--data', `@${file}`, ...inTest, '--json'])).label, 'from a file')
  const input = '{"label":"from input","type":"auth_secret"}'
  const created = await ostiary(['keys', 'create', '--data', '-', ...inTest], { input })
  assert.match(created.out, /^key +svc_auth_sk_test_/m)
  assert.match(created.err, /^The key is shown once\. Keep it now\.\n$/)
  assert.equal((await ostiary(['keys', 'create', '--data', '@/none', ...inTest])).code, 2)
})

/** A client whose way to the service loses the answer of every first attempt of a POST. */
async function openLossyClient() {
  const seen = new Set<unknown>()
  const server = createServer(async (request, response) => {
    const { method = '', headers, url } = request
    const body = Buffer.concat(await request.toArray())
    const passed = Object.entries(headers).filter(([name]) => /^(content-type|x-api-key|idempotency-key)$/.test(name)) as [string, string][] // as: these are single
    const answer = await fetch(`${w.base_url}${url}`, { method, headers: passed, ...(body.length > 0 ? { body } : {}) })
    const text = await answer.text()
    const attempt = headers['idempotency-key']
    if (attempt !== undefined && !seen.has(attempt)) {
      seen.add(attempt)
      return void request.socket.destroy()
    }
    const replayed = answer.headers.get('idempotent-replayed')
    response
      .writeHead(answer.status, { 'content-type': 'application/json', ...(replayed && { 'idempotent-replayed': replayed }) })
      .end(text)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo // as: it listens on TCP
  return openClient(w, { OSTIARY_URL: `http://127.0.0.1:${port}` })
}

test('where the answer with a secret is lost, the command exits with 1 and says how to get another one', async () => {
  const lossy = await openLossyClient()
  const lost = (words: string[]) => lossy.ostiary([...words, ...inTest], { key: w.key })
  const created = await lost(['keys', 'create', '--type', 'auth_secret'])
  assert.equal(created.code, 1)
  const id = /^id +(\S+)$/m.exec(created.out)?.[1]
  assert.match(created.err, /^The key is lost: the service did its work, but the answer did not arrive/)
  assert.match(created.err, new RegExp(`\\nTo get another one: ostiary keys rotate ${id} --project shop --env test\\n$`))
  const rotated = await lost(['keys', 'rotate', id ?? '', '--json', '--yes'])
  assert.equal(rotated.code, 1)
  assert.equal(JSON.parse(rotated.out).key, null)
  assert.match(rotated.err, new RegExp(`ostiary keys rotate ${id} --project shop --env test\\n$`))
  assert.match((await ostiary(['keys', 'rotate', id ?? '', ...inTest, '--yes'])).out, /^key +svc_auth_sk_test_/m)

  const app = (type: string, slug: string) =>
    lost([
      'applications',
      'create',
      '--name',
      'App',
      '--application-type',
      type,
      '--redirect-uris',
      'https://app.example.com/callback',
      '--slug',
      slug,
      '--if-absent',
    ])
  const web = await app('web', 'lost-web')
  assert.equal(web.code, 1)
  assert.match(
    web.err,
    /^The client secret is lost: .*\nTo get another one: ostiary applications rotate-secret app_\w+ --project shop --env test\n$/,
  )
  assert.deepEqual(
    [(await app('spa', 'lost-spa')).code, (await lost(['webhooks', 'create', '--url', 'https://hooks.example.com'])).code],
    [0, 1],
  )
})

const pipeline = (project: string): string[][] => [
  ['projects', 'create', '--slug', project, '--name', 'Built', '--if-absent'],
  ['environments', 'create', '--project', project, '--slug', 'staging', '--name', 'Staging', '--type', 'test', '--if-absent'],
  [
    'resource-servers',
    'create',
    '--project',
    project,
    '--env',
    'staging',
    '--slug',
    'api',
    '--identifier',
    'https://api.example.com',
    '--name',
    'API',
    '--scopes',
    '{"name":"read"}',
    '--if-absent',
  ],
  [
    'applications',
    'create',
    '--project',
    project,
    '--env',
    'staging',
    '--slug',
    'web',
    '--name',
    'Web',
    '--application-type',
    'web',
    '--redirect-uris',
    'https://app.example.com/callback',
    '--allowed-scopes',
    'openid',
    '--if-absent',
  ],
  ['settings', 'update', '--project', project, '--env', 'staging', '--sign-up.mode', 'closed'],
]

test('a pipeline that builds a project twice changes nothing the second time', async () => {
  const build = async () => {
    for (const words of pipeline('built')) assert.equal((await ostiary(words)).code, 0, words.join(' '))
    const { data } = json(await ostiary(['environments', 'list', '--project', 'built', '--json']))
    return data.map(({ id, config_version, updated_at }: Record<string, unknown>) => [id, config_version, updated_at])
  }
  assert.deepEqual(await build(), await build())
})

test('--if-absent exits with 3 where the object differs, and changes nothing', async () => {
  assert.equal((await ostiary(pipeline('differing')[0] ?? [])).code, 0)
  const { code, err, out } = await ostiary(['projects', 'create', '--slug', 'differing', '--name', 'Another', '--if-absent', '--json'])
  assert.equal(code, 3)
  assert.match(err, /^ {2}name: "Built", not "Another"$/m)
  assert.equal(JSON.parse(out).name, 'Built')
})

test('--if-absent without the slug is refused, since nothing says which object is meant', async () => {
  const { code, err } = await ostiary(['webhooks', 'create', '--url', 'https://a.test', ...inTest, '--if-absent'])
  assert.deepEqual([code, err.split('\n')[0]], [2, '--if-absent needs --slug, by which it finds the object.'])
})

test('of 10 pipelines at once one creates the project, and all exit with 0', async () => {
  const words = ['projects', 'create', '--slug', 'raced', '--name', 'Raced', '--if-absent', '--json']
  const results = await Promise.all(Array.from({ length: 10 }, () => ostiary(words)))
  assert.equal(new Set(results.map((result) => json(result).id)).size, 1)
})
