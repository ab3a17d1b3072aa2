-- oldest program: 0037
-- How applications that others wrote sign in (decision 0107). Applications from before keep each answer. `secret_anywhere` makes
-- `client_secret` of `client_secret_basic`: an earlier program takes the secret in the header alone.
alter table applications add column secret_anywhere {int} not null default 0;
alter table applications add column nonce_replaces_pkce {int} not null default 0;
alter table applications add column unknown_scopes text not null default 'reject';
-- The change of the application that would have let the call through, as JSON.
alter table refused_calls add column remedy text;
