-- oldest program: 0100
-- Who read the JWKS of an environment in the last days (decision 0190): a network with the first word of the user agent. `days` counts the days
-- on which it did.
create table jwks_readers (
  environment_id text not null references environments (id),
  source text not null,
  days {int} not null,
  last_read_at {int} not null,
  primary key (environment_id, source)
);
create index jwks_readers_by_time on jwks_readers (last_read_at);
