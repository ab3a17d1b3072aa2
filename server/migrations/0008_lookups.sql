-- An index begins with its most selective column. While PostgreSQL has no statistics for a new table, it considers every index that
-- begins with the environment as good as the primary key, and then reads all grants of an environment to find one.
drop index sessions_by_user;
create index sessions_by_user on sessions (user_id, environment_id);
drop index grants_by_user;
create index grants_by_user on grants (user_id, environment_id);
drop index grants_by_session;
create index grants_by_session on grants (session_id, environment_id);
drop index grants_by_application;
create index grants_by_application on grants (application_id, environment_id);
drop index identities_by_user;
create index identities_by_user on identities (user_id, environment_id);
drop index webhook_messages_by_webhook;
create index webhook_messages_by_webhook on webhook_messages (webhook_id, environment_id, id);

{postgres} alter table users drop constraint users_environment_id_email_key_key;
{postgres} create unique index users_by_email on users (email_key, environment_id);
{postgres} alter table sessions drop constraint sessions_environment_id_token_hash_key;
{postgres} create unique index sessions_by_token on sessions (token_hash, environment_id);
