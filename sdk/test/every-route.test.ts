/** The client against the service: every row of the route table is a function that sends its request. No row is named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, type ClientOptions, createClient, OstiaryError } from '@ostiary/sdk'
import { parametersOf, public_api, rows, testRows, validRequest } from '../../server/test/support/route-table.ts'
import { createTwoTenants } from '../../server/test/support/tenants.ts'
import { world } from '../../server/test/support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)

type Respond = (...args: unknown[]) => Promise<Answer<unknown>>
type List = (...args: unknown[]) => { page(): Promise<unknown> }

/** The functions of a client by name, and the requests that it sends. */
function clientFor(options: Partial<ClientOptions> = {}) {
  const sent: { method: string; url: URL; headers: Headers; body: unknown }[] = []
  const record: typeof fetch = (input, init) => {
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    sent.push({ method: init?.method ?? '', url: new URL(String(input)), headers: new Headers(init?.headers), body })
    return fetch(input, init)
  }
  const client = createClient({ base_url: w.reach(w.base_url), fetch: record, max_retries: 0, ...options })
  const functions = { ...client } as unknown as Record<string, List> // as: rows are called by name
  const responses = { ...client.responses } as unknown as Record<string, Respond> // as: rows are called by name
  return { sent, functions, responses }
}

const missing: Respond = () => Promise.reject(new Error('The client has no such function.'))

test('the client has a function for every row and for the public API, and no other', () => {
  const { responses } = clientFor()
  assert.deepEqual(Object.keys(responses).sort(), [...rows.map(({ name }) => name), ...public_api].sort())
})

/** Objects are read before they change, and deleted last; a rotation ends a key that other rows need. */
const turnOf = ({ method, path }: { method: string; path: string }) =>
  path.endsWith('/rotate') ? 2 : method === 'GET' ? 0 : method === 'DELETE' ? 3 : 1
const in_order = rows.toSorted((a, b) => turnOf(a.route) - turnOf(b.route))
let succeeded = 0

testRows('the client sends the request of a row, and returns its answer', in_order, async ({ name, route }) => {
  const { path, headers, body } = validRequest(route, ours)
  const { sent, responses } = clientFor({ headers })
  const names = parametersOf(route)
  const values = new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(path)?.groups ?? {}
  const params = { ...values, ...(route.query?.shape.limit ? { limit: 2 } : {}) }
  const args = [...(names.length > 0 || route.query ? [params] : []), ...(route.body ? [body] : [])]

  const answer = await (responses[name] ?? missing)(...args).catch((error: unknown) => error)
  const [request, more] = sent
  assert.equal(more, undefined)
  assert.equal(request?.method, route.method)
  assert.equal(request?.url.pathname, path)
  assert.equal(request?.url.search, route.query?.shape.limit ? '?limit=2' : '')
  assert.deepEqual(request?.body, body)
  assert.equal(request?.headers.has('idempotency-key'), route.method === 'POST')

  if (answer instanceof OstiaryError) {
    // An earlier row deleted the object, or the tests have none, such as a delivery.
    assert.match(
      answer.code,
      /^(not_found|key_revoked|unauthenticated|invalid_key|last_owner|mail_not_set_up|not_waiting|promotion_state)$/,
      answer.message,
    )
    assert.match(answer.request_id ?? '', /^req_/)
    return
  }
  const { status, data, request_id } = answer as Answer<unknown> // as: no error
  assert.equal(status, route.returns[0])
  assert.match(request_id ?? '', /^req_/)
  assert.equal(data === undefined, route.returns[1] === null)
  succeeded += 1
})

test('almost every row succeeds', () => assert.ok(succeeded > rows.length * 0.85, `${succeeded} of ${rows.length}`))

testRows(
  'every parameter of the path and of the query arrives at its place',
  rows.filter(({ route }) => parametersOf(route).length > 0 || route.query !== undefined),
  async ({ name, route }) => {
    const queries = Object.keys(route.query?.shape ?? {})
    const value = (parameter: string) => `${parameter} ä/?&#%2e`
    const params = Object.fromEntries([...parametersOf(route), ...queries].map((parameter) => [parameter, value(parameter)]))
    const requests: { url: URL; method: string | undefined }[] = []
    const client = createClient({
      base_url: 'https://id.example.com/base/',
      fetch: async (input, init) => {
        requests.push({ url: new URL(String(input)), method: init?.method })
        return Response.json({ data: [], has_more: false, next_cursor: null })
      },
    })
    const functions = client.responses as unknown as Record<string, Respond> // as: rows are called by name
    await (functions[name] ?? missing)(params, ...(route.body ? [{}] : []))
    const [request] = requests
    assert.equal(
      request?.url.pathname,
      `/base${route.path.replaceAll(/\{(\w+)\}/g, (_, parameter) => encodeURIComponent(value(parameter)))}`,
    )
    assert.deepEqual(Object.fromEntries(request?.url.searchParams ?? []), Object.fromEntries(queries.map((query) => [query, value(query)])))
    assert.equal(request?.method, route.method)
  },
)

testRows(
  'a parameter of the path that would change the path is refused before a request',
  rows.filter(({ route }) => parametersOf(route).length > 0),
  async ({ name, route }) => {
    const { sent, responses } = clientFor()
    const names = parametersOf(route)
    for (const wrong of ['', '.', '..', undefined, null]) {
      const params = { ...Object.fromEntries(names.map((parameter) => [parameter, 'x'])), [names.at(-1) ?? '']: wrong }
      await assert.rejects(() => (responses[name] ?? missing)(params, {}), TypeError)
    }
    assert.equal(sent.length, 0)
  },
)
