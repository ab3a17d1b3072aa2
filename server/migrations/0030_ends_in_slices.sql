-- The open grants and the consents of an application end a slice at a time. A slice reads no ended grant. The indexes have no column of the
-- primary keys, and the condition is one that no other query has: as long as a table has no statistics, PostgreSQL would take them for a row
-- that is found by its key.
drop index grants_by_application;
create index grants_by_application on grants (application_id) where coalesce(ended_at, 0) = 0;
create index consents_by_application on consents (application_id);
-- A token is valid while its application is enabled.
create index applications_by_id on applications (id);
