-- Mail on its way to a mail server. `sealed` holds the recipient and the content, which may be a code or a link that signs a person in.
-- A row goes when its mail was accepted or given up.
create table mails (
  environment_id text not null references environments (id),
  id text not null,
  kind text not null,
  sealed text not null,
  user_id text,
  request_id text,
  failed_at {int},
  expires_at {int} not null,
  created_at {int} not null,
  primary key (environment_id, id)
);
create index mails_by_expiry on mails (expires_at);

-- The field "secure" becomes "tls". A quotation mark within a JSON string is escaped, so the patterns only match members.
update environments set settings = replace(replace(settings, '"secure":true', '"tls":"implicit"'), '"secure":false', '"tls":"implicit"')
  where settings like '%"port":465,%' or settings like '%"port":465}%';
update environments set settings = replace(replace(settings, '"secure":true', '"tls":"starttls"'), '"secure":false', '"tls":"starttls"')
  where settings like '%"secure":%';
