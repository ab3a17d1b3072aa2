-- The web origins of single-page applications, one row each, so that a request from a browser is one look-up by key however many
-- addresses a tenant registers. Written with the application; filled once for those that were there before (applications/origins.ts).
create table application_origins (
  environment_id text not null,
  origin text not null,
  application_id text not null,
  primary key (environment_id, origin, application_id)
);
create index application_origins_by_application on application_origins (application_id, environment_id);
