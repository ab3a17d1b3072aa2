/** Stores tenants, projects and environments. Every query names the tenant, so it never finds another tenant's object. */
import { EnvironmentId, ProjectId, TenantId } from '@ostiary/contract/ids.ts'
import {
  Environment,
  EnvironmentType,
  type NewEnvironment,
  type NewProject,
  Project,
  ProjectFreshSignIn,
  Tenant,
} from '@ostiary/contract/tenancy.ts'
import { Name, Slug } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import { type Db, guard, requires, type Statement, sql } from '../../db/db.ts'
import { onEveryNode } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'

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

/** Fails as a guard if the slug is taken. The tenant counts against the quota of `created_by`. */
export function insertTenant(
  id: TenantId,
  { slug, name, created_by = null }: { slug: string; name: string; created_by?: string | null },
  now: Date,
): Statement {
  return guard(insertInto('tenants', { id, slug, name, created_by, created_at: now, updated_at: now }, sql`on conflict (slug) do nothing`))
}

/**
 * Fails as a guard if the user has created more than `most` tenants. Put it after the new one, as `lock_order` has it, and after
 * `holdUser`, which every such batch writes.
 */
export const roomForTenant = (user_id: string, most: number): Statement =>
  requires(sql`(select count(*) from tenants where created_by = ${user_id}) <= ${most}`)

const SlugTaken = z.object({ slug: Slug })

export async function isTenantSlugTaken(db: Db, slug: string): Promise<boolean> {
  return (await db.maybeOne(SlugTaken, sql`select slug from tenants where slug = ${slug}`)) !== null
}

const projectColumns = sql`id, tenant_id, slug, name, promotion, fresh_sign_in, version, created_at, updated_at`
const environmentColumns = sql`id, tenant_id, project_id, slug, name, type, issuer, config_version, keeps, version, created_at, updated_at`

export function listProjects(db: Db, tenant_id: TenantId, rest: Statement) {
  return db.all(Project, sql`select ${projectColumns} from projects where tenant_id = ${tenant_id} ${rest}`)
}

export function findProject(db: Db, tenant_id: TenantId, project_id: string) {
  return db.maybeOne(ProjectRow, sql`select ${projectColumns} from projects where tenant_id = ${tenant_id} and id = ${project_id}`)
}

/** Fails as a guard if the slug is taken in the tenant. */
export function insertProject(tenant_id: TenantId, id: string, { slug, name }: NewProject, now: Date): Statement {
  return guard(
    insertInto('projects', { tenant_id, id, slug, name, created_at: now, updated_at: now }, sql`on conflict (tenant_id, slug) do nothing`),
  )
}

/** The tenant has fewer than `most` projects. Pass it to `haveRoom` with `holdTenant`. */
export const roomForProject = (tenant_id: TenantId, most: number) =>
  sql`(select count(*) from projects where tenant_id = ${tenant_id}) < ${most}`

export async function isProjectSlugTaken(db: Db, tenant_id: TenantId, slug: string): Promise<boolean> {
  return (await db.maybeOne(SlugTaken, sql`select slug from projects where tenant_id = ${tenant_id} and slug = ${slug}`)) !== null
}

/** Fails as a guard if the slug is taken in the project. */
export function insertEnvironment(
  { tenant_id, project_id }: { tenant_id: TenantId; project_id: string },
  { id, issuer, settings = {} }: { id: string; issuer: string; settings?: Record<string, unknown> },
  { slug, name, type }: NewEnvironment,
  now: Date,
): Statement {
  return guard(
    insertInto(
      'environments',
      { tenant_id, project_id, id, slug, name, type, issuer, settings, created_at: now, updated_at: now, settings_updated_at: now },
      sql`on conflict (project_id, slug) do nothing`,
    ),
  )
}

/** The project has fewer than `most` environments. Pass it to `haveRoom` with `holdProject`. */
export const roomForEnvironment = (tenant_id: TenantId, project_id: string, most: number) =>
  sql`(select count(*) from environments where tenant_id = ${tenant_id} and project_id = ${project_id}) < ${most}`

export async function isEnvironmentSlugTaken(db: Db, tenant_id: TenantId, project_id: string, slug: string): Promise<boolean> {
  const taken = sql`select slug from environments where tenant_id = ${tenant_id} and project_id = ${project_id} and slug = ${slug}`
  return (await db.maybeOne(SlugTaken, taken)) !== null
}

export function updateProject(
  current: ProjectRow,
  { name, promotion, fresh_sign_in }: Pick<Project, 'name' | 'promotion' | 'fresh_sign_in'>,
  now: Date,
): Statement {
  return guard(onEveryNode`update projects
    set name = ${name}, promotion = ${promotion}, fresh_sign_in = ${fresh_sign_in}, version = version + 1, updated_at = ${now}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version}`)
}

export function listEnvironments(db: Db, tenant_id: TenantId, project_id: string, rest: Statement) {
  return db.all(
    Environment,
    sql`select ${environmentColumns} from environments where tenant_id = ${tenant_id} and project_id = ${project_id} ${rest}`,
  )
}

const Slugs = z.object({ slug: Slug })

/** A project has few environments. */
export async function findEnvironmentSlugs(db: Db, tenant_id: TenantId, project_id: string): Promise<string[]> {
  const rows = await db.all(
    Slugs,
    sql`select slug from environments where tenant_id = ${tenant_id} and project_id = ${project_id} order by created_at, id`,
  )
  return rows.map(({ slug }) => slug)
}

export function findEnvironment(db: Db, tenant_id: TenantId, project_id: string, environment_id: string) {
  return db.maybeOne(
    EnvironmentRow,
    sql`select ${environmentColumns} from environments
         where tenant_id = ${tenant_id} and project_id = ${project_id} and id = ${environment_id}`,
  )
}

/** Changes the name and what is meant to differ. A plan depends on `keeps`, so a change of it is a change of the configuration. */
export function updateEnvironment(
  current: EnvironmentRow,
  { name, keeps }: Pick<Environment, 'name' | 'keeps'>,
  raises: boolean,
  now: Date,
): Statement {
  return guard(onEveryNode`update environments
    set name = ${name}, keeps = ${keeps}, config_version = config_version + ${raises ? 1 : 0}, version = version + 1, updated_at = ${now}
    where tenant_id = ${current.tenant_id} and id = ${current.id} and version = ${current.version}`)
}

/**
 * Counts a change of the configuration of an environment, in the batch of the change. Its `config_version` is part of its record, so
 * this is also a new version of the record. Put it first in the batch: batches write the environment before its objects.
 */
export function raiseConfigVersion(environment_id: EnvironmentId, now: Date): Statement {
  return guard(onEveryNode`update environments set config_version = config_version + 1, version = version + 1, updated_at = ${now}
    where id = ${environment_id}`)
}

/** The same where the configuration still has this version. */
export const raiseConfigVersionFrom = (environment_id: EnvironmentId, version: number, now: Date): Statement =>
  guard(onEveryNode`update environments set config_version = config_version + 1, version = version + 1, updated_at = ${now}
    where id = ${environment_id} and config_version = ${version}`)

/** Holds an environment whose configuration still has this version. */
export const holdConfigVersion = (environment_id: EnvironmentId, version: number): Statement =>
  guard(onEveryNode`update environments set config_version = config_version where id = ${environment_id} and config_version = ${version}`)

/** Every process reads again which keys the environment has. Put it first in the batch: another batch that changes its keys waits for this row. */
export const raiseKeysVersion = (environment_id: EnvironmentId): Statement =>
  onEveryNode`update environments set keys_version = keys_version + 1 where id = ${environment_id}`

/**
 * Every process reads again what roles give (decision 0176). Put it into each batch that changes that, before the rows of the environment.
 */
export const raiseRolesVersion = (environment_id: EnvironmentId): Statement =>
  onEveryNode`update environments set roles_version = roles_version + 1 where id = ${environment_id}`

/**
 * The same where roles were ever used; others go on reading nothing. It writes the row there too, so that of this batch and the one that makes the
 * first role the second sees what the first wrote.
 */
export const raiseRolesVersionWhereUsed = (environment_id: EnvironmentId): Statement =>
  onEveryNode`update environments set roles_version = case when roles_version = 0 then 0 else roles_version + 1 end where id = ${environment_id}`

const EnvironmentWithProject = z.object({
  id: EnvironmentId,
  type: EnvironmentType,
  issuer: z.string(),
  project_id: ProjectId,
  project_slug: Slug,
  project_name: Name,
})

/** Finds the environment of an auth key, with its project. */
export function findEnvironmentWithProject(db: Db, environment_id: string) {
  return db.maybeOne(
    EnvironmentWithProject,
    sql`select e.id, e.type, e.issuer, e.project_id, p.slug as project_slug, p.name as project_name
          from environments e join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
         where e.id = ${environment_id}`,
  )
}

const KeyOwner = z.object({
  tenant_slug: Slug,
  tenant_name: Name,
  issuer: z.string().nullable(),
  project_slug: Slug.nullable(),
  project_name: Name.nullable(),
})

/** Finds the names of what a key belongs to: the tenant and, for an auth key, the environment and its project. */
export function findKeyOwner(db: Db, tenant_id: TenantId, environment_id: string | null) {
  return db.maybeOne(
    KeyOwner,
    sql`select t.slug as tenant_slug, t.name as tenant_name, e.issuer, p.slug as project_slug, p.name as project_name
          from tenants t
          left join environments e on e.tenant_id = t.id and e.id = ${environment_id}
          left join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
         where t.id = ${tenant_id}`,
  )
}

const EnvironmentOfTenant = z.object({ id: EnvironmentId, type: EnvironmentType, tenant_id: TenantId, project_id: z.string() })

/** Finds an environment of any project, for a caller who may act in the whole tenant. */
export function findEnvironmentOfTenant(db: Db, tenant_id: TenantId, environment_id: string) {
  return db.maybeOne(
    EnvironmentOfTenant,
    sql`select id, type, tenant_id, project_id from environments where tenant_id = ${tenant_id} and id = ${environment_id}`,
  )
}

const FreshSignInOf = z.object({ type: EnvironmentType.nullable(), fresh_sign_in: ProjectFreshSignIn })

/** Finds how old the sign-in of an administrator may be for calls of an environment. */
export function findFreshSignIn(db: Db, tenant_id: TenantId, environment_id: string) {
  return db.maybeOne(
    FreshSignInOf,
    sql`select e.type, p.fresh_sign_in
          from environments e join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
         where e.tenant_id = ${tenant_id} and e.id = ${environment_id}`,
  )
}

/** The same for calls of a project itself. */
export function findFreshSignInOfProject(db: Db, tenant_id: TenantId, project_id: string) {
  return db.maybeOne(
    FreshSignInOf,
    sql`select null as type, fresh_sign_in from projects where tenant_id = ${tenant_id} and id = ${project_id}`,
  )
}

const Id = z.object({ id: EnvironmentId })

/** Finds another environment of the same project by its issuer. */
export async function findSibling(
  db: Db,
  { tenant_id, project_id, environment_id }: { tenant_id: string; project_id: string; environment_id: string },
  issuer: string,
): Promise<string | null> {
  const row = await db.maybeOne(
    Id,
    sql`select id from environments
         where tenant_id = ${tenant_id} and project_id = ${project_id} and id <> ${environment_id} and issuer = ${issuer}`,
  )
  return row?.id ?? null
}

export const SettingsRow = z.object({
  project_id: ProjectId,
  environment_id: EnvironmentId,
  type: EnvironmentType,
  issuer: z.string(),
  settings: z.record(z.string(), z.unknown()),
  version: z.int(),
  updated_at: z.iso.datetime(),
})
export type SettingsRow = z.infer<typeof SettingsRow>

const settingsColumns = sql`
  project_id, id as environment_id, type, issuer, settings, settings_version as version, settings_updated_at as updated_at`

export function findSettings(db: Db, tenant_id: TenantId, project_id: string, environment_id: string) {
  return db.maybeOne(
    SettingsRow,
    sql`select ${settingsColumns} from environments
         where tenant_id = ${tenant_id} and project_id = ${project_id} and id = ${environment_id}`,
  )
}

/** Stores the values that were set, unless the settings changed since `current` was read. */
export function updateSettings(tenant_id: TenantId, current: SettingsRow, settings: Record<string, unknown>, now: Date): Statement {
  return guard(onEveryNode`update environments set settings = ${settings}, settings_version = settings_version + 1, settings_updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${current.environment_id} and settings_version = ${current.version}`)
}

export function listTenants(db: Db, user_id: string, rest: Statement) {
  return db.all(
    Tenant,
    sql`select * from (
          select t.id, t.slug, t.name, t.created_at, t.updated_at
            from tenants t join members m on m.tenant_id = t.id
           where m.user_id = ${user_id}) listed
         where 1 = 1 ${rest}`,
  )
}

export function renameTenant(current: TenantRow, name: string, now: Date): Statement {
  return guard(onEveryNode`update tenants set name = ${name}, version = version + 1, updated_at = ${now}
    where id = ${current.id} and version = ${current.version}`)
}

/**
 * Serialises changes of the same tenant, for rules that count its rows. Put it first in the batch: on PostgreSQL the statements
 * after it then see what the previous change committed.
 */
export function holdTenant(tenant_id: TenantId): Statement {
  return guard(onEveryNode`update tenants set updated_at = updated_at where id = ${tenant_id}`)
}

/** Serialises changes of the same project. See `holdTenant`. */
export function holdProject(tenant_id: TenantId, project_id: string): Statement {
  return guard(onEveryNode`update projects set updated_at = updated_at where tenant_id = ${tenant_id} and id = ${project_id}`)
}

/** Serialises changes of the same environment. See `holdTenant`. */
export function holdEnvironment(tenant_id: TenantId, environment_id: string): Statement {
  return guard(onEveryNode`update environments set updated_at = updated_at where tenant_id = ${tenant_id} and id = ${environment_id}`)
}

/** The same for a batch that depends on the settings: it fails as a guard where they have changed since this version. */
export const holdSettings = (tenant_id: TenantId, environment_id: EnvironmentId, settings_version: number): Statement =>
  guard(onEveryNode`update environments set updated_at = updated_at
    where tenant_id = ${tenant_id} and id = ${environment_id} and settings_version = ${settings_version}`)

/**
 * Returns the first statements of a batch that adds a row which a quota counts. `room` reads rows other than the guarded one. That is
 * safe because every batch that adds such a row writes the held row first: a batch that waited counts what the previous one added.
 */
export function haveRoom(hold: Statement, room: Statement): Statement[] {
  return [hold, requires(room)]
}

const One = z.object({ one: z.int() })

/** Reports whether a quota leaves room. `room` is the condition that `haveRoom` takes. */
export async function isThereRoom(db: Db, room: Statement): Promise<boolean> {
  return (await db.many.all(One, sql`select 1 as one where ${room}`)).length > 0
}
