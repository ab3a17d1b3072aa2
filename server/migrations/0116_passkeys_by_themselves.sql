-- oldest program: 0100
-- Whether a passkey is a second factor. One that a browser created by itself (decision 0193) is a way in alone until it was used once.
alter table passkeys add column is_factor {int} not null default 1;
