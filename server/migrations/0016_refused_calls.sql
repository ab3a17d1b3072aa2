-- Refused calls of an environment, or of a tenant outside of its environments: scope_id is the id of one of them. An empty client_id
-- means that the call has no application of the environment.
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
  primary key (scope_id, id)
);
create index refused_calls_by_request on refused_calls (id);
create index refused_calls_by_source on refused_calls (scope_id, source, id);
-- Finds the newest record of a code and application, which always stays.
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

-- The digests of keys before their rotation. They authenticate nobody; a refused call with one of them belongs to the tenant of the key.
create table rotated_keys (
  digest text primary key,
  tenant_id text not null,
  key_id text not null,
  rotated_at {int} not null
);
create index rotated_keys_by_key on rotated_keys (tenant_id, key_id, rotated_at);
create index rotated_keys_by_time on rotated_keys (rotated_at);

alter table webhook_attempts add column error text;
