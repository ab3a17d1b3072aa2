/** The roles that users are given, as their backend and administrators manage them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { until } from '../support/receiver.ts'
import { createRole, deleteRole } from '../support/roles.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const secret = await createAuthKey(w, w.test, 'auth_secret')
const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  w.call(method, `/v1/auth/users${path}`, { key: secret.key, body, headers })
let emails = 0
const create = async (fields: object = {}) =>
  expectStatus(201, await api('POST', '', { email: `person${++emails}@roles.example.com`, ...fields }))
const change = (id: string, body: object, headers?: Record<string, string>) => api('PATCH', `/${id}`, body, headers)
const get = async (id: string) => expectStatus(200, await api('GET', `/${id}`))
const idsIn = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id)
const pointersOf = ({ status, body }: Reply) => [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]

const Stored = z.object({ roles: z.array(z.string()) })
const stored = async (id: string) => {
  const row = await db.of(w.test.id).maybeOne(Stored, sql`select roles from users where environment_id = ${w.test.id} and id = ${id}`)
  return row?.roles ?? []
}
const Holder = z.object({ role_id: z.string() })
const holdings = async (id: string) =>
  (
    await db
      .of(w.test.id)
      .all(Holder, sql`select role_id from role_holders where environment_id = ${w.test.id} and user_id = ${id} order by role_id`)
  ).map(({ role_id }) => role_id)

const [author, editor, viewer] = await Promise.all(['author', 'editor', 'viewer'].map((slug) => createRole(w, w.test, { slug })))
if (!author || !editor || !viewer) throw new Error('unreachable')
await createRole(w, w.test, { slug: 'member-admin', kind: 'organization' })

test('a user has no role until one is given', async () => {
  const made = await create()
  assert.deepEqual(made.roles, [])
  assert.deepEqual(await stored(made.id), [])
})

test('roles are given at creation and in a change, and read in order of slug at every place', async () => {
  const made = await create({ roles: ['viewer', 'author'] })
  assert.deepEqual(made.roles, ['author', 'viewer'])
  assert.deepEqual(await get(made.id), made)
  assert.deepEqual(expectStatus(200, await w.call('GET', `${w.test.path}/users/${made.id}`)), made)
  assert.deepEqual(expectStatus(200, await api('GET', '')).data[0], made)
  assert.deepEqual(expectStatus(200, await api('GET', '?query=roles.example.com')).data[0], made)
  const changed = expectStatus(200, await change(made.id, { roles: ['viewer', 'editor'] }))
  assert.deepEqual(changed.roles, ['editor', 'viewer'])
  assert.deepEqual(await get(made.id), changed)
})

test('ids are stored, with the user and by role', async () => {
  const made = await create({ roles: ['viewer', 'author'] })
  assert.deepEqual(await stored(made.id), [author.id, viewer.id])
  assert.deepEqual(await holdings(made.id), [author.id, viewer.id].sort())
  expectStatus(200, await change(made.id, { roles: ['editor'] }))
  assert.deepEqual([await stored(made.id), await holdings(made.id)], [[editor.id], [editor.id]])
  expectStatus(200, await change(made.id, { roles: [] }))
  assert.deepEqual([await stored(made.id), await holdings(made.id)], [[], []])
})

// biome-ignore format: this table is read by column
const kept: [body: object, roles: string[]][] = [
  [{ name: 'Ada' },                     ['author', 'viewer']],
  [{ roles: ['author', 'viewer'] },     ['author', 'viewer']],
  [{ roles: ['viewer', 'author'] },     ['author', 'viewer']],
  [{ roles: null },                     []],
  [{ roles: ['viewer'], name: 'Grace' }, ['viewer']],
]
for (const [body, roles] of kept)
  test(`${JSON.stringify(body)} leaves ${JSON.stringify(roles)} of author and viewer`, async () => {
    const made = await create({ roles: ['author', 'viewer'] })
    assert.deepEqual(expectStatus(200, await change(made.id, body)).roles, roles)
    assert.deepEqual((await get(made.id)).roles, roles)
  })

test('the same roles in another order change nothing', async () => {
  const made = await create({ roles: ['author', 'viewer'] })
  const reply = await change(made.id, { roles: ['viewer', 'author'] })
  assert.equal(reply.headers.get('etag'), '"1"')
  assert.deepEqual(reply.body, made)
})

const many = Array.from({ length: 21 }, (_, n) => `many-${n}`)
// biome-ignore format: this table is read by column
const bad: [why: string, roles: unknown, pointers: string[]][] = [
  ['an unknown slug',               ['author', 'nobody', 'viewer'],         ['/roles/1']],
  ['a role of organizations',       ['author', 'viewer', 'member-admin'],   ['/roles/2']],
  ['a role twice',                  ['author', 'viewer', 'author'],         ['/roles/2']],
  ['a text that is not a slug',               ['Author'],                             ['/roles/0']],
  ['each wrong entry',              ['x', 'author', 'y'],                   ['/roles/0', '/roles/2']],
  ['21 roles',                      many,                                   ['/roles']],
  ['a text',                        'author',                               ['/roles']],
  ['an id',                         [author.id],                            ['/roles/0']],
]
for (const [why, roles, pointers] of bad)
  test(`${why} is 422 at ${pointers}, at creation and in a change`, async () => {
    assert.deepEqual(pointersOf(await api('POST', '', { email: `bad${++emails}@roles.example.com`, roles })), [422, pointers])
    const made = await create({ roles: ['editor'] })
    assert.deepEqual(pointersOf(await change(made.id, { roles, name: 'Ada' })), [422, pointers])
    assert.deepEqual(await get(made.id), made)
  })

test('a role of another environment is unknown', async () => {
  await createRole(w, w.live, { slug: 'only-live' })
  assert.deepEqual(pointersOf(await api('POST', '', { email: 'other@roles.example.com', roles: ['only-live'] })), [422, ['/roles/0']])
})

test('20 roles can be given, beside those that every user has', async () => {
  const slugs = await Promise.all(Array.from({ length: 20 }, async (_, n) => (await createRole(w, w.test, { slug: `twenty-${n}` })).slug))
  const everyone = await createRole(w, w.test, { slug: 'everyone', default: true })
  const made = await create({ roles: slugs })
  assert.deepEqual(made.roles, slugs.sort())
  assert.ok(!(await create()).roles.includes('everyone'), 'a default role is not given')
  assert.deepEqual(expectStatus(200, await change(made.id, { roles: ['everyone'] })).roles, ['everyone'])
  await deleteRole(w, w.test, everyone)
})

test('a deleted role is gone from every user at once, and its id goes with the next change of roles', async () => {
  const gone = await createRole(w, w.test, { slug: 'gone' })
  const made = await create({ roles: ['author', 'gone'] })
  await deleteRole(w, w.test, gone)
  assert.deepEqual((await get(made.id)).roles, ['author'])
  assert.deepEqual(await stored(made.id), [author.id, gone.id])
  expectStatus(200, await change(made.id, { roles: ['author', 'viewer'] }))
  assert.deepEqual([await stored(made.id), await holdings(made.id)], [[author.id, viewer.id], [author.id, viewer.id].sort()])
})

test('a later role with the slug of a deleted one has no holders', async () => {
  const first = await createRole(w, w.test, { slug: 'again' })
  const made = await create({ roles: ['again'] })
  await deleteRole(w, w.test, first)
  await createRole(w, w.test, { slug: 'again' })
  assert.deepEqual((await get(made.id)).roles, [])
  assert.deepEqual(idsIn(await api('GET', '?role=again')), [])
  const given = expectStatus(200, await change(made.id, { roles: ['again'] }))
  assert.deepEqual(given.roles, ['again'])
  assert.deepEqual(idsIn(await api('GET', '?role=again')), [made.id])
})

test('a role that is deleted while 50 users get it is held by none of them, even when its slug is made again', async () => {
  const people = await Promise.all(Array.from({ length: 50 }, () => create({ roles: ['author'] })))
  const old = await createRole(w, w.test, { slug: 'raced' })
  const replies = await Promise.all([
    ...people.map(({ id }, n) => (n % 2 ? change(id, { roles: ['raced', 'author'] }) : change(id, { roles: ['raced'] }))),
    deleteRole(w, w.test, old).then(() => createRole(w, w.test, { slug: 'raced' })),
  ])
  const next = replies.at(-1) as { id: string } // as: the last of them is the role
  const holders = new Set(idsIn(await api('GET', '?role=raced&limit=100')))
  for (const [n, { id }] of people.entries()) {
    const reply = replies[n] as Reply // as: the others are answers
    assert.ok([200, 422].includes(reply.status), JSON.stringify(reply.body))
    const ids = await stored(id)
    assert.deepEqual((await get(id)).roles.includes('raced'), ids.includes(next.id))
    assert.equal(holders.has(id), ids.includes(next.id))
    const present = (all: readonly string[]) => all.filter((role_id) => role_id !== old.id).toSorted()
    assert.deepEqual(present(await holdings(id)), present(ids)) // a worker removes the rows of the old one
    if (reply.status === 422) assert.deepEqual(ids, [author.id])
  }
})

test('of 50 parallel changes of the roles of one user the last counts, in both places', async () => {
  const made = await create()
  const sets = [['author'], ['author', 'editor'], ['viewer'], [], ['editor', 'viewer']]
  await Promise.all(Array.from({ length: 50 }, (_, n) => change(made.id, { roles: sets[n % sets.length] })))
  const { roles } = await get(made.id)
  assert.ok(sets.some((set) => JSON.stringify(set) === JSON.stringify(roles)))
  const ids = await stored(made.id)
  assert.equal(ids.length, roles.length)
  assert.deepEqual(await holdings(made.id), [...ids].sort())
})

test('deleting a user takes the roles', async () => {
  const made = await create({ roles: ['author', 'viewer'] })
  expectStatus(204, await api('DELETE', `/${made.id}`))
  assert.deepEqual(await holdings(made.id), [])
  assert.ok(!idsIn(await api('GET', '?role=author&limit=100')).includes(made.id))
})

test('the event and the audit log name the change, and the log has the roles before and after', async () => {
  const made = await create({ roles: ['author'] })
  expectStatus(200, await change(made.id, { roles: ['viewer', 'author'], name: 'Ada' }))
  const event = await until('the event', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?type=user.updated&user_id=${made.id}`))
    return data[0]
  })
  assert.deepEqual(event.data.changed.toSorted(), ['name', 'roles'])
  const State = z.record(z.string(), z.unknown())
  const Entry = z.object({ before_change: State, after_change: State })
  const entry = await db.maybeOne(
    Entry,
    sql`select before_change, after_change from audit_log where action = 'changeUser' and object_id = ${made.id}`,
  )
  assert.deepEqual([entry?.before_change.roles, entry?.after_change.roles], [['author'], ['author', 'viewer']])
})

test('the filter role finds the users to whom it was given, newest first, in pages', async () => {
  const picked = await createRole(w, w.test, { slug: 'picked' })
  const made: string[] = []
  for (let n = 0; n < 5; n++) {
    made.unshift((await create({ roles: n % 2 ? ['picked', 'author'] : ['picked'], name: `Picked ${'abcde'.charAt(n)}th` })).id)
    await create({ roles: ['author'], name: `Picked ${'abcde'.charAt(n)}th` })
  }
  const list = (query: string, path = '/v1/auth/users') =>
    w.call('GET', `${path}?role=picked${query}`, path === '/v1/auth/users' ? { key: secret.key } : {})
  assert.deepEqual(idsIn(await list('')), made)
  assert.deepEqual(idsIn(await list('', `${w.test.path}/users`)), made)
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply: Reply = await list(`&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    pages.push(idsIn(reply))
    cursor = reply.body.next_cursor
  }
  assert.deepEqual(pages, [made.slice(0, 2), made.slice(2, 4), made.slice(4)])
  const { next_cursor } = expectStatus(200, await list('&limit=2'))
  const other = await w.call('GET', `/v1/auth/users?role=author&limit=2&cursor=${next_cursor}`, { key: secret.key })
  assert.equal(other.body.code, 'invalid_cursor')
  const [one = ''] = made
  const { email } = await get(one)
  assert.deepEqual(idsIn(await list(`&email=${email}`)), [one])
  assert.deepEqual(idsIn(await list(`&query=${one}`)), [one])
  assert.deepEqual(idsIn(await list('&query=PICKED')), made)
  assert.deepEqual(idsIn(await list('&query=picked%20dth')), [made[1]])
  assert.deepEqual(idsIn(await api('GET', `?role=viewer&email=${email}`)), [])
  await deleteRole(w, w.test, picked)
  assert.deepEqual(idsIn(await list('')), [])
})

// biome-ignore format: this table is read by column
const filters: [role: string, status: number][] = [
  ['nobody', 200], ['member-admin', 200], ['everyone', 200], ['No slug', 422], ['', 422],
]
for (const [role, status] of filters)
  test(`the filter role=${JSON.stringify(role)} answers ${status} without users`, async () => {
    const reply = await api('GET', `?role=${encodeURIComponent(role)}`)
    assert.equal(reply.status, status)
    if (status === 200) assert.deepEqual(idsIn(reply), [])
  })

test('a repeat by Idempotency-Key gives roles once, and If-Match keeps the roles of another change', async () => {
  const headers = { 'idempotency-key': 'with-roles-1' }
  const body = { email: 'idempotent@roles.example.com', roles: ['author'] }
  const first = await api('POST', '', body, headers)
  assert.deepEqual((await api('POST', '', body, headers)).body, expectStatus(201, first))
  const { id } = first.body
  expectStatus(200, await change(id, { roles: ['viewer'] }, { 'if-match': '"1"' }))
  assert.equal((await change(id, { roles: ['editor'] }, { 'if-match': '"1"' })).status, 412)
  assert.deepEqual((await get(id)).roles, ['viewer'])
})

test('in Live an administrator needs a fresh sign-in to give a role, and none to take one', async () => {
  for (const slug of ['fresh-a', 'fresh-b']) await createRole(w, w.live, { slug })
  const { key } = await createAuthKey(w, w.live, 'auth_secret')
  const body = { email: 'live@roles.example.com', roles: ['fresh-a'] }
  const { id } = expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body }))
  const call = asAdministrator(w, await administratorToken(w, owner))
  w.advance(601)
  const patch = (roles: string[]) => call('PATCH', `/v1/auth/users/${id}`, { roles }, { 'x-environment-id': w.live.id })
  for (const roles of [['fresh-a', 'fresh-b'], ['fresh-b']])
    assert.equal((await patch(roles)).body.code, 'reauthentication_required', JSON.stringify(roles))
  assert.deepEqual(expectStatus(200, await patch(['fresh-a'])).roles, ['fresh-a'])
  assert.deepEqual(expectStatus(200, await patch([])).roles, [])
})

test('a secret key of another environment and a platform key give no roles', async () => {
  const made = await create()
  const other = await createAuthKey(w, w.live, 'auth_secret')
  const path = `/v1/auth/users/${made.id}`
  assert.equal((await w.call('PATCH', path, { key: other.key, body: { roles: ['author'] } })).status, 404)
  assert.equal((await w.call('PATCH', path, { body: { roles: ['author'] } })).status, 403)
  assert.equal((await w.call('PATCH', `${w.test.path}/users/${made.id}`, { body: { roles: ['author'] } })).status, 405)
  assert.deepEqual((await get(made.id)).roles, [])
})
