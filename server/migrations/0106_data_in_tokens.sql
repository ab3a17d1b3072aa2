-- oldest program: 0100
-- Data for tokens that ask for it (decision 0179): JSON of an object, as organizations have it.
alter table users add column claims text not null default '{}';
