-- oldest program: 0039
-- The filters of events get indexes with short keys (decision 0140). On PostgreSQL with many events a worker makes them after the migration.
{code} shorten_event_indexes;
