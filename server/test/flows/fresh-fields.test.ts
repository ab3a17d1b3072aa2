/** Which change of which field needs a fresh sign-in, in Test and Live, for a session of the dashboard and a token of the command line. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { signInToDashboard } from '../support/dashboard.ts'
import { createResourceServer, createRole } from '../support/roles.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const stale_token = await administratorToken(w, owner)
const stale_dashboard = await signInToDashboard(w)
w.advance(601)
const fresh_token = await administratorToken(w, owner)

type Change = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>
const tenant = { 'x-tenant-id': w.tenant_id }

/** All calls are of one administrator: the clock moves on before their rate limit is reached, and the fresh sign-in stays fresh. */
const calls_per_window = 500
let calls = 0
const counted =
  (call: Change): Change =>
  (...request) => {
    if (++calls % calls_per_window === 0) w.advance(10)
    return call(...request)
  }
const stale: [string, Change][] = [
  ['a token of the command line', counted(asAdministrator(w, stale_token))],
  [
    'a session of the dashboard',
    counted((method, path, body, headers) => stale_dashboard.call(method, path, body, { ...tenant, ...headers })),
  ],
]
const fresh = counted(asAdministrator(w, fresh_token))

/** An object of a kind: creates it by a key, and returns its path. */
type Make = (environment: TestEnvironment, fields: object) => Promise<string>
const made = (path: string, defaults: object): Make => {
  return async (environment, fields) => {
    const body = { ...defaults, ...fields }
    const { id } = expectStatus(201, await w.call('POST', `${environment.path}/${path}`, { body }))
    return `${environment.path}/${path}/${id}`
  }
}

let made_count = 0
const next = () => `n${++made_count}`
const redirect_uris = ['https://app.example.com/callback']
const jwk = { kty: 'EC', crv: 'P-256', x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' }
const jwks = { keys: [jwk] }

const application = made('applications', { name: 'App', application_type: 'web', redirect_uris })
const native = made('applications', { name: 'App', application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'] })
const by_keys = made('applications', {
  name: 'App',
  application_type: 'web',
  redirect_uris,
  token_endpoint_auth_method: 'private_key_jwt',
  jwks,
})
const google = made('providers', { type: 'google', client_id: 'client', client_secret: 'secret' })
const oidc = made('providers', { type: 'oidc', client_id: 'client', client_secret: 'secret', issuer: 'https://idp.example.com' })
const apple = made('providers', { type: 'apple', client_id: 'client', team_id: 'TEAM', key_id: 'KEY', private_key: applePrivateKey() })
const webhook = made('webhooks', { url: 'https://hooks.example.com/a', events: ['user.created'] })
const secret_key = made('auth-keys', { type: 'auth_secret' })
const publishable = made('auth-keys', { type: 'auth_publishable', allowed_origins: ['https://a.example.com', 'https://b.example.com'] })
const platform_key: Make = async (_, fields) => {
  const path = `/v1/tenants/${w.tenant_id}/platform-keys`
  const { id } = expectStatus(201, await fresh('POST', path, { label: 'Key', scopes: ['projects:read'], ...fields }))
  return `${path}/${id}`
}
const user: Make = async (environment, fields) =>
  `/v1/auth/users/${(await w.createUser(environment, { email: `${next()}@example.com`, ...fields })).id}`
/** A user with roles, which a backend gives. */
const holder: Make = async (environment, fields) => {
  const path = await user(environment, {})
  expectStatus(200, await fresh('PATCH', path, fields, { 'x-environment-id': environment.id }))
  return path
}
const organization: Make = async (environment, fields) => {
  const headers = { 'x-environment-id': environment.id }
  return `/v1/auth/organizations/${expectStatus(201, await fresh('POST', '/v1/auth/organizations', { name: next(), ...fields }, headers)).id}`
}
for (const environment of [w.test, w.live]) for (const slug of ['editor', 'viewer']) await createRole(w, environment, { slug })
for (const environment of [w.test, w.live]) await createResourceServer(w, environment, 'orders', ['read', 'write'])
const orders = (...scopes: string[]) => [{ resource_server: 'orders', scopes }]
const role = made('roles', { name: 'Role', kind: 'organization' })
const settings: Make = async (environment, fields) => {
  const neutral = {
    sign_in: null,
    sign_up: null,
    mfa: null,
    lockout: null,
    password: null,
    sessions: null,
    cors: null,
    scopes: null,
    claims: null,
    tokens: null,
    oauth: null,
    passkeys: null,
  }
  await w.changeSettings(environment, { ...neutral, email: null, branding: null, links: null, ...fields })
  return `${environment.path}/settings`
}
const resource_server: Make = (environment, fields) =>
  made('resource-servers', { identifier: `https://${next()}.example.com`, name: 'API' })(environment, fields)

// Another way to sign in, so that passwords can be switched off.
for (const environment of [w.test, w.live]) await google(environment, {})

const soon = () => new Date(w.now().getTime() + 3_600_000).toISOString()
const later = () => new Date(w.now().getTime() + 7_200_000).toISOString()
const two_hours = later()

type Needed = 'always' | 'in_live' | 'never'
type Case = [kind: string, make: Make, before: object, change: object | (() => object), needed: Needed]

// biome-ignore format: this table is read by column
const cases: Case[] = [
  ['application', application,     {},                                    { redirect_uris: ['https://evil.example.com/'] },               'in_live'],
  ['application', application,     {},                                    { post_logout_redirect_uris: ['https://evil.example.com/'] },   'in_live'],
  ['application', application,     {},                                    { backchannel_logout_uri: 'https://evil.example.com/' },        'in_live'],
  ['application', application,     {},                                    { allowed_scopes: ['openid', 'email'] },                        'in_live'],
  ['application', application,     {},                                    { consent: 'ask' },                                             'in_live'],
  ['application', application,     { consent: 'ask' },                    { consent: null },                                              'in_live'],
  ['application', application,     {},                                    { require_pkce: false },                                        'in_live'],
  ['application', application,     { nonce_replaces_pkce: false },        { nonce_replaces_pkce: true },                                  'in_live'],
  ['application', application,     {},                                    { unknown_scopes: 'ignore' },                                   'in_live'],
  ['application', native,          {},                                    { allow_loopback_port: true },                                  'in_live'],
  ['application', application,     { disabled: true },                    { disabled: false },                                            'in_live'],
  ['application', application,     { disabled: true },                    { disabled: null },                                             'in_live'],
  ['application', application,     {},                                    { disabled: true },                                             'never'],
  ['application', application,     { disabled: true },                    { disabled: true },                                             'never'],
  ['application', application,     {},                                    { token_endpoint_auth_method: 'client_secret_post' },           'always'],
  ['application', application,     {},                                    { token_endpoint_auth_method: 'private_key_jwt', jwks },        'always'],
  ['application', by_keys,         {},                                    { jwks: { keys: [{ ...jwk, kid: 'new' }] } },                   'always'],
  ['application', by_keys,         {},                                    { jwks: null, jwks_uri: 'https://evil.example.com/keys' },      'always'],
  ['application', application,     {},                                    { token_endpoint_auth_method: null, redirect_uris },            'never'],
  ['application', application,     {},                                    { name: 'Shop', logo_uri: 'https://app.example.com/logo.png' }, 'never'],
  ['application', application,     {},                                    { name: 'Shop', consent: 'ask' },                               'in_live'],
  ['application', application,     { allowed_roles: ['viewer'] },         { allowed_roles: ['editor', 'viewer'] },                        'in_live'],
  ['application', application,     { allowed_roles: ['viewer'] },         { allowed_roles: null },                                        'in_live'],
  ['application', application,     { allowed_roles: ['viewer'] },         { allowed_roles: ['viewer'], name: 'Shop' },                    'never'],
  ['application', application,     {},                                    { roles_claim: 'groups' },                                      'in_live'],
  ['application', application,     {},                                    { data_claims: true },                                          'in_live'],
  ['resource server', resource_server, {},                                { data_claims: true },                                          'in_live'],
  ['resource server', resource_server, {},                                { scopes: [{ name: 'read', description: 'Read' }] },            'in_live'],
  ['resource server', resource_server, {},                                { access_token_ttl_seconds: 600 },                              'in_live'],
  ['resource server', resource_server, { require_roles: true },           { require_roles: false },                                       'in_live'],
  ['resource server', resource_server, {},                                { roles_claim: 'roles' },                                       'in_live'],
  ['role',        role,            {},                                    { permissions: orders('read') },                                'in_live'],
  ['role',        role,            { permissions: orders('read') },       { permissions: orders('read', 'write') },                       'in_live'],
  ['role',        role,            { permissions: orders('read', 'write') }, { permissions: orders('write') },                            'never'],
  ['role',        role,            { permissions: orders('read') },       { permissions: null },                                          'never'],
  ['role',        role,            {},                                    { default: true },                                              'in_live'],
  ['role',        role,            {},                                    { name: 'Other', description: 'Other' },                        'never'],
  ['provider',    google,          {},                                    { client_secret: 'another' },                                   'always'],
  ['provider',    apple,           {},                                    { private_key: applePrivateKey() },                             'always'],
  ['provider',    oidc,            {},                                    { issuer: 'https://evil.example.com', client_secret: 'other' }, 'always'],
  ['provider',    google,          {},                                    { client_id: 'another' },                                       'in_live'],
  ['provider',    apple,           {},                                    { team_id: 'OTHER' },                                           'in_live'],
  ['provider',    apple,           {},                                    { key_id: 'OTHER' },                                            'in_live'],
  ['provider',    google,          {},                                    { link_by_verified_email: true },                               'in_live'],
  ['provider',    google,          {},                                    { accept_preferred_username: true },                            'in_live'],
  ['provider',    google,          { enabled: false },                    { enabled: true },                                              'in_live'],
  ['provider',    google,          { enabled: false },                    { enabled: null },                                              'in_live'],
  ['provider',    google,          {},                                    { enabled: false },                                             'never'],
  ['provider',    google,          {},                                    { display_name: 'Sign in', scopes: ['openid'] },                'never'],
  ['webhook',     webhook,         {},                                    { url: 'https://evil.example.com/' },                           'in_live'],
  ['webhook',     webhook,         {},                                    { events: [] },                                                 'in_live'],
  ['webhook',     webhook,         { disabled: true },                    { disabled: false },                                            'in_live'],
  ['webhook',     webhook,         {},                                    { disabled: true },                                             'never'],
  ['webhook',     webhook,         {},                                    { description: 'Orders', url: 'https://hooks.example.com/a' },  'never'],
  ['auth key',    publishable,     {},                                    { allowed_origins: ['https://a.example.com', 'https://c.example.com'] }, 'always'],
  ['auth key',    publishable,     {},                                    { allowed_origins: ['https://b.example.com'] },                 'never'],
  ['auth key',    secret_key,      { ip_allowlist: ['10.0.0.0/8'] },      { ip_allowlist: ['10.0.0.0/7'] },                               'always'],
  ['auth key',    secret_key,      { ip_allowlist: ['10.0.0.0/8'] },      { ip_allowlist: [] },                                           'always'],
  ['auth key',    secret_key,      { ip_allowlist: ['10.0.0.0/8'] },      { ip_allowlist: null },                                         'always'],
  ['auth key',    secret_key,      { ip_allowlist: ['10.0.0.0/8'] },      { ip_allowlist: ['10.1.0.0/16', '10.2.3.4'] },                  'never'],
  ['auth key',    secret_key,      {},                                    { ip_allowlist: ['0.0.0.0/0'] },                                'never'],
  ['auth key',    secret_key,      { rate_limit: { limit: 10, window_seconds: 10 } }, { rate_limit: { limit: 11 } },                      'always'],
  ['auth key',    secret_key,      { rate_limit: { limit: 10, window_seconds: 10 } }, { rate_limit: { window_seconds: 9 } },              'always'],
  ['auth key',    secret_key,      { rate_limit: { limit: 10, window_seconds: 10 } }, { rate_limit: null },                               'always'],
  ['auth key',    secret_key,      { rate_limit: { limit: 10, window_seconds: 10 } }, { rate_limit: { limit: 9 } },                       'never'],
  ['auth key',    secret_key,      {},                                    { rate_limit: { limit: 50, window_seconds: 10 } },              'never'],
  ['auth key',    secret_key,      { expires_at: soon() },                { expires_at: two_hours },                                      'always'],
  ['auth key',    secret_key,      { expires_at: soon() },                { expires_at: null },                                           'always'],
  ['auth key',    secret_key,      {},                                    { expires_at: two_hours, label: 'Backend' },                    'never'],
  ['platform key', platform_key,   {},                                    { scopes: ['projects:read', 'projects:write'] },                'always'],
  ['platform key', platform_key,   {},                                    { scopes: ['*'] },                                              'always'],
  ['platform key', platform_key,   { scopes: ['*'] },                     { scopes: ['projects:read'] },                                  'never'],
  ['platform key', platform_key,   { ip_allowlist: ['::1'] },             { ip_allowlist: ['::/0'] },                                     'always'],
  ['platform key', platform_key,   {},                                    { label: 'Pipeline', ip_allowlist: ['::1'] },                   'never'],
  ['user',        user,            {},                                    { password: 'a new and long password' },                        'in_live'],
  ['user',        user,            {},                                    { password: null },                                             'in_live'],
  ['user',        user,            {},                                    () => ({ email: `${next()}@evil.example.com` }),                'in_live'],
  ['user',        user,            { email_verified: false },             { email_verified: true },                                       'in_live'],
  ['user',        user,            {},                                    { email_verified: false },                                      'in_live'],
  ['user',        user,            {},                                    { phone_number: '+41791234567' },                               'in_live'],
  ['user',        user,            {},                                    { name: 'Ada', metadata: { plan: 'free' } },                    'never'],
  ['user',        user,            {},                                    { claims: { plan: 'enterprise' } },                             'in_live'],
  ['user',        user,            { claims: { plan: 'enterprise' } },    { claims: null },                                               'in_live'],
  ['user',        user,            { claims: { plan: 'enterprise' } },    { claims: { plan: 'enterprise', other: null } },                'never'],
  ['user',        holder,          {},                                    { roles: ['editor'] },                                          'in_live'],
  ['user',        holder,          { roles: ['viewer'] },                 { roles: ['editor', 'viewer'] },                                'in_live'],
  ['user',        holder,          { roles: ['editor', 'viewer'] },       { roles: ['viewer'] },                                          'never'],
  ['user',        holder,          { roles: ['editor'] },                 { roles: null },                                                'never'],
  ['organization', organization,   {},                                    { claims: { plan: 'enterprise' } },                             'in_live'],
  ['organization', organization,   { claims: { plan: 'enterprise' } },    { claims: { plan: null } },                                     'in_live'],
  ['organization', organization,   { claims: { plan: 'enterprise' } },    { claims: { plan: 'enterprise' }, metadata: { note: 1 }, name: 'Other' }, 'never'],
  ['settings',    settings,        {},                                    { email: { from: 'shop@example.com' } },                        'always'],
  ['settings',    settings,        {},                                    { email: null },                                                'never'],
  ['settings',    settings,        {},                                    { sign_in: { password: false } },                               'in_live'],
  ['settings',    settings,        {},                                    { sign_up: { mode: 'closed' } },                                'in_live'],
  ['settings',    settings,        {},                                    { mfa: { mode: 'optional' } },                                  'in_live'],
  ['settings',    settings,        {},                                    { lockout: { max_attempts: 100 } },                             'in_live'],
  ['settings',    settings,        {},                                    { password: { min_length: 8 } },                                'in_live'],
  ['settings',    settings,        {},                                    { sessions: { idle_ttl_seconds: 2_592_000 } },                  'in_live'],
  ['settings',    settings,        {},                                    { cors: { allowed_origins: ['https://evil.example.com'] } },    'in_live'],
  ['settings',    settings,        {},                                    { scopes: { disabled: ['phone'] } },                            'in_live'],
  ['settings',    settings,        {},                                    { tokens: { access_token_ttl_seconds: 86_400 } },               'in_live'],
  ['settings',    settings,        {},                                    { tokens: { refresh_retry_window_seconds: 60 } },               'in_live'],
  ['settings',    settings,        {},                                    { tokens: { id_token_claims: 'minimal' } },                     'never'],
  ['settings',    settings,        {},                                    { claims: { preferred_username: 'email' } },                    'in_live'],
  ['settings',    settings,        {},                                    { oauth: { metadata_clients: 'listed' } },                      'in_live'],
  ['settings',    settings,        { oauth: { metadata_clients: 'listed' } }, { oauth: { metadata_clients: 'any' } },                     'in_live'],
  ['settings',    settings,        { oauth: { metadata_clients: 'any' } }, { oauth: { metadata_clients: 'listed' } },                     'never'],
  ['settings',    settings,        { oauth: { metadata_clients: 'any' } }, { oauth: null },                                               'never'],
  ['settings',    settings,        {},                                    { oauth: { openid_optional: true } },                           'never'],
  ['settings',    settings,        {},                                    { passkeys: { automatic: true } },                              'always'],
  ['settings',    settings,        { passkeys: { automatic: true } },     { passkeys: { automatic: true } },                              'never'],
  ['settings',    settings,        { passkeys: { automatic: true } },     { passkeys: { automatic: false } },                             'never'],
  ['settings',    settings,        { passkeys: { automatic: true } },     { passkeys: null },                                             'never'],
  ['settings',    settings,        {},                                    { branding: { display_name: 'Shop' }, links: { terms_url: 'https://shop.example.com/terms' } }, 'never'],
  ['settings',    settings,        { lockout: { max_attempts: 5 } },      { lockout: { max_attempts: 5 } },                               'never'],
]

const isRefused = ({ status, body }: Reply) => status === 403 && body.code === 'reauthentication_required' && body.max_age === 600

for (const [index, [kind, make, before, change, needed]] of cases.entries())
  for (const environment of [w.test, w.live]) {
    const needs = needed === 'always' || (needed === 'in_live' && environment.type === 'live')
    const from = Object.keys(before).length === 0 ? '' : ` after ${JSON.stringify(before)}`
    const to = JSON.stringify(typeof change === 'function' ? change() : change)
    test(`${kind}${from}: ${to} needs ${needs ? 'a' : 'no'} fresh sign-in in ${environment.type} (${index + 1})`, async () => {
      const headers = { 'x-environment-id': environment.id }
      for (const [credential, call] of stale) {
        const path = await make(environment, before)
        const body = typeof change === 'function' ? change() : change
        const unchanged = await fresh('GET', path, undefined, headers)
        const reply = await call('PATCH', path, body, headers)
        assert.equal(reply.status, needs ? 403 : 200, `${credential}: ${JSON.stringify(reply.body)}`)
        if (needs) {
          assert.ok(isRefused(reply))
          const still = await fresh('GET', path, undefined, headers)
          assert.deepEqual(still.body, unchanged.body, 'nothing changed')
          expectStatus(200, await fresh('PATCH', path, body, headers))
        }
        if (kind === 'webhook') assert.equal((await w.call('DELETE', path)).status, 204) // a project has few
      }
    })
  }

type Post = [row: string, path: (environment: TestEnvironment) => string, body: () => object, needed: Needed]

// biome-ignore format: this table is read by column
const posts: Post[] = [
  ['a web application',                     ({ path }) => `${path}/applications`, () => ({ name: 'App', application_type: 'web', redirect_uris }),                                                             'always'],
  ['a web application with its keys',       ({ path }) => `${path}/applications`, () => ({ name: 'App', application_type: 'web', redirect_uris, token_endpoint_auth_method: 'private_key_jwt', jwks }),        'always'],
  ['a product',                             ({ path }) => `${path}/applications`, () => ({ template: 'gatus', url: `https://${next()}.example.com` }),                                                   'always'],
  ['a spa application',                     ({ path }) => `${path}/applications`, () => ({ name: 'App', application_type: 'spa', redirect_uris }),                                                             'in_live'],
  ['a provider with a secret',              ({ path }) => `${path}/providers`,    () => ({ type: 'google', client_id: 'client', client_secret: 'secret' }),                                                    'always'],
  ['a resource server',                     ({ path }) => `${path}/resource-servers`, () => ({ identifier: `https://${next()}.example.com`, name: 'API' }),                                                    'in_live'],
  ['a role',                                ({ path }) => `${path}/roles`,        () => ({ name: 'Role', kind: 'organization' }),                                                                              'in_live'],
  ['a webhook',                             ({ path }) => `${path}/webhooks`,     () => ({ url: 'https://hooks.example.com/b' }),                                                                              'always'],
  ['an auth key',                           ({ path }) => `${path}/auth-keys`,    () => ({ type: 'auth_secret' }),                                                                                             'always'],
  ['a user',                                () => '/v1/auth/users',               () => ({ email: `${next()}@example.com`, password: 'a new and long password' }),                                             'in_live'],
  ['a project',                             () => '/v1/platform/projects',        () => ({ slug: next(), name: 'Shop' }),                                                                                      'never'],
]

for (const [what, pathOf, body, needed] of posts)
  for (const environment of [w.test, w.live]) {
    const needs = needed === 'always' || (needed === 'in_live' && environment.type === 'live')
    test(`creating ${what} needs ${needs ? 'a' : 'no'} fresh sign-in in ${environment.type}`, async () => {
      const headers = { 'x-environment-id': environment.id }
      for (const [credential, call] of stale) {
        const reply = await call('POST', pathOf(environment), body(), headers)
        assert.equal(reply.status, needs ? 403 : 201, `${credential}: ${JSON.stringify(reply.body)}`)
        if (needs) assert.ok(isRefused(reply))
        if (needs) expectStatus(201, await fresh('POST', pathOf(environment), body(), headers))
      }
    })
  }

// biome-ignore format: this table is read by column
const issuers: [what: string, path: () => string, body: (issuer: object) => object][] = [
  ['an environment', () => `/v1/platform/projects/${w.project.id}/environments`, (issuer) => ({ slug: next(), name: 'More', type: 'live', ...issuer })],
  ['a project',      () => '/v1/platform/projects',                              (issuer) => ({ slug: next(), name: 'More', environments: [{ slug: 'live', name: 'Live', type: 'live', ...issuer }] })],
]
for (const [what, pathOf, body] of issuers)
  test(`creating ${what} needs a fresh sign-in exactly if the body names an issuer`, async () => {
    for (const [, call] of stale) {
      assert.ok(isRefused(await call('POST', pathOf(), body({ issuer: 'https://id.example.com' }), {})))
      expectStatus(201, await call('POST', pathOf(), body({}), {}))
    }
    assert.equal((await fresh('POST', pathOf(), body({ issuer: 'https://id.example.com' }))).status, 422, 'the host is not admitted')
  })

test('every change that a key makes needs no sign-in', async () => {
  const path = await application(w.live, {})
  expectStatus(200, await w.call('PATCH', path, { body: { redirect_uris: ['https://other.example.com/'], jwks: null, consent: 'ask' } }))
  expectStatus(200, await w.call('PATCH', await secret_key(w.live, { ip_allowlist: ['::1'] }), { body: { ip_allowlist: [] } }))
})

function applePrivateKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
