-- oldest program: 0039
-- The people behind a plan (decision 0158), as JSON lists of ids of users: those who made or rotated a key, and those who planned a promotion.
-- They do not approve it, neither in a session nor with such a key. Keys from before have those whom the audit log names.
alter table api_keys add column made_by text not null default '[]';
alter table promotions add column planners text;
-- A plan that waits for an approval keeps its need when the project stops asking for approvals.
alter table promotions add column needs_approval {int} not null default 0;
-- `plan` stays the last column: lists read those before it.
alter table promotions add column moved_plan text not null default '';
update promotions set moved_plan = plan;
alter table promotions drop column plan;
alter table promotions rename column moved_plan to plan;
update api_keys set made_by = coalesce((
  select min('["' || a.actor_id || '"]') from audit_log a
   where a.tenant_id = api_keys.tenant_id and a.object_id = api_keys.id and a.sequence is not null
     and a.action = 'createPlatformKey' and a.actor_type = 'user'), '[]')
 where environment_id is null;
