/** Documents of configurations, made and read: the classes of the fields decide what they have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsInDocument } from '@ostiary/contract/configuration.ts'
import type { NestedFieldClasses } from '@ostiary/contract/objects/field.ts'
import { documentFields, fieldClasses, object_descriptions, object_kinds, secretsOf, setOnce } from '@ostiary/contract/objects/objects.ts'
import fc from 'fast-check'
import { fieldErrors } from '../../http/problem.ts'
import { type ConfiguredObjects, configurationOf } from './configuration.ts'
import { documentText } from './document.ts'
import { areEqual } from './equal.ts'
import { isOwn, readDocument } from './read-document.ts'
import { secretName } from './secret-names.ts'

const pathsOf = (classes: NestedFieldClasses, prefix = ''): string[] =>
  Object.entries(classes).flatMap(([name, kind]) => {
    if (typeof kind === 'object') return pathsOf(kind, `${prefix}${name}.`)
    return kind === 'travels' || kind === 'owned' ? [prefix + name] : []
  })

test('every setting that travels or is owned has a place in a document, and no other has one but a secret', () => {
  const fields = settingsInDocument('any')
  const placed = fields.filter(({ class: kind }) => kind !== 'secret').map(({ path }) => path)
  assert.deepEqual(placed.sort(), pathsOf(fieldClasses.settings).sort())
  assert.deepEqual(
    fields.filter(({ class: kind }) => kind === 'secret').map(({ path }) => path),
    ['email.smtp.password'],
  )
})

for (const kind of object_kinds)
  test(`every field of a ${kind} that travels or is owned has a place in a document, and no other has one but its type and its secrets`, () => {
    const { fixed } = object_descriptions[kind]
    const [set_once, secrets] = [setOnce(kind), secretsOf(kind)]
    const others = [...(fixed === null ? [] : [fixed]), ...set_once, ...secrets]
    assert.deepEqual(documentFields(kind).sort(), [...pathsOf(fieldClasses[kind]), ...others].sort())
  })

const times = { created_at: '2026-11-20T16:31:00.000Z', updated_at: '2026-11-20T16:31:00.000Z' }
const parents = { tenant_id: 'ten_1', project_id: 'prj_1', environment_id: 'env_1', ...times }

const application = (slug: string, name = 'Shop') => ({
  id: `app_${slug}`,
  client_id: `app_${slug}`,
  ...parents,
  slug,
  application_type: 'web',
  template: null,
  name,
  redirect_uris: ['https://b.test/cb', 'https://a.test/cb'],
  post_logout_redirect_uris: [],
  token_endpoint_auth_method: 'client_secret',
  jwks: null,
  jwks_uri: null,
  allowed_scopes: ['openid'],
  unknown_scopes: 'reject',
  allowed_roles: [],
  organizations: 'none',
  roles_claim: null,
  data_claims: false,
  require_pkce: true,
  nonce_replaces_pkce: true,
  consent: 'skip',
  backchannel_logout_uri: null,
  initiate_login_uri: null,
  logo_uri: null,
  allow_loopback_port: false,
  disabled: false,
  has_client_secret: true,
  secret_rotated_at: null,
})

const provider = (slug: string, has_client_secret: boolean) => ({
  id: `prv_${slug}`,
  ...parents,
  slug,
  type: 'google',
  display_name: 'Google',
  issuer: null,
  client_id: '123.apps',
  scopes: ['openid'],
  enabled: has_client_secret,
  link_by_verified_email: false,
  accept_preferred_username: false,
  sign_out: 'none',
  team_id: null,
  key_id: null,
  secret_expires_at: null,
  has_client_secret,
  has_private_key: false,
  callback_url: 'https://id.test/cb',
  post_logout_redirect_uri: 'https://id.test/out',
  backchannel_logout_uri: 'https://id.test/end',
  last_success_at: null,
  last_failure: null,
})

const none = { resource_server: [], role: [], application: [], provider: [], webhook: [] }
const objectsOf = (objects: { application?: object[]; provider?: object[] }) => ({ ...none, ...objects }) as unknown as ConfiguredObjects // as: no other field is read

const environment = (type: 'test' | 'live') => ({ slug: type, type, config_version: 7 })
const smtp = { host: 'mail.test', password: 'sealed' }

test('a document shows values in effect in the order of the schemas, without ids, times and secrets', () => {
  const objects = objectsOf({ application: [application('shop')], provider: [provider('google', true), provider('second', false)] })
  const configuration = configurationOf(environment('live'), { password: { min_length: 14 }, email: { smtp } }, objects)
  const document = JSON.parse(documentText(configuration))
  assert.deepEqual(Object.keys(document), [
    'version',
    'environment',
    'settings',
    'resource_servers',
    'roles',
    'applications',
    'providers',
    'webhooks',
  ])
  const leaves = settingsInDocument('live').map(({ path }) => path)
  assert.deepEqual(leavesOf(document.settings), leaves)
  assert.equal(document.settings.password.min_length, 14)
  assert.equal(document.settings.tokens.access_token_ttl_seconds, 3_600)
  assert.equal(document.settings.email.smtp.password, `\${OSTIARY_SECRET_SMTP_PASSWORD}`)
  assert.deepEqual(Object.keys(document.applications.shop), documentFields('application'))
  assert.deepEqual(Object.keys(document.providers.google), documentFields('provider'))
  assert.equal(document.providers.google.client_secret, `\${OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET}`)
  assert.equal(document.providers.second.client_secret, null)
  assert.doesNotMatch(JSON.stringify(document), /app_|prv_|env_|2026|sealed/)
})

const leavesOf = (value: Readonly<Record<string, unknown>>, prefix = ''): string[] =>
  Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? leavesOf(inner as Record<string, unknown>, `${prefix}${name}.`) // as: an object of a document
      : [prefix + name],
  )

test('the group of Test stands in documents of Test only', () => {
  const of_test = JSON.parse(documentText(configurationOf(environment('test'), { test: { fixed_code: '123456' } }, none)))
  assert.deepEqual(of_test.settings.test, { fixed_code: '123456' })
  assert.ok(!('passkey_shared_host' in of_test.settings.sign_in))
  const of_live = JSON.parse(documentText(configurationOf(environment('live'), {}, none)))
  assert.ok(!('test' in of_live.settings))
  assert.equal(of_live.settings.sign_in.passkey_shared_host, false)
})

const slugs = fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,6}$/), { maxLength: 12 })

test('equal configurations give equal bytes, with objects in the order of their slugs', () => {
  fc.assert(
    fc.property(slugs, (slugs) => {
      const textWith = (slugs: string[]) =>
        documentText(configurationOf(environment('live'), {}, objectsOf({ application: slugs.map((slug) => application(slug)) })))
      const text = textWith(slugs)
      assert.equal(text, textWith(slugs.toReversed()))
      const found = [...text.matchAll(/"([a-z0-9-]+)":\{"application_type"/g)].map(([, slug]) => slug)
      assert.deepEqual(found, slugs.toSorted())
    }),
    { numRuns: 50 },
  )
})

test('what a document shows can be read again, and says the same', () => {
  fc.assert(
    fc.property(slugs, fc.constantFrom('test' as const, 'live' as const), fc.boolean(), (slugs, type, has_mail) => {
      const objects = objectsOf({
        application: slugs.map((slug) => application(slug)),
        provider: slugs.map((slug, i) => provider(slug, i % 2 === 0)),
      })
      const configuration = configurationOf(environment(type), has_mail ? { email: { smtp } } : {}, objects)
      for (const schema of [type, null]) {
        const read = readDocument(JSON.parse(documentText(configuration)), schema)
        assert.ok('document' in read, JSON.stringify(read))
        assert.deepEqual(read.document.settings, configuration.settings)
        assert.deepEqual(
          [...read.document.objects.provider].sort(([a], [b]) => (a < b ? -1 : 1)),
          [...configuration.objects.provider].sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      }
    }),
    { numRuns: 30 },
  )
})

const application_with = (fields: object) => ({ version: 1, applications: { shop: fields } })

// biome-ignore format: this table is read by column
const refused: [why: string, document: unknown, pointer: string, code: string][] = [
  ['no object',                         [],                                                                      '', 'wrong_type'],
  ['no version',                        {},                                                                      '/version', 'required'],
  ['a version to come',                 { version: 2 },                                                          '/version', 'not_allowed'],
  ['an unknown section',                { version: 1, users: {} },                                               '/users', 'unknown_field'],
  ['an unknown group',                  { version: 1, settings: { mails: {} } },                                 '/settings/mails', 'unknown_field'],
  ['an unknown setting',                { version: 1, settings: { password: { max_length: 5 } } },               '/settings/password/max_length', 'unknown_field'],
  ['an unknown field',                  application_with({ client_secret: 'x' }),                                '/applications/shop/client_secret', 'unknown_field'],
  ['an id',                             application_with({ id: 'app_1' }),                                       '/applications/shop/id', 'unknown_field'],
  ['a slug as a field',                 application_with({ slug: 'shop' }),                                      '/applications/shop/slug', 'unknown_field'],
  ['a name that no slug can have',     { version: 1, applications: { Shop: {} } },                              '/applications/Shop', 'not_allowed'],
  ['a wrong type',                      { version: 1, settings: { password: { min_length: '14' } } },            '/settings/password/min_length', 'wrong_type'],
  ['a value out of range',              { version: 1, settings: { password: { min_length: 7 } } },               '/settings/password/min_length', 'out_of_range'],
  ['a list in a list',                  application_with({ redirect_uris: ['https://a.test', ['x']] }),          '/applications/shop/redirect_uris/1', 'wrong_type'],
  ['an application without a name',     application_with({ name: null }),                                        '/applications/shop/name', 'wrong_type'],
  ['a section without objects',         { version: 1, applications: null },                                      '/applications', 'wrong_type'],
  ['a group of Test in Live',           { version: 1, settings: { test: { fixed_code: '123456' } } },            '/settings/test', 'unknown_field'],
  ['captured mail in Live',             { version: 1, settings: { email: { delivery: 'capture' } } },            '/settings/email/delivery', 'not_allowed'],
  ['a mail password in the clear',      { version: 1, settings: { email: { smtp: { password: 'hunter2' } } } },  '/settings/email/smtp/password', 'secret_in_document'],
  ['a client secret in the clear',      { version: 1, providers: { g: { client_secret: 'hunter2' } } },          '/providers/g/client_secret', 'secret_in_document'],
  ['a foreign variable',                { version: 1, providers: { g: { client_secret: `\${HOME}` } } },          '/providers/g/client_secret', 'secret_in_document'],
  ['a name beside other text',          { version: 1, providers: { g: { private_key: ` \${OSTIARY_SECRET_K}` } } }, '/providers/g/private_key', 'secret_in_document'],
  ['a lower-case name',                 { version: 1, providers: { g: { private_key: `\${OSTIARY_SECRET_k}` } } }, '/providers/g/private_key', 'secret_in_document'],
  ['a name of 101 characters',          { version: 1, providers: { g: { private_key: `\${OSTIARY_SECRET_${'K'.repeat(86)}}` } } }, '/providers/g/private_key', 'secret_in_document'],
]
for (const [why, document, pointer, code] of refused)
  test(`a document of Live is refused for ${why}, at its place`, () => {
    const read = readDocument(document, 'live')
    assert.ok('problem' in read)
    assert.deepEqual(
      fieldErrors(read.problem).map(({ pointer, code }) => [pointer, code]),
      [[pointer, code]],
    )
  })

// biome-ignore format: this table is read by column
const accepted: [why: string, document: object][] = [
  ['nothing but its version',          { version: 1 }],
  ['a part of an object',              application_with({ consent: 'ask' })],
  ['a slug of digits',                 { version: 1, applications: { 123: { name: 'x' } } }],
  ['the default of a field',           { version: 1, settings: { password: { min_length: null } } }],
  ['no mail server',                   { version: 1, settings: { email: { smtp: null } } }],
  ['a secret that is removed',         { version: 1, providers: { g: { client_secret: null } } }],
  ['a name of 100 characters',         { version: 1, providers: { g: { private_key: `\${OSTIARY_SECRET_${'K'.repeat(85)}}` } } }],
  ['a variable in another field',      application_with({ name: `\${HOME}` })],
]
for (const [why, document] of accepted)
  test(`a document with ${why} is accepted`, () => assert.ok('document' in readDocument(document, 'live')))

test('a document is about the target itself if it names it, or no environment', () => {
  assert.deepEqual(
    [{ version: 1 }, { version: 1, environment: 'live' }, { version: 1, environment: 'test' }].map((document) => isOwn(document, 'live')),
    [true, true, false],
  )
})

test('a source can be a document of either type', () => {
  const settings = { test: { fixed_code: '123456' }, sign_in: { passkey_shared_host: true }, email: { delivery: 'capture' } }
  assert.ok('document' in readDocument({ version: 1, environment: 'test', settings }, null))
})

// biome-ignore format: this table is read by column
const equal: [a: unknown, b: unknown, are_equal: boolean][] = [
  [['a', 'b'],                                        ['b', 'a'],                                          true],
  [['a', 'b'],                                        ['a'],                                               false],
  [['a', 'a', 'b'],                                   ['a', 'b', 'b'],                                     false],
  [[{ name: 'r', description: null }, { name: 'w' }], [{ name: 'w' }, { description: null, name: 'r' }],   true],
  [[{ name: 'r', description: 'a' }],                 [{ name: 'r', description: 'b' }],                   false],
  [{ keys: [{ kty: 'EC', x: '1' }, { kty: 'RSA' }] }, { keys: [{ kty: 'RSA' }, { kty: 'EC', x: '1' }] },   false],
  [{ keys: [{ kty: 'EC', x: '1' }] },                 { keys: [{ x: '1', kty: 'EC' }] },                   true],
  [null,                                              undefined,                                           true],
  [null,                                              false,                                               false],
  ['1',                                               1,                                                   false],
  [['1,2'],                                           ['1', '2'],                                          false],
]
for (const [a, b, are_equal] of equal)
  test(`${JSON.stringify(a)} and ${JSON.stringify(b)} count as ${are_equal ? 'the same' : 'different'}`, () =>
    assert.equal(areEqual(a, b), are_equal))

test('the names of secrets have at most 100 characters and differ between objects', () => {
  const long = [`${'x'.repeat(62)}a`, `${'x'.repeat(62)}b`, 'a-b', 'a--b', 'a']
  const names = long.map((slug) => secretName('provider', slug, 'client_secret'))
  assert.equal(new Set(names).size, long.length)
  for (const name of names) assert.match(name, /^\$\{OSTIARY_SECRET_[A-Z0-9_]{1,85}\}$/)
})
