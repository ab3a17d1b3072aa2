-- {int} is the engine's 64-bit integer. Times are milliseconds since 1970, booleans 0 or 1, lists and documents JSON.
-- `version` rises with every change of the object (not with its use); ETag shows it.

create table deployment (
  name text primary key,
  value text not null
);

create table tenants (
  id text primary key,
  slug text not null unique,
  name text not null,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null
);

create table members (
  tenant_id text not null references tenants (id),
  user_id text not null,
  role text not null,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (tenant_id, user_id)
);
create index members_by_user on members (user_id);

create table projects (
  tenant_id text not null references tenants (id),
  id text not null unique,
  slug text not null,
  name text not null,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (tenant_id, id),
  unique (tenant_id, slug)
);

create table environments (
  tenant_id text not null,
  project_id text not null,
  id text not null unique,
  slug text not null,
  name text not null,
  type text not null,
  issuer text not null,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  settings text not null default '{}',
  settings_version {int} not null default 1,
  settings_updated_at {int} not null,
  keys_version {int} not null default 0,
  primary key (tenant_id, project_id, id),
  unique (project_id, slug),
  foreign key (tenant_id, project_id) references projects (tenant_id, id)
);

create table api_keys (
  tenant_id text not null references tenants (id),
  project_id text,
  environment_id text references environments (id),
  id text not null unique,
  type text not null,
  label text,
  digest text not null unique,
  start text not null,
  last4 text not null,
  scopes text not null,
  allowed_origins text not null,
  ip_allowlist text not null,
  rate_limit text,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  last_used_at {int},
  last_used_ip text,
  rotated_at {int},
  revoked_at {int},
  expires_at {int},
  primary key (tenant_id, id)
);
create index api_keys_by_environment on api_keys (environment_id, id);

create table applications (
  environment_id text not null references environments (id),
  id text not null,
  name text not null,
  application_type text not null,
  redirect_uris text not null,
  post_logout_redirect_uris text not null,
  token_endpoint_auth_method text not null,
  jwks text,
  jwks_uri text,
  allowed_scopes text not null,
  require_pkce {int} not null,
  consent text not null,
  backchannel_logout_uri text,
  initiate_login_uri text,
  logo_uri text,
  allow_loopback_port {int} not null,
  disabled {int} not null,
  client_secret_hash text,
  secret_rotated_at {int},
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);

create table users (
  environment_id text not null references environments (id),
  id text not null,
  email text not null,
  email_key text not null,
  email_verified {int} not null,
  phone_number text,
  phone_number_verified {int} not null,
  name text,
  given_name text,
  family_name text,
  nickname text,
  preferred_username text,
  picture text,
  locale text,
  zoneinfo text,
  metadata text not null,
  password_hash text,
  blocked_at {int},
  last_sign_in_at {int},
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id),
  unique (environment_id, email_key)
);

-- Failed sign-ins by account and source. The account is a digest, since the account may not exist.
create table sign_in_attempts (
  environment_id text not null,
  account text not null,
  source text not null,
  attempts {int} not null,
  expires_at {int} not null,
  primary key (environment_id, account, source)
);
create index sign_in_attempts_by_expiry on sign_in_attempts (expires_at);

create table signing_keys (
  environment_id text not null references environments (id),
  kid text not null,
  public_jwk text not null,
  private_key text not null,
  signs_from {int} not null,
  created_at {int} not null,
  primary key (environment_id, kid)
);

create table sessions (
  environment_id text not null,
  id text not null,
  user_id text not null,
  token_hash text not null,
  amr text not null,
  acr text not null,
  ip text,
  user_agent text,
  created_at {int} not null,
  auth_time {int} not null,
  last_seen_at {int} not null,
  expires_at {int} not null,
  absolute_expires_at {int} not null,
  ended_at {int},
  primary key (environment_id, id),
  unique (environment_id, token_hash)
);
create index sessions_by_user on sessions (environment_id, user_id);
create index sessions_by_expiry on sessions (absolute_expires_at);

create table consents (
  environment_id text not null,
  user_id text not null,
  application_id text not null,
  scope text not null,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, user_id, application_id)
);

-- A grant is one user, one client and one sign-in. Every code and token belongs to a grant and ends with it.
create table grants (
  environment_id text not null,
  id text not null,
  user_id text not null,
  application_id text not null,
  session_id text not null,
  scope text not null,
  resource text not null,
  offline {int} not null,
  auth_time {int} not null,
  amr text not null,
  acr text not null,
  created_at {int} not null,
  expires_at {int} not null,
  ended_at {int},
  ended_by text,
  primary key (environment_id, id)
);
create index grants_by_user on grants (environment_id, user_id);
create index grants_by_session on grants (environment_id, session_id);
create index grants_by_application on grants (environment_id, application_id);
create index grants_by_expiry on grants (expires_at);

create table authorization_codes (
  environment_id text not null,
  code_hash text not null,
  grant_id text not null,
  client_id text not null,
  redirect_uri text not null,
  scope text not null,
  nonce text,
  code_challenge text,
  expires_at {int} not null,
  spent_by text,
  primary key (environment_id, code_hash)
);
create index authorization_codes_by_expiry on authorization_codes (expires_at);

create table refresh_tokens (
  environment_id text not null,
  token_hash text not null,
  grant_id text not null,
  expires_at {int} not null,
  spent_by text,
  spent_at {int},
  primary key (environment_id, token_hash)
);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);

create table opaque_access_tokens (
  environment_id text not null,
  token_hash text not null,
  claims text not null,
  expires_at {int} not null,
  primary key (environment_id, token_hash)
);
create index opaque_access_tokens_by_expiry on opaque_access_tokens (expires_at);

create table revoked_access_tokens (
  environment_id text not null,
  jti text not null,
  expires_at {int} not null,
  primary key (environment_id, jti)
);
create index revoked_access_tokens_by_expiry on revoked_access_tokens (expires_at);

-- The outbox. An event is written in the batch of its change and numbered afterwards.
create table events (
  environment_id text not null,
  id text not null,
  sequence {int},
  type text not null,
  created_at {int} not null,
  request_id text,
  actor_type text not null,
  actor_id text,
  user_id text,
  application_id text,
  data text not null,
  primary key (environment_id, id)
);
create unique index events_by_sequence on events (environment_id, sequence);
