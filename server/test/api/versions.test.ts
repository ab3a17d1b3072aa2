/** ETag and If-Match: every row of the route table that changes or deletes an object. Generated from the table. */
import assert from 'node:assert/strict'
import type { Route } from '@ostiary/contract/route.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { ask, idsOf, pathOf, rows, testRows, validRequest } from '../support/route-table.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)

const all = rows.map(({ route }) => route)
const at = (method: string, path: string) => all.find((route) => route.method === method && route.path === path)
/** Rows that return one object with its ETag. */
const single = all.filter((route) => route.method === 'GET' && (/_id\}$/.test(route.path) || at('PATCH', route.path)))
const changes = all.filter((route) => route.method === 'PATCH' || route.method === 'DELETE')
/** Rows such as `…/{key_id}/rotate`, which change and return the object above them in the path. A preview and a check change nothing, and the
 * member of the table is not an invitation, which alone is resent. */
const actions = all.filter((route) => {
  const object = at('GET', route.path.replace(/\/[^/]+$/, ''))
  const is_other = [routes.previewSettings, routes.previewRole, routes.checkProvider, routes.resendInvitation].some(
    (other) => other === route,
  )
  return route.method === 'POST' && !is_other && route.returns[0] === 200 && object && single.includes(object)
})

const askWith = (route: Route, if_match: string | null, change: object = {}): Promise<Reply> => {
  const right = { ...validRequest(route, ours), ...change }
  return ask(w, { ...right, headers: { ...right.headers, ...(if_match === null ? {} : { 'if-match': if_match }) } })
}

/** The ETag of the object that a row changes. */
async function tagOf(route: Route): Promise<string> {
  const path = route.method === 'POST' ? route.path.replace(/\/[^/]+$/, '') : route.path
  const reader = at('GET', path)
  if (!reader && !at('PATCH', path)) return '"1"' // a row that can only be deleted shows no ETag
  const reply = await askWith(reader ?? at('PATCH', path) ?? route, null)
  return reply.headers.get('etag') ?? ''
}

const named = (routes: readonly Route[]) => routes.map((route) => ({ name: `${route.method} ${route.path}`, route }))
const writes = named([...changes, ...actions])
// Members and metadata clients have no text to change; other tests race them.
const patches = named(
  changes.filter(({ method, path }) => method === 'PATCH' && !path.includes('/members/') && !path.includes('/metadata-clients/')),
)

testRows('every single object has a strong ETag, the same until it changes', named(single), async ({ route }) => {
  const [first, second] = [await askWith(route, null), await askWith(route, null)]
  assert.match(first.headers.get('etag') ?? '', /^"[\w-]+"$/, route.path)
  assert.equal(first.headers.get('etag'), second.headers.get('etag'), route.path)
  const known = await ask(w, {
    ...validRequest(route, ours),
    headers: { ...validRequest(route, ours).headers, 'if-none-match': first.headers.get('etag') ?? '' },
  })
  assert.deepEqual([known.status, known.body], [304, ''], route.path)
})

testRows('a stale If-Match is 412 stale_version, and nothing is changed', writes, async ({ name, route }) => {
  const tag = await tagOf(route)
  for (const stale of ['"0"', '"999999"', `W/${tag}`, '"0", "x"', '""']) {
    const reply = await askWith(route, stale)
    assert.equal(`${reply.status} ${reply.body.code}`, '412 stale_version', `${name} with ${stale}`)
  }
  assert.equal(await tagOf(route), tag)
})

testRows('a malformed If-Match is 400 malformed_request', writes, async ({ name, route }) => {
  for (const malformed of ['', '1', '"1', '"1" "2"', '"1";', "'1'", 'null', '"a b"', '*, "1"'])
    assert.equal((await askWith(route, malformed)).body.code, 'malformed_request', `${name} with ${malformed}`)
})

testRows('an unknown object is 404, whatever If-Match says', writes, async ({ route }) => {
  const ids = idsOf(route, ours)
  const last = Object.keys(ids).at(-1) ?? ''
  const path = pathOf(route, { ...ids, [last]: `${ids[last]?.slice(0, 4)}01m7wwr5ftevtv5yxb47hmb4ht`.slice(0, 30) })
  for (const if_match of ['"1"', '*', 'nonsense', null])
    assert.equal((await askWith(route, if_match, { path })).body.code, 'not_found', `${route.method} ${path} with ${if_match}`)
})

const renamed = {
  name: 'Renamed',
  label: 'Renamed',
  description: 'Renamed',
  display_name: 'Renamed',
  branding: { display_name: 'Renamed' },
}

testRows('a change with the current ETag, alone, in a list or as *, succeeds and returns the next ETag', patches, async ({ route }) => {
  const [field, value] = Object.entries(renamed).find(([name]) => name in patchable(route)) ?? []
  assert.ok(field, route.path)
  const seen = new Set([await tagOf(route)])
  for (const [n, form] of [(tag: string) => tag, (tag: string) => `"x", ${tag}`, () => '*'].entries()) {
    const next = typeof value === 'string' ? `${value} ${n}` : { display_name: `Renamed ${n}` }
    const before = await tagOf(route)
    const reply = await askWith(route, form(before), { body: { [field]: next } })
    expectStatus(200, reply)
    assert.equal(reply.headers.get('etag'), await tagOf(route), route.path)
    seen.add(reply.headers.get('etag') ?? '')
    assert.equal((await askWith(route, before, { body: { [field]: 'Too late' } })).status, 412, route.path)
  }
  assert.equal(seen.size, 4, route.path)
})

/** The fields of a change. Settings have groups. */
function patchable(route: Route): object {
  const shape = route.body && 'shape' in route.body ? (route.body.shape as object) : {}
  return Object.keys(shape).length > 0 ? shape : { branding: true }
}

testRows(
  'of 20 parallel changes with the same ETag one succeeds, and of 15 without a precondition all succeed',
  patches,
  async ({ route }) => {
    const field = ['name', 'label', 'description', 'display_name', 'branding'].find((name) => name in patchable(route)) ?? ''
    const body = (n: number) => ({ [field]: field === 'branding' ? { display_name: `Racer ${n}` } : `Racer ${n}` })
    const tag = await tagOf(route)
    const racing = await Promise.all(Array.from({ length: 20 }, (_, n) => askWith(route, tag, { body: body(n) })))
    assert.deepEqual(racing.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 412)], route.path)
    const patient = await Promise.all(Array.from({ length: 15 }, (_, n) => askWith(route, null, { body: body(100 + n) })))
    assert.deepEqual([...new Set(patient.map(({ status }) => status))], [200], route.path)
    assert.equal(new Set(patient.map(({ headers }) => headers.get('etag'))).size, 15, route.path)
  },
)
