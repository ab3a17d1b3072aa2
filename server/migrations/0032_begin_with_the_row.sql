-- As in migration 0008, an index begins with the column that finds the row. One that begins with the environment can be taken for the
-- whole environment: by PostgreSQL before it has statistics, by SQLite for an order or a group.
drop index identities_by_user;
create index identities_by_user on identities (user_id, environment_id);
drop index identities_by_id;
create index identities_by_id on identities (id, environment_id);
drop index passkeys_by_user;
create index passkeys_by_user on passkeys (user_id, environment_id);
drop index recovery_codes_by_method;
create index recovery_codes_by_method on recovery_codes (method_id, environment_id);
drop index mailed_codes_by_account;
create index mailed_codes_by_account on mailed_codes (account, environment_id, created_at);
drop index mailed_codes_by_link;
create unique index mailed_codes_by_link on mailed_codes (link_hash, environment_id);
drop index mailed_codes_by_user;
create index mailed_codes_by_user on mailed_codes (user_id, environment_id);
drop index dashboard_sessions_by_user;
create index dashboard_sessions_by_user on dashboard_sessions (user_id, environment_id);
