-- The sessions of administrators in the dashboard. The browser has a random secret, this row its digest. `tokens` is sealed.
-- One request at a time refreshes the tokens: it takes the row until `refreshing_until`.
create table dashboard_sessions (
  session_hash text primary key,
  environment_id text not null,
  user_id text not null,
  session_id text not null,
  grant_id text not null,
  tokens text not null,
  access_token_until {int} not null,
  refresh_at {int} not null,
  refreshing_until {int} not null,
  created_at {int} not null,
  expires_at {int} not null
);
create index dashboard_sessions_by_expiry on dashboard_sessions (expires_at);
create index dashboard_sessions_by_user on dashboard_sessions (environment_id, user_id);
