/** The configuration of an environment as one document, and the JSON Schema of such documents. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsInDocument } from '@ostiary/contract/configuration.ts'
import { documentFields, object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import { z } from 'zod'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const read = async (environment: TestEnvironment) => {
  const reply = await w.call('GET', `${environment.path}/configuration`)
  return { document: expectStatus(200, reply), etag: reply.headers.get('etag') }
}
const versionOf = async (environment: TestEnvironment): Promise<number> =>
  expectStatus(200, await w.call('GET', environment.path)).config_version

test('a new environment has a document with its defaults and without objects', async () => {
  const { document } = await read(w.live)
  assert.equal(document.version, 1)
  assert.equal(document.environment, 'live')
  assert.equal(document.settings.password.min_length, 12)
  assert.deepEqual([document.resource_servers, document.providers, document.webhooks], [{}, {}, {}])
})

test('a document shows objects by their slugs and secrets by name, and its ETag is the config_version', async () => {
  const at = w.test.path
  const applications = ['true', '123', '0x1f', '9']
  for (const slug of applications)
    expectStatus(
      201,
      await w.call('POST', `${at}/applications`, {
        body: { slug, name: slug, application_type: 'web', redirect_uris: ['https://a.test/cb'] },
      }),
    )
  const google = { slug: 'go-ogle', type: 'google', client_id: '123.apps', client_secret: 'a secret of google' }
  expectStatus(201, await w.call('POST', `${at}/providers`, { body: google }))
  const email = { delivery: 'smtp', from: 'a@example.com', smtp: { host: 'mail.example.com', username: 'a', password: 'a secret of mail' } }
  expectStatus(200, await w.call('PATCH', `${at}/settings`, { body: { email } }))

  const { document, etag } = await read(w.test)
  assert.equal(etag, `"${await versionOf(w.test)}"`)
  for (const slug of applications) {
    assert.equal(document.applications[slug].name, slug)
    assert.deepEqual(Object.keys(document.applications[slug]), documentFields('application'))
  }
  assert.equal(document.providers['go-ogle'].client_secret, `\${OSTIARY_SECRET_PROVIDERS_GO_OGLE_CLIENT_SECRET}`)
  assert.equal(document.settings.email.smtp.password, `\${OSTIARY_SECRET_SMTP_PASSWORD}`)
  assert.doesNotMatch(JSON.stringify(document), /a secret of|(app|prv|env|prj|ten)_[0-7]/)

  const again = await w.call('GET', `${at}/configuration`, { headers: { 'if-none-match': etag ?? '' } })
  assert.equal(again.status, 304)
  expectStatus(200, await w.call('PATCH', `${at}/settings`, { body: { email: { delivery: 'capture', smtp: null } } }))
  const changed = await read(w.test)
  assert.notEqual(changed.etag, etag)
  assert.equal(changed.document.settings.email.smtp, null)
})

interface Schema {
  type?: unknown
  properties?: Record<string, Schema>
  additionalProperties?: Schema
  description?: string
  default?: unknown
  minimum?: number
  'x-class'?: string
}

test('the JSON Schema has every field of a document with its words and its class, and is the same for everyone', async () => {
  const reply = await w.call('GET', '/schemas/configuration-1.json', { key: null })
  const schema = expectStatus(200, reply) as Schema & { $schema: string; $id: string }
  assert.equal(reply.headers.get('cache-control'), 'public, max-age=300')
  assert.match(reply.headers.get('content-type') ?? '', /^application\/schema\+json/)
  assert.equal(reply.headers.get('access-control-allow-origin'), '*')
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.equal(schema.$id, `${w.deployment.config.base_url}/schemas/configuration-1.json`)

  const at = (path: string[], from: Schema | undefined = schema) =>
    path.reduce<Schema | undefined>((each, name) => each?.properties?.[name], from)
  const assertField = (name: string, field: Schema | undefined) => {
    assert.ok((field?.description?.length ?? 0) > 10, `${name} has no words`)
    assert.match(field?.['x-class'] ?? '', /^(travels|owned|immutable|secret)$/, name)
  }
  for (const { path } of settingsInDocument('any')) assertField(path, at(['settings', ...path.split('.')]))
  for (const kind of object_kinds)
    for (const name of documentFields(kind))
      assertField(`${kind}.${name}`, at([name], at([object_descriptions[kind].section])?.additionalProperties))
  const min_length = at(['settings', 'password', 'min_length'])
  assert.deepEqual([min_length?.minimum, min_length?.default, min_length?.['x-class']], [8, 12, 'travels'])
  assert.equal(at(['disabled'], at(['webhooks'])?.additionalProperties)?.default, false)

  // as: z.fromJSONSchema takes any schema
  const parsed = z.fromJSONSchema(schema as never)
  for (const environment of [w.test, w.live]) assert.ok(parsed.safeParse((await read(environment)).document).success)
  for (const wrong of [{}, { version: 2 }, { version: 1, users: {} }, { version: 1, settings: { password: { min_length: 7 } } }])
    assert.ok(!parsed.safeParse(wrong).success, JSON.stringify(wrong))
})

for (const { type, fields, missing, secret } of [
  { type: 'github', fields: {}, missing: '/client_secret', secret: { client_secret: 'secret' } },
  { type: 'apple', fields: { team_id: 'T', key_id: 'K' }, missing: '/private_key', secret: { private_key: 'key' } },
])
  test(`a provider of type ${type} may lack its secret while it is disabled`, async () => {
    const create = (more: object) => w.call('POST', `${w.live.path}/providers`, { body: { type, client_id: 'ours', ...fields, ...more } })
    const pointers = ({ status, body }: { status: number; body: { errors?: { pointer: string }[] } }) => [
      status,
      body.errors?.map(({ pointer }) => pointer),
    ]
    assert.deepEqual(pointers(await create({})), [422, [missing]])
    const made = expectStatus(201, await create({ enabled: false }))
    const change = (body: object) => w.call('PATCH', `${w.live.path}/providers/${made.id}`, { body })
    assert.deepEqual(pointers(await change({ enabled: true })), [422, [missing]])
    expectStatus(200, await change({ enabled: true, ...secret }))
    const without = Object.fromEntries(Object.keys(secret).map((name) => [name, null]))
    assert.deepEqual(pointers(await change(without)), [422, [missing]])
    expectStatus(200, await change({ enabled: false, ...without }))
  })
