-- A change of the address of a user that is not confirmed at both ends yet. `pending` is the object that the API shows: the new address
-- and the end of the change. `session_id` is the session that asked, which stays when the address changes.
create table email_changes (
  environment_id text not null references environments (id),
  user_id text not null,
  email text not null,
  pending text not null,
  session_id text not null,
  new_confirmed_at {int},
  old_confirmed_at {int},
  expires_at {int} not null,
  primary key (environment_id, user_id)
);
create index email_changes_by_expiry on email_changes (expires_at);
