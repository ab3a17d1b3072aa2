-- oldest program: 0039
-- How the last sign-ins at a provider ended (decision 0109). `last_failure` is JSON.
alter table providers add column last_success_at {int};
alter table providers add column last_failed_at {int};
alter table providers add column last_failure text;
-- Whether a check of the provider would fail in the same way, so that its success forgets the failure.
alter table providers add column last_failure_is_checked {int};
