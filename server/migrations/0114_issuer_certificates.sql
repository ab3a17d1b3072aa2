-- oldest program: 0100
-- When the certificates of issuers with a host of their own end, as they were read last (decision 0189). `expires_at` is null where none was read.
create table issuer_certificates (
  environment_id text not null references environments (id),
  expires_at {int},
  read_at {int} not null,
  primary key (environment_id)
);
