-- Rows without a number by their owner, so that the sequencer serves every environment and tenant in each round. The index is as long as
-- the backlog. `|| ''` keeps it apart from the primary key, which begins with the same columns and has the whole history.
drop index events_unnumbered;
create index events_unnumbered on events ((environment_id || ''), id) where sequence is null;
drop index audit_log_unchained;
create index audit_log_unchained on audit_log ((tenant_id || ''), id) where sequence is null;
