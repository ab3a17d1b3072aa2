-- oldest program: 0100
-- Roles: named sets of permissions, which are scopes of resource servers (decision 0176). `permissions` is as the record has it: slugs and names.
create table roles (
  environment_id text not null references environments (id),
  id text not null,
  slug text not null,
  kind text not null,
  name text not null,
  description text,
  "default" {int} not null,
  administers {int} not null,
  permissions text not null,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create unique index roles_by_slug on roles (environment_id, slug);
create index roles_by_id on roles (id);

-- The resource servers that the permissions of a role named when they were last written, each with its version then. A scope that was made
-- later has a later version in `resource_servers.scope_versions`, and a resource server another id, so that neither is given by its old name.
create table role_resource_servers (
  environment_id text not null,
  role_id text not null,
  resource_server_id text not null,
  resource_server_version {int} not null,
  primary key (role_id, resource_server_id, environment_id)
);

-- Who was given a role of users, for the lists that ask for one. A token reads `users.roles`. Nobody has a deleted role: a worker
-- deletes its rows.
create table role_holders (
  environment_id text not null,
  role_id text not null,
  user_id text not null,
  primary key (role_id, user_id, environment_id)
);
create index role_holders_by_user on role_holders (user_id, role_id);

-- Raised by each change of what roles give: with it a process knows whether the roles that it has are the present ones.
alter table environments add column roles_version {int} not null default 0;

-- `scope_versions`: JSON of the names of the scopes, each with the version of the resource server in which it was made.
alter table resource_servers add column require_roles {int} not null default 0;
alter table resource_servers add column roles_claim text;
alter table resource_servers add column scope_versions text not null default '{}';

-- JSON of slugs. That of a deleted role stays, and is held by no one.
alter table applications add column allowed_roles text not null default '[]';
alter table applications add column roles_claim text;

-- JSON of the ids of the roles that were given. Those of deleted roles stay until the next change, and count for nothing.
alter table users add column roles text not null default '[]';
