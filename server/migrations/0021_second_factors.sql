-- Second factors of users, and sign-ins whose first factor succeeded and whose second one is missing.

-- `secret` is sealed. `last_step` is the last time step whose code was used: no code of it or of an earlier step is accepted.
create table totp_methods (
  environment_id text not null,
  id text not null,
  user_id text not null,
  secret text not null,
  last_step {int} not null,
  created_at {int} not null,
  last_used_at {int},
  primary key (environment_id, id)
);
create index totp_methods_by_user on totp_methods (user_id);

-- A set of codes has one `method_id`. A used code stays until its set is replaced, so that the set shows when it was used last.
create table recovery_codes (
  environment_id text not null,
  user_id text not null,
  code_hash text not null,
  method_id text not null,
  created_at {int} not null,
  used_at {int},
  primary key (environment_id, user_id, code_hash)
);
create index recovery_codes_by_user on recovery_codes (user_id);

-- `session_id` is set where an existing session is stepped up. `signed_in` holds the findings of the first factor. `code_hash` is of the
-- mailed code that the first enrolment asks for.
create table half_sign_ins (
  environment_id text not null,
  secret_hash text not null,
  user_id text not null,
  session_id text,
  request_hash text not null,
  enrols {int} not null,
  signed_in text not null,
  tries {int} not null,
  needs_code {int} not null,
  code_hash text,
  code_tries {int} not null,
  code_sent_at {int},
  expires_at {int} not null,
  primary key (environment_id, secret_hash)
);
create index half_sign_ins_by_user on half_sign_ins (user_id);
create index half_sign_ins_by_expiry on half_sign_ins (expires_at);
