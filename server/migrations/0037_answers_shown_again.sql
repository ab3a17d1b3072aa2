-- oldest program: 0036
-- What a hosted page answered to a form, for a minute: a button pressed twice ends as if pressed once. `form_hash` is a keyed digest of the
-- browser and the whole form. `sealed` is the answer, under a key that the cookie of the browser is part of; it is null while the first
-- press is at work, until `claimed_until` at most. `browser_hash` and `source` bound the rows.
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

-- New recovery codes of a person until the person confirms them, for 10 minutes at most, so that their page can be loaded again. `sealed`
-- is under a key that the cookie of the browser is part of.
create table shown_codes (
  environment_id text not null,
  user_id text not null,
  sealed text not null,
  expires_at {int} not null,
  primary key (environment_id, user_id)
);
create index shown_codes_by_expiry on shown_codes (expires_at);
