-- Codes and links that were mailed, so that a person proves an address. A request that mails none (a decoy) leaves the same row without
-- a code. `account` is the digest of the address, which need not belong to an account. Limits count these rows for an hour.
create table mailed_codes (
  environment_id text not null references environments (id),
  id text not null,
  kind text not null,
  account text not null,
  browser text,
  source text not null,
  is_known {int} not null,
  user_id text,
  code_mac text,
  link_hash text,
  sealed text,
  tries {int} not null default 0,
  tried_at {int},
  ended_at {int},
  expires_at {int} not null,
  created_at {int} not null,
  primary key (environment_id, id)
);
create index mailed_codes_by_account on mailed_codes (environment_id, account, created_at);
create unique index mailed_codes_by_link on mailed_codes (environment_id, link_hash);
create index mailed_codes_by_user on mailed_codes (environment_id, user_id);
create index mailed_codes_by_expiry on mailed_codes (expires_at);

-- Whether the account began by self-registration. It matters while the address is unproven: then the account may be a trap for the
-- owner of the address. The event of its creation says so, as long as it is kept.
alter table users add column self_registered {int} not null default 0;
update users set self_registered = 1 where email_verified = 0 and exists (
  select 1 from events where events.environment_id = users.environment_id and events.user_id = users.id
    and events.type = 'user.created' and events.data not like '%"method":"api"%' and events.data not like '%"method":"bootstrap"%');
