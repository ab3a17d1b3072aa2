-- oldest program: 0039
-- User names of providers (`accept_preferred_username`): nobody else has the name, compared by its key. Sign-out at providers (decision 0110). A session that began at a provider names it, with the session there (`sid`) and, where a sign-out
-- leads there, the sealed ID token.
alter table providers add column sign_out text not null default 'none';
alter table providers add column accept_preferred_username {int} not null default 0;
alter table users add column preferred_username_key text;
alter table sessions add column provider_id text;
alter table sessions add column upstream_sid text;
alter table sessions add column upstream_id_token text;
create index sessions_by_upstream_sid on sessions (upstream_sid, provider_id) where upstream_sid is not null;
create index sessions_with_id_token on sessions (environment_id, id) where upstream_id_token is not null;
create index users_by_preferred_username on users (preferred_username_key, environment_id) where preferred_username_key is not null;
{code} fold_user_names;
