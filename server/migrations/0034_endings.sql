-- oldest program: 0033
-- An ending is one small write: it raises a number, and what began before has the number of then. A row from before this migration has 0.
-- `ending` ends everything of its row, `password_ending` what began with the password of the user, `methods_ending` what began before methods
-- were recorded, `consents_ending` the consents of the user.
alter table users add column ending {int} not null default 0;
alter table users add column password_ending {int} not null default 0;
alter table users add column methods_ending {int} not null default 0;
alter table users add column consents_ending {int} not null default 0;
alter table applications add column ending {int} not null default 0;
alter table providers add column ending {int} not null default 0;
-- The number of a person with an application. It outlives the consent.
create table disconnections (
  environment_id text not null,
  user_id text not null,
  application_id text not null,
  ending {int} not null,
  primary key (environment_id, user_id, application_id)
);
create index disconnections_by_application on disconnections (application_id);
-- `began_ending` is the number of what the session or grant began with. `ends_grants` says that the end of a session ended all its grants,
-- also those with offline_access.
alter table sessions add column ending {int} not null default 0;
alter table sessions add column began_ending {int} not null default 0;
alter table sessions add column ends_grants {int} not null default 0;
alter table grants add column ending {int} not null default 0;
alter table grants add column began_ending {int} not null default 0;
alter table grants add column application_ending {int} not null default 0;
alter table grants add column disconnection {int} not null default 0;
alter table half_sign_ins add column ending {int} not null default 0;
alter table half_sign_ins add column began_with text;
alter table half_sign_ins add column began_ending {int} not null default 0;
alter table consents add column ending {int} not null default 0;
-- The endings whose rows still follow.
create table endings (
  environment_id text not null,
  kind text not null,
  subject text not null,
  number {int} not null,
  user_id text,
  ended_by text not null,
  cause text not null,
  reason text,
  position text not null default '',
  slices {int} not null default 0,
  created_at {int} not null,
  worked_at {int} not null,
  primary key (environment_id, kind, subject, number)
);
create index endings_by_turn on endings (worked_at);
-- The rows that still have to end, and the lists of what stands. The condition is one that no other query has, as in migration 0030, and not
-- that of 0030: PostgreSQL could take either index for both.
create index sessions_open_by_user on sessions (user_id, ending, id) where coalesce(ended_at, -1) = -1;
create index grants_open_by_user on grants (user_id, ending, id) where coalesce(ended_at, -1) = -1;
-- The applications of a session, and its grants at one of them.
create index grants_by_session_and_application on grants (session_id, application_id, ended_at);
-- What a deleted user leaves in sessions.
create index sessions_with_source_by_user on sessions (user_id) where coalesce(ip, user_agent) is not null;
-- What a session began with is found by its id alone. The other indexes begin with the environment (migration 0032).
create index passkeys_by_id on passkeys (id);
