// pure
import type { Application } from '@ostiary/contract/objects/application.ts'
import type { ClientMetadata } from './client-metadata.ts'

/** A client secret. The hash is the `digestOf` of the plaintext; `id` is `null` where a program from before has made it. */
export interface StoredSecret {
  readonly id: string | null
  readonly hash: string
  readonly expires_at: Date | null
}

/** The fields of an application that the protocol needs. */
export type Client = Pick<
  Application,
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
> & {
  client_id: string
  /** At most two, expired ones included. */
  client_secrets: readonly StoredSecret[]
  /** Of a client whose client id is the URL of a document about itself; absent: an application. `client_id` is then the id of its record. */
  metadata?: OfMetadata
}

export interface OfMetadata {
  /** The client id that it sends, and that its tokens have. */
  url: string
  host: string
  /** An administrator has approved the URL. */
  listed: boolean
  /** The only scopes that it may ask for; `null`: any. */
  scope: readonly string[] | null
  /** The document and when it was read, for a client that has no record yet; `null` where it has one. */
  unrecorded: { document: ClientMetadata; read_at: Date } | null
}

/** The client id as it stands outside of the service: in requests, tokens and records of refused calls. */
export const sentIdOf = ({ client_id, metadata }: Pick<Client, 'client_id' | 'metadata'>): string => metadata?.url ?? client_id

/** The id by which rows and events name the client; `null` before the first consent of a person has made its record. */
export const storedIdOf = ({ client_id, metadata }: Pick<Client, 'client_id' | 'metadata'>): string | null =>
  metadata?.unrecorded ? null : client_id
