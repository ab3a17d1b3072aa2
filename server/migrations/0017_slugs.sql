-- Applications, resource servers, providers and webhooks have a slug, which is unique among the objects of its kind in an environment.
-- Existing ones get a slug from their name, or from the host of their URL. It can be set once (`slug_settable`).
alter table applications add column slug text;
alter table applications add column slug_settable {int} not null default 0;
alter table resource_servers add column slug text;
alter table resource_servers add column slug_settable {int} not null default 0;
alter table providers add column slug text;
alter table providers add column slug_settable {int} not null default 0;
alter table webhooks add column slug text;
alter table webhooks add column slug_settable {int} not null default 0;

{code} give_slugs;

create unique index applications_by_slug on applications (environment_id, slug);
create unique index resource_servers_by_slug on resource_servers (environment_id, slug);
create unique index providers_by_slug on providers (environment_id, slug);
create unique index webhooks_by_slug on webhooks (environment_id, slug);

-- SQLite cannot add this to a column that exists.
{postgres} alter table applications alter column slug set not null;
{postgres} alter table resource_servers alter column slug set not null;
{postgres} alter table providers alter column slug set not null;
{postgres} alter table webhooks alter column slug set not null;

-- Rises with every change of the configuration of the environment.
alter table environments add column config_version {int} not null default 1;
