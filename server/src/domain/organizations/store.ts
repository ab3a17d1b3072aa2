/**
 * Stores organizations (decision 0177).
 *
 *   store.ts        organizations
 *   members.ts      their members, with the roles that were given to them
 *   invitations.ts  invitations, with their links
 *   joining.ts      what the page of an invitation does
 *   giving.ts       what `protocol/giving.ts` asks about a member
 *   counts.ts       how many there are: the limits, and the number of administrators
 *   search.ts       organizations and members, by parts of names
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { Organization } from '@ostiary/contract/organization.ts'
import { z } from 'zod'
import { type Db, guard, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { between_names } from '../lists/search.ts'
import { followDisabledOrganization } from '../sessions/endings.ts'
import { goneMembers, takePlace } from './counts.ts'

const OrganizationRow = Organization.extend({ version: z.int() })
export type OrganizationRow = z.infer<typeof OrganizationRow>

export type OrganizationFields = Pick<Organization, 'external_id' | 'name' | 'metadata' | 'claims' | 'disabled'>

const columns = (environment_id: EnvironmentId): OfEnvironment => sql`
  o.id, e.tenant_id, e.project_id, o.environment_id, o.slug, o.external_id, o.name, o.metadata, o.claims, o.disabled,
  o.member_count - ${goneMembers(environment_id)} as member_count, o.version, o.created_at, o.updated_at`
const from = sql`from organizations o join environments e on e.id = o.environment_id`

/** Which organizations a list has. */
export interface Filter {
  slug: string | undefined
  external_id: string | undefined
}

/** The part of a list that one call reads. */
export interface Part {
  /** Starts after the one with this key, if it is given. */
  last: string | null
  limit: number
}

/** An organization that is named is found by its name, and not by the order of the list. */
function among(environment_id: EnvironmentId, { slug, external_id }: Filter): OfEnvironment {
  if (slug === undefined && external_id === undefined) return sql`o.environment_id = ${environment_id}`
  const by_slug = slug === undefined ? sql`` : sql`and o.slug = ${slug}`
  const by_external_id = external_id === undefined ? sql`` : sql`and o.external_id = ${external_id}`
  return sql`${inEnvironment(environment_id, 'o')} ${by_slug} ${by_external_id}`
}

const olderThan = (last: string | null): Statement => (last === null ? sql`` : sql`and o.id < ${last}`)

/** Reads organizations, newest first. */
export const listOrganizations = (db: Db, environment_id: EnvironmentId, filter: Filter, { last, limit }: Part): Promise<Organization[]> =>
  db
    .of(environment_id)
    .all(
      Organization,
      sql`select ${columns(environment_id)} ${from} where ${among(environment_id, filter)} ${olderThan(last)} order by o.id desc limit ${limit}`,
    )

const OrganizationNames = z.object({ id: z.string(), names: z.string() })
/** The texts by which an organization can be found: one column, since a search reads thousands of them. */
export type OrganizationNames = z.infer<typeof OrganizationNames>

/** Finds the names of organizations, newest first. */
export const findOrganizationNames = (
  db: Db,
  environment_id: EnvironmentId,
  filter: Filter,
  { last, limit }: Part,
): Promise<OrganizationNames[]> =>
  db
    .of(environment_id)
    .all(
      OrganizationNames,
      sql`select o.id, concat_ws(${between_names}, o.slug, o.name, o.external_id) as names from organizations o where ${among(environment_id, filter)} ${olderThan(last)} order by o.id desc limit ${limit}`,
    )

/** Finds the organizations with these ids, newest first. */
export async function findOrganizations(db: Db, environment_id: EnvironmentId, ids: readonly string[]): Promise<Organization[]> {
  if (ids.length === 0) return []
  return db
    .of(environment_id)
    .all(
      Organization,
      sql`select ${columns(environment_id)} ${from} where o.environment_id = ${environment_id} and o.id in (${list(ids)}) order by o.id desc`,
    )
}

export const findOrganization = (db: Db, environment_id: EnvironmentId, id: string): Promise<OrganizationRow | null> =>
  db
    .of(environment_id)
    .maybeOne(OrganizationRow, sql`select ${columns(environment_id)} ${from} where o.environment_id = ${environment_id} and o.id = ${id}`)

const Id = z.object({ id: z.string() })

/** The id of the organization that has this external id. */
export async function findByExternalId(db: Db, environment_id: EnvironmentId, external_id: string): Promise<string | null> {
  const row = await db
    .of(environment_id)
    .maybeOne(Id, sql`select id from organizations where external_id = ${external_id} and ${inEnvironment(environment_id)}`)
  return row?.id ?? null
}

/** Fails as a guard if the environment has `most` organizations, or another one has the slug or the external id. It has no members yet. */
export function insertOrganization(
  environment_id: EnvironmentId,
  { id, slug }: { id: string; slug: string },
  fields: OrganizationFields,
  { most, now }: { most: number; now: Date },
): Statement[] {
  const facts = { environment_id, id, slug, created_at: now, updated_at: now }
  return [...takePlace(environment_id, most), guard(insertInto('organizations', { ...facts, ...fields }, sql`on conflict do nothing`))]
}

/**
 * Fails as a guard if the organization changed since `current` was read, or if another one has the external id. Reading others is safe because
 * of the unique index: PostgreSQL repeats a batch that violates it, and then the guard sees the other one. Disabling ends every grant, and
 * enabling makes none valid again.
 */
export function updateOrganization(current: OrganizationRow, fields: OrganizationFields, now: Date): Statement[] {
  const { environment_id, id, version } = current
  const { external_id, name, metadata, claims, disabled } = fields
  const is_free =
    external_id === null
      ? sql``
      : sql`and not exists (
          select 1 from organizations o where o.external_id = ${external_id} and ${inEnvironment(environment_id, 'o')} and o.id <> ${id})`
  const disables = disabled && !current.disabled
  const update = guard(sql`update organizations
      set external_id = ${external_id}, name = ${name}, metadata = ${metadata}, claims = ${claims}, disabled = ${disabled},
          ending = ending + ${disables ? 1 : 0}, version = version + 1, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and version = ${version} ${is_free}`)
  return [update, ...(disables ? [followDisabledOrganization(environment_id, id, now)] : [])]
}

/** No member counts from then on; put `followErasedOrganization` after it, for their rows. */
export const deleteOrganization = ({ environment_id, id, version }: OrganizationRow): Statement[] => [
  guard(sql`update organization_counts set organizations = organizations - 1 where environment_id = ${environment_id}`),
  guard(sql`delete from organizations where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
]
