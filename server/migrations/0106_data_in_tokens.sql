-- oldest program: 0100
-- Data for tokens that ask for it (decision 0179): JSON of an object, as organizations have it.
alter table users add column claims text not null default '{}';

-- Whether tokens carry it: access tokens of a resource server, ID tokens and UserInfo of an application.
alter table resource_servers add column data_claims {int} not null default 0;
alter table applications add column data_claims {int} not null default 0;
