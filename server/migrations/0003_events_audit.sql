-- Numbers for events, audit logs of tenants, and leases for background work.

-- The events without a number. The index is as long as the backlog, which is almost always empty.
create index events_unnumbered on events (id) where sequence is null;

-- A new event is in no index by sequence. Numbering adds it to them, after the request.
drop index events_by_sequence;
create unique index events_by_sequence on events (environment_id, sequence) where sequence is not null;
create index events_by_type on events (environment_id, type, sequence) where sequence is not null;
create index events_by_application on events (environment_id, application_id, sequence) where sequence is not null;
create index events_by_user on events (environment_id, user_id, sequence) where sequence is not null;
create index events_by_request on events (request_id, environment_id, sequence) where sequence is not null;
create index events_by_age on events (created_at) where sequence is not null;

-- The last number of an environment, and the batch that assigned it.
create table event_counters (
  environment_id text primary key,
  last {int} not null,
  numbered_by text not null
);

-- An entry is written in the batch of its change and linked into the tenant's chain afterwards (sequence, previous_hash, hash).
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
create index audit_log_unchained on audit_log (id) where sequence is null;
create unique index audit_log_by_sequence on audit_log (tenant_id, sequence) where sequence is not null;

-- The end of each chain, which detects a removed tail. `seal` is a MAC under the deployment's secret.
create table audit_heads (
  tenant_id text primary key,
  sequence {int} not null,
  hash text not null,
  seal text not null
);

-- Leases for work that one process at a time does.
create table leases (
  name text primary key,
  holder text not null,
  expires_at {int} not null
);

-- The request that made the present version. A batch recognises by it that it changed the row, even if two changes of one version
-- happen in the same millisecond. Dropped in 0016.
alter table tenants add column changed_in text;
alter table members add column changed_in text;
alter table projects add column changed_in text;
alter table environments add column changed_in text;
alter table api_keys add column changed_in text;
alter table applications add column changed_in text;
alter table users add column changed_in text;
