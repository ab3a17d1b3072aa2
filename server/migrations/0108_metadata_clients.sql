-- oldest program: 0100
-- Clients whose client_id is the URL of a document about themselves (decision 0183), as the document was when it was read last.
create table metadata_clients (
  environment_id text not null references environments (id),
  id text not null,
  client_id text not null,
  client_name text not null,
  host text not null,
  redirect_uris text not null,
  token_endpoint_auth_method text not null,
  jwks text,
  jwks_uri text,
  -- JSON of the only scopes that the client may ask for; null: any.
  scope text,
  allows_refresh {int} not null,
  listed {int} not null,
  disabled {int} not null default 0,
  -- Whether the setting of the environment admits it. Written with the setting, and compared by everything of the client.
  admitted {int} not null,
  -- Raised when it is disabled, or the setting does not admit it any more. A grant compares it, as it does that of an application.
  ending {int} not null default 0,
  added_by text not null,
  document_read_at {int} not null,
  last_used_at {int},
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create unique index metadata_clients_by_url on metadata_clients (client_id, environment_id);
create index metadata_clients_by_use on metadata_clients (environment_id, listed, last_used_at);

-- Whether clients that nobody registered may ask for tokens of a resource server.
alter table resource_servers add column allow_metadata_clients {int} not null default 0;
