/** The words of refusals: our own sentences, which name the limit or the key type and say where to go on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchemas } from '@ostiary/contract/settings.ts'
import { z } from 'zod'
import { ask, bearer, eachRow, idsOf, pathOf, rows, sampleBody, validRequest } from '../support/route-table.ts'
import { type Path, withValue } from '../support/schema-fields.ts'
import { app_origin, createTwoTenants } from '../support/tenants.ts'
import { type Reply, world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)
const e = w.test.path
const keys = { publishable: { 'x-api-key': ours.test.publishable, origin: app_origin }, secret: { 'x-api-key': ours.test.secret } }
const admin = bearer(ours.token, ours)

interface WrongCall {
  why: string
  call: [method: string, path: string, options?: { headers?: Record<string, string>; body?: unknown; key?: string | null }]
  says: string
}

const authenticate = 'This call needs a platform key (svc_platform_sk_…), or the access token of an administrator.'
const wrong_calls: WrongCall[] = [
  {
    why: 'a publishable key on the platform API',
    call: ['GET', '/v1/platform/projects', { key: null, headers: keys.publishable }],
    says: `${authenticate} You sent a publishable key (svc_auth_pk_…).`,
  },
  {
    why: 'a secret key on the platform API',
    call: ['GET', '/v1/platform/projects', { key: null, headers: keys.secret }],
    says: `${authenticate} You sent a secret key of an environment (svc_auth_sk_…).`,
  },
  {
    why: 'a platform key for users',
    call: ['GET', '/v1/auth/users'],
    says: 'This call needs a secret key of an environment (svc_auth_sk_…), or the access token of an administrator. You sent a platform key (svc_platform_sk_…).',
  },
  {
    why: 'a platform key for administrators',
    call: ['GET', '/v1/me'],
    says: 'This call needs the access token of an administrator. You sent a platform key (svc_platform_sk_…).',
  },
  {
    why: 'an administrator for whoami',
    call: ['GET', '/v1/api-keys/whoami', { key: null, headers: admin }],
    says: 'This call needs an API key. You sent the access token of an administrator.',
  },
  {
    why: 'an administrator who validates a token',
    call: ['POST', '/v1/auth/tokens/validate', { key: null, headers: admin, body: { token: 'x' } }],
    says: 'This call needs a secret key of an environment (svc_auth_sk_…). You sent the access token of an administrator.',
  },
  {
    why: 'a key as Bearer',
    call: ['GET', '/v1/platform/projects', { key: null, headers: { authorization: `Bearer ${w.key}` } }],
    says: 'An API key is not a bearer token. Send the key in the header X-API-Key, or as Authorization: ApiKey.',
  },
  {
    why: 'a key in the query',
    call: ['GET', `/v1/platform/projects?api_key=${w.key}`, { key: null }],
    says: 'A key is never accepted in a URL. Send it in the header X-API-Key, and rotate the key: logs and histories keep URLs.',
  },
  {
    why: 'a token as X-API-Key',
    call: ['GET', '/v1/platform/projects', { key: null, headers: { 'x-api-key': ours.token } }],
    says: 'This is a token, not an API key. Send an access token as Authorization: Bearer.',
  },
  {
    why: 'an unknown path under an issuer',
    call: ['GET', `${w.test.issuer}/oauth/token`, { key: null }],
    says: `There is no such address. The endpoints of an issuer are in its discovery document: ${w.test.issuer}/.well-known/openid-configuration`,
  },
  {
    why: 'an unknown path of the API',
    call: ['GET', '/v1/projects'],
    says: `There is no such address. The routes are in ${w.base_url}/docs/api.`,
  },
  {
    why: 'PUT of an object',
    call: ['PUT', `/v1/platform/projects/${w.project.id}`],
    says: 'PUT does not work here. Use GET (Get a project) or PATCH (Update a project).',
  },
  {
    why: 'GET of the token endpoint',
    call: ['GET', `${w.test.issuer}/v1/oauth/token`, { key: null }],
    says: 'GET does not work here. Use POST (Exchange a code or a refresh token (RFC 6749 §3.2)).',
  },
  {
    why: 'a Test webhook on this machine',
    call: ['POST', `${e}/webhooks`, { body: { url: 'http://localhost:4000/hooks' } }],
    says: 'This address is private. Use a public address. For development, the operator can allow a network: OSTIARY_WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8,::1/128 allows this machine. (at /url)',
  },
  {
    why: 'a Live webhook in a private network',
    call: ['POST', `${w.live.path}/webhooks`, { body: { url: 'https://10.0.0.1/hooks' } }],
    says: 'This address is private. Use a public address. (at /url)',
  },
  {
    why: 'a missing field',
    call: ['POST', '/v1/platform/projects', { body: { slug: 'a' } }],
    says: 'This field is required. (at /name)',
  },
  {
    why: 'a field of another type',
    call: ['POST', '/v1/platform/projects', { body: { slug: 'a', name: 7 } }],
    says: 'Expected a string, not a number. (at /name)',
  },
  {
    why: 'an empty name',
    call: ['POST', '/v1/platform/projects', { body: { slug: 'a', name: '' } }],
    says: 'Use at least 1 character. (at /name)',
  },
  {
    why: 'a name that is too long',
    call: ['POST', '/v1/platform/projects', { body: { slug: 'a', name: 'n'.repeat(101) } }],
    says: 'Use at most 100 characters. (at /name)',
  },
  {
    why: 'an unknown field',
    call: ['POST', '/v1/platform/projects', { body: { slug: 'a', name: 'A', colour: 'red' } }],
    says: 'There is no such field here. (at /colour)',
  },
  {
    why: 'an unknown type',
    call: ['POST', `/v1/platform/projects/${w.project.id}/environments`, { body: { slug: 'a', name: 'A', type: 'staging' } }],
    says: 'Expected "test" or "live". (at /type)',
  },
  {
    why: 'no redirect URI',
    call: ['POST', `${e}/applications`, { body: { name: 'A', application_type: 'web', redirect_uris: [] } }],
    says: 'List at least 1 value. (at /redirect_uris)',
  },
  {
    why: 'a lifetime out of range',
    call: ['PATCH', `${e}/settings`, { body: { tokens: { access_token_ttl_seconds: 59 } } }],
    says: 'Use a number of at least 60. (at /tokens/access_token_ttl_seconds)',
  },
  {
    why: 'a short password',
    call: ['POST', '/v1/auth/users', { key: null, headers: keys.secret, body: { email: 'ada@example.com', password: 'short' } }],
    says: 'Use at least 12 characters. (at /password)',
  },
  {
    why: 'half an address',
    call: ['POST', '/v1/auth/users', { key: null, headers: keys.secret, body: { email: 'ada' } }],
    says: 'Expected an email address such as ada@example.com. (at /email)',
  },
  {
    why: 'a page that is too long',
    call: ['GET', '/v1/platform/projects?limit=101'],
    says: 'Expected an integer from 1 to 100 in decimal digits. (at /limit)',
  },
]

for (const { why, call, says } of wrong_calls)
  test(`the refusal explains ${why}`, async () => {
    const reply = await w.call(...call)
    assert.equal(reply.body.detail, says)
    const [, , options] = call
    for (const secret of [w.key, ours.token, ours.test.secret, (options?.body as { password?: string } | undefined)?.password])
      if (secret) assert.ok(!JSON.stringify(reply.body).includes(secret), 'it repeats no credential')
  })

/** Texts of the validator, in its spelling since version 3. */
const validator_text =
  /invalid (?:input|type|string|option|key|element|email|url|uuid|iso|format)|received|expected (?:string|number|object|array|int)\b|too (?:small|big)|unrecognized|must (?:match|be a multiple)|nan\b|undefined|>=|<=/i

const wrong_values: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 2 ** 53, 1e300, '', 'x', '\u0007', 'é'.repeat(10_000), [], [null], {}, { a: 1 }, [[{}]]],
  ...[
    '2026-01-01',
    'https://',
    'a@b',
    '+1',
    '#12345',
    Array.from({ length: 1_000 }, () => 'x'),
    { keys: [{}] },
    { limit: 0, window_seconds: 'x' },
  ],
]

/** Every path to a field of a body, objects within objects included, but not those whose type was met before: in a row that creates, say. */
function newPathsOf(met: Set<z.ZodType>, type: z.ZodType, path: Path = []): Path[] {
  const { innerType, element, type: kind } = type.def as { type: string; innerType?: z.ZodType; element?: z.ZodType } // as: the public, untyped introspection of zod
  if (innerType) return newPathsOf(met, innerType, path)
  if (met.has(type)) return []
  met.add(type)
  if (kind === 'array' && element) return [path, ...newPathsOf(met, element, [...path, 0])]
  if (type instanceof z.ZodObject)
    return [path, ...Object.entries(type.shape).flatMap(([name, field]) => newPathsOf(met, field as z.ZodType, [...path, name]))] // as: a shape holds types only
  return [path]
}

function assertOurs({ body, status }: Reply, about: string): number {
  if (status !== 422) return 0
  for (const { detail } of body.errors ?? [body]) {
    assert.match(detail, /^[A-Z"].*[.)]$/s, `${about} has a sentence`)
    assert.doesNotMatch(detail, validator_text, about)
  }
  return 1
}

test('no field of a body, in any row, is refused with a text of the validator', async (t) => {
  const with_body = rows.filter(({ route }) => route.body)
  const met = new Set<z.ZodType>()
  await eachRow(t, with_body, async ({ name, route }) => {
    const type = name === 'changeSettings' ? settingsSchemas.test : (route.body as z.ZodType) // as: filtered above
    const right = validRequest(route, ours)
    let refused = 0
    const send = async (body: unknown) => {
      refused += assertOurs(
        await ask(w, { ...right, body: JSON.stringify(body), headers: { ...right.headers, 'content-type': 'application/json' } }),
        JSON.stringify(body).slice(0, 200),
      )
    }
    for (const path of newPathsOf(met, type)) for (const value of wrong_values) await send(withValue(right.body, path, value))
    await send([])
    for (const missing of Object.keys(right.body as object)) await send({ ...(right.body as object), [missing]: undefined })
    assert.ok(refused > 0, 'some values are refused')
  })
})

test('no parameter of a query is refused with a text of the validator', async (t) => {
  await eachRow(
    t,
    rows.filter(({ route }) => route.query),
    async ({ route }) => {
      const right = validRequest(route, ours)
      for (const parameter of Object.keys(route.query?.shape ?? {}))
        for (const value of ['', 'x', '-1', '1.5', '99999999999999999999', 'x'.repeat(1_000), '%00', `a&${parameter}=b`]) {
          const path = `${pathOf(route, idsOf(route, ours))}?${parameter}=${value}`
          assertOurs(await ask(w, { ...right, path }), path)
        }
    },
  )
})

test('a sample body of a row is accepted by its schema', () => {
  for (const { name, route } of rows) if (route.body) assert.ok(route.body.safeParse(sampleBody(route.body)).success, name)
})
