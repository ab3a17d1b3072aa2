/** Applications for tests. They have what applications had before `client_secret`, `unknown_scopes` and `nonce_replaces_pkce`. */
import { digestOf } from '../../src/base/digest.ts'
import type { Client } from '../../src/protocol/client.ts'

export const secret = 'k3Zr9vQ0pXb7LmT2wYc5HsD8'

export const web: Client = {
  client_id: 'app_01m7wwr5ftevtv5yxb47hmb4ht',
  name: 'Meal Planner',
  application_type: 'web',
  redirect_uris: ['https://app.example.com/callback', 'https://app.example.com/other?tenant=1'],
  post_logout_redirect_uris: ['https://app.example.com/bye', 'https://app.example.com/bye?from=1'],
  token_endpoint_auth_method: 'client_secret_basic',
  client_secrets: [{ id: 'sec_01m7wwr5ftevtv5yxb47hmb4ht', hash: digestOf(secret), expires_at: null }],
  allowed_scopes: ['openid', 'profile', 'email', 'offline_access', 'meals:read'],
  unknown_scopes: 'reject',
  allowed_roles: [],
  organizations: 'none',
  roles_claim: null,
  data_claims: false,
  require_pkce: true,
  nonce_replaces_pkce: false,
  consent: 'skip',
  allow_loopback_port: false,
  disabled: false,
  logo_uri: null,
  initiate_login_uri: null,
  backchannel_logout_uri: null,
  jwks: null,
  jwks_uri: null,
}

export const spa: Client = { ...web, application_type: 'spa', token_endpoint_auth_method: 'none', client_secrets: [] }

export const native: Client = {
  ...spa,
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/callback', 'com.example.meals:/callback'],
}
