-- oldest program: 0100
-- A grant is for one organization of its user or for none, for its whole life (decision 0178).
--
-- `organization_id` is null for none. `membership` is the number of the member, and `organization_ending` that of the organization, when the
-- grant was stored: it is valid while both are unchanged. No index has them: the worker finds the grants of an organization by its members.
alter table grants add column organization_id text;
alter table grants add column membership {int};
alter table grants add column organization_ending {int};

-- Whether people act for an organization: none, optional or required.
alter table applications add column organizations text not null default 'none';
alter table resource_servers add column organizations text not null default 'none';

-- As `consents`, for what a person allowed an application in one organization. It counts while the membership has its number.
create table organization_consents (
  environment_id text not null,
  user_id text not null,
  organization_id text not null,
  application_id text not null,
  membership {int} not null,
  scope text not null,
  ending {int} not null,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (user_id, organization_id, application_id, environment_id)
);
create index organization_consents_by_application on organization_consents (application_id, user_id, organization_id);

-- As `disconnections`, of an application in one organization.
create table organization_disconnections (
  environment_id text not null,
  user_id text not null,
  organization_id text not null,
  application_id text not null,
  ending {int} not null,
  primary key (user_id, organization_id, application_id, environment_id)
);
create index organization_disconnections_by_application on organization_disconnections (application_id, user_id, organization_id);
