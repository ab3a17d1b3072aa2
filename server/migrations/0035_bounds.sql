-- oldest program: 0034
-- What one person can have is bounded (decision 0067). `code_hash` finds the code of a grant. A grant without `visit_at`, and a session that
-- was not `counted`, is from before the bounds; a worker brings their number down. `grant_count` is no
-- less than the grants of a session without offline_access at one application, or those of a user with it.
alter table grants add column code_hash text;
alter table grants add column visit_at {int};
alter table sessions add column grant_count {int};
alter table users add column grant_count {int};
alter table sessions add column counted {int};
-- A grant expires with its last token, so `expires_at` changes, and no index has it. A worker visits each grant when it may be over.
drop index grants_by_expiry;
create index grants_by_visit on grants (coalesce(visit_at, 0));
-- The grants of a session at an application, newest first. They take the place of two indexes that begin like it.
drop index grants_by_session;
drop index grants_by_session_and_application;
create index grants_by_session on grants (session_id, application_id, ended_at, id);
-- As in migration 0030 and 0034 the conditions are ones that no other query has.
create index grants_open_by_application on grants (user_id, application_id, offline, id, environment_id) where coalesce(ended_at, -2) = -2;
create index sessions_live_by_user on sessions (user_id, ending, absolute_expires_at) where coalesce(ended_at, -2) = -2;
create index sessions_uncounted on sessions (user_id) where coalesce(counted, 0) = 0;
