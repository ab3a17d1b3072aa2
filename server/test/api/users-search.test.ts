/** The search for users, and the pages of its results. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { User } from '@ostiary/contract/user.ts'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { createIndexWalk } from '../../src/domain/users/index-walk.ts'
import { insertUser, noteSignIn } from '../../src/domain/users/store.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const secret = await createAuthKey(w, w.test, 'auth_secret')
const create = async (body: object) => expectStatus(201, await w.call('POST', '/v1/auth/users', { key: secret.key, body }))
let searches = 0

test('users are found by email, id, phone number or part of a name, newest first, in any case, without wildcards', async () => {
  const tag = `find${++searches}`
  const phone_number = `+4366012345${searches}`
  const names = [
    { name: 'Ada Lovelace', phone_number },
    { name: null, given_name: 'Ａｄａ', family_name: 'Çelik' },
    { name: 'Grace Hopper', nickname: 'Amazing', preferred_username: `${tag}_grace` },
  ]
  const made: { id: string }[] = []
  for (const [i, fields] of names.entries()) made.unshift(await create({ email: `${'abc'.charAt(i)}.${tag}@example.com`, ...fields }))
  const [grace = '', other_ada = '', ada = ''] = made.map(({ id }) => id)
  const ids = async (query: Record<string, string>, path: string) => {
    const key = path === '/v1/auth/users' ? secret.key : w.key
    const { data } = expectStatus(200, await w.call('GET', `${path}?${new URLSearchParams(query)}`, { key }))
    return data.map(({ id }: { id: string }) => id)
  }
  const finds: [Record<string, string>, string[]][] = [
    [{ query: `.${tag.toUpperCase()}@` }, [grace, other_ada, ada]],
    [{ query: `ada ${tag}` }, [other_ada, ada]],
    [{ query: `lovelace  ada ${tag}` }, [ada]],
    [{ query: `çelik ${tag}` }, [other_ada]],
    [{ query: `ÇEL ${tag}` }, [other_ada]],
    [{ query: `mazin ${tag}` }, [grace]],
    [{ query: `${tag}_GRACE` }, [grace]],
    [{ query: phone_number }, [ada]],
    [{ query: ada }, [ada]],
    [{ query: ada.slice(0, -1) }, [ada]],
    [{ query: ada.slice(-8).toUpperCase() }, [ada]],
    [{ query: `ad ${tag}` }, [other_ada, ada]],
    [{ query: `a ${tag}` }, [grace, other_ada, ada]],
    [{ query: `da ${tag}` }, []],
    [{ query: `celik ${tag}` }, []],
    [{ email: `B.${tag}@example.com` }, [other_ada]],
    [{ email: `b.${tag}@example` }, []],
    [{ query: tag, email: `a.${tag}@example.com` }, [ada]],
    [{ query: 'hopper', email: `a.${tag}@example.com` }, []],
    [{ query: ada, email: `b.${tag}@example.com` }, []],
    [{ query: '', limit: '3' }, [grace, other_ada, ada]],
    [{ query: '  ', limit: '3' }, [grace, other_ada, ada]],
    ...['%', '_ada', '*', "' or 1=1--", `${tag}%`, '\0'].map((query): [Record<string, string>, string[]] => [{ query }, []]),
  ]
  for (const path of ['/v1/auth/users', `${w.test.path}/users`])
    for (const [query, expected] of finds) assert.deepEqual(await ids(query, path), expected, JSON.stringify(query))
})

test('search results have pages, and a cursor belongs to its search', async () => {
  const tag = `page${++searches}`
  const made: string[] = []
  for (let i = 0; i < 5; i++) made.unshift((await create({ email: `${i}.${tag}@example.com` })).id)
  const read = (query: Record<string, string>) => w.call('GET', `/v1/auth/users?${new URLSearchParams(query)}`, { key: secret.key })
  const pages: string[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: { data: { id: string }[]; has_more: boolean; next_cursor: string | null } = expectStatus(
      200,
      await read({ query: tag, limit: '2', ...(cursor ? { cursor } : {}) }),
    )
    pages.push(page.data.map(({ id }) => id))
    assert.equal(page.has_more, page.next_cursor !== null)
    cursor = page.next_cursor
  }
  assert.deepEqual(pages, [made.slice(0, 2), made.slice(2, 4), made.slice(4)])

  const { next_cursor } = expectStatus(200, await read({ query: tag, limit: '2' }))
  for (const other of [{ query: 'other' }, { query: tag, email: 'a@example.com' }, {}])
    assert.equal((await read({ ...other, cursor: next_cursor })).body.code, 'invalid_cursor')
})

const insertAll = async (environment_id: EnvironmentId, emails: readonly string[]) => {
  const ids: string[] = []
  const at_once = 600
  for (let i = 0; i < emails.length; i += at_once) {
    w.advance(1) // the ids of one millisecond are in order up to a number
    const rows = emails.slice(i, i + at_once).map((email) => ({ id: w.deployment.newId('usr'), email }))
    await w.deployment.db.batch(rows.flatMap(({ id, email }) => insertUser({ environment_id, id }, { email }, null, w.now())))
    ids.push(...rows.map(({ id }) => id))
  }
  return ids
}

test('a rare word finds the oldest of thousands of users in one call, also one of frequent parts, and a frequent word makes pages', async () => {
  const project = await w.createProject(`many-${++searches}`)
  const old = Array.from({ length: 2_100 }, (_, i) => `${i === 0 ? 'cdef' : 'cde'}${i}@old.example`)
  const [oldest = '', ...others] = await insertAll(project.test.id, [
    ...old,
    ...Array.from({ length: 4_100 }, (_, i) => `def${i}@new.example`),
  ])
  const read = async (query: string, cursor?: string) =>
    expectStatus(200, await w.call('GET', `${project.test.path}/users?query=${query}${cursor ? `&cursor=${cursor}` : ''}`))
  const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
  for (const word of ['f0@old', 'cdef']) {
    const rare = await read(word)
    assert.deepEqual([ids(rare), rare.has_more], [[oldest], false], word)
  }
  for (const word of ['cdef0@new', 'cdefg', 'old.example+new.example']) {
    const absent = await read(word)
    assert.deepEqual([ids(absent), absent.has_more], [[], false], word)
  }
  const frequent = await read('new.example')
  assert.deepEqual([ids(frequent), frequent.has_more], [others.slice(-20).reverse(), true])
  const behind = await read('old.example')
  assert.deepEqual([ids(behind), behind.has_more], [[], true])
  const next = await read('old.example', behind.next_cursor)
  assert.deepEqual([ids(next), next.has_more], [others.slice(2_079, 2_099).reverse(), true])
})

const [monday, tuesday, wednesday] = ['2030-01-07', '2030-01-08', '2030-01-09']

test('filters leave the users that all of them describe, and each end of a range of days is included', async () => {
  const { test: environment } = await w.createProject(`filters-${++searches}`)
  const key = (await createAuthKey(w, environment, 'auth_secret')).key
  const add = async (email: string, day: string, change: Statement | null) => {
    const [id = ''] = await insertAll(environment.id, [email])
    const at = new Date(`${day}T12:00:00Z`)
    await w.deployment.db.batch([
      sql`update users set created_at = ${at} where environment_id = ${environment.id} and id = ${id}`,
      ...(change === null ? [] : [sql`update users set ${change} where environment_id = ${environment.id} and id = ${id}`]),
    ])
    return id
  }
  const signedIn = (day: string) => {
    const at = new Date(`${day}T23:59:59.999Z`)
    return sql`last_sign_in_at = ${at}, last_sign_in_day = ${Math.floor(at.getTime() / 86_400_000)}`
  }
  const today = new Date().toISOString().slice(0, 10)
  const ann = await add('ann@filters.example', today, signedIn(wednesday))
  const bob = await add('bob@filters.example', today, sql`blocked_at = 1, email_verified = 1`)
  const cem = await add('cem@filters.example', today, sql`${signedIn(monday)}, password_hash = 'x'`)
  const role = expectStatus(
    201,
    await w.call('POST', `${environment.path}/roles`, { body: { slug: 'editor', name: 'Editor', kind: 'user' } }),
  )
  await w.deployment.db.batch([
    sql`insert into role_holders (environment_id, role_id, user_id) values (${environment.id}, ${role.id}, ${cem})`,
    sql`insert into identities (environment_id, id, provider_id, issuer, subject, user_id, created_at)
        values (${environment.id}, 'mth_1', 'prv_1', 'i', 's', ${ann}, 0), (${environment.id}, 'mth_2', 'prv_1', 'i', 't', ${ann}, 0)`,
    sql`insert into totp_methods (environment_id, id, user_id, secret, last_step, created_at) values (${environment.id}, 'mth_3', ${bob}, 's', 0, 0)`,
  ])
  const cases: [Record<string, string>, string[]][] = [
    [{}, [cem, bob, ann]],
    [{ blocked: 'true' }, [bob]],
    [{ blocked: 'false' }, [cem, ann]],
    [{ email_verified: 'true' }, [bob]],
    [{ email_verified: 'false', blocked: 'true' }, []],
    [{ method: 'password' }, [cem]],
    [{ method: 'totp' }, [bob]],
    [{ method: 'provider' }, [ann]],
    [{ method: 'passkey' }, []],
    [{ provider_id: 'prv_1' }, [ann]],
    [{ provider_id: 'prv_2' }, []],
    [{ role: 'editor', method: 'password' }, [cem]],
    [{ role: 'editor', query: 'ann' }, []],
    [{ role: 'editor', query: 'filters' }, [cem]],
    [{ created_from: today }, [cem, bob, ann]],
    [{ created_from: '2020-01-01', created_to: today }, [cem, bob, ann]],
    [{ created_to: '2020-01-01' }, []],
    [{ last_seen_from: monday }, [cem, ann]],
    [{ last_seen_from: tuesday }, [ann]],
    [{ last_seen_from: wednesday, last_seen_to: wednesday }, [ann]],
    [{ last_seen_to: monday }, [cem]],
    [{ last_seen_to: '2029-12-31' }, []],
    [{ never_signed_in: 'true' }, [bob]],
    [{ never_signed_in: 'false' }, [cem, ann]],
    [{ sort: 'created' }, [cem, bob, ann]],
    [{ sort: 'last_sign_in' }, [ann, cem, bob]],
    [{ sort: 'last_sign_in', last_seen_to: tuesday }, [cem]],
    [{ sort: 'last_sign_in', never_signed_in: 'true' }, [bob]],
    [{ sort: 'last_sign_in', query: 'filters' }, [ann, cem, bob]],
    [{ email: 'BOB@filters.example', blocked: 'true' }, [bob]],
    [{ email: 'bob@filters.example', blocked: 'false' }, []],
    [{ query: ann, blocked: 'true' }, []],
  ]
  for (const [query, expected] of cases) {
    const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users?${new URLSearchParams(query)}`, { key }))
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      expected,
      JSON.stringify(query),
    )
  }
  const refused: Record<string, string>[] = [
    { blocked: 'yes' },
    { blocked: '' },
    { method: 'magic' },
    { created_from: '2030-02-30' },
    { created_to: '2030-01-07T00:00:00Z' },
    { last_seen_from: 'monday' },
    { sort: 'name' },
  ]
  for (const query of refused) {
    const { status, body } = await w.call('GET', `/v1/auth/users?${new URLSearchParams(query)}`, { key })
    assert.deepEqual([status, body.code], [422, 'validation_failed'], JSON.stringify(query))
  }
})

test('the order by the last sign-in has pages without a gap, and a sign-in gives the user the day', async () => {
  const { test: environment } = await w.createProject(`order-${++searches}`)
  const ids = await insertAll(
    environment.id,
    ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@order.example`),
  )
  const days = [3, 0, 9, 3, 0]
  for (const [n, id] of ids.entries())
    await w.deployment.db.run(
      sql`update users set last_sign_in_day = ${days[n] ?? 0} where environment_id = ${environment.id} and id = ${id}`,
    )
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const path = `${environment.path}/users?sort=last_sign_in&limit=2${cursor && `&cursor=${cursor}`}`
    const { data, next_cursor } = expectStatus(200, await w.call('GET', path))
    seen.push(...data.map(({ id }: { id: string }) => id))
    if (next_cursor === null) break
    cursor = next_cursor
  }
  assert.deepEqual(seen, [ids[2], ids[3], ids[0], ids[4], ids[1]])
  const by_created = expectStatus(200, await w.call('GET', `${environment.path}/users?limit=2`))
  const other = await w.call('GET', `${environment.path}/users?sort=last_sign_in&limit=2&cursor=${by_created.next_cursor}`)
  assert.equal(other.body.code, 'invalid_cursor')
  const [id = ''] = ids
  await w.deployment.db.run(
    noteSignIn(environment.id, { user_id: id, password_hash: null, by_password: false }, new Date('2030-01-09T23:59:59Z')),
  )
  const [first] = expectStatus(200, await w.call('GET', `${environment.path}/users?sort=last_sign_in&limit=1`)).data
  assert.deepEqual([first.id, first.last_sign_in_at], [id, '2030-01-09T23:59:59.000Z'])
})

test('a user is found by what it has now, and a deleted one by nothing', async () => {
  const { test: environment } = await w.createProject(`changes-${++searches}`)
  const key = (await createAuthKey(w, environment, 'auth_secret')).key
  const finds = async (query: string) =>
    expectStatus(200, await w.call('GET', `/v1/auth/users?${new URLSearchParams({ query })}`, { key })).data.length === 1
  const { id } = expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body: { email: 'first@example.com', name: 'Old Name' } }))
  const path = `/v1/auth/users/${id}`
  assert.deepEqual(await Promise.all(['first@', 'old', 'name'].map(finds)), [true, true, true])
  expectStatus(
    200,
    await w.call('PATCH', path, { key, body: { email: 'second@example.com', name: 'New Name', phone_number: '+41791234567' } }),
  )
  assert.deepEqual(await Promise.all(['first@', 'old', 'second@', 'new', '791234'].map(finds)), [false, false, true, true, true])
  expectStatus(204, await w.call('DELETE', path, { key }))
  assert.deepEqual(await Promise.all(['second@', 'new', id.slice(4)].map(finds)), [false, false, false])
  assert.deepEqual(await leftOf(environment.id), [0, 0])
})

test('after an upgrade a walk writes the index, the search finds all users meanwhile, and a later walk removes what is left of others', async () => {
  const own = await world()
  const { db } = own.deployment
  const walk = createIndexWalk(own.deployment)
  const ids: string[] = []
  for (const name of ['Früh', 'Spät']) ids.unshift((await own.createUser(own.test, { name })).id)
  await db.batch([
    sql`delete from user_texts where environment_id = ${own.test.id}`,
    sql`delete from user_words where environment_id = ${own.test.id}`,
    sql`update users set last_sign_in_at = 86400000 where environment_id = ${own.test.id}`,
    sql`delete from deployment where name = 'user_search'`,
  ])
  const find = async (query: string) => {
    const { status, body } = await own.call('GET', `${own.test.path}/users?${query}`)
    return status === 200 ? body.data.map(({ id }: { id: string }) => id) : body.code
  }
  assert.deepEqual(
    await Promise.all(['query=FRÜH', 'query=r%C3%BCh', 'query=', 'blocked=false', 'blocked=true', 'sort=last_sign_in'].map(find)),
    [[ids[1]], [ids[1]], ids, ids, [], 'unavailable'],
  )
  await walk.finish()
  assert.deepEqual(await Promise.all(['query=FRÜH', 'query=r%C3%BCh', 'sort=last_sign_in'].map(find)), [[ids[1]], [ids[1]], ids])
  // An earlier version that still runs knows nothing of the index.
  await db.batch([
    sql`delete from users where environment_id = ${own.test.id} and id = ${ids[0] ?? ''}`,
    sql`update users set name = 'Mittag' where environment_id = ${own.test.id} and id = ${ids[1] ?? ''}`,
  ])
  await walk.finish()
  assert.deepEqual(await find('query=mitt'), [])
  own.advance(3_601)
  await walk.finish()
  assert.deepEqual(await Promise.all(['query=mitt', 'query=fr%C3%BCh'].map(find)), [[ids[1]], []])
  const Count = z.object({ count: z.int() })
  const left = await db.all(Count, sql`select count(*) as count from user_texts where environment_id = ${own.test.id}`)
  assert.deepEqual(left, [{ count: 1 }])
})

test('as text/csv the list is every user that the filters leave, a line each, and a cell that a spreadsheet would compute begins with an apostrophe', async () => {
  const { test: environment } = await w.createProject(`csv-${++searches}`)
  const { key } = await createAuthKey(w, environment, 'auth_secret')
  const made = await insertAll(
    environment.id,
    Array.from({ length: 205 }, (_, n) => `csv${n}@example.com`),
  )
  const odd = { email: 'odd@example.com', name: '=1+1, "x"', phone_number: '+41791234567', metadata: { plan: 'a,b' } }
  const { id } = expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body: odd }))
  const ask = (query: string, path = '/v1/auth/users') =>
    w.call('GET', `${path}?${query}`, { headers: { accept: 'text/csv' }, ...(path === '/v1/auth/users' && { key }) })
  for (const path of ['/v1/auth/users', `${environment.path}/users`]) {
    const reply = await ask('limit=1', path)
    assert.match(reply.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8$/)
    const [head = '', first = '', ...others] = String(expectStatus(200, reply)).split('\r\n').slice(0, -1)
    assert.deepEqual(head.split(','), Object.keys(User.shape))
    for (const cell of [`${id},`, `,"'=1+1, ""x""",`, `,'+41791234567,`, `,"{""plan"":""a,b""}",`]) assert.ok(first.includes(cell), first)
    assert.deepEqual(
      others.map((line) => line.split(',')[0]),
      made.toReversed(),
    )
  }
  const idsOf = async (query: string) =>
    String(expectStatus(200, await ask(query)))
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0])
  assert.deepEqual(await idsOf('query=odd'), [id])
  assert.deepEqual(await idsOf('query=nowhere-at-all'), [])
  const { next_cursor } = expectStatus(200, await w.call('GET', '/v1/auth/users?limit=100', { key }))
  assert.deepEqual(await idsOf(`cursor=${next_cursor}`), made.toReversed().slice(99))
  assert.equal((await ask('cursor=x')).body.code, 'invalid_cursor')
})

/** How many rows of the index an environment has. */
async function leftOf(environment_id: EnvironmentId): Promise<number[]> {
  const Count = z.object({ count: z.int() })
  const rows = await Promise.all([
    w.deployment.db.all(Count, sql`select count(*) as count from user_texts where environment_id = ${environment_id}`),
    w.deployment.db.all(Count, sql`select count(*) as count from user_words where environment_id = ${environment_id}`),
  ])
  return rows.flat().map(({ count }) => count)
}
