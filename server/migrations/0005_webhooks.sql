-- Webhooks, their messages, and the result of every attempt.

create table webhooks (
  environment_id text not null references environments (id),
  id text not null,
  url text not null,
  events text not null,
  description text,
  disabled {int} not null,
  disabled_reason text,
  secret text not null,
  previous_secret text,
  previous_secret_until {int},
  last_success_at {int},
  failing_since {int},
  changed_in text,
  version {int} not null default 1,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);

create table webhook_messages (
  environment_id text not null,
  id text not null,
  webhook_id text not null,
  event_id text not null,
  event_type text not null,
  status text not null,
  next_attempt_at {int},
  attempts {int} not null default 0,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create index webhook_messages_by_webhook on webhook_messages (environment_id, webhook_id, id);
create index webhook_messages_by_age on webhook_messages (created_at);

create table webhook_attempts (
  environment_id text not null,
  message_id text not null,
  number {int} not null,
  at {int} not null,
  status {int},
  latency_ms {int} not null,
  response text,
  primary key (environment_id, message_id, number)
);
create index webhook_attempts_by_age on webhook_attempts (at);

-- Finds the first job of a lane, for kinds that run in order.
create index jobs_by_lane on jobs (kind, lane, id);
