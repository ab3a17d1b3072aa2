// Generated from contract/src/routes.ts by `npm run docs`.

/** The stable codes of errors. */
export type ErrorCode =
  | 'malformed_request'
  | 'conflicting_credentials'
  | 'tenant_required'
  | 'invalid_cursor'
  | 'unauthenticated'
  | 'invalid_key'
  | 'ip_not_allowed'
  | 'origin_not_allowed'
  | 'wrong_key_type'
  | 'insufficient_scope'
  | 'insufficient_role'
  | 'reauthentication_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'slug_taken'
  | 'identifier_taken'
  | 'already_member'
  | 'issuer_taken'
  | 'key_revoked'
  | 'not_waiting'
  | 'mail_not_set_up'
  | 'last_owner'
  | 'secret_not_used'
  | 'last_secret'
  | 'no_signing_key'
  | 'idempotency_in_progress'
  | 'promotion_state'
  | 'promotion_stale'
  | 'promotion_conflict'
  | 'approval_required'
  | 'stale_version'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'misdirected_request'
  | 'validation_failed'
  | 'promotion_blocked'
  | 'quota_exceeded'
  | 'idempotency_mismatch'
  | 'metadata_unavailable'
  | 'metadata_invalid'
  | 'rate_limited'
  | 'internal_error'
  | 'metadata_busy'
  | 'unavailable'

export type ApiKey = {
  /** The id of an API key. */
  id: string
  /** The id of an API key. */
  key_id: string
  /** What the key can do: `auth_publishable` reads the auth configuration from browsers, `auth_secret` manages users from a backend, `platform_secret` automates setup. */
  type: KeyType
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string | null
  /** The id of an environment. */
  environment_id: string | null
  /** The type of the environment. */
  environment_type: EnvironmentType | null
  /** A name for people, 1 to 100 characters. */
  label: string | null
  /** The first characters of the key, to recognise it. */
  start: string
  /** The last four characters of the key. */
  last4: string
  /** What a platform key may do; `*` is everything. A write scope does not include the read scope. Empty for auth keys. */
  scopes: KeyScope[]
  /** Exact origins of the web pages that may use a publishable key. Live allows https only. Empty for other keys. */
  allowed_origins: string[]
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty allows every address. */
  ip_allowlist: string[]
  /** The rate limit of the key; `null` is the default: 100 requests in 10 s in Test, 1,000 in 10 s in Live and for platform keys. */
  rate_limit: RateLimit | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** When the key was last used; `null` if never. */
  last_used_at: string | null
  /** The address of the last use. */
  last_used_ip: string | null
  /** When the key was last replaced by rotation; `null` if never. */
  rotated_at: string | null
  /** When the key was revoked; `null` while it works. */
  revoked_at: string | null
  /** When the key stops working; `null` if it does not expire. */
  expires_at: string | null
}

export type ApiKeyWithPlaintext = {
  /** The id of an API key. */
  id: string
  /** The id of an API key. */
  key_id: string
  /** What the key can do: `auth_publishable` reads the auth configuration from browsers, `auth_secret` manages users from a backend, `platform_secret` automates setup. */
  type: KeyType
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string | null
  /** The id of an environment. */
  environment_id: string | null
  /** The type of the environment. */
  environment_type: EnvironmentType | null
  /** A name for people, 1 to 100 characters. */
  label: string | null
  /** The first characters of the key, to recognise it. */
  start: string
  /** The last four characters of the key. */
  last4: string
  /** What a platform key may do; `*` is everything. A write scope does not include the read scope. Empty for auth keys. */
  scopes: KeyScope[]
  /** Exact origins of the web pages that may use a publishable key. Live allows https only. Empty for other keys. */
  allowed_origins: string[]
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty allows every address. */
  ip_allowlist: string[]
  /** The rate limit of the key; `null` is the default: 100 requests in 10 s in Test, 1,000 in 10 s in Live and for platform keys. */
  rate_limit: RateLimit | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** When the key was last used; `null` if never. */
  last_used_at: string | null
  /** The address of the last use. */
  last_used_ip: string | null
  /** When the key was last replaced by rotation; `null` if never. */
  rotated_at: string | null
  /** When the key was revoked; `null` while it works. */
  revoked_at: string | null
  /** When the key stops working; `null` if it does not expire. */
  expires_at: string | null
  /** The plaintext of the key, returned once; `null` in a repeat with the same Idempotency-Key. */
  key: string | null
}

export type Application = {
  /** The id of an application, which is its client id. */
  id: string
  /** The client id, equal to `id`. */
  client_id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The name of the object in URLs and scripts, unique among the objects of its kind in the environment. It never changes. */
  slug: string
  /** `web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes. */
  application_type: ApplicationType
  /** The template of `GET /v1/application-templates` that the application was created by; `null` without one. It never changes. */
  template: string | null
  /** The name. */
  name: string
  /** Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications. */
  redirect_uris: string[]
  /** Where sign-out can return to, at most 50, compared as exact strings. */
  post_logout_redirect_uris: string[]
  /** How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone. */
  token_endpoint_auth_method: 'none' | 'client_secret' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  /** The public keys of the application as a key set, for `private_key_jwt`. Set this or `jwks_uri`. */
  jwks: PublicKeySet | null
  /** Where the application publishes its public keys, for `private_key_jwt`. Set this or `jwks`. */
  jwks_uri: string | null
  /** The scopes that the application can request, those of resource servers included. */
  allowed_scopes: string[]
  /** What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`. */
  unknown_scopes: 'reject' | 'ignore'
  /** The slugs of roles of which a person needs one to sign in; empty: everyone can. That of a role that was deleted stays, and nobody holds it. */
  allowed_roles: string[]
  /** Whether people act for an organization in this application. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
  organizations: 'none' | 'optional' | 'required'
  /** The name of the claim of ID tokens and UserInfo that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. With it the application can also request the scope `groups`, which gives nothing more. `null`: none. */
  roles_claim: string | null
  /** Whether ID tokens and UserInfo carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. The default is false. */
  data_claims: boolean
  /** Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced. */
  require_pkce: boolean
  /** Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true. It does not apply to spa and native, where it is null. */
  nonce_replaces_pkce: boolean | null
  /** `ask` shows the consent page to each user once; `skip` is for your own applications. The default is `skip`. A native application without an `https` address gets a press of the person in any case. */
  consent: 'skip' | 'ask'
  /** Where the service posts a logout token when a session ends (OIDC Back-Channel Logout 1.0). */
  backchannel_logout_uri: string | null
  /** Where the application starts a sign-in that it did not begin itself (OIDC Core §4). */
  initiate_login_uri: string | null
  /** The logo on the consent page. */
  logo_uri: string | null
  /** Lets a native application use any port of a registered redirect URI at `127.0.0.1` or `[::1]` (RFC 8252 §7.3). The port of `localhost` is never varied: it is a name, which a device can resolve to another address (§8.3). The default is false. */
  allow_loopback_port: boolean
  /** Refuses every request of the application. The default is false. */
  disabled: boolean
  /** Whether the application has a client secret. */
  has_client_secret: boolean
  /** When the client secret was last replaced; `null` if never. */
  secret_rotated_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type ApplicationChange = {
  /** The name. */
  name?: string | undefined
  /** Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications. */
  redirect_uris?: string[] | undefined
  /** Where sign-out can return to, at most 50, compared as exact strings. */
  post_logout_redirect_uris?: string[] | null | undefined
  /** How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone. */
  token_endpoint_auth_method?: 'none' | 'client_secret' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | null | undefined
  /** The public keys of the application as a key set, for `private_key_jwt`. Set this or `jwks_uri`. */
  jwks?: PublicKeySet | null | undefined
  /** Where the application publishes its public keys, for `private_key_jwt`. Set this or `jwks`. */
  jwks_uri?: string | null | undefined
  /** The scopes that the application can request, those of resource servers included. */
  allowed_scopes?: string[] | null | undefined
  /** What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`. */
  unknown_scopes?: 'reject' | 'ignore' | null | undefined
  /** The slugs of roles of which a person needs one to sign in; empty: everyone can. That of a role that was deleted stays, and nobody holds it. */
  allowed_roles?: string[] | null | undefined
  /** Whether people act for an organization in this application. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
  organizations?: 'none' | 'optional' | 'required' | null | undefined
  /** The name of the claim of ID tokens and UserInfo that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. With it the application can also request the scope `groups`, which gives nothing more. `null`: none. */
  roles_claim?: string | null | undefined
  /** Whether ID tokens and UserInfo carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. The default is false. */
  data_claims?: boolean | null | undefined
  /** Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced. */
  require_pkce?: boolean | null | undefined
  /** Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true. It does not apply to spa and native, where it is null. */
  nonce_replaces_pkce?: boolean | null | undefined
  /** `ask` shows the consent page to each user once; `skip` is for your own applications. The default is `skip`. A native application without an `https` address gets a press of the person in any case. */
  consent?: 'skip' | 'ask' | null | undefined
  /** Where the service posts a logout token when a session ends (OIDC Back-Channel Logout 1.0). */
  backchannel_logout_uri?: string | null | undefined
  /** Where the application starts a sign-in that it did not begin itself (OIDC Core §4). */
  initiate_login_uri?: string | null | undefined
  /** The logo on the consent page. */
  logo_uri?: string | null | undefined
  /** Lets a native application use any port of a registered redirect URI at `127.0.0.1` or `[::1]` (RFC 8252 §7.3). The port of `localhost` is never varied: it is a name, which a device can resolve to another address (§8.3). The default is false. */
  allow_loopback_port?: boolean | null | undefined
  /** Refuses every request of the application. The default is false. */
  disabled?: boolean | null | undefined
}

export type ApplicationCreation = {
  /** Made from the name if it is absent. It must be unique and cannot be changed later. */
  slug?: string | undefined
  /** The slug of a template: `GET /v1/application-templates` lists them. Fields that the body does not have come from it; it needs `url`, unless the body has `redirect_uris`. */
  template?: string | null | undefined
  /** The address of the product, for the addresses of the template. It is not stored. */
  url?: string | undefined
  /** The name. Required without a template. */
  name?: string | undefined
  /** `web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes. Required without a template. */
  application_type?: ApplicationType | undefined
  /** Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications. Required without a template. */
  redirect_uris?: string[] | undefined
  /** Where sign-out can return to, at most 50, compared as exact strings. */
  post_logout_redirect_uris?: string[] | undefined
  /** How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone. */
  token_endpoint_auth_method?: 'none' | 'client_secret' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | undefined
  /** The public keys of the application as a key set, for `private_key_jwt`. Set this or `jwks_uri`. */
  jwks?: PublicKeySet | null | undefined
  /** Where the application publishes its public keys, for `private_key_jwt`. Set this or `jwks`. */
  jwks_uri?: string | null | undefined
  /** The scopes that the application can request, those of resource servers included. */
  allowed_scopes?: string[] | undefined
  /** What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`. */
  unknown_scopes?: 'reject' | 'ignore' | undefined
  /** The slugs of roles of which a person needs one to sign in; empty: everyone can. That of a role that was deleted stays, and nobody holds it. */
  allowed_roles?: string[] | undefined
  /** Whether people act for an organization in this application. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
  organizations?: 'none' | 'optional' | 'required' | undefined
  /** The name of the claim of ID tokens and UserInfo that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. With it the application can also request the scope `groups`, which gives nothing more. `null`: none. */
  roles_claim?: string | null | undefined
  /** Whether ID tokens and UserInfo carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. The default is false. */
  data_claims?: boolean | undefined
  /** Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced. */
  require_pkce?: boolean | undefined
  /** Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true. It does not apply to spa and native, where it is null. */
  nonce_replaces_pkce?: boolean | null | undefined
  /** `ask` shows the consent page to each user once; `skip` is for your own applications. The default is `skip`. A native application without an `https` address gets a press of the person in any case. */
  consent?: 'skip' | 'ask' | undefined
  /** Where the service posts a logout token when a session ends (OIDC Back-Channel Logout 1.0). */
  backchannel_logout_uri?: string | null | undefined
  /** Where the application starts a sign-in that it did not begin itself (OIDC Core §4). */
  initiate_login_uri?: string | null | undefined
  /** The logo on the consent page. */
  logo_uri?: string | null | undefined
  /** Lets a native application use any port of a registered redirect URI at `127.0.0.1` or `[::1]` (RFC 8252 §7.3). The port of `localhost` is never varied: it is a name, which a device can resolve to another address (§8.3). The default is false. */
  allow_loopback_port?: boolean | undefined
  /** Refuses every request of the application. The default is false. */
  disabled?: boolean | undefined
}

export type ApplicationInList = {
  /** The id of an application, which is its client id. */
  id: string
  /** The client id, equal to `id`. */
  client_id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The name of the object in URLs and scripts, unique among the objects of its kind in the environment. It never changes. */
  slug: string
  /** `web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes. */
  application_type: ApplicationType
  /** The template of `GET /v1/application-templates` that the application was created by; `null` without one. It never changes. */
  template: string | null
  /** The name. */
  name: string
  /** Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications. */
  redirect_uris: string[]
  /** Where sign-out can return to, at most 50, compared as exact strings. */
  post_logout_redirect_uris: string[]
  /** How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone. */
  token_endpoint_auth_method: 'none' | 'client_secret' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  /** The public keys of the application as a key set, for `private_key_jwt`. Set this or `jwks_uri`. */
  jwks: PublicKeySet | null
  /** Where the application publishes its public keys, for `private_key_jwt`. Set this or `jwks`. */
  jwks_uri: string | null
  /** The scopes that the application can request, those of resource servers included. */
  allowed_scopes: string[]
  /** What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`. */
  unknown_scopes: 'reject' | 'ignore'
  /** The slugs of roles of which a person needs one to sign in; empty: everyone can. That of a role that was deleted stays, and nobody holds it. */
  allowed_roles: string[]
  /** Whether people act for an organization in this application. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
  organizations: 'none' | 'optional' | 'required'
  /** The name of the claim of ID tokens and UserInfo that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. With it the application can also request the scope `groups`, which gives nothing more. `null`: none. */
  roles_claim: string | null
  /** Whether ID tokens and UserInfo carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. The default is false. */
  data_claims: boolean
  /** Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced. */
  require_pkce: boolean
  /** Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true. It does not apply to spa and native, where it is null. */
  nonce_replaces_pkce: boolean | null
  /** `ask` shows the consent page to each user once; `skip` is for your own applications. The default is `skip`. A native application without an `https` address gets a press of the person in any case. */
  consent: 'skip' | 'ask'
  /** Where the service posts a logout token when a session ends (OIDC Back-Channel Logout 1.0). */
  backchannel_logout_uri: string | null
  /** Where the application starts a sign-in that it did not begin itself (OIDC Core §4). */
  initiate_login_uri: string | null
  /** The logo on the consent page. */
  logo_uri: string | null
  /** Lets a native application use any port of a registered redirect URI at `127.0.0.1` or `[::1]` (RFC 8252 §7.3). The port of `localhost` is never varied: it is a name, which a device can resolve to another address (§8.3). The default is false. */
  allow_loopback_port: boolean
  /** Refuses every request of the application. The default is false. */
  disabled: boolean
  /** Whether the application has a client secret. */
  has_client_secret: boolean
  /** When the client secret was last replaced; `null` if never. */
  secret_rotated_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** With `activity` alone: when a person last signed in on the way to the application, within the last 90 days; `null` if nobody did. A person who has a session already enters without a sign-in. */
  last_sign_in_at?: string | null | undefined
  /** With `activity` alone: people who signed in on the way to the application in the last 30 days, or entered it by a session and still have a grant of these days. */
  people_30_days?: Counted | undefined
}

export type ApplicationTemplate = {
  /** The name of the template, for `template` of a new application. */
  slug: string
  /** The product. */
  name: string
  /** The page of the product. */
  homepage: string
  /** `web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes. */
  application_type: ApplicationType
  /** Where sign-in returns to. `{url}` stands for the address of the product. */
  redirect_uris: string[]
  /** Where sign-out can return to. */
  post_logout_redirect_uris: string[]
  /** Where the product takes logout tokens; `null` if it takes none. */
  backchannel_logout_uri: string | null
  /** Where the product begins a sign-in that it did not begin itself; `null` if nowhere. */
  initiate_login_uri: string | null
  /** How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone. */
  token_endpoint_auth_method: 'none' | 'client_secret' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  /** Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced. */
  require_pkce: boolean
  /** Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true. It does not apply to spa and native, where it is null. */
  nonce_replaces_pkce: boolean | null
  /** What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`. */
  unknown_scopes: 'reject' | 'ignore'
  /** The scopes that the product requests, for `allowed_scopes` of the application. */
  scopes: ('openid' | 'profile' | 'email' | 'phone' | 'offline_access')[]
  /** What the product needs of a person to let them in: `name` and `preferred_username` are claims, `email_verified` is a verified address, `groups` are memberships, which the service does not have yet. */
  needs: ('name' | 'preferred_username' | 'groups' | 'email_verified')[]
  /** What the operator writes into the configuration of the product, in this order. */
  setup: ({
    /** Where the text stands in the product. */
    title: string
    /** The language of the text. `form` lists fields of a page, each with its value, or words of a menu. */
    language: 'apache' | 'form' | 'ini' | 'javascript' | 'json' | 'php' | 'python' | 'ruby' | 'sh' | 'toml' | 'yaml'
    /** The text, with `{issuer}`, `{client_id}`, `{client_secret}` and `{url}` in the place of values. */
    text: string
  })[]
  /** What works, what does not, and what else to know. */
  notes: string[]
  /** The last version that signed people in by this template; `null` if the template comes from documentation only. */
  tried: {
    /** The version of the product. */
    version: string
    /** The day. */
    at: string
  } | null
  /** The day on which the template was compared with the documentation of the product. */
  documented_at: string
  /** The page of the documentation of the product. */
  source: string
}

export type ApplicationTemplates = {
  /** The templates, by their slugs. */
  data: ApplicationTemplate[]
}

export type ApplicationType = 'web' | 'spa' | 'native'

export type ApplicationWithSecret = {
  /** The id of an application, which is its client id. */
  id: string
  /** The client id, equal to `id`. */
  client_id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The name of the object in URLs and scripts, unique among the objects of its kind in the environment. It never changes. */
  slug: string
  /** `web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes. */
  application_type: ApplicationType
  /** The template of `GET /v1/application-templates` that the application was created by; `null` without one. It never changes. */
  template: string | null
  /** The name. */
  name: string
  /** Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications. */
  redirect_uris: string[]
  /** Where sign-out can return to, at most 50, compared as exact strings. */
  post_logout_redirect_uris: string[]
  /** How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone. */
  token_endpoint_auth_method: 'none' | 'client_secret' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  /** The public keys of the application as a key set, for `private_key_jwt`. Set this or `jwks_uri`. */
  jwks: PublicKeySet | null
  /** Where the application publishes its public keys, for `private_key_jwt`. Set this or `jwks`. */
  jwks_uri: string | null
  /** The scopes that the application can request, those of resource servers included. */
  allowed_scopes: string[]
  /** What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`. */
  unknown_scopes: 'reject' | 'ignore'
  /** The slugs of roles of which a person needs one to sign in; empty: everyone can. That of a role that was deleted stays, and nobody holds it. */
  allowed_roles: string[]
  /** Whether people act for an organization in this application. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
  organizations: 'none' | 'optional' | 'required'
  /** The name of the claim of ID tokens and UserInfo that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. With it the application can also request the scope `groups`, which gives nothing more. `null`: none. */
  roles_claim: string | null
  /** Whether ID tokens and UserInfo carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. The default is false. */
  data_claims: boolean
  /** Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced. */
  require_pkce: boolean
  /** Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true. It does not apply to spa and native, where it is null. */
  nonce_replaces_pkce: boolean | null
  /** `ask` shows the consent page to each user once; `skip` is for your own applications. The default is `skip`. A native application without an `https` address gets a press of the person in any case. */
  consent: 'skip' | 'ask'
  /** Where the service posts a logout token when a session ends (OIDC Back-Channel Logout 1.0). */
  backchannel_logout_uri: string | null
  /** Where the application starts a sign-in that it did not begin itself (OIDC Core §4). */
  initiate_login_uri: string | null
  /** The logo on the consent page. */
  logo_uri: string | null
  /** Lets a native application use any port of a registered redirect URI at `127.0.0.1` or `[::1]` (RFC 8252 §7.3). The port of `localhost` is never varied: it is a name, which a device can resolve to another address (§8.3). The default is false. */
  allow_loopback_port: boolean
  /** Refuses every request of the application. The default is false. */
  disabled: boolean
  /** Whether the application has a client secret. */
  has_client_secret: boolean
  /** When the client secret was last replaced; `null` if never. */
  secret_rotated_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** The client secret, returned once; `null` in a repeat with the same Idempotency-Key. */
  client_secret: string | null
}

export type ApprovalState = 'waiting' | 'approved' | 'refused'

export type Attempt = {
  /** When the attempt was made. */
  at: string
  /** The HTTP status of the receiver; `null` if it did not answer. */
  status: number | null
  /** How long the attempt took, in milliseconds. */
  latency_ms: number
  /** The first KiB of the response; `null` if there is none. */
  response: string | null
  /** Why the attempt got no answer: the name has no address, the address may not be reached, nobody accepted the connection, TLS failed, the time was up, or the egress proxy of the deployment made no connection. */
  error: AttemptError | null
}

export type AttemptError = 'dns' | 'refused' | 'tls' | 'timeout' | 'address_not_allowed' | 'proxy'

export type AuditEntry = {
  /** The id of an audit entry. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** 1, 2, 3 … within the tenant, without gaps. */
  sequence: number
  /** When the object was created. */
  created_at: string
  /** The operationId of the call, or the name of a command such as `bootstrap` or `recover`. */
  action: string
  /** Who made the change. */
  actor: {
    /** The type. */
    type: 'user' | 'api_key' | 'system'
    /** The id of the object. */
    id: string | null
    /** The label of the key or the email of the administrator at that time. */
    label: string | null
  }
  /** The changed object. */
  object: {
    /** The type. */
    type: string
    /** The id of the object. */
    id: string
  }
  /** The id of a project. */
  project_id: string | null
  /** The id of an environment. */
  environment_id: string | null
  /** The X-Request-Id of the call; `null` for a command. */
  request_id: string | null
  /** The address from which the call came. */
  ip: string | null
  /** The object before the change, without secrets and personal data; `null` when the change created it. */
  before: Record<string, unknown> | null
  /** The object after the change, without secrets and personal data; `null` when the change deleted it. */
  after: Record<string, unknown> | null
  /** The hash of the previous entry; 64 zeros in the first entry. */
  previous_hash: string
  /** The SHA-256, in hexadecimal, of the canonical form (RFC 8785) of this entry without `hash`. */
  hash: string
}

export type AuditVerification = {
  /** The tenant of the log. */
  tenant_id: string
  /** Whether every entry is as it was written, and none is missing. */
  intact: boolean
  /** How many entries were checked. */
  entries: number
  /** What is wrong, at most ten problems. */
  problems: string[]
  /** When the check ended. A repeated call can return the result of a check that just ended. */
  verified_at: string
}

export type AuthConfig = {
  /** The environment of the key. */
  environment: {
    /** The id of an environment. */
    id: string
    /** The type. */
    type: EnvironmentType
  }
  /** The project of the environment. */
  project: {
    /** The id of a project. */
    id: string
    /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
    slug: string
    /** The name. */
    name: string
  }
  /** The issuer URL, the `iss` of every token. */
  issuer: string
  /** The address of the OpenID Provider metadata. */
  discovery_url: string
  /** The public applications: those of the types spa and native. */
  applications: ({
    /** The id of an application, which is its client id. */
    client_id: string
    /** The name. */
    name: string
    /** The type of the application. */
    application_type: ApplicationType
  })[]
  /** The ways to sign in. */
  sign_in: {
    /** The methods that are switched on. */
    methods: ('password' | 'email_code' | 'passkey')[]
    /** The identity providers that are enabled. */
    providers: ({
      /** The id of the object. */
      id: string
      /** The type. */
      type: string
      /** The name on the sign-in button. */
      display_name: string
    })[]
  }
  /** The creation of accounts. */
  sign_up: {
    /** Who may create an account: anyone (`open`), anyone who is approved then (`approval`), or nobody (`closed`). */
    mode: SignUpMode
    /** Where people are asked for a name. */
    name: SignUpName
  }
  /** The rules for new passwords. */
  password_policy: {
    /** The least number of characters of a new password. From 8 to 128. The default is 12. */
    min_length: number
    /** Common passwords are refused, and names and addresses of the person. The default is true. */
    reject_common: boolean
  }
  /** The look of the hosted pages. */
  branding: {
    /** The name on the hosted pages; `null` uses the name of the project. */
    display_name: string | null
    /** The https address of the image on the hosted pages; `null` for none. */
    logo_url: string | null
    /** The colour of buttons as `#rrggbb`; `null` for the default. */
    primary_color: string | null
  }
  /** Links at the foot of the hosted pages. */
  links: {
    /** The terms of service, linked on the hosted pages; `null` for none. */
    terms_url: string | null
    /** The privacy policy, linked on the hosted pages; `null` for none. */
    privacy_url: string | null
    /** Where people get help, linked on the hosted pages; `null` for none. */
    support_url: string | null
  }
  /** The languages of the hosted pages. */
  locales: string[]
  /** Whether the environment is of the type `test`. */
  test_mode: boolean
}

export type AuthKeyChange = {
  /** A name for people, 1 to 100 characters. */
  label?: string | null | undefined
  /** Exact origins of the web pages that may use a publishable key, at least one for such a key. Live allows https only. */
  allowed_origins?: string[] | null | undefined
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty allows every address. */
  ip_allowlist?: string[] | null | undefined
  /** The rate limit of the key; one member can change alone, and `null` restores the default. */
  rate_limit?: {
    /** The number of requests in one window, 1 to 100,000. */
    limit?: number | null | undefined
    /** The length of the sliding window in seconds, 1 to 3,600. */
    window_seconds?: number | null | undefined
  } | null | undefined
  /** When the key stops working; `null` if it does not expire. It lies in the future. */
  expires_at?: string | null | undefined
}

export type AuthKeyCreation = {
  /** What the key can do: `auth_publishable` reads the auth configuration from browsers, `auth_secret` manages users from a backend. */
  type: 'auth_publishable' | 'auth_secret'
  /** A name for people, 1 to 100 characters. */
  label?: string | null | undefined
  /** Exact origins of the web pages that may use a publishable key, at least one for such a key. Live allows https only. */
  allowed_origins?: string[] | undefined
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty allows every address. */
  ip_allowlist?: string[] | undefined
  /** The rate limit of the key; `null` is the default: 100 requests in 10 s in Test, 1,000 in 10 s in Live and for platform keys. */
  rate_limit?: RateLimit | null | undefined
  /** When the key stops working; `null` if it does not expire. It lies in the future. */
  expires_at?: string | null | undefined
}

export type BackchannelLogout = {
  /** The id of the message. */
  id: string
  /** The same id, named as in deliveries of webhooks. */
  message_id: string
  /** The environment of the session. */
  environment_id: string
  /** The application that is called. */
  application_id: string
  /** The session that ended: the claim `sid` of the logout token. */
  session_id: string
  /** The user of the session. */
  user_id: string
  /** The claim `sub` of the logout token. */
  sub: string
  /** Whether an attempt is still due, the application confirmed the logout, or no attempt will follow. */
  status: 'waiting' | 'delivered' | 'given_up'
  /** When the next attempt is due; null if none is. */
  next_attempt_at: string | null
  /** The attempts so far, oldest first. */
  attempts: Attempt[]
  /** When the session ended. */
  created_at: string
  /** When the state of the message changed last. */
  updated_at: string
}

export type ClientSecret = {
  /** The id of a client secret. */
  id: string
  /** A name for people, 1 to 100 characters. */
  label: string | null
  /** When the object was created. */
  created_at: string
  /** When the secret stops working; `null` if it does not expire. */
  expires_at: string | null
  /** When a call last authenticated with the secret; `null` if none did. */
  last_used_at: string | null
}

export type ClientSecretCreation = {
  /** A name for people, 1 to 100 characters. */
  label?: string | null | undefined
  /** When the secret stops working; `null` if it does not expire. It lies in the future. */
  expires_at?: string | null | undefined
}

export type ClientSecretWithPlaintext = {
  /** The id of a client secret. */
  id: string
  /** A name for people, 1 to 100 characters. */
  label: string | null
  /** When the object was created. */
  created_at: string
  /** When the secret stops working; `null` if it does not expire. */
  expires_at: string | null
  /** When a call last authenticated with the secret; `null` if none did. */
  last_used_at: string | null
  /** The plaintext of the secret, returned once; `null` in a repeat with the same Idempotency-Key. */
  client_secret: string | null
}

export type ConfigurationDocument = {
  /** The version of the form of the document. */
  version: 1
  /** The slug of the environment that the document is about. A document of another environment is a source: what belongs to that environment is not copied. */
  environment?: string | undefined
  /** The settings in groups. */
  settings?: {
    /** Lifetimes and formats of tokens. */
    tokens?: {
      /** The lifetime of an access token. From 60 to 86,400 seconds. The default is 3,600. */
      access_token_ttl_seconds?: number | null | undefined
      /** The lifetime of an ID token. From 60 to 86,400 seconds. The default is 3,600. */
      id_token_ttl_seconds?: number | null | undefined
      /** The lifetime of an authorization code. From 10 to 600 seconds. The default is 60. */
      authorization_code_ttl_seconds?: number | null | undefined
      /** A refresh token ends after this time without use. From 3,600 to 31,536,000 seconds. The default is 1,209,600. */
      refresh_token_idle_ttl_seconds?: number | null | undefined
      /** How long a grant can be refreshed in all, not below the time without use. From 3,600 to 63,072,000 seconds. The default is 7,776,000. */
      refresh_token_absolute_ttl_seconds?: number | null | undefined
      /** How long a refresh can be repeated. After a lost answer it gets the same answer. From 0 to 60 seconds. The default is 0. */
      refresh_retry_window_seconds?: number | null | undefined
      /** The format of access tokens without a resource server: `jwt` or `opaque`. The default is `jwt`. */
      access_token_format?: TokenFormat | null | undefined
      /** The claims in the ID token. `full` puts those of all scopes into it; `minimal` leaves them to UserInfo. The default is `full`. */
      id_token_claims?: 'full' | 'minimal' | null | undefined
    } | undefined
    /** Lifetimes of sessions. */
    sessions?: {
      /** A session ends after this time without use. From 300 to 2,592,000 seconds. The default is 86,400. */
      idle_ttl_seconds?: number | null | undefined
      /** How long a session lasts at most, not below the time without use. From 3,600 to 31,536,000 seconds. The default is 2,592,000. */
      absolute_ttl_seconds?: number | null | undefined
    } | undefined
    /** The scopes of OpenID Connect. */
    scopes?: {
      /** Scopes of OpenID Connect that are refused. The default is none. */
      disabled?: ('profile' | 'email' | 'phone' | 'offline_access')[] | null | undefined
    } | undefined
    /** The claims of people who have no name. */
    claims?: {
      /** What `preferred_username` holds for a person who has no user name. Nothing (`none`), or the verified address (`email`). A user name that the API set wins. The default is `none`. */
      preferred_username?: 'none' | 'email' | null | undefined
      /** What `name` holds for a person who has no name. Nothing (`none`), or the verified address (`email`). A name that a person or the API set wins. The default is `none`. */
      name?: 'none' | 'email' | null | undefined
    } | undefined
    /** Access by agents and other programs. */
    oauth?: {
      /** A request that names a resource server may leave out the scope `openid`. Its access token is for the resource server alone, and there is no ID token. The default is false. */
      openid_optional?: boolean | null | undefined
      /** Clients that nobody registered, by the URL of a document about themselves. None (`off`), those whose URL an administrator has approved (`listed`), or every one (`any`). They only reach resource servers with `allow_metadata_clients`, and people are asked each time. The default is `off`. */
      metadata_clients?: 'off' | 'listed' | 'any' | null | undefined
    } | undefined
    /** The mail of the environment. */
    sign_in?: {
      /** People can sign in with a password. The default is true. */
      password?: boolean | null | undefined
      /** People can sign in with a code by mail. It needs mail. The default is false. */
      email_code?: boolean | null | undefined
      /** People can sign in with a passkey. The default is false. */
      passkey?: boolean | null | undefined
      /** Passkeys may belong to the host that all environments of the service share. A passkey can never move to another host. The default is false. */
      passkey_shared_host?: boolean | null | undefined
    } | undefined
    /** The creation of accounts. */
    sign_up?: {
      /** By whom accounts are created. People themselves (`open`), people whose accounts wait until a backend or an administrator approves them (`approval`, which needs mail), or the API alone (`closed`). An account that waits can do nothing and ends after 30 days. Accounts of the API and of invitations never wait. The default is `open`. */
      mode?: SignUpMode | null | undefined
      /** When people are asked for their name. With `off` the sign-up form alone asks for a name, which can stay empty. `optional` also asks where an account begins without the form: by an emailed code, or at a provider that sent no name. `required` takes no account without a name, and asks everyone who has none once. A name that is asked for has 1 to 100 characters. The default is `off`. */
      name?: SignUpName | null | undefined
      /** If there are any, only addresses of these domains can sign up. Nor can others become the new address of an account. A domain is written as `example.com`, or `*.example.com` for all below it and not itself. Accounts of the API and of invitations may have any. The default is none. */
      allowed_domains?: string[] | null | undefined
      /** Addresses of these domains cannot sign up, even if they are allowed above. Nor can they become the new address of an account. The default is none. */
      blocked_domains?: string[] | null | undefined
    } | undefined
    /** The accounts of people. */
    users?: {
      /** For how many days a deleted account can be restored. It is closed at first: the person is signed out everywhere, and the address stays taken. A backend, an administrator or the person can restore it; then it is erased. `0` erases at once. From 0 to 30. The default is 0. */
      deletion_grace_days?: number | null | undefined
    } | undefined
    /** The rules for new passwords. */
    password?: {
      /** The least number of characters of a new password. From 8 to 128. The default is 12. */
      min_length?: number | null | undefined
      /** Common passwords are refused, and names and addresses of the person. The default is true. */
      reject_common?: boolean | null | undefined
    } | undefined
    /** Second factors. */
    mfa?: {
      /** Whether a second factor is `off`, `optional` or `required`. What a person enrolled is asked for in every mode. The default is `off`. */
      mode?: 'off' | 'optional' | 'required' | null | undefined
      /** People can enrol an authenticator app (TOTP). The default is true. */
      totp?: boolean | null | undefined
      /** How long a person may choose not to be asked for the second factor in a browser; 0 for never. A recovery code does not count, and a request that asks for a fresh sign-in or a level, and a sensitive change, ask all the same. The root environment has none. From 0 to 90. The default is 0. */
      remember_days?: number | null | undefined
    } | undefined
    /** How passkeys begin. */
    passkeys?: {
      /** After a sign-in with a password, a browser that can do so creates a passkey without a question. The account needs a verified address. The passkey is a way in, but not a second factor until a sign-in has used it. The person is mailed and can remove it. It has no effect where passkeys are off, and is refused where a second factor is required. The default is false. */
      automatic?: boolean | null | undefined
    } | undefined
    /** Mails about what happens to an account. */
    notices?: {
      /** A person gets a mail about a sign-in from a browser that is new to the account. The first sign-in of a person needs none, and an hour has at most one. It needs mail. The default is true. */
      new_sign_in?: boolean | null | undefined
    } | undefined
    /** The protection of accounts from guessing. */
    lockout?: {
      /** This many wrong passwords in a row lock an account. From 3 to 100. The default is 10. */
      max_attempts?: number | null | undefined
      /** How long an account stays locked. From 30 to 86,400 seconds. The default is 900. */
      duration_seconds?: number | null | undefined
    } | undefined
    /** The look of the hosted pages. */
    branding?: {
      /** The name on the hosted pages; `null` uses the name of the project. */
      display_name?: string | null | undefined
      /** The https address of the image on the hosted pages; `null` for none. */
      logo_url?: string | null | undefined
      /** The colour of buttons as `#rrggbb`; `null` for the default. */
      primary_color?: string | null | undefined
    } | undefined
    /** Links at the foot of the hosted pages. */
    links?: {
      /** The terms of service, linked on the hosted pages; `null` for none. */
      terms_url?: string | null | undefined
      /** The privacy policy, linked on the hosted pages; `null` for none. */
      privacy_url?: string | null | undefined
      /** Where people get help, linked on the hosted pages; `null` for none. */
      support_url?: string | null | undefined
    } | undefined
    /** Calls from browsers. */
    cors?: {
      /** Origins whose scripts can call the token endpoints. Those of spa applications can anyway. An origin is written as `https://app.example.com`. The default is none. */
      allowed_origins?: string[] | null | undefined
    } | undefined
    /** The mail of the environment. */
    email?: {
      /** `smtp` sends mail, `capture` keeps it for the inbox (Test only), `none` sends nothing. The default is `capture`. */
      delivery?: 'capture' | 'none' | 'smtp' | null | undefined
      /** The sender of mail: an address, or `Name <address>`. Required with `smtp`. */
      from?: string | null | undefined
      /** The SMTP server; `null` for none. */
      smtp?: {
        /** The name or the address of the mail server. */
        host?: string | null | undefined
        /** The port of the mail server. From 1 to 65,535. The default is 587. */
        port?: number | null | undefined
        /** The user name at the mail server; `null` for none. */
        username?: string | null | undefined
        /** The name of the secret, whose value is given when the document is applied. */
        password?: SecretName | null | undefined
        /** `starttls` is required, not opportunistic; `implicit` is TLS from the start; `none` only reaches an allowed network. The default is `starttls`. */
        tls?: 'starttls' | 'implicit' | 'none' | null | undefined
      } | null | undefined
    } | undefined
    /** What exists in Test only. */
    test?: {
      /** Six digits that replace emailed codes; `null` for real codes. */
      fixed_code?: string | null | undefined
    } | undefined
  } | undefined
  /** The resource servers by their slugs. */
  resource_servers?: Record<string, {
      /** The absolute URI of the API: the value of `resource` in a request and of `aud` in its tokens (RFC 8707). It never changes. */
      identifier?: string | undefined
      /** The name. */
      name?: string | undefined
      /** The scopes of the API, at most 200. */
      scopes?: ({
        /** The name. */
        name: string
        /** What the scope allows, shown on the consent page. */
        description?: string | null | undefined
      })[] | null | undefined
      /** The lifetime of its access tokens in seconds, 60 to 86,400; `null` uses the settings of the environment. */
      access_token_ttl_seconds?: number | null | undefined
      /** `jwt` can be verified without a call; `opaque` needs the validation call and can be shorter. The default is `jwt`. */
      access_token_format?: TokenFormat | null | undefined
      /** The algorithm that signs its access tokens: `RS256` or `ES256`. A token for several resource servers is ES256 where all of them say so. The key of ES256 is published at once and signs ten minutes later, in Test at once; until then tokens are RS256. It needs `access_token_format` `jwt`. The default is `RS256`. */
      access_token_signing_alg?: SigningAlg | null | undefined
      /** Whether a scope of it is given only to a person whose roles give it. A token has the part of its scope that the roles give when it is issued. The default is false. */
      require_roles?: boolean | null | undefined
      /** Whether people act for an organization at this API. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
      organizations?: 'none' | 'optional' | 'required' | null | undefined
      /** The name of the claim of its access tokens that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. A token for several resource servers has it where all of them name the same one. `null`: none. */
      roles_claim?: string | null | undefined
      /** Whether its access tokens carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. A token for several resource servers carries them where all of them say so. The default is false. */
      data_claims?: boolean | null | undefined
      /** Whether clients that nobody registered may ask for its access tokens, where the setting `oauth.metadata_clients` lets them in. The default is false. */
      allow_metadata_clients?: boolean | null | undefined
    }> | undefined
  /** The roles by their slugs. */
  roles?: Record<string, {
      /** Whom it is given to: `user`, or `organization` for members of organizations. It never changes. */
      kind?: RoleKind | undefined
      /** The name. */
      name?: string | undefined
      /** What the role is for, at most 200 characters. */
      description?: string | null | undefined
      /** Whether every user, or every member, has it without being given it. */
      default?: boolean | null | undefined
      /** Whether members with the role manage the members of their organization. Only for the kind `organization`. */
      administers?: boolean | null | undefined
      /** What the role gives: scopes of resource servers, each resource server once. An entry whose resource server or scope is gone stays and gives nothing. One that is made again under its old name is given only after a change of the role that sends its permissions. */
      permissions?: Permission[] | null | undefined
    }> | undefined
  /** The applications by their slugs. */
  applications?: Record<string, {
      /** `web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes. */
      application_type?: ApplicationType | undefined
      /** The template of `GET /v1/application-templates` that the application was created by; `null` without one. It never changes. */
      template?: string | null | undefined
      /** The name. */
      name?: string | undefined
      /** Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications. */
      redirect_uris?: string[] | undefined
      /** Where sign-out can return to, at most 50, compared as exact strings. */
      post_logout_redirect_uris?: string[] | null | undefined
      /** How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone. */
      token_endpoint_auth_method?: 'none' | 'client_secret' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | null | undefined
      /** The public keys of the application as a key set, for `private_key_jwt`. Set this or `jwks_uri`. */
      jwks?: PublicKeySet | null | undefined
      /** Where the application publishes its public keys, for `private_key_jwt`. Set this or `jwks`. */
      jwks_uri?: string | null | undefined
      /** The scopes that the application can request, those of resource servers included. */
      allowed_scopes?: string[] | null | undefined
      /** What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`. */
      unknown_scopes?: 'reject' | 'ignore' | null | undefined
      /** The slugs of roles of which a person needs one to sign in; empty: everyone can. That of a role that was deleted stays, and nobody holds it. */
      allowed_roles?: string[] | null | undefined
      /** Whether people act for an organization in this application. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
      organizations?: 'none' | 'optional' | 'required' | null | undefined
      /** The name of the claim of ID tokens and UserInfo that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. With it the application can also request the scope `groups`, which gives nothing more. `null`: none. */
      roles_claim?: string | null | undefined
      /** Whether ID tokens and UserInfo carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. The default is false. */
      data_claims?: boolean | null | undefined
      /** Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced. */
      require_pkce?: boolean | null | undefined
      /** Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true. It does not apply to spa and native, where it is null. */
      nonce_replaces_pkce?: boolean | null | undefined
      /** `ask` shows the consent page to each user once; `skip` is for your own applications. The default is `skip`. A native application without an `https` address gets a press of the person in any case. */
      consent?: 'skip' | 'ask' | null | undefined
      /** Where the service posts a logout token when a session ends (OIDC Back-Channel Logout 1.0). */
      backchannel_logout_uri?: string | null | undefined
      /** Where the application starts a sign-in that it did not begin itself (OIDC Core §4). */
      initiate_login_uri?: string | null | undefined
      /** The logo on the consent page. */
      logo_uri?: string | null | undefined
      /** Lets a native application use any port of a registered redirect URI at `127.0.0.1` or `[::1]` (RFC 8252 §7.3). The port of `localhost` is never varied: it is a name, which a device can resolve to another address (§8.3). The default is false. */
      allow_loopback_port?: boolean | null | undefined
      /** Refuses every request of the application. The default is false. */
      disabled?: boolean | null | undefined
    }> | undefined
  /** The identity providers by their slugs. */
  providers?: Record<string, {
      /** The kind of provider. It never changes. */
      type?: ProviderType | undefined
      /** The name on the sign-in button. */
      display_name?: string | null | undefined
      /** oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. `null` for the others. It is https; in Test also http at `localhost`, `127.0.0.0/8` or `[::1]`, where the operator allows calls to that address. */
      issuer?: string | null | undefined
      /** Your client id at the provider. */
      client_id?: string | undefined
      /** The scopes to request. The default depends on the type, such as `openid email profile`. */
      scopes?: string[] | null | undefined
      /** Whether people can sign in with the provider. The default is true. */
      enabled?: boolean | null | undefined
      /** Links an identity to the existing user with the same email, if both sides have verified it. The default is false. */
      link_by_verified_email?: boolean | null | undefined
      /** Stores the `preferred_username` of the provider as that of a new user, if it has 1 to 100 visible characters and no `@`, and no other user of the environment has it, in whatever case. Otherwise it is left out, and `user.created` says why. The default is false. */
      accept_preferred_username?: boolean | null | undefined
      /** Whether a person who signs out here is signed out at the provider too: with `rp_initiated` the browser goes through its `end_session_endpoint` (RP-Initiated Logout 1.0) and comes back. The default is `none`. */
      sign_out?: 'none' | 'rp_initiated' | null | undefined
      /** apple: the team id. `null` for other types. */
      team_id?: string | null | undefined
      /** apple: the id of the private key. `null` for other types. */
      key_id?: string | null | undefined
      /** When the client secret or the private key ends at the provider, as it says; `null` if it does not end or nobody filled it in. Warnings come 30, 7 and 1 days before. It lies in the future. */
      secret_expires_at?: string | null | undefined
      /** The name of the secret, whose value is given when the document is applied. */
      client_secret?: SecretName | null | undefined
      /** The name of the secret, whose value is given when the document is applied. */
      private_key?: SecretName | null | undefined
    }> | undefined
  /** The webhooks by their slugs. */
  webhooks?: Record<string, {
      /** Where events are posted. Live needs https. */
      url?: string | undefined
      /** The kinds of events to send. An empty list means all, future kinds included. */
      events?: EventKind[] | null | undefined
      /** A note for people, at most 200 characters. */
      description?: string | null | undefined
      /** Whether deliveries are paused. The default is false. */
      disabled?: boolean | null | undefined
    }> | undefined
}

export type Counted = {
  /** How many were counted. */
  count: number
  /** Whether there can be more: a count reads at most 1,000 rows of each kind. */
  or_more: boolean
}

export type Decision = {
  /** The kind of the object that has the field. */
  object: 'settings' | 'application' | 'provider' | 'user'
  /** The id of that object; `null` for the settings of the environment. */
  id: string | null
  /** The field as a JSON pointer, such as `/mfa/mode`. */
  pointer: string
  /** Its value now. At the time of the step it may have had another. */
  value: unknown
}

export type Delivery = {
  /** The id of a message to a webhook. */
  id: string
  /** The `webhook-id` header, the same in every attempt. */
  message_id: string
  /** The id of an event. */
  event_id: string
  /** The kind of the event. */
  event_type: EventKind
  /** The id of a webhook. */
  webhook_id: string
  /** The id of an environment. */
  environment_id: string
  /** `waiting` for the next attempt, `delivered`, or `given_up` after the last attempt or because the webhook is disabled. */
  status: 'waiting' | 'delivered' | 'given_up'
  /** When the next attempt is due; `null` if there is none. */
  next_attempt_at: string | null
  /** The attempts so far, oldest first. */
  attempts: Attempt[]
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type Environment = {
  /** The id of an environment. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
  slug: string
  /** The name. */
  name: string
  /** The type. */
  type: EnvironmentType
  /** The issuer URL of the environment. It never changes. */
  issuer: string
  /** Rises with every change of the configuration: settings, applications, resource servers, providers and webhooks. A rotation of a secret leaves it. */
  config_version: number
  /** Fields and objects that are meant to differ from other environments: promotions leave them alone. */
  keeps: Kept[]
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type EnvironmentChange = {
  /** The name. */
  name?: string | undefined
  /** Fields and objects that are meant to differ from other environments, at most 200. In Live an administrator needs the role admin. */
  keeps?: KeptInput[] | null | undefined
}

export type EnvironmentConfiguration = {
  /** The version of the form of the document. */
  version: 1
  /** The slug of the environment. */
  environment: string
  /** The settings in groups. */
  settings: {
    /** Lifetimes and formats of tokens. */
    tokens: {
      /** The lifetime of an access token. */
      access_token_ttl_seconds: number
      /** The lifetime of an ID token. */
      id_token_ttl_seconds: number
      /** The lifetime of an authorization code. */
      authorization_code_ttl_seconds: number
      /** A refresh token ends after this time without use. */
      refresh_token_idle_ttl_seconds: number
      /** How long a grant can be refreshed in all, not below the time without use. */
      refresh_token_absolute_ttl_seconds: number
      /** How long a refresh can be repeated. After a lost answer it gets the same answer. */
      refresh_retry_window_seconds: number
      /** The format of access tokens without a resource server: `jwt` or `opaque`. */
      access_token_format: TokenFormat
      /** The claims in the ID token. `full` puts those of all scopes into it; `minimal` leaves them to UserInfo. */
      id_token_claims: 'full' | 'minimal'
    }
    /** Lifetimes of sessions. */
    sessions: {
      /** A session ends after this time without use. */
      idle_ttl_seconds: number
      /** How long a session lasts at most, not below the time without use. */
      absolute_ttl_seconds: number
    }
    /** The scopes of OpenID Connect. */
    scopes: {
      /** Scopes of OpenID Connect that are refused. */
      disabled: ('profile' | 'email' | 'phone' | 'offline_access')[]
    }
    /** The claims of people who have no name. */
    claims: {
      /** What `preferred_username` holds for a person who has no user name. Nothing (`none`), or the verified address (`email`). A user name that the API set wins. */
      preferred_username: 'none' | 'email'
      /** What `name` holds for a person who has no name. Nothing (`none`), or the verified address (`email`). A name that a person or the API set wins. */
      name: 'none' | 'email'
    }
    /** Access by agents and other programs. */
    oauth: {
      /** A request that names a resource server may leave out the scope `openid`. Its access token is for the resource server alone, and there is no ID token. */
      openid_optional: boolean
      /** Clients that nobody registered, by the URL of a document about themselves. None (`off`), those whose URL an administrator has approved (`listed`), or every one (`any`). They only reach resource servers with `allow_metadata_clients`, and people are asked each time. */
      metadata_clients: 'off' | 'listed' | 'any'
    }
    /** The mail of the environment. */
    sign_in: {
      /** People can sign in with a password. */
      password: boolean
      /** People can sign in with a code by mail. It needs mail. */
      email_code: boolean
      /** People can sign in with a passkey. */
      passkey: boolean
      /** Passkeys may belong to the host that all environments of the service share. A passkey can never move to another host. */
      passkey_shared_host?: boolean | undefined
    }
    /** The creation of accounts. */
    sign_up: {
      /** By whom accounts are created. People themselves (`open`), people whose accounts wait until a backend or an administrator approves them (`approval`, which needs mail), or the API alone (`closed`). An account that waits can do nothing and ends after 30 days. Accounts of the API and of invitations never wait. */
      mode: SignUpMode
      /** When people are asked for their name. With `off` the sign-up form alone asks for a name, which can stay empty. `optional` also asks where an account begins without the form: by an emailed code, or at a provider that sent no name. `required` takes no account without a name, and asks everyone who has none once. A name that is asked for has 1 to 100 characters. */
      name: SignUpName
      /** If there are any, only addresses of these domains can sign up. Nor can others become the new address of an account. A domain is written as `example.com`, or `*.example.com` for all below it and not itself. Accounts of the API and of invitations may have any. */
      allowed_domains: string[]
      /** Addresses of these domains cannot sign up, even if they are allowed above. Nor can they become the new address of an account. */
      blocked_domains: string[]
    }
    /** The accounts of people. */
    users: {
      /** For how many days a deleted account can be restored. It is closed at first: the person is signed out everywhere, and the address stays taken. A backend, an administrator or the person can restore it; then it is erased. `0` erases at once. */
      deletion_grace_days: number
    }
    /** The rules for new passwords. */
    password: {
      /** The least number of characters of a new password. */
      min_length: number
      /** Common passwords are refused, and names and addresses of the person. */
      reject_common: boolean
    }
    /** Second factors. */
    mfa: {
      /** Whether a second factor is `off`, `optional` or `required`. What a person enrolled is asked for in every mode. */
      mode: 'off' | 'optional' | 'required'
      /** People can enrol an authenticator app (TOTP). */
      totp: boolean
      /** How long a person may choose not to be asked for the second factor in a browser; 0 for never. A recovery code does not count, and a request that asks for a fresh sign-in or a level, and a sensitive change, ask all the same. The root environment has none. */
      remember_days: number
    }
    /** How passkeys begin. */
    passkeys: {
      /** After a sign-in with a password, a browser that can do so creates a passkey without a question. The account needs a verified address. The passkey is a way in, but not a second factor until a sign-in has used it. The person is mailed and can remove it. It has no effect where passkeys are off, and is refused where a second factor is required. */
      automatic: boolean
    }
    /** Mails about what happens to an account. */
    notices: {
      /** A person gets a mail about a sign-in from a browser that is new to the account. The first sign-in of a person needs none, and an hour has at most one. It needs mail. */
      new_sign_in: boolean
    }
    /** The protection of accounts from guessing. */
    lockout: {
      /** This many wrong passwords in a row lock an account. */
      max_attempts: number
      /** How long an account stays locked. */
      duration_seconds: number
    }
    /** The look of the hosted pages. */
    branding: {
      /** The name on the hosted pages; `null` uses the name of the project. */
      display_name: string | null
      /** The https address of the image on the hosted pages; `null` for none. */
      logo_url: string | null
      /** The colour of buttons as `#rrggbb`; `null` for the default. */
      primary_color: string | null
    }
    /** Links at the foot of the hosted pages. */
    links: {
      /** The terms of service, linked on the hosted pages; `null` for none. */
      terms_url: string | null
      /** The privacy policy, linked on the hosted pages; `null` for none. */
      privacy_url: string | null
      /** Where people get help, linked on the hosted pages; `null` for none. */
      support_url: string | null
    }
    /** Calls from browsers. */
    cors: {
      /** Origins whose scripts can call the token endpoints. Those of spa applications can anyway. An origin is written as `https://app.example.com`. */
      allowed_origins: string[]
    }
    /** The mail of the environment. */
    email: {
      /** `smtp` sends mail, `capture` keeps it for the inbox (Test only), `none` sends nothing. */
      delivery: 'capture' | 'none' | 'smtp'
      /** The sender of mail: an address, or `Name <address>`. Required with `smtp`. */
      from: string | null
      /** The SMTP server; `null` for none. */
      smtp: {
        /** The name or the address of the mail server. */
        host: string
        /** The port of the mail server. */
        port: number
        /** The user name at the mail server; `null` for none. */
        username: string | null
        /** The name of the secret if one is set; the secret itself is never shown. */
        password: SecretName | null
        /** `starttls` is required, not opportunistic; `implicit` is TLS from the start; `none` only reaches an allowed network. */
        tls: 'starttls' | 'implicit' | 'none'
      } | null
    }
    /** What exists in Test only. */
    test?: {
      /** Six digits that replace emailed codes; `null` for real codes. */
      fixed_code?: string | null | undefined
    } | undefined
  }
  /** The resource servers by their slugs. */
  resource_servers: Record<string, {
      /** The absolute URI of the API: the value of `resource` in a request and of `aud` in its tokens (RFC 8707). It never changes. */
      identifier: string
      /** The name. */
      name: string
      /** The scopes of the API, at most 200. */
      scopes: ({
        /** The name. */
        name: string
        /** What the scope allows, shown on the consent page. */
        description: string | null
      })[]
      /** The lifetime of its access tokens in seconds, 60 to 86,400; `null` uses the settings of the environment. */
      access_token_ttl_seconds: number | null
      /** `jwt` can be verified without a call; `opaque` needs the validation call and can be shorter. The default is `jwt`. */
      access_token_format: TokenFormat
      /** The algorithm that signs its access tokens: `RS256` or `ES256`. A token for several resource servers is ES256 where all of them say so. The key of ES256 is published at once and signs ten minutes later, in Test at once; until then tokens are RS256. It needs `access_token_format` `jwt`. The default is `RS256`. */
      access_token_signing_alg: SigningAlg
      /** Whether a scope of it is given only to a person whose roles give it. A token has the part of its scope that the roles give when it is issued. The default is false. */
      require_roles: boolean
      /** Whether people act for an organization at this API. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
      organizations: 'none' | 'optional' | 'required'
      /** The name of the claim of its access tokens that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. A token for several resource servers has it where all of them name the same one. `null`: none. */
      roles_claim: string | null
      /** Whether its access tokens carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. A token for several resource servers carries them where all of them say so. The default is false. */
      data_claims: boolean
      /** Whether clients that nobody registered may ask for its access tokens, where the setting `oauth.metadata_clients` lets them in. The default is false. */
      allow_metadata_clients: boolean
    }>
  /** The roles by their slugs. */
  roles: Record<string, {
      /** Whom it is given to: `user`, or `organization` for members of organizations. It never changes. */
      kind: RoleKind
      /** The name. */
      name: string
      /** What the role is for, at most 200 characters. */
      description: string | null
      /** Whether every user, or every member, has it without being given it. */
      default: boolean
      /** Whether members with the role manage the members of their organization. Only for the kind `organization`. */
      administers: boolean
      /** What the role gives: scopes of resource servers, each resource server once. An entry whose resource server or scope is gone stays and gives nothing. One that is made again under its old name is given only after a change of the role that sends its permissions. */
      permissions: Permission[]
    }>
  /** The applications by their slugs. */
  applications: Record<string, {
      /** `web` keeps a secret on a server, `spa` runs in a browser, `native` on a device. It never changes. */
      application_type: ApplicationType
      /** The template of `GET /v1/application-templates` that the application was created by; `null` without one. It never changes. */
      template: string | null
      /** The name. */
      name: string
      /** Where sign-in returns to, 1 to 50 absolute URIs, compared as exact strings. Live needs https, except private-use schemes and loopback of native applications. */
      redirect_uris: string[]
      /** Where sign-out can return to, at most 50, compared as exact strings. */
      post_logout_redirect_uris: string[]
      /** How the application authenticates at the token endpoint. `none` for spa and native. The default of web is `client_secret`: the secret in the Authorization header or in the body, never in both. `client_secret_basic` takes it in the header alone, `client_secret_post` in the body alone. */
      token_endpoint_auth_method: 'none' | 'client_secret' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
      /** The public keys of the application as a key set, for `private_key_jwt`. Set this or `jwks_uri`. */
      jwks: PublicKeySet | null
      /** Where the application publishes its public keys, for `private_key_jwt`. Set this or `jwks`. */
      jwks_uri: string | null
      /** The scopes that the application can request, those of resource servers included. */
      allowed_scopes: string[]
      /** What happens to a scope that neither OpenID Connect nor a resource server of the environment has. `reject` refuses the request with `invalid_scope`; `ignore` leaves it out, and it is never granted. Scopes that are disabled or not allowed are refused in both cases. The default is `reject`. */
      unknown_scopes: 'reject' | 'ignore'
      /** The slugs of roles of which a person needs one to sign in; empty: everyone can. That of a role that was deleted stays, and nobody holds it. */
      allowed_roles: string[]
      /** Whether people act for an organization in this application. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
      organizations: 'none' | 'optional' | 'required'
      /** The name of the claim of ID tokens and UserInfo that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. With it the application can also request the scope `groups`, which gives nothing more. `null`: none. */
      roles_claim: string | null
      /** Whether ID tokens and UserInfo carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. The default is false. */
      data_claims: boolean
      /** Whether an authorization request needs PKCE, or a nonce in its place where `nonce_replaces_pkce` is true. The default is true; only a web application can set false. A `code_challenge` that is sent is always enforced. */
      require_pkce: boolean
      /** Lets an authorization request of a web application with a `nonce` have no `code_challenge` (RFC 9700 §2.1.1). The default is true. It does not apply to spa and native, where it is null. */
      nonce_replaces_pkce: boolean | null
      /** `ask` shows the consent page to each user once; `skip` is for your own applications. The default is `skip`. A native application without an `https` address gets a press of the person in any case. */
      consent: 'skip' | 'ask'
      /** Where the service posts a logout token when a session ends (OIDC Back-Channel Logout 1.0). */
      backchannel_logout_uri: string | null
      /** Where the application starts a sign-in that it did not begin itself (OIDC Core §4). */
      initiate_login_uri: string | null
      /** The logo on the consent page. */
      logo_uri: string | null
      /** Lets a native application use any port of a registered redirect URI at `127.0.0.1` or `[::1]` (RFC 8252 §7.3). The port of `localhost` is never varied: it is a name, which a device can resolve to another address (§8.3). The default is false. */
      allow_loopback_port: boolean
      /** Refuses every request of the application. The default is false. */
      disabled: boolean
    }>
  /** The identity providers by their slugs. */
  providers: Record<string, {
      /** The kind of provider. It never changes. */
      type: ProviderType
      /** The name on the sign-in button. */
      display_name: string
      /** oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. `null` for the others. It is https; in Test also http at `localhost`, `127.0.0.0/8` or `[::1]`, where the operator allows calls to that address. */
      issuer: string | null
      /** Your client id at the provider. */
      client_id: string
      /** The scopes to request. The default depends on the type, such as `openid email profile`. */
      scopes: string[]
      /** Whether people can sign in with the provider. The default is true. */
      enabled: boolean
      /** Links an identity to the existing user with the same email, if both sides have verified it. The default is false. */
      link_by_verified_email: boolean
      /** Stores the `preferred_username` of the provider as that of a new user, if it has 1 to 100 visible characters and no `@`, and no other user of the environment has it, in whatever case. Otherwise it is left out, and `user.created` says why. The default is false. */
      accept_preferred_username: boolean
      /** Whether a person who signs out here is signed out at the provider too: with `rp_initiated` the browser goes through its `end_session_endpoint` (RP-Initiated Logout 1.0) and comes back. The default is `none`. */
      sign_out: 'none' | 'rp_initiated'
      /** apple: the team id. `null` for other types. */
      team_id: string | null
      /** apple: the id of the private key. `null` for other types. */
      key_id: string | null
      /** When the client secret or the private key ends at the provider, as it says; `null` if it does not end or nobody filled it in. Warnings come 30, 7 and 1 days before. It lies in the future. */
      secret_expires_at: string | null
      /** The name of the secret if one is set; the secret itself is never shown. */
      client_secret: SecretName | null
      /** The name of the secret if one is set; the secret itself is never shown. */
      private_key: SecretName | null
    }>
  /** The webhooks by their slugs. */
  webhooks: Record<string, {
      /** Where events are posted. Live needs https. */
      url: string
      /** The kinds of events to send. An empty list means all, future kinds included. */
      events: EventKind[]
      /** A note for people, at most 200 characters. */
      description: string | null
      /** Whether deliveries are paused. The default is false. */
      disabled: boolean
    }>
}

export type EnvironmentCreation = {
  /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
  slug: string
  /** The name. */
  name: string
  /** The type. */
  type: EnvironmentType
  /** An https origin of its own for the issuer, on a host that the operator of the service admits for the tenant. It can never be changed or used again. Absent or null: an address below that of the service. */
  issuer?: string | null | undefined
}

export type EnvironmentRole = {
  /** The id of a role. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The name of the object in URLs and scripts, unique among the objects of its kind in the environment. It never changes. */
  slug: string
  /** Whom it is given to: `user`, or `organization` for members of organizations. It never changes. */
  kind: RoleKind
  /** The name. */
  name: string
  /** What the role is for, at most 200 characters. */
  description: string | null
  /** Whether every user, or every member, has it without being given it. */
  default: boolean
  /** Whether members with the role manage the members of their organization. Only for the kind `organization`. */
  administers: boolean
  /** What the role gives: scopes of resource servers, each resource server once. An entry whose resource server or scope is gone stays and gives nothing. One that is made again under its old name is given only after a change of the role that sends its permissions. */
  permissions: Permission[]
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type EnvironmentType = 'test' | 'live'

export type Event = {
  /** The id of an event. */
  id: string
  /** The kind of the event. */
  type: EventKind
  /** When the change happened. */
  timestamp: string
  /** 1, 2, 3 … within the environment, without gaps. */
  sequence: number
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The environment of the event. */
  environment: {
    /** The id of an environment. */
    id: string
    /** The type. */
    type: EnvironmentType
  }
  /** The X-Request-Id of the call that caused the event; `null` if no call did. */
  request_id: string | null
  /** Who caused the event. */
  actor: {
    /** The type. */
    type: 'user' | 'api_key' | 'application' | 'system'
    /** The id of the object. */
    id: string | null
  }
  /** The user that the event is about; `null` if there is none. */
  user_id: string | null
  /** The application that the event is about; `null` if there is none. */
  application_id: string | null
  /** The object of the event, without secrets. Its members depend on `type`. `sub` is that of the user in `user_id`, as tokens have it. That of `session.ended` has a `reason`, such as `signed_out`, or `replaced` where a user has too many sessions. */
  data: Record<string, unknown>
}

export type EventKind = 'user.created' | 'user.updated' | 'user.deleted' | 'user.closed' | 'user.restored' | 'user.blocked' | 'user.unblocked' | 'user.approval_requested' | 'user.email_verified' | 'user.method_added' | 'session.created' | 'session.ended' | 'sign_in.succeeded' | 'sign_in.failed' | 'mfa.enrolled' | 'mfa.removed' | 'trusted_browser.added' | 'trusted_browser.removed' | 'consent.granted' | 'consent.revoked' | 'token.reuse_detected' | 'application.created' | 'application.updated' | 'application.deleted' | 'application.secret_rotated' | 'application.secret_added' | 'application.secret_deleted' | 'application.secret_expiring' | 'auth_key.expiring' | 'provider.secret_expiring' | 'resource_server.created' | 'resource_server.updated' | 'resource_server.deleted' | 'role.created' | 'role.updated' | 'role.deleted' | 'metadata_client.created' | 'metadata_client.updated' | 'metadata_client.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'organization_member.added' | 'organization_member.updated' | 'organization_member.removed' | 'organization_invitation.created' | 'organization_invitation.accepted' | 'organization_invitation.ended' | 'provider.created' | 'provider.updated' | 'provider.deleted' | 'environment.settings_updated' | 'promotion.applied' | 'promotion.reverted' | 'auth_key.created' | 'auth_key.rotated' | 'auth_key.revoked' | 'mail.sent' | 'mail.failed' | 'signing_key.rotated' | 'webhook.disabled' | 'test.ping'

export type FieldChange = {
  /** The JSON pointer of the field within the object. */
  pointer: string
  /** The value of the target now. */
  from: unknown
  /** The value after the promotion. */
  to: unknown
}

export type Grant = {
  /** The id of the grant. */
  id: string
  /** The application or the metadata client that has the tokens. */
  application_id: string
  /** The session that the grant began in, which may have ended. */
  session_id: string
  /** The granted scopes, separated by spaces. */
  scope: string
  /** The identifiers of the requested resource servers. */
  resource: string[]
  /** The organization that the person acts for; `null`: none. */
  organization_id: string | null
  /** When the application got the authorization code. */
  created_at: string
  /** The time after which no token of the grant can be valid. */
  expires_at: string
  /** When the application got tokens last; null if it never did. */
  last_used_at: string | null
}

export type Impact = {
  /** Live grants that it would end or take something from; `null` where it touches none. A grant is one person with one application. For a resource server and a scope the newest 5,000 grants of the environment are looked at. */
  grants: Counted | null
  /** The people of these grants; of a provider everyone who is linked with it. `null` where no person is known. */
  people: Counted | null
  /** Of the newest 20,000 users, those who have no other way to sign in; `null` for what nobody signs in by. */
  locked_out: Counted | null
  /** Uses in the last 30 days: of an application its token requests, of a resource server the access tokens for it, of a provider or a method the sign-ins, of a key its calls. `null` for a scope, whose uses are not counted. Uses before the upgrade to a version that counts them are missing. */
  calls_30_days: number | null
}

export type Invitation = {
  /** The id of a user. It is also the `sub` in tokens, unless the user was created with a `sub`. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The email of the member; `null` where another person verified it as theirs. In an invitation it is only a label: the membership belongs to the account that accepts. */
  email: string | null
  /** The role. Each includes the permissions of the earlier ones: viewer, developer, admin, owner. */
  role: Role
  /** `pending` is an invitation, `active` a member. */
  status: 'pending' | 'active'
  /** The expiry of the link of a pending invitation; `null` while it has no link. */
  expires_at: string | null
  /** The user of the root tenant; `null` for a pending invitation. */
  user_id: string | null
  /** The name. */
  name: string | null
  /** Whether the account has verified its email; `null` for a pending invitation. */
  email_verified: boolean | null
  /** When the invitation was accepted. */
  accepted_at: string | null
  /** When the member last signed in; `null` if never. */
  last_sign_in_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** The link to send to the person, returned once; `null` in a repeat with the same Idempotency-Key, and where the service mails it. */
  invitation_url: string | null
}

export type Kept = {
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug: string | null
  /** The JSON pointer of the field within the object; `null` for the whole object, also one that is not wanted here. */
  pointer: string | null
  /** Why it is meant to differ, at most 200 characters. */
  reason: string
}

export type KeptInput = {
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug?: string | null | undefined
  /** The JSON pointer of the field within the object; `null` for the whole object, also one that is not wanted here. */
  pointer: string | null
  /** Why it is meant to differ, at most 200 characters. */
  reason: string
}

export type KeyIdentity = {
  /** The id of an API key. */
  id: string
  /** The id of an API key. */
  key_id: string
  /** What the key can do: `auth_publishable` reads the auth configuration from browsers, `auth_secret` manages users from a backend, `platform_secret` automates setup. */
  type: KeyType
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string | null
  /** The id of an environment. */
  environment_id: string | null
  /** The type of the environment. */
  environment_type: EnvironmentType | null
  /** A name for people, 1 to 100 characters. */
  label: string | null
  /** The first characters of the key, to recognise it. */
  start: string
  /** The last four characters of the key. */
  last4: string
  /** What a platform key may do; `*` is everything. A write scope does not include the read scope. Empty for auth keys. */
  scopes: KeyScope[]
  /** Exact origins of the web pages that may use a publishable key. Live allows https only. Empty for other keys. */
  allowed_origins: string[]
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty allows every address. */
  ip_allowlist: string[]
  /** The rate limit of the key; `null` is the default: 100 requests in 10 s in Test, 1,000 in 10 s in Live and for platform keys. */
  rate_limit: RateLimit | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** When the key was last used; `null` if never. */
  last_used_at: string | null
  /** The address of the last use. */
  last_used_ip: string | null
  /** When the key was last replaced by rotation; `null` if never. */
  rotated_at: string | null
  /** When the key was revoked; `null` while it works. */
  revoked_at: string | null
  /** When the key stops working; `null` if it does not expire. */
  expires_at: string | null
  /** The tenant of the key. */
  tenant: {
    /** The id of a tenant. */
    id: string
    /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
    slug: string
    /** The name. */
    name: string
  }
  /** The project of the key; `null` for platform keys. */
  project: {
    /** The id of a project. */
    id: string
    /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
    slug: string
    /** The name. */
    name: string
  } | null
  /** The environment of the key; `null` for platform keys. */
  environment: {
    /** The id of an environment. */
    id: string
    /** The type. */
    type: EnvironmentType
    /** The issuer URL of the environment. */
    issuer: string
  } | null
  /** The scopes of the key with `*` expanded. Empty for auth keys. */
  effective_scopes: KeyScope[]
  /** This request, as the service sees it. */
  request: {
    /** The IP address; `null` if it is unknown. */
    ip: string | null
  }
}

export type KeyScope = 'projects:read' | 'projects:write' | 'environments:read' | 'environments:write' | 'env.settings:read' | 'env.settings:write' | 'applications:read' | 'applications:write' | 'resource_servers:read' | 'resource_servers:write' | 'providers:read' | 'providers:write' | 'webhooks:read' | 'webhooks:write' | 'auth_keys:read' | 'auth_keys:write' | 'users:read' | '*'

export type KeyType = 'auth_publishable' | 'auth_secret' | 'platform_secret'

export type KeyUsage = {
  /** The uses by hour, route and address, oldest hour first, then by the number of calls. */
  data: ({
    /** The beginning of the hour, in UTC. */
    hour: string
    /** The path of the route with the names of its parameters, or `other` beyond 100 pairs of route and address. */
    route: string
    /** The source address; null if it is unknown, and in the sum `other`. */
    ip: string | null
    /** All calls, refused ones included. */
    count: number
    /** The calls that the key was not allowed to make, or not now: by address, origin, rate limit, type or scope. */
    refused: number
  })[]
}

export type Left = {
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug?: string | null | undefined
  /** The JSON pointer of the field within the object. */
  pointer?: string | undefined
}

export type LeftAlone = {
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug: string | null
  /** The JSON pointer of the field within the object; `null` for the whole object. */
  pointer: string | null
  /** It is meant to differ (`kept`), or only the target has it (`only_there`). */
  why: 'kept' | 'only_there'
  /** The reason of a field that is meant to differ. */
  reason: string | null
}

export type Located = {
  /** The kind of the object, such as `application`. */
  object: string
  /** The id that was looked up. */
  id: string
  /** The webhook of a message, the user of a session; `null` for any other object. */
  parent_id: string | null
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string | null
  /** The id of an environment. */
  environment_id: string | null
  /** The type of the environment; `null` outside an environment. */
  environment_type: EnvironmentType | null
}

export type MadeSecret = {
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug: string | null
  /** The id of the object in the target. */
  id: string
  /** The client secret of an application. */
  client_secret?: string | undefined
  /** The secret of a webhook. */
  secret?: string | undefined
}

export type Mail = {
  /** The id of a captured mail. */
  id: string
  /** The complete email address of the recipient. A filter ignores case. */
  to: string
  /** Why the mail was sent. */
  kind: MailKind
  /** The subject. */
  subject: string
  /** The body as plain text. */
  text: string
  /** The body as HTML. */
  html: string
  /** The code in the mail; `null` in kinds without a code. */
  code: string | null
  /** The link in the mail; `null` in kinds without a link. */
  link: string | null
  /** When the object was created. */
  created_at: string
}

/** An empty object. */
export type MailAsked = Record<string, never>

export type MailKind = 'sign_in_code' | 'verify_email' | 'existing_account' | 'reset_password' | 'change_email' | 'change_email_notice' | 'password_changed' | 'method_added' | 'method_removed' | 'recovery_code_used' | 'recovery_codes_made' | 'new_sign_in' | 'data_exported' | 'account_deleted' | 'account_closed' | 'account_restored' | 'approved' | 'refused' | 'sign_up_refused' | 'invitation' | 'organization_invitation' | 'organization_invitation_code' | 'expiring' | 'test'

export type MailStage = 'dns' | 'connect' | 'tls' | 'greeting' | 'auth' | 'recipient' | 'data'

export type MailTest = {
  /** The address that gets the test mail. */
  to: string
}

export type MailTested = {
  /** Whether the mail server accepted the mail. */
  accepted: boolean
  /** The last step, which failed unless the mail was accepted. */
  stage: MailStage
  /** The last reply of the mail server; `null` if it sent none after a correct greeting. */
  reply: string | null
  /** Why the mail was not accepted, as in `mail.failed`; `null` if it was. */
  reason: 'dns' | 'forbidden' | 'refused' | 'unreachable' | 'timeout' | 'tls' | 'auth' | 'no_smtputf8' | 'rejected' | 'closed' | 'outlived' | 'not_set_up' | null
  /** What the reason means and what to do; `null` if the mail was accepted. */
  detail: string | null
}

export type Me = {
  /** The id of a user. It is also the `sub` in tokens, unless the user was created with a `sub`. */
  user_id: string
  /** The email of the member. In an invitation it is only a label: the membership belongs to the account that accepts. */
  email: string
  /** The name. */
  name: string | null
  /** The tenant that holds the accounts of all administrators. */
  root_tenant_id: string
  /** The tenants of the administrator, with the role in each. */
  memberships: ({
    /** The id of a tenant. */
    tenant_id: string
    /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
    slug: string
    /** The name. */
    name: string
    /** The role in the tenant. */
    role: Role
  })[]
}

export type Member = {
  /** The id of a user. It is also the `sub` in tokens, unless the user was created with a `sub`. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The email of the member; `null` where another person verified it as theirs. In an invitation it is only a label: the membership belongs to the account that accepts. */
  email: string | null
  /** The role. Each includes the permissions of the earlier ones: viewer, developer, admin, owner. */
  role: Role
  /** `pending` is an invitation, `active` a member. */
  status: 'pending' | 'active'
  /** The expiry of the link of a pending invitation; `null` while it has no link. */
  expires_at: string | null
  /** The user of the root tenant; `null` for a pending invitation. */
  user_id: string | null
  /** The name. */
  name: string | null
  /** Whether the account has verified its email; `null` for a pending invitation. */
  email_verified: boolean | null
  /** When the invitation was accepted. */
  accepted_at: string | null
  /** When the member last signed in; `null` if never. */
  last_sign_in_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type MemberChange = {
  /** The role in the tenant. */
  role?: Role | undefined
}

export type MemberCreation = {
  /** The email address. */
  email: string
  /** The role in the tenant. */
  role: Role
}

export type MetadataClient = {
  /** The id of a metadata client. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The URL of the document, which is the client id. */
  client_id: string
  /** The name that the client gives itself. Anybody can choose any name. */
  client_name: string
  /** The host of the URL, with a port that is not 443. */
  host: string
  /** The addresses of the document that requests can use. */
  redirect_uris: string[]
  /** How the client authenticates. */
  token_endpoint_auth_method: 'none' | 'private_key_jwt'
  /** Whether an administrator has approved the URL. With the setting `oauth.metadata_clients` at `listed` no other client gets in. */
  listed: boolean
  /** Whether the client is refused, whatever the setting is. All its grants have ended. */
  disabled: boolean
  /** Who added the record: an administrator or a key, or a person who allowed the client something. */
  added_by: 'administrator' | 'person'
  /** How many people have allowed the client something and have not withdrawn it, counted to 1,000. Blocked users are not counted. None of these people has access while the client is disabled or not admitted. */
  people: number
  /** When the document was read last. */
  document_read_at: string
  /** When the client last got a code or tokens; `null` if it never did. */
  last_used_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type MetadataClientChange = {
  /** Whether an administrator has approved the URL. With the setting `oauth.metadata_clients` at `listed` no other client gets in. */
  listed?: boolean | undefined
  /** Whether the client is refused, whatever the setting is. All its grants have ended. */
  disabled?: boolean | undefined
}

export type MetadataClientCreation = {
  /** The URL of the document, which is the client id. */
  client_id: string
  /** Whether the URL is approved. The default is true. */
  listed?: boolean | undefined
}

export type Names = {
  /** The objects that exist and that the caller may read, in no order. */
  data: ObjectName[]
}

export type NeededSecret = {
  /** The name of the secret, as in the document, without the dollar sign and the braces. */
  name: string
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug: string | null
  /** The JSON pointer of the field within the object. */
  pointer: string
  /** Whether the target has a secret there, which stays if none is sent. */
  stored: boolean
}

export type ObjectName = {
  /** The id that was asked for. */
  id: string
  /** What it is. A `member` is an administrator of the tenant. */
  object: 'user' | 'member' | 'application' | 'metadata_client' | 'key' | 'resource_server' | 'role' | 'organization' | 'provider' | 'webhook' | 'environment' | 'project'
  /** What people call it: the email or the name of a user, the label or the first characters of a key, the slug of a webhook, else the name. */
  name: string
}

export type ObjectOfConfiguration = 'settings' | 'resource_server' | 'role' | 'application' | 'provider' | 'webhook'

export type Obstacle = {
  /** What stands in the way. */
  what: 'no_account' | 'sign_up_closed' | 'sign_up_domain' | 'no_way_in' | 'blocked' | 'deleted' | 'waits_for_approval' | 'refused' | 'locked_everywhere' | 'locked_in_known_browsers' | 'locked_from_one_place' | 'locked_second_factor'
  /** When it ends by itself; `null` if it does not. */
  until: string | null
  /** The field that decided it; `null` where a field has nothing to do with it. */
  decided_by: Decision | null
}

export type Organization = {
  /** The id of an organization. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The name of the organization in URLs and requests, unique in the environment. It never changes. */
  slug: string
  /** The id of the organization in your own data, unique in the environment; `null` without one. */
  external_id: string | null
  /** The name. */
  name: string
  /** Your own data, an object of at most 16 KiB. No token carries it. */
  metadata: Record<string, unknown>
  /** Data for tokens that ask for it. */
  claims: Record<string, unknown>
  /** Whether the organization is switched off: nobody acts in it. */
  disabled: boolean
  /** The number of its members. It is exact. */
  member_count: number
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type OrganizationChange = {
  /** The id of the organization in your own data, unique in the environment; `null` without one. */
  external_id?: string | null | undefined
  /** The name. */
  name?: string | undefined
  /** Merged with what is stored: `null` takes a member out. */
  metadata?: Record<string, unknown> | null | undefined
  /** Merged with what is stored: `null` takes a name out. The result has the bounds of a new object. */
  claims?: Record<string, unknown> | null | undefined
  /** Whether the organization is switched off: nobody acts in it. */
  disabled?: boolean | null | undefined
}

export type OrganizationCreation = {
  /** Made from the name if it is absent. It must be unique, is never `none` and cannot be changed later. */
  slug?: string | undefined
  /** The id of the organization in your own data, unique in the environment; `null` without one. */
  external_id?: string | null | undefined
  /** The name. */
  name: string
  /** Your own data, an object of at most 16 KiB. No token carries it. */
  metadata?: Record<string, unknown> | undefined
  /** Data for tokens that ask for it: an object of at most 1024 bytes as compact JSON, with at most 20 names and 3 levels. No name is a registered claim of JWTs, is `grant_id` or begins with `org_`. Put nothing secret here. */
  claims?: Record<string, unknown> | undefined
  /** The first members, at most 100, each user once. */
  members?: OrganizationMemberCreation[] | undefined
}

export type OrganizationInvitation = {
  /** The id of an invitation to an organization. */
  id: string
  /** The id of an organization. */
  organization_id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The address that is invited. */
  email: string
  /** The roles that the person gets, by slug and in order of slug. Deleted roles are left out. */
  roles: string[]
  /** `ended` is one that was deleted, declined or replaced, that expired, or whose inviter left, is blocked or may no longer give its roles. */
  status: 'pending' | 'accepted' | 'ended'
  /** The application that the person is sent to afterwards; `null` without one. */
  application_id: string | null
  /** Who invited, as the actor of an event: a key of the backend, an administrator, or a member of the organization. */
  invited_by: {
    /** The type. */
    type: 'user' | 'api_key' | 'system'
    /** The id of the object. */
    id: string | null
  }
  /** The link, shown only once, where the service does not mail it. Otherwise `null`. It proves nothing by itself. */
  invitation_url: string | null
  /** When the link ends. */
  expires_at: string
  /** The user who accepted; `null` if none has. */
  user_id: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type OrganizationInvitationCreation = {
  /** The address that is invited. Whether an account has it makes no difference. */
  email: string
  /** The roles of the member, by slug: at most 20, each once, of the kind `organization`. The list replaces the one before. Roles that every member has need not be in it. */
  roles?: string[] | undefined
  /** The application to whose `initiate_login_uri` the person is sent afterwards. Without it they see their account page. */
  application_id?: string | undefined
  /** For how long the link is valid. 604,800, which is 7 days, if it is absent. */
  expires_in_seconds?: number | undefined
  /** Whether the link is mailed. With `false` nothing is mailed, and `invitation_url` is returned once. `true` if it is absent. */
  send_email?: boolean | undefined
}

export type OrganizationMember = {
  /** The id of an organization. */
  organization_id: string
  /** The user, whose id is also that of the member. */
  user_id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The email of the user; `null` without one. */
  email: string | null
  /** The full name of the user; `null` without one. */
  name: string | null
  /** The roles that were given to the member, by slug and in order of slug. Roles that every member has are not among them. */
  roles: string[]
  /** When the user last acted in the organization; `null` if never. */
  last_used_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type OrganizationMemberChange = {
  /** The roles of the member, by slug: at most 20, each once, of the kind `organization`. The list replaces the one before. Roles that every member has need not be in it. */
  roles?: string[] | null | undefined
}

export type OrganizationMemberCreation = {
  /** The user, who is of the same environment. */
  user_id: string
  /** The roles of the member, by slug: at most 20, each once, of the kind `organization`. The list replaces the one before. Roles that every member has need not be in it. */
  roles?: string[] | undefined
}

export type OwnedValue = {
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug: string | null
  /** The JSON pointer of the field within the object. */
  pointer: string
  /** The value for the target. */
  value: unknown
}

export type OwnedValueInput = {
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug?: string | null | undefined
  /** The JSON pointer of the field within the object. */
  pointer: string
  /** The value for the target. */
  value: unknown
}

export type Permission = {
  /** The slug of a resource server of the environment. */
  resource_server: string
  /** The names of its scopes that the role gives, each once. */
  scopes: string[]
}

export type Planned = {
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug?: string | null | undefined
  /** The JSON pointer of the field within the object. */
  pointer?: string | undefined
}

export type PlannedChange = {
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug: string | null
  /** The id of the object in the target; `null` for the settings, and until it is created. */
  id: string | null
  /** What happens to it. */
  action: 'create' | 'update' | 'delete'
  /** The fields that change. Secrets appear by name. */
  fields: FieldChange[]
}

export type PlatformKeyChange = {
  /** A name for people, 1 to 100 characters. */
  label?: string | undefined
  /** What the key may do; `*` is everything. A write scope does not include the read scope. */
  scopes?: KeyScope[] | undefined
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty allows every address. */
  ip_allowlist?: string[] | null | undefined
  /** The rate limit of the key; one member can change alone, and `null` restores the default. */
  rate_limit?: {
    /** The number of requests in one window, 1 to 100,000. */
    limit?: number | null | undefined
    /** The length of the sliding window in seconds, 1 to 3,600. */
    window_seconds?: number | null | undefined
  } | null | undefined
  /** When the key stops working; `null` if it does not expire. It lies in the future. */
  expires_at?: string | null | undefined
}

export type PlatformKeyCreation = {
  /** A name for people, 1 to 100 characters. */
  label: string
  /** What the key may do; `*` is everything. A write scope does not include the read scope. */
  scopes: KeyScope[]
  /** IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty allows every address. */
  ip_allowlist?: string[] | undefined
  /** The rate limit of the key; `null` is the default: 100 requests in 10 s in Test, 1,000 in 10 s in Live and for platform keys. */
  rate_limit?: RateLimit | null | undefined
  /** When the key stops working; `null` if it does not expire. It lies in the future. */
  expires_at?: string | null | undefined
}

export type Project = {
  /** The id of a project. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
  slug: string
  /** The name. */
  name: string
  /** How promotions of the project are made. */
  promotion: ProjectPromotion
  /** How old the sign-in of an administrator may be for calls that need a fresh one. */
  fresh_sign_in: ProjectFreshSignIn
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type ProjectChange = {
  /** The name. */
  name?: string | undefined
  /** How promotions are made. Only an administrator with the role admin changes it, and an approval needs two owners or admins. */
  promotion?: {
    /** Whether a plan to a Live environment needs the approval of an owner or admin who did not plan it. Edits by hand need none. */
    require_approval?: boolean | undefined
  } | undefined
  /** How old the sign-in of an administrator may be for calls that need a fresh one; `null` puts a default back. Only an administrator with the role admin changes it. */
  fresh_sign_in?: {
    /** The age in seconds that the sign-in may have for calls in Test environments, 600 to 3600. The default is 600. */
    test_seconds?: number | null | undefined
    /** The age in seconds that the sign-in may have for calls in Live environments and for those of the project itself, 60 to 600. The default is 600. */
    live_seconds?: number | null | undefined
  } | null | undefined
}

export type ProjectCreation = {
  /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
  slug: string
  /** The name. */
  name: string
  /** The first environments, in the order of the list. Absent: one with the slug test, one with the slug live. */
  environments?: EnvironmentCreation[] | undefined
}

export type ProjectFreshSignIn = {
  /** The age in seconds that the sign-in may have for calls in Test environments, 600 to 3600. The default is 600. */
  test_seconds: number
  /** The age in seconds that the sign-in may have for calls in Live environments and for those of the project itself, 60 to 600. The default is 600. */
  live_seconds: number
}

export type ProjectPromotion = {
  /** Whether a plan to a Live environment needs the approval of an owner or admin who did not plan it. Edits by hand need none. */
  require_approval: boolean
}

export type ProjectWithEnvironments = {
  /** The id of a project. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
  slug: string
  /** The name. */
  name: string
  /** How promotions of the project are made. */
  promotion: ProjectPromotion
  /** How old the sign-in of an administrator may be for calls that need a fresh one. */
  fresh_sign_in: ProjectFreshSignIn
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** The first environments, as the list of environments shows them. */
  environments: Environment[]
}

export type Promotion = {
  /** The id of the promotion; `null` in a dry run. */
  id: string | null
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The environment that the configuration comes from; `null` for a document. */
  from_environment_id: string | null
  /** The environment that the document names; `null` without one. */
  document_environment: string | null
  /** The environment that the configuration is brought to. */
  to_environment_id: string
  /** The `config_version` of the source at the plan; `null` for a document. */
  from_config_version: number | null
  /** The `config_version` of the target at the plan. */
  to_config_version: number
  /** What became of the plan. */
  status: 'planned' | 'applied' | 'reverted'
  /** Whether the source or the target has changed since the plan. */
  stale: boolean
  /** Whether the promotion can be reverted. */
  revertible: boolean
  /** A note for people. */
  note: string | null
  /** Values that belong to the target, for its settings and for objects that the source has. Not beside an own document. */
  values: OwnedValue[]
  /** Plan these alone: objects, or fields of them. */
  only: Planned[]
  /** Delete these objects of the target, which an own document lacks. */
  prune: Pruned[]
  /** What the promotion changes, in the order in which it is written. */
  changes: PlannedChange[]
  /** What was found: errors, then warnings. */
  checks: PromotionCheck[]
  /** The secrets that the document names, whose values go with the call that applies it. */
  needed_secrets: NeededSecret[]
  /** What stays although it differs. */
  left_alone: LeftAlone[]
  /** The approval by another administrator. */
  approval: {
    /** Whether another administrator must approve the plan before it is applied. */
    required: boolean
    /** Who approved it; `null` before that. */
    approved_by: {
      /** The type. */
      type: 'key' | 'user'
      /** The id of the object. */
      id: string
      /** The label of the key, or the email of the administrator at that time. */
      label: string | null
    } | null
    /** When it was approved; `null` before that. */
    approved_at: string | null
  }
  /** Who planned it. */
  created_by: {
    /** The type. */
    type: 'key' | 'user'
    /** The id of the object. */
    id: string
    /** The label of the key, or the email of the administrator at that time. */
    label: string | null
  } | null
  /** Who applied it; `null` before that. */
  applied_by: {
    /** The type. */
    type: 'key' | 'user'
    /** The id of the object. */
    id: string
    /** The label of the key, or the email of the administrator at that time. */
    label: string | null
  } | null
  /** Who reverted it; `null` before that. */
  reverted_by: {
    /** The type. */
    type: 'key' | 'user'
    /** The id of the object. */
    id: string
    /** The label of the key, or the email of the administrator at that time. */
    label: string | null
  } | null
  /** When it was applied; `null` before that. */
  applied_at: string | null
  /** When it was reverted; `null` before that. */
  reverted_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type PromotionApply = {
  /** The values of the secrets in `needed_secrets`, by their names. One that is stored can be left out. */
  secrets?: Record<string, string> | undefined
}

export type PromotionCheck = {
  /** What was found. The name never changes. */
  code: PromotionCheckCode
  /** An error keeps the plan from being applied. */
  level: 'error' | 'warning'
  /** What it is about. */
  object: ObjectOfConfiguration
  /** The slug of the object; `null` for the settings. */
  slug: string | null
  /** The JSON pointer of the field within the object; `null` for the object as a whole. */
  pointer: string | null
  /** What to do, for people. Its wording can change. */
  detail: string
}

export type PromotionCheckCode = 'value_required' | 'not_valid_there' | 'type_differs' | 'identifier_taken' | 'unknown_scope' | 'unknown_resource_server' | 'unknown_role' | 'quota_exceeded' | 'secret_required' | 'too_many_changes' | 'edited_there' | 'begins_disabled' | 'secret_made' | 'secret_ends' | 'people_lose_way_in' | 'people_gain_access' | 'people_lose_access' | 'looks_like_rename' | 'irreversible'

export type PromotionCreation = {
  /** The environment that the configuration comes from. Send this or `document`. */
  from_environment_id?: string | undefined
  /** The configuration as a document. A document that names the target, or no environment, is its own: values that belong to it apply as written. */
  document?: ConfigurationDocument | undefined
  /** The environment that the configuration is brought to. */
  to_environment_id: string
  /** Values that belong to the target, for its settings and for objects that the source has. Not beside an own document. */
  values?: OwnedValueInput[] | undefined
  /** Plan these alone: objects, or fields of them. */
  only?: Planned[] | undefined
  /** Delete these objects of the target, which an own document lacks. */
  prune?: Pruned[] | undefined
  /** A note for people, such as a commit, at most 500 characters. */
  note?: string | null | undefined
  /** Only plan. Nothing is stored. */
  dry_run?: boolean | undefined
}

export type PromotionInList = {
  /** The id of the promotion; `null` in a dry run. */
  id: string | null
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The environment that the configuration comes from; `null` for a document. */
  from_environment_id: string | null
  /** The environment that the document names; `null` without one. */
  document_environment: string | null
  /** The environment that the configuration is brought to. */
  to_environment_id: string
  /** The `config_version` of the source at the plan; `null` for a document. */
  from_config_version: number | null
  /** The `config_version` of the target at the plan. */
  to_config_version: number
  /** What became of the plan. */
  status: 'planned' | 'applied' | 'reverted'
  /** Whether the source or the target has changed since the plan. */
  stale: boolean
  /** Whether the promotion can be reverted. */
  revertible: boolean
  /** A note for people. */
  note: string | null
  /** The plan in numbers. */
  summary: {
    /** Objects that are created. */
    create: number
    /** Objects that change, the settings included. */
    update: number
    /** Objects that are deleted. */
    delete: number
    /** Checks of the level `error`. */
    errors: number
    /** Checks of the level `warning`. */
    warnings: number
  }
  /** The approval by another administrator. */
  approval: {
    /** Whether another administrator must approve the plan before it is applied. */
    required: boolean
    /** Who approved it; `null` before that. */
    approved_by: {
      /** The type. */
      type: 'key' | 'user'
      /** The id of the object. */
      id: string
      /** The label of the key, or the email of the administrator at that time. */
      label: string | null
    } | null
    /** When it was approved; `null` before that. */
    approved_at: string | null
  }
  /** Who planned it. */
  created_by: {
    /** The type. */
    type: 'key' | 'user'
    /** The id of the object. */
    id: string
    /** The label of the key, or the email of the administrator at that time. */
    label: string | null
  } | null
  /** Who applied it; `null` before that. */
  applied_by: {
    /** The type. */
    type: 'key' | 'user'
    /** The id of the object. */
    id: string
    /** The label of the key, or the email of the administrator at that time. */
    label: string | null
  } | null
  /** Who reverted it; `null` before that. */
  reverted_by: {
    /** The type. */
    type: 'key' | 'user'
    /** The id of the object. */
    id: string
    /** The label of the key, or the email of the administrator at that time. */
    label: string | null
  } | null
  /** When it was applied; `null` before that. */
  applied_at: string | null
  /** When it was reverted; `null` before that. */
  reverted_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type PromotionRevert = {
  /** Objects and fields of the promotion that stay as they are now. */
  leave?: Left[] | undefined
  /** Only answer what would change, and what stands in the way. */
  dry_run?: boolean | undefined
}

export type PromotionWithSecrets = {
  /** The id of the promotion; `null` in a dry run. */
  id: string | null
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The environment that the configuration comes from; `null` for a document. */
  from_environment_id: string | null
  /** The environment that the document names; `null` without one. */
  document_environment: string | null
  /** The environment that the configuration is brought to. */
  to_environment_id: string
  /** The `config_version` of the source at the plan; `null` for a document. */
  from_config_version: number | null
  /** The `config_version` of the target at the plan. */
  to_config_version: number
  /** What became of the plan. */
  status: 'planned' | 'applied' | 'reverted'
  /** Whether the source or the target has changed since the plan. */
  stale: boolean
  /** Whether the promotion can be reverted. */
  revertible: boolean
  /** A note for people. */
  note: string | null
  /** Values that belong to the target, for its settings and for objects that the source has. Not beside an own document. */
  values: OwnedValue[]
  /** Plan these alone: objects, or fields of them. */
  only: Planned[]
  /** Delete these objects of the target, which an own document lacks. */
  prune: Pruned[]
  /** What the promotion changes, in the order in which it is written. */
  changes: PlannedChange[]
  /** What was found: errors, then warnings. */
  checks: PromotionCheck[]
  /** The secrets that the document names, whose values go with the call that applies it. */
  needed_secrets: NeededSecret[]
  /** What stays although it differs. */
  left_alone: LeftAlone[]
  /** The approval by another administrator. */
  approval: {
    /** Whether another administrator must approve the plan before it is applied. */
    required: boolean
    /** Who approved it; `null` before that. */
    approved_by: {
      /** The type. */
      type: 'key' | 'user'
      /** The id of the object. */
      id: string
      /** The label of the key, or the email of the administrator at that time. */
      label: string | null
    } | null
    /** When it was approved; `null` before that. */
    approved_at: string | null
  }
  /** Who planned it. */
  created_by: {
    /** The type. */
    type: 'key' | 'user'
    /** The id of the object. */
    id: string
    /** The label of the key, or the email of the administrator at that time. */
    label: string | null
  } | null
  /** Who applied it; `null` before that. */
  applied_by: {
    /** The type. */
    type: 'key' | 'user'
    /** The id of the object. */
    id: string
    /** The label of the key, or the email of the administrator at that time. */
    label: string | null
  } | null
  /** Who reverted it; `null` before that. */
  reverted_by: {
    /** The type. */
    type: 'key' | 'user'
    /** The id of the object. */
    id: string
    /** The label of the key, or the email of the administrator at that time. */
    label: string | null
  } | null
  /** When it was applied; `null` before that. */
  applied_at: string | null
  /** When it was reverted; `null` before that. */
  reverted_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** The secrets that were made, shown once; `null` in a repeat with the same Idempotency-Key. */
  secrets: MadeSecret[] | null
}

export type Provider = {
  /** The id of an identity provider. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The name of the object in URLs and scripts, unique among the objects of its kind in the environment. It never changes. */
  slug: string
  /** The kind of provider. It never changes. */
  type: ProviderType
  /** The name on the sign-in button. */
  display_name: string
  /** oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. `null` for the others. It is https; in Test also http at `localhost`, `127.0.0.0/8` or `[::1]`, where the operator allows calls to that address. */
  issuer: string | null
  /** Your client id at the provider. */
  client_id: string
  /** The scopes to request. The default depends on the type, such as `openid email profile`. */
  scopes: string[]
  /** Whether people can sign in with the provider. The default is true. */
  enabled: boolean
  /** Links an identity to the existing user with the same email, if both sides have verified it. The default is false. */
  link_by_verified_email: boolean
  /** Stores the `preferred_username` of the provider as that of a new user, if it has 1 to 100 visible characters and no `@`, and no other user of the environment has it, in whatever case. Otherwise it is left out, and `user.created` says why. The default is false. */
  accept_preferred_username: boolean
  /** Whether a person who signs out here is signed out at the provider too: with `rp_initiated` the browser goes through its `end_session_endpoint` (RP-Initiated Logout 1.0) and comes back. The default is `none`. */
  sign_out: 'none' | 'rp_initiated'
  /** apple: the team id. `null` for other types. */
  team_id: string | null
  /** apple: the id of the private key. `null` for other types. */
  key_id: string | null
  /** When the client secret or the private key ends at the provider, as it says; `null` if it does not end or nobody filled it in. Warnings come 30, 7 and 1 days before. It lies in the future. */
  secret_expires_at: string | null
  /** Whether a client secret is set. */
  has_client_secret: boolean
  /** Whether a private key is set. */
  has_private_key: boolean
  /** The redirect URI to register at the provider. */
  callback_url: string
  /** The address to register at the provider for the return from a sign-out, where `sign_out` is `rp_initiated`. */
  post_logout_redirect_uri: string
  /** The address to register at the provider for its logout tokens (Back-Channel Logout 1.0), which end the sessions here. */
  backchannel_logout_uri: string
  /** When a person last signed in with the provider, to the minute; `null` if never. */
  last_success_at: string | null
  /** The last failure of a sign-in or a check that the provider or its settings caused; `null` if there is none. */
  last_failure: {
    /** When it failed. */
    at: string
    /** Where it failed: the name has no address (`dns`), nobody accepts connections (`refused`), TLS fails (`tls`), the time is up (`timeout`), outgoing calls may not reach the address (`address_not_allowed`), the egress proxy of the deployment makes no connection (`proxy`), an endpoint answers with an error (`status`), the metadata cannot be used (`metadata`) or names another issuer (`issuer_mismatch`), the keys cannot be read or fit no token (`keys`), the provider refuses the client (`client_rejected`), its ID token is not valid (`id_token`), or its claims cannot be used (`userinfo`). */
    cause: ProviderCause
    /** What happened, in words of this service; of the provider at most a standard error code. */
    detail: string
  } | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type ProviderCause = 'dns' | 'refused' | 'tls' | 'timeout' | 'address_not_allowed' | 'proxy' | 'status' | 'metadata' | 'issuer_mismatch' | 'keys' | 'client_rejected' | 'id_token' | 'userinfo'

export type ProviderChange = {
  /** The name on the sign-in button. */
  display_name?: string | null | undefined
  /** oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. `null` for the others. It is https; in Test also http at `localhost`, `127.0.0.0/8` or `[::1]`, where the operator allows calls to that address. */
  issuer?: string | null | undefined
  /** Your client id at the provider. */
  client_id?: string | undefined
  /** The scopes to request. The default depends on the type, such as `openid email profile`. */
  scopes?: string[] | null | undefined
  /** Whether people can sign in with the provider. The default is true. */
  enabled?: boolean | null | undefined
  /** Links an identity to the existing user with the same email, if both sides have verified it. The default is false. */
  link_by_verified_email?: boolean | null | undefined
  /** Stores the `preferred_username` of the provider as that of a new user, if it has 1 to 100 visible characters and no `@`, and no other user of the environment has it, in whatever case. Otherwise it is left out, and `user.created` says why. The default is false. */
  accept_preferred_username?: boolean | null | undefined
  /** Whether a person who signs out here is signed out at the provider too: with `rp_initiated` the browser goes through its `end_session_endpoint` (RP-Initiated Logout 1.0) and comes back. The default is `none`. */
  sign_out?: 'none' | 'rp_initiated' | null | undefined
  /** apple: the team id. `null` for other types. */
  team_id?: string | null | undefined
  /** apple: the id of the private key. `null` for other types. */
  key_id?: string | null | undefined
  /** When the client secret or the private key ends at the provider, as it says; `null` if it does not end or nobody filled it in. Warnings come 30, 7 and 1 days before. It lies in the future. */
  secret_expires_at?: string | null | undefined
  /** Your client secret at the provider. It is write-only. Every type but oidc and apple needs it while it is enabled. */
  client_secret?: string | null | undefined
  /** apple: the private key as PEM, needed while the provider is enabled. It is write-only. */
  private_key?: string | null | undefined
}

export type ProviderCheck = {
  /** Whether the metadata and the keys of the provider can be used. The client secret is tried by a sign-in alone. */
  ok: boolean
  /** Where it failed: the name has no address (`dns`), nobody accepts connections (`refused`), TLS fails (`tls`), the time is up (`timeout`), outgoing calls may not reach the address (`address_not_allowed`), the egress proxy of the deployment makes no connection (`proxy`), an endpoint answers with an error (`status`), the metadata cannot be used (`metadata`) or names another issuer (`issuer_mismatch`), the keys cannot be read or fit no token (`keys`), the provider refuses the client (`client_rejected`), its ID token is not valid (`id_token`), or its claims cannot be used (`userinfo`). `null` if the check succeeded. */
  cause: ProviderCause | null
  /** What happened, in words of this service; of the provider at most a standard error code. `null` if the check succeeded. */
  detail: string | null
}

export type ProviderCreation = {
  /** An id of your choice, with which the redirect URI is known before the provider exists: `{issuer}/oauth/callback/{id}`. It is `prv_` and a UUIDv7 in Crockford base32. The service makes one if it is absent. */
  id?: string | undefined
  /** Made from the name if it is absent. It must be unique and cannot be changed later. */
  slug?: string | undefined
  /** The kind of provider. It never changes. */
  type: ProviderType
  /** The name on the sign-in button. */
  display_name?: string | undefined
  /** oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. `null` for the others. It is https; in Test also http at `localhost`, `127.0.0.0/8` or `[::1]`, where the operator allows calls to that address. */
  issuer?: string | null | undefined
  /** Your client id at the provider. */
  client_id: string
  /** The scopes to request. The default depends on the type, such as `openid email profile`. */
  scopes?: string[] | undefined
  /** Whether people can sign in with the provider. The default is true. */
  enabled?: boolean | undefined
  /** Links an identity to the existing user with the same email, if both sides have verified it. The default is false. */
  link_by_verified_email?: boolean | undefined
  /** Stores the `preferred_username` of the provider as that of a new user, if it has 1 to 100 visible characters and no `@`, and no other user of the environment has it, in whatever case. Otherwise it is left out, and `user.created` says why. The default is false. */
  accept_preferred_username?: boolean | undefined
  /** Whether a person who signs out here is signed out at the provider too: with `rp_initiated` the browser goes through its `end_session_endpoint` (RP-Initiated Logout 1.0) and comes back. The default is `none`. */
  sign_out?: 'none' | 'rp_initiated' | undefined
  /** apple: the team id. `null` for other types. */
  team_id?: string | null | undefined
  /** apple: the id of the private key. `null` for other types. */
  key_id?: string | null | undefined
  /** When the client secret or the private key ends at the provider, as it says; `null` if it does not end or nobody filled it in. Warnings come 30, 7 and 1 days before. It lies in the future. */
  secret_expires_at?: string | null | undefined
  /** Your client secret at the provider. It is write-only. Every type but oidc and apple needs it while it is enabled. */
  client_secret?: string | null | undefined
  /** apple: the private key as PEM, needed while the provider is enabled. It is write-only. */
  private_key?: string | null | undefined
}

export type ProviderType = 'oidc' | 'google' | 'microsoft' | 'github' | 'apple' | 'gitlab'

export type Pruned = {
  /** The kind of the object. */
  object: 'resource_server' | 'role' | 'application' | 'provider' | 'webhook'
  /** The slug of the object. */
  slug: string
}

export type PublicKeySet = {
  /** The public keys, 1 to 20. */
  keys: ({
    /** The type of the key, such as `RSA`. */
    kty: string
    [name: string]: unknown
  })[]
  [name: string]: unknown
}

export type RateLimit = {
  /** The number of requests in one window, 1 to 100,000. */
  limit: number
  /** The length of the sliding window in seconds, 1 to 3,600. */
  window_seconds: number
}

export type Readiness = {
  /** Whether every required check passes. */
  ready: boolean
  /** All checks, always in the same order. */
  checks: ReadinessCheck[]
}

export type ReadinessCheck = {
  /** The name of the check. */
  code: 'mail_works' | 'application_exists' | 'https_only' | 'no_try_address' | 'keys_restricted' | 'webhooks_answer' | 'providers_answer' | 'nothing_ends_soon' | 'links_set' | 'two_owners' | 'passkeys_usable' | 'claims_for_products' | 'roles_give_scopes' | 'organizations_exist' | 'agents_get_tokens' | 'real_sign_in'
  /** Whether the environment passes the check now. */
  ok: boolean
  /** Whether there is something to check: without a key, no key has to be restricted. Such a check passes. */
  applies: boolean
  /** Whether the environment is not ready without this check, or only better with it. */
  level: 'required' | 'recommended'
  /** What was found and, if the check fails, what to do. */
  detail: string
  /** The URL of the API resource that decides the check. */
  link: string
}

export type RefusedCall = {
  /** The request id, which is also the reference on the page that the person saw. */
  id: string
  /** When the service answered. */
  at: string
  /** The HTTP method. */
  method: string
  /** The path of the route with the names of its parameters; null if no route has the address. */
  route: string | null
  /** The HTTP status of the answer. A page that asks again has 200, an error that goes back to the client 303. */
  status: number
  /** The code of the problem, of the OAuth error or of the page. */
  code: string
  /** Why the call was refused, for developers. It says more than the caller was allowed to read. */
  reason: string
  /** The change of the application with which the service would have accepted the call, as a body for its PATCH; null where there is none. Make it only if the application itself sent the call: anybody can send an authorization request in its name. */
  remedy: Remedy | null
  /** The value that was refused; null where the refusal is about no single value, and for a key without the scope users:read. */
  refused: {
    /** The parameter of the request. */
    parameter: 'redirect_uri' | 'scope' | 'origin' | 'resource'
    /** Its value, at most 500 characters; of a redirect URI only scheme, host, port and path. */
    value: string
  } | null
  /** The application of the call, if it is one of this environment; of a metadata client its URL. */
  client_id: string | null
  /** The API key of the call, even if it has expired or was rotated or revoked. */
  key_id: string | null
  /** The first characters of that key. */
  key_start: string | null
  /** The user or the administrator of the call. */
  user_id: string | null
  /** The event that reports the same refusal. */
  event_id: string | null
  /** The address of the caller; null for a key without the scope users:read. */
  ip: string | null
  /** The User-Agent of the caller, at most 200 characters; null for a key without the scope users:read. */
  user_agent: string | null
}

export type RefusedCallSummary = {
  /** The records by code and route, the newest first. */
  data: ({
    /** The code of these calls. */
    code: string
    /** The route of these calls. */
    route: string | null
    /** The number of records. */
    count: number
    /** The time of the newest one. */
    last_at: string
  })[]
  /** Refused calls of these minutes without a record, because there were too many. */
  dropped: number
}

export type Remedy = {
  /** The secret is taken in either place. */
  token_endpoint_auth_method?: 'client_secret' | undefined
  /** Unknown scopes are left out. */
  unknown_scopes?: 'ignore' | undefined
  /** A nonce takes the place of PKCE. */
  nonce_replaces_pkce?: boolean | undefined
  /** Neither PKCE nor a nonce is needed. */
  require_pkce?: boolean | undefined
}

export type ResendSince = {
  /** Only messages that were created at this time or later; for `missed`, only events. */
  since: string
  /** Only those that were created before this time. */
  until?: string | undefined
  /** Which messages: those that were given up, all of them, which is the default, or `missed`: those of events that came while the webhook was disabled or did not exist. Missed ones are made, of the kinds that the webhook asks for now, each once. */
  status?: 'given_up' | 'all' | 'missed' | undefined
  /** Only count the messages. Nothing is sent. */
  dry_run?: boolean | undefined
}

export type Resent = {
  /** How many messages are sent again, or made: the oldest ones, at most 10,000. Call again until it is 0. */
  messages: number
}

export type ResourceServer = {
  /** The id of a resource server. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The name of the object in URLs and scripts, unique among the objects of its kind in the environment. It never changes. */
  slug: string
  /** The absolute URI of the API: the value of `resource` in a request and of `aud` in its tokens (RFC 8707). It never changes. */
  identifier: string
  /** The name. */
  name: string
  /** The scopes of the API, at most 200. */
  scopes: ({
    /** The name. */
    name: string
    /** What the scope allows, shown on the consent page. */
    description: string | null
  })[]
  /** The lifetime of its access tokens in seconds, 60 to 86,400; `null` uses the settings of the environment. */
  access_token_ttl_seconds: number | null
  /** `jwt` can be verified without a call; `opaque` needs the validation call and can be shorter. The default is `jwt`. */
  access_token_format: TokenFormat
  /** The algorithm that signs its access tokens: `RS256` or `ES256`. A token for several resource servers is ES256 where all of them say so. The key of ES256 is published at once and signs ten minutes later, in Test at once; until then tokens are RS256. It needs `access_token_format` `jwt`. The default is `RS256`. */
  access_token_signing_alg: SigningAlg
  /** Whether a scope of it is given only to a person whose roles give it. A token has the part of its scope that the roles give when it is issued. The default is false. */
  require_roles: boolean
  /** Whether people act for an organization at this API. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
  organizations: 'none' | 'optional' | 'required'
  /** The name of the claim of its access tokens that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. A token for several resource servers has it where all of them name the same one. `null`: none. */
  roles_claim: string | null
  /** Whether its access tokens carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. A token for several resource servers carries them where all of them say so. The default is false. */
  data_claims: boolean
  /** Whether clients that nobody registered may ask for its access tokens, where the setting `oauth.metadata_clients` lets them in. The default is false. */
  allow_metadata_clients: boolean
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type ResourceServerChange = {
  /** The name. */
  name?: string | undefined
  /** The scopes of the API, at most 200. */
  scopes?: ({
    /** The name. */
    name: string
    /** What the scope allows, shown on the consent page. */
    description?: string | null | undefined
  })[] | null | undefined
  /** The lifetime of its access tokens in seconds, 60 to 86,400; `null` uses the settings of the environment. */
  access_token_ttl_seconds?: number | null | undefined
  /** `jwt` can be verified without a call; `opaque` needs the validation call and can be shorter. The default is `jwt`. */
  access_token_format?: TokenFormat | null | undefined
  /** The algorithm that signs its access tokens: `RS256` or `ES256`. A token for several resource servers is ES256 where all of them say so. The key of ES256 is published at once and signs ten minutes later, in Test at once; until then tokens are RS256. It needs `access_token_format` `jwt`. The default is `RS256`. */
  access_token_signing_alg?: SigningAlg | null | undefined
  /** Whether a scope of it is given only to a person whose roles give it. A token has the part of its scope that the roles give when it is issued. The default is false. */
  require_roles?: boolean | null | undefined
  /** Whether people act for an organization at this API. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
  organizations?: 'none' | 'optional' | 'required' | null | undefined
  /** The name of the claim of its access tokens that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. A token for several resource servers has it where all of them name the same one. `null`: none. */
  roles_claim?: string | null | undefined
  /** Whether its access tokens carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. A token for several resource servers carries them where all of them say so. The default is false. */
  data_claims?: boolean | null | undefined
  /** Whether clients that nobody registered may ask for its access tokens, where the setting `oauth.metadata_clients` lets them in. The default is false. */
  allow_metadata_clients?: boolean | null | undefined
}

export type ResourceServerCreation = {
  /** Made from the name if it is absent. It must be unique and cannot be changed later. */
  slug?: string | undefined
  /** The absolute URI of the API: the value of `resource` in a request and of `aud` in its tokens (RFC 8707). It never changes. */
  identifier: string
  /** The name. */
  name: string
  /** The scopes of the API, at most 200. */
  scopes?: ({
    /** The name. */
    name: string
    /** What the scope allows, shown on the consent page. */
    description?: string | null | undefined
  })[] | null | undefined
  /** The lifetime of its access tokens in seconds, 60 to 86,400; `null` uses the settings of the environment. */
  access_token_ttl_seconds?: number | null | undefined
  /** `jwt` can be verified without a call; `opaque` needs the validation call and can be shorter. The default is `jwt`. */
  access_token_format?: TokenFormat | null | undefined
  /** The algorithm that signs its access tokens: `RS256` or `ES256`. A token for several resource servers is ES256 where all of them say so. The key of ES256 is published at once and signs ten minutes later, in Test at once; until then tokens are RS256. It needs `access_token_format` `jwt`. The default is `RS256`. */
  access_token_signing_alg?: SigningAlg | null | undefined
  /** Whether a scope of it is given only to a person whose roles give it. A token has the part of its scope that the roles give when it is issued. The default is false. */
  require_roles?: boolean | null | undefined
  /** Whether people act for an organization at this API. `none`: people act for themselves, and the parameter `organization` is ignored. `optional`: a person chooses one of their organizations, or none. `required`: a person without an organization gets no token. The strictest of the application and the resource servers of a request counts. The default is `none`. */
  organizations?: 'none' | 'optional' | 'required' | null | undefined
  /** The name of the claim of its access tokens that has the slugs of the roles of the person: `roles`, `groups`, or a name of 1 to 60 of a-z, 0-9 and underscore that no standard defines. A token for several resource servers has it where all of them name the same one. `null`: none. */
  roles_claim?: string | null | undefined
  /** Whether its access tokens carry the `claims` of the user and of the organization, each under its own name; where both have a name, that of the organization counts. A token for several resource servers carries them where all of them say so. The default is false. */
  data_claims?: boolean | null | undefined
  /** Whether clients that nobody registered may ask for its access tokens, where the setting `oauth.metadata_clients` lets them in. The default is false. */
  allow_metadata_clients?: boolean | null | undefined
}

export type RevertConflict = {
  /** The JSON pointer of the field or the object within a document of the target. */
  pointer: string
  /** It has another value than the promotion set, or was changed after the promotion created it (`edited`); it was deleted (`deleted`); it was created by the promotion and is used (`in_use`). */
  code: 'edited' | 'deleted' | 'in_use'
  /** What was found, for people. Its wording can change. */
  detail: string
}

export type RevertOutcome = PromotionWithSecrets | RevertPreview

export type RevertPreview = {
  /** What the revert changes. */
  changes: PlannedChange[]
  /** What keeps it from happening. Name it in `leave` to leave it as it is now. */
  conflicts: RevertConflict[]
  /** What was found in the target as it would be. */
  checks: PromotionCheck[]
}

export type Role = 'viewer' | 'developer' | 'admin' | 'owner'

export type RoleChange = {
  /** The name. */
  name?: string | undefined
  /** What the role is for, at most 200 characters. */
  description?: string | null | undefined
  /** Whether every user, or every member, has it without being given it. */
  default?: boolean | null | undefined
  /** Whether members with the role manage the members of their organization. Only for the kind `organization`. */
  administers?: boolean | null | undefined
  /** What the role gives: scopes of resource servers, each resource server once. An entry whose resource server or scope is gone stays and gives nothing. One that is made again under its old name is given only after a change of the role that sends its permissions. */
  permissions?: Permission[] | null | undefined
}

export type RoleCreation = {
  /** Made from the name if it is absent. It must be unique and cannot be changed later. */
  slug?: string | undefined
  /** Whom it is given to: `user`, or `organization` for members of organizations. It never changes. */
  kind: RoleKind
  /** The name. */
  name: string
  /** What the role is for, at most 200 characters. */
  description?: string | null | undefined
  /** Whether every user, or every member, has it without being given it. */
  default?: boolean | undefined
  /** Whether members with the role manage the members of their organization. Only for the kind `organization`. */
  administers?: boolean | undefined
  /** What the role gives: scopes of resource servers, each resource server once. An entry whose resource server or scope is gone stays and gives nothing. One that is made again under its old name is given only after a change of the role that sends its permissions. */
  permissions?: Permission[] | undefined
}

export type RoleKind = 'user' | 'organization'

export type RolePreview = {
  /** How many users were given the role, counted to 1,000. Blocked users are not counted. 0 for a role of members. */
  users: number
  /** How many members of organizations were given the role, counted to 1,000: a user in two organizations is two members. Blocked users and members of disabled organizations are not counted. 0 for a role of users. */
  members: number
  /** The scopes that people gain or lose, in order of resource server and name. A scope that another role gives is not lost, and where a resource server requires no roles nobody gains or loses anything. Of more than 20,000 holders the newest are counted. */
  effects: ({
    /** The slug of a resource server that requires roles. */
    resource_server: string
    /** The name of its scope. */
    scope: string
    /** Whether people gain the scope or lose it. */
    change: 'gained' | 'lost'
    /** How many users, counted to 1,000; `null` for every user who has no other role that gives it, since everyone has or had the role. 0 for a role of members. */
    users: number | null
    /** How many members of organizations, counted to 1,000; `null` for every member who has no other role that gives it. 0 for a role of users. */
    members: number | null
  })[]
  /** The part of the stored permissions that gives nothing now: the resource server or the scope is gone, or was made again later under the old name. */
  without_effect: Permission[]
}

export type SecretName = string

export type Session = {
  /** The id of a session, the `sid` of tokens. */
  id: string
  /** The id of a user. It is also the `sub` in tokens, unless the user was created with a `sub`. */
  user_id: string
  /** When the object was created. */
  created_at: string
  /** When the session was last used. */
  last_seen_at: string
  /** When the session stops signing the user in if it is not used, or at its absolute limit. Its tokens may be valid for longer. */
  expires_at: string
  /** The address from which the user signed in. */
  ip: string | null
  /** The User-Agent of the browser that signed in. */
  user_agent: string | null
  /** The method that the sign-in began with. `amr` cannot tell an emailed code from the code of an app. `null` where it is unknown. */
  method: 'password' | 'email_code' | 'passkey' | 'provider' | null
  /** The methods of the sign-in (RFC 8176), such as `pwd`. */
  amr: string[]
  /** The ids of the applications and metadata clients that have tokens of this session. */
  applications: string[]
}

export type Settings = {
  /** Lifetimes and formats of tokens. */
  tokens: {
    /** The lifetime of an access token. From 60 to 86,400 seconds. The default is 3,600. */
    access_token_ttl_seconds: number
    /** The lifetime of an ID token. From 60 to 86,400 seconds. The default is 3,600. */
    id_token_ttl_seconds: number
    /** The lifetime of an authorization code. From 10 to 600 seconds. The default is 60. */
    authorization_code_ttl_seconds: number
    /** A refresh token ends after this time without use. From 3,600 to 31,536,000 seconds. The default is 1,209,600. */
    refresh_token_idle_ttl_seconds: number
    /** How long a grant can be refreshed in all, not below the time without use. From 3,600 to 63,072,000 seconds. The default is 7,776,000. */
    refresh_token_absolute_ttl_seconds: number
    /** How long a refresh can be repeated. After a lost answer it gets the same answer. From 0 to 60 seconds. The default is 0. */
    refresh_retry_window_seconds: number
    /** The format of access tokens without a resource server: `jwt` or `opaque`. The default is `jwt`. */
    access_token_format: TokenFormat
    /** The claims in the ID token. `full` puts those of all scopes into it; `minimal` leaves them to UserInfo. The default is `full`. */
    id_token_claims: 'full' | 'minimal'
  }
  /** Lifetimes of sessions. */
  sessions: {
    /** A session ends after this time without use. From 300 to 2,592,000 seconds. The default is 86,400. */
    idle_ttl_seconds: number
    /** How long a session lasts at most, not below the time without use. From 3,600 to 31,536,000 seconds. The default is 2,592,000. */
    absolute_ttl_seconds: number
  }
  /** The scopes of OpenID Connect. */
  scopes: {
    /** Scopes of OpenID Connect that are refused. The default is none. */
    disabled: ('profile' | 'email' | 'phone' | 'offline_access')[]
  }
  /** The claims of people who have no name. */
  claims: {
    /** What `preferred_username` holds for a person who has no user name. Nothing (`none`), or the verified address (`email`). A user name that the API set wins. The default is `none`. */
    preferred_username: 'none' | 'email'
    /** What `name` holds for a person who has no name. Nothing (`none`), or the verified address (`email`). A name that a person or the API set wins. The default is `none`. */
    name: 'none' | 'email'
  }
  /** Access by agents and other programs. */
  oauth: {
    /** A request that names a resource server may leave out the scope `openid`. Its access token is for the resource server alone, and there is no ID token. The default is false. */
    openid_optional: boolean
    /** Clients that nobody registered, by the URL of a document about themselves. None (`off`), those whose URL an administrator has approved (`listed`), or every one (`any`). They only reach resource servers with `allow_metadata_clients`, and people are asked each time. The default is `off`. */
    metadata_clients: 'off' | 'listed' | 'any'
  }
  /** The methods of sign-in. */
  sign_in: {
    /** People can sign in with a password. The default is true. */
    password: boolean
    /** People can sign in with a code by mail. It needs mail. The default is false. */
    email_code: boolean
    /** People can sign in with a passkey. The default is false. */
    passkey: boolean
    /** Passkeys may belong to the host that all environments of the service share. A passkey can never move to another host. `null` in Test. */
    passkey_shared_host: boolean | null
  }
  /** The creation of accounts. */
  sign_up: {
    /** By whom accounts are created. People themselves (`open`), people whose accounts wait until a backend or an administrator approves them (`approval`, which needs mail), or the API alone (`closed`). An account that waits can do nothing and ends after 30 days. Accounts of the API and of invitations never wait. The default is `open`. */
    mode: SignUpMode
    /** When people are asked for their name. With `off` the sign-up form alone asks for a name, which can stay empty. `optional` also asks where an account begins without the form: by an emailed code, or at a provider that sent no name. `required` takes no account without a name, and asks everyone who has none once. A name that is asked for has 1 to 100 characters. The default is `off`. */
    name: SignUpName
    /** If there are any, only addresses of these domains can sign up. Nor can others become the new address of an account. A domain is written as `example.com`, or `*.example.com` for all below it and not itself. Accounts of the API and of invitations may have any. The default is none. */
    allowed_domains: string[]
    /** Addresses of these domains cannot sign up, even if they are allowed above. Nor can they become the new address of an account. The default is none. */
    blocked_domains: string[]
  }
  /** The accounts of people. */
  users: {
    /** For how many days a deleted account can be restored. It is closed at first: the person is signed out everywhere, and the address stays taken. A backend, an administrator or the person can restore it; then it is erased. `0` erases at once. From 0 to 30. The default is 0. */
    deletion_grace_days: number
  }
  /** The rules for new passwords. */
  password: {
    /** The least number of characters of a new password. From 8 to 128. The default is 12. */
    min_length: number
    /** Common passwords are refused, and names and addresses of the person. The default is true. */
    reject_common: boolean
  }
  /** Second factors. */
  mfa: {
    /** Whether a second factor is `off`, `optional` or `required`. What a person enrolled is asked for in every mode. The default is `off`. */
    mode: 'off' | 'optional' | 'required'
    /** People can enrol an authenticator app (TOTP). The default is true. */
    totp: boolean
    /** How long a person may choose not to be asked for the second factor in a browser; 0 for never. A recovery code does not count, and a request that asks for a fresh sign-in or a level, and a sensitive change, ask all the same. The root environment has none. From 0 to 90. The default is 0. */
    remember_days: number
  }
  /** How passkeys begin. */
  passkeys: {
    /** After a sign-in with a password, a browser that can do so creates a passkey without a question. The account needs a verified address. The passkey is a way in, but not a second factor until a sign-in has used it. The person is mailed and can remove it. It has no effect where passkeys are off, and is refused where a second factor is required. The default is false. */
    automatic: boolean
  }
  /** Mails about what happens to an account. */
  notices: {
    /** A person gets a mail about a sign-in from a browser that is new to the account. The first sign-in of a person needs none, and an hour has at most one. It needs mail. The default is true. */
    new_sign_in: boolean
  }
  /** The protection of accounts from guessing. */
  lockout: {
    /** This many wrong passwords in a row lock an account. From 3 to 100. The default is 10. */
    max_attempts: number
    /** How long an account stays locked. From 30 to 86,400 seconds. The default is 900. */
    duration_seconds: number
  }
  /** The look of the hosted pages. */
  branding: {
    /** The name on the hosted pages; `null` uses the name of the project. */
    display_name: string | null
    /** The https address of the image on the hosted pages; `null` for none. */
    logo_url: string | null
    /** The colour of buttons as `#rrggbb`; `null` for the default. */
    primary_color: string | null
  }
  /** Links at the foot of the hosted pages. */
  links: {
    /** The terms of service, linked on the hosted pages; `null` for none. */
    terms_url: string | null
    /** The privacy policy, linked on the hosted pages; `null` for none. */
    privacy_url: string | null
    /** Where people get help, linked on the hosted pages; `null` for none. */
    support_url: string | null
  }
  /** Calls from browsers. */
  cors: {
    /** Origins whose scripts can call the token endpoints. Those of spa applications can anyway. An origin is written as `https://app.example.com`. The default is none. */
    allowed_origins: string[]
  }
  /** The email address. */
  email: {
    /** `smtp` sends mail, `capture` keeps it for the inbox (Test only), `none` sends nothing. */
    delivery: 'none' | 'smtp' | 'capture'
    /** The sender of mail: an address, or `Name <address>`. Required with `smtp`. */
    from: string | null
    /** The SMTP server; `null` for none. */
    smtp: {
      /** The name or the address of the mail server. */
      host: string
      /** The port of the mail server. From 1 to 65,535. The default is 587. */
      port: number
      /** The user name at the mail server; `null` for none. */
      username: string | null
      /** `starttls` is required, not opportunistic; `implicit` is TLS from the start; `none` only reaches an allowed network. The default is `starttls`. */
      tls: 'starttls' | 'implicit' | 'none'
      /** Whether the SMTP server has a password. */
      has_password: boolean
    } | null
  }
  /** The settings of Test environments; `null` in Live. */
  test: {
    /** Six digits that replace emailed codes; `null` for real codes. */
    fixed_code: string | null
  } | null
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** When the object was last changed. */
  updated_at: string
}

export type SettingsChange = {
  /** Lifetimes and formats of tokens. */
  tokens?: {
    /** The lifetime of an access token. From 60 to 86,400 seconds. The default is 3,600. */
    access_token_ttl_seconds?: number | null | undefined
    /** The lifetime of an ID token. From 60 to 86,400 seconds. The default is 3,600. */
    id_token_ttl_seconds?: number | null | undefined
    /** The lifetime of an authorization code. From 10 to 600 seconds. The default is 60. */
    authorization_code_ttl_seconds?: number | null | undefined
    /** A refresh token ends after this time without use. From 3,600 to 31,536,000 seconds. The default is 1,209,600. */
    refresh_token_idle_ttl_seconds?: number | null | undefined
    /** How long a grant can be refreshed in all, not below the time without use. From 3,600 to 63,072,000 seconds. The default is 7,776,000. */
    refresh_token_absolute_ttl_seconds?: number | null | undefined
    /** How long a refresh can be repeated. After a lost answer it gets the same answer. From 0 to 60 seconds. The default is 0. */
    refresh_retry_window_seconds?: number | null | undefined
    /** The format of access tokens without a resource server: `jwt` or `opaque`. The default is `jwt`. */
    access_token_format?: TokenFormat | null | undefined
    /** The claims in the ID token. `full` puts those of all scopes into it; `minimal` leaves them to UserInfo. The default is `full`. */
    id_token_claims?: 'full' | 'minimal' | null | undefined
  } | null | undefined
  /** Lifetimes of sessions. */
  sessions?: {
    /** A session ends after this time without use. From 300 to 2,592,000 seconds. The default is 86,400. */
    idle_ttl_seconds?: number | null | undefined
    /** How long a session lasts at most, not below the time without use. From 3,600 to 31,536,000 seconds. The default is 2,592,000. */
    absolute_ttl_seconds?: number | null | undefined
  } | null | undefined
  /** The scopes of OpenID Connect. */
  scopes?: {
    /** Scopes of OpenID Connect that are refused. The default is none. */
    disabled?: ('profile' | 'email' | 'phone' | 'offline_access')[] | null | undefined
  } | null | undefined
  /** The claims of people who have no name. */
  claims?: {
    /** What `preferred_username` holds for a person who has no user name. Nothing (`none`), or the verified address (`email`). A user name that the API set wins. The default is `none`. */
    preferred_username?: 'none' | 'email' | null | undefined
    /** What `name` holds for a person who has no name. Nothing (`none`), or the verified address (`email`). A name that a person or the API set wins. The default is `none`. */
    name?: 'none' | 'email' | null | undefined
  } | null | undefined
  /** Access by agents and other programs. */
  oauth?: {
    /** A request that names a resource server may leave out the scope `openid`. Its access token is for the resource server alone, and there is no ID token. The default is false. */
    openid_optional?: boolean | null | undefined
    /** Clients that nobody registered, by the URL of a document about themselves. None (`off`), those whose URL an administrator has approved (`listed`), or every one (`any`). They only reach resource servers with `allow_metadata_clients`, and people are asked each time. The default is `off`. */
    metadata_clients?: 'off' | 'listed' | 'any' | null | undefined
  } | null | undefined
  /** The methods of sign-in. */
  sign_in?: {
    /** People can sign in with a password. The default is true. */
    password?: boolean | null | undefined
    /** People can sign in with a code by mail. It needs mail. The default is false. */
    email_code?: boolean | null | undefined
    /** People can sign in with a passkey. The default is false. */
    passkey?: boolean | null | undefined
    /** Passkeys may belong to the host that all environments of the service share. A passkey can never move to another host. The default is false. */
    passkey_shared_host?: boolean | null | undefined
  } | null | undefined
  /** The creation of accounts. */
  sign_up?: {
    /** By whom accounts are created. People themselves (`open`), people whose accounts wait until a backend or an administrator approves them (`approval`, which needs mail), or the API alone (`closed`). An account that waits can do nothing and ends after 30 days. Accounts of the API and of invitations never wait. The default is `open`. */
    mode?: SignUpMode | null | undefined
    /** When people are asked for their name. With `off` the sign-up form alone asks for a name, which can stay empty. `optional` also asks where an account begins without the form: by an emailed code, or at a provider that sent no name. `required` takes no account without a name, and asks everyone who has none once. A name that is asked for has 1 to 100 characters. The default is `off`. */
    name?: SignUpName | null | undefined
    /** If there are any, only addresses of these domains can sign up. Nor can others become the new address of an account. A domain is written as `example.com`, or `*.example.com` for all below it and not itself. Accounts of the API and of invitations may have any. The default is none. */
    allowed_domains?: string[] | null | undefined
    /** Addresses of these domains cannot sign up, even if they are allowed above. Nor can they become the new address of an account. The default is none. */
    blocked_domains?: string[] | null | undefined
  } | null | undefined
  /** The accounts of people. */
  users?: {
    /** For how many days a deleted account can be restored. It is closed at first: the person is signed out everywhere, and the address stays taken. A backend, an administrator or the person can restore it; then it is erased. `0` erases at once. From 0 to 30. The default is 0. */
    deletion_grace_days?: number | null | undefined
  } | null | undefined
  /** The rules for new passwords. */
  password?: {
    /** The least number of characters of a new password. From 8 to 128. The default is 12. */
    min_length?: number | null | undefined
    /** Common passwords are refused, and names and addresses of the person. The default is true. */
    reject_common?: boolean | null | undefined
  } | null | undefined
  /** Second factors. */
  mfa?: {
    /** Whether a second factor is `off`, `optional` or `required`. What a person enrolled is asked for in every mode. The default is `off`. */
    mode?: 'off' | 'optional' | 'required' | null | undefined
    /** People can enrol an authenticator app (TOTP). The default is true. */
    totp?: boolean | null | undefined
    /** How long a person may choose not to be asked for the second factor in a browser; 0 for never. A recovery code does not count, and a request that asks for a fresh sign-in or a level, and a sensitive change, ask all the same. The root environment has none. From 0 to 90. The default is 0. */
    remember_days?: number | null | undefined
  } | null | undefined
  /** How passkeys begin. */
  passkeys?: {
    /** After a sign-in with a password, a browser that can do so creates a passkey without a question. The account needs a verified address. The passkey is a way in, but not a second factor until a sign-in has used it. The person is mailed and can remove it. It has no effect where passkeys are off, and is refused where a second factor is required. The default is false. */
    automatic?: boolean | null | undefined
  } | null | undefined
  /** Mails about what happens to an account. */
  notices?: {
    /** A person gets a mail about a sign-in from a browser that is new to the account. The first sign-in of a person needs none, and an hour has at most one. It needs mail. The default is true. */
    new_sign_in?: boolean | null | undefined
  } | null | undefined
  /** The protection of accounts from guessing. */
  lockout?: {
    /** This many wrong passwords in a row lock an account. From 3 to 100. The default is 10. */
    max_attempts?: number | null | undefined
    /** How long an account stays locked. From 30 to 86,400 seconds. The default is 900. */
    duration_seconds?: number | null | undefined
  } | null | undefined
  /** The look of the hosted pages. */
  branding?: {
    /** The name on the hosted pages; `null` uses the name of the project. */
    display_name?: string | null | undefined
    /** The https address of the image on the hosted pages; `null` for none. */
    logo_url?: string | null | undefined
    /** The colour of buttons as `#rrggbb`; `null` for the default. */
    primary_color?: string | null | undefined
  } | null | undefined
  /** Links at the foot of the hosted pages. */
  links?: {
    /** The terms of service, linked on the hosted pages; `null` for none. */
    terms_url?: string | null | undefined
    /** The privacy policy, linked on the hosted pages; `null` for none. */
    privacy_url?: string | null | undefined
    /** Where people get help, linked on the hosted pages; `null` for none. */
    support_url?: string | null | undefined
  } | null | undefined
  /** Calls from browsers. */
  cors?: {
    /** Origins whose scripts can call the token endpoints. Those of spa applications can anyway. An origin is written as `https://app.example.com`. The default is none. */
    allowed_origins?: string[] | null | undefined
  } | null | undefined
  /** The email address. */
  email?: {
    /** `smtp` sends mail, `capture` keeps it for the inbox (Test only), `none` sends nothing. The default is `capture`. */
    delivery?: 'capture' | 'none' | 'smtp' | null | undefined
    /** The sender of mail: an address, or `Name <address>`. Required with `smtp`. */
    from?: string | null | undefined
    /** The SMTP server; `null` for none. */
    smtp?: {
      /** The name or the address of the mail server. */
      host?: string | null | undefined
      /** The port of the mail server. From 1 to 65,535. The default is 587. */
      port?: number | null | undefined
      /** The user name at the mail server; `null` for none. */
      username?: string | null | undefined
      /** The password at the mail server. It is write-only. */
      password?: string | null | undefined
      /** `starttls` is required, not opportunistic; `implicit` is TLS from the start; `none` only reaches an allowed network. The default is `starttls`. */
      tls?: 'starttls' | 'implicit' | 'none' | null | undefined
    } | null | undefined
  } | null | undefined
  /** What exists in Test only. */
  test?: {
    /** Six digits that replace emailed codes; `null` for real codes. */
    fixed_code?: string | null | undefined
  } | null | undefined
}

export type SettingsPreview = {
  /** The address of the page. It opens only in a frame of the dashboard, for members of the tenant. */
  url: string
  /** When the address stops working. */
  expires_at: string
}

export type SettingsToPreview = {
  /** Changes of `branding`. A new `logo_url` is shown after it is saved. */
  branding?: Record<string, unknown> | undefined
  /** Changes of `links`. */
  links?: Record<string, unknown> | undefined
  /** Changes of `sign_in`. */
  sign_in?: Record<string, unknown> | undefined
  /** Changes of `sign_up`. */
  sign_up?: Record<string, unknown> | undefined
  /** The page to show. The default is `sign_in`. */
  page?: 'sign_in' | 'sign_up' | undefined
  /** The theme of the page. The default is `light`. */
  theme?: 'light' | 'dark' | undefined
}

export type SignInMethod = {
  /** The id of the method. */
  id: string
  /** The kind of method. */
  type: 'password' | 'passkey' | 'totp' | 'recovery_codes' | 'provider'
  /** The name that the person or the provider gave it; null for a kind without names. */
  name: string | null
  /** The identity provider; null for other kinds. */
  provider_id: string | null
  /** How many recovery codes are unused; null for other kinds. */
  codes_left: number | null
  /** How the password is hashed: `argon2id`, or as it came from another system, until a sign-in with it makes it `argon2id`; null for other kinds. */
  algorithm: 'argon2id' | 'bcrypt' | 'pbkdf2-sha1' | 'pbkdf2-sha256' | 'pbkdf2-sha512' | 'scrypt' | 'firebase-scrypt' | null
  /** When the user got the method; for a password, when it was set last. */
  created_at: string
  /** When a sign-in used the method last; null if none did. */
  last_used_at: string | null
}

export type SignInTrace = {
  /** The account; `null` where no account of the environment has the address or id. */
  user: {
    /** The id of a user. It is also the `sub` in tokens, unless the user was created with a `sub`. */
    id: string
    /** The email. */
    email: string | null
    /** When the user was blocked; `null` if not. */
    blocked_at: string | null
    /** Whether the account waits for an approval; `null` if it never did. */
    approval: ApprovalState | null
    /** When the account is erased; `null` if it is not to be. */
    deletes_at: string | null
    /** When the user last signed in; `null` if never. */
    last_sign_in_at: string | null
  } | null
  /** The beginning of the seven days. */
  from: string
  /** The time of the answer. */
  to: string
  /** When the settings of the environment were last changed: what a step shows of them is of now. */
  settings_changed_at: string
  /** What keeps the person from signing in now, as far as the service knows. Empty where nothing does. */
  obstacles: Obstacle[]
  /** What happened, newest first, at most 200. */
  steps: TraceStep[]
  /** Whether there were more steps in these days. The events and the refused calls have them all. */
  has_more: boolean
}

export type SignUpMode = 'open' | 'approval' | 'closed'

export type SignUpName = 'off' | 'optional' | 'required'

export type SigningAlg = 'RS256' | 'ES256'

export type SigningKey = {
  /** The id of the key, equal to `kid`. */
  id: string
  /** The key id in the header of a token. */
  kid: string
  /** The id of an environment. */
  environment_id: string
  /** `next` is published and does not sign yet, `current` signs, `retired` verifies older tokens. */
  state: 'next' | 'current' | 'retired'
  /** The signature algorithm: `RS256` of ID tokens, logout tokens and access tokens, `ES256` of access tokens of resource servers that ask for it. Each has its own sequence of keys. */
  alg: SigningAlg
  /** The public key as JWK (RFC 7517). */
  public_jwk: Record<string, string>
  /** The time from which the key signs. */
  signs_from: string
  /** When the key was added to the JWKS. */
  published_at: string
  /** Of the next key: who read the JWKS in the last 24 hours, at most 100, the latest first. A proxy or a cache reads for those behind it. Empty for other keys. */
  readers: ({
    /** A network, an IPv4 /24 or an IPv6 /48, with the first word of the user agent. */
    source: string
    /** When it last read the JWKS. */
    last_read_at: string
    /** Whether it has read the JWKS since the key was published. */
    has_next: boolean
  })[]
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type Statistics = {
  /** The id of an environment. */
  environment_id: string
  /** The length of an interval. The default is `hour`. */
  interval: 'hour' | 'day'
  /** The first moment. It defaults to 24 hours (hour) or 30 days (day) before `to`. */
  from: string
  /** The last moment. It defaults to now. The range is at most 31 days by the hour and 400 days by the day. */
  to: string
  /** The intervals with at least one count, in order of time. */
  data: ({
    /** The beginning of the interval. */
    start: string
    /** Sign-ins by method and outcome: `succeeded`, `failed`, or `limited` after too many attempts. */
    sign_ins: ({
      /** The method. */
      method: string
      /** How it ended. */
      outcome: string
      /** How often it happened. */
      count: number
    })[]
    /** Token responses by grant type. */
    tokens: ({
      /** The grant type. */
      grant_type: string
      /** How often it happened. */
      count: number
    })[]
    /** Webhook attempts by outcome. */
    webhook_attempts: ({
      /** How it ended. */
      outcome: string
      /** How often it happened. */
      count: number
    })[]
    /** Recorded refused calls by code. */
    refused_calls: ({
      /** The code of the error. */
      code: string
      /** How often it happened. */
      count: number
    })[]
    /** Mails by outcome: `limited` were not sent, because their address got too many that day. */
    mails: ({
      /** How it ended. */
      outcome: string
      /** How often it happened. */
      count: number
    })[]
    /** Uses of API keys, those with the most uses first. */
    key_uses: ({
      /** The id of the key; `null` for all keys but the 100 with the most uses in this interval. */
      key_id: string | null
      /** How often it happened. */
      count: number
    })[]
  })[]
  /** The people who signed in since the beginning of the interval of `from`. `null` for a range with a `to`, and for an environment with more than 200,000 users. */
  active_users: number | null
}

export type Tenant = {
  /** The id of a tenant. */
  id: string
  /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
  slug: string
  /** The name. */
  name: string
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type TenantChange = {
  /** The name. */
  name?: string | undefined
}

export type TenantCreation = {
  /** 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes. */
  slug: string
  /** The name. */
  name: string
}

export type TestSent = {
  /** The id of an event. */
  event_id: string
}

export type TokenFormat = 'jwt' | 'opaque'

export type TokenToValidate = {
  /** The access token. Any other string is answered as inactive. */
  token: string
}

export type TokenVerdict = {
  /** Whether the token is valid now. */
  active: boolean
  /** Why the token is inactive. */
  reason?: 'malformed' | 'unknown' | 'expired' | 'revoked' | 'session_ended' | 'user_blocked' | 'not_allowed' | 'environment_mismatch' | undefined
  /** The issuer. */
  iss?: string | undefined
  /** The `sub` of the user, as the token has it. */
  sub?: string | undefined
  /** The id of the user, which routes take. */
  user_id?: string | undefined
  /** The audience: the issuer as a string, or a list of the resource servers and the issuer. */
  aud?: string | string[] | undefined
  /** The client that got the token: the id of the application, or the URL of a metadata client. */
  client_id?: string | undefined
  /** The scopes, separated by spaces: those of the token that the roles give now. Absent where they give none of them. */
  scope?: string | undefined
  /** The organization of the token; `null` without one. */
  org_id?: string | null | undefined
  /** The slugs of the roles that count now, in order: those of the member of the organization, or without one those of the user. */
  roles?: string[] | undefined
  /** The `claims` of the user and of the organization of the token, as they are now; where both have a name, that of the organization counts. */
  claims?: Record<string, unknown> | undefined
  /** Always `Bearer`. */
  token_type?: 'Bearer' | undefined
  /** When the token expires, in seconds since 1970. */
  exp?: number | undefined
  /** When the token was issued, in seconds since 1970. */
  iat?: number | undefined
  /** When the token becomes valid, in seconds since 1970. */
  nbf?: number | undefined
  /** The id of the token. */
  jti?: string | undefined
  /** The id of the session. */
  sid?: string | undefined
  /** When the user signed in, in seconds since 1970. */
  auth_time?: number | undefined
  /** The id of an environment. */
  environment_id?: string | undefined
}

export type TraceStep = {
  /** When it happened. */
  at: string
  /** The kind of the event; `refused_call` without an event; `code_asked` for a code or link that was asked for in the last hour. */
  what: 'user.created' | 'user.updated' | 'user.deleted' | 'user.closed' | 'user.restored' | 'user.blocked' | 'user.unblocked' | 'user.approval_requested' | 'user.email_verified' | 'user.method_added' | 'session.created' | 'session.ended' | 'sign_in.succeeded' | 'sign_in.failed' | 'mfa.enrolled' | 'mfa.removed' | 'trusted_browser.added' | 'trusted_browser.removed' | 'consent.granted' | 'consent.revoked' | 'token.reuse_detected' | 'application.created' | 'application.updated' | 'application.deleted' | 'application.secret_rotated' | 'application.secret_added' | 'application.secret_deleted' | 'application.secret_expiring' | 'auth_key.expiring' | 'provider.secret_expiring' | 'resource_server.created' | 'resource_server.updated' | 'resource_server.deleted' | 'role.created' | 'role.updated' | 'role.deleted' | 'metadata_client.created' | 'metadata_client.updated' | 'metadata_client.deleted' | 'organization.created' | 'organization.updated' | 'organization.deleted' | 'organization_member.added' | 'organization_member.updated' | 'organization_member.removed' | 'organization_invitation.created' | 'organization_invitation.accepted' | 'organization_invitation.ended' | 'provider.created' | 'provider.updated' | 'provider.deleted' | 'environment.settings_updated' | 'promotion.applied' | 'promotion.reverted' | 'auth_key.created' | 'auth_key.rotated' | 'auth_key.revoked' | 'mail.sent' | 'mail.failed' | 'signing_key.rotated' | 'webhook.disabled' | 'test.ping' | 'refused_call' | 'code_asked'
  /** The first factor, as events have it, or what a code is for. */
  method: string | null
  /** The second factor that was used. */
  second_factor: string | null
  /** The provider that answered, or was asked. */
  provider_id: string | null
  /** The application that the person was on the way to. */
  application_id: string | null
  /** Why it was refused: the code of the refused call, or the `reason` of the event. Of a code that was asked for: `mailed` or `not_mailed`. */
  code: string | null
  /** The same in a sentence, from the record of the refused call. */
  reason: string | null
  /** The field that decided it; `null` where a field has nothing to do with it. */
  decided_by: Decision | null
  /** The event. */
  event_id: string | null
  /** The request id, by which a refused call is read. */
  request_id: string | null
  /** The address of the network. */
  ip: string | null
  /** The User-Agent, of refused calls alone. */
  user_agent: string | null
}

export type TrustedBrowser = {
  /** The id of a trusted browser. */
  id: string
  /** The id of a user. It is also the `sub` in tokens, unless the user was created with a `sub`. */
  user_id: string
  /** When the person used a second factor there, and chose not to be asked again. */
  created_at: string
  /** The last sign-in there that asked for no second factor; at first, when it began. */
  last_used_at: string
  /** When the second factor is asked for again. A lower `mfa.remember_days` counts at once. */
  expires_at: string
  /** The address from which it began. */
  ip: string | null
  /** The User-Agent of the browser. */
  user_agent: string | null
}

export type User = {
  /** The id of a user. It is also the `sub` in tokens, unless the user was created with a `sub`. */
  id: string
  /** The claim `sub`, by which tokens and events name the user: what was given at the creation, else the `id`. It is compared exactly and never changes. Routes take the `id`. */
  sub: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The email. It is unique within the environment, ignoring case and the encoding of an international domain, and can change: identify a user by `id`. `null` where another person verified the address of the account as theirs. */
  email: string | null
  /** Whether the user has verified the email. */
  email_verified: boolean
  /** A change of the email that the user asked for and that is not confirmed at both ends yet; `null` if there is none. */
  pending_email: {
    /** The new email. */
    email: string
    /** When the change ends unless it is confirmed. */
    expires_at: string
  } | null
  /** The phone number in E.164 format. */
  phone_number: string | null
  /** Whether the user has verified the phone number. */
  phone_number_verified: boolean
  /** The full name (OIDC Core §5.1). */
  name: string | null
  /** The given name. */
  given_name: string | null
  /** The family name. */
  family_name: string | null
  /** A casual name. */
  nickname: string | null
  /** The name by which the user wants to be called. It is not unique. */
  preferred_username: string | null
  /** The URL of a picture. */
  picture: string | null
  /** The language, such as `en` or `de-CH`. */
  locale: string | null
  /** The time zone, such as `Europe/Zurich`. */
  zoneinfo: string | null
  /** Your own data, an object of at most 16 KiB. No token carries it. */
  metadata: Record<string, unknown>
  /** Data for tokens that ask for it. */
  claims: Record<string, unknown>
  /** The roles that were given to the user, by slug and in order of slug. Roles that every user has are not among them. */
  roles: string[]
  /** Whether the user can sign in with a password. */
  has_password: boolean
  /** The approval of an account of a sign-up that had to wait; `null` for an account that never waited. */
  approval: {
    /** `waiting` for an approval, `approved` or `refused`. */
    state: ApprovalState
    /** The time of this state. */
    at: string
  } | null
  /** When the account is erased, which was deleted and can be restored until then; `null` while it is not deleted. */
  deletes_at: string | null
  /** When the user was blocked; `null` while the user can sign in. */
  blocked_at: string | null
  /** When the user last signed in; `null` if never. */
  last_sign_in_at: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type UserAccess = {
  /** The organization that the answer is about; `null` for the user without one. */
  organization_id: string | null
  /** Whether the user is a member of the organization; `null` without one. */
  is_member: boolean | null
  /** The roles that count, in order of slug: those that were given, and those that every user or member has. A blocked user has none, and no permissions; so has a user who is not a member of the organization, and one that is unknown or disabled. */
  roles: string[]
  /** Every resource server of the environment, in order of slug. */
  permissions: ({
    /** The slug of the resource server. */
    resource_server: string
    /** The identifier of the resource server: `aud` of its tokens. */
    identifier: string
    /** Whether the resource server gives a scope only to a person whose roles give it. */
    require_roles: boolean
    /** The scopes that a token could have now: all of them where the resource server requires no roles. */
    scopes: ({
      /** The name of the scope. */
      name: string
      /** The roles of the user that give the scope, in order of slug. */
      by: string[]
    })[]
  })[]
}

export type UserChange = {
  /** The email. It is unique within the environment, ignoring case and the encoding of an international domain, and can change: identify a user by `id`. */
  email?: string | undefined
  /** Whether the user has verified the email. */
  email_verified?: boolean | null | undefined
  /** The phone number in E.164 format. */
  phone_number?: string | null | undefined
  /** Whether the user has verified the phone number. */
  phone_number_verified?: boolean | null | undefined
  /** The password, by the policy of the environment (by default at least 12 characters). It is write-only. */
  password?: string | null | undefined
  /** The full name (OIDC Core §5.1), with at least one visible character. */
  name?: string | null | undefined
  /** The given name, with at least one visible character. */
  given_name?: string | null | undefined
  /** The family name, with at least one visible character. */
  family_name?: string | null | undefined
  /** A casual name, with at least one visible character. */
  nickname?: string | null | undefined
  /** The name by which the user wants to be called, with at least one visible character. It is not unique. */
  preferred_username?: string | null | undefined
  /** The URL of a picture. */
  picture?: string | null | undefined
  /** The language, such as `en` or `de-CH`. */
  locale?: string | null | undefined
  /** The time zone, such as `Europe/Zurich`: a name that the service can show times in, and no offset. */
  zoneinfo?: string | null | undefined
  /** Your own data, an object of at most 16 KiB. No token carries it. */
  metadata?: Record<string, unknown> | null | undefined
  /** Merged with what is stored: `null` takes a name out. The result has the bounds of a new object. */
  claims?: Record<string, unknown> | null | undefined
  /** The roles of the user, by slug: at most 20, each once, of the kind `user`. The list replaces the one before. Roles that every user has need not be in it. */
  roles?: string[] | null | undefined
}

export type UserCreation = {
  /** The email address. */
  email: string
  /** The claim `sub` of tokens, for a user who has one elsewhere, such as `auth0|507f1f77bcf86cd799439020`. It is compared exactly, never changes, and no other user of the environment has it as `sub` or `id`. Take an identifier and no address: the event of the deletion keeps it. Without it `sub` is the `id`. */
  sub?: string | undefined
  /** Whether the user has verified the email. */
  email_verified?: boolean | undefined
  /** The phone number in E.164 format. */
  phone_number?: string | null | undefined
  /** Whether the user has verified the phone number. */
  phone_number_verified?: boolean | undefined
  /** The password, by the policy of the environment (by default at least 12 characters). It is write-only. */
  password?: string | null | undefined
  /** The full name (OIDC Core §5.1), with at least one visible character. */
  name?: string | null | undefined
  /** The given name, with at least one visible character. */
  given_name?: string | null | undefined
  /** The family name, with at least one visible character. */
  family_name?: string | null | undefined
  /** A casual name, with at least one visible character. */
  nickname?: string | null | undefined
  /** The name by which the user wants to be called, with at least one visible character. It is not unique. */
  preferred_username?: string | null | undefined
  /** The URL of a picture. */
  picture?: string | null | undefined
  /** The language, such as `en` or `de-CH`. */
  locale?: string | null | undefined
  /** The time zone, such as `Europe/Zurich`: a name that the service can show times in, and no offset. */
  zoneinfo?: string | null | undefined
  /** Your own data, an object of at most 16 KiB. No token carries it. */
  metadata?: Record<string, unknown> | undefined
  /** Data for tokens that ask for it: an object of at most 1024 bytes as compact JSON, with at most 20 names and 3 levels. No name is a registered claim of JWTs, is `grant_id` or begins with `org_`. Put nothing secret here. */
  claims?: Record<string, unknown> | undefined
  /** The roles of the user, by slug: at most 20, each once, of the kind `user`. The list replaces the one before. Roles that every user has need not be in it. */
  roles?: string[] | undefined
  /** The hash of the password in another system, in place of `password`: bcrypt, argon2id, PBKDF2, scrypt or the scrypt of Firebase. It is write-only, and a sign-in with the password replaces it. */
  password_hash?: string | undefined
}

export type UserJob = {
  /** The id of a job over users. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** What happens to each user: the same as by the call for one user, with the same event and audit entry. */
  action: 'block' | 'unblock' | 'end_sessions' | 'delete'
  /** How far the job is. It ends by itself. */
  status: 'waiting' | 'running' | 'done'
  /** The number of users that it names. */
  total: number
  /** The users for whom the action is done, or for whom there was nothing to do. */
  done: number
  /** The users for whom it was given up, because other changes of the same user came first again and again. */
  failed: number
  /** The ids that no user of the environment has. */
  skipped: number
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** When the last user was done; `null` until then. Seven days later the job is gone. */
  finished_at: string | null
}

export type UserJobCreation = {
  /** What happens to each user: the same as by the call for one user, with the same event and audit entry. */
  action: 'block' | 'unblock' | 'end_sessions' | 'delete'
  /** The users, by id: 1 to 10,000, each once. */
  user_ids: string[]
}

export type UserOrganization = {
  /** The id of an organization. */
  organization_id: string
  /** The user, whose id is also that of the member. */
  user_id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The email of the user; `null` without one. */
  email: string | null
  /** The full name of the user; `null` without one. */
  name: string | null
  /** The roles that were given to the member, by slug and in order of slug. Roles that every member has are not among them. */
  roles: string[]
  /** When the user last acted in the organization; `null` if never. */
  last_used_at: string | null
  /** The organization. */
  organization: {
    /** The id of an organization. */
    id: string
    /** The slug of the organization. */
    slug: string
    /** The name of the organization. */
    name: string
    /** Whether the organization is switched off. */
    disabled: boolean
  }
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type Webhook = {
  /** The id of a webhook. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The name of the object in URLs and scripts, unique among the objects of its kind in the environment. It never changes. */
  slug: string
  /** Where events are posted. Live needs https. */
  url: string
  /** The kinds of events to send. An empty list means all, future kinds included. */
  events: EventKind[]
  /** A note for people, at most 200 characters. */
  description: string | null
  /** Whether deliveries are paused. The default is false. */
  disabled: boolean
  /** Why the service disabled the webhook: the receiver answered 410 (`gone`), or no delivery succeeded for five days (`failing`). */
  disabled_reason: 'gone' | 'failing' | null
  /** The previous secret signs too until then; `null` before the first rotation. */
  previous_secret_until: string | null
  /** When a delivery last succeeded; `null` if never. */
  last_success_at: string | null
  /** The first failure since the last success; `null` if the latest attempt succeeded. */
  failing_since: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
}

export type WebhookChange = {
  /** Where events are posted. Live needs https. */
  url?: string | undefined
  /** The kinds of events to send. An empty list means all, future kinds included. */
  events?: EventKind[] | null | undefined
  /** A note for people, at most 200 characters. */
  description?: string | null | undefined
  /** Whether deliveries are paused. The default is false. */
  disabled?: boolean | null | undefined
}

export type WebhookCreation = {
  /** Made from the name if it is absent. It must be unique and cannot be changed later. */
  slug?: string | undefined
  /** Where events are posted. Live needs https. */
  url: string
  /** The kinds of events to send. An empty list means all, future kinds included. */
  events?: EventKind[] | undefined
  /** A note for people, at most 200 characters. */
  description?: string | null | undefined
  /** Whether deliveries are paused. The default is false. */
  disabled?: boolean | undefined
}

export type WebhookWithSecret = {
  /** The id of a webhook. */
  id: string
  /** The id of a tenant. */
  tenant_id: string
  /** The id of a project. */
  project_id: string
  /** The id of an environment. */
  environment_id: string
  /** The name of the object in URLs and scripts, unique among the objects of its kind in the environment. It never changes. */
  slug: string
  /** Where events are posted. Live needs https. */
  url: string
  /** The kinds of events to send. An empty list means all, future kinds included. */
  events: EventKind[]
  /** A note for people, at most 200 characters. */
  description: string | null
  /** Whether deliveries are paused. The default is false. */
  disabled: boolean
  /** Why the service disabled the webhook: the receiver answered 410 (`gone`), or no delivery succeeded for five days (`failing`). */
  disabled_reason: 'gone' | 'failing' | null
  /** The previous secret signs too until then; `null` before the first rotation. */
  previous_secret_until: string | null
  /** When a delivery last succeeded; `null` if never. */
  last_success_at: string | null
  /** The first failure since the last success; `null` if the latest attempt succeeded. */
  failing_since: string | null
  /** When the object was created. */
  created_at: string
  /** When the object was last changed. */
  updated_at: string
  /** The secret that verifies signatures, returned once; `null` in a repeat with the same Idempotency-Key. */
  secret: string | null
}
