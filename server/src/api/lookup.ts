/** Finds the tenant, project and environment of an id, within the caller's tenants. An id of another tenant is unknown. */
import { type IdPrefix, idPattern, prefixes, TenantId } from '@ostiary/contract/ids.ts'
import { Located } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { type Db, join, list, type Statement, sql } from '../db/db.ts'
import { enters } from '../db/event-keys.ts'
import { passwordOwner } from '../domain/accounts/methods.ts'

const Row = Located.omit({ object: true, id: true }).extend({ tenant_id: TenantId, environment_type: z.string().nullable() })

/** The columns of `Row`, in the same order in each query, because some queries are unions. */
const inEnvironment = sql`e.tenant_id, e.project_id, e.id as environment_id, e.type as environment_type, null as parent_id`
const inTenant = (id: Statement) =>
  sql`${id} as tenant_id, null as project_id, null as environment_id, null as environment_type, null as parent_id`

const fromAuditLog = sql`
  select l.tenant_id, l.project_id, l.environment_id, e.type as environment_type, null as parent_id
    from audit_log l left join environments e on e.id = l.environment_id`

/** The query that locates an object, by the prefix of its id. */
const queries: Record<IdPrefix, (id: string, tenants: Statement) => Statement> = {
  ten: (id) => sql`select ${inTenant(sql`id`)} from tenants where id = ${id}`,
  prj: (id) =>
    sql`select tenant_id, id as project_id, null as environment_id, null as environment_type, null as parent_id
          from projects where id = ${id}`,
  env: (id) => sql`select ${inEnvironment} from environments e where e.id = ${id}`,
  key: (id) =>
    sql`select k.tenant_id, k.project_id, k.environment_id, e.type as environment_type, null as parent_id
          from api_keys k left join environments e on e.id = k.environment_id
         where k.id = ${id}`,
  inv: (id) => sql`select ${inTenant(sql`tenant_id`)} from invitations where id = ${id}`,
  req: (id) =>
    sql`select ${inEnvironment} from events v join environments e on e.id = v.environment_id
         where v.request_id = ${id} and ${enters('events_of_request', { request_id: id }, 'v')} and v.sequence is not null
        union all ${fromAuditLog} where l.request_id = ${id}
        union all select ${inEnvironment} from refused_calls r join environments e on e.id = r.scope_id where r.id = ${id}
        union all select ${inTenant(sql`t.id`)} from refused_calls r join tenants t on t.id = r.scope_id where r.id = ${id}`,
  aud: (id, tenants) => sql`${fromAuditLog} where l.tenant_id in (${tenants}) and l.id = ${id}`,
  app: (id, tenants) => within(sql`applications`, id, tenants),
  sec: (id, tenants) => within(sql`application_secrets`, id, tenants, 'application_id'),
  mcl: (id, tenants) => within(sql`metadata_clients`, id, tenants),
  usr: (id, tenants) => within(sql`users`, id, tenants),
  ses: (id, tenants) => within(sql`sessions`, id, tenants, 'user_id'),
  grt: (id, tenants) => within(sql`grants`, id, tenants),
  tbr: (id, tenants) => within(sql`trusted_browsers`, id, tenants, 'user_id'),
  mth: (id, tenants) => {
    const password = within(sql`(select * from users where password_hash is not null)`, passwordOwner(id), tenants)
    const tables = [sql`passkeys`, sql`totp_methods`, sql`identities`, sql`(select environment_id, method_id as id from recovery_codes)`]
    return join([password, ...tables.map((table) => within(table, id, tenants))], ' union all ')
  },
  pro: (id, tenants) =>
    sql`select tenant_id, project_id, null as environment_id, null as environment_type, null as parent_id
          from promotions where id = ${id} and tenant_id in (${tenants})`,
  prv: (id, tenants) => within(sql`providers`, id, tenants),
  whk: (id, tenants) => within(sql`webhooks`, id, tenants),
  msg: (id, tenants) =>
    join([within(sql`webhook_messages`, id, tenants, 'webhook_id'), within(sql`backchannel_logouts`, id, tenants)], ' union all '),
  rs: (id, tenants) => within(sql`resource_servers`, id, tenants),
  rol: (id, tenants) => within(sql`roles`, id, tenants),
  org: (id, tenants) => within(sql`organizations`, id, tenants),
  oiv: (id, tenants) => within(sql`organization_invitations`, id, tenants, 'organization_id'),
  ujb: (id, tenants) => within(sql`user_jobs`, id, tenants),
  eml: (id, tenants) => within(sql`captured_mails`, id, tenants),
  evt: (id, tenants) => within(sql`events`, id, tenants),
}

const parents = {
  application_id: sql`o.application_id`,
  user_id: sql`o.user_id`,
  webhook_id: sql`o.webhook_id`,
  organization_id: sql`o.organization_id`,
  none: sql`null`,
}

/** Searches each environment of the caller's tenants, because the key of such an object begins with its environment. */
const within = (table: Statement, id: string, tenants: Statement, parent: keyof typeof parents = 'none') =>
  sql`select e.tenant_id, e.project_id, e.id as environment_id, e.type as environment_type, ${parents[parent]} as parent_id
        from environments e join ${table} o on o.environment_id = e.id and o.id = ${id}
       where e.tenant_id in (${tenants})`

export async function locate(db: Db, tenant_ids: readonly string[], id: string) {
  const [kind, prefix] = Object.entries(prefixes).find(([, each]) => idPattern(each).test(id)) ?? []
  if (!prefix || tenant_ids.length === 0) return null
  const tenants = list(tenant_ids)
  const row = await db.many.maybeOne(
    Row,
    sql`select * from (${queries[prefix](id, tenants)}) found where tenant_id in (${tenants}) limit 1`,
  )
  return row && { object: kind, id, ...row }
}
