/** Request bodies: every row of the route table refuses every kind of bad body. Generated from the table; no route is named. */
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { isAction, type Route } from '@ostiary/contract/route.ts'
import { z } from 'zod'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { type ApiRequest, ask, idsOf, pathOf, rows, testRows, validRequest } from '../support/route-table.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { type Reply, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
const with_body = rows.filter(({ route }) => route.body)
const with_fields = rows.flatMap(
  ({ name, route }) => (route.body instanceof z.ZodObject ? [{ name, route, shape: route.body.shape as Record<string, z.ZodType> }] : []), // as: a shape holds types only
)
const actions = rows.filter(({ route }) => isAction(route))
const without_fields = actions.filter(({ route }) => !route.body)

/** A row's valid request with this body and Content-Type instead. */
function withBytes(route: Route, body: string, type = 'application/json', headers: Record<string, string> = {}): ApiRequest {
  const right = validRequest(route, ours)
  return { ...right, headers: { ...right.headers, 'content-type': type, ...headers }, body }
}

function assertRefused(reply: Reply, status: number, code: string, about: string): void {
  assert.equal(`${reply.status} ${reply.body.code}`, `${status} ${code}`, `${about}: ${JSON.stringify(reply.body)}`)
  assert.equal(reply.headers.get('content-type'), 'application/problem+json; charset=utf-8', about)
}

const other_types = [
  '',
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'application/json-seq',
  'application/problem+json',
  'application /json',
  'json',
  '*/*',
  'application/json; charset=utf-16',
  'application/json, text/plain',
]

testRows('a body with an unsupported Content-Type is 415 unsupported_media_type', with_body, async ({ name, route }) => {
  const body = JSON.stringify(validRequest(route, ours).body)
  const types = route.method === 'PATCH' ? other_types : [...other_types, 'application/merge-patch+json']
  for (const type of types) assertRefused(await ask(w, withBytes(route, body, type)), 415, 'unsupported_media_type', `${name} as ${type}`)
})

testRows(
  'application/json is accepted in every spelling, and a merge patch also as application/merge-patch+json',
  with_body,
  async ({ name, route }) => {
    const types = [
      'application/json',
      'application/json;charset=utf-8',
      'Application/JSON; charset="UTF-8"',
      ' application/json ; charset=utf-8',
    ]
    for (const type of route.method === 'PATCH' ? [...types, 'application/merge-patch+json'] : types)
      assertRefused(await ask(w, withBytes(route, '{"surprise":1}', type)), 422, 'validation_failed', `${name} as ${type}`)
  },
)

testRows('a compressed body is 415 unsupported_media_type', with_body, async ({ name, route }) => {
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity']) {
    const headers = { 'content-encoding': encoding }
    const reply = await ask(w, withBytes(route, gzipSync('{}').toString('latin1'), 'application/json', headers))
    assertRefused(reply, 415, 'unsupported_media_type', `${name} as ${encoding}`)
  }
})

const broken: Record<string, string> = {
  empty: '',
  blank: '  ',
  unclosed: '{',
  'a trailing comma': '{"name":"x",}',
  'single quotes': "{'name':'x'}",
  'a bare word': '{name:"x"}',
  'two documents': '{}{}',
  'a comment': '{}//',
  'a byte order mark': '\ufeff{}',
  'a repeated member': '{"name":"a","name":"b"}',
  'a repeated member in another spelling': '{"name":"a","n\\u0061me":"b"}',
  'a repeated member in an inner object': '{"metadata":{"a":1,"a":2}}',
  'a value that is not a number': '{"name":NaN}',
  'a control character': '{"name":"\u0001"}',
  'nested 70 levels deep': `${'['.repeat(70)}${']'.repeat(70)}`,
  'nested 500,000 levels deep': '['.repeat(500_000),
}

testRows('invalid JSON, a byte order mark and a repeated member are 400 malformed_request', with_body, async ({ name, route }) => {
  for (const [defect, body] of Object.entries(broken))
    if (defect !== 'empty' || !isAction(route))
      assertRefused(await ask(w, withBytes(route, body)), 400, 'malformed_request', `${name} with ${defect}`)
})

testRows('a body that is not an object is 422 validation_failed', with_body, async ({ name, route }) => {
  for (const body of ['null', '[]', '[{}]', '"text"', '1', 'true', ' 0 ']) {
    const reply = await ask(w, withBytes(route, body))
    assertRefused(reply, 422, 'validation_failed', `${name} with ${body}`)
    assert.deepEqual(
      reply.body.errors.map(({ pointer }: { pointer: string }) => pointer),
      [''],
    )
  }
})

/** The handler of a large member judges it (`configuration.test.ts`), and its body has a limit of its own (`long-bodies.test.ts`). */
const small_bodies = with_body.filter(({ route }) => route.large_member === undefined)
testRows('a body above 1 MiB is 413 body_too_large, and a body of exactly 1 MiB is read', small_bodies, async ({ name, route }) => {
  const padded = (bytes: number) => `{"surprise":1${' '.repeat(bytes - 14)}}`
  assertRefused(await ask(w, withBytes(route, padded(1_048_577))), 413, 'body_too_large', name)
  assertRefused(await ask(w, withBytes(route, padded(1_048_576))), 422, 'validation_failed', name)
})

testRows('an unknown field is 422 at its pointer, whatever its value', with_body, async ({ name, route }) => {
  const right = validRequest(route, ours)
  for (const value of [1, null, {}]) {
    const body = { ...(right.body as object), surprise: value }
    const reply = await ask(w, { ...right, body })
    assertRefused(reply, 422, 'validation_failed', `${name} with ${JSON.stringify(value)}`)
    assert.deepEqual(
      reply.body.errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]),
      [['/surprise', 'unknown_field']],
    )
  }
})

/** Fields that the service sets on every object. */
const read_only_everywhere = [
  'id',
  'key_id',
  'client_id',
  'tenant_id',
  'project_id',
  'environment_id',
  'environment_type',
  'issuer',
  'version',
  'created_at',
  'updated_at',
]
/** Fields that the service sets on some objects. */
const read_only_on_some = [
  'rotated_at',
  'revoked_at',
  'last_used_at',
  'last_used_ip',
  'last_sign_in_at',
  'blocked_at',
  'secret_rotated_at',
  'pending_email',
  'has_password',
  'has_client_secret',
]
const secrets = ['key', 'digest', 'client_secret', 'client_secret_hash', 'password_hash', 'secret', 'start', 'last4', 'changed_in']
const immutable = ['slug', 'type', 'application_type', 'identifier']

testRows('a read-only or immutable field is 422 at its pointer', with_body, async ({ name, route }) => {
  const accepted = route.body instanceof z.ZodObject ? Object.keys(route.body.shape) : []
  const returned = route.returns[1] instanceof z.ZodObject && accepted.length > 0 ? Object.keys(route.returns[1].shape) : []
  const read_only = [...read_only_everywhere, ...read_only_on_some, ...secrets, ...returned, ...(route.method === 'PATCH' ? immutable : [])]
  const right = validRequest(route, ours)
  for (const field of new Set(read_only)) {
    if (accepted.includes(field) && !(route.method === 'PATCH' && immutable.includes(field))) continue
    const reply = await ask(w, { ...right, body: { ...(right.body as object), [field]: 'x' } })
    assertRefused(reply, 422, 'validation_failed', `${name} with ${field}`)
    assert.ok(
      reply.body.errors.some(({ pointer }: { pointer: string }) => pointer === `/${field}`),
      `${name} with ${field}`,
    )
  }
})

testRows('a field of the wrong type is 422 at its pointer', with_fields, async ({ name, route, shape }) => {
  const right = validRequest(route, ours)
  for (const [field, type] of Object.entries(shape)) {
    if (field === route.large_member) continue
    const wrong = [1.5, { a: [] }, [[{}]], ['', 1]].filter((value) => !type.safeParse(value).success)
    assert.ok(wrong.length > 0, `${name}: ${field} accepts every value`)
    for (const value of wrong) {
      const reply = await ask(w, { ...right, body: { ...(right.body as object), [field]: value } })
      assertRefused(reply, 422, 'validation_failed', `${name} with ${field}`)
      assert.ok(
        reply.body.errors.some(({ pointer }: { pointer: string }) => pointer.startsWith(`/${field}`)),
        `${name} with ${field}`,
      )
    }
  }
})

const needing_fields = with_fields.filter(({ route }) => !isAction(route) && route.method === 'POST')

testRows(
  'the answer to a body without its fields names each that is required, by its pointer alone',
  needing_fields,
  async ({ name, route }) => {
    const reply = await ask(w, withBytes(route, '{}'))
    assertRefused(reply, 422, 'validation_failed', name)
    for (const { pointer, code, detail } of reply.body.errors)
      assert.deepEqual([code, /^Expected/.test(detail)], ['required', false], `${name} ${pointer}`)
    const pointers = reply.body.errors.map(({ pointer }: { pointer: string }) => pointer)
    assert.equal(new Set(pointers).size, pointers.length, name)
  },
)

testRows('an action without fields accepts {} or no body, and any other body is 422', without_fields, async ({ name, route }) => {
  const ids = idsOf(route, ours)
  const nowhere = pathOf(route, { ...ids, [Object.keys(ids).at(-1) ?? '']: 'x' })
  const { body: _, ...right } = { ...validRequest(route, ours), path: nowhere }
  for (const body of [undefined, '{}', ' { } ']) {
    const headers = body === undefined ? right.headers : { ...right.headers, 'content-type': 'application/json' }
    assert.equal((await ask(w, { ...right, headers, body })).status, 404, name)
  }
  for (const body of ['{"a":1}', '[]', 'null', '{"force":true}'])
    assertRefused(await ask(w, { ...right, body }), 422, 'validation_failed', `${name} with ${body}`)
  assertRefused(await ask(w, { ...right, body: '{' }), 400, 'malformed_request', name)
  assertRefused(
    await ask(w, { ...right, body: 'a=1', headers: { ...right.headers, 'content-type': 'application/x-www-form-urlencoded' } }),
    415,
    'unsupported_media_type',
    name,
  )
})

const no_body: { sent: string; headers: Record<string, string>; body: string }[] = [
  { sent: 'nothing', headers: {}, body: '' },
  { sent: 'Content-Length: 0', headers: { 'content-length': '0' }, body: '' },
  { sent: 'an empty chunked body', headers: { 'transfer-encoding': 'chunked' }, body: '0\r\n\r\n' },
  ...['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream', '*/*'].flatMap((type) => [
    { sent: `no bytes as ${type}`, headers: { 'content-type': type, 'content-length': '0' }, body: '' },
    { sent: `no chunks as ${type}`, headers: { 'content-type': type, 'transfer-encoding': 'chunked' }, body: '0\r\n\r\n' },
  ]),
  { sent: '{} as JSON', headers: { 'content-type': 'application/json', 'content-length': '2' }, body: '{}' },
  { sent: '{} without a type', headers: { 'content-length': '2' }, body: '{}' },
  { sent: '{} in a chunk without a type', headers: { 'transfer-encoding': 'chunked' }, body: '2\r\n{}\r\n0\r\n\r\n' },
]

/** Sends the valid request of a row with these bytes; `nowhere` names an object that does not exist. */
async function sendBytes(
  route: Route,
  { headers, body }: { headers: Record<string, string>; body: string },
  nowhere: boolean,
): Promise<{ status: number; body: { detail: string } }> {
  const ids = idsOf(route, ours)
  const right = validRequest(route, ours)
  const path = nowhere ? pathOf(route, { ...ids, [Object.keys(ids).at(-1) ?? '']: 'x' }) : right.path
  const bytes = rawRequest(route.method, path, { ...right.headers, 'content-length': null, ...headers }, body)
  const reply = await sendRaw(w.base_url, bytes)
  return { status: reply.status, body: JSON.parse(reply.body) }
}

testRows('an action takes no body, {} or none at all, with and without a Content-Type', actions, async ({ name, route }) => {
  for (const { sent, ...request } of no_body) assert.equal((await sendBytes(route, request, true)).status, 404, `${name} with ${sent}`)
})

testRows(
  'a POST that needs fields says in words what is missing when it has no body or no type',
  rows.filter(({ route }) => route.method === 'POST' && !isAction(route)),
  async ({ name, route }) => {
    for (const { sent, ...request } of no_body) {
      const { status, body } = await sendBytes(route, request, false)
      const detail =
        request.headers['content-type'] !== 'application/json'
          ? /^Send Content-Type/
          : /^(The body is empty\.|This field is required|Send from_environment_id or document,)/
      assert.ok(status === 415 || status === 400 || status === 422, `${name} with ${sent}: ${status}`)
      assert.match(body.detail, detail, `${name} with ${sent}`)
    }
  },
)

testRows('a 422 lists every problem of the body, each with pointer, code and detail', with_fields, async ({ name, route, shape }) => {
  const fields = Object.keys(shape).filter((field) => field !== route.large_member)
  const reply = await ask(w, {
    ...validRequest(route, ours),
    body: { ...Object.fromEntries(fields.map((field) => [field, 1.5])), surprise: 1, more: 2 },
  })
  assertRefused(reply, 422, 'validation_failed', name)
  const pointers = reply.body.errors.map(({ pointer }: { pointer: string }) => pointer.split('/')[1])
  assert.deepEqual([...new Set(pointers)].sort(), [...fields, 'surprise', 'more'].sort(), name)
  for (const error of reply.body.errors) assert.deepEqual(Object.keys(error).sort(), ['code', 'detail', 'pointer'])
})
