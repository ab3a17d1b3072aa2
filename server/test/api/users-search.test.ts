/** The search for users, and the pages of its results. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertUser } from '../../src/domain/users/store.ts'
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
    [{ query: ada.slice(0, -1) }, []],
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

test('a search reads at most 10,000 users in one call, and its cursor continues from there', async () => {
  const read_at_most = 10_000
  const project = await w.createProject(`many-${++searches}`)
  const rows = Array.from({ length: read_at_most + 600 }, (_, i) => ({ id: w.deployment.newId('usr'), email: `p${i}@example.com` }))
  const insert = (some: typeof rows) =>
    w.deployment.db.batch(some.map(({ id, email }) => insertUser({ environment_id: project.test.id, id }, { email }, null, w.now())))
  for (let i = 0; i < rows.length; i += 2_300) await insert(rows.slice(i, i + 2_300))
  const read = async (cursor?: string) =>
    expectStatus(200, await w.call('GET', `${project.test.path}/users?query=p0@${cursor ? `&cursor=${cursor}` : ''}`))
  const first = await read()
  assert.deepEqual([first.data, first.has_more], [[], true])
  const second = await read(first.next_cursor)
  assert.deepEqual([second.data.map(({ id }: { id: string }) => id), second.has_more], [[rows[0]?.id], false])
})
