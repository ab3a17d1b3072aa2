/**
 * Stores the applications of an environment, with their secrets as digests. Disabling or deleting an application ends its grants at once;
 * their rows follow (`sessions/endings.ts`).
 */
import { Application } from '@ostiary/contract/application.ts'
import { ApplicationId, type EnvironmentId } from '@ostiary/contract/ids.ts'
import { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { type Db, guard, type Statement, sql } from '../db/db.ts'
import { endDisabled, followErasedApplication } from '../sessions/endings.ts'
import { listOrigins, unlistOrigins } from './origins.ts'
import type { ApplicationFields } from './rules.ts'

const Versioned = Application.extend({ version: z.int() })
export type ApplicationRow = z.infer<typeof Versioned>

/** An application as the OAuth endpoints need it, with the digest of its secret. */
const ClientRow = Application.omit({
  tenant_id: true,
  project_id: true,
  slug: true,
  template: true,
  has_client_secret: true,
  secret_rotated_at: true,
  created_at: true,
  updated_at: true,
}).extend({ client_secret_hash: z.string().nullable() })
export type ClientRow = z.infer<typeof ClientRow>

/**
 * `client_secret` is stored as `client_secret_basic` with a mark, since a program from before the mark would refuse every secret of a method
 * that it does not know, and delete the secret at the next change (decision 0086).
 */
const methodColumn = sql`case when a.secret_anywhere = 1 and a.token_endpoint_auth_method = 'client_secret_basic' then 'client_secret'
  else a.token_endpoint_auth_method end as token_endpoint_auth_method`

const storedMethod = (method: Application['token_endpoint_auth_method']) =>
  method === 'client_secret' ? ({ exact: 'client_secret_basic', anywhere: true } as const) : { exact: method, anywhere: false }

/** The column has no null: a public application has 0 there. */
const nonceColumn = sql`case when a.application_type = 'web' then a.nonce_replaces_pkce end as nonce_replaces_pkce`

const clientColumns = sql`
  a.id, a.id as client_id, a.environment_id, a.application_type, a.name, a.redirect_uris, a.post_logout_redirect_uris,
  ${methodColumn}, a.jwks, a.jwks_uri, a.allowed_scopes, a.unknown_scopes, a.require_pkce, ${nonceColumn}, a.consent,
  a.backchannel_logout_uri, a.initiate_login_uri, a.logo_uri, a.allow_loopback_port, a.disabled`
const columns = sql`
  ${clientColumns}, e.tenant_id, e.project_id, a.slug, a.template, case when a.client_secret_hash is null then 0 else 1 end as has_client_secret,
  a.secret_rotated_at, a.version, a.created_at, a.updated_at`
const from = sql`from applications a join environments e on e.id = a.environment_id`

/** A page of all of them, in the order of their slugs: those after a slug. */
export const pageOfApplications = (db: Db, environment_id: EnvironmentId, after: string, limit: number): Promise<ApplicationRow[]> =>
  db.all(
    Versioned,
    sql`select ${columns} ${from} where a.environment_id = ${environment_id} and a.slug > ${after} order by a.slug limit ${limit}`,
  )

export function listApplications(db: Db, environment_id: EnvironmentId, rest: Statement) {
  return db.all(
    Application,
    sql`select * from (select ${columns} ${from} where a.environment_id = ${environment_id}) listed where 1 = 1 ${rest}`,
  )
}

export function findApplication(db: Db, environment_id: EnvironmentId, id: string): Promise<ApplicationRow | null> {
  return db.maybeOne(Versioned, sql`select ${columns} ${from} where a.environment_id = ${environment_id} and a.id = ${id}`)
}

/** Finds the client of an OAuth request by the `client_id` as sent. Finds disabled applications too; the caller checks `disabled`. */
export async function findClient(db: Db, environment_id: EnvironmentId, client_id: string): Promise<ClientRow | null> {
  if (!ApplicationId.safeParse(client_id).success) return null
  return db.maybeOne(
    ClientRow,
    sql`select ${clientColumns}, a.client_secret_hash from applications a
         where a.environment_id = ${environment_id} and a.id = ${client_id}`,
  )
}

const OtherEnvironment = z.object({ type: EnvironmentType, issuer: z.string() })

/** Finds the environment of an application among those of a project, by the `client_id` as sent. For developers who mixed them up. */
export async function findOtherEnvironment(db: Db, tenant_id: string, project_id: string, client_id: string) {
  if (!ApplicationId.safeParse(client_id).success) return null
  return db.maybeOne(
    OtherEnvironment,
    sql`select e.type, e.issuer from applications a join environments e on e.id = a.environment_id
         where a.id = ${client_id} and e.tenant_id = ${tenant_id} and e.project_id = ${project_id}`,
  )
}

/** What no change of an application changes. */
interface NewApplicationFacts extends Pick<Application, 'application_type'>, Partial<Pick<Application, 'template'>> {
  id: string
  slug: string
  client_secret_hash: string | null
}

/** Fails as a guard if the slug is taken in the environment. */
export function insertApplication(
  environment_id: EnvironmentId,
  { id, slug, application_type, template = null, client_secret_hash }: NewApplicationFacts,
  fields: ApplicationFields,
  now: Date,
): Statement {
  const method = storedMethod(fields.token_endpoint_auth_method)
  return guard(sql`insert into applications (
      environment_id, id, slug, application_type, template, name, redirect_uris, post_logout_redirect_uris,
      token_endpoint_auth_method, secret_anywhere, jwks, jwks_uri, allowed_scopes, unknown_scopes,
      require_pkce, nonce_replaces_pkce, consent, backchannel_logout_uri, initiate_login_uri,
      logo_uri, allow_loopback_port, disabled, client_secret_hash, created_at, updated_at)
    values (
      ${environment_id}, ${id}, ${slug}, ${application_type}, ${template}, ${fields.name}, ${fields.redirect_uris}, ${fields.post_logout_redirect_uris},
      ${method.exact}, ${method.anywhere}, ${fields.jwks}, ${fields.jwks_uri}, ${fields.allowed_scopes}, ${fields.unknown_scopes},
      ${fields.require_pkce}, ${fields.nonce_replaces_pkce === true}, ${fields.consent}, ${fields.backchannel_logout_uri}, ${fields.initiate_login_uri},
      ${fields.logo_uri}, ${fields.allow_loopback_port}, ${fields.disabled}, ${client_secret_hash}, ${now}, ${now})
    on conflict (environment_id, slug) do nothing`)
}

/** The environment has fewer than `most` applications. Pass it to `haveRoom` with `holdEnvironment`. */
export const roomForApplication = (environment_id: EnvironmentId, most: number) =>
  sql`(select count(*) from applications where environment_id = ${environment_id}) < ${most}`

/**
 * Changes an application. The secret stays as it is if `client_secret_hash` is undefined. Disabling ends every grant, and enabling makes
 * none valid again.
 */
export function updateApplication(
  current: ApplicationRow,
  fields: ApplicationFields,
  client_secret_hash: string | null | undefined,
  now: Date,
): Statement[] {
  const method = storedMethod(fields.token_endpoint_auth_method)
  const secret =
    client_secret_hash === undefined
      ? sql``
      : sql`, client_secret_hash = ${client_secret_hash}, secret_rotated_at = ${client_secret_hash === null ? null : now}`
  return [
    guard(sql`update applications
          set name = ${fields.name}, redirect_uris = ${fields.redirect_uris},
              post_logout_redirect_uris = ${fields.post_logout_redirect_uris},
              token_endpoint_auth_method = ${method.exact}, secret_anywhere = ${method.anywhere},
              jwks = ${fields.jwks}, jwks_uri = ${fields.jwks_uri},
              allowed_scopes = ${fields.allowed_scopes}, unknown_scopes = ${fields.unknown_scopes}, require_pkce = ${fields.require_pkce},
              nonce_replaces_pkce = ${fields.nonce_replaces_pkce === true}, consent = ${fields.consent},
              backchannel_logout_uri = ${fields.backchannel_logout_uri}, initiate_login_uri = ${fields.initiate_login_uri},
              logo_uri = ${fields.logo_uri}, allow_loopback_port = ${fields.allow_loopback_port}, disabled = ${fields.disabled},
              version = version + 1, updated_at = ${now}${secret}
        where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version}`),
    ...listOrigins(current.environment_id, current.id, { application_type: current.application_type, redirect_uris: fields.redirect_uris }),
    ...(fields.disabled && !current.disabled ? endDisabled(current.environment_id, 'application', current.id, now) : []),
  ]
}

/** Deletes the application. Its grants and consents follow. */
export function deleteApplication({ environment_id, id, version }: ApplicationRow, now: Date): Statement[] {
  return [
    guard(sql`delete from applications where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
    unlistOrigins(environment_id, id),
    followErasedApplication(environment_id, id, now),
  ]
}

const PublicApplication = Application.pick({ client_id: true, name: true, application_type: true })

/** Finds the enabled applications without a secret, which a browser may know. The quota of an environment limits their number. */
export function findPublicApplications(db: Db, environment_id: EnvironmentId) {
  return db.all(
    PublicApplication,
    sql`select id as client_id, name, application_type from applications
         where environment_id = ${environment_id} and application_type in ('spa', 'native') and disabled = 0
         order by id`,
  )
}
