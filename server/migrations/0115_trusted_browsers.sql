-- oldest program: 0100
-- Browsers in which a person is not asked for the second factor (decision 0192). The browser has a random secret, this row its digest. `ending`
-- is the number of the user when the row began; it counts while they are equal.
create table trusted_browsers (
  environment_id text not null,
  id text not null,
  user_id text not null,
  secret_hash text not null,
  ending {int} not null,
  ip text,
  user_agent text,
  created_at {int} not null,
  last_used_at {int} not null,
  expires_at {int} not null,
  primary key (environment_id, id)
);
create unique index trusted_browsers_by_secret on trusted_browsers (secret_hash, environment_id);
create index trusted_browsers_by_user on trusted_browsers (user_id, environment_id);
create index trusted_browsers_by_expiry on trusted_browsers (expires_at);

-- The trusted browser that a session of one factor rests on.
alter table sessions add column trusted_browser_id text;
