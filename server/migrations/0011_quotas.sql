-- The creator of a tenant, for the quota of tenants per person. For an older tenant: the actor in its log, else its first owner.
alter table tenants add column created_by text;
update tenants set created_by = coalesce(
    (select min(l.actor_id) from audit_log l where l.tenant_id = tenants.id and l.action = 'createTenant' and l.object_id = tenants.id),
    (select m.user_id from members m where m.tenant_id = tenants.id and m.role = 'owner' order by m.created_at, m.user_id limit 1)
  ) where slug <> 'ostiary';
create index tenants_by_creator on tenants (created_by);
