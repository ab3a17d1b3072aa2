/** Stores the providers of an environment and the identities of its users there. Secrets are sealed, and no endpoint shows them. */
import { type EnvironmentId, ProviderId } from '@ostiary/contract/ids.ts'
import { changeableNames, fieldsOf } from '@ostiary/contract/objects/field.ts'
import { Provider, type ProviderFailure, type ProviderFields, provider } from '@ostiary/contract/objects/provider.ts'
import { z } from 'zod'
import { type Db, guard, list, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment, sameEnvironment } from '../../db/environment.ts'
import { assignments, columnsOf, insertInto } from '../../db/rows.ts'
import type { Origin } from '../events/store.ts'
import { endDisabled, followErasedProvider } from '../sessions/endings.ts'
import { readerOf } from '../tenancy/object-reader.ts'
import { issuerOfProvider } from './kinds.ts'
import type { UpstreamFailure } from './profile.ts'

const Versioned = Provider.extend({ version: z.int() })
export type ProviderRow = z.infer<typeof Versioned>

const ownColumns = sql`p.id, p.environment_id, p.type, ${columnsOf('p', changeableNames(provider))}`
const columns = sql`${ownColumns}, e.tenant_id, e.project_id, p.slug,
  case when p.client_secret is null then 0 else 1 end as has_client_secret,
  case when p.private_key is null then 0 else 1 end as has_private_key,
  e.issuer || '/oauth/callback/' || p.id as callback_url, e.issuer || '/oauth/signed-out/' || p.id as post_logout_redirect_uri,
  e.issuer || '/oauth/backchannel/' || p.id as backchannel_logout_uri,  p.last_success_at, p.last_failure, p.version, p.created_at, p.updated_at`

export const {
  page: pageOfProviders,
  list: listProviders,
  find: findProvider,
} = readerOf({ Shown: Provider, Row: Versioned }, { table: 'providers', alias: 'p', columns })

const Upstream = Provider.omit({
  tenant_id: true,
  project_id: true,
  slug: true,
  has_client_secret: true,
  has_private_key: true,
  callback_url: true,
  post_logout_redirect_uri: true,
  backchannel_logout_uri: true,
  last_failure: true,
  created_at: true,
  updated_at: true,
}).extend({
  client_secret: z.string().nullable(),
  private_key: z.string().nullable(),
  last_success_at: z.date().nullable(),
  last_failed_at: z.date().nullable(),
})
/** A provider with its sealed secrets, for a sign-in. */
export type Upstream = z.infer<typeof Upstream>

/** Finds an enabled provider by the id as sent. A disabled provider neither signs in nor links. */
export async function findUpstream(db: Db, environment_id: EnvironmentId, id: string): Promise<Upstream | null> {
  const provider = await findWithSecrets(db, environment_id, id)
  return provider?.enabled ? provider : null
}

/** The same, also for a disabled one: for its check. */
export async function findWithSecrets(db: Db, environment_id: EnvironmentId, id: string): Promise<Upstream | null> {
  if (!ProviderId.safeParse(id).success) return null
  return db.of(environment_id).maybeOne(
    Upstream,
    sql`select ${ownColumns}, p.client_secret, p.private_key, p.last_success_at, p.last_failed_at from providers p
         where p.environment_id = ${environment_id} and p.id = ${id}`,
  )
}

/** A session whose sign-out leads to its provider. */
export interface UpstreamSessionRow {
  session_id: string
  /** Sealed for the row of the session. */
  id_token: string | null
  provider: Upstream
}

const OfSession = z.object({
  session_id: z.string(),
  provider_id: z.string(),
  issuer: z.string().nullable(),
  id_token: z.string().nullable(),
})

/**
 * The first of these sessions, in their order, that began at an enabled provider which signs people out. A browser has few sessions. A
 * provider that has moved to another issuer since is ignored: that one knows no such session, and its ID token is not for it.
 */
export async function findUpstreamSession(
  db: Db,
  environment_id: EnvironmentId,
  session_ids: readonly string[],
): Promise<UpstreamSessionRow | null> {
  if (session_ids.length === 0) return null
  const rows = await db.of(environment_id).all(
    OfSession,
    sql`select id as session_id, provider_id, upstream_id_token as id_token,
               (select i.issuer from identities i where i.id = sessions.began_with and ${inEnvironment(environment_id, 'i')}) as issuer
          from sessions
         where environment_id = ${environment_id} and id in (${list(session_ids)}) and provider_id is not null`,
  )
  for (const row of rows.toSorted((a, b) => session_ids.indexOf(a.session_id) - session_ids.indexOf(b.session_id))) {
    const provider = await findUpstream(db, environment_id, row.provider_id)
    if (provider?.sign_out === 'rp_initiated' && row.issuer === issuerOfProvider(provider))
      return { session_id: row.session_id, id_token: row.id_token, provider }
  }
  return null
}

/** An outcome of the same kind within this time writes nothing, so that the sign-ins at a provider do not queue behind its row. */
const noted_ms = 60_000

/** Notes that a person signed in. `null` where the row says so already. The provider does not change, so the version stays. */
export function noteSuccess({ environment_id, id, last_success_at, last_failed_at }: Upstream, now: Date): OfEnvironment | null {
  const is_noted =
    last_success_at !== null && now.getTime() - last_success_at.getTime() < noted_ms && (last_failed_at ?? 0) < last_success_at
  return is_noted ? null : sql`update providers set last_success_at = ${now} where environment_id = ${environment_id} and id = ${id}`
}

/** Notes a failure that the provider or its settings caused. */
export function noteFailure(
  { environment_id, id }: Pick<Upstream, 'environment_id' | 'id'>,
  { cause, detail, is_checked = false }: UpstreamFailure,
  now: Date,
): OfEnvironment {
  const failure: ProviderFailure = { at: now.toISOString(), cause, detail }
  return sql`update providers set last_failed_at = ${now}, last_failure = ${failure}, last_failure_is_checked = ${is_checked}
     where environment_id = ${environment_id} and id = ${id}
       and (coalesce(last_failed_at, 0) < ${new Date(now.getTime() - noted_ms)} or coalesce(last_success_at, 0) >= last_failed_at
            or last_failure not like ${`%"cause":"${cause}"%`})`
}

/** Forgets a failure that a check disproved. */
export const forgetFailure = ({ environment_id, id }: Pick<Upstream, 'environment_id' | 'id'>): Statement =>
  sql`update providers set last_failed_at = null, last_failure = null
       where environment_id = ${environment_id} and id = ${id} and last_failure_is_checked = 1`

/**
 * The name of the provider `p` in lists of several. Where another one of the environment has the same name, its slug is added: people and
 * developers can then tell which is meant. It reads the providers of the environment, which a quota bounds.
 */
export const distinctName = (environment_id: EnvironmentId): Statement =>
  sql`case when exists (select 1 from providers namesakes where namesakes.environment_id = ${environment_id}
                           and namesakes.display_name = p.display_name and namesakes.id <> p.id)
           then p.display_name || ' (' || p.slug || ')' else p.display_name end`

const Offered = Provider.pick({ id: true, type: true, display_name: true })

/** Finds the providers that the sign-in page offers. A quota bounds them. */
export function findOfferedProviders(db: Db, environment_id: EnvironmentId) {
  return db.of(environment_id).all(
    Offered,
    sql`select p.id, p.type, ${distinctName(environment_id)} as display_name
            from providers p where p.environment_id = ${environment_id} and p.enabled = 1 order by p.id`,
  )
}

export type SealedSecrets = Record<'client_secret' | 'private_key', string | null>
/** `undefined` keeps what is stored. */
export type KeptOrSealed = Record<keyof SealedSecrets, string | null | undefined>

/** The environment has fewer than `most` providers, disabled ones included. Read it in a batch that holds the environment. */
export const roomForProvider = (environment_id: EnvironmentId, most: number) =>
  sql`(select count(*) from providers where environment_id = ${environment_id}) < ${most}`

/** A time is stored as a number. */
function columnsOfFields(fields: ProviderFields) {
  const { secret_expires_at: time, ...others } = fieldsOf(provider, fields)
  return { ...others, secret_expires_at: time === null ? null : new Date(time) }
}

/**
 * Fails as a guard if the slug or the id is taken in the environment. The number of the provider begins at the time, so that what began at
 * a deleted one with the same id stays ended.
 */
export function insertProvider(
  environment_id: EnvironmentId,
  { id, slug, type }: { id: string; slug: string; type: string },
  { fields, sealed }: { fields: ProviderFields; sealed: SealedSecrets },
  now: Date,
): OfEnvironment {
  const facts = { environment_id, id, slug, type, ...sealed, ending: now, created_at: now, updated_at: now }
  return guard(sql`${insertInto('providers', { ...facts, ...columnsOfFields(fields) })} on conflict do nothing`)
}

/**
 * Whether the environment has a provider with this id, or what began at a deleted one still ends: its identities go by the id, a slice at
 * a time.
 */
export const hasProviderId = async (db: Db, environment_id: EnvironmentId, id: string): Promise<boolean> => {
  const found = await db.of(environment_id).all(
    z.object({ id: z.string() }),
    sql`select id from providers where environment_id = ${environment_id} and id = ${id}
        union all
        select subject as id from endings where environment_id = ${environment_id} and kind = 'erased_provider' and subject = ${id}`,
  )
  return found.length > 0
}

/** Changes a provider. A secret that is undefined stays as it is. Disabling ends what began there. */
export function updateProvider(current: ProviderRow, fields: ProviderFields, sealed: KeptOrSealed, now: Date): Statement[] {
  const changed = guard(sql`update providers
      set ${assignments({ ...columnsOfFields(fields), ...sealed })}, version = version + 1, updated_at = ${now}
    where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version}`)
  return [changed, ...(current.enabled && !fields.enabled ? endDisabled(current.environment_id, 'provider', current.id, now) : [])]
}

/** Serialises the links of a provider with its deletion. Fails as a guard if the provider is deleted or, with a version, changed. */
export const holdProvider = (environment_id: EnvironmentId, id: string, version?: number): Statement =>
  guard(sql`update providers set version = version
    where environment_id = ${environment_id} and id = ${id} ${version === undefined ? sql`` : sql`and version = ${version}`}`)

/** Deletes a provider. Its sessions and grants end with its row; the identities follow (`domain/sessions/ending-slices.ts`). */
export const deleteProvider = ({ environment_id, id, version }: ProviderRow, origin: Origin, now: Date): Statement[] => [
  guard(sql`delete from providers where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
  followErasedProvider(environment_id, id, origin, now),
]

const Identity = z.object({ id: z.string(), user_id: z.custom<`usr_${string}`>(), email: z.string(), password_hash: z.string().nullable() })

/** Identifies a person at a provider. A subject is unique within its issuer only (OIDC Core §2). */
export interface UpstreamSubject {
  provider_id: string
  /** See `issuerOfProvider`. */
  issuer: string
  subject: string
}

/** Finds the user with this subject. */
export function findIdentity(db: Db, environment_id: EnvironmentId, { provider_id, issuer, subject }: UpstreamSubject) {
  return db.of(environment_id).maybeOne(
    Identity,
    sql`select i.id, i.user_id, u.email, u.password_hash
          from identities i join users u on ${sameEnvironment('u', 'i', environment_id)} and u.id = i.user_id
         where i.environment_id = ${environment_id} and i.provider_id = ${provider_id} and i.issuer = ${issuer} and i.subject = ${subject}`,
  )
}

/** A person has few. More would make the deletion of an account change any number of rows. */
const most_identities = 100

/**
 * Links a subject to a user. Fails as a guard if the user does not exist, has the most identities, or the subject already has a user.
 * Reading the user is safe only in a batch that also writes the user's row, because `deleteUser` deletes that row: in the batch of a
 * sign-in `noteSignIn` or `insertUser` does. For the provider `holdProvider` comes first in the batch.
 */
export function insertIdentity(
  environment_id: EnvironmentId,
  { provider_id, issuer, subject }: UpstreamSubject,
  { id, user_id }: { id: string; user_id: string },
  now: Date,
): OfEnvironment {
  return guard(sql`insert into identities (environment_id, provider_id, issuer, subject, user_id, id, created_at, last_used_at)
    select environment_id, ${provider_id}, ${issuer}, ${subject}, id, ${id}, ${now}, ${now}
      from users where environment_id = ${environment_id} and id = ${user_id}
       and (select count(*) from identities i where i.user_id = ${user_id} and ${inEnvironment(environment_id, 'i')}) < ${most_identities}
    on conflict (environment_id, provider_id, issuer, subject) do nothing`)
}

/** Records a sign-in with an identity. Fails as a guard if the identity was removed after it was read. */
export function noteIdentityUse(environment_id: EnvironmentId, { provider_id, issuer, subject }: UpstreamSubject, now: Date): Statement {
  return guard(sql`update identities set last_used_at = ${now}
    where environment_id = ${environment_id} and provider_id = ${provider_id} and issuer = ${issuer} and subject = ${subject}`)
}
