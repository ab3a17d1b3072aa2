/** Names of scopes and identifiers that anybody sends are found by indexes, whatever the number of resource servers (decision 0165). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { findOwnedScopes, nameMissingScopes } from '../../src/domain/resource-servers/store.ts'
import { authorizationRequest, createAgent } from '../support/cookie-browser.ts'
import { replaceMethods } from '../support/db-methods.ts'
import { own, type Project, promoting } from '../support/promotions.ts'
import { referenceOf } from '../support/refused-calls.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world({ database: (engine) => engine }) // it counts what a request asks that begins once
const { db } = w.deployment
const { createProject, planned, step } = promoting(w)
const scopes = (...names: string[]) => names.map((name) => ({ name, description: null }))
const add = async ({ path }: TestEnvironment, identifier: string, ...names: string[]) =>
  expectStatus(201, await w.call('POST', `${path}/resource-servers`, { body: { name: 'API', identifier, scopes: scopes(...names) } }))
const ownersOf = async (environment: TestEnvironment, ...names: string[]) =>
  (await findOwnedScopes(db, environment.id, names)).map(({ name, identifier }) => `${name} ${identifier}`)

const Name = z.object({ resource_server_id: z.string(), name: z.string() })
const Row = ResourceServer.pick({ id: true, scopes: true }).extend({ version: z.int(), scopes_version: z.int() })

/** The names of an environment as rows, which are those that its resource servers have. */
async function namesIn({ id }: TestEnvironment): Promise<string[]> {
  const servers = await db.all(Row, sql`select id, scopes, version, scopes_version from resource_servers where environment_id = ${id}`)
  const rows = await db.all(Name, sql`select resource_server_id, name from resource_server_scopes where environment_id = ${id}`)
  const written = rows.map(({ resource_server_id, name }) => `${resource_server_id} ${name}`).sort()
  assert.deepEqual(written, servers.flatMap(({ id, scopes }) => scopes.map(({ name }) => `${id} ${name}`)).sort())
  assert.deepEqual(
    servers.filter(({ version, scopes_version }) => version !== scopes_version),
    [],
    'each has its names',
  )
  return rows.map(({ name }) => name).sort()
}

const api = 'https://api.example'
interface Path {
  how: string
  /** Writes the one resource server of Live, or removes it. */
  write: (project: Project, server: { name: string; scopes: object[] } | null) => Promise<unknown>
}
const byPlan = async (project: Project, server: object | null, then: (id: string) => Promise<unknown>) => {
  const document = server ? { resource_servers: { api: { identifier: api, ...server } } } : {}
  const prune = server ? [] : [{ object: 'resource_server', slug: 'api' }]
  const { id } = await planned(project, { ...own(project, document), prune })
  expectStatus(200, await step([project, id], 'apply'))
  await then(id)
}
const byRoute = async ({ live }: Project, server: { name: string } | null) => {
  const path = `${live.path}/resource-servers`
  const [one] = expectStatus(200, await w.call('GET', path)).data
  if (!server) return expectStatus(204, await w.call('DELETE', `${path}/${one.id}`))
  if (one) return expectStatus(200, await w.call('PATCH', `${path}/${one.id}`, { body: server }))
  return expectStatus(201, await w.call('POST', path, { body: { slug: 'api', identifier: api, ...server } }))
}
const paths: Path[] = [
  { how: 'routes', write: byRoute },
  { how: 'promotions', write: (project, server) => byPlan(project, server, async () => {}) },
  {
    how: 'the revert of another promotion',
    // A state is written and promoted over with a second one, and the revert writes the first again. Deleted objects do not come back.
    write: async (project, server) => {
      await byRoute(project, server)
      const other = { name: 'Other', scopes: scopes('other:read', 'b:read') }
      await byPlan(project, other, async (id) => {
        assert.deepEqual(await namesIn(project.live), ['b:read', 'other:read'])
        expectStatus(200, await step([project, id], 'revert'))
      })
    },
  },
]
for (const { how, write } of paths)
  test(`the names follow each change by ${how}, and are of their environment alone`, async () => {
    const project = await createProject()
    const { live } = project
    await add(project.test, api, 'test:only')
    await write(project, { name: 'API', scopes: scopes('a:read', 'a:write') })
    assert.deepEqual(await namesIn(live), ['a:read', 'a:write'])
    assert.deepEqual(await ownersOf(live, 'a:write', 'A:READ', 'test:only', 'a:read', ''), [`a:write ${api}`, `a:read ${api}`])
    await write(project, { name: 'Renamed', scopes: scopes('a:read', 'a:write') })
    assert.deepEqual(await namesIn(live), ['a:read', 'a:write'])
    await write(project, { name: 'Renamed', scopes: scopes('a:write', 'b:read') })
    assert.deepEqual(await namesIn(live), ['a:write', 'b:read'])
    await write(project, { name: 'Renamed', scopes: [] })
    assert.deepEqual(await namesIn(live), [])
    await write(project, { name: 'Renamed', scopes: scopes('c:read') })
    await write(project, null)
    assert.deepEqual(await namesIn(live), [])
    assert.deepEqual(await ownersOf(live, 'c:read'), [])
    assert.deepEqual(await namesIn(project.test), ['test:only'])
  })

test('a promotion of very many names leaves them to the worker', async () => {
  const project = await createProject()
  const serversWith = (count: number, prefix: string) =>
    Object.fromEntries(
      Array.from({ length: 101 }, (_, n) => [
        `api-${n}`,
        { name: 'API', identifier: `${api}/${n}`, scopes: scopes(...Array.from({ length: count }, (_, i) => `${prefix}${n}:${i}`)) },
      ]),
    )
  const apply = async (count: number, prefix: string) => {
    const { id } = await planned(project, own(project, { resource_servers: serversWith(count, prefix) }))
    expectStatus(200, await step([project, id], 'apply'))
  }
  const name = async () => {
    while (await nameMissingScopes(db));
  }
  await apply(199, 'a')
  const missing = sql`select name, resource_server_id from resource_server_scopes where environment_id = ${project.live.id}`
  assert.equal((await db.all(Name, missing)).length, 0)
  await name()
  assert.equal((await namesIn(project.live)).length, 101 * 199)
  assert.deepEqual(await ownersOf(project.live, 'a7:0'), [`a7:0 ${api}/7`])
  await apply(200, 'b')
  assert.deepEqual(await ownersOf(project.live, 'a7:0', 'b7:0'), [])
  await name()
  assert.deepEqual(await ownersOf(project.live, 'a7:0', 'b7:0'), [`b7:0 ${api}/7`])
  await apply(1, 'c')
  assert.equal((await namesIn(project.live)).length, 101, 'few names are written at once')
})

test('of several resource servers with a scope the newest is named', async () => {
  const { test: environment } = await createProject()
  for (const n of [1, 2, 3]) await add(environment, `${api}/${n}`, 'shared:read', `own:${n}`)
  assert.deepEqual(await ownersOf(environment, 'own:1', 'shared:read'), [`own:1 ${api}/1`, `shared:read ${api}/3`])
})

test('names that were left for later are written by the worker, and nothing false is said until then', async () => {
  const { test: environment } = await createProject()
  const of_environment = sql`environment_id = ${environment.id}`
  const leaveForLater = (...names: string[]) =>
    sql`update resource_servers set scopes = ${scopes(...names)}, version = version + 1 where ${of_environment}`
  const { id } = await add(environment, api, 'old:read')
  await db.run(leaveForLater('new:read'))
  assert.deepEqual(await ownersOf(environment, 'old:read', 'new:read'), [])
  expectStatus(200, await w.call('PATCH', `${environment.path}/resource-servers/${id}`, { body: { name: 'Renamed' } }))
  assert.deepEqual(await ownersOf(environment, 'old:read', 'new:read'), [], 'a change of the name alone writes no scopes')
  assert.equal(await nameMissingScopes(db), false)
  assert.deepEqual(await ownersOf(environment, 'old:read', 'new:read'), [`new:read ${api}`])
  assert.deepEqual(await namesIn(environment), ['new:read'])

  await db.run(leaveForLater('twice:read', 'twice:read'))
  assert.equal(await nameMissingScopes(db), false)
  assert.deepEqual(await ownersOf(environment, 'twice:read'), [`twice:read ${api}`], 'no list stops the worker')

  await db.run(leaveForLater('newer:read'))
  expectStatus(200, await w.call('PATCH', `${environment.path}/resource-servers/${id}`, { body: { scopes: scopes('newest:read') } }))
  assert.deepEqual(await namesIn(environment), ['newest:read'], 'a change of the scopes names all of them')

  await db.run(sql`insert into resource_servers (environment_id, id, slug, identifier, name, scopes, access_token_format, scopes_version,
      created_at, updated_at)
    select environment_id, id || '1', 'other', identifier || '/2', name, scopes, access_token_format, 0, created_at, updated_at
      from resource_servers where ${of_environment}`)
  assert.equal(await nameMissingScopes(db), false)
  assert.deepEqual(await ownersOf(environment, 'newest:read'), [`newest:read ${api}/2`])
  await db.run(sql`delete from resource_servers where ${of_environment}`)
  assert.deepEqual(await ownersOf(environment, 'newest:read'), [], 'the resource server of the name is gone')
})

test('two workers at once name each resource server once', async () => {
  const { test: environment } = await createProject()
  for (const n of [1, 2, 3]) await add(environment, `${api}/${n}`, `own:${n}`)
  await db.run(
    sql`update resource_servers set scopes = ${scopes('later:read')}, version = version + 1 where environment_id = ${environment.id}`,
  )
  await Promise.all(Array.from({ length: 50 }, () => nameMissingScopes(db)))
  assert.deepEqual(await namesIn(environment), ['later:read', 'later:read', 'later:read'])
})

test('an application is allowed scopes of resource servers, and no other name, also among 150 of them', async () => {
  const { test: environment } = await createProject()
  const names = Array.from({ length: 150 }, (_, n) => `many:${n}`)
  await add(environment, api, ...names)
  const create = (allowed_scopes: string[]) =>
    w.call('POST', `${environment.path}/applications`, {
      body: { name: 'App', application_type: 'spa', redirect_uris: ['https://app.example.com/'], allowed_scopes },
    })
  const application = expectStatus(201, await create(['openid', ...names]))
  const refused = await create(['openid', ...names.slice(0, 99), 'invented', ...names.slice(99)])
  assert.equal(expectStatus(422, refused).code, 'validation_failed')
  assert.match(JSON.stringify(refused.body.errors), /allowed_scopes/)
  const change = (allowed_scopes: string[]) =>
    w.call('PATCH', `${environment.path}/applications/${application.id}`, { body: { allowed_scopes } })
  expectStatus(422, await change(['openid', 'invented']))
  const [{ id }] = expectStatus(200, await w.call('GET', `${environment.path}/resource-servers`)).data
  expectStatus(204, await w.call('DELETE', `${environment.path}/resource-servers/${id}`))
  expectStatus(200, await change(['openid', ...names.slice(1)]))
  expectStatus(422, await change(names))
})

/** The statements about resource servers that a request sends, and what it is answered. */
async function sentFor(
  environment: TestEnvironment,
  application: Parameters<typeof authorizationRequest>[1],
  change: Record<string, string>,
) {
  const sent: string[] = []
  expectStatus(200, await w.call('GET', `${environment.issuer}/.well-known/openid-configuration`)) // the process knows the issuer as it is
  const restore = replaceMethods(db, ({ all }) => ({
    all: (schema, statement) => {
      const text = statement.parts.join('?').replaceAll(/\s+/g, ' ')
      if (text.includes('resource_server')) sent.push(text)
      return all(schema, statement)
    },
  }))
  try {
    const reply = await createAgent().get(authorizationRequest(environment, application, change).url)
    const location = new URL(reply.headers.get('location') ?? '', environment.issuer)
    return { reply, sent, error: location.searchParams.get('error'), description: location.searchParams.get('error_description') ?? '' }
  } finally {
    restore()
  }
}

const strange = (count: number, ...more: string[]) =>
  ['openid', ...Array.from({ length: count }, (_, n) => `strange:${n}`), ...more].join(' ')
const resource = 'https://api.exampel'
const of_orders = 'The scope orders:read belongs to the resource server https://api.example: send its identifier as resource.'
// biome-ignore format: this table is read by column
const requests: { what: string; unknown_scopes: 'ignore' | 'reject'; change: Record<string, string>; error: string | null; description: string | RegExp; names: number; statements: number }[] = [
  { what: 'no unknown scope',                       unknown_scopes: 'ignore', change: { scope: 'openid' },                          error: null,             description: '',                                        names: 0,  statements: 0 },
  { what: 'one unknown scope',                      unknown_scopes: 'ignore', change: { scope: strange(1) },                        error: null,             description: '',                                        names: 1,  statements: 1 },
  { what: '20 unknown scopes',                      unknown_scopes: 'ignore', change: { scope: strange(20) },                       error: null,             description: '',                                        names: 20, statements: 1 },
  { what: '21 unknown scopes',                      unknown_scopes: 'ignore', change: { scope: strange(21) },                       error: 'invalid_scope',  description: 'The scope strange:0 is not known here.',  names: 20, statements: 1 },
  { what: 'a scope of another API as the 20th',     unknown_scopes: 'ignore', change: { scope: strange(19, 'orders:read') },        error: 'invalid_scope',  description: of_orders,                                 names: 20, statements: 1 },
  { what: 'a scope of another API as the 21st',     unknown_scopes: 'ignore', change: { scope: strange(20, 'orders:read') },        error: 'invalid_scope',  description: 'The scope strange:0 is not known here.',  names: 20, statements: 1 },
  { what: '20 unknown scopes that are refused',     unknown_scopes: 'reject', change: { scope: strange(20) },                       error: 'invalid_scope',  description: 'The scope strange:0 is not known here.',  names: 20, statements: 1 },
  { what: 'a scope of another API',                 unknown_scopes: 'reject', change: { scope: 'openid orders:read' },              error: 'invalid_scope',  description: of_orders,                                 names: 1,  statements: 1 },
  { what: '200 unknown scopes',                     unknown_scopes: 'reject', change: { scope: strange(200) },                      error: 'invalid_scope',  description: 'The scope strange:0 is not known here.',  names: 20, statements: 1 },
  { what: 'an unknown resource',                    unknown_scopes: 'reject', change: { resource },                                 error: 'invalid_target', description: `No resource server has the identifier ${resource}`, names: 0, statements: 2 },
  { what: 'an unknown resource and unknown scopes', unknown_scopes: 'ignore', change: { resource, scope: strange(20) },             error: 'invalid_target', description: `No resource server has the identifier ${resource}`, names: 20, statements: 3 },
  { what: 'a resource of 201 characters',           unknown_scopes: 'reject', change: { resource: resource.padEnd(201, 'x') },      error: 'invalid_target', description: /^No resource server/,                     names: 0,  statements: 1 },
]
test('what a request asks of resource servers is bounded, whatever it names', async (t) => {
  const { test: environment } = await createProject()
  await add(environment, api, 'orders:read')
  await fetch(`${environment.issuer}/.well-known/openid-configuration`) // the environment is read once, with whether a resource server asks for ES256
  for (const { what, unknown_scopes, change, error, description, names, statements } of requests)
    await t.test(what, async () => {
      const application = await w.createApplication(environment, { unknown_scopes })
      const { reply, sent, ...answer } = await sentFor(environment, application, change)
      assert.equal(answer.error, error)
      if (typeof description === 'string') assert.equal(answer.description, description)
      else assert.match(answer.description, description)
      assert.equal(sent.length, statements, sent.join('\n'))
      assert.equal(sent.join('').split('where name = ?').length - 1, names, 'names that are looked up')
      assert.ok(
        sent.every((text) => / limit | identifier in \(/.test(text)),
        sent.join('\n'),
      )
      if (change.resource !== resource) return
      const record = expectStatus(200, await w.call('GET', `${environment.path}/requests/${referenceOf(reply)}`))
      assert.ok(record.reason.endsWith(`An identifier near it is ${api}`), record.reason)
    })
})

const alike = 'https://orders.example/v1/'
// biome-ignore format: this table is read by column
const mistyped: [what: string, sent: string, near: string | null][] = [
  ['a letter at the end',        'https://orders.example/v1/x', alike],
  ['two letters changed places', 'https://orders.example/1v/',  alike],
  ['no final slash',             'https://orders.example/v1',   alike],
  ['the other scheme',           'http://orders.example/v1/',   alike],
  ['another host',               'https://orders.elsewhere/',   null],
  ['no beginning in common',     'urn:orders',                  null],
]
test('a mistyped resource finds an identifier near it also among many', async (t) => {
  const { test: environment } = await createProject()
  await add(environment, alike)
  for (const host of ['a', 'm', 'orders.exampl', 'orders.examplf', 'z'])
    for (let n = 0; n < 8; n++) await add(environment, `https://${host}/${n}${n}${n}`)
  const application = await w.createApplication(environment)
  for (const [what, sent, near] of mistyped)
    await t.test(what, async () => {
      const { reply } = await sentFor(environment, application, { resource: sent })
      const { reason } = expectStatus(200, await w.call('GET', `${environment.path}/requests/${referenceOf(reply)}`))
      if (near === null) assert.doesNotMatch(reason, /near it/)
      else assert.ok(reason.endsWith(`An identifier near it is ${near}`), reason)
    })
})
