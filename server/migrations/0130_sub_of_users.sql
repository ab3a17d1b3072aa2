-- oldest program: 0100
-- The claim `sub` of users who have one elsewhere (decision 0208); null: it is the id. A program from before gives such a user the id as `sub`.
alter table users add column sub text;
create unique index users_by_sub on users (sub, environment_id) where sub is not null;

-- The user of a session can be gone when its logout tokens are sent.
alter table sessions add column sub text;
alter table backchannel_logouts add column sub text;
