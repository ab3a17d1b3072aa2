/** Lists: every row of the route table that has pages. Generated from the table; no route is named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { ask, idsOf, newBody, pathOf, rows, validRequest } from '../support/route-table.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)

/** Lists to which a POST to the same path adds an object. Few documents of clients are read in a minute, and an application has two secrets. */
const bounded: readonly Route[] = [routes.createMetadataClient, routes.addClientSecret]
const growing = rows.flatMap(({ name, route }) => {
  const creator = rows.find(({ route: { method, path, returns } }) => method === 'POST' && path === route.path && returns[0] === 201)
  return route.method === 'GET' && route.query && 'cursor' in route.query.shape && creator && !bounded.includes(creator.route)
    ? [{ name, route, creator: creator.route }]
    : []
})

async function add(creator: Route): Promise<string> {
  const body = creator === routes.addOrganizationMember ? { user_id: await add(routes.createUser) } : newBody(creator, ours)
  return idOf(expectStatus(201, await ask(w, { ...validRequest(creator, ours), body })))
}

/** A member has the id of the user. */
const idOf = ({ user_id, id = user_id }: { id?: string; user_id?: string }): string => id ?? ''

async function page(route: Route, limit: number, cursor: string | null) {
  const right = validRequest(route, ours)
  const query = `?limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
  const body = expectStatus(200, await ask(w, { ...right, path: pathOf(route, idsOf(route, ours)) + query }))
  assert.deepEqual(Object.keys(body).sort(), ['data', 'has_more', 'next_cursor'])
  assert.equal(body.has_more, body.next_cursor !== null)
  return { ids: body.data.map(idOf) as string[], next_cursor: body.next_cursor as string | null }
}

/** Reads all pages. Calls `between` after the first page. */
async function readPages(route: Route, limit: number, between: () => Promise<unknown> = async () => {}) {
  const seen: string[][] = []
  let cursor: string | null = null
  do {
    const { ids, next_cursor } = await page(route, limit, cursor)
    seen.push(ids)
    if (cursor === null) await between()
    cursor = next_cursor
  } while (cursor !== null)
  return seen
}

test('the route table has at least nine such lists', () => assert.ok(growing.length >= 9, `${growing.map(({ name }) => name)}`))

for (const { name, route, creator } of growing) {
  test(`${name}: newest first, complete in pages of any size, and stable while objects are added`, async () => {
    const made: string[] = []
    for (let n = 0; n < 6; n++) made.unshift(await add(creator))
    const whole = (await page(route, 100, null)).ids
    assert.deepEqual(
      whole.filter((id) => made.includes(id)),
      made.filter((id) => whole.includes(id)),
      name,
    )
    assert.ok(made.every((id) => whole.includes(id)))
    for (const limit of [1, 2, 5, whole.length, whole.length + 1]) {
      const pages = await readPages(route, limit)
      assert.deepEqual(pages.flat(), whole)
      assert.deepEqual(
        pages.slice(0, -1).map(({ length }) => length),
        pages.slice(0, -1).map(() => Math.min(limit, whole.length)),
      )
      assert.ok((pages.at(-1)?.length ?? 0) > 0, 'a last page is never empty')
    }
    assert.deepEqual((await readPages(route, 2, () => add(creator))).flat(), whole)
  })
}

test('a page has 20 objects by default', async () => {
  const [list] = growing.filter(({ creator }) => creator.path.endsWith('/projects'))
  if (!list) throw new Error('There is no list of projects.')
  for (let n = 0; n < 21; n++) await add(list.creator)
  const { data, has_more } = expectStatus(200, await ask(w, validRequest(list.route, ours)))
  assert.deepEqual([data.length, has_more], [20, true])
})
