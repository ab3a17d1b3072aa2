-- The issuers with an origin of their own. A row outlives its environment: an issuer is never used again.
create table issuer_origins (
  issuer text primary key,
  environment_id text not null unique,
  created_at {int} not null
);
