/** Tenants, projects and environments. Every query names the tenant, so another tenant's object does not exist here. */
import { EnvironmentId, ProjectId, TenantId } from '@ostiary/contract/ids.ts'
import { Environment, EnvironmentType, type NewEnvironment, type NewProject, Project, Tenant } from '@ostiary/contract/tenancy.ts'
import { Name, Slug } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../db/db.ts'

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

/** `created_by` is the person whose quota the tenant counts against. */
export function insertTenant(
  id: TenantId,
  { slug, name, created_by = null }: { slug: string; name: string; created_by?: string | null },
  now: Date,
): Statement {
  return guard(sql`insert into tenants (id, slug, name, created_by, created_at, updated_at)
    values (${id}, ${slug}, ${name}, ${created_by}, ${now}, ${now}) on conflict (slug) do nothing`)
}

/** Holds while the person created fewer tenants than `most`. For `haveRoom` with `holdUser`. */
export const roomForTenant = (user_id: string, most: number) => sql`(select count(*) from tenants where created_by = ${user_id}) < ${most}`

const SlugTaken = z.object({ slug: Slug })

export async function isTenantSlugTaken(db: Db, slug: string): Promise<boolean> {
  return (await db.maybeOne(SlugTaken, sql`select slug from tenants where slug = ${slug}`)) !== null
}

const projectColumns = sql`id, tenant_id, slug, name, version, created_at, updated_at`
const environmentColumns = sql`id, tenant_id, project_id, slug, name, type, issuer, version, created_at, updated_at`

export function listProjects(db: Db, tenant_id: TenantId, rest: Statement) {
  return db.all(Project, sql`select ${projectColumns} from projects where tenant_id = ${tenant_id} ${rest}`)
}

export function findProject(db: Db, tenant_id: TenantId, project_id: string) {
  return db.maybeOne(ProjectRow, sql`select ${projectColumns} from projects where tenant_id = ${tenant_id} and id = ${project_id}`)
}

export function insertProject(tenant_id: TenantId, id: string, { slug, name }: NewProject, now: Date): Statement {
  return guard(sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at)
    values (${tenant_id}, ${id}, ${slug}, ${name}, ${now}, ${now}) on conflict (tenant_id, slug) do nothing`)
}

/** Holds while the tenant has fewer projects than `most`. For `haveRoom` with `holdTenant`. */
export const roomForProject = (tenant_id: TenantId, most: number) =>
  sql`(select count(*) from projects where tenant_id = ${tenant_id}) < ${most}`

export async function isProjectSlugTaken(db: Db, tenant_id: TenantId, slug: string): Promise<boolean> {
  return (await db.maybeOne(SlugTaken, sql`select slug from projects where tenant_id = ${tenant_id} and slug = ${slug}`)) !== null
}

export function insertEnvironment(
  tenant_id: TenantId,
  project_id: string,
  id: string,
  { slug, name, type }: NewEnvironment,
  issuer: string,
  now: Date,
  settings: Record<string, unknown> = {},
): Statement {
  return guard(sql`insert into environments (tenant_id, project_id, id, slug, name, type, issuer, settings, created_at, updated_at, settings_updated_at)
    values (${tenant_id}, ${project_id}, ${id}, ${slug}, ${name}, ${type}, ${issuer}, ${settings}, ${now}, ${now}, ${now}) on conflict (project_id, slug) do nothing`)
}

/** Holds while the project has fewer environments than `most`. For `haveRoom` with `holdProject`. */
export const roomForEnvironment = (tenant_id: TenantId, project_id: string, most: number) =>
  sql`(select count(*) from environments where tenant_id = ${tenant_id} and project_id = ${project_id}) < ${most}`

export async function isEnvironmentSlugTaken(db: Db, tenant_id: TenantId, project_id: string, slug: string): Promise<boolean> {
  const taken = sql`select slug from environments where tenant_id = ${tenant_id} and project_id = ${project_id} and slug = ${slug}`
  return (await db.maybeOne(SlugTaken, taken)) !== null
}

export function renameProject(current: ProjectRow, name: string, now: Date): Statement {
  return guard(sql`update projects set name = ${name}, version = version + 1, updated_at = ${now}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version}`)
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
  return guard(sql`update environments set name = ${name}, version = version + 1, updated_at = ${now}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version}`)
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
  return guard(sql`update environments set settings = ${settings}, settings_version = settings_version + 1, settings_updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${current.environment_id} and settings_version = ${current.version}`)
}

export function listTenants(db: Db, user_id: string, rest: Statement) {
  return db.all(
    Tenant,
    sql`select * from (select t.id, t.slug, t.name, t.created_at, t.updated_at from tenants t join members m on m.tenant_id = t.id where m.user_id = ${user_id}) listed where 1 = 1 ${rest}`,
  )
}

export function renameTenant(current: TenantRow, name: string, now: Date): Statement {
  return guard(
    sql`update tenants set name = ${name}, version = version + 1, updated_at = ${now} where id = ${current.id} and version = ${current.version}`,
  )
}

/**
 * Makes changes of the same tenant wait for each other, where a rule counts its rows. First in the batch: on PostgreSQL the statements
 * after it then see what the change before committed.
 */
export function holdTenant(tenant_id: TenantId): Statement {
  return guard(sql`update tenants set updated_at = updated_at where id = ${tenant_id}`)
}

/** The same for a project. */
export function holdProject(tenant_id: TenantId, project_id: string): Statement {
  return guard(sql`update projects set updated_at = updated_at where tenant_id = ${tenant_id} and id = ${project_id}`)
}

/** The same for an environment. */
export function holdEnvironment(tenant_id: TenantId, environment_id: string): Statement {
  return guard(sql`update environments set updated_at = updated_at where tenant_id = ${tenant_id} and id = ${environment_id}`)
}

/**
 * First in a batch that adds a row to what a limit counts. Two guards: all such batches write the held row, so one that waited
 * counts what the batch before it added.
 */
export function haveRoom(hold: Statement, room: Statement): Statement[] {
  return [hold, guard(sql`${hold} and ${room}`)]
}
