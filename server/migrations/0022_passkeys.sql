-- Passkeys: credentials of WebAuthn, whose private keys stay on devices of their users.

-- Identifies a user to authenticators: 32 random bytes in base64url, made with the first passkey.
alter table users add column passkey_handle text;

-- The id is that of the sign-in method. The public key is a COSE key (RFC 9052) in base64url.
create table passkeys (
  environment_id text not null references environments (id),
  id text not null,
  user_id text not null,
  credential_id text not null,
  public_key text not null,
  counter {int} not null,
  backup_eligible {int} not null,
  backed_up {int} not null,
  transports text not null,
  name text not null,
  created_at {int} not null,
  last_used_at {int},
  primary key (environment_id, id)
);
create unique index passkeys_by_credential on passkeys (environment_id, credential_id);
create index passkeys_by_user on passkeys (environment_id, user_id);

-- The challenges of finished ceremonies, so that each works once. An unfinished one has no row.
create table passkey_ceremonies (
  environment_id text not null references environments (id),
  challenge_hash text not null,
  expires_at {int} not null,
  primary key (environment_id, challenge_hash)
);
create index passkey_ceremonies_by_expiry on passkey_ceremonies (expires_at);

-- Credentials that this environment removed. Only these may be signalled to a browser as unknown.
create table removed_passkeys (
  environment_id text not null references environments (id),
  credential_id text not null,
  removed_at {int} not null,
  primary key (environment_id, credential_id)
);
create index removed_passkeys_by_age on removed_passkeys (removed_at);
