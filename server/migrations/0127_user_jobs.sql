-- oldest program: 0100
-- Jobs that do the same to many users (decision 0202). `position` is how many of the users are over: the batch of each user raises it.
create table user_jobs (
  environment_id text not null references environments (id),
  id text not null,
  action text not null,
  total {int} not null,
  position {int} not null default 0,
  done {int} not null default 0,
  failed {int} not null default 0,
  skipped {int} not null default 0,
  -- Who asked for it, as in the audit log.
  actor_type text not null,
  actor_id text,
  actor_label text,
  request_id text,
  ip text,
  created_at {int} not null,
  updated_at {int} not null,
  finished_at {int},
  primary key (environment_id, id)
);
create index user_jobs_open on user_jobs (updated_at, id) where finished_at is null;
create index user_jobs_open_here on user_jobs (environment_id) where finished_at is null;
create index user_jobs_by_end on user_jobs (finished_at);

-- The users of a job in parts, as JSON. They go with its end.
create table user_job_parts (
  environment_id text not null references environments (id),
  job_id text not null,
  part {int} not null,
  user_ids text not null,
  primary key (environment_id, job_id, part)
);
