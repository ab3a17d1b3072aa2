-- oldest program: 0100
-- ES256 access tokens (decision 0184). A program from before signs RS256 for every resource server.
alter table resource_servers add column access_token_signing_alg text not null default 'RS256';
create index resource_servers_es256 on resource_servers (environment_id) where access_token_signing_alg = 'ES256';

-- The sequence of P-256 keys, beside that of RS256 in `signing_keys`. `unused_from`: since then no resource server asks for ES256.
create table es256_keys (
  environment_id text not null references environments (id),
  kid text not null,
  public_jwk text not null,
  private_key text not null,
  signs_from {int} not null,
  unused_from {int},
  created_at {int} not null,
  primary key (environment_id, kid)
);
