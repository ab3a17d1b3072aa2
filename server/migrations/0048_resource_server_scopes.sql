-- oldest program: 0039
-- The names of the scopes of resource servers (decision 0165), so that a name is found by an index, however many resource servers an environment
-- has. `scopes_version` is the version of the resource server whose names are here. A process of the version before writes resource servers
-- without names; a worker adds them. The names of one that such a process has deleted stay: no look-up shows them.
create table resource_server_scopes (
  environment_id text not null,
  name text not null,
  resource_server_id text not null,
  primary key (name, environment_id, resource_server_id)
);
create index resource_server_scopes_by_server on resource_server_scopes (resource_server_id);
alter table resource_servers add column scopes_version {int} not null default 0;
create index resource_servers_by_id on resource_servers (id);
create index resource_servers_without_names on resource_servers (id) where scopes_version <> version;
{code} name_scopes;
