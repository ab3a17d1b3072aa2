/** When a call is repeated: against a peer that refuses, breaks the connection, or is silent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClientOptions, createClient, OstiaryError } from '@ostiary/sdk'
import { type PeerAnswer, startPeer } from './support/peer.ts'

const project = { id: 'prj_1', slug: 'shop', name: 'Shop' }
const ok: PeerAnswer = { status: 200, body: project }
const gone: PeerAnswer = { status: 404, body: { code: 'not_found', detail: 'There is no such object.' } }
const limited: PeerAnswer = { status: 429, headers: { 'retry-after': '7' }, body: { code: 'rate_limited', detail: 'Later.' } }
const limited_without_time: PeerAnswer = { status: 429, body: { code: 'rate_limited', detail: 'Later.' } }
const limited_for_an_hour: PeerAnswer = {
  status: 429,
  headers: { 'retry-after': '3600' },
  body: { code: 'rate_limited', detail: 'Later.' },
}
const unavailable: PeerAnswer = { status: 503, body: { code: 'unavailable', detail: 'No database.' } }
const bad_gateway: PeerAnswer = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }
const in_progress: PeerAnswer = { status: 409, body: { code: 'idempotency_in_progress', detail: 'Running.' } }
const taken: PeerAnswer = { status: 409, body: { code: 'slug_taken', detail: 'Taken.' } }

const now = new Date('2026-11-20T16:31:00.000Z')

/** A client whose waits take no time. */
async function clientOf(answers: PeerAnswer[], options: Partial<ClientOptions> = {}) {
  const peer = await startPeer(...answers)
  const waits: number[] = []
  let keys = 0
  const runtime = {
    now: () => now,
    random: () => 0.5,
    newKey: () => `key-${++keys}`,
    sleep: async (ms: number) => void waits.push(ms),
  }
  return { ...peer, waits, client: createClient({ base_url: peer.base_url, runtime, ...options }) }
}

// biome-ignore format: this table is read by column
const waits: { name: string; status: number; header: string | null; body: unknown; seconds: number | null }[] = [
  { name: '429 with seconds',              status: 429, header: '3600',                          body: { code: 'rate_limited' }, seconds: 3_600 },
  { name: '429 with a date',               status: 429, header: 'Fri, 20 Nov 2026 16:41:30 GMT', body: { code: 'rate_limited' }, seconds: 630 },
  { name: '429 with a date that is over',  status: 429, header: 'Fri, 20 Nov 2026 16:00:00 GMT', body: { code: 'rate_limited' }, seconds: 0 },
  { name: '429 without a time',            status: 429, header: null,                            body: { code: 'rate_limited' }, seconds: null },
  { name: '429 with a text',               status: 429, header: 'soon',                          body: { code: 'rate_limited' }, seconds: null },
  { name: '503 with seconds',              status: 503, header: '5',                             body: { code: 'unavailable' },  seconds: 5 },
  { name: '429 of a proxy',                status: 429, header: '90',                            body: '<h1>Later</h1>',         seconds: 90 },
  { name: '404',                           status: 404, header: null,                            body: { code: 'not_found' },    seconds: null },
]
for (const { name, status, header, body, seconds } of waits) {
  test(`the error of a ${name} says to wait ${seconds} seconds`, async () => {
    const { client } = await clientOf([{ status, headers: header === null ? {} : { 'retry-after': header }, body }])
    await assert.rejects(client.getProject({ project_id: 'prj_1' }), (error) => {
      assert.ok(error instanceof OstiaryError)
      assert.equal(error.retry_after_seconds, seconds)
      return true
    })
  })
}

type Client = Awaited<ReturnType<typeof clientOf>>['client']

const calls = {
  GET: (client: Client) => client.getProject({ project_id: 'prj_1' }),
  POST: (client: Client) => client.createProject({ slug: 'shop', name: 'Shop' }),
  PATCH: (client: Client) => client.changeProject({ project_id: 'prj_1' }, { name: 'Shop' }),
  DELETE: (client: Client) => client.removeMember({ tenant_id: 'ten_1', member_id: 'usr_1' }),
} as const

// biome-ignore format: this table is read by column
const cases: { method: keyof typeof calls; answers: PeerAnswer[]; name: string; sent: number; ends: string; waits?: number[] }[] = [
  { method: 'GET',    name: 'a broken connection',          answers: ['reset', ok],               sent: 2, ends: 'success', waits: [375] },
  { method: 'GET',    name: 'three broken connections',     answers: ['reset'],                   sent: 3, ends: 'network_error', waits: [375, 750] },
  { method: 'GET',    name: '503',                          answers: [unavailable, ok],           sent: 2, ends: 'success' },
  { method: 'GET',    name: '503 three times',              answers: [unavailable],               sent: 3, ends: 'unavailable' },
  { method: 'GET',    name: '502 of a proxy',               answers: [bad_gateway, ok],           sent: 2, ends: 'success' },
  { method: 'GET',    name: '502 of a proxy three times',   answers: [bad_gateway],               sent: 3, ends: 'unexpected_answer' },
  { method: 'GET',    name: '429 with Retry-After',         answers: [limited, ok],               sent: 2, ends: 'success', waits: [7_000] },
  { method: 'GET',    name: '429 without Retry-After',      answers: [limited_without_time, ok],  sent: 1, ends: 'rate_limited' },
  { method: 'GET',    name: '429 with a Retry-After of an hour', answers: [limited_for_an_hour, ok], sent: 1, ends: 'rate_limited', waits: [] },
  { method: 'GET',    name: '404',                          answers: [gone, ok],                  sent: 1, ends: 'not_found' },
  { method: 'POST',   name: 'a broken connection',          answers: ['reset', ok],               sent: 2, ends: 'success' },
  { method: 'POST',   name: '503',                          answers: [unavailable, ok],           sent: 2, ends: 'success' },
  { method: 'POST',   name: 'a first attempt that still runs', answers: ['reset', in_progress, ok], sent: 3, ends: 'success' },
  { method: 'POST',   name: 'another conflict',             answers: [taken, ok],                 sent: 1, ends: 'slug_taken' },
  { method: 'PATCH',  name: 'a broken connection',          answers: ['reset', ok],               sent: 1, ends: 'network_error' },
  { method: 'PATCH',  name: '503',                          answers: [unavailable, ok],           sent: 1, ends: 'unavailable' },
  { method: 'PATCH',  name: '429 with Retry-After',         answers: [limited, ok],               sent: 2, ends: 'success' },
  { method: 'DELETE', name: 'a broken connection',          answers: ['reset', { status: 204 }],  sent: 2, ends: 'success' },
  { method: 'DELETE', name: 'a broken connection, then 404', answers: ['reset', gone],            sent: 2, ends: 'success' },
  { method: 'DELETE', name: '429, then 404',                answers: [limited, gone],             sent: 2, ends: 'not_found' },
  { method: 'DELETE', name: '404',                          answers: [gone],                      sent: 1, ends: 'not_found' },
]
for (const { method, name, answers, sent, ends, waits } of cases) {
  test(`a ${method} that meets ${name} is sent ${sent} times and ends in ${ends}`, async () => {
    const peer = await clientOf(answers)
    const outcome = await calls[method](peer.client).then(
      () => 'success',
      (error: unknown) => (error instanceof OstiaryError ? error.code : error),
    )
    assert.deepEqual([outcome, peer.received.length], [ends, sent])
    if (waits) assert.deepEqual(peer.waits, waits)
  })
}

test('all attempts of a POST have one Idempotency-Key and the same bytes, and the next call has another key', async () => {
  const { client, received } = await clientOf(['reset', unavailable, ok])
  await calls.POST(client)
  await calls.POST(client)
  assert.deepEqual(
    received.map(({ headers }) => headers['idempotency-key']),
    ['key-1', 'key-1', 'key-1', 'key-2'],
  )
  assert.equal(new Set(received.map(({ body }) => body)).size, 1)
})

test('only a POST has an Idempotency-Key', async () => {
  const { client, received } = await clientOf([ok])
  for (const call of Object.values(calls)) await call(client)
  assert.deepEqual(
    received.map(({ method, headers }) => [method, headers['idempotency-key'] !== undefined]),
    [
      ['GET', false],
      ['POST', true],
      ['PATCH', false],
      ['DELETE', false],
    ],
  )
})

test('Retry-After can be a date', async () => {
  const { client, waits } = await clientOf([{ ...limited, headers: { 'retry-after': 'Fri, 20 Nov 2026 16:31:12 GMT' } }, ok])
  await calls.GET(client)
  assert.deepEqual(waits, [12_000])
})

test('a Retry-After longer than max_wait_ms is left to the caller, and a shorter one is waited for', async () => {
  const short: PeerAnswer = { ...limited, headers: { 'retry-after': '2' } }
  const { client, received, waits } = await clientOf([short, limited, ok], { max_wait_ms: 2_000 })
  await assert.rejects(calls.GET(client), { code: 'rate_limited', retry_after_seconds: 7 })
  assert.deepEqual([received.length, waits], [2, [2_000]])
})

test('max_retries of the call takes precedence over that of the client', async () => {
  const { client, received } = await clientOf([unavailable], { max_retries: 5 })
  await assert.rejects(client.getProject({ project_id: 'prj_1' }, { max_retries: 0 }), { code: 'unavailable' })
  assert.equal(received.length, 1)
})

test('an attempt without an answer ends after timeout_ms', async () => {
  const { client, received } = await clientOf(['silence'], { timeout_ms: 500, max_retries: 1 })
  await assert.rejects(calls.GET(client), { name: 'OstiaryError', status: 0, code: 'timed_out' })
  assert.equal(received.length, 2)
})

test("the caller's signal ends an attempt with its own reason, and nothing is repeated", async () => {
  const { client, received } = await clientOf(['silence'])
  const controller = new AbortController()
  const reason = new Error('The page was closed.')
  const call = client.getProject({ project_id: 'prj_1' }, { signal: controller.signal })
  while (received.length === 0) await new Promise((resolve) => setImmediate(resolve))
  controller.abort(reason)
  await assert.rejects(call, reason)
  assert.equal(received.length, 1)
})

test("the caller's signal ends a wait between attempts", async () => {
  const { base_url, received } = await startPeer({ ...limited, headers: { 'retry-after': '50' } })
  const controller = new AbortController()
  const call = createClient({ base_url }).getProject({ project_id: 'prj_1' }, { signal: controller.signal })
  while (received.length === 0) await new Promise((resolve) => setImmediate(resolve))
  controller.abort()
  await assert.rejects(call, { name: 'AbortError' })
  assert.equal(received.length, 1)
})

test('a redirect is not followed, so that the key reaches no other server', async () => {
  const other = await startPeer(ok)
  for (const status of [301, 302, 303, 307, 308]) {
    const { client } = await clientOf([{ status, headers: { location: `${other.base_url}/v1/platform/projects/prj_1` } }], { api_key: 'k' })
    await assert.rejects(calls.GET(client), { code: 'unexpected_answer' })
  }
  assert.equal(other.received.length, 0)
})

// biome-ignore format: this table is read by column
const strange: [string, PeerAnswer, Partial<OstiaryError>][] = [
  ['a page with status 200',                       { status: 200, body: '<h1>Hello</h1>' },                                { status: 200, code: 'unexpected_answer' }],
  ['a page with status 400',                       { status: 400, body: '<h1>No</h1>' },                                   { status: 400, code: 'unexpected_answer' }],
  ['an error of another format',                   { status: 400, body: { error: 'invalid_request' } },                    { status: 400, code: 'unexpected_answer' }],
  ['problem details with members of other types',  { status: 422, body: { code: 'validation_failed', errors: [1, { pointer: 1 }], required_scopes: 'a', max_age: '5' } },
                                                                                                                           { status: 422, code: 'validation_failed', errors: [], required_scopes: [], max_age: null }],
  ['a demand for a fresh sign-in',                 { status: 403, body: { code: 'reauthentication_required', detail: 'Sign in.', max_age: 300 } },
                                                                                                                           { status: 403, max_age: 300 }],
]
for (const [name, answer, expected] of strange) {
  test(`${name} is an OstiaryError with ${JSON.stringify(expected)}`, async () => {
    const { client } = await clientOf([answer])
    await assert.rejects(calls.GET(client), (error: unknown) => {
      assert.ok(error instanceof OstiaryError)
      for (const [key, value] of Object.entries(expected)) assert.deepEqual(error[key as keyof OstiaryError], value, key) // as: a key of `expected`
      return true
    })
  })
}

test('no error shows the key or the token', async () => {
  const { base_url } = await startPeer('reset')
  for (const credential of [{ api_key: 'svc_secret_1' }, { token: 'svc_secret_1' }, { api_key: 'svc_secret_1\u{1F600}' }]) {
    const error: unknown = await calls.GET(createClient({ base_url, max_retries: 0, ...credential })).catch((error: unknown) => error)
    assert.ok(error instanceof Error)
    assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`, /svc_secret_1/)
  }
})
