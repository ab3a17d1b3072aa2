-- Mails to one address in a day: a row for each tenant, and one with an empty tenant_id for all tenants in which the address has no proven
-- account. `address` is a keyed digest.
create table address_mails (
  address text not null,
  day {int} not null,
  tenant_id text not null,
  mails {int} not null,
  expires_at {int} not null,
  primary key (address, day, tenant_id)
);
create index address_mails_by_expiry on address_mails (expires_at);
