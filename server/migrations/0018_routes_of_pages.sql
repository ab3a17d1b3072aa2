-- What the pages of the dashboard read: uses of keys, back-channel logouts, sign-in methods, and lists by filter.

-- The calls with a key by hour, route and source address. At most 100 pairs of route and address per key and hour have rows of their
-- own; the row with the route 'other' and the address '' has the rest. An unknown address is ''.
create table key_usage (
  key_id text not null,
  tenant_id text not null,
  hour {int} not null,
  route text not null,
  ip text not null,
  count {int} not null,
  refused {int} not null,
  primary key (key_id, hour, route, ip)
);
create index key_usage_by_hour on key_usage (hour);

-- The logout requests of ended sessions. A waiting one has a job with the same id.
create table backchannel_logouts (
  environment_id text not null,
  id text not null,
  application_id text not null,
  session_id text not null,
  user_id text not null,
  status text not null,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (environment_id, id)
);
create index backchannel_logouts_by_age on backchannel_logouts (created_at);

create table backchannel_logout_attempts (
  environment_id text not null,
  message_id text not null,
  number {int} not null,
  at {int} not null,
  status {int},
  latency_ms {int} not null,
  response text,
  error text,
  primary key (environment_id, message_id, number)
);
create index backchannel_logout_attempts_by_age on backchannel_logout_attempts (at);

-- The id of a password method comes from the id of its user, that of an identity is stored. An older identity gets one from the ids of
-- its user and its provider, with a number for the second identity of a user at a provider.
alter table users add column password_set_at {int};
alter table users add column password_used_at {int};
update users set password_set_at = created_at where password_hash is not null;

alter table identities add column id text not null default '';
alter table identities add column last_used_at {int};
update identities set id = 'mth_' || substr(user_id, 5, 10) || substr(user_id, 23, 8) || substr(provider_id, 26, 5)
  || substr('' || (1000 + (
       select count(*) from identities o
        where o.environment_id = identities.environment_id and o.provider_id = identities.provider_id and o.user_id = identities.user_id
          and (o.issuer < identities.issuer or (o.issuer = identities.issuer and o.subject < identities.subject))
     ) % 1000), 2);

-- The id of the method that a session or grant began with; null if it began before this migration with a provider.
alter table sessions add column began_with text;
alter table grants add column began_with text;
update sessions set began_with = 'mth_' || substr(user_id, 5) where amr = '["pwd"]';
update grants set began_with = 'mth_' || substr(user_id, 5) where amr = '["pwd"]';
alter table grants add column last_used_at {int};

-- A filter reads only the rows of the page, however long the history is. SQLite would prefer the unique index of the sequence, and read
-- every row that the filter excludes. So that index has a further condition, always true, which only lists without a filter state.
drop index events_by_sequence;
create unique index events_by_sequence on events (environment_id, sequence) where sequence is not null and id <> '';
create index events_by_application_and_type on events (environment_id, application_id, type, sequence) where sequence is not null;
create index events_by_user_and_type on events (environment_id, user_id, type, sequence) where sequence is not null;
drop index audit_log_by_sequence;
create unique index audit_log_by_sequence on audit_log (tenant_id, sequence) where sequence is not null and id <> '';
create index audit_log_by_actor on audit_log (tenant_id, actor_id, sequence) where sequence is not null;
create index audit_log_by_action on audit_log (tenant_id, action, sequence) where sequence is not null;
create index audit_log_by_object on audit_log (tenant_id, object_id, sequence) where sequence is not null;
create index audit_log_by_actor_and_action on audit_log (tenant_id, actor_id, action, sequence) where sequence is not null;
create index webhook_messages_by_status on webhook_messages (webhook_id, environment_id, status, id);
create index webhook_messages_by_event on webhook_messages (event_id, environment_id, webhook_id, id);
