-- The web origins of single-page applications, one row each, so a request from a browser needs one look-up by key for any number of
-- origins. Written with the application. Filled once for older applications (applications/origins.ts).
create table application_origins (
  environment_id text not null,
  origin text not null,
  application_id text not null,
  primary key (environment_id, origin, application_id)
);
create index application_origins_by_application on application_origins (application_id, environment_id);
