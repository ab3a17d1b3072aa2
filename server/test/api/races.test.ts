/** Parallel changes in one instant: each takes effect once, with one event and one audit entry. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { ask, idsOf, validRequest } from '../support/route-table.ts'
import { createAuthKey, createTwoTenants } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ tick_ms: 600_000 })
const { ours } = await createTwoTenants(w)

const Count = z.object({ n: z.int() })
const count = async (from: Statement) => (await w.deployment.db.maybeOne(Count, sql`select count(*) as n from ${from}`))?.n ?? 0
const audited = (action: string, object_id: string) => count(sql`audit_log where action = ${action} and object_id = ${object_id}`)
const eventsOf = (type: string, id: string) =>
  count(
    sql`events where type = ${type} and environment_id = ${ours.test.id} and (data like ${`%${id}%`} or user_id = ${id} or application_id = ${id})`,
  )

/** The rows that change one object, with the body of the n-th change and the event of the change. */
// biome-ignore format: this table is read by column
const cases: [name: keyof typeof routes, body: (n: number) => object, event: string | null][] = [
  ['changeProject',        (n) => ({ name: `Racer ${n}` }),                        null],
  ['changeEnvironment',    (n) => ({ name: `Racer ${n}` }),                        null],
  ['changeTenant',         (n) => ({ name: `Racer ${n}` }),                        null],
  ['changeApplication',    (n) => ({ name: `Racer ${n}` }),                        'application.updated'],
  ['changeAuthKey',        (n) => ({ label: `Racer ${n}` }),                       null],
  ['changePlatformKey',    (n) => ({ label: `Racer ${n}` }),                       null],
  ['changeUser',           (n) => ({ name: `Racer ${n}` }),                        'user.updated'],
  ['rotateClientSecret',   () => ({}),                                             'application.secret_rotated'],
  ['rotateAuthKey',        () => ({}),                                             'auth_key.rotated'],
  ['changeResourceServer', (n) => ({ name: `Racer ${n}` }),                        'resource_server.updated'],
  ['changeRole',           (n) => ({ name: `Racer ${n}` }),                        'role.updated'],
  ['changeWebhook',        (n) => ({ description: `Racer ${n}` }),                 null],
  ['changeProvider',       (n) => ({ display_name: `Racer ${n}` }),                'provider.updated'],
]

for (const [name, body, event] of cases) {
  test(`25 parallel changes by ${name} have 25 audit entries${event ? ` and 25 ${event} events` : ''}`, async () => {
    const route: Route = routes[name]
    const right = { ...validRequest(route, ours) }
    const object_id = Object.values(idsOf(route, ours)).at(-1) ?? ''
    const [entries, events] = [await audited(name, object_id), event ? await eventsOf(event, object_id) : 0]
    const replies = await Promise.all(Array.from({ length: 25 }, (_, n) => ask(w, { ...right, body: body(n) })))
    for (const reply of replies) expectStatus(200, reply)
    const versions = new Set(replies.map(({ headers }) => headers.get('etag')))
    assert.equal(versions.size, 25)
    assert.equal((await audited(name, object_id)) - entries, 25)
    if (event) assert.equal((await eventsOf(event, object_id)) - events, 25)
  })
}

test('parallel changes of different members are all kept', async () => {
  const numbers = Array.from({ length: 25 }, (_, n) => n)
  const user = `/v1/auth/users/${ours.live.user_id}`
  const call = (method: string, path: string, key: string, body?: object) => w.call(method, path, { key, body })
  await Promise.all(
    numbers.map(async (n) => expectStatus(200, await call('PATCH', user, ours.live.secret, { metadata: { [`m${n}`]: n } }))),
  )
  assert.deepEqual(
    expectStatus(200, await call('GET', user, ours.live.secret)).metadata,
    Object.fromEntries(numbers.map((n) => [`m${n}`, n])),
  )

  const settings = `${ours.live.path}/settings`
  const changes = [
    { sign_up: { mode: 'closed' } },
    { lockout: { max_attempts: 5 } },
    { lockout: { duration_seconds: 60 } },
    { password: { min_length: 20 } },
  ]
  await Promise.all(changes.map(async (change) => expectStatus(200, await call('PATCH', settings, ours.platform, change))))
  const { sign_up, lockout, password } = expectStatus(200, await call('GET', settings, ours.platform))
  assert.deepEqual([sign_up.mode, lockout, password.min_length], ['closed', { max_attempts: 5, duration_seconds: 60 }, 20])
})

test('of parallel requests that block, unblock, revoke or delete one object, one takes effect, with one event and one audit entry', async () => {
  const secret = await createAuthKey(w, ours.test, 'auth_secret', { made_by: ours.platform })
  const made = expectStatus(201, await w.call('POST', '/v1/auth/users', { key: secret.key, body: { email: 'racer@example.com' } }))
  const at_once = (method: string, path: string, key: string) =>
    Promise.all(Array.from({ length: 20 }, () => w.call(method, path, { key })))
  for (const reply of await at_once('POST', `/v1/auth/users/${made.id}/block`, secret.key)) expectStatus(200, reply)
  assert.deepEqual([await audited('blockUser', made.id), await eventsOf('user.blocked', made.id)], [1, 1])
  for (const reply of await at_once('POST', `/v1/auth/users/${made.id}/unblock`, secret.key)) expectStatus(200, reply)
  assert.deepEqual([await audited('unblockUser', made.id), await eventsOf('user.unblocked', made.id)], [1, 1])
  const statuses = (await at_once('DELETE', `/v1/auth/users/${made.id}`, secret.key)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 204).length, 1)
  assert.deepEqual([await audited('deleteUser', made.id), await eventsOf('user.deleted', made.id)], [1, 1])
  const revoked = (await at_once('DELETE', `${ours.test.path}/auth-keys/${ours.test.key_id}`, ours.platform)).map(({ status }) => status)
  assert.deepEqual(new Set(revoked), new Set([204]))
  assert.deepEqual([await audited('revokeAuthKey', ours.test.key_id), await eventsOf('auth_key.revoked', ours.test.key_id)], [1, 1])
  const deleted = (await at_once('DELETE', `${ours.test.path}/applications/${ours.test.application_id}`, ours.platform)).map(
    ({ status }) => status,
  )
  assert.equal(deleted.filter((status) => status === 204).length, 1)
  assert.deepEqual(
    [await audited('deleteApplication', ours.test.application_id), await eventsOf('application.deleted', ours.test.application_id)],
    [1, 1],
  )
})
