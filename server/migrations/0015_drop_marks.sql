-- A guard decides whether a batch takes effect, so rows no longer record the request or batch that changed them last.
alter table tenants drop column changed_in;
alter table members drop column changed_in;
alter table projects drop column changed_in;
alter table environments drop column changed_in;
alter table api_keys drop column changed_in;
alter table applications drop column changed_in;
alter table users drop column changed_in;
alter table resource_servers drop column changed_in;
alter table webhooks drop column changed_in;
alter table providers drop column changed_in;
alter table event_counters drop column numbered_by;
