import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNetworks } from '../../base/networks.ts'
import { providerProblems } from './kinds.ts'

const base_url = 'http://localhost:3000'
const fields = {
  display_name: 'SSO',
  client_id: 'c',
  scopes: ['openid'],
  enabled: true,
  link_by_verified_email: false,
  accept_preferred_username: false,
  sign_out: 'none' as const,
  team_id: null,
  key_id: null,
  secret_expires_at: null,
}
const networksOf = (list: string) => {
  const parsed = parseNetworks(list)
  return 'networks' in parsed ? parsed.networks : assert.fail(list)
}
const loopback = '127.0.0.0/8,::1/128'

// biome-ignore format: this table is read by column
const issuers: [issuer: string, environment_type: 'test' | 'live', allowed: string, is_accepted: boolean][] = [
  ['https://sso.example.com',             'live', '',               true],
  ['http://localhost:3000/e/env_1',       'live', '',               true],
  ['http://localhost:8080/realms/a',      'test', loopback,         true],
  ['http://127.0.0.1:8080',               'test', loopback,         true],
  ['http://127.9.9.9:8080',               'test', loopback,         true],
  ['http://[::1]:8080',                   'test', loopback,         true],
  ['http://127.0.0.1:8080',               'test', '127.0.0.1/32',   true],
  ['http://0x7f000001:8080',              'test', loopback,         true],
  ['http://localhost:8080',               'live', loopback,         false],
  ['http://127.0.0.1:8080',               'live', loopback,         false],
  ['http://localhost:8080',               'test', '',               false],
  ['http://localhost:8080',               'test', '127.0.0.1/32',   false],
  ['http://127.0.0.2:8080',               'test', '127.0.0.1/32',   false],
  ['http://sso.localhost:8080',           'test', loopback,         false],
  ['http://localhost.example.com:8080',   'test', loopback,         false],
  ['http://localhost.:8080',              'test', loopback,         false],
  ['http://10.0.0.1:8080',                'test', '10.0.0.0/8',     false],
  ['http://sso.example.com',              'test', loopback,         false],
]
for (const [issuer, environment_type, allowed, is_accepted] of issuers)
  test(`${issuer} is ${is_accepted ? 'accepted' : 'refused'} as an issuer in ${environment_type} where calls may reach ${allowed || 'no private network'}`, () => {
    const has = { has_client_secret: true, has_private_key: false }
    const problems = providerProblems('oidc', { ...fields, issuer }, has, { base_url, environment_type, allowed: networksOf(allowed) })
    assert.deepEqual(
      problems.map(({ pointer }) => pointer),
      is_accepted ? [] : ['/issuer'],
    )
  })
