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

-- A link that lets a new user set the first password, once. Replaced in 0009.
create table invitations (
  environment_id text not null,
  token_hash text not null,
  user_id text not null,
  expires_at {int} not null,
  spent_by text,
  primary key (environment_id, token_hash)
);
create index invitations_by_expiry on invitations (expires_at);

create table resource_servers (
  environment_id text not null references environments (id),
  id text not null,
  identifier text not null,
  name text not null,
  scopes text not null,
  access_token_ttl_seconds {int},
  access_token_format text not null,
  version {int} not null default 1,
  changed_in text,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id),
  unique (environment_id, identifier)
);
