-- A membership begins when a signed-in person accepts an invitation of the tenant. Before, an invitation created an account
-- without a password, and its link set the password.

-- Every link of the last 90 days, to recognise a used or replaced link and to count the links of a day.
create table invitation_links (
  token_hash text primary key,
  tenant_id text not null,
  invitation_id text not null,
  email_key text not null,
  created_at {int} not null
);
create index invitation_links_by_tenant on invitation_links (tenant_id, created_at);
create index invitation_links_by_age on invitation_links (created_at);

-- Links of the old kind no longer work. They belonged to no tenant and were valid for 7 days.
insert into invitation_links (token_hash, tenant_id, invitation_id, email_key, created_at)
select token_hash, '', '', '', expires_at - 604800000 from invitations;

-- An old link verified the email address of anyone who had it, which proved nothing.
update users set email_verified = 0, version = version + 1
 where email_verified = 1
   and environment_id in (select e.id from environments e join tenants t on t.id = e.tenant_id where t.slug = 'ostiary')
   and (id in (select user_id from invitations)
     or id in (select user_id from events where type = 'user.created' and data like '%"method":"invitation"}'));

drop table invitations;

-- `inviter_id` is null if the system invites. `token_hash` is null if an invitation has no link; then it does not expire.
-- `accounts` counts the accounts created through the present link.
create table invitations (
  tenant_id text not null references tenants (id),
  id text not null,
  email text not null,
  email_key text not null,
  role text not null,
  inviter_id text,
  token_hash text,
  expires_at {int},
  accounts {int} not null default 0,
  ended_at {int},
  ended_by text,
  accepted_by text,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (tenant_id, id)
);
create unique index invitations_pending on invitations (tenant_id, email_key) where ended_at is null;
create index invitations_by_age on invitations (updated_at);
create index invitations_by_inviter on invitations (tenant_id, inviter_id) where ended_at is null;

alter table members add column accepted_at {int};

-- Members who never used their account become pending invitations. An administrator resends them to create a link.
insert into invitations (tenant_id, id, email, email_key, role, created_at, updated_at)
select m.tenant_id, 'inv_' || substr(u.id, 5), u.email, u.email_key, m.role, m.created_at, m.updated_at
  from members m
  join users u on u.id = m.user_id
  join environments e on e.id = u.environment_id
  join tenants t on t.id = e.tenant_id and t.slug = 'ostiary'
 where u.password_hash is null and u.last_sign_in_at is null
   and not exists (select 1 from identities i where i.environment_id = u.environment_id and i.user_id = u.id);

delete from members where user_id in (
  select u.id from users u
    join environments e on e.id = u.environment_id
    join tenants t on t.id = e.tenant_id and t.slug = 'ostiary'
   where u.password_hash is null and u.last_sign_in_at is null
     and not exists (select 1 from identities i where i.environment_id = u.environment_id and i.user_id = u.id));

-- Deletes their accounts, and those of users who were invited and removed again.
delete from users
 where password_hash is null and last_sign_in_at is null
   and environment_id in (select e.id from environments e join tenants t on t.id = e.tenant_id where t.slug = 'ostiary')
   and not exists (select 1 from identities i where i.environment_id = users.environment_id and i.user_id = users.id);
