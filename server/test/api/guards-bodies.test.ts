/** What is not accepted as a body: every row of the table with every wrong one. Generated from the table; no route is named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Route } from '@ostiary/contract/route.ts'
import { z } from 'zod'
import { type Asked, ask, everything, idsOf, pathOf, rightRequest, rows } from '../support/everything.ts'
import { type Reply, world } from '../support/world.ts'

const w = await world()
const { ours } = await everything(w)
const with_body = rows.filter(({ route }) => route.body)
const actions = rows.filter(({ route }) => route.method === 'POST' && !route.body)

/** A row's request with these bytes, sent as this type; on objects that do not exist, so that nothing can come of it. */
function withBytes(route: Route, body: string, type = 'application/json', headers: Record<string, string> = {}): Asked {
  const right = rightRequest(route, ours)
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

test('a body of another content type is 415', async () => {
  for (const { name, route } of with_body) {
    const body = JSON.stringify(rightRequest(route, ours).body)
    const types = route.method === 'PATCH' ? other_types : [...other_types, 'application/merge-patch+json']
    for (const type of types) assertRefused(await ask(w, withBytes(route, body, type)), 415, 'unsupported_media_type', `${name} as ${type}`)
  }
})

test('JSON is taken in every spelling of its content type, merge patches also as what they are', async () => {
  for (const { name, route } of with_body) {
    const types = [
      'application/json',
      'application/json;charset=utf-8',
      'Application/JSON; charset="UTF-8"',
      ' application/json ; charset=utf-8',
    ]
    for (const type of route.method === 'PATCH' ? [...types, 'application/merge-patch+json'] : types)
      assertRefused(await ask(w, withBytes(route, '{"surprise":1}', type)), 422, 'validation_failed', `${name} as ${type}`)
  }
})

test('a compressed body is 415, whatever it holds', async () => {
  for (const { name, route } of with_body) {
    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, identity']) {
      const headers = { 'content-encoding': encoding }
      const reply = await ask(w, withBytes(route, gzipSync('{}').toString('latin1'), 'application/json', headers))
      assertRefused(reply, 415, 'unsupported_media_type', `${name} as ${encoding}`)
    }
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
  'the same name twice': '{"name":"a","name":"b"}',
  'the same name in another spelling': '{"name":"a","n\\u0061me":"b"}',
  'the same name twice further in': '{"metadata":{"a":1,"a":2}}',
  'no number': '{"name":NaN}',
  'a control character': '{"name":"\u0001"}',
  'too deep': `${'['.repeat(70)}${']'.repeat(70)}`,
  'deep beyond all measure': '['.repeat(500_000),
}

test('broken JSON, a byte order mark and a repeated name are 400 malformed_request', async () => {
  for (const { name, route } of with_body) {
    for (const [what, body] of Object.entries(broken))
      assertRefused(await ask(w, withBytes(route, body)), 400, 'malformed_request', `${name} with ${what}`)
  }
})

test('a body that is no object is 422', async () => {
  for (const { name, route } of with_body) {
    for (const body of ['null', '[]', '[{}]', '"text"', '1', 'true', ' 0 ']) {
      const reply = await ask(w, withBytes(route, body))
      assertRefused(reply, 422, 'validation_failed', `${name} with ${body}`)
      assert.deepEqual(
        reply.body.errors.map(({ pointer }: { pointer: string }) => pointer),
        [''],
      )
    }
  }
})

test('a body of more than 1 MiB is 413, one of exactly 1 MiB is read', async () => {
  for (const { name, route } of with_body) {
    const padded = (bytes: number) => `{"surprise":1${' '.repeat(bytes - 14)}}`
    assertRefused(await ask(w, withBytes(route, padded(1_048_577))), 413, 'body_too_large', name)
    assertRefused(await ask(w, withBytes(route, padded(1_048_576))), 422, 'validation_failed', name)
  }
})

test('an unknown field is 422 at its place, null or not, and nothing comes of the fields beside it', async () => {
  for (const { name, route } of with_body) {
    const right = rightRequest(route, ours)
    for (const value of [1, null, {}]) {
      const body = { ...(right.body as object), surprise: value }
      const reply = await ask(w, { ...right, body })
      assertRefused(reply, 422, 'validation_failed', `${name} with ${JSON.stringify(value)}`)
      assert.deepEqual(
        reply.body.errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]),
        [['/surprise', 'unknown_field']],
      )
    }
  }
})

/** What the service says about itself and its objects, wherever it says it. */
const owned_everywhere = [
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
const owned_somewhere = [
  'rotated_at',
  'revoked_at',
  'last_used_at',
  'last_used_ip',
  'last_sign_in_at',
  'blocked_at',
  'secret_rotated_at',
  'has_password',
  'has_client_secret',
]
const secrets = ['key', 'digest', 'client_secret', 'client_secret_hash', 'password_hash', 'secret', 'start', 'last4', 'changed_in']
const immutable = ['slug', 'type', 'application_type', 'identifier']

test('a field that is the service’s own, or that never changes, is 422 wherever it is sent', async () => {
  for (const { name, route } of with_body) {
    const taken = route.body instanceof z.ZodObject ? Object.keys(route.body.shape) : []
    const answered = route.returns[1] instanceof z.ZodObject && taken.length > 0 ? Object.keys(route.returns[1].shape) : []
    const owned = [...owned_everywhere, ...owned_somewhere, ...secrets, ...answered, ...(route.method === 'PATCH' ? immutable : [])]
    const right = rightRequest(route, ours)
    for (const field of new Set(owned)) {
      if (taken.includes(field) && !(route.method === 'PATCH' && immutable.includes(field))) continue
      const reply = await ask(w, { ...right, body: { ...(right.body as object), [field]: 'x' } })
      assertRefused(reply, 422, 'validation_failed', `${name} with ${field}`)
      assert.ok(
        reply.body.errors.some(({ pointer }: { pointer: string }) => pointer === `/${field}`),
        `${name} with ${field}`,
      )
    }
  }
})

test('a field of the wrong type, and null where there is no default, are 422 at their place', async () => {
  for (const { name, route } of with_body) {
    if (!(route.body instanceof z.ZodObject)) continue
    const right = rightRequest(route, ours)
    for (const [field, type] of Object.entries(route.body.shape)) {
      const wrong = [1.5, { a: [] }, [[{}]], ['', 1]].filter((value) => !(type as z.ZodType).safeParse(value).success)
      assert.ok(wrong.length > 0, `${name}: ${field} takes everything`)
      for (const value of wrong) {
        const reply = await ask(w, { ...right, body: { ...(right.body as object), [field]: value } })
        assertRefused(reply, 422, 'validation_failed', `${name} with ${field}`)
        assert.ok(
          reply.body.errors.some(({ pointer }: { pointer: string }) => pointer.startsWith(`/${field}`)),
          `${name} with ${field}`,
        )
      }
    }
  }
})

test('an action takes no body, {} or none at all, and any other is 422', async () => {
  for (const { name, route } of actions) {
    const ids = idsOf(route, ours)
    const nowhere = pathOf(route, { ...ids, [Object.keys(ids).at(-1) ?? '']: 'x' })
    const { body: _, ...right } = { ...rightRequest(route, ours), path: nowhere }
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
  }
})

test('every problem of a body is told at once, each with pointer, code and detail', async () => {
  for (const { name, route } of with_body) {
    if (!(route.body instanceof z.ZodObject)) continue
    const fields = Object.keys(route.body.shape)
    const reply = await ask(w, {
      ...rightRequest(route, ours),
      body: { ...Object.fromEntries(fields.map((field) => [field, 1.5])), surprise: 1, more: 2 },
    })
    assertRefused(reply, 422, 'validation_failed', name)
    const pointers = reply.body.errors.map(({ pointer }: { pointer: string }) => pointer.split('/')[1])
    assert.deepEqual([...new Set(pointers)].sort(), [...fields, 'surprise', 'more'].sort(), name)
    for (const error of reply.body.errors) assert.deepEqual(Object.keys(error).sort(), ['code', 'detail', 'pointer'])
  }
})
