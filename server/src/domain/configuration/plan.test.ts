/** The plan of a promotion, as a pure function: what it changes, and every check with a case that meets it and one that just misses it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { application } from '@ostiary/contract/objects/application.ts'
import { defaultsOf } from '@ostiary/contract/objects/field.ts'
import { object_kinds } from '@ostiary/contract/objects/objects.ts'
import { provider } from '@ostiary/contract/objects/provider.ts'
import { resource_server } from '@ostiary/contract/objects/resource-server.ts'
import { role } from '@ostiary/contract/objects/role.ts'
import { webhook } from '@ostiary/contract/objects/webhook.ts'
import type { PlannedChange } from '@ostiary/contract/promotion.ts'
import { PromotionCheckCode } from '@ostiary/contract/promotion-check.ts'
import fc from 'fast-check'
import { finish } from '../../base/steps.ts'
import { bytesOf, longest_plan } from '../promotions/bounds.ts'
import { byKind, type Configuration, configurationOf, type Fields } from './configuration.ts'
import { settingsAfter } from './drafts.ts'
import { areEqual } from './equal.ts'
import { type PlanContext, planSteps } from './plan.ts'
import { fieldsOf, valueAt } from './pointers.ts'
import { readDocument } from './read-document.ts'
import type { Asked } from './wanted.ts'

type Objects = Partial<Record<(typeof object_kinds)[number], Record<string, Fields>>>

const none = { resource_server: [], role: [], application: [], provider: [], webhook: [] }

function configuration(type: 'test' | 'live', { settings = {}, ...objects }: Objects & { settings?: Fields } = {}): Configuration {
  const empty = configurationOf({ slug: type, type, config_version: 1 }, {}, none)
  return {
    ...empty,
    settings: settingsAfter(type, empty.settings, settings),
    objects: byKind((kind) => new Map(Object.entries(objects[kind] ?? {}))),
  }
}

const app = (fields: Fields = {}): Fields => ({
  application_type: 'web',
  name: 'Shop',
  redirect_uris: ['https://test.example/cb'],
  ...defaultsOf(application, fields.application_type ?? 'web'),
  ...fields,
})
const api = (fields: Fields = {}): Fields => ({
  identifier: 'https://api.test.example',
  name: 'API',
  ...defaultsOf(resource_server),
  ...fields,
})
const support = (fields: Fields = {}): Fields => ({ kind: 'user', name: 'Support', ...defaultsOf(role), ...fields })
const permitted = (resource_server: string, ...scopes: string[]) => ({ permissions: [{ resource_server, scopes }] })
const google = (fields: Fields = {}): Fields => ({
  type: 'google',
  client_id: 'test.apps',
  ...defaultsOf(provider, 'google'),
  client_secret: `\${OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET}`,
  private_key: null,
  ...fields,
})
const oidc = (): Fields => ({
  ...google(),
  ...defaultsOf(provider, 'oidc'),
  type: 'oidc',
  issuer: 'https://corp.test.example',
  client_id: 'test',
  client_secret: null,
})
const apple = (): Fields => ({
  ...google(),
  ...defaultsOf(provider, 'apple'),
  type: 'apple',
  team_id: 'T',
  key_id: 'K',
  client_secret: null,
})
const hook = (fields: Fields = {}): Fields => ({ url: 'https://hooks.test.example/', ...defaultsOf(webhook), ...fields })

const context: PlanContext = {
  environment_type: 'live',
  base_url: 'https://id.example.com',
  issuer: 'https://id.example.com/e/env_live',
  allowed: [],
  most_role_permissions: 1_000,
  room: { application: 1_000, resource_server: 1_000, role: 200, provider: 100, webhook: 20 },
  idOf: (kind, slug) => `${kind}_${slug}`,
  left: null,
}

type Request = Partial<Omit<Asked, 'target' | 'source'>> & { context?: Partial<PlanContext> }

function outcomeOf(source: Asked['source'], target: Configuration, { context: more = {}, ...asked }: Request = {}) {
  return finish(
    planSteps({ target, source, is_own: false, keeps: [], values: [], only: null, prune: [], ...asked }, { ...context, ...more }),
  )
}

function plan(...planned: Parameters<typeof outcomeOf>) {
  const outcome = outcomeOf(...planned)
  assert.ok('plan' in outcome, JSON.stringify(outcome))
  return outcome.plan
}

/** The document of the target itself. */
function own(document: object) {
  const read = readDocument({ version: 1, ...document }, 'live')
  assert.ok('document' in read, JSON.stringify(read))
  return read.document
}

/** The target after the changes of a plan. */
function after(target: Configuration, changes: readonly PlannedChange[]): Configuration {
  const objects = byKind((kind) => new Map(target.objects[kind]))
  let { settings } = target
  for (const { object, slug, action, fields } of changes) {
    if (object === 'settings') {
      for (const { pointer, to } of fields) settings = withValue(settings, pointer.slice(1).split('/'), to)
      continue
    }
    if (action === 'delete') objects[object].delete(slug ?? '')
    else
      objects[object].set(slug ?? '', {
        ...(action === 'create'
          ? Object.fromEntries(fieldsOf(object).map(({ path }) => [path[0], null]))
          : objects[object].get(slug ?? '')),
        ...Object.fromEntries(fields.map(({ pointer, to }) => [pointer.slice(1), to])),
      })
  }
  return { ...target, settings, objects }
}

const withValue = (fields: Fields, [name = '', ...rest]: string[], value: unknown): Fields => ({
  ...fields,
  [name]: rest.length === 0 ? value : withValue((fields[name] ?? {}) as Fields, rest, value), // as: a group
})

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields).map((value) => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)))
const slug = fc.constantFrom('a', 'b', '123', 'true', 'x-1')

/** Configurations whose owned values and secrets have a mark of their environment. */
function generated(type: 'test' | 'live') {
  const mark = `${type}.example`
  const url = fc.constantFrom(`https://one.${mark}/cb`, `https://two.${mark}/cb`)
  return fc
    .record({
      settings: record({
        tokens: record({
          access_token_ttl_seconds: some(fc.constantFrom(60, 900, 3_600)),
          access_token_format: some(fc.constantFrom('jwt', 'opaque')),
        }),
        password: record({ min_length: some(fc.constantFrom(8, 12, 14)) }),
        scopes: record({ disabled: some(fc.constantFrom(['phone', 'email'], ['email', 'phone'], [])) }),
        branding: record({
          display_name: some(fc.constantFrom('Shop', 'Store')),
          logo_url: some(url),
          primary_color: some(fc.constant('#112233')),
        }),
        links: record({ terms_url: some(url) }),
        cors: record({ allowed_origins: some(fc.constant([`https://${mark}`])) }),
      }),
      application: fc.dictionary(
        slug,
        record({
          name: fc.constantFrom('A', 'B'),
          redirect_uris: url.map((one) => [one]),
          consent: fc.constantFrom('ask', 'skip'),
          logo_uri: some(url),
          disabled: fc.boolean(),
        }),
      ),
      resource_server: fc.dictionary(
        slug,
        record({ name: fc.constantFrom('A', 'B'), access_token_ttl_seconds: fc.constantFrom(null, 60) }),
      ),
      role: fc.dictionary(slug, record({ name: fc.constantFrom('A', 'B'), description: some(fc.constant('note')), default: fc.boolean() })),
      provider: fc.dictionary(
        slug,
        record({ display_name: fc.constantFrom('A', 'B'), client_id: fc.constant(`${mark}-client`), enabled: fc.boolean() }),
      ),
      webhook: fc.dictionary(
        slug,
        record({
          url,
          events: fc.constantFrom([], ['user.created'], ['user.created', 'user.deleted']),
          description: some(fc.constant('note')),
        }),
      ),
    })
    .map(({ settings, application, resource_server, role, provider, webhook }) =>
      configuration(type, {
        settings,
        application: mapped(application, (fields) => app(fields)),
        resource_server: mapped(resource_server, (fields, slug) => api({ ...fields, identifier: `https://${slug}.${mark}` })),
        role: mapped(role, (fields, slug) => support({ ...fields, kind: slug === 'b' ? 'organization' : 'user' })),
        provider: mapped(provider, (fields, slug) =>
          google({ ...fields, client_secret: `\${OSTIARY_SECRET_${type.toUpperCase()}_${slug.length}}` }),
        ),
        webhook: mapped(webhook, (fields) => hook(fields)),
      }),
    )
}

const mapped = (objects: Record<string, Fields>, of: (fields: Fields, slug: string) => Fields) =>
  Object.fromEntries(Object.entries(objects).map(([slug, fields]) => [slug, of(fields, slug)]))

test('a plan from an environment copies nothing owned, is exactly the difference, and a second plan is empty', () => {
  fc.assert(
    fc.property(generated('test'), generated('live'), (source, target) => {
      const { changes } = plan(source, target)
      assert.doesNotMatch(JSON.stringify(changes.map(({ fields }) => fields.map(({ to }) => to))), /test\.example|OSTIARY_SECRET_TEST/)
      const promoted = after(target, changes)
      for (const object of ['settings', ...object_kinds] as const)
        for (const { path, class: kind } of fieldsOf(object)) {
          const pairs =
            object === 'settings' ? [[source.settings, target.settings, promoted.settings]] : pairsOf(object, source, target, promoted)
          for (const [of_source, before, now] of pairs) {
            const expected = kind === 'travels' || before === undefined ? of_source : before
            const is_new_and_owned = before === undefined && kind !== 'travels' && kind !== 'immutable'
            if (!is_new_and_owned) assert.ok(areEqual(valueAt(now, path), valueAt(expected, path)), `${object} ${path}`)
          }
        }
      for (const kind of object_kinds)
        for (const [slug, fields] of target.objects[kind])
          if (!source.objects[kind].has(slug))
            assert.deepEqual(promoted.objects[kind].get(slug), fields, 'objects of the target alone stay')
      assert.deepEqual(plan(source, withNeeded(promoted)).changes, [])
    }),
    { numRuns: 1_000 },
  )
})

/** With the values that a new object needs of the target. */
const withNeeded = ({ objects, ...rest }: Configuration): Configuration => ({
  ...rest,
  objects: byKind((kind) => new Map([...objects[kind]].map(([slug, fields]) => [slug, { ...fields, ...neededOf(kind, slug, fields) }]))),
})
const neededOf = (kind: (typeof object_kinds)[number], slug: string, fields: Fields): Fields =>
  ({
    application: { redirect_uris: fields.redirect_uris ?? ['https://live.example/cb'] },
    role: {},
    resource_server: { identifier: fields.identifier ?? `https://${slug}.live.example` },
    provider: { client_id: fields.client_id ?? 'live.apps' },
    webhook: { url: fields.url ?? 'https://hooks.live.example/' },
  })[kind]

const pairsOf = (kind: (typeof object_kinds)[number], ...configurations: Configuration[]) =>
  [...(configurations[0]?.objects[kind].keys() ?? [])].map((slug) => configurations.map(({ objects }) => objects[kind].get(slug)))

test('a document of the target itself applies as written, and twice changes nothing', () => {
  fc.assert(
    fc.property(generated('live'), generated('live'), (wanted, target) => {
      const { changes } = plan(wanted, target, { is_own: true })
      const promoted = after(target, changes)
      const fresh = (kind: (typeof object_kinds)[number], slug: string) => !target.objects[kind].has(slug)
      for (const kind of object_kinds)
        for (const [slug, fields] of wanted.objects[kind])
          for (const { path, class: field_class } of fieldsOf(kind))
            if (field_class !== 'secret' || fresh(kind, slug))
              assert.ok(areEqual(valueAt(promoted.objects[kind].get(slug), path), valueAt(fields, path)), `${kind} ${slug} ${path}`)
      assert.ok(areEqual(promoted.settings, wanted.settings))
      assert.deepEqual(plan(wanted, promoted, { is_own: true }).changes, [])
    }),
    { numRuns: 200 },
  )
})

interface Case {
  code: PromotionCheckCode
  why: string
  meets: () => ReturnType<typeof plan>
  misses: () => ReturnType<typeof plan>
  at: string
}

const value = (object: 'application' | 'resource_server' | 'provider' | 'webhook', slug: string, pointer: string, value: unknown) => ({
  object,
  slug,
  pointer,
  value,
})
const shop_here = value('application', 'shop', '/redirect_uris', ['https://shop.example/cb'])
const with_shop = configuration('test', { application: { shop: app() } })
const live_shop = (fields: Fields = {}) => app({ redirect_uris: ['https://shop.example/cb'], ...fields })
const live = (objects: Objects & { settings?: Fields } = {}) => configuration('live', objects)
const five_defaults = (kind: string) => Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`role-${n}`, support({ kind, default: true })]))
const with_a_and_b = {
  api: api({
    scopes: [
      { name: 'a', description: null },
      { name: 'b', description: null },
    ],
  }),
}
const smtp = { delivery: 'smtp', from: 'a@shop.example', smtp: { host: 'mail.example', password: `\${OSTIARY_SECRET_SMTP_PASSWORD}` } }

// biome-ignore format: this table is read by column
const cases: Case[] = [
  { code: 'value_required', why: 'a new application needs redirect URIs', at: 'application/shop/redirect_uris',
    meets: () => plan(with_shop, live()),
    misses: () => plan(with_shop, live(), { values: [shop_here] }) },
  { code: 'value_required', why: 'a new resource server needs its identifier', at: 'resource_server/api/identifier',
    meets: () => plan(configuration('test', { resource_server: { api: api() } }), live()),
    misses: () => plan(configuration('test', { resource_server: { api: api() } }), live(), { values: [value('resource_server', 'api', '/identifier', 'https://api.example')] }) },
  { code: 'value_required', why: 'an application that begins to use keys needs them', at: 'application/shop/jwks',
    meets: () => plan(configuration('test', { application: { shop: app({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://test.example/jwks' }) } }), live({ application: { shop: live_shop() } })),
    misses: () => plan(configuration('test', { application: { shop: app({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://test.example/jwks' }) } }), live({ application: { shop: live_shop() } }), { values: [value('application', 'shop', '/jwks_uri', 'https://shop.example/jwks')] }) },
  { code: 'value_required', why: 'a new provider needs its client id', at: 'provider/google/client_id',
    meets: () => plan(configuration('test', { provider: { google: google() } }), live()),
    misses: () => plan(configuration('test', { provider: { google: google() } }), live(), { values: [value('provider', 'google', '/client_id', 'live.apps')] }) },
  { code: 'value_required', why: 'a new provider of OpenID Connect needs its issuer', at: 'provider/corp/issuer',
    meets: () => plan(configuration('test', { provider: { corp: oidc() } }), live(), { values: [value('provider', 'corp', '/client_id', 'live')] }),
    misses: () => plan(configuration('test', { provider: { corp: oidc() } }), live(), { values: [value('provider', 'corp', '/client_id', 'live'), value('provider', 'corp', '/issuer', 'https://corp.example')] }) },
  { code: 'value_required', why: 'a new provider of Apple needs its team', at: 'provider/apple/team_id',
    meets: () => plan(configuration('test', { provider: { apple: apple() } }), live(), { values: [value('provider', 'apple', '/client_id', 'live'), value('provider', 'apple', '/key_id', 'K')] }),
    misses: () => plan(configuration('test', { provider: { apple: apple() } }), live(), { values: [value('provider', 'apple', '/client_id', 'live'), value('provider', 'apple', '/key_id', 'K'), value('provider', 'apple', '/team_id', 'T')] }) },
  { code: 'value_required', why: 'a new provider of Apple needs the name of its key', at: 'provider/apple/key_id',
    meets: () => plan(configuration('test', { provider: { apple: apple() } }), live(), { values: [value('provider', 'apple', '/client_id', 'live'), value('provider', 'apple', '/team_id', 'T')] }),
    misses: () => plan(configuration('test', { provider: { apple: apple() } }), live(), { values: [value('provider', 'apple', '/client_id', 'live'), value('provider', 'apple', '/key_id', 'K'), value('provider', 'apple', '/team_id', 'T')] }) },
  { code: 'value_required', why: 'a new application with keys needs them', at: 'application/shop/jwks',
    meets: () => plan(configuration('test', { application: { shop: app({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://test.example/jwks' }) } }), live(), { values: [shop_here] }),
    misses: () => plan(configuration('test', { application: { shop: app({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://test.example/jwks' }) } }), live(), { values: [shop_here, value('application', 'shop', '/jwks_uri', 'https://shop.example/jwks')] }) },
  { code: 'value_required', why: 'a new webhook needs its address', at: 'webhook/hook/url',
    meets: () => plan(configuration('test', { webhook: { hook: hook() } }), live()),
    misses: () => plan(configuration('test', { webhook: { hook: hook() } }), live(), { values: [value('webhook', 'hook', '/url', 'https://hooks.example/')] }) },
  { code: 'not_valid_there', why: 'codes need mail', at: 'settings/sign_in/email_code',
    meets: () => plan(configuration('test', { settings: { sign_in: { email_code: true } } }), live()),
    misses: () => plan(configuration('test', { settings: { sign_in: { email_code: true } } }), live({ settings: { email: smtp } })) },
  { code: 'not_valid_there', why: 'a way in is left', at: 'settings/sign_in',
    meets: () => plan(configuration('test', { settings: { sign_in: { password: false } }, provider: { google: google() } }), live({ provider: { google: google({ enabled: false }) } })),
    misses: () => plan(configuration('test', { settings: { sign_in: { password: false } }, provider: { google: google() } }), live({ provider: { google: google() } })) },
  { code: 'not_valid_there', why: 'a switched-off provider leaves a way in', at: 'settings/sign_in',
    meets: () => plan(own({ providers: { google: { enabled: false } } }), live({ settings: { sign_in: { password: false } }, provider: { google: google() } }), { is_own: true }),
    misses: () => plan(own({ providers: { google: { enabled: false } } }), live({ provider: { google: google() } }), { is_own: true }) },
  { code: 'not_valid_there', why: 'a lifetime must not be below another', at: 'settings/sessions/absolute_ttl_seconds',
    meets: () => plan(configuration('test', { settings: { sessions: { absolute_ttl_seconds: 3_600, idle_ttl_seconds: 3_600 } } }), live(), { only: [{ object: 'settings', pointer: '/sessions/absolute_ttl_seconds' }] }),
    misses: () => plan(configuration('test', { settings: { sessions: { absolute_ttl_seconds: 3_600, idle_ttl_seconds: 3_600 } } }), live()) },
  { code: 'not_valid_there', why: 'passkeys of the shared host are wanted', at: 'settings/sign_in/passkey',
    meets: () => plan(configuration('test', { settings: { sign_in: { passkey: true } } }), live()),
    misses: () => plan(configuration('test', { settings: { sign_in: { passkey: true } } }), live({ settings: { sign_in: { passkey_shared_host: true } } })) },
  { code: 'not_valid_there', why: 'keys go with their method', at: 'application/shop/jwks_uri',
    meets: () => plan(with_shop, live({ application: { shop: live_shop({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://shop.example/jwks' }) } })),
    misses: () => plan(with_shop, live({ application: { shop: live_shop({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://shop.example/jwks' }) } }), { values: [value('application', 'shop', '/jwks_uri', null)] }) },
  { code: 'not_valid_there', why: 'an identifier never changes', at: 'resource_server/api/identifier',
    meets: () => plan(own({ resource_servers: { api: { identifier: 'https://other.example' } } }), live({ resource_server: { api: api() } }), { is_own: true }),
    misses: () => plan(own({ resource_servers: { api: { identifier: 'https://api.test.example' } } }), live({ resource_server: { api: api() } }), { is_own: true }) },
  { code: 'type_differs', why: 'one slug with two types', at: 'application/shop/application_type',
    meets: () => plan(with_shop, live({ application: { shop: live_shop({ application_type: 'spa', ...defaultsOf(application, 'spa') }) } })),
    misses: () => plan(with_shop, live({ application: { shop: live_shop() } })) },
  { code: 'identifier_taken', why: 'another resource server has the identifier', at: 'resource_server/new/identifier',
    meets: () => plan(own({ resource_servers: { new: { identifier: 'https://api.test.example', name: 'New' } } }), live({ resource_server: { api: api() } }), { is_own: true }),
    misses: () => plan(own({ resource_servers: { new: { identifier: 'https://api.test.example', name: 'New' } } }), live({ resource_server: { api: api() } }), { is_own: true, prune: [{ object: 'resource_server', slug: 'api' }] }) },
  { code: 'unknown_scope', why: 'neither target nor plan has the scope', at: 'application/shop/allowed_scopes/1',
    meets: () => plan(configuration('test', { application: { shop: app({ allowed_scopes: ['openid', 'orders'] }) } }), live({ application: { shop: live_shop() } })),
    misses: () => plan(configuration('test', { application: { shop: app({ allowed_scopes: ['openid', 'orders'] }) }, resource_server: { api: api({ scopes: [{ name: 'orders', description: null }] }) } }), live({ application: { shop: live_shop() }, resource_server: { api: api() } })) },
  { code: 'unknown_resource_server', why: 'neither target nor plan has the resource server that a role names', at: 'role/support/permissions/0/resource_server',
    meets: () => plan(configuration('test', { role: { support: support(permitted('api', 'orders')) } }), live()),
    misses: () => plan(configuration('test', { role: { support: support(permitted('api', 'orders')) } }), live({ resource_server: { api: api({ scopes: [{ name: 'orders', description: null }] }) } })) },
  { code: 'unknown_resource_server', why: 'a role that the target has names a resource server that it never named', at: 'role/support/permissions/0/resource_server',
    meets: () => plan(own({ roles: { support: { name: 'New', ...permitted('gone', 'orders') } } }), live({ role: { support: support() } }), { is_own: true }),
    misses: () => plan(own({ roles: { support: { name: 'New', ...permitted('gone', 'orders') } } }), live({ role: { support: support(permitted('gone', 'orders')) } }), { is_own: true }) },
  { code: 'unknown_resource_server', why: 'the plan deletes a resource server', at: 'role/support/permissions/0/resource_server',
    meets: () => plan(own({ roles: { support: permitted('api', 'orders') } }), live({ role: { support: support() }, resource_server: { api: api({ scopes: [{ name: 'orders', description: null }] }) } }), { is_own: true, prune: [{ object: 'resource_server', slug: 'api' }] }),
    misses: () => plan(own({ roles: { support: permitted('api', 'orders') } }), live({ role: { support: support() }, resource_server: { api: api({ scopes: [{ name: 'orders', description: null }] }) } }), { is_own: true }) },
  { code: 'unknown_scope', why: 'the resource server has no such scope for a role', at: 'role/support/permissions/0/scopes/1',
    meets: () => plan(configuration('test', { role: { support: support(permitted('api', 'a', 'b')) } }), live({ resource_server: { api: api({ scopes: [{ name: 'a', description: null }] }) } })),
    misses: () => plan(configuration('test', { role: { support: support(permitted('api', 'a', 'b')) }, resource_server: { api: api({ scopes: [{ name: 'a', description: null }, { name: 'b', description: null }] }) } }), live({ resource_server: { api: api() } })) },
  { code: 'type_differs', why: 'one slug with two kinds of roles', at: 'role/support/kind',
    meets: () => plan(configuration('test', { role: { support: support() } }), live({ role: { support: support({ kind: 'organization' }) } })),
    misses: () => plan(configuration('test', { role: { support: support() } }), live({ role: { support: support({ name: 'Other' }) } })) },
  { code: 'not_valid_there', why: 'a role of users administers no organization', at: 'role/support/administers',
    meets: () => plan(own({ roles: { support: { administers: true } } }), live({ role: { support: support() } }), { is_own: true }),
    misses: () => plan(own({ roles: { support: { administers: true } } }), live({ role: { support: support({ kind: 'organization' }) } }), { is_own: true }) },
  { code: 'not_valid_there', why: 'everyone has at most five roles of a kind', at: 'role/support/default',
    meets: () => plan(configuration('test', { role: { support: support({ default: true }) } }), live({ role: five_defaults('user') })),
    misses: () => plan(configuration('test', { role: { support: support({ default: true }) } }), live({ role: five_defaults('organization') })) },
  { code: 'quota_exceeded', why: 'a role with too many scopes', at: 'role/support/permissions',
    meets: () => plan(own({ roles: { support: permitted('api', 'a', 'b') } }), live({ role: { support: support(permitted('api', 'a')) }, resource_server: with_a_and_b }), { is_own: true, context: { most_role_permissions: 1 } }),
    misses: () => plan(own({ roles: { support: permitted('api', 'b') } }), live({ role: { support: support(permitted('api', 'a')) }, resource_server: with_a_and_b }), { is_own: true, context: { most_role_permissions: 0 } }) },
  { code: 'quota_exceeded', why: 'no room for a new role', at: 'role/support',
    meets: () => plan(configuration('test', { role: { support: support() } }), live(), { context: { room: { role: 0 } } }),
    misses: () => plan(configuration('test', { role: { support: support() } }), live(), { context: { room: { role: 1 } } }) },
  { code: 'unknown_role', why: 'neither target nor plan has the role', at: 'application/shop/allowed_roles/0',
    meets: () => plan(configuration('test', { application: { shop: app({ allowed_roles: ['staff'] }) } }), live({ application: { shop: live_shop() } })),
    misses: () => plan(configuration('test', { application: { shop: app({ allowed_roles: ['staff'] }) }, role: { staff: support() } }), live({ application: { shop: live_shop() } })) },
  { code: 'quota_exceeded', why: 'no room for a new application', at: 'application/shop',
    meets: () => plan(with_shop, live(), { values: [shop_here], context: { room: { application: 0 } } }),
    misses: () => plan(with_shop, live(), { values: [shop_here], context: { room: { application: 1 } } }) },
  { code: 'quota_exceeded', why: 'no room for a new resource server', at: 'resource_server/new',
    meets: () => plan(own({ resource_servers: { new: { identifier: 'https://new.example', name: 'New' } } }), live(), { is_own: true, context: { room: { resource_server: 0 } } }),
    misses: () => plan(own({ resource_servers: { new: { identifier: 'https://new.example', name: 'New' } } }), live(), { is_own: true, context: { room: { resource_server: 1 } } }) },
  { code: 'quota_exceeded', why: 'no room but that of a deleted webhook', at: 'webhook/two',
    meets: () => plan(own({ webhooks: { two: { url: 'https://hooks.example/' } } }), live({ webhook: { one: hook() } }), { is_own: true, context: { room: { webhook: 0 } } }),
    misses: () => plan(own({ webhooks: { two: { url: 'https://hooks.example/' } } }), live({ webhook: { one: hook() } }), { is_own: true, prune: [{ object: 'webhook', slug: 'one' }], context: { room: { webhook: 0 } } }) },
  { code: 'secret_required', why: 'an enabled provider has its secret', at: 'provider/google/client_secret',
    meets: () => plan(own({ providers: { google: { type: 'google', client_id: 'live.apps' } } }), live(), { is_own: true }),
    misses: () => plan(own({ providers: { google: { type: 'google', client_id: 'live.apps', client_secret: `\${OSTIARY_SECRET_G}` } } }), live(), { is_own: true }) },
  { code: 'secret_required', why: 'a disabled provider can wait for its secret', at: 'provider/google/client_secret',
    meets: () => plan(own({ providers: { google: { enabled: true } } }), live({ provider: { google: google({ enabled: false, client_secret: null }) } }), { is_own: true }),
    misses: () => plan(own({ providers: { google: { client_id: 'other' } } }), live({ provider: { google: google({ enabled: false, client_secret: null }) } }), { is_own: true }) },
  { code: 'secret_required', why: 'a new mail host needs its secret', at: 'settings/email/smtp/password',
    meets: () => plan(own({ settings: { email: { smtp: { host: 'other.example' } } } }), live({ settings: { email: smtp } }), { is_own: true }),
    misses: () => plan(own({ settings: { email: { smtp: { host: 'other.example', password: `\${OSTIARY_SECRET_SMTP_PASSWORD}` } } } }), live({ settings: { email: smtp } }), { is_own: true }) },
  { code: 'too_many_changes', why: 'over 1,000 objects', at: 'settings',
    meets: () => plan(own({ resource_servers: manyServers(1_001) }), live(), { is_own: true }),
    misses: () => plan(own({ resource_servers: manyServers(1_000) }), live(), { is_own: true }) },
  { code: 'edited_there', why: 'the target was changed since the last promotion', at: 'application/shop/name',
    meets: () => plan(with_shop, live({ application: { shop: live_shop({ name: 'Edited' }) } }), { context: { left: live({ application: { shop: live_shop({ name: 'Left' }) } }) } }),
    misses: () => plan(with_shop, live({ application: { shop: live_shop({ name: 'Left' }) } }), { context: { left: live({ application: { shop: live_shop({ name: 'Left' }) } }) } }) },
  { code: 'begins_disabled', why: 'a new object begins switched off', at: 'application/shop/disabled',
    meets: () => plan(with_shop, live(), { values: [shop_here] }),
    misses: () => plan(with_shop, live(), { values: [shop_here, value('application', 'shop', '/disabled', false)] }) },
  { code: 'secret_made', why: 'a new application has a secret', at: 'application/shop/token_endpoint_auth_method',
    meets: () => plan(with_shop, live(), { values: [shop_here] }),
    misses: () => plan(configuration('test', { application: { shop: app({ application_type: 'spa' }) } }), live(), { values: [shop_here] }) },
  { code: 'secret_made', why: 'a new webhook has a secret', at: 'webhook/hook',
    meets: () => plan(own({ webhooks: { hook: { url: 'https://hooks.example/' } } }), live(), { is_own: true }),
    misses: () => plan(own({ webhooks: { hook: { url: 'https://hooks.example/' } } }), live({ webhook: { hook: hook() } }), { is_own: true }) },
  { code: 'begins_disabled', why: 'a new provider begins switched off', at: 'provider/google/enabled',
    meets: () => plan(configuration('test', { provider: { google: google() } }), live(), { values: [value('provider', 'google', '/client_id', 'live.apps')] }),
    misses: () => plan(configuration('test', { provider: { google: google() } }), live({ provider: { google: google({ enabled: false }) } })) },
  { code: 'edited_there', why: 'a setting was changed since the last promotion', at: 'settings/password/min_length',
    meets: () => plan(configuration('test', { settings: { password: { min_length: 14 } } }), live({ settings: { password: { min_length: 9 } } }), { context: { left: live() } }),
    misses: () => plan(configuration('test', { settings: { password: { min_length: 14 } } }), live(), { context: { left: live() } }) },
  { code: 'secret_ends', why: 'a method without a secret ends it', at: 'application/shop/token_endpoint_auth_method',
    meets: () => plan(own({ applications: { shop: { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://shop.example/jwks' } } }), live({ application: { shop: live_shop() } }), { is_own: true }),
    misses: () => plan(own({ applications: { shop: { token_endpoint_auth_method: 'client_secret_post' } } }), live({ application: { shop: live_shop() } }), { is_own: true }) },
  { code: 'looks_like_rename', why: 'a new slug beside one with the same name and type', at: 'application/shop',
    meets: () => plan(with_shop, live({ application: { store: live_shop() } }), { values: [shop_here] }),
    misses: () => plan(with_shop, live({ application: { store: live_shop({ name: 'Store' }) } }), { values: [shop_here] }) },
  { code: 'irreversible', why: 'the plan deletes', at: 'webhook/one',
    meets: () => plan(own({}), live({ webhook: { one: hook() } }), { is_own: true, prune: [{ object: 'webhook', slug: 'one' }] }),
    misses: () => plan(own({}), live({ webhook: { one: hook() } }), { is_own: true }) },
]

function manyServers(n: number) {
  return Object.fromEntries(Array.from({ length: n }, (_, i) => [`api-${i}`, { identifier: `https://api.example/${i}`, name: 'API' }]))
}

const placesOf = ({ checks }: ReturnType<typeof plan>, code: PromotionCheckCode) =>
  checks
    .filter((check) => check.code === code)
    .map(({ object, slug, pointer }) => `${object}${slug === null ? '' : `/${slug}`}${pointer ?? ''}`)

for (const { code, why, at, meets, misses } of cases)
  test(`${code}: ${why}`, () => {
    assert.deepEqual(placesOf(meets(), code), [at])
    assert.deepEqual(placesOf(misses(), code), [])
  })

test('a plan with too many changes is not judged further', () => {
  const alike = Object.fromEntries(
    Object.keys(manyServers(1_001)).map((slug) => [slug, { identifier: 'https://api.example', name: 'API' }]),
  )
  const { checks, changes } = plan(own({ resource_servers: alike }), live(), { is_own: true })
  assert.deepEqual([checks.map(({ code }) => code), changes.length], [['too_many_changes'], 1_001])
})

/** Counts each reading of a field. */
const counted = <T extends object>(fields: T, count: () => void): T =>
  new Proxy(fields, {
    get(target, name) {
      count()
      return Reflect.get(target, name)
    },
  })

const times = <T>(n: number, of: (i: number) => T) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`object-${i}`, of(i)]))

/** How often a plan about `n` objects reads fields of the others. */
const growing: [what: string, reads: (n: number) => number][] = [
  [
    'objects of a document beside as many of the target',
    (n) => {
      let reads = 0
      const of_target = (fields: Fields) => counted(fields, () => reads++)
      const scopes = (i: number) => [1, 2, 3].map((scope) => ({ name: `scope-${i}-${scope}`, description: null }))
      const target = live({
        resource_server: times(n, (i) => of_target(api({ identifier: `https://api.example/${i}`, scopes: scopes(i) }))),
        application: times(n, (i) => of_target(live_shop({ name: `Old ${i}` }))),
      })
      const document = own({
        resource_servers: Object.fromEntries(
          Array.from({ length: n / 2 }, (_, i) => [`new-${i}`, { identifier: `https://new.example/${i}`, name: 'New' }]),
        ),
        applications: Object.fromEntries(
          Array.from({ length: n / 2 }, (_, i) => {
            const { name, application_type, redirect_uris } = live_shop({ name: `New ${i}` })
            return [`new-${i}`, { name, application_type, redirect_uris, allowed_scopes: ['openid', `scope-${i}-3`] }]
          }),
        ),
      })
      const { checks } = plan(document, target, { is_own: true })
      assert.deepEqual([...new Set(checks.map(({ code }) => code))], ['secret_made'])
      return reads
    },
  ],
  [
    'entries of `only`, `values` and what is meant to differ beside as many objects',
    (n) => {
      let reads = 0
      const entry = <T extends object>(fields: T) => counted(fields, () => reads++)
      const each = <T>(of: (slug: string) => T) => Object.keys(times(n, () => null)).map(of)
      const { changes } = plan(
        configuration('test', { application: times(n, () => app({ name: 'New' })) }),
        live({ application: times(n, () => live_shop()) }),
        {
          only: each((slug) => entry({ object: 'application' as const, slug, pointer: '/name' })),
          values: each((slug) => entry(value('application', slug, '/redirect_uris', ['https://shop.example/cb']))),
          keeps: each((slug) => entry({ object: 'application' as const, slug, pointer: '/consent', reason: 'Live asks.' })),
        },
      )
      assert.equal(changes.length, n)
      return reads
    },
  ],
]
for (const [what, reads] of growing)
  test(`the work of a plan grows with its objects and no faster: ${what}`, () => {
    const [some, twice] = [reads(500), reads(1_000)]
    assert.ok(some > 0 && twice <= 2 * some, `${some}, then ${twice}`)
  })

test('every check but those that count people has a case', () => {
  const covered = new Set<string>(cases.map(({ code }) => code))
  assert.deepEqual(
    PromotionCheckCode.options.filter((code) => !covered.has(code)),
    ['people_lose_way_in', 'people_gain_access', 'people_lose_access'],
  )
})

test('every value that a new object can lack has a case', () => {
  const covered = cases.flatMap(({ code, at }) => (code === 'value_required' ? [at.split('/').at(-1)] : []))
  const named = ['redirect_uris', 'identifier', 'client_id', 'issuer', 'team_id', 'key_id', 'url', 'jwks']
  assert.deepEqual([...new Set(covered)].sort(), named.sort())
})

/** An application with a value in every field. */
const full = (n: number): Fields => {
  const url = (name: string) => `https://application-${n}.customers.example.com/${name}`
  return app({
    name: `Storefront of customer ${n}`,
    redirect_uris: [url('auth/callback'), url('auth/silent'), 'http://localhost:3000/auth/callback'],
    post_logout_redirect_uris: [url('signed-out'), url('')],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks_uri: url('.well-known/jwks.json'),
    allowed_scopes: ['openid', 'profile', 'email', 'phone', 'offline_access'],
    consent: 'ask',
    backchannel_logout_uri: url('backchannel-logout'),
    initiate_login_uri: url('sign-in'),
    logo_uri: url('logo.svg'),
  })
}

test('a plan of 1,000 full applications has room in the bytes of a plan, as has one of 1,000 that change in every field', () => {
  const applications = times(1_000, full)
  const with_values = Object.keys(applications).map((slug, n) =>
    value('application', slug, '/redirect_uris', [`https://new.example/${n}/callback`]),
  )
  const created = plan(configuration('test', { application: applications }), live(), { values: with_values })
  const changed = plan(
    own({ applications: times(1_000, (n) => ({ ...full(n + 1), redirect_uris: [`https://new.example/${n}`], consent: 'skip' })) }),
    live({ application: times(1_000, full) }),
    {
      is_own: true,
    },
  )
  for (const [name, { changes, checks }, values] of [
    ['created', created, with_values],
    ['changed', changed, []],
  ] as const) {
    assert.equal(changes.length, 1_000, name)
    const bytes = bytesOf(JSON.stringify({ values, only: [], prune: [], changes, checks, needed_secrets: [], left_alone: [] }))
    assert.ok(bytes < longest_plan, `${name}: ${bytes}`)
  }
})

test('a plan names the ways in that it closes, for the count of people', () => {
  const closed = plan(
    configuration('test', { settings: { sign_in: { password: false, passkey: true } } }),
    live({ settings: { sign_in: { passkey_shared_host: true } } }),
  )
  assert.deepEqual(closed.closed_ways, [{ object: 'settings', slug: null, pointer: '/sign_in/password' }])
  assert.deepEqual(plan(configuration('test'), live()).closed_ways, [])
})

test('fields that are meant to differ stay, and so do whole objects', () => {
  const source = configuration('test', {
    settings: { password: { min_length: 14 } },
    application: { shop: app({ consent: 'ask' }), other: app() },
  })
  const target = live({ application: { shop: live_shop() } })
  const reason = 'Live is stricter.'
  const keeps = [
    { object: 'settings' as const, slug: null, pointer: '/password/min_length', reason },
    { object: 'application' as const, slug: 'shop', pointer: '/consent', reason },
    { object: 'application' as const, slug: 'other', pointer: null, reason },
  ]
  const { changes, left_alone } = plan(source, target, { keeps })
  assert.deepEqual(changes, [])
  assert.deepEqual(
    left_alone.map(({ slug, pointer, why }) => [slug, pointer, why]),
    [
      [null, '/password/min_length', 'kept'],
      ['shop', '/consent', 'kept'],
      ['other', null, 'kept'],
    ],
  )
  assert.equal(
    plan(own({ settings: { password: { min_length: 14 } } }), target, { keeps, is_own: true }).changes.length,
    1,
    'an own document is exact',
  )
})

test('only plans what it names', () => {
  const source = configuration('test', {
    settings: { password: { min_length: 14 }, lockout: { max_attempts: 5 } },
    application: { shop: app({ consent: 'ask', name: 'New' }) },
  })
  const target = live({ application: { shop: live_shop() } })
  const changed = (only: Asked['only']) =>
    plan(source, target, { only }).changes.flatMap(({ fields }) => fields.map(({ pointer }) => pointer))
  assert.deepEqual(changed([{ object: 'settings', pointer: '/password/min_length' }]), ['/password/min_length'])
  assert.deepEqual(changed([{ object: 'application', slug: 'shop' }]), ['/name', '/consent'])
  assert.deepEqual(changed([{ object: 'application' }, { object: 'settings' }]), [
    '/password/min_length',
    '/lockout/max_attempts',
    '/name',
    '/consent',
  ])
})

// biome-ignore format: this table is read by column
const refused: [why: string, outcome: () => ReturnType<typeof outcomeOf>, pointers: string[]][] = [
  ['a value of a field that travels',      () => outcomeOf(with_shop, live(), { values: [value('application', 'shop', '/name', 'x')] }),                           ['/values/0/pointer']],
  ['a value of an immutable field',        () => outcomeOf(with_shop, live(), { values: [value('application', 'shop', '/application_type', 'spa')] }),             ['/values/0/pointer']],
  ['a value of a secret',                  () => outcomeOf(configuration('test', { provider: { google: google() } }), live(), { values: [value('provider', 'google', '/client_secret', 'x')] }), ['/values/0/pointer']],
  ['a value of an unknown object',         () => outcomeOf(with_shop, live(), { values: [value('application', 'none', '/disabled', true)] }),                     ['/values/0/slug']],
  ['a value of a wrong type',              () => outcomeOf(with_shop, live(), { values: [shop_here, value('application', 'shop', '/disabled', 'no')] }),          ['/values/1/value']],
  ['a value that the target refuses',      () => outcomeOf(with_shop, live(), { values: [value('application', 'shop', '/redirect_uris', ['https://a.example', 'http://b.example'])] }), ['/values/0/value/1']],
  ['a value of an object that is meant to differ', () => outcomeOf(with_shop, live(), { values: [shop_here], keeps: [{ object: 'application', slug: 'shop', pointer: null, reason: 'Not wanted.' }] }), ['/values/0']],
  ['a value of a field that is meant to differ',   () => outcomeOf(with_shop, live({ application: { shop: live_shop() } }), { values: [shop_here], keeps: [{ object: 'application', slug: 'shop', pointer: '/redirect_uris', reason: 'Live has its own.' }] }), ['/values/0']],
  ['values beside an own document',        () => outcomeOf(own({}), live(), { is_own: true, values: [shop_here] }),                                                ['/values']],
  ['an only that matches nothing',         () => outcomeOf(with_shop, live(), { values: [shop_here], only: [{ object: 'application' }, { object: 'webhook' }] }),   ['/only/1']],
  ['a prune from a source',                () => outcomeOf(with_shop, live(), { values: [shop_here], prune: [{ object: 'webhook', slug: 'x' }] }),                ['/prune']],
  ['a prune of an unknown object',         () => outcomeOf(own({}), live(), { is_own: true, prune: [{ object: 'webhook', slug: 'x' }] }),                          ['/prune/0/slug']],
  ['a prune of an object of the document', () => outcomeOf(own({ webhooks: { one: {} } }), live({ webhook: { one: hook() } }), { is_own: true, prune: [{ object: 'webhook', slug: 'one' }] }), ['/prune/0/slug']],
  ['a new object without a field',         () => outcomeOf(own({ applications: { shop: { name: 'Shop' } } }), live(), { is_own: true }),                           ['/document/applications/shop/application_type']],
  ['a new object without a field',         () => outcomeOf(own({ applications: { shop: { application_type: 'web', name: 'Shop' } } }), live(), { is_own: true }),  ['/document/applications/shop/redirect_uris']],
  ['an address that Live refuses',         () => outcomeOf(own({ applications: { shop: { redirect_uris: ['https://a.example', 'http://b.example'] } } }), live({ application: { shop: live_shop() } }), { is_own: true }), ['/document/applications/shop/redirect_uris/1']],
  ['a private address of a webhook',       () => outcomeOf(own({ webhooks: { one: { url: 'https://10.0.0.1/' } } }), live({ webhook: { one: hook() } }), { is_own: true }), ['/document/webhooks/one/url']],
]
for (const [why, outcome, pointers] of refused)
  test(`a request with ${why} is refused at its place: ${pointers}`, () => {
    const found = outcome()
    assert.ok('problems' in found, JSON.stringify(found))
    assert.deepEqual(
      found.problems.map(({ pointer }) => pointer),
      pointers,
    )
  })

test('the secrets that a document names are needed, and a stored one stays unless it would go elsewhere', () => {
  const email = { smtp: { password: `\${OSTIARY_SECRET_MAIL}` } }
  const providers = { google: { client_secret: `\${OSTIARY_SECRET_G}` } }
  const target = live({ settings: { email: smtp }, provider: { google: google() } })
  const needed = (document: object) =>
    plan(own(document), target, { is_own: true }).needed_secrets.map(({ name, pointer, stored }) => [name, pointer, stored])
  assert.deepEqual(needed({ settings: { email }, providers }), [
    ['OSTIARY_SECRET_MAIL', '/email/smtp/password', true],
    ['OSTIARY_SECRET_G', '/client_secret', true],
  ])
  assert.deepEqual(needed({ settings: { email: { smtp: { ...email.smtp, host: 'other.example' } } } }), [
    ['OSTIARY_SECRET_MAIL', '/email/smtp/password', false],
  ])
  assert.deepEqual(plan(own({ settings: { email }, providers }), target, { is_own: true }).changes, [], 'a plan compares no secrets')
})

test('a mail server that a document removes is removed with all its fields', () => {
  const { changes } = plan(own({ settings: { email: { delivery: 'none', smtp: null } } }), live({ settings: { email: smtp } }), {
    is_own: true,
  })
  assert.deepEqual(
    changes.flatMap(({ fields }) => fields.map(({ pointer, to }) => [pointer, to])),
    [
      ['/email/delivery', 'none'],
      ['/email/smtp/host', null],
      ['/email/smtp/port', null],
      ['/email/smtp/username', null],
      ['/email/smtp/password', null],
      ['/email/smtp/tls', null],
    ].filter(([pointer]) => pointer !== '/email/smtp/username'),
  )
})
