-- oldest program: 0100
-- Accounts that wait for an approval, and accounts that are erased at a time (decision 0195).
-- JSON of the state and its time; null for an account that never waited. Its eleventh character is the first letter of the state.
alter table users add column approval text;
-- When the account is erased, if nothing happens before.
alter table users add column erase_at {int};
create index users_by_approval on users (environment_id, substr(approval, 11, 1), id) where approval is not null;
create index users_by_erasure on users (erase_at) where erase_at is not null;
