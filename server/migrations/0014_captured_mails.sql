-- Emails of Test environments with the delivery "capture". They are stored for developers and never sent.
create table captured_mails (
  environment_id text not null references environments (id),
  id text not null,
  recipient text not null,
  recipient_key text not null,
  kind text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  code text,
  link text,
  created_at {int} not null,
  primary key (environment_id, id)
);
create index captured_mails_by_recipient on captured_mails (environment_id, recipient_key, id);
create index captured_mails_by_time on captured_mails (created_at);
