-- The tenant of a job, so that the queue serves tenants in turn.
alter table jobs add column tenant_id text not null default '';
update jobs set tenant_id = coalesce((select e.tenant_id from environments e where e.id = jobs.environment_id), '');
drop index jobs_by_lane;
-- Finds the first job of each lane of a tenant, for kinds that run in order.
create index jobs_by_lane on jobs (kind, tenant_id, lane, id);
-- Finds the tenants that have jobs, and the oldest due jobs of each.
create index jobs_by_tenant on jobs (kind, tenant_id, due_at, id);
