-- oldest program: 0039
-- The template that an application was created by (decision 0112).
alter table applications add column template text;
