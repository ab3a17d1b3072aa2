import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readinessCodes } from '@ostiary/contract/readiness.ts'
import { type Findings, judgeReadiness } from './checks.ts'

const ready: Findings = {
  type: 'live',
  issuer: 'https://login.example.com',
  url: 'https://auth.example.com/E',
  tenant_url: 'https://auth.example.com/T',
  email_delivery: 'smtp',
  links: { terms_url: 'https://a.example/t', privacy_url: 'https://a.example/p', support_url: 'https://a.example/s' },
  applications: { enabled: 1, with_http: null, with_try_address: null, needing: { preferred_username: null, name: null } },
  claims: { preferred_username: 'none', name: 'none' },
  requires_names: false,
  secret_keys: { all: 1, open: 0 },
  webhooks: { enabled: 1, with_http: null, silent: null, given_up: null },
  providers: { enabled: 1, failed: null },
  resource_servers: { requiring: 1, ungiven: null },
  organizations: { required_by: { kind: 'application', name: 'Shop' }, exist: true },
  oauth: { metadata_clients: 'any', openid_optional: true },
  ends: null,
  owners: 2,
  passkey_only: 0,
  has_sign_in: true,
}
const shop = { id: 'app_1', name: 'Shop' }
const hook = { id: 'whk_1', name: 'hooks.example.com' }

test('an environment that passes every check is ready, and the checks come in one order', () => {
  const { ready: is_ready, checks } = judgeReadiness(ready)
  assert.equal(is_ready, true)
  assert.deepEqual(
    checks.map(({ code, ok }) => [code, ok]),
    readinessCodes.map((code) => [code, true]),
  )
})

interface Case {
  why: string
  found: Partial<Findings>
  code: (typeof readinessCodes)[number]
  link: string
  required: boolean
}

// biome-ignore format: this table is read by column
const failures: Case[] = [
  { why: 'Live sends no mail',                    found: { email_delivery: 'none' },                                        code: 'mail_works',         link: '/E/settings',           required: true },
  { why: 'Live captures mail',                    found: { email_delivery: 'capture' },                                     code: 'mail_works',         link: '/E/settings',           required: true },
  { why: 'Test sends no mail',                    found: { type: 'test', email_delivery: 'none' },                          code: 'mail_works',         link: '/E/settings',           required: true },
  { why: 'no application is enabled',             found: { applications: { ...ready.applications, enabled: 0 } },           code: 'application_exists', link: '/E/applications',       required: true },
  { why: 'the issuer is http',                    found: { issuer: 'http://localhost:3000/e/env_1' },                       code: 'https_only',         link: '/E',                    required: true },
  { why: 'an application has an http address',    found: { applications: { ...ready.applications, with_http: shop } },      code: 'https_only',         link: '/E/applications/app_1', required: true },
  { why: 'a webhook has an http address',         found: { webhooks: { ...ready.webhooks, with_http: hook } },              code: 'https_only',         link: '/E/webhooks/whk_1',     required: true },
  { why: 'an application has the try address',    found: { applications: { ...ready.applications, with_try_address: shop } }, code: 'no_try_address',   link: '/E/applications/app_1', required: true },
  { why: 'a secret key works from everywhere',    found: { secret_keys: { all: 2, open: 1 } },                               code: 'keys_restricted',    link: '/E/auth-keys',          required: false },
  { why: 'a webhook does not answer',             found: { webhooks: { ...ready.webhooks, silent: hook } },                 code: 'webhooks_answer',    link: '/E/webhooks/whk_1',     required: false },
  { why: 'a webhook was disabled by the service', found: { webhooks: { ...ready.webhooks, enabled: 0, given_up: hook } },   code: 'webhooks_answer',    link: '/E/webhooks/whk_1',     required: false },
  { why: 'a provider failed last',                found: { providers: { enabled: 1, failed: { id: 'prv_1', name: 'SSO', detail: 'The host has no address.' } } }, code: 'providers_answer', link: '/E/providers/prv_1', required: false },
  { why: 'a client secret ends soon',             found: { ends: { kind: 'client_secret', id: 'sec_1', name: 'Shop', application_id: 'app_1', days: 30 } }, code: 'nothing_ends_soon', link: '/E/applications/app_1/secrets/sec_1', required: false },
  { why: 'a key ends tomorrow',                   found: { ends: { kind: 'auth_key', id: 'key_1', name: 'Backend', application_id: null, days: 1 } }, code: 'nothing_ends_soon', link: '/E/auth-keys/key_1', required: false },
  { why: 'the secret of a provider ends soon',    found: { ends: { kind: 'provider_secret', id: 'prv_1', name: 'SSO', application_id: null, days: 7 } }, code: 'nothing_ends_soon', link: '/E/providers/prv_1', required: false },
  { why: 'a link is missing',                     found: { links: { ...ready.links, privacy_url: null } },                  code: 'links_set',          link: '/E/settings',           required: false },
  { why: 'the tenant has one owner',              found: { owners: 1 },                                                     code: 'two_owners',         link: '/T/members',            required: false },
  { why: 'passkeys are off and one person has no other factor', found: { passkey_only: 1 },                                 code: 'passkeys_usable',    link: '/E/settings',           required: false },
  { why: 'a product needs a user name that nobody has', found: { applications: { ...ready.applications, needing: { preferred_username: shop, name: null } } }, code: 'claims_for_products', link: '/E/settings', required: false },
  { why: 'a product needs a name that nobody has', found: { applications: { ...ready.applications, needing: { preferred_username: shop, name: shop } }, claims: { preferred_username: 'email', name: 'none' } }, code: 'claims_for_products', link: '/E/settings', required: false },
  { why: 'no role gives a scope of a resource server that requires roles', found: { resource_servers: { requiring: 2, ungiven: shop } }, code: 'roles_give_scopes', link: '/E/roles', required: false },
  { why: 'an application requires an organization, and there is none', found: { organizations: { required_by: { kind: 'application', name: 'Shop' }, exist: false } }, code: 'organizations_exist', link: '/E/organizations', required: false },
  { why: 'agents connect and have to send openid', found: { oauth: { metadata_clients: 'listed', openid_optional: false } }, code: 'agents_get_tokens', link: '/E/settings', required: false },
  { why: 'no person signed in',                   found: { has_sign_in: false },                                            code: 'real_sign_in',       link: '/E/events?type=sign_in.succeeded', required: true },
]
for (const { why, found, code, link, required } of failures)
  test(`${code} alone fails when ${why}, and the environment is ${required ? 'not ready' : 'still ready'}`, () => {
    const { ready: is_ready, checks } = judgeReadiness({ ...ready, ...found })
    const failed = checks.filter(({ ok }) => !ok)
    assert.deepEqual(
      failed.map(({ code, level, link }) => [code, level, link]),
      [[code, required ? 'required' : 'recommended', `https://auth.example.com${link}`]],
    )
    assert.equal(is_ready, !required)
  })

test('a product that needs a name is served by the setting that requires one, and one that needs a user name is not', () => {
  const needing = (claim: object) => ({
    ...ready,
    requires_names: true,
    applications: { ...ready.applications, needing: { preferred_username: null, name: null, ...claim } },
  })
  const isOk = (found: typeof ready) => judgeReadiness(found).checks.find(({ code }) => code === 'claims_for_products')?.ok
  assert.deepEqual([isOk(needing({ name: shop })), isOk(needing({ preferred_username: shop }))], [true, false])
})

test('captured mail is enough for Test, and an environment without webhooks needs none to answer', () => {
  const found = { type: 'test', email_delivery: 'capture', webhooks: { ...ready.webhooks, enabled: 0 } } as const
  assert.equal(
    judgeReadiness({ ...ready, ...found }).checks.every(({ ok }) => ok),
    true,
  )
})

test('a check without an object passes and says that it does not apply, and no detail names a field', () => {
  const empty: Findings = {
    ...ready,
    type: 'test',
    email_delivery: 'capture',
    applications: { ...ready.applications, enabled: 0 },
    secret_keys: { all: 0, open: 0 },
    webhooks: { ...ready.webhooks, enabled: 0 },
    providers: { enabled: 0, failed: null },
    links: { terms_url: null, privacy_url: null, support_url: null },
    resource_servers: { requiring: 0, ungiven: null },
    organizations: { required_by: null, exist: false },
    oauth: { metadata_clients: 'off' as const, openid_optional: false },
    owners: 1,
    has_sign_in: false,
  }
  const { checks } = judgeReadiness(empty)
  assert.deepEqual(
    checks.filter(({ applies }) => !applies).map(({ code, ok }) => [code, ok]),
    [
      'mail_works',
      'no_try_address',
      'keys_restricted',
      'webhooks_answer',
      'providers_answer',
      'passkeys_usable',
      'claims_for_products',
      'roles_give_scopes',
      'organizations_exist',
      'agents_get_tokens',
    ].map((code) => [code, true]),
  )
  for (const { detail } of [...checks, ...judgeReadiness({ ...ready, passkey_only: 2, secret_keys: { all: 2, open: 2 } }).checks])
    assert.doesNotMatch(detail, /[a-z]_[a-z]|[a-z]\.[a-z]+_/, detail)
})
