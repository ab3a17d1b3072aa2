-- oldest program: 0100
-- The search of users (decision 0201). Users from before get their rows from a walk (`domain/users/index-walk.ts`).

-- The words of what a user is found by: id, address, names and phone number, folded, each between two line feeds.
create table user_texts (
  environment_id text not null references environments (id),
  user_id text not null,
  words text not null,
  primary key (environment_id, user_id)
);

-- The index of parts of these words: numbers that stand for three characters of a word in one environment. `rowid` stands for the user.
{postgres}create table user_words (
  environment_id text not null,
  rowid {int} not null,
  user_id text not null,
  grams bigint[] not null,
  primary key (environment_id, rowid)
);
-- Without a list of pending entries, which a later insert would have to merge and each search to read.
{postgres}create index user_words_by_grams on user_words using gin (grams) with (fastupdate = off);
{sqlite}create virtual table user_words using fts5 (
  grams, environment_id unindexed, user_id unindexed, content = '', contentless_delete = 1, contentless_unindexed = 1, detail = none
);

-- Days since 1970 in UTC; 0: never. A day changes less often than the time, and an index of the time would be written at each sign-in.
-- `|| ''` keeps the index apart from those of an address and an id: without statistics PostgreSQL took it for them.
alter table users add column last_sign_in_day {int} not null default 0;
create index users_by_last_sign_in on users ((environment_id || ''), last_sign_in_day, id);
create index users_blocked on users (environment_id, id) where blocked_at is not null;

-- Where no user is, there is nothing to walk over.
insert into deployment (name, value)
  select 'user_search', '{"walk":"done","is_second":true,"environment_id":"","id":"","due_at":0}' where not exists (select 1 from users);
