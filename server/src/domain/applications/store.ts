/**
 * Stores the applications of an environment, with their secrets as digests. Disabling or deleting an application ends its grants at once;
 * their rows follow (`domain/sessions/endings.ts`).
 */
import { ApplicationId, type EnvironmentId } from '@ostiary/contract/ids.ts'
import { Application, type ApplicationFields, application } from '@ostiary/contract/objects/application.ts'
import { changeableNames, fieldsOf } from '@ostiary/contract/objects/field.ts'
import { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { assignments, columnsOf, insertInto } from '../../db/rows.ts'
import type { StoredSecret } from '../../protocol/client.ts'
import { endDisabled, followErasedApplication } from '../sessions/endings.ts'
import { readerOf } from '../tenancy/object-reader.ts'
import { raiseRolesVersion } from '../tenancy/store.ts'
import type { MadeSecret } from './client-secret.ts'
import { insertOrigins, listOrigins, unlistOrigins } from './origins.ts'
import { deleteSecrets, insertSecret, joinSecrets, SecretColumns, secretColumns, secretsOf } from './secrets.ts'

const Versioned = Application.extend({ version: z.int() })
export type ApplicationRow = z.infer<typeof Versioned>

/** An application as the OAuth endpoints need it, with the digests of its secrets. */
const ClientRow = Application.omit({
  tenant_id: true,
  project_id: true,
  slug: true,
  template: true,
  has_client_secret: true,
  secret_rotated_at: true,
  created_at: true,
  updated_at: true,
}).extend(SecretColumns.shape)
export type ClientRow = Omit<z.infer<typeof ClientRow>, keyof z.infer<typeof SecretColumns>> & { client_secrets: readonly StoredSecret[] }

const fieldColumns = columnsOf('a', changeableNames(application))
const clientColumns = sql`a.id, a.id as client_id, a.environment_id, a.application_type, ${fieldColumns}`
const columns = sql`
  ${clientColumns}, e.tenant_id, e.project_id, a.slug, a.template, case when a.client_secret_hash is null then 0 else 1 end as has_client_secret,
  a.secret_rotated_at, a.version, a.created_at, a.updated_at`

export const {
  page: pageOfApplications,
  list: listApplications,
  find: findApplication,
} = readerOf({ Shown: Application, Row: Versioned }, { table: 'applications', alias: 'a', columns })

/** Finds the client of an OAuth request by the `client_id` as sent. Finds disabled applications too; the caller checks `disabled`. */
export async function findClient(db: Db, environment_id: EnvironmentId, client_id: string): Promise<ClientRow | null> {
  if (!ApplicationId.safeParse(client_id).success) return null
  const row = await db.of(environment_id).maybeOne(
    ClientRow,
    sql`select ${clientColumns}, ${secretColumns} from applications a ${joinSecrets(environment_id)}
         where a.environment_id = ${environment_id} and a.id = ${client_id}`,
  )
  return row && { ...row, client_secrets: secretsOf(row) }
}

const OtherEnvironment = z.object({ type: EnvironmentType, issuer: z.string() })

/** Finds the environment of an application among those of a project, by the `client_id` as sent. For developers who mixed them up. */
export async function findOtherEnvironment(db: Db, tenant_id: string, project_id: string, client_id: string) {
  if (!ApplicationId.safeParse(client_id).success) return null
  return db.many.maybeOne(
    OtherEnvironment,
    sql`select e.type, e.issuer from applications a join environments e on e.id = a.environment_id
         where a.id = ${client_id} and e.tenant_id = ${tenant_id} and e.project_id = ${project_id}`,
  )
}

/** The fields of an application that never change. */
interface NewApplicationFacts extends Pick<Application, 'application_type' | 'template'> {
  id: string
  slug: string
  secret: MadeSecret | null
}

type OfRoles = Pick<ApplicationFields, 'allowed_roles' | 'roles_claim' | 'data_claims' | 'organizations'>

const without_roles: OfRoles = { allowed_roles: [], roles_claim: null, data_claims: false, organizations: 'none' }

/** Other roles let people in at an application, it learns them or data by other claims, or only people with an organization get in. */
function changesAccess(environment_id: EnvironmentId, before: OfRoles, after: OfRoles): Statement[] {
  const textOf = ({ allowed_roles, roles_claim, data_claims, organizations }: OfRoles) =>
    JSON.stringify([allowed_roles, roles_claim, data_claims, organizations === 'required'])
  return textOf(before) === textOf(after) ? [] : [raiseRolesVersion(environment_id)]
}

/** Fails as a guard if the slug is taken in the environment. */
export function insertApplication(
  environment_id: EnvironmentId,
  { id, slug, application_type, template, secret }: NewApplicationFacts,
  fields: ApplicationFields,
  now: Date,
): Statement[] {
  const client_secret_hash = secret?.secret_hash ?? null
  const facts = { environment_id, id, slug, application_type, template, client_secret_hash, created_at: now, updated_at: now }
  return [
    ...changesAccess(environment_id, without_roles, fields),
    guard(sql`${insertInto('applications', { ...facts, ...fieldsOf(application, fields) })} on conflict (environment_id, slug) do nothing`),
    ...(secret ? [insertSecret({ environment_id, id }, secret, 1, now)] : []),
    ...insertOrigins(environment_id, id, { application_type, redirect_uris: fields.redirect_uris }),
  ]
}

/** The environment has fewer than `most` applications. Read it in a batch that holds the environment. */
export const roomForApplication = (environment_id: EnvironmentId, most: number) =>
  sql`(select count(*) from applications where environment_id = ${environment_id}) < ${most}`

/**
 * Changes an application. Its secrets stay as they are if `secret` is undefined; a new one ends every other. Disabling ends every grant, and enabling makes
 * none valid again.
 */
export function updateApplication(
  current: ApplicationRow,
  fields: ApplicationFields,
  secret: MadeSecret | null | undefined,
  now: Date,
): Statement[] {
  const of_secret = secret === undefined ? {} : { client_secret_hash: secret?.secret_hash ?? null, secret_rotated_at: secret && now }
  return [
    ...changesAccess(current.environment_id, current, fields),
    guard(sql`update applications set ${assignments({ ...fieldsOf(application, fields), ...of_secret })}, version = version + 1, updated_at = ${now}
        where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version}`),
    ...(secret === undefined ? [] : [deleteSecrets(current)]),
    ...(secret ? [insertSecret(current, secret, 1, now)] : []),
    ...listOrigins(current.environment_id, current.id, { application_type: current.application_type, redirect_uris: fields.redirect_uris }),
    ...(fields.disabled && !current.disabled ? endDisabled(current.environment_id, 'application', current.id, now) : []),
  ]
}

/** Deletes the application. Its grants and consents follow. */
export function deleteApplication({ environment_id, id, version, ...fields }: ApplicationRow, now: Date): Statement[] {
  return [
    ...changesAccess(environment_id, fields, without_roles),
    guard(sql`delete from applications where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
    deleteSecrets({ environment_id, id }),
    unlistOrigins(environment_id, id),
    followErasedApplication(environment_id, id, now),
  ]
}

const PublicApplication = Application.pick({ client_id: true, name: true, application_type: true })

/** Finds the enabled applications without a secret, which a browser may know. The quota of an environment limits their number. */
export function findPublicApplications(db: Db, environment_id: EnvironmentId) {
  return db.of(environment_id).all(
    PublicApplication,
    sql`select id as client_id, name, application_type from applications
         where environment_id = ${environment_id} and application_type in ('spa', 'native') and disabled = 0
         order by id`,
  )
}
