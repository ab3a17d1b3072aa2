/** Promotions applied and reverted by the API: one batch each, what is refused, and what a later plan says of edits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { own, pointersOf, promoting, upward, values } from '../support/promotions.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { createProject, make, edit, plan, planned, step, documentOf, versionOf, eventsOf, filled } = promoting(w)

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
  assert.deepEqual(named(event?.data.created), [
    'application shop',
    'provider google',
    'resource_server orders',
    'role support',
    'webhook hook',
  ])
  assert.deepEqual(named(event?.data.updated), ['settings null'])
  assert.deepEqual((await eventsOf(live, '%.created')).map(({ type }) => type).sort(), [
    'application.created',
    'provider.created',
    'resource_server.created',
    'role.created',
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
    'role',
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

test('a plan with errors cannot be applied', async () => {
  const project = await filled()
  const { id } = await planned(project, upward(project))
  const reply = await step([project, id], 'apply')
  assert.deepEqual(pointersOf(reply), ['422 promotion_blocked'])
  assert.deepEqual([...new Set(reply.body.checks.map(({ code }: { code: string }) => code))], ['value_required'])
  assert.equal(await versionOf(project.live), 1)
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
