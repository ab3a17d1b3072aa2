-- oldest program: 0100
-- The client secrets of an application, at most two (decision 0188). A program from before knows one, `applications.client_secret_hash`, which
-- is always the digest of one of them. Where no row has that digest, such a program replaced it, and it is the only secret.
create table application_secrets (
  environment_id text not null references environments (id),
  application_id text not null,
  slot {int} not null,
  id text not null,
  label text,
  secret_hash text not null,
  expires_at {int},
  last_used_at {int},
  created_at {int} not null,
  primary key (environment_id, application_id, slot)
);
create unique index application_secrets_by_id on application_secrets (id, environment_id);
create index application_secrets_by_expiry on application_secrets (expires_at) where expires_at is not null;

-- Ids of one kind differ, and so do those that are made from them.
insert into application_secrets (environment_id, application_id, slot, id, secret_hash, created_at)
select environment_id, id, 1, 'sec' || substr(id, 4), client_secret_hash, coalesce(secret_rotated_at, created_at)
  from applications where client_secret_hash is not null;
