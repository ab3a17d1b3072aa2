// pure
import type { Application } from '@ostiary/contract/objects/application.ts'

/** The fields of an application that the protocol needs. `client_secret_hash` is the `digestOf` of its secret. */
export type Client = Pick<
  Application,
  | 'client_id'
  | 'name'
  | 'application_type'
  | 'redirect_uris'
  | 'post_logout_redirect_uris'
  | 'token_endpoint_auth_method'
  | 'allowed_scopes'
  | 'unknown_scopes'
  | 'allowed_roles'
  | 'organizations'
  | 'roles_claim'
  | 'data_claims'
  | 'require_pkce'
  | 'nonce_replaces_pkce'
  | 'consent'
  | 'allow_loopback_port'
  | 'disabled'
  | 'logo_uri'
  | 'initiate_login_uri'
  | 'backchannel_logout_uri'
  | 'jwks'
  | 'jwks_uri'
> & { client_secret_hash: string | null }
