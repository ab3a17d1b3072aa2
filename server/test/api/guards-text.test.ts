/** Text, names, numbers and times of requests: every field of every body and query of the route table. Generated; no route is named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { characters } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import { asAdministrator } from '../support/administrator.ts'
import { ask, rows, testRows, validRequest } from '../support/route-table.ts'
import { fieldsOf, pointerOf, withValue } from '../support/schema-fields.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
const with_body = rows.flatMap(({ name, route }) => (route.body ? [{ name, route, body: route.body }] : []))
const with_query = rows.flatMap(({ name, route }) =>
  route.query ? [{ name, route, query: route.query.shape as Record<string, z.ZodType> }] : [],
) // as: a shape holds types only

const pointersOf = ({ body }: Reply): string[] => (body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer)
const codeOf = ({ status, body }: Reply) => `${status} ${body.code}`

/** The sequence of the newest entry of the audit log: every change of the tenant adds one. */
async function lastChange(): Promise<number> {
  const { data } = expectStatus(
    200,
    await asAdministrator(w, ours.token, ours.tenant_id)('GET', `/v1/tenants/${ours.tenant_id}/audit-log?limit=1`),
  )
  return data[0].sequence
}

const bad_texts: Record<string, string> = {
  NUL: 'a\0b',
  BEL: '\x07',
  ESC: 'a\x1b[31m',
  DEL: 'a\x7f',
  NEL: 'a\u0085b',
  'a line break': 'a\nb',
  'a line separator': 'a\u2028b',
  'half a surrogate pair': 'a\ud800',
}

/** Fields that accept more than one line: tokens, which are never stored, and keys in PEM. */
const exceptions: Record<string, RegExp> = {
  'validateToken /token': /./s,
  'createProvider /private_key': /^a\nb$/,
  'changeProvider /private_key': /^a\nb$/,
  'applyPromotion /secrets/member': /^a\nb$/,
}

for (const { name, route, body } of with_body) {
  test(`${name}: a string with a control character, a line separator or half a surrogate pair is 422, and nothing is written`, async () => {
    const right = validRequest(route, ours)
    const texts = fieldsOf(name, body).filter(({ kind }) => kind === 'text')
    if (name !== 'changeMember' && name !== 'changeMetadataClient') assert.ok(texts.length > 0, 'a body has a string')
    const before = await lastChange()
    for (const { path } of texts) {
      for (const [kind, value] of Object.entries(bad_texts)) {
        if (exceptions[`${name} ${pointerOf(path)}`]?.test(value)) continue
        const reply = await ask(w, { ...right, body: withValue(right.body, path, value) })
        assert.equal(codeOf(reply), '422 validation_failed', `${pointerOf(path)} with ${kind}: ${JSON.stringify(reply.body)}`)
        assert.ok(pointersOf(reply).includes(pointerOf(path)), `${pointerOf(path)} with ${kind}: ${pointersOf(reply)}`)
      }
    }
    assert.equal(await lastChange(), before)
  })

  test(`${name}: a member name with such a character is 422`, async () => {
    const right = validRequest(route, ours)
    for (const { path } of fieldsOf(name, body).filter(({ kind }) => kind !== 'text')) {
      for (const value of Object.values(bad_texts)) {
        const reply = await ask(w, { ...right, body: withValue(right.body, [...path, value], 'x') })
        assert.equal(codeOf(reply), '422 validation_failed', JSON.stringify(reply.body))
        assert.ok(pointersOf(reply).includes(pointerOf([...path, value])))
      }
    }
  })

  test(`${name}: a name that every object inherits is an unknown field at any depth`, async () => {
    const right = validRequest(route, ours)
    const before = await lastChange()
    for (const { path, kind } of fieldsOf(name, body).filter(({ kind }) => kind !== 'text')) {
      if (path[0] !== undefined && path[0] === route.large_member) continue // its handler judges it: `configuration.test.ts`
      const names = kind === 'closed' ? ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'] : ['__proto__']
      for (const member of names) {
        for (const value of [{ name: 'x' }, null]) {
          // An object literal with `__proto__` has no such member, so the text gets the name.
          const text = JSON.stringify(withValue(right.body, [...path, 'NAME'], value)).replace('"NAME"', JSON.stringify(member))
          const reply = await ask(w, { ...right, headers: { ...right.headers, 'content-type': 'application/json' }, body: text })
          const { errors = [] } = reply.body
          const found = errors.find(({ pointer }: { pointer: string }) => pointer === pointerOf([...path, member]))
          assert.deepEqual([reply.status, found?.code], [422, 'unknown_field'], `${text}: ${JSON.stringify(reply.body)}`)
        }
      }
    }
    assert.equal(await lastChange(), before)
  })
}

test('a free-form object keeps members with the names that every object inherits', async () => {
  const application = await w.createApplication(w.test)
  const change = (jwks: unknown) => w.call('PATCH', `${w.test.path}/applications/${application.id}`, { body: { jwks } })
  const key = { kty: 'RSA', n: 'AQAB', e: 'AQAB' }
  for (const jwks of [{ keys: [key] }, { constructor: 1, toString: 2 }, { constructor: null }])
    assert.notEqual((await change(jwks)).status, 500, JSON.stringify(jwks))
  const user = expectStatus(
    201,
    await w.call('POST', '/v1/auth/users', {
      key: ours.test.secret,
      body: { email: 'free@example.com', metadata: { constructor: 'a', prototype: [1] } },
    }),
  )
  assert.deepEqual(user.metadata, { constructor: 'a', prototype: [1] })
  const { metadata } = expectStatus(
    200,
    await w.call('PATCH', `/v1/auth/users/${user.id}`, { key: ours.test.secret, body: { metadata: { constructor: null, toString: 'b' } } }),
  )
  assert.deepEqual(metadata, { prototype: [1], toString: 'b' })
})

for (const { name, route, query } of with_query) {
  const asking = (search: string) => {
    const right = validRequest(route, ours)
    return ask(w, { ...right, path: `${right.path}?${search}` })
  }
  const has = (parameter: string) => Object.hasOwn(query, parameter)

  test(`${name}: a known parameter with a control character, or sent twice, is 422, and an unknown one is ignored`, async () => {
    for (const parameter of Object.keys(query)) {
      if (characters.get(innermost(query[parameter]))) continue
      for (const value of ['a%00b', '%07', '%C2%85', '%E2%80%A8']) {
        const reply = await asking(`${parameter}=${value}`)
        assert.equal(codeOf(reply), '422 validation_failed', `${parameter}=${value}`)
        assert.ok(pointersOf(reply).includes(`/${parameter}`))
      }
    }
    for (const parameter of Object.keys(query)) {
      const reply = await asking(`${parameter}=1&${parameter}=2`)
      assert.deepEqual([codeOf(reply), pointersOf(reply)], ['422 validation_failed', [`/${parameter}`]], parameter)
    }
    if (route.method !== 'GET') return // with an unknown one it would do what it is for
    for (const search of ['surprise=%00', '__proto__=1', '__proto__[limit]=1', 'constructor=1', '__proto__=1&__proto__=2'])
      assert.ok((await asking(search)).status < 300, search)
  })

  if (has('limit'))
    test(`${name}: a number that is not written in decimal digits is 422`, async () => {
      const numbers = ['limit', 'after'].filter(has)
      for (const parameter of numbers) {
        for (const value of [
          '',
          '%20',
          '1e1',
          '1E1',
          '0x10',
          '0b1',
          '0o7',
          '%205',
          '5%20',
          '+5',
          '%2B5',
          '-1',
          '5.0',
          '5.',
          '.5',
          '1_0',
          '%D9%A5',
          'NaN',
          'Infinity',
          'null',
          'true',
          '5%00',
          '5,',
          '9'.repeat(17),
        ])
          assert.deepEqual(
            await asking(`${parameter}=${value}`).then((reply) => [codeOf(reply), pointersOf(reply)]),
            ['422 validation_failed', [`/${parameter}`]],
            `${parameter}=${value}`,
          )
        for (const value of ['1', '5', '05', '99'])
          assert.equal((await asking(`${parameter}=${value}`)).status, 200, `${parameter}=${value}`)
      }
      for (const value of ['0', '101', '1000000']) assert.equal(codeOf(await asking(`limit=${value}`)), '422 validation_failed', value)
    })

  if (has('cursor'))
    test(`${name}: a malformed or overlong cursor is 400 invalid_cursor`, async () => {
      for (const value of [
        '',
        'x',
        '%00',
        '%FF',
        '!',
        'AAAA',
        'A'.repeat(60),
        'A'.repeat(501),
        'A'.repeat(9_000),
        '%F0%9F%94%91',
        '1',
        'null',
        `${'A'.repeat(22)}==`,
      ])
        assert.equal(codeOf(await asking(`cursor=${value}`)), '400 invalid_cursor', value.slice(0, 60))
    })
}

function innermost(type: z.ZodType | undefined): z.ZodType {
  if (!type) throw new Error('There is no such parameter.')
  const { innerType } = type.def as { innerType?: z.ZodType } // as: the public, untyped introspection of zod
  return innerType ? innermost(innerType) : type
}

test('the documentation page of an unknown error code is 404', async () => {
  for (const code of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', 'not-a-code', '%00', 'x'.repeat(150)])
    assert.equal((await w.call('GET', `/docs/errors/${code}`, { key: null })).status, 404, code)
  assert.equal((await w.call('GET', '/docs/errors/not_found', { key: null })).status, 200)
})

test('a token of any size and any characters is malformed, an empty token is 422, and a body above 1 MiB is 413', async () => {
  const validate = (token: string) => w.call('POST', '/v1/auth/tokens/validate', { key: ours.test.secret, body: { token } })
  const part = Buffer.from('{"alg":"RS256","typ":"at+jwt"}').toString('base64url')
  const long = Buffer.from(JSON.stringify({ iss: 'x'.repeat(500_000) })).toString('base64url')
  const most = 1_048_576 - '{"token":""}'.length
  for (const token of [
    'x',
    'x'.repeat(65_537),
    'x'.repeat(most),
    `svc_at_${'x'.repeat(100_000)}`,
    `${part}.${long}.x`,
    `${part}.`.repeat(20_000),
    '.'.repeat(most),
    'a\0b',
    'a\ud800',
    'a\u2028b',
  ])
    assert.deepEqual(expectStatus(200, await validate(token)), { active: false, reason: 'malformed' }, token.slice(0, 40))
  assert.deepEqual(pointersOf(await validate('')), ['/token'])
  assert.equal(codeOf(await validate('x'.repeat(most + 1))), '413 body_too_large')
})

/** A moment of a body or a query: a time as the client sends it, with any offset. */
function isMoment(type: z.ZodType): boolean {
  const { innerType, format } = type.def as { innerType?: z.ZodType; format?: string } // as: the public, untyped introspection of zod
  return innerType ? isMoment(innerType) : format === 'datetime'
}
const momentsOf = (shape: Record<string, z.ZodType>) => Object.keys(shape).filter((name) => isMoment(shape[name] ?? assert.fail()))
const with_moments = rows.flatMap(({ name, route }) => {
  const in_body = route.body instanceof z.ZodObject ? momentsOf(route.body.shape as Record<string, z.ZodType>) : [] // as: see above
  const in_query = route.query ? momentsOf(route.query.shape as Record<string, z.ZodType>) : [] // as: see above
  const fields = [...in_body.map((field) => ({ field, in_body: true })), ...in_query.map((field) => ({ field, in_body: false }))]
  return fields.map((where) => ({ name: `${name} ${where.field}`, route, ...where }))
})

testRows('a time that leaves the four-digit years in UTC is 422', with_moments, async ({ route, field, in_body }) => {
  const right = validRequest(route, ours)
  const send = (time: string) =>
    ask(
      w,
      in_body
        ? { ...right, body: withValue(right.body, [field], time) }
        : { ...right, path: `${right.path}?${field}=${encodeURIComponent(time)}` },
    )
  for (const time of ['9999-12-31T23:59:59-14:00', '9999-12-31T23:59:59.999-00:01', '0000-01-01T00:00:00+14:00']) {
    const reply = await send(time)
    assert.equal(codeOf(reply), '422 validation_failed', time)
    assert.deepEqual(pointersOf(reply), [`/${field}`], time)
  }
  for (const time of ['9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59+14:00', '0000-01-01T00:00:00-14:00'])
    assert.ok((await send(time)).status < 500, time)
})

test('the table has moments in bodies and in queries', () => {
  assert.ok(with_moments.some(({ in_body }) => in_body) && with_moments.filter(({ in_body }) => !in_body).length > 8)
})
