/** Tenants, projects and environments. Every query names the tenant, so another tenant's object does not exist here. */
import { EnvironmentId, ProjectId, TenantId } from '@ostiary/contract/ids.ts'
import { Environment, EnvironmentType, type NewEnvironment, type NewProject, Project, Tenant } from '@ostiary/contract/tenancy.ts'
import { Name, Slug } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import { type Db, type Statement, sql } from '../db/db.ts'

const version = { version: z.int() }
const TenantRow = Tenant.extend(version)
const ProjectRow = Project.extend(version)
const EnvironmentRow = Environment.extend(version)

type TenantRow = z.infer<typeof TenantRow>
export type ProjectRow = z.infer<typeof ProjectRow>
export type EnvironmentRow = z.infer<typeof EnvironmentRow>

export function findTenant(db: Db, tenant_id: TenantId) {
  return db.maybeOne(TenantRow, sql`select id, slug, name, version, created_at, updated_at from tenants where id = ${tenant_id}`)
}

/** `condition` is the mark of a larger batch that this is part of. */
export function insertTenant(
  id: TenantId,
  { slug, name }: { slug: string; name: string },
  now: Date,
  condition: Statement = always,
): Statement {
  return sql`insert into tenants (id, slug, name, created_at, updated_at)
    select ${id}, ${slug}, ${name}, ${now}, ${now} from deployment where name = 'secret' and ${condition} on conflict (slug) do nothing`
}

const always = sql`1 = 1`

const projectColumns = sql`id, tenant_id, slug, name, version, created_at, updated_at`
const environmentColumns = sql`id, tenant_id, project_id, slug, name, type, issuer, version, created_at, updated_at`

export function listProjects(db: Db, tenant_id: TenantId, rest: Statement) {
  return db.all(Project, sql`select ${projectColumns} from projects where tenant_id = ${tenant_id} ${rest}`)
}

export function findProject(db: Db, tenant_id: TenantId, project_id: string) {
  return db.maybeOne(ProjectRow, sql`select ${projectColumns} from projects where tenant_id = ${tenant_id} and id = ${project_id}`)
}

export function insertProject(
  tenant_id: TenantId,
  id: string,
  { slug, name }: NewProject,
  now: Date,
  condition: Statement = always,
): Statement {
  return sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at)
    select id, ${id}, ${slug}, ${name}, ${now}, ${now} from tenants where id = ${tenant_id} and ${condition} on conflict (tenant_id, slug) do nothing`
}

/** An environment of a project; nothing happens where the project does not exist for the tenant or has that slug already. */
export function insertEnvironment(
  tenant_id: TenantId,
  project_id: string,
  id: string,
  { slug, name, type }: NewEnvironment,
  issuer: string,
  now: Date,
  settings: Record<string, unknown> = {},
): Statement {
  return sql`insert into environments (tenant_id, project_id, id, slug, name, type, issuer, settings, created_at, updated_at, settings_updated_at)
    select tenant_id, id, ${id}, ${slug}, ${name}, ${type}, ${issuer}, ${settings}, ${now}, ${now}, ${now} from projects where tenant_id = ${tenant_id} and id = ${project_id}
    on conflict (project_id, slug) do nothing`
}

export function renameProject(current: ProjectRow, name: string, now: Date): Statement {
  return sql`update projects set name = ${name}, version = version + 1, updated_at = ${now}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version}`
}

export function listEnvironments(db: Db, tenant_id: TenantId, project_id: string, rest: Statement) {
  return db.all(
    Environment,
    sql`select ${environmentColumns} from environments where tenant_id = ${tenant_id} and project_id = ${project_id} ${rest}`,
  )
}

export function findEnvironment(db: Db, tenant_id: TenantId, project_id: string, environment_id: string) {
  return db.maybeOne(
    EnvironmentRow,
    sql`select ${environmentColumns} from environments where tenant_id = ${tenant_id} and project_id = ${project_id} and id = ${environment_id}`,
  )
}

export function renameEnvironment(current: EnvironmentRow, name: string, now: Date): Statement {
  return sql`update environments set name = ${name}, version = version + 1, updated_at = ${now}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version}`
}

const Place = z.object({
  id: EnvironmentId,
  type: EnvironmentType,
  issuer: z.string(),
  project_id: ProjectId,
  project_slug: Slug,
  project_name: Name,
})

/** An environment with its project, for whoever holds a key of it. */
export function findEnvironmentPlace(db: Db, environment_id: string) {
  return db.maybeOne(
    Place,
    sql`select e.id, e.type, e.issuer, e.project_id, p.slug as project_slug, p.name as project_name
          from environments e join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id where e.id = ${environment_id}`,
  )
}

const KeyPlace = z.object({
  tenant_slug: Slug,
  tenant_name: Name,
  issuer: z.string().nullable(),
  project_slug: Slug.nullable(),
  project_name: Name.nullable(),
})

/** What a key belongs to, by its names: its tenant and, of an auth key, its environment with the project. */
export function findKeyPlace(db: Db, tenant_id: TenantId, environment_id: string | null) {
  return db.maybeOne(
    KeyPlace,
    sql`select t.slug as tenant_slug, t.name as tenant_name, e.issuer, p.slug as project_slug, p.name as project_name
          from tenants t
          left join environments e on e.tenant_id = t.id and e.id = ${environment_id}
          left join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
         where t.id = ${tenant_id}`,
  )
}

const OfTenant = z.object({ id: EnvironmentId, type: EnvironmentType, tenant_id: TenantId, project_id: z.string() })

/** An environment by its id alone, for whoever may act in the whole tenant. */
export function findEnvironmentOfTenant(db: Db, tenant_id: TenantId, environment_id: string) {
  return db.maybeOne(
    OfTenant,
    sql`select id, type, tenant_id, project_id from environments where tenant_id = ${tenant_id} and id = ${environment_id}`,
  )
}

const Id = z.object({ id: EnvironmentId })
const most_siblings = 20

/** The other environments of the same project. */
export async function findSiblings(
  db: Db,
  { tenant_id, project_id, environment_id }: { tenant_id: string; project_id: string; environment_id: string },
): Promise<string[]> {
  const rows = await db.all(
    Id,
    sql`select id from environments where tenant_id = ${tenant_id} and project_id = ${project_id} and id <> ${environment_id} order by id limit ${most_siblings}`,
  )
  return rows.map((row) => row.id)
}

const SettingsRow = z.object({
  project_id: z.string(),
  environment_id: EnvironmentId,
  type: EnvironmentType,
  settings: z.record(z.string(), z.unknown()),
  version: z.int(),
  updated_at: z.iso.datetime(),
})
export type SettingsRow = z.infer<typeof SettingsRow>

const settingsColumns = sql`project_id, id as environment_id, type, settings, settings_version as version, settings_updated_at as updated_at`

export function findSettings(db: Db, tenant_id: TenantId, project_id: string, environment_id: string) {
  return db.maybeOne(
    SettingsRow,
    sql`select ${settingsColumns} from environments where tenant_id = ${tenant_id} and project_id = ${project_id} and id = ${environment_id}`,
  )
}

/** Stores the values somebody set, where the settings did not change meanwhile. */
export function updateSettings(tenant_id: TenantId, current: SettingsRow, settings: Record<string, unknown>, now: Date): Statement {
  return sql`update environments set settings = ${settings}, settings_version = settings_version + 1, settings_updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${current.environment_id} and settings_version = ${current.version}`
}

export function listTenants(db: Db, user_id: string, rest: Statement) {
  return db.all(
    Tenant,
    sql`select * from (select t.id, t.slug, t.name, t.created_at, t.updated_at from tenants t join members m on m.tenant_id = t.id where m.user_id = ${user_id}) listed where 1 = 1 ${rest}`,
  )
}

export function renameTenant(current: TenantRow, name: string, now: Date): Statement {
  return sql`update tenants set name = ${name}, version = version + 1, updated_at = ${now} where id = ${current.id} and version = ${current.version}`
}

/** Makes changes of the same tenant wait for each other, where a rule counts its rows: first in the batch. */
export function holdTenant(tenant_id: TenantId): Statement {
  return sql`update tenants set updated_at = updated_at where id = ${tenant_id}`
}
