-- The schema of release 0.2.0. {int} is the engine's 64-bit integer. Times are milliseconds since 1970, booleans 0 or 1, lists and documents
-- JSON. `version` rises with every change of the object (not with its use); ETag shows it.
--
-- An index begins with its most selective column. While PostgreSQL has no statistics for a new table, it considers every index that begins
-- with the environment as good as the primary key, and then reads all rows of an environment to find one. Some indexes have a condition that
-- no other query has, such as coalesce(ended_at, -1) = -1: PostgreSQL would take another index of the table for theirs.

-- The deployment, and its background work.

create table deployment (
  name text primary key,
  value text not null
);

-- Work that one process at a time does.
create table leases (
  name text primary key,
  holder text not null,
  expires_at {int} not null
);

-- A call to another machine, written in the batch of the change that causes it, and deleted when it is done. `due_at` is the time from which
-- a process may take the job: its schedule, or the end of the lease of the process that holds it. `lane` names the receiver: jobs of one
-- lane never delay those of another. The queue serves tenants in turn; the tenant is '' for a job of none.
create table jobs (
  id text primary key,
  kind text not null,
  lane text not null,
  tenant_id text not null default '',
  environment_id text,
  payload text not null,
  attempts {int} not null default 0,
  due_at {int} not null,
  leased_by text,
  created_at {int} not null
);
create index jobs_by_due_time on jobs (kind, due_at);
create index jobs_by_lane on jobs (kind, tenant_id, lane, id);
create index jobs_by_tenant on jobs (kind, tenant_id, due_at, id);

-- Tenants, with their people, projects and environments.

-- `created_by` is null for the root tenant. It is counted against the quota of tenants per person.
create table tenants (
  id text primary key,
  slug text not null unique,
  name text not null,
  created_by text,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null
);
create index tenants_by_creator on tenants (created_by);

-- A membership begins when a signed-in person accepts an invitation. `accepted_at` is null for one that the system made.
create table members (
  tenant_id text not null references tenants (id),
  user_id text not null,
  role text not null,
  accepted_at {int},
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (tenant_id, user_id)
);
create index members_by_user on members (user_id);

-- `inviter_id` is null if the system invites. `token_hash` is null if an invitation has no link; then it does not expire. `accounts` counts the
-- accounts created through the present link.
create table invitations (
  tenant_id text not null references tenants (id),
  id text not null,
  email text not null,
  email_key text not null,
  role text not null,
  inviter_id text,
  token_hash text,
  expires_at {int},
  accounts {int} not null default 0,
  ended_at {int},
  ended_by text,
  accepted_by text,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (tenant_id, id)
);
create unique index invitations_pending on invitations (tenant_id, email_key) where ended_at is null;
create index invitations_by_age on invitations (updated_at);
create index invitations_by_inviter on invitations (tenant_id, inviter_id) where ended_at is null;

-- Every link of the last 90 days, to recognise a used or replaced link and to count the links of a day.
create table invitation_links (
  token_hash text primary key,
  tenant_id text not null,
  invitation_id text not null,
  email_key text not null,
  created_at {int} not null
);
create index invitation_links_by_tenant on invitation_links (tenant_id, created_at);
create index invitation_links_by_age on invitation_links (created_at);

-- `promotion` says how promotions of the project are made, as JSON.
create table projects (
  tenant_id text not null references tenants (id),
  id text not null unique,
  slug text not null,
  name text not null,
  promotion text not null default '{"require_approval":false}',
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (tenant_id, id),
  unique (tenant_id, slug)
);

-- `config_version` rises with every change of the configuration. `keeps` lists the fields that are meant to differ from other environments.
create table environments (
  tenant_id text not null,
  project_id text not null,
  id text not null unique,
  slug text not null,
  name text not null,
  type text not null,
  issuer text not null,
  settings text not null default '{}',
  settings_version {int} not null default 1,
  settings_updated_at {int} not null,
  keeps text not null default '[]',
  config_version {int} not null default 1,
  keys_version {int} not null default 0,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (tenant_id, project_id, id),
  unique (project_id, slug),
  foreign key (tenant_id, project_id) references projects (tenant_id, id)
);

-- The issuers with an origin of their own. A row outlives its environment: an issuer is never used again.
create table issuer_origins (
  issuer text primary key,
  environment_id text not null unique,
  created_at {int} not null
);

-- Keys of the API.

-- `made_by` lists the ids of the users who made or rotated the key, as JSON: they approve no plan that it made (decision 0158).
create table api_keys (
  tenant_id text not null references tenants (id),
  project_id text,
  environment_id text references environments (id),
  id text not null unique,
  type text not null,
  label text,
  made_by text not null default '[]',
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

-- The digests of keys before their rotation. They authenticate nobody; a refused call with one of them belongs to the tenant of the key.
create table rotated_keys (
  digest text primary key,
  tenant_id text not null,
  key_id text not null,
  rotated_at {int} not null
);
create index rotated_keys_by_key on rotated_keys (tenant_id, key_id, rotated_at);
create index rotated_keys_by_time on rotated_keys (rotated_at);

-- The calls with a key by hour, route and source address. At most 100 pairs of route and address per key and hour have rows of their own; the
-- row with the route 'other' and the address '' has the rest. An unknown address is ''.
create table key_usage (
  key_id text not null,
  tenant_id text not null,
  hour {int} not null,
  route text not null,
  ip text not null,
  count {int} not null,
  refused {int} not null,
  primary key (key_id, hour, route, ip)
);
create index key_usage_by_hour on key_usage (hour);

-- The first response to a POST with an Idempotency-Key, written in the batch of its change.
create table idempotency_records (
  credential_id text not null,
  method text not null,
  path text not null,
  idempotency_key text not null,
  body_hash text not null,
  status {int} not null,
  answer text not null,
  expires_at {int} not null,
  primary key (credential_id, method, path, idempotency_key)
);
create index idempotency_records_by_expiry on idempotency_records (expires_at);

-- What an environment is configured with.

-- `ending` rises when the application is disabled or deleted (decision 0065). `template` is the one that it was created by (decision 0112).
create table applications (
  environment_id text not null references environments (id),
  id text not null,
  slug text not null,
  name text not null,
  application_type text not null,
  template text,
  redirect_uris text not null,
  post_logout_redirect_uris text not null,
  token_endpoint_auth_method text not null,
  jwks text,
  jwks_uri text,
  allowed_scopes text not null,
  require_pkce {int} not null,
  nonce_replaces_pkce {int},
  unknown_scopes text not null,
  consent text not null,
  backchannel_logout_uri text,
  initiate_login_uri text,
  logo_uri text,
  allow_loopback_port {int} not null,
  disabled {int} not null,
  client_secret_hash text,
  secret_rotated_at {int},
  ending {int} not null default 0,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create unique index applications_by_slug on applications (environment_id, slug);
create index applications_by_id on applications (id);

-- The web origins of single-page applications, one row each, so a request from a browser needs one look-up by key for any number of origins.
create table application_origins (
  environment_id text not null,
  origin text not null,
  application_id text not null,
  primary key (environment_id, origin, application_id)
);
create index application_origins_by_application on application_origins (application_id, environment_id);

-- `scopes_version` is the version whose names are in resource_server_scopes. Where it is not the present one, a worker writes them.
create table resource_servers (
  environment_id text not null references environments (id),
  id text not null,
  slug text not null,
  identifier text not null,
  name text not null,
  scopes text not null,
  access_token_ttl_seconds {int},
  access_token_format text not null,
  scopes_version {int} not null,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id),
  unique (environment_id, identifier)
);
create unique index resource_servers_by_slug on resource_servers (environment_id, slug);
create index resource_servers_by_id on resource_servers (id);
create index resource_servers_without_names on resource_servers (id) where scopes_version <> version;

-- The names of the scopes of resource servers (decision 0165), so that a name is found by an index, however many servers an environment has.
create table resource_server_scopes (
  environment_id text not null,
  name text not null,
  resource_server_id text not null,
  primary key (name, environment_id, resource_server_id)
);
create index resource_server_scopes_by_server on resource_server_scopes (resource_server_id);

-- Secrets are sealed. `last_failure` is JSON (decision 0109); `last_failure_is_checked` says whether a check of the provider would fail in the
-- same way, so that its success forgets the failure.
create table providers (
  environment_id text not null references environments (id),
  id text not null,
  slug text not null,
  type text not null,
  display_name text not null,
  issuer text,
  client_id text not null,
  scopes text not null,
  enabled {int} not null,
  link_by_verified_email {int} not null,
  accept_preferred_username {int} not null,
  sign_out text not null,
  team_id text,
  key_id text,
  client_secret text,
  private_key text,
  last_success_at {int},
  last_failed_at {int},
  last_failure text,
  last_failure_is_checked {int},
  ending {int} not null default 0,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create unique index providers_by_slug on providers (environment_id, slug);

create table webhooks (
  environment_id text not null references environments (id),
  id text not null,
  slug text not null,
  url text not null,
  events text not null,
  description text,
  disabled {int} not null,
  disabled_reason text,
  secret text not null,
  previous_secret text,
  previous_secret_until {int},
  last_success_at {int},
  failing_since {int},
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create unique index webhooks_by_slug on webhooks (environment_id, slug);

create table signing_keys (
  environment_id text not null references environments (id),
  kid text not null,
  public_jwk text not null,
  private_key text not null,
  signs_from {int} not null,
  created_at {int} not null,
  primary key (environment_id, kid)
);

-- Plans that bring a configuration to an environment, and what became of them (decision 0130). `plan`, `summary` and the people are JSON.
-- `plan` is large and the last column: SQLite reads the columns before it from the first page of the row.
create table promotions (
  project_id text not null,
  id text not null,
  tenant_id text not null,
  from_environment_id text,
  document_environment text,
  to_environment_id text not null,
  from_config_version {int},
  to_config_version {int} not null,
  status text not null,
  note text,
  summary text not null,
  created_by text not null,
  approved_by text,
  approved_at {int},
  applied_by text,
  applied_at {int},
  reverted_by text,
  reverted_at {int},
  expires_at {int} not null,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  planners text not null,
  needs_approval {int} not null,
  plan text not null,
  primary key (project_id, id)
);
create index promotions_by_expiry on promotions (expires_at);
create index promotions_by_status on promotions (project_id, status, id);

-- The configuration that the last promotion to an environment left, as JSON: what differs from it was edited there.
create table promoted_states (
  environment_id text not null primary key,
  promotion_id text not null,
  state text not null
);

-- Users, and their ways to sign in.

-- An ending is one small write: it raises a number, and what began before has the number of then (decision 0065). `ending` ends everything of
-- its row, `password_ending` what began with the password of the user, `methods_ending` the sign-ins that wait for a second factor,
-- `consents_ending` the consents of the user. `grant_count` is no less than the grants with offline_access at one application (decision 0067).
-- `self_registered` matters while the address is unproven: then the account may be a trap for its owner. `passkey_handle` identifies the user
-- to authenticators: 32 random bytes in base64url, made with the first passkey. `preferred_username_key` is set where nobody else has the name.
create table users (
  environment_id text not null references environments (id),
  id text not null,
  email text not null,
  email_key text not null,
  email_verified {int} not null,
  self_registered {int} not null default 0,
  phone_number text,
  phone_number_verified {int} not null,
  name text,
  given_name text,
  family_name text,
  nickname text,
  preferred_username text,
  preferred_username_key text,
  picture text,
  locale text,
  zoneinfo text,
  metadata text not null,
  password_hash text,
  password_set_at {int},
  password_used_at {int},
  passkey_handle text,
  blocked_at {int},
  last_sign_in_at {int},
  ending {int} not null default 0,
  password_ending {int} not null default 0,
  methods_ending {int} not null default 0,
  consents_ending {int} not null default 0,
  grant_count {int} not null default 0,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create unique index users_by_email on users (email_key, environment_id);
create index users_by_preferred_username on users (preferred_username_key, environment_id) where preferred_username_key is not null;

-- A user at a provider, by its issuer without trailing slashes: the same subject at another issuer is another person.
create table identities (
  environment_id text not null,
  id text not null,
  provider_id text not null,
  issuer text not null,
  subject text not null,
  user_id text not null,
  created_at {int} not null,
  last_used_at {int},
  primary key (environment_id, provider_id, issuer, subject)
);
create index identities_by_user on identities (user_id, environment_id);
create index identities_by_id on identities (id, environment_id);

-- The id is that of the sign-in method. The public key is a COSE key (RFC 9052) in base64url.
create table passkeys (
  environment_id text not null references environments (id),
  id text not null,
  user_id text not null,
  credential_id text not null,
  public_key text not null,
  counter {int} not null,
  backup_eligible {int} not null,
  backed_up {int} not null,
  transports text not null,
  name text not null,
  created_at {int} not null,
  last_used_at {int},
  primary key (environment_id, id)
);
create unique index passkeys_by_credential on passkeys (environment_id, credential_id);
create index passkeys_by_user on passkeys (user_id, environment_id);
create index passkeys_by_id on passkeys (id);

-- The challenges of finished ceremonies, so that each works once. An unfinished one has no row.
create table passkey_ceremonies (
  environment_id text not null references environments (id),
  challenge_hash text not null,
  expires_at {int} not null,
  primary key (environment_id, challenge_hash)
);
create index passkey_ceremonies_by_expiry on passkey_ceremonies (expires_at);

-- Credentials that this environment removed. Only these may be signalled to a browser as unknown.
create table removed_passkeys (
  environment_id text not null references environments (id),
  credential_id text not null,
  removed_at {int} not null,
  primary key (environment_id, credential_id)
);
create index removed_passkeys_by_age on removed_passkeys (removed_at);

-- `secret` is sealed. `last_step` is the last time step whose code was used: no code of it or of an earlier step is accepted.
create table totp_methods (
  environment_id text not null,
  id text not null,
  user_id text not null,
  secret text not null,
  last_step {int} not null,
  created_at {int} not null,
  last_used_at {int},
  primary key (environment_id, id)
);
create index totp_methods_by_user on totp_methods (user_id);

-- A set of codes has one `method_id`. A used code stays until its set is replaced, so that the set shows when it was used last.
create table recovery_codes (
  environment_id text not null,
  user_id text not null,
  code_hash text not null,
  method_id text not null,
  created_at {int} not null,
  used_at {int},
  primary key (environment_id, user_id, code_hash)
);
create index recovery_codes_by_user on recovery_codes (user_id);
create index recovery_codes_by_method on recovery_codes (method_id, environment_id);

-- New recovery codes of a person until the person confirms them, for 10 minutes at most, so that their page can be loaded again. `sealed` is
-- under a key that the cookie of the browser is part of.
create table shown_codes (
  environment_id text not null,
  user_id text not null,
  sealed text not null,
  expires_at {int} not null,
  primary key (environment_id, user_id)
);
create index shown_codes_by_expiry on shown_codes (expires_at);

-- A change of the address of a user that is not confirmed at both ends yet. `pending` is the object that the API shows: the new address and the
-- end of the change. `session_id` is the session that asked, which stays when the address changes.
create table email_changes (
  environment_id text not null references environments (id),
  user_id text not null,
  email text not null,
  pending text not null,
  session_id text not null,
  new_confirmed_at {int},
  old_confirmed_at {int},
  expires_at {int} not null,
  primary key (environment_id, user_id)
);
create index email_changes_by_expiry on email_changes (expires_at);

-- Signing in.

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

-- The state of a sign-in at a provider, which its callback redeems once. The rows of one source, and of an environment, are bounded by their
-- size; the index covers the sums, so that they read no payload.
create table upstream_sign_ins (
  environment_id text not null,
  state_hash text not null,
  provider_id text not null,
  payload text not null,
  expires_at {int} not null,
  source text not null,
  size {int} not null,
  primary key (environment_id, state_hash)
);
create index upstream_sign_ins_by_expiry on upstream_sign_ins (expires_at);
create index upstream_sign_ins_by_source on upstream_sign_ins (environment_id, source, expires_at, state_hash, size);

-- The states of attempts in cookies that have returned, so that each counts once.
create table returned_upstream_states (
  environment_id text not null,
  state_hash text not null,
  expires_at {int} not null,
  primary key (environment_id, state_hash)
);
create index returned_upstream_states_by_expiry on returned_upstream_states (expires_at);

-- A row for each environment, which the batch that adds an attempt holds.
create table upstream_holds (
  environment_id text not null primary key
);

-- A sign-in whose first factor succeeded and whose second one is missing. `session_id` is set where an existing session is stepped up.
-- `signed_in` holds the findings of the first factor.
create table half_sign_ins (
  environment_id text not null,
  secret_hash text not null,
  user_id text not null,
  session_id text,
  request_hash text not null,
  enrols {int} not null,
  signed_in text not null,
  tries {int} not null,
  needs_code {int} not null,
  expires_at {int} not null,
  ending {int} not null default 0,
  began_with text,
  began_ending {int} not null default 0,
  primary key (environment_id, secret_hash)
);
create index half_sign_ins_by_user on half_sign_ins (user_id);
create index half_sign_ins_by_expiry on half_sign_ins (expires_at);

-- Codes and links that were mailed, so that a person proves an address. A request that mails none (a decoy) leaves the same row without a code.
-- `account` is the digest of the address, which need not belong to an account. Limits count these rows for an hour.
create table mailed_codes (
  environment_id text not null references environments (id),
  id text not null,
  kind text not null,
  account text not null,
  browser text,
  source text not null,
  is_known {int} not null,
  user_id text,
  code_mac text,
  link_hash text,
  sealed text,
  tries {int} not null default 0,
  tried_at {int},
  ended_at {int},
  expires_at {int} not null,
  created_at {int} not null,
  primary key (environment_id, id)
);
create index mailed_codes_by_expiry on mailed_codes (expires_at);
create index mailed_codes_by_account on mailed_codes (account, environment_id, created_at);
create unique index mailed_codes_by_link on mailed_codes (link_hash, environment_id);
create index mailed_codes_by_user on mailed_codes (user_id, environment_id);

-- The answer of a hosted page to a form, for a minute: a button pressed twice ends as if pressed once. `form_hash` is a keyed digest of the
-- browser and the whole form. `sealed` is the answer, under a key that the cookie of the browser is part of; it is null while the first press
-- is at work, until `claimed_until` at most. `browser_hash` and `source` bound the rows.
create table kept_answers (
  environment_id text not null,
  form_hash text not null,
  browser_hash text not null,
  source text not null,
  sealed text,
  claimed_until {int} not null,
  expires_at {int} not null,
  primary key (environment_id, form_hash)
);
create index kept_answers_by_source on kept_answers (source, environment_id);
create index kept_answers_by_browser on kept_answers (browser_hash, environment_id);
create index kept_answers_by_expiry on kept_answers (expires_at);

-- Sessions, grants, and their tokens.

-- `began_with` is the id of the method, or its kind where it has no row. `began_ending` is the number of what the session began with, and
-- `ends_grants` says that its end ended all its grants, also those with offline_access. `grant_count` is no less than its grants without
-- offline_access at one application. A session that began at a provider names it, with the session there (`sid`) and, where a sign-out leads
-- there, the sealed ID token (decision 0110).
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
  began_with text not null,
  ending {int} not null default 0,
  began_ending {int} not null default 0,
  ended_at {int},
  ends_grants {int} not null default 0,
  grant_count {int} not null default 0,
  provider_id text,
  upstream_sid text,
  upstream_id_token text,
  primary key (environment_id, id)
);
create index sessions_by_expiry on sessions (absolute_expires_at);
create index sessions_by_user on sessions (user_id, environment_id);
create unique index sessions_by_token on sessions (token_hash, environment_id);
create index sessions_open_by_user on sessions (user_id, ending, id) where coalesce(ended_at, -1) = -1;
create index sessions_with_source_by_user on sessions (user_id) where coalesce(ip, user_agent) is not null;
create index sessions_live_by_user on sessions (user_id, ending, absolute_expires_at) where coalesce(ended_at, -2) = -2;
create index sessions_by_upstream_sid on sessions (upstream_sid, provider_id) where upstream_sid is not null;
create index sessions_with_id_token on sessions (environment_id, id) where upstream_id_token is not null;

-- The sessions of administrators in the dashboard. The browser has a random secret, this row its digest. `tokens` is sealed. One request at a
-- time refreshes the tokens: it takes the row until `refreshing_until`.
create table dashboard_sessions (
  session_hash text primary key,
  environment_id text not null,
  user_id text not null,
  session_id text not null,
  grant_id text not null,
  tokens text not null,
  access_token_until {int} not null,
  refresh_at {int} not null,
  refreshing_until {int} not null,
  created_at {int} not null,
  expires_at {int} not null
);
create index dashboard_sessions_by_expiry on dashboard_sessions (expires_at);
create index dashboard_sessions_by_user on dashboard_sessions (user_id, environment_id);

create table consents (
  environment_id text not null,
  user_id text not null,
  application_id text not null,
  scope text not null,
  created_at {int} not null,
  updated_at {int} not null,
  ending {int} not null default 0,
  primary key (environment_id, user_id, application_id)
);
create index consents_by_application on consents (application_id);

-- The number of a person with an application. It outlives the consent.
create table disconnections (
  environment_id text not null,
  user_id text not null,
  application_id text not null,
  ending {int} not null,
  primary key (environment_id, user_id, application_id)
);
create index disconnections_by_application on disconnections (application_id);

-- A grant is one user, one client and one sign-in. Every code and token belongs to a grant and ends with it. It expires with its last token, so
-- `expires_at` changes, and no index has it: a worker visits each grant when it may be over.
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
  began_with text not null,
  ending {int} not null default 0,
  began_ending {int} not null default 0,
  application_ending {int} not null default 0,
  disconnection {int} not null default 0,
  code_hash text not null,
  visit_at {int} not null,
  last_used_at {int},
  ended_at {int},
  ended_by text,
  primary key (environment_id, id)
);
create index grants_by_user on grants (user_id, environment_id);
create index grants_by_application on grants (application_id) where coalesce(ended_at, 0) = 0;
create index grants_open_by_user on grants (user_id, ending, id) where coalesce(ended_at, -1) = -1;
create index grants_by_visit on grants (visit_at);
create index grants_by_session on grants (session_id, application_id, ended_at, id);
create index grants_open_by_application on grants (user_id, application_id, offline, id, environment_id) where coalesce(ended_at, -2) = -2;

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

-- A refresh changes the row of its chain in place (decision 0125). The id of a chain is that of its grant. No index may name a column that a
-- rotation writes: PostgreSQL then keeps the new version of the row on its page, where the fill factor leaves room. The index has the chains
-- that ended since an older copy of the database was restored, which `doctor` counts.
create table refresh_chains (
  environment_id text not null,
  grant_id text not null,
  number {int} not null,
  digest text not null,
  salt text,
  issued_at {int} not null,
  expires_at {int} not null,
  ahead_at {int},
  primary key (environment_id, grant_id)
);
{postgres} alter table refresh_chains set (fillfactor = 75);
create index refresh_chains_ahead on refresh_chains (environment_id, grant_id) where ahead_at is not null;

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

-- The digests of the ids of used client assertions, until the assertions expire (RFC 7523 §3 point 7).
create table used_assertions (
  environment_id text not null,
  client_id text not null,
  jti_hash text not null,
  expires_at {int} not null,
  primary key (environment_id, client_id, jti_hash)
);
create index used_assertions_by_expiry on used_assertions (expires_at);

-- The endings whose rows still follow.
create table endings (
  environment_id text not null,
  kind text not null,
  subject text not null,
  number {int} not null,
  user_id text,
  ended_by text not null,
  cause text not null,
  reason text,
  position text not null default '',
  slices {int} not null default 0,
  created_at {int} not null,
  worked_at {int} not null,
  primary key (environment_id, kind, subject, number)
);
create index endings_by_turn on endings (worked_at);

-- Messages to people and machines.

-- Mail on its way to a mail server. `sealed` holds the recipient and the content, which may be a code or a link that signs a person in. A row
-- goes when its mail was accepted or given up.
create table mails (
  environment_id text not null references environments (id),
  id text not null,
  kind text not null,
  sealed text not null,
  user_id text,
  request_id text,
  failed_at {int},
  expires_at {int} not null,
  created_at {int} not null,
  primary key (environment_id, id)
);
create index mails_by_expiry on mails (expires_at);

-- Emails of Test environments with the delivery "capture". They are stored for developers and never sent.
create table captured_mails (
  environment_id text not null references environments (id),
  id text not null,
  recipient text not null,
  recipient_key text not null,
  kind text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  code text,
  link text,
  created_at {int} not null,
  primary key (environment_id, id)
);
create index captured_mails_by_recipient on captured_mails (environment_id, recipient_key, id);
create index captured_mails_by_time on captured_mails (created_at);

-- Mails to one address in a day: a row for each tenant, and one with an empty tenant_id for all tenants in which the address has no proven
-- account. `address` is a keyed digest.
create table address_mails (
  address text not null,
  day {int} not null,
  tenant_id text not null,
  mails {int} not null,
  expires_at {int} not null,
  primary key (address, day, tenant_id)
);
create index address_mails_by_expiry on address_mails (expires_at);

-- The logout requests of ended sessions. A waiting one has a job with the same id.
create table backchannel_logouts (
  environment_id text not null,
  id text not null,
  application_id text not null,
  session_id text not null,
  user_id text not null,
  status text not null,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create index backchannel_logouts_by_age on backchannel_logouts (created_at);

create table backchannel_logout_attempts (
  environment_id text not null,
  message_id text not null,
  number {int} not null,
  at {int} not null,
  status {int},
  latency_ms {int} not null,
  response text,
  error text,
  primary key (environment_id, message_id, number)
);
create index backchannel_logout_attempts_by_age on backchannel_logout_attempts (at);

create table webhook_messages (
  environment_id text not null,
  id text not null,
  webhook_id text not null,
  event_id text not null,
  event_type text not null,
  status text not null,
  next_attempt_at {int},
  attempts {int} not null default 0,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create index webhook_messages_by_age on webhook_messages (created_at);
create index webhook_messages_by_webhook on webhook_messages (webhook_id, environment_id, id);
create index webhook_messages_by_status on webhook_messages (webhook_id, environment_id, status, id);
create index webhook_messages_by_event on webhook_messages (event_id, environment_id, webhook_id, id);

create table webhook_attempts (
  environment_id text not null,
  message_id text not null,
  number {int} not null,
  at {int} not null,
  status {int},
  latency_ms {int} not null,
  response text,
  error text,
  primary key (environment_id, message_id, number)
);
create index webhook_attempts_by_age on webhook_attempts (at);

-- What happened.

-- The outbox. An event is written in the batch of its change and numbered afterwards. `trace` is the `traceparent` that its deliveries carry.
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
  trace text,
  primary key (environment_id, id)
);
create index events_by_age on events (created_at) where sequence is not null;
-- SQLite would prefer this index for every filter. So it has a further condition, always true, which only lists without a filter state.
create unique index events_by_sequence on events (environment_id, sequence) where sequence is not null and id <> '';
-- The filters of events. A key has the last characters of an id (decision 0140), as `db/event-keys.ts` computes them.
create index events_of_type on events ((substr('......' || environment_id, length(environment_id)) || substr(type, 1, 4) || substr(type, length(type) - 7, 4)), sequence)
  where sequence is not null and environment_id is not null;
create index events_of_user on events ((substr('......' || user_id, length(user_id))), sequence)
  where sequence is not null and user_id is not null;
create index events_of_user_and_type on events ((substr('......' || user_id, length(user_id)) || substr(type, 1, 4) || substr(type, length(type) - 7, 4)), sequence)
  where sequence is not null and user_id is not null;
create index events_of_application on events ((substr('......' || application_id, length(application_id))), sequence)
  where sequence is not null and application_id is not null;
create index events_of_application_and_type on events ((substr('......' || application_id, length(application_id)) || substr(type, 1, 4) || substr(type, length(type) - 7, 4)), sequence)
  where sequence is not null and application_id is not null;
create index events_of_request on events ((substr('......' || request_id, length(request_id))), sequence)
  where sequence is not null and request_id is not null;
-- As long as the backlog. `|| ''` keeps it apart from the primary key, which begins with the same columns and has the whole history.
create index events_unnumbered on events ((environment_id || ''), id) where sequence is null;

-- The last number of an environment.
create table event_counters (
  environment_id text primary key,
  last {int} not null
);

-- An entry is written in the batch of its change and linked into the chain of the tenant afterwards (sequence, previous_hash, hash).
create table audit_log (
  tenant_id text not null,
  id text not null,
  sequence {int},
  created_at {int} not null,
  action text not null,
  actor_type text not null,
  actor_id text,
  actor_label text,
  object_type text not null,
  object_id text not null,
  project_id text,
  environment_id text,
  request_id text,
  ip text,
  before_change text,
  after_change text,
  previous_hash text,
  hash text,
  primary key (tenant_id, id)
);
create index audit_log_by_request on audit_log (request_id);
create unique index audit_log_by_sequence on audit_log (tenant_id, sequence) where sequence is not null and id <> '';
create index audit_log_by_actor on audit_log (tenant_id, actor_id, sequence) where sequence is not null;
create index audit_log_by_action on audit_log (tenant_id, action, sequence) where sequence is not null;
create index audit_log_by_object on audit_log (tenant_id, object_id, sequence) where sequence is not null;
create index audit_log_by_actor_and_action on audit_log (tenant_id, actor_id, action, sequence) where sequence is not null;
create index audit_log_unchained on audit_log ((tenant_id || ''), id) where sequence is null;

-- The end of each chain, which detects a removed tail. `seal` is a MAC under the secret of the deployment.
create table audit_heads (
  tenant_id text primary key,
  sequence {int} not null,
  hash text not null,
  seal text not null
);

-- Refused calls of an environment, or of a tenant outside of its environments: scope_id is the id of one of them. An empty client_id means that
-- the call has no application of the environment. `remedy` is the change of the application that would have let the call through, as JSON.
create table refused_calls (
  scope_id text not null,
  id text not null,
  at {int} not null,
  method text not null,
  route text,
  status {int} not null,
  code text not null,
  reason text not null,
  client_id text not null,
  key_id text,
  key_start text,
  user_id text,
  event_id text,
  ip text,
  user_agent text,
  source text not null,
  refused_parameter text,
  refused_value text,
  remedy text,
  primary key (scope_id, id)
);
create index refused_calls_by_request on refused_calls (id);
create index refused_calls_by_source on refused_calls (scope_id, source, id);
create index refused_calls_by_code on refused_calls (scope_id, code, client_id, id);
create index refused_calls_by_time on refused_calls (at);

-- Refused calls without a record, by minute.
create table dropped_calls (
  scope_id text not null,
  minute {int} not null,
  count {int} not null,
  primary key (scope_id, minute)
);
create index dropped_calls_by_time on dropped_calls (minute);

-- Counts by hour. `hour` is the start of the hour in milliseconds since 1970, UTC.
create table counters (
  environment_id text not null,
  hour {int} not null,
  metric text not null,
  label text not null,
  count {int} not null,
  primary key (environment_id, hour, metric, label)
);
create index counters_by_hour on counters (hour);
