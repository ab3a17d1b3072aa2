-- oldest program: 0033
-- The rows of one source, and of an environment, are bounded by their size. Rows from before count as large ones of no source.
alter table upstream_sign_ins add column source text not null default '';
alter table upstream_sign_ins add column size {int} not null default 34000;
-- It covers the sums over a source and over an environment, so that they read no payload.
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
