/** Plans of promotions by the API: the record, its list, what is refused, and who may see it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/db.ts'
import { expiring_rows } from '../../src/workers/expiring-rows.ts'
import { createPlatformKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
const project = `/v1/platform/projects/${ours.project_id}`
const plan = (body: object, key = ours.platform): Promise<Reply> => w.call('POST', `${project}/promotions`, { key, body })
const ends = { from_environment_id: ours.test.id, to_environment_id: ours.live.id }
const pointersOf = ({ status, body }: Reply) => [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]
const settings = (path: string, body: object) => w.call('PATCH', `${path}/settings`, { key: ours.platform, body })

test('a plan shows each change field by field, and is stale once an end has changed', async () => {
  expectStatus(200, await settings(ours.test.path, { password: { min_length: 14 }, links: { terms_url: 'https://test.example/terms' } }))
  const reply = await plan({ ...ends, note: 'abc123' })
  const made = expectStatus(201, reply)
  assert.match(made.id, /^pro_/)
  assert.equal(reply.headers.get('location'), `${w.deployment.config.base_url}${project}/promotions/${made.id}`)
  assert.deepEqual(made.changes, [
    { object: 'settings', slug: null, id: null, action: 'update', fields: [{ pointer: '/password/min_length', from: 12, to: 14 }] },
  ])
  assert.deepEqual([made.status, made.stale, made.note, made.created_by.type], ['planned', false, 'abc123', 'key'])
  const one = () => w.call('GET', `${project}/promotions/${made.id}`, { key: ours.platform })
  assert.deepEqual(expectStatus(200, await one()), made)

  expectStatus(200, await settings(ours.live.path, { lockout: { max_attempts: 5 } }))
  assert.equal(expectStatus(200, await one()).stale, true)
  const { data } = expectStatus(
    200,
    await w.call('GET', `${project}/promotions?status=planned&to_environment_id=${ours.live.id}`, { key: ours.platform }),
  )
  assert.deepEqual(data[0].summary, { create: 0, update: 1, delete: 0, errors: 0, warnings: 0 })
  assert.ok(!('changes' in data[0]))
})

test('a dry run stores nothing', async () => {
  const count = async () => expectStatus(200, await w.call('GET', `${project}/promotions?limit=100`, { key: ours.platform })).data.length
  const before = await count()
  const { id, changes } = expectStatus(200, await plan({ ...ends, dry_run: true }))
  assert.equal(id, null)
  assert.equal(changes.length, 1)
  assert.equal(await count(), before)
})

test('a document of the target itself brings its own values', async () => {
  const document = { version: 1, environment: 'live', settings: { links: { terms_url: 'https://live.example/terms' } } }
  const { changes, document_environment, from_environment_id } = expectStatus(
    200,
    await plan({ document, to_environment_id: ours.live.id, dry_run: true }),
  )
  assert.deepEqual([document_environment, from_environment_id], ['live', null])
  assert.deepEqual(changes[0].fields, [{ pointer: '/links/terms_url', from: null, to: 'https://live.example/terms' }])
  const of_test = expectStatus(
    200,
    await plan({ document: { ...document, environment: 'test' }, to_environment_id: ours.live.id, dry_run: true }),
  )
  assert.deepEqual(of_test.changes, [], 'an address of Test does not come to Live')
})

test('what is meant to differ stays, and a change of it raises the version of the configuration', async () => {
  const change = (keeps: object[] | null) => w.call('PATCH', ours.live.path, { key: ours.platform, body: { keeps } })
  expectStatus(200, await settings(ours.live.path, { lockout: null }))
  const kept = { object: 'settings', slug: null, pointer: '/password/min_length', reason: 'Live stays as it was.' }
  const before = expectStatus(200, await w.call('GET', ours.live.path, { key: ours.platform })).config_version
  const made = expectStatus(200, await change([kept]))
  assert.deepEqual([made.keeps, made.config_version], [[kept], before + 1])
  const { changes, left_alone } = expectStatus(200, await plan({ ...ends, dry_run: true }))
  assert.deepEqual(changes, [])
  assert.deepEqual(
    left_alone,
    [{ ...kept, why: 'kept' }].map(({ object, slug, pointer, why, reason }) => ({ object, slug, pointer, why, reason })),
  )
  assert.deepEqual(pointersOf(await change([{ ...kept, pointer: '/none' }])), [422, ['/keeps/0/pointer']])
  assert.deepEqual(pointersOf(await change([{ ...kept, slug: 'x' }])), [422, ['/keeps/0/slug']])
  assert.deepEqual(pointersOf(await change([kept, kept])), [422, ['/keeps/1']])
  assert.deepEqual(expectStatus(200, await change(null)).keeps, [])
})

test('a plan shows a key nothing of a kind that it may not read', async () => {
  const { id } = expectStatus(201, await plan(ends))
  const keyWith = async (...scopes: string[]) => (await createPlatformKey(w, ours, { scopes })).key
  const read = async (key: string) => w.call('GET', `${project}/promotions/${id}`, { key })
  const reply = await read(await keyWith('projects:read', 'applications:read'))
  assert.deepEqual([reply.status, reply.body.required_scopes], [403, ['env.settings:read']])
  expectStatus(200, await read(await keyWith('projects:read', 'env.settings:read')))
})

test('the plan is the last column of its row, so that lists do not read it, and the sweep removes few rows at once', async () => {
  const [read] = (await w.deployment.db.batch([sql`select * from promotions where project_id = ${ours.project_id} limit 1`])) ?? []
  assert.equal(read?.columns.at(-1), 'plan')
  assert.equal(expiring_rows.find(({ table }) => table === 'promotions')?.slice, 5)
})

test('a plan counts the people whom it leaves without a way in', async () => {
  const document = { version: 1, settings: { sign_in: { password: false } } }
  const { checks } = expectStatus(200, await plan({ document, to_environment_id: ours.live.id, dry_run: true }))
  const lost = checks.filter(({ code }: { code: string }) => code === 'people_lose_way_in')
  assert.deepEqual(
    lost.map(({ object, pointer, level }: Record<string, string>) => [object, pointer, level]),
    [['settings', '/sign_in/password', 'warning']],
  )
  const { checks: none } = expectStatus(
    200,
    await plan({
      document: { version: 1, settings: { sign_in: { passkey_shared_host: true } } },
      to_environment_id: ours.live.id,
      dry_run: true,
    }),
  )
  assert.deepEqual(none, [])
})
