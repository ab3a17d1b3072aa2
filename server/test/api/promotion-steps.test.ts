/** Promotions applied, reverted and approved by the API: one batch each, what is refused, races, secrets, and who may do what. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshFields } from '@ostiary/contract/fresh.ts'
import { z } from 'zod'
import { DatabaseUnavailable, type Statement, sql } from '../../src/db/db.ts'
import { administratorToken, asAdministrator, joinTenant } from '../support/administrator.ts'
import { createAdministrator, createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
const aged = ours.token

interface Project {
  id: string
  path: string
  test: TestEnvironment
  live: TestEnvironment
}

let projects = 0
async function createProject(): Promise<Project> {
  const { id, test, live } = await w.createProject(`project-${projects++}`)
  return { id, path: `/v1/platform/projects/${id}`, test, live }
}

const plan = (project: Project, body: object): Promise<Reply> => w.call('POST', `${project.path}/promotions`, { body })
const planned = async (project: Project, body: object) => expectStatus(201, await plan(project, body))
const upward = ({ test, live }: Project) => ({ from_environment_id: test.id, to_environment_id: live.id })
const own = ({ live }: Project, document: object) => ({ document: { version: 1, ...document }, to_environment_id: live.id })
const step = (
  [project, id]: [Project, string],
  name: 'apply' | 'revert' | 'approve',
  body: object = {},
  more: object = {},
): Promise<Reply> => w.call('POST', `${project.path}/promotions/${id}/${name}`, { body, ...more })
const documentOf = async ({ path }: TestEnvironment) => JSON.stringify(expectStatus(200, await w.call('GET', `${path}/configuration`)))
const versionOf = async ({ path }: TestEnvironment): Promise<number> => expectStatus(200, await w.call('GET', path)).config_version
const pointersOf = ({ status, body }: Reply) => [
  `${status} ${body.code}`,
  ...(body.errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => `${code} ${pointer}`),
]
const make = async ({ path }: TestEnvironment, collection: string, body: object) =>
  expectStatus(201, await w.call('POST', `${path}/${collection}`, { body }))
const edit = async (path: string, body: object) => expectStatus(200, await w.call('PATCH', path, { body }))
const eventsOf = ({ id }: TestEnvironment, kind: string) =>
  w.deployment.db.all(
    z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) }),
    sql`select type, data from events where environment_id = ${id} and type like ${kind} order by id`,
  )

/** Test has one object of each kind, and settings that travel. */
async function filled(): Promise<Project> {
  const project = await createProject()
  const { test } = project
  await make(test, 'resource-servers', {
    slug: 'orders',
    name: 'Orders',
    identifier: 'https://orders.test.example',
    scopes: [{ name: 'orders:read', description: 'Read orders' }],
  })
  await make(test, 'applications', {
    slug: 'shop',
    name: 'Shop',
    application_type: 'web',
    redirect_uris: ['https://test.example/cb'],
    allowed_scopes: ['openid', 'orders:read'],
  })
  await make(test, 'providers', { slug: 'google', type: 'google', client_id: 'test.apps', client_secret: 'of Test' })
  await make(test, 'webhooks', { slug: 'hook', url: 'https://hooks.test.example/' })
  await edit(`${test.path}/settings`, { password: { min_length: 14 } })
  return project
}

const values = [
  { object: 'resource_server', slug: 'orders', pointer: '/identifier', value: 'https://orders.example' },
  { object: 'application', slug: 'shop', pointer: '/redirect_uris', value: ['https://shop.example/cb'] },
  { object: 'provider', slug: 'google', pointer: '/client_id', value: 'live.apps' },
  { object: 'webhook', slug: 'hook', pointer: '/url', value: 'https://hooks.example/' },
]

test('an apply writes every kind of object as one change, with its events and audit entries, and a revert takes all of it back', async () => {
  const project = await filled()
  const { live } = project
  const [before, version] = [await documentOf(live), await versionOf(live)]
  const { id } = await planned(project, { ...upward(project), values, note: 'Release 12' })
  const reply = await step([project, id], 'apply', {}, { headers: { 'idempotency-key': 'once' } })
  const applied = expectStatus(200, reply)
  assert.deepEqual([applied.status, applied.revertible, applied.stale, applied.applied_by.type], ['applied', true, false, 'key'])
  assert.equal(await versionOf(live), version + 1)
  assert.deepEqual(
    applied.secrets.map(({ object, slug, client_secret, secret }: Record<string, string>) => [
      object,
      slug,
      /^svc_client_|^whsec_/.test(client_secret ?? secret ?? ''),
    ]),
    [
      ['application', 'shop', true],
      ['webhook', 'hook', true],
    ],
  )
  for (const { object, id } of applied.changes) assert.equal(id === null, object === 'settings')
  const again = await step([project, id], 'apply', {}, { headers: { 'idempotency-key': 'once' } })
  assert.deepEqual(expectStatus(200, again), { ...applied, secrets: null })
  const { secrets: _, ...shown } = applied
  assert.deepEqual(expectStatus(200, await w.call('GET', `${project.path}/promotions/${id}`)), shown)

  const [event] = await eventsOf(live, 'promotion.%')
  const named = (list: unknown) => (list as { object: string; slug: string }[]).map(({ object, slug }) => `${object} ${slug}`).sort()
  assert.deepEqual(
    [event?.type, event?.data.promotion_id, event?.data.from_environment_id, event?.data.note],
    ['promotion.applied', id, project.test.id, 'Release 12'],
  )
  assert.deepEqual(named(event?.data.created), ['application shop', 'provider google', 'resource_server orders', 'webhook hook'])
  assert.deepEqual(named(event?.data.updated), ['settings null'])
  assert.deepEqual((await eventsOf(live, '%.created')).map(({ type }) => type).sort(), [
    'application.created',
    'provider.created',
    'resource_server.created',
  ])
  const audited = await w.deployment.db.all(
    z.object({ action: z.string(), object_type: z.string(), environment_id: z.string() }),
    sql`select action, object_type, environment_id from audit_log where request_id = ${reply.headers.get('x-request-id')}`,
  )
  assert.deepEqual(audited.map(({ object_type }) => object_type).sort(), [
    'application',
    'promotion',
    'provider',
    'resource_server',
    'settings',
    'webhook',
  ])
  assert.ok(audited.every(({ action, environment_id }) => action === 'applyPromotion' && environment_id === live.id))
  const { changes, checks } = expectStatus(200, await plan(project, { ...upward(project), dry_run: true }))
  assert.deepEqual([changes, checks], [[], []], 'a second plan is empty')

  const reverted = expectStatus(200, await step([project, id], 'revert'))
  assert.deepEqual([reverted.status, reverted.revertible, reverted.secrets], ['reverted', false, []])
  assert.equal(await documentOf(live), before)
  assert.equal(await versionOf(live), version + 2)
  assert.deepEqual(
    (await eventsOf(live, 'promotion.%')).map(({ type }) => type),
    ['promotion.applied', 'promotion.reverted'],
  )
  assert.deepEqual(pointersOf(await step([project, id], 'revert')), ['409 promotion_state'])
})

test('an apply that changes nothing raises neither the version nor an event', async () => {
  const project = await createProject()
  const version = await versionOf(project.live)
  const { id } = await planned(project, upward(project))
  assert.equal(expectStatus(200, await step([project, id], 'apply')).status, 'applied')
  assert.equal(await versionOf(project.live), version)
  assert.deepEqual(await eventsOf(project.live, '%'), [])
})

test('of twenty applies at once one happens', async () => {
  const project = await filled()
  const { id } = await planned(project, { ...upward(project), values })
  const replies = await Promise.all(Array.from({ length: 20 }, () => step([project, id], 'apply')))
  assert.deepEqual(replies.map(({ status, body }) => (status === 200 ? '200' : `${status} ${body.code}`)).sort(), [
    '200',
    ...Array.from({ length: 19 }, () => '409 promotion_state'),
  ])
  assert.equal((await eventsOf(project.live, 'promotion.%')).length, 1)
})

test('an edit that is answered before an apply makes the plan stale, and one that races it is never lost', async () => {
  const project = await createProject()
  const { test, live } = project
  for (const [moved, pointer] of [
    [test, '/from_config_version'],
    [live, '/to_config_version'],
  ] as const) {
    await edit(`${test.path}/settings`, { password: { min_length: moved === test ? 15 : 16 } })
    const { id } = await planned(project, upward(project))
    await edit(`${moved.path}/settings`, { lockout: { max_attempts: moved === test ? 5 : 6 } })
    assert.deepEqual(pointersOf(await step([project, id], 'apply')), ['409 promotion_stale', `edited ${pointer}`])
    assert.equal(expectStatus(200, await w.call('GET', `${project.path}/promotions/${id}`)).stale, true)
  }
  for (let round = 0; round < 5; round++) {
    await edit(`${test.path}/settings`, { password: { min_length: 20 + round } })
    const { id } = await planned(project, upward(project))
    const max_attempts = 20 + round
    const [applied] = await Promise.all([step([project, id], 'apply'), edit(`${live.path}/settings`, { lockout: { max_attempts } })])
    const { lockout, password } = expectStatus(200, await w.call('GET', `${live.path}/settings`))
    assert.equal(password.min_length === 20 + round, applied.status === 200)
    assert.equal(lockout.max_attempts, max_attempts)
  }
})

test('a plan with errors cannot be applied', async () => {
  const project = await filled()
  const { id } = await planned(project, upward(project))
  const reply = await step([project, id], 'apply')
  assert.deepEqual(pointersOf(reply), ['422 promotion_blocked'])
  assert.deepEqual([...new Set(reply.body.checks.map(({ code }: { code: string }) => code))], ['value_required'])
  assert.equal(await versionOf(project.live), 1)
})

const google_name = 'OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET'
const smtp_name = 'OSTIARY_SECRET_SMTP_PASSWORD'
const corp_name = 'OSTIARY_SECRET_CORP'

test('secrets come with the call: an unknown name, a missing one and a value that the field refuses are 422, and an equal one changes nothing', async () => {
  const project = await createProject()
  const body = own(project, {
    providers: { google: { type: 'google', client_id: 'live.apps', client_secret: `\${${google_name}}` } },
    settings: {
      email: {
        from: 'Shop <shop@example.com>',
        delivery: 'smtp',
        smtp: { host: 'mail.example.com', username: 'shop', password: `\${${smtp_name}}` },
      },
    },
  })
  const made = await planned(project, body)
  assert.deepEqual(
    made.needed_secrets.map(({ name, stored }: { name: string; stored: boolean }) => [name, stored]),
    [
      [smtp_name, false],
      [google_name, false],
    ],
  )
  const both = { [google_name]: 'of Live', [smtp_name]: 'of mail' }
  const apply = (id: string, secrets: object) => step([project, id], 'apply', { secrets })
  assert.deepEqual(pointersOf(await apply(made.id, {})), [
    '422 validation_failed',
    `required /secrets/${smtp_name}`,
    `required /secrets/${google_name}`,
  ])
  assert.deepEqual(pointersOf(await apply(made.id, { ...both, OTHER: 'x' })), ['422 validation_failed', 'not_allowed /secrets/OTHER'])
  assert.deepEqual(pointersOf(await apply(made.id, { ...both, [google_name]: 'x'.repeat(2_001) })), [
    '422 validation_failed',
    `bad_format /secrets/${google_name}`,
  ])
  assert.deepEqual(pointersOf(await apply(made.id, { ...both, [smtp_name]: 'two\nlines' })), [
    '422 validation_failed',
    `bad_format /secrets/${smtp_name}`,
  ])
  expectStatus(200, await apply(made.id, both))
  const version = await versionOf(project.live)
  for (const [secrets, raised] of [
    [{}, 0],
    [both, 0],
    [{ ...both, [google_name]: 'another' }, 1],
    [{ [smtp_name]: 'another' }, 2],
  ] as const) {
    const { id, changes, needed_secrets } = await planned(project, body)
    assert.deepEqual([changes, needed_secrets.every(({ stored }: { stored: boolean }) => stored)], [[], true], 'a plan compares no secrets')
    expectStatus(200, await apply(id, secrets))
    assert.equal((await versionOf(project.live)) - version, raised)
  }
})

test('a secret that goes to another place is sent again there, and nothing says whether it is the stored one', async () => {
  const project = await createProject()
  const document = (host: string, issuer: string) =>
    own(project, {
      providers: { corp: { type: 'oidc', client_id: 'live', issuer, client_secret: `\${${corp_name}}` } },
      settings: {
        email: { from: 'shop@example.com', delivery: 'smtp', smtp: { host, username: 'shop', password: `\${${smtp_name}}` } },
      },
    })
  const apply = async (host: string, issuer: string, secrets: object) => {
    const { id, needed_secrets } = await planned(project, document(host, issuer))
    assert.ok(needed_secrets.every(({ stored }: { stored: boolean }) => !stored))
    expectStatus(200, await step([project, id], 'apply', { secrets }))
  }
  const both = { [smtp_name]: 'of mail', [corp_name]: 'of corp' }
  await apply('one.example.com', 'https://one.example.com', both)
  await apply('two.example.com', 'https://two.example.com', both)
  await apply('three.example.com', 'https://three.example.com', { [smtp_name]: 'another', [corp_name]: 'another' })
  const [equal, different] = (await eventsOf(project.live, '%updated')).filter(({ type }) => type === 'provider.updated')
  assert.deepEqual(equal?.data.changed, ['issuer', 'client_secret'])
  assert.deepEqual(equal, different)
  const { email } = expectStatus(200, await w.call('GET', `${project.live.path}/settings`))
  assert.deepEqual([email.smtp.host, email.smtp.has_password], ['three.example.com', true])
})

const public_keys = (kid: string) => ({
  keys: [
    {
      kty: 'RSA',
      n: 'sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1WlUzewbgBHod5pcM9H95GQRV3JDXboIRROSBigeC5yjU1hGzHHyXss8UDprecbAYxknTcQkhslANGRUZmdTOQ5qTRsLAt6BTYuyvVRdhS8exSZEy_c4gs_7svlJJQ4H9_NxsiIoLwAEk7-Q3UXERGYw_75IDrGA84-lA_-Ct4eTlXHBIY2EaV7t7LjJaynVJCpkv4LKjTTAumiGUIuQhrNhZLuF_RJLqHpM2kgWFLU7-VTdL1VbC2tejvcI2BlMkEpk1BzBZI0KQB0GaDWFLN-aEAw3vRw',
      e: 'AQAB',
      kid,
    },
  ],
})

const hashOf = async (id: string) =>
  w.deployment.db.maybeOne(
    z.object({ client_secret_hash: z.string().nullable() }),
    sql`select client_secret_hash from applications where id = ${id}`,
  )

test('a rotation between plan and apply survives, and a revert never revives a secret that ended', async () => {
  const project = await createProject()
  const { live } = project
  const app = await make(live, 'applications', {
    slug: 'shop',
    name: 'Shop',
    application_type: 'web',
    redirect_uris: ['https://shop.example/cb'],
  })
  const renamed = await planned(project, own(project, { applications: { shop: { name: 'Store' } } }))
  expectStatus(200, await w.call('POST', `${live.path}/applications/${app.id}/rotate-secret`))
  const rotated = await hashOf(app.id)
  expectStatus(200, await step([project, renamed.id], 'apply'))
  assert.deepEqual(await hashOf(app.id), rotated)

  const ended = await planned(project, own(project, { applications: { shop: { token_endpoint_auth_method: 'none' } } }))
  assert.deepEqual(
    ended.checks.map(({ code }: { code: string }) => code),
    ['not_valid_there', 'secret_ends'],
  )
  const by_keys = await planned(
    project,
    own(project, { applications: { shop: { token_endpoint_auth_method: 'private_key_jwt', jwks: public_keys('one') } } }),
  )
  assert.deepEqual(
    by_keys.checks.map(({ code }: { code: string }) => code),
    ['secret_ends'],
  )
  expectStatus(200, await step([project, by_keys.id], 'apply'))
  assert.deepEqual(await hashOf(app.id), { client_secret_hash: null })
  const { secrets } = expectStatus(200, await step([project, by_keys.id], 'revert'))
  assert.match(secrets[0].client_secret, /^svc_client_/)
  assert.notDeepEqual(await hashOf(app.id), rotated)
})

test('what was changed since is a conflict of a revert, which `leave` leaves as it is, and a dry run shows it', async () => {
  const project = await filled()
  const { live } = project
  const { id } = await planned(project, { ...upward(project), values })
  const { changes } = expectStatus(200, await step([project, id], 'apply'))
  const idOf = (kind: string) => changes.find(({ object }: { object: string }) => object === kind).id
  await edit(`${live.path}/settings`, { password: { min_length: 10 } })
  await edit(`${live.path}/providers/${idOf('provider')}`, { display_name: 'Google Workspace' })
  expectStatus(204, await w.call('DELETE', `${live.path}/webhooks/${idOf('webhook')}`))
  await make(live, 'applications', {
    slug: 'other',
    name: 'Other',
    application_type: 'spa',
    redirect_uris: ['https://other.example/cb'],
    allowed_scopes: ['openid', 'orders:read'],
  })
  const now = await documentOf(live)
  const found = [
    'edited /settings/password/min_length',
    'edited /providers/google',
    'deleted /webhooks/hook',
    'in_use /resource_servers/orders',
  ].sort()
  const codesOf = (list: { code: string; pointer: string }[]) => list.map(({ code, pointer }) => `${code} ${pointer}`).sort()
  const dry = expectStatus(200, await step([project, id], 'revert', { dry_run: true }))
  assert.deepEqual(codesOf(dry.conflicts), found)
  assert.ok(dry.changes.some(({ object, action }: Record<string, string>) => object === 'application' && action === 'delete'))
  const refused = await step([project, id], 'revert')
  assert.deepEqual([refused.status, codesOf(refused.body.errors)], [409, found])
  assert.equal(await documentOf(live), now, 'and nothing happens')

  const leave = [
    { object: 'settings', pointer: '/password/min_length' },
    { object: 'provider', slug: 'google' },
    { object: 'webhook', slug: 'hook' },
    { object: 'resource_server', slug: 'orders' },
  ]
  assert.deepEqual(pointersOf(await step([project, id], 'revert', { leave: [...leave, { object: 'webhook', slug: 'none' }] })), [
    '422 validation_failed',
    'not_allowed /leave/4',
  ])
  expectStatus(200, await step([project, id], 'revert', { leave }))
  const { applications, providers, settings } = expectStatus(200, await w.call('GET', `${live.path}/configuration`))
  assert.deepEqual([Object.keys(applications), Object.keys(providers), settings.password.min_length], [['other'], ['google'], 10])
})

test('a plan that was not applied, and one that deleted, cannot be reverted', async () => {
  const project = await createProject()
  await make(project.live, 'webhooks', { slug: 'hook', url: 'https://hooks.example/' })
  const { id, checks } = await planned(project, { ...own(project, {}), prune: [{ object: 'webhook', slug: 'hook' }] })
  assert.deepEqual(
    checks.map(({ code }: { code: string }) => code),
    ['irreversible'],
  )
  assert.deepEqual(pointersOf(await step([project, id], 'revert')), ['409 promotion_state'])
  assert.equal(expectStatus(200, await step([project, id], 'apply')).revertible, false)
  assert.deepEqual(pointersOf(await step([project, id], 'revert')), ['409 promotion_state'])
})

test('what was changed there since the last promotion is marked before it is replaced', async () => {
  const project = await createProject()
  await edit(`${project.test.path}/settings`, { password: { min_length: 14 } })
  const { id } = await planned(project, upward(project))
  expectStatus(200, await step([project, id], 'apply'))
  await edit(`${project.live.path}/settings`, { password: { min_length: 10 } })
  const { checks } = await planned(project, upward(project))
  assert.deepEqual(
    checks.map(({ code, pointer }: Record<string, string>) => [code, pointer]),
    [['edited_there', '/password/min_length']],
  )
})

test('a promotion forgets an edit of the target only where it replaces it', async () => {
  const project = await createProject()
  const { live } = project
  const app = await make(live, 'applications', {
    slug: 'shop',
    name: 'Shop',
    application_type: 'web',
    redirect_uris: ['https://shop.example/cb'],
  })
  const apply = async (document: object) =>
    expectStatus(200, await step([project, (await planned(project, own(project, document))).id], 'apply'))
  const document = { settings: { password: { min_length: 14 } }, applications: { shop: { name: 'Store' } } }
  const edited = async () =>
    (await planned(project, own(project, document))).checks.map(({ code, pointer }: Record<string, string>) => `${code} ${pointer}`)
  await apply({})
  await edit(`${live.path}/settings`, { password: { min_length: 9 } })
  assert.deepEqual(await edited(), [], 'a promotion that changes nothing does not count as the first one')
  await apply(document)
  await edit(`${live.path}/settings`, { password: { min_length: 10 } })
  await edit(`${live.path}/applications/${app.id}`, { name: 'Shop' })
  const both = ['edited_there /password/min_length', 'edited_there /name']
  for (const other of [{}, { settings: { lockout: { max_attempts: 7 } }, applications: { shop: { consent: 'ask' } } }]) {
    await apply(other)
    assert.deepEqual(await edited(), both, JSON.stringify(other))
  }
  const { id } = await apply({ applications: { shop: { name: 'Other' } } })
  assert.deepEqual(await edited(), ['edited_there /password/min_length'])
  expectStatus(200, await step([project, id], 'revert'))
  assert.deepEqual(await edited(), ['edited_there /password/min_length'], 'a revert is a promotion too')
})

test('a step that is refused leaves the messages of the webhooks that it would delete, and one that happens removes them', async () => {
  const project = await createProject()
  const { live } = project
  const { db } = w.deployment
  const hook = await make(live, 'webhooks', { slug: 'hook', url: 'https://hooks.example/', events: ['test.ping'] })
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 450)`
  const at = w.now()
  await db.run(sql`insert into webhook_messages (environment_id, id, webhook_id, event_id, event_type, status, created_at, updated_at)
    ${numbers} select ${live.id}, 'msg_many' || (1000 + i), ${hook.id}, 'evt_' || i, 'test.ping', 'delivered', ${at}, ${at} from n`)
  const messages = async () =>
    (await db.maybeOne(z.object({ count: z.int() }), sql`select count(*) as count from webhook_messages where webhook_id = ${hook.id}`))
      ?.count
  const { batch } = db
  const applyWith = async (before: (text: string) => Promise<void>) => {
    const { id } = await planned(project, { ...own(project, {}), prune: [{ object: 'webhook', slug: 'hook' }] })
    db.batch = async (statements: readonly Statement[]) => {
      await before(statements.map(({ parts }) => parts.join('')).join('\n'))
      return batch(statements)
    }
    try {
      return await step([project, id], 'apply')
    } finally {
      db.batch = batch
    }
  }
  let edits = 0
  const raced = await applyWith(async (text) => {
    if (text.includes("set status = 'applied'") && edits++ === 0) await edit(`${live.path}/settings`, { lockout: { max_attempts: 9 } })
  })
  assert.deepEqual([...pointersOf(raced), await messages()], ['409 promotion_stale', 'edited /to_config_version', 450])
  const cut_short = await applyWith(async (text) => {
    if (text.includes('delete from webhook_messages') && (await messages()) === 250) throw new DatabaseUnavailable('Nothing was changed.')
  })
  assert.deepEqual([cut_short.status, await messages()], [200, 250], 'what has happened is answered')
  await make(live, 'webhooks', { slug: 'hook', url: 'https://hooks.example/' })
})

test('a project keeps its newest 100 plans, and has 120 plans, applies and reverts an hour', async () => {
  const project = await createProject()
  const first = await planned(project, upward(project))
  for (let n = 0; n < 100; n += 10) await Promise.all(Array.from({ length: 10 }, () => planned(project, upward(project))))
  const last = await planned(project, upward(project))
  const { count } = (await w.deployment.db.maybeOne(
    z.object({ count: z.int() }),
    sql`select count(*) as count from promotions where project_id = ${project.id}`,
  )) ?? { count: 0 }
  assert.equal(count, 100)
  assert.equal((await w.call('GET', `${project.path}/promotions/${first.id}`)).status, 404)

  for (const name of ['apply', 'revert'] as const) expectStatus(200, await step([project, last.id], name))
  const made = await Promise.all(Array.from({ length: 16 }, () => planned(project, upward(project))))
  const limited = ['429 rate_limited']
  assert.deepEqual(pointersOf(await plan(project, upward(project))), limited)
  assert.deepEqual(pointersOf(await step([project, made[0]?.id], 'apply')), limited)
  expectStatus(200, await plan(project, { ...upward(project), dry_run: true }))
})

test('a key needs the write scope of each kind that changes, and its answer shows only the kinds that it may read or write', async () => {
  const project = await filled()
  const { id } = await planned(project, { ...upward(project), values })
  const keyWith = async (...scopes: string[]) => ({ key: (await createPlatformKey(w, ours, { scopes })).key })
  const some = await step([project, id], 'apply', {}, await keyWith('projects:write', 'applications:write', 'webhooks:write'))
  assert.deepEqual(
    [some.status, some.body.code, some.body.required_scopes],
    [403, 'insufficient_scope', ['env.settings:write', 'resource_servers:write', 'providers:write']],
  )
  const narrow = await planned(project, { ...upward(project), values, only: [{ object: 'settings' }] })
  const writes_settings = await keyWith('projects:write', 'env.settings:write')
  const { values: shown, changes } = expectStatus(200, await step([project, narrow.id], 'apply', {}, writes_settings))
  assert.deepEqual([shown, changes.map(({ object }: { object: string }) => object)], [[], ['settings']])
  assert.equal((await step([project, narrow.id], 'revert', {}, await keyWith('projects:write'))).status, 403)
})

test('checks of kinds that a key may neither read nor write stand in its way without their names', async () => {
  const project = await createProject()
  const { live } = project
  const { key } = await createPlatformKey(w, ours, { scopes: ['projects:write', 'providers:write'] })
  const corp = { type: 'oidc', issuer: 'https://corp.example.com', client_id: 'live', enabled: true }
  const made = await planned(project, own(project, { providers: { corp } }))
  expectStatus(200, await step([project, made.id], 'apply'))
  await edit(`${live.path}/settings`, { sign_in: { password: false } })
  const disabled = await planned(project, own(project, { providers: { corp: { enabled: false } } }))
  for (const [id, name] of [
    [disabled.id, 'apply'],
    [made.id, 'revert'],
  ] as const)
    for (const [more, shown] of [
      [{}, ['settings']],
      [{ key }, []],
    ] as const) {
      const { status, body } = await step([project, id], name, {}, more)
      const seen = (checks: { object: string; level: string }[]) =>
        checks.flatMap(({ object, level }) => (level === 'error' ? [object] : []))
      assert.deepEqual([status, body.code, seen(body.checks)], [422, 'promotion_blocked', shown])
      if (name === 'revert')
        assert.deepEqual(seen(expectStatus(200, await step([project, id], name, { dry_run: true }, more)).checks), shown)
    }
})

test('a developer applies and reverts in Test, Live needs an admin, and both ask for the fresh sign-in that a change needs by its own call', async () => {
  const project = await createProject()
  const { test, live } = project
  const people = { developer: '', admin: '' }
  for (const role of ['developer', 'admin'] as const) {
    const person = await createAdministrator(w, `${role}@promotions.example`)
    await joinTenant(w, { tenant_id: w.tenant_id, token: aged }, person, role)
    people[role] = person.token
  }
  const as =
    (token: string) =>
    (id: string, name: 'apply' | 'revert', body: object = {}) =>
      asAdministrator(w, token, w.tenant_id)('POST', `${project.path}/promotions/${id}/${name}`, body)
  const own_of = (environment: TestEnvironment, document: object) => ({
    document: { version: 1, ...document },
    to_environment_id: environment.id,
  })
  const length = (n: number) => ({ settings: { password: { min_length: n } } })
  const in_test = await planned(project, own_of(test, length(14)))
  for (const name of ['apply', 'revert'] as const) expectStatus(200, await as(people.developer)(in_test.id, name))
  const in_live = await planned(project, own_of(live, length(14)))
  for (const name of ['apply', 'revert'] as const) {
    assert.deepEqual(pointersOf(await as(people.developer)(in_live.id, name)), ['403 insufficient_role'])
    expectStatus(200, await as(people.admin)(in_live.id, name))
  }
  w.advance(601)
  const stale = ['403 reauthentication_required']
  const harmless = await planned(project, own_of(test, length(15)))
  expectStatus(200, await as(people.developer)(harmless.id, 'apply'))
  const mail = await planned(project, own_of(test, { settings: { email: { delivery: 'none' } } }))
  assert.deepEqual(pointersOf(await as(people.developer)(mail.id, 'apply')), stale)
  const later = await planned(project, own_of(live, length(16)))
  assert.deepEqual(pointersOf(await as(people.admin)(later.id, 'apply')), stale)
  expectStatus(200, await as(await administratorToken(w, owner))(later.id, 'apply'))
})

test('each field that needs a fresh sign-in everywhere by its own call needs one in a promotion to Test', async () => {
  const project = await createProject()
  const { test } = project
  const app = { application_type: 'web', redirect_uris: ['https://test.example/cb'], token_endpoint_auth_method: 'private_key_jwt' }
  const jwks_uri = 'https://test.example/jwks'
  await make(test, 'applications', { ...app, slug: 'keys', name: 'Keys', jwks: public_keys('one') })
  await make(test, 'applications', { ...app, slug: 'uri', name: 'URI', jwks_uri })
  await make(test, 'providers', { slug: 'google', type: 'google', client_id: 'a', client_secret: 'b' })
  await make(test, 'providers', { slug: 'apple', type: 'apple', client_id: 'a', team_id: 'T', key_id: 'K', private_key: 'key' })
  const smtp = { host: 'mail.example.com', username: 'shop', password: 'of mail' }
  await edit(`${test.path}/settings`, { email: { from: 'shop@example.com', delivery: 'smtp', smtp } })
  const changes: Record<string, object> = {
    'application token_endpoint_auth_method': { applications: { uri: { token_endpoint_auth_method: 'client_secret_basic' } } },
    'application jwks': { applications: { keys: { jwks: public_keys('two') } } },
    'application jwks_uri': { applications: { uri: { jwks_uri: `${jwks_uri}/2` } } },
    'provider client_secret': { providers: { google: { client_secret: null, enabled: false } } },
    'provider private_key': { providers: { apple: { private_key: null, enabled: false } } },
    'settings email': { settings: { email: { from: 'other@example.com' } } },
    'settings email.smtp.password': { settings: { email: { smtp: { password: null } } } },
  }
  const { project: _, key: __, user: ___, ...of_documents } = freshFields
  const named = Object.entries(of_documents).flatMap(([kind, fields]) =>
    Object.entries(fields).flatMap(([name, { where }]) => (where === 'always' ? [`${kind} ${name}`] : [])),
  )
  assert.deepEqual(Object.keys(changes), named)
  const token = await administratorToken(w, owner)
  w.advance(601)
  for (const [name, document] of Object.entries(changes)) {
    const { id } = await planned(project, { document: { version: 1, ...document }, to_environment_id: test.id })
    const reply = await asAdministrator(w, token, w.tenant_id)('POST', `${project.path}/promotions/${id}/apply`, {})
    assert.deepEqual(pointersOf(reply), ['403 reauthentication_required'], name)
  }
})

test('a project asks for approvals by another administrator, and a key neither approves nor switches that off', async () => {
  const project = await createProject()
  const token = await administratorToken(w, owner)
  const other = await createAdministrator(w, 'other@promotions.example')
  await joinTenant(w, { tenant_id: w.tenant_id, token }, other, 'admin')
  const [owner_call, other_call] = [asAdministrator(w, token, w.tenant_id), asAdministrator(w, other.token, w.tenant_id)]
  const ask = (require_approval: boolean) => ({ promotion: { require_approval } })
  assert.deepEqual(pointersOf(await w.call('PATCH', project.path, { body: ask(true) })), ['403 wrong_key_type'])
  assert.deepEqual(expectStatus(200, await owner_call('PATCH', project.path, ask(true))).promotion, { require_approval: true })
  assert.deepEqual(pointersOf(await w.call('PATCH', project.path, { body: ask(false) })), ['403 wrong_key_type'])
  assert.equal(expectStatus(200, await w.call('PATCH', project.path, { body: { name: 'Renamed' } })).promotion.require_approval, true)

  const { approval: none } = await planned(project, {
    ...upward(project),
    from_environment_id: project.live.id,
    to_environment_id: project.test.id,
  })
  assert.equal(none.required, false, 'Test needs none')
  const promotions = `${project.path}/promotions`
  const made = expectStatus(201, await owner_call('POST', promotions, own(project, { settings: { password: { min_length: 14 } } })))
  assert.deepEqual(made.approval, { required: true, approved_by: null, approved_at: null })
  assert.deepEqual(pointersOf(await step([project, made.id], 'apply')), ['409 approval_required'])
  assert.deepEqual(pointersOf(await step([project, made.id], 'approve')), ['403 wrong_key_type'])
  assert.deepEqual(pointersOf(await owner_call('POST', `${promotions}/${made.id}/approve`)), ['403 insufficient_role'])
  const { approval } = expectStatus(200, await other_call('POST', `${promotions}/${made.id}/approve`))
  assert.equal(approval.approved_by.label, 'other@promotions.example')
  assert.deepEqual(
    expectStatus(200, await other_call('POST', `${promotions}/${made.id}/approve`)).approval,
    approval,
    'a second approval changes nothing',
  )
  assert.equal(expectStatus(200, await step([project, made.id], 'apply')).approval.approved_by.id, other.user_id)

  const stale = await planned(project, own(project, { settings: { password: { min_length: 15 } } }))
  await edit(`${project.live.path}/settings`, { lockout: { max_attempts: 7 } })
  assert.deepEqual(pointersOf(await other_call('POST', `${promotions}/${stale.id}/approve`)), [
    '409 promotion_stale',
    'edited /to_config_version',
  ])
  const blocked = await planned(project, own(project, { settings: { sign_in: { email_code: true } } }))
  assert.deepEqual(pointersOf(await other_call('POST', `${promotions}/${blocked.id}/approve`)), ['422 promotion_blocked'])
  expectStatus(200, await owner_call('PATCH', project.path, ask(false)))
})
