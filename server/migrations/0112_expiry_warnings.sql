-- oldest program: 0100
-- Warnings before something ends (decision 0189). A row has the last warning of a secret or a key; `days` is its stage. What belongs to a tenant
-- or to the deployment has the root environment.
create table expiry_warnings (
  environment_id text not null references environments (id),
  object_id text not null,
  tenant_id text not null,
  kind text not null,
  name text not null,
  days {int} not null,
  expires_at {int} not null,
  warned_at {int} not null,
  primary key (environment_id, object_id)
);
create index expiry_warnings_of_tenant on expiry_warnings (tenant_id, warned_at);

-- Until when the warnings of a tenant are mailed. The rows are of the root environment, which sends the mail.
create table expiry_mails (
  environment_id text not null references environments (id),
  tenant_id text not null,
  mailed_until {int} not null,
  primary key (environment_id, tenant_id)
);

alter table providers add column secret_expires_at {int};
create index providers_by_secret_expiry on providers (secret_expires_at) where secret_expires_at is not null;
create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null and revoked_at is null;
