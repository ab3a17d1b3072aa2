-- Upstream identity providers, and the identities of users at them. Secrets are sealed.

create table providers (
  environment_id text not null references environments (id),
  id text not null,
  type text not null,
  display_name text not null,
  issuer text,
  client_id text not null,
  scopes text not null,
  enabled {int} not null,
  link_by_verified_email {int} not null,
  team_id text,
  key_id text,
  client_secret text,
  private_key text,
  changed_in text,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);

create table identities (
  environment_id text not null,
  provider_id text not null,
  subject text not null,
  user_id text not null,
  created_at {int} not null,
  primary key (environment_id, provider_id, subject)
);
create index identities_by_user on identities (environment_id, user_id);

-- The state of a sign-in at a provider, which its callback redeems once.
create table upstream_sign_ins (
  environment_id text not null,
  state_hash text not null,
  provider_id text not null,
  payload text not null,
  expires_at {int} not null,
  primary key (environment_id, state_hash)
);
create index upstream_sign_ins_by_expiry on upstream_sign_ins (expires_at);
