-- oldest program: 0039
-- A refresh changes the row of its chain in place (decision 0125). The id of a chain is that of its grant. No index may name a column that
-- a rotation writes: PostgreSQL then keeps the new version of the row on its page, where the fill factor leaves room.
create table refresh_chains (
  environment_id text not null,
  grant_id text not null,
  number {int} not null,
  digest text not null,
  salt text,
  issued_at {int} not null,
  expires_at {int} not null,
  ahead_at {int},
  primary key (environment_id, grant_id)
);
{postgres} alter table refresh_chains set (fillfactor = 75);
-- The chains that ended since an older copy of the database was restored. There are few, and `doctor` counts them.
create index refresh_chains_ahead on refresh_chains (environment_id, grant_id) where ahead_at is not null;
