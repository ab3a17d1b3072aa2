-- oldest program: 0039
-- Plans that bring a configuration to an environment, and what became of them (decision 0130). `plan`, `summary` and the people are JSON.
-- `plan` is large and stands last: SQLite reads the columns before it from the first page of the row.
create table promotions (
  project_id text not null,
  id text not null,
  tenant_id text not null,
  from_environment_id text,
  document_environment text,
  to_environment_id text not null,
  from_config_version {int},
  to_config_version {int} not null,
  status text not null,
  note text,
  summary text not null,
  created_by text not null,
  approved_by text,
  approved_at {int},
  applied_by text,
  applied_at {int},
  reverted_by text,
  reverted_at {int},
  expires_at {int} not null,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  plan text not null,
  primary key (project_id, id)
);
create index promotions_by_expiry on promotions (expires_at);
create index promotions_by_status on promotions (project_id, status, id);
-- The configuration that the last promotion to an environment left, as JSON: what differs from it was edited there.
create table promoted_states (
  environment_id text not null primary key,
  promotion_id text not null,
  state text not null
);
-- How promotions of a project are made, as JSON.
alter table projects add column promotion text not null default '{"require_approval":false}';
-- Fields of an environment that are meant to differ from others, as JSON.
alter table environments add column keeps text not null default '[]';
