-- Calls to other machines. A job is written in the batch of the change that causes it, and deleted when it is done.
-- `due_at` is the time from which a process may take the job: its schedule, or the end of the lease of the process that holds it.
-- `lane` names the receiver. Jobs of one lane never delay those of another.
create table jobs (
  id text primary key,
  kind text not null,
  lane text not null,
  environment_id text,
  payload text not null,
  attempts {int} not null default 0,
  due_at {int} not null,
  leased_by text,
  created_at {int} not null
);
create index jobs_by_due_time on jobs (kind, due_at);

-- The digests of the ids of used client assertions, until the assertions expire (RFC 7523 §3 point 7).
create table used_assertions (
  environment_id text not null,
  client_id text not null,
  jti_hash text not null,
  expires_at {int} not null,
  primary key (environment_id, client_id, jti_hash)
);
create index used_assertions_by_expiry on used_assertions (expires_at);
