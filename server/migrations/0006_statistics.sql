-- Counts per hour. `hour` is the start of the hour in milliseconds since 1970, UTC.
create table counters (
  environment_id text not null,
  hour {int} not null,
  metric text not null,
  label text not null,
  count {int} not null,
  primary key (environment_id, hour, metric, label)
);
create index counters_by_hour on counters (hour);
