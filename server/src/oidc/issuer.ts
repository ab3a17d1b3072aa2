/**
 * An environment as an OpenID Provider: its issuer URL, settings and keys. A request gets it by the id in its path, which
 * `host-routing.ts` puts there for an issuer with a host of its own.
 * A bounded cache has the parsed values. One read per request checks their version, so a change applies at once in every process. On
 * PostgreSQL a request begins with the cached value, and that read goes out beside its first look-ups (`use`, docs/decisions/0173).
 */
import type { IncomingMessage } from 'node:http'
import { type EnvironmentId, EnvironmentId as EnvironmentIdSchema } from '@ostiary/contract/ids.ts'
import type { StoredSettings } from '@ostiary/contract/settings.ts'
import { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { createBoundedMap } from '../base/bounded-map.ts'
import { createLane } from '../base/lane.ts'
import { onPremise, withoutPremise } from '../base/premise.ts'
import { sql } from '../db/db.ts'
import { atCoordinator } from '../db/environment.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { type MemberRoles, readMemberRoles, weightOfMemberRoles } from '../domain/organizations/giving.ts'
import { readAccess } from '../domain/roles/access.ts'
import { effectiveSettings } from '../domain/tenancy/settings.ts'
import { issuerAtHost } from '../http/place.ts'
import { service_name } from '../pages/service.ts'
import { type Access, no_access, weightOf } from '../protocol/roles.ts'
import { type Es256Key, loadEs256Keys } from './es256-keys.ts'
import { keepByVersion } from './kept-by-version.ts'
import type { KeyPool } from './key-pool.ts'
import { loadErasedKeys, loadSigningKeys, type PublicKey, type SigningKey } from './signing-keys.ts'

export interface Issuer {
  readonly tenant_id: string
  readonly project_id: string
  readonly environment_id: EnvironmentId
  readonly type: EnvironmentType
  /** The `iss` of every token. It is stored with the environment, never derived. */
  readonly url: string
  /** Whether the issuer is an origin of its own, and not an address below the base URL. */
  readonly has_own_host: boolean
  /** Whether it is the environment of the deployment itself, in which administrators sign in. */
  readonly is_root: boolean
  /** The name that sign-in pages show. */
  readonly display_name: string
  readonly settings: StoredSettings
  /** The version of the settings. */
  readonly settings_version: number
  /** For RS256, which signs every kind of token. */
  readonly keys: readonly SigningKey[]
  /** For access tokens of resource servers that ask for ES256; empty where none ever did. */
  readonly es256_keys: readonly Es256Key[]
  /** Keys that can have signed an access token. */
  readonly access_token_keys: readonly PublicKey[]
  /** Keys whose tokens have all expired, which verify nothing but an `id_token_hint`. */
  readonly erased_keys: readonly PublicKey[]
  /** Resolves to what roles give here, now. */
  readonly access: () => Promise<Access>
  /** Resolves to the roles of members, now: a later call can give later ones. */
  readonly memberRoles: () => Promise<MemberRoles>
}

/** `test.fixed_code`: the digits of every emailed code of a Test environment, where it has them. */
export const fixedCodeOf = ({ type, settings }: Issuer): string | null => (type === 'test' ? settings.test.fixed_code : null)

const Stamp = z.object({ stamp: z.string() })

const versions = sql`e.version || '.' || e.settings_version || '.' || e.keys_version || '.' || p.version || '.' || e.roles_version`

const stampOf = (environment_id: EnvironmentId) =>
  sql`select ${versions} as stamp
        from environments e join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
       where e.id = ${environment_id}`
/** For `asOf`, which looks at the tables of a statement and not at its values. */
const any_stamp = stampOf('env_')

const Current = z.object({ current_id: z.string() })

/** Finds the environment where it still has this stamp. */
const currentAt = (environment_id: EnvironmentId, stamp: string) =>
  sql`select e.id as current_id
        from environments e join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
       where e.id = ${environment_id} and ${versions} = ${stamp}`

const EnvironmentRow = z.object({
  tenant_id: z.string(),
  project_id: z.string(),
  type: EnvironmentType,
  issuer: z.string(),
  settings: z.record(z.string(), z.unknown()),
  settings_version: z.int(),
  project_name: z.string(),
  roles_version: z.int(),
  root: z.record(z.string(), z.string()).nullable(),
})

const most_cached = 5_000

/**
 * In bytes, of what roles give. An environment with the most that it can have needs 65 million, and 5,000 issuers are cached: without a bound
 * the tenants of some hundred of them could fill the memory. So it is read when it is first asked for, and given up by its weight.
 */
const most_access = 128 * 2 ** 20

/** The same of the roles of members. An environment with the most that it can have, and as unlike as they can be, needs 13 million. */
const most_member_roles = 32 * 2 ** 20

const nothing_restricted = Promise.resolve(no_access)
const no_roles: MemberRoles = new Map()

const RolesVersion = z.object({ roles_version: z.int() })

export type Issuers = ReturnType<typeof createIssuers>

export function createIssuers(deployment: Deployment, pool: KeyPool) {
  const { db } = deployment
  const cache = createBoundedMap<EnvironmentId, { stamp: string; as_of: number; issuer: Promise<Issuer | null> }>(most_cached)
  const lane = createLane()
  const keptAccess = keepByVersion({ most: most_access, read: (id) => readAccess(db, id, lane), weightOf })
  const keptMemberRoles = keepByVersion({
    most: most_member_roles,
    read: (id) => readMemberRoles(db, id, lane),
    weightOf: weightOfMemberRoles,
  })
  const is_checked_by_read = Number.isNaN(db.versionOf(any_stamp))

  async function load(environment_id: EnvironmentId): Promise<Issuer | null> {
    const row = await db.of(environment_id).maybeOne(
      EnvironmentRow,
      atCoordinator`select e.tenant_id, e.project_id, e.type, e.issuer, e.settings, e.settings_version, p.name as project_name, e.roles_version,
                 (select d.value from deployment d where d.name = 'root') as root
            from environments e join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
           where e.id = ${environment_id}`,
    )
    if (!row) return null
    const [keys, es256_keys, erased_keys] = await Promise.all([
      loadSigningKeys(deployment, pool, environment_id),
      loadEs256Keys(deployment, pool, { environment_id, type: row.type }),
      loadErasedKeys(deployment, environment_id),
    ])
    const is_root = row.root?.environment_id === environment_id
    const settings = effectiveSettings(row.type, row.settings) as StoredSettings // as: Live lacks only the groups that no code reads in Live
    return {
      tenant_id: row.tenant_id,
      project_id: row.project_id,
      environment_id,
      type: row.type,
      url: row.issuer,
      has_own_host: new URL(row.issuer).pathname === '/',
      is_root,
      display_name: settings.branding.display_name ?? (is_root ? service_name : row.project_name),
      settings,
      settings_version: row.settings_version,
      keys,
      es256_keys,
      access_token_keys: [...keys, ...es256_keys],
      erased_keys,
      access: () => accessAt(environment_id, row.roles_version),
      memberRoles: () => memberRoles(environment_id),
    }
  }

  /** Most environments have no roles, and no read for them. */
  const accessAt = (environment_id: EnvironmentId, roles_version: number): Promise<Access> =>
    roles_version === 0 ? nothing_restricted : keptAccess(environment_id, roles_version)

  /** The version is read again at each call: a change that fails because another came first is judged by what that one left. */
  async function memberRoles(environment_id: EnvironmentId): Promise<MemberRoles> {
    const row = await db
      .of(environment_id)
      .maybeOne(RolesVersion, sql`select e.roles_version from environments e where e.id = ${environment_id}`)
    return row === null || row.roles_version === 0 ? no_roles : keptMemberRoles(environment_id, row.roles_version)
  }

  async function findCurrent(environment_id: EnvironmentId, as_of: number): Promise<Issuer | null> {
    if (!cache.get(environment_id) && !EnvironmentIdSchema.safeParse(environment_id).success) return null
    const current = await db.of(environment_id).maybeOne(Stamp, stampOf(environment_id))
    if (!current) return null
    const known = cache.get(environment_id) // only now: a request that read the stamp at the same time may have begun to load
    if (known?.stamp === current.stamp) {
      known.as_of = as_of
      return known.issuer
    }
    const issuer = withoutPremise(() => load(environment_id)) // other requests wait for it
    cache.set(environment_id, { stamp: current.stamp, as_of, issuer })
    issuer.catch(() => cache.delete(environment_id))
    return issuer
  }

  /** The current issuer of this environment; `null` where there is none. */
  function find(id: string): Promise<Issuer | null> {
    const environment_id = id as EnvironmentId // as: an id that is not in the cache is parsed
    const as_of = db.versionOf(any_stamp)
    const known = cache.get(environment_id)
    return known?.as_of === as_of ? known.issuer : findCurrent(environment_id, as_of)
  }

  /**
   * Runs work with the current issuer. Where only a read can tell whether the cached one is current, the work begins with the cached one, and
   * runs again from the start if that is outdated. So before the first row that it gets, it must change nothing but by the database.
   */
  async function use<T>(id: string, work: (issuer: Issuer | null) => Promise<T>): Promise<T> {
    const environment_id = id as EnvironmentId // as: only ids that were parsed are in the cache
    const known = is_checked_by_read ? cache.get(environment_id) : undefined
    if (known) {
      const issuer = await known.issuer
      const isCurrent = async () => (await db.of(environment_id).maybeOne(Current, currentAt(environment_id, known.stamp))) !== null
      const done = await onPremise(isCurrent, () => work(issuer))
      if (done) return done.result
    }
    return work(await find(id))
  }

  return { find, use, memberRoles }
}

/** The issuer, where it has the address of the request: its own host, or the base URL. */
export const issuerAt = (request: IncomingMessage, issuer: Issuer | null): Issuer | null =>
  issuer?.has_own_host === (issuerAtHost(request) !== null) ? issuer : null
