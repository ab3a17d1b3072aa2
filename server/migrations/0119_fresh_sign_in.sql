-- oldest program: 0100
-- How old the sign-in of an administrator may be for calls that need a fresh one (decision 0194).
alter table projects add column fresh_sign_in text not null default '{"test_seconds":600,"live_seconds":600}';
