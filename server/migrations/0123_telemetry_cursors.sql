-- oldest program: 0109
-- How far the events of an environment went to the collector of OSTIARY_OTLP_URL (decision 0199). A program from before sends none.
create table telemetry_cursors (
  environment_id text primary key,
  sequence {int} not null
);
