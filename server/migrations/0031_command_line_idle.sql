-- A refresh token of a command line ends after 12 hours without use. Those from before got the idle time of the settings. The one native
-- application of the root tenant is that of command lines.
update refresh_tokens set expires_at = (
  select coalesce(g.last_used_at, g.created_at) + 43200000 from grants g
   where g.environment_id = refresh_tokens.environment_id and g.id = refresh_tokens.grant_id)
 where spent_at is null
   and environment_id in (select e.id from environments e join tenants t on t.id = e.tenant_id where t.slug = 'ostiary')
   and exists (
     select 1 from grants g
       join applications a on a.environment_id = g.environment_id and a.id = g.application_id and a.application_type = 'native'
      where g.environment_id = refresh_tokens.environment_id and g.id = refresh_tokens.grant_id
        and coalesce(g.last_used_at, g.created_at) + 43200000 < refresh_tokens.expires_at);
