-- oldest program: 0100
-- At the bound of grants a new one finds the one that gives way in a few rows (decision 0174).
--
-- `used_since` and `lasts_until` are lower bounds: no last use of the grant is before the first, and it expires no earlier than the second. 0
-- is true of every row, also of those that the program of 0.2.0 writes. A rotation of a refresh token writes neither.
--
-- The indexes of `grants`, and who reads by each:
--   primary key            one grant: every token, `grants.ts`, `refresh-tokens.ts`; the walk over all (`early-ends.ts`)
--   grants_in_turn         the grants of a person at an application: the bound (`grant-search.ts`), the account page (`account-lists.ts`)
--   grants_of_session      the grants of a session at an application: the bound, its logouts (`backchannel-logouts.ts`), visits
--                          (`grant-visits.ts`), endings of a session, the applications of a session record (`session-records.ts`)
--   grants_open_by_user    the grants of a person from before an ending (`ending-slices.ts`), the lists of them (`standing.ts`)
--   grants_by_application  whether an application has grants (`promotions/usage.ts`), its endings
--   grants_by_visit        the grants whose visit is due (`grant-visits.ts`)
--
-- grants_in_turn takes the place of grants_open_by_application, grants_of_session that of grants_by_session, and nothing reads grants_by_user.
-- Where PostgreSQL has many grants, a worker makes the new ones beside the traffic (`workers/grant-indexes.ts`): only the columns come at once.
alter table grants add column used_since {int} not null default 0;
alter table grants add column lasts_until {int} not null default 0;
drop index grants_by_user;

{sqlite} create index grants_in_turn on grants (user_id, application_id, offline, used_since, id, lasts_until, ended_at, environment_id)
  where coalesce(ended_at, -2) = -2;
{sqlite} create index grants_of_session on grants (session_id, application_id, ended_at, id, offline, lasts_until, environment_id);
{sqlite} drop index grants_open_by_application;
{sqlite} drop index grants_by_session;

{postgres} do $$ begin if pg_relation_size('grants') < 50000000 then
  create index grants_in_turn on grants (user_id, application_id, offline, used_since, id, lasts_until, ended_at, environment_id)
    where coalesce(ended_at, -2) = -2
  ; create index grants_of_session on grants (session_id, application_id, ended_at, id, offline, lasts_until, environment_id)
  ; drop index grants_open_by_application, grants_by_session
  ; end if; end $$;
