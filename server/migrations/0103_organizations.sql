-- oldest program: 0100
-- Organizations: customers of the product, inside one environment, with members (decision 0177).
create table organizations (
  environment_id text not null references environments (id),
  id text not null,
  slug text not null,
  external_id text,
  name text not null,
  metadata text not null,
  claims text not null,
  disabled {int} not null,
  -- Raised when the organization is disabled. A grant compares it, as it does that of its application.
  ending {int} not null default 0,
  -- The members whose rows are there. Those of users who are being deleted are counted until their rows follow.
  member_count {int} not null default 0,
  -- How many memberships have begun. Each takes its number from here, so a member who is added again has another one.
  memberships {int} not null default 0,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create unique index organizations_by_slug on organizations (slug, environment_id);
create unique index organizations_by_external_id on organizations (external_id, environment_id);

-- `roles`: JSON of the ids of the roles that were given. Those of deleted roles stay until the next change, and count for nothing. A row whose
-- user or organization is gone counts for nothing, and a worker deletes it.
create table organization_members (
  environment_id text not null,
  organization_id text not null,
  user_id text not null,
  membership {int} not null,
  roles text not null,
  last_used_at {int},
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (organization_id, user_id, environment_id)
);
create index organization_members_in_order on organization_members (organization_id, membership);
create index organization_members_by_user on organization_members (user_id, organization_id);

-- Who was given a role of an organization, for the lists that ask for one and for the number of administrators.
create table organization_role_holders (
  environment_id text not null,
  role_id text not null,
  organization_id text not null,
  membership {int} not null,
  user_id text not null,
  primary key (role_id, organization_id, membership, environment_id)
);
create index organization_role_holders_by_user on organization_role_holders (user_id, organization_id);

-- How many organizations an environment has. Every batch that adds or deletes one writes the row first.
create table organization_counts (
  environment_id text primary key references environments (id),
  organizations {int} not null
);

-- Of how many organizations a user is a member, with those that are being deleted until their rows follow.
alter table users add column organization_count {int} not null default 0;
