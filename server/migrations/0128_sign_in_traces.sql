-- oldest program: 0100
-- The person of a refused call (decision 0206), so that an administrator finds why a person did not get in, even without an account. It is a
-- keyed digest of the environment and the address that was typed, which the table does not have.
alter table refused_calls add column person text;
alter table refused_calls add column provider_id text;
create index refused_calls_by_person on refused_calls (scope_id, person, at) where person is not null;
create index refused_calls_by_user on refused_calls (scope_id, user_id, at) where user_id is not null;
