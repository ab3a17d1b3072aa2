/** The defaults of the fields of objects: what a creation without them stores, and what `null` in a change restores. */
import type { Application } from './application.ts'
import type { Provider } from './provider.ts'
import type { ResourceServer } from './resource-server.ts'
import { oidcScopes } from './scopes.ts'
import type { Webhook } from './webhook.ts'

/** An application without these fields cannot be created, so they have no default. */
export type ApplicationDefaults = Omit<
  Application,
  | 'id'
  | 'client_id'
  | 'tenant_id'
  | 'project_id'
  | 'environment_id'
  | 'slug'
  | 'application_type'
  | 'template'
  | 'name'
  | 'redirect_uris'
  | 'has_client_secret'
  | 'secret_rotated_at'
  | 'created_at'
  | 'updated_at'
>

export const applicationDefaults = (application_type: Application['application_type']): ApplicationDefaults => ({
  post_logout_redirect_uris: [],
  token_endpoint_auth_method: application_type === 'web' ? 'client_secret' : 'none',
  jwks: null,
  jwks_uri: null,
  allowed_scopes: [...oidcScopes],
  unknown_scopes: 'reject',
  require_pkce: true,
  nonce_replaces_pkce: application_type === 'web' ? true : null,
  consent: 'skip',
  backchannel_logout_uri: null,
  initiate_login_uri: null,
  logo_uri: null,
  allow_loopback_port: false,
  disabled: false,
})

export const resource_server_defaults: Pick<ResourceServer, 'scopes' | 'access_token_ttl_seconds' | 'access_token_format'> = {
  scopes: [],
  access_token_ttl_seconds: null,
  access_token_format: 'jwt',
}

/** `display_name` and `scopes` depend on the type: see `providers/kinds.ts` of the server. */
export const provider_defaults: Pick<
  Provider,
  'issuer' | 'enabled' | 'link_by_verified_email' | 'accept_preferred_username' | 'sign_out' | 'team_id' | 'key_id'
> = {
  issuer: null,
  enabled: true,
  link_by_verified_email: false,
  accept_preferred_username: false,
  sign_out: 'none',
  team_id: null,
  key_id: null,
}

export const webhook_defaults: Pick<Webhook, 'events' | 'description' | 'disabled'> = { events: [], description: null, disabled: false }
