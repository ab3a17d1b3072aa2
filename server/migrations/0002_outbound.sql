-- Work that goes out to other machines. Written in the batch of the change it follows from; a row that is done is deleted.
-- `due_at` is when a process may take the job: its schedule, or the end of the lease of the process that has it.
-- `lane` is who would be waited for; jobs of one lane never hold up another's.
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

-- The ids of client assertions that were used, as digests, until they expire (RFC 7523 §3 point 7).
create table used_assertions (
  environment_id text not null,
  client_id text not null,
  jti_hash text not null,
  expires_at {int} not null,
  primary key (environment_id, client_id, jti_hash)
);
create index used_assertions_by_expiry on used_assertions (expires_at);
