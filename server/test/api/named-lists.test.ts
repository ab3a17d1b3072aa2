/** The filters `slug` and `query` of every list whose objects have a slug. Generated from the table; only the bodies are named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { ask, rows, sampleBody, validRequest } from '../support/route-table.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"webhooks":1000,"webhooks_per_tenant":1000}' } })
const { ours, theirs } = await createTwoTenants(w)

const lists = rows.flatMap(({ name, route }) => {
  const creator = rows.find((other) => other.route.method === 'POST' && other.route.path === route.path)
  return route.method === 'GET' && route.query && 'slug' in route.query.shape && creator ? [{ name, route, creator: creator.route }] : []
})

const namesOf = (creator: Route, name: string): object => {
  const sample = sampleBody(creator.body ?? assert.fail('A creation has a body.'))
  if ('url' in sample) return { url: `https://${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.example/` }
  return 'name' in sample ? { name } : { display_name: name }
}

const create = async (creator: Route, slug: string, name: string): Promise<string> => {
  const right = validRequest(creator, ours)
  return expectStatus(201, await ask(w, { ...right, body: { ...(right.body as object), ...namesOf(creator, name), slug } })).id // as: a sample body is an object
}

const list = async (route: Route, query: Record<string, string>) => {
  const right = validRequest(route, ours)
  return ask(w, { ...right, path: `${right.path}?${new URLSearchParams(query)}` })
}

const idsOf = async (route: Route, query: Record<string, string>): Promise<string[]> =>
  expectStatus(200, await list(route, query)).data.map(({ id }: { id: string }) => id)

test('the lists with slugs are those of tenants, projects, environments and of the kinds of objects', () => {
  assert.deepEqual(lists.map(({ name }) => name).sort(), [
    'listApplications',
    'listAuthOrganizations',
    'listEnvironments',
    'listProjects',
    'listProviders',
    'listResourceServers',
    'listRoles',
    'listTenants',
    'listWebhooks',
  ])
})

for (const { name, route, creator } of lists) {
  test(`${name}: slug finds the object with exactly this slug`, async () => {
    const [one] = [await create(creator, 'exact', 'Exact'), await create(creator, 'exact-2', 'Exact')]
    assert.deepEqual(await idsOf(route, { slug: 'exact' }), [one])
    assert.deepEqual(await idsOf(route, { slug: 'exac' }), [])
    for (const slug of ['', 'EXACT', 'ex%', 'x'.repeat(64)]) assert.equal((await list(route, { slug })).status, 422, slug)
  })

  test(`${name}: query finds parts of names and slugs in any case, newest first, without wildcards`, async () => {
    const blue = await create(creator, 'found-blue', 'Deep Ocean')
    const red = await create(creator, 'found-red', 'Deep Desert')
    // biome-ignore format: this table is read by column
    const cases: [query: string, found: string[]][] = [
      ['deep',          [red, blue]],
      ['OCEAN',         [blue]],
      ['cea',           [blue]],
      ['found-r',       [red]],
      ['FOUND desert',  [red]],
      ['Ｏcean',         [blue]],
      ['ocean desert',  []],
      ['oc_an',         []],
      ['o%n',           []],
      ['\\',            []],
      [`o' or 1=1`,     []],
    ]
    for (const [query, found] of cases) assert.deepEqual(await idsOf(route, { query }), found, query)
    assert.deepEqual(await idsOf(route, { query: 'deep', slug: 'found-red' }), [red])
    assert.deepEqual(await idsOf(route, { query: '  ' }), await idsOf(route, {}))
    assert.equal((await list(route, { query: 'x'.repeat(201) })).status, 422)
  })

  test(`${name}: a cursor belongs to its filters, and the pages of a search are complete`, async () => {
    const made: string[] = []
    for (let n = 0; n < 5; n++) made.unshift(await create(creator, `paged-${n}`, `Paged ${n}`))
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = expectStatus(200, await list(route, { query: 'paged', limit: '2', ...(cursor === null ? {} : { cursor }) }))
      seen.push(...page.data.map(({ id }: { id: string }) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    assert.deepEqual(seen, made)
    const { next_cursor } = expectStatus(200, await list(route, { query: 'paged', limit: '2' }))
    for (const other of [{ query: 'page' }, {}, { query: 'paged', slug: 'paged-1' }])
      assert.equal((await list(route, { ...other, cursor: next_cursor })).body.code, 'invalid_cursor', JSON.stringify(other))
    const plain = expectStatus(200, await list(route, { limit: '2' }))
    assert.equal((await list(route, { query: 'paged', cursor: plain.next_cursor })).body.code, 'invalid_cursor')
  })

  test(`${name}: the filters find nothing of another tenant`, async () => {
    await create(creator, 'private', 'Private thing')
    const right = validRequest(route, theirs)
    for (const query of ['slug=private', 'query=private'])
      assert.deepEqual(expectStatus(200, await ask(w, { ...right, path: `${right.path}?${query}` })).data, [], query)
  })
}

test('the case of letters beyond ASCII does not count', async () => {
  const project = rows.find(({ name }) => name === 'listProjects')?.route ?? assert.fail('There is no list of projects.')
  const made = expectStatus(201, await w.call('POST', project.path, { key: ours.platform, body: { slug: 'obst', name: 'Äpfel Ёлка' } })).id
  for (const query of ['äpfel', 'ÄPFEL', 'ёЛК']) assert.deepEqual(await idsOf(project, { query }), [made], query)
})
