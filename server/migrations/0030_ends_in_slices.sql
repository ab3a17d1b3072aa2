-- The open grants and the consents of an application end a slice at a time, in the order of their keys. A slice reads no ended grant.
-- `|| ''` keeps the indexes apart from the primary keys, which PostgreSQL takes for an application with many rows of its environment.
drop index grants_by_application;
create index grants_by_application on grants (application_id, (environment_id || ''), id) where ended_at is null;
create index consents_by_application on consents (application_id, (environment_id || ''), user_id);
