-- oldest program: 0100
-- Accounts that are closed before they are erased (decision 0196): when that is; null for an account that is not closed.
alter table users add column deletes_at {int};
create index users_by_deletion on users (deletes_at) where deletes_at is not null;
