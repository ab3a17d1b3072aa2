/**
 * Stores metadata clients (decision 0183): each record has the document as it was read last, so nothing is read at the token endpoint. A client counts
 * while it is not disabled and the setting admits it, which the column `admitted` says: every batch that writes it holds the settings.
 */
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { MetadataClient, most_people } from '@ostiary/contract/metadata-client.ts'
import type { MetadataClients } from '@ostiary/contract/settings.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { changedFields } from '../../base/changed-fields.ts'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { assignments, insertInto } from '../../db/rows.ts'
import type { ClientMetadata } from '../../protocol/client-metadata.ts'
import { bySystem, originOf } from '../events/origin.ts'
import { insertEvent } from '../events/store.ts'
import { peopleWhoConsented } from '../sessions/consents.ts'
import { endDisabled, followErasedApplication, followUnadmitted } from '../sessions/endings.ts'
import { effectiveSettings } from '../tenancy/settings.ts'
import { haveRoom, holdSettings } from '../tenancy/store.ts'

const Row = MetadataClient.omit({ people: true }).extend({
  jwks: z.record(z.string(), z.unknown()).nullable(),
  jwks_uri: z.string().nullable(),
  scope: z.array(z.string()).nullable(),
  allows_refresh: z.boolean(),
  admitted: z.boolean(),
  version: z.int(),
})
export type MetadataClientRow = z.infer<typeof Row>

/** A record for the API. The protocol reads none: it would count people at each request. */
const Counted = Row.extend({ people: z.coerce.number() })
export type CountedClient = z.infer<typeof Counted>

const columns = sql`c.id, e.tenant_id, e.project_id, c.environment_id, c.client_id, c.client_name, c.host, c.redirect_uris,
  c.token_endpoint_auth_method, c.jwks, c.jwks_uri, c.scope, c.allows_refresh, c.listed, c.disabled, c.admitted, c.added_by, c.document_read_at,
  c.last_used_at, c.version, c.created_at, c.updated_at`
const from = sql`from metadata_clients c join environments e on e.id = c.environment_id`

const counted = (environment_id: EnvironmentId) =>
  sql`select ${columns}, (${peopleWhoConsented(environment_id, sql`c.id`, most_people)}) as people ${from} where c.environment_id = ${environment_id}`

/** The record as the API shows it. */
export const shown = ({ jwks, jwks_uri, scope, allows_refresh, admitted, ...record }: CountedClient) => record

export const listMetadataClients = (
  db: Db,
  environment_id: EnvironmentId,
  client_id: string | undefined,
  rest: Statement,
): Promise<CountedClient[]> =>
  db
    .of(environment_id)
    .all(
      Counted,
      sql`select * from (${counted(environment_id)} ${client_id === undefined ? sql`` : sql`and c.client_id = ${client_id}`}) listed where 1 = 1 ${rest}`,
    )

export const findMetadataClient = (db: Db, environment_id: EnvironmentId, id: string): Promise<CountedClient | null> =>
  db.of(environment_id).maybeOne(Counted, sql`${counted(environment_id)} and c.id = ${id}`)

/** Finds the record of a URL. */
export const findByUrl = (db: Db, environment_id: EnvironmentId, url: string): Promise<MetadataClientRow | null> =>
  db.of(environment_id).maybeOne(Row, sql`select ${columns} ${from} where c.client_id = ${url} and c.environment_id = ${environment_id}`)

/** The settings as an environment stores them. */
export const modeOf = ({ type, settings }: { type: EnvironmentType; settings: Record<string, unknown> }): MetadataClients =>
  effectiveSettings(type, settings).oauth.metadata_clients

/** Whether the setting admits a client, besides a disabled one. */
export const admits = (mode: MetadataClients, { listed }: { listed: boolean }): boolean => mode === 'any' || (mode === 'listed' && listed)

const fieldsOf = ({
  client_name,
  host,
  redirect_uris,
  token_endpoint_auth_method,
  jwks,
  jwks_uri,
  scope,
  allows_refresh,
}: ClientMetadata) => ({
  client_name,
  host,
  redirect_uris: [...redirect_uris],
  token_endpoint_auth_method,
  jwks: jwks as Record<string, unknown> | null, // as: a JSON object
  jwks_uri,
  scope: scope === null ? null : [...scope],
  allows_refresh,
})

/** The settings that a batch depends on. */
export interface Held {
  tenant_id: TenantId
  environment_id: EnvironmentId
  settings_version: number
  mode: MetadataClients
}

export const hold = ({ tenant_id, environment_id, settings_version }: Held): Statement =>
  holdSettings(tenant_id, environment_id, settings_version)

export interface NewRecord {
  id: string
  client: ClientMetadata
  read_at: Date
  listed: boolean
  added_by: MetadataClient['added_by']
}

/** Fails as a guard if the environment has a record of the URL. */
function insertMetadataClient({ environment_id, mode }: Held, { id, client, read_at, listed, added_by }: NewRecord, now: Date): Statement {
  const facts = { environment_id, id, client_id: client.client_id, listed, admitted: admits(mode, { listed }), added_by }
  const row = { ...facts, ...fieldsOf(client), document_read_at: read_at, created_at: now, updated_at: now }
  return guard(insertInto('metadata_clients', row, sql`on conflict do nothing`))
}

/** No grant of the row `m` can give a token. */
const withoutGrants = (environment_id: EnvironmentId, now: Date): Statement => sql`not exists (
  select 1 from grants g where g.application_id = m.id and ${inEnvironment(environment_id, 'g')} and coalesce(g.ended_at, 0) = 0 and g.expires_at > ${now})`

const Replaced = Row.pick({ id: true, client_id: true, version: true })
export type Replaced = z.infer<typeof Replaced>
const Count = z.object({ count: z.coerce.number() })

/** The room for a new record: `free`, the record that it replaces, or `full` where neither is there. */
export async function roomFor(db: Db, environment_id: EnvironmentId, most: number, now: Date): Promise<'free' | Replaced | 'full'> {
  const of = db.of(environment_id)
  const counted = await of.maybeOne(Count, sql`select count(*) as count from metadata_clients where environment_id = ${environment_id}`)
  if (counted === null || counted.count < most) return 'free'
  // A disabled one is kept: without its record the client would get in again.
  const unused = await of.maybeOne(
    Replaced,
    sql`select m.id, m.client_id, m.version from metadata_clients m
         where m.environment_id = ${environment_id} and m.listed = 0 and m.disabled = 0 and ${withoutGrants(environment_id, now)}
         order by coalesce(m.last_used_at, m.created_at), m.id limit 1`,
  )
  return unused ?? 'full'
}

/** The parts of a batch that adds a record. It fails as a guard where the environment has a record of the URL, or the room is gone. */
export interface Adding {
  /** The settings are held, room is made, and the record is written. */
  record: Statement[]
  /** Rows that follow, later in `lock_order`. */
  follow: Statement[]
}

export function addMetadataClient(
  services: { newId: (prefix: 'evt') => string },
  held: Held,
  added: NewRecord,
  { room, most, now, request_id }: { room: 'free' | Replaced; most: number; now: Date; request_id: string },
): Adding {
  const { environment_id } = held
  const insert = insertMetadataClient(held, added, now)
  if (room === 'free') {
    const has_room = sql`(select count(*) from metadata_clients where environment_id = ${environment_id}) < ${most}`
    return { record: [...haveRoom(hold(held), has_room), insert], follow: [] }
  }
  const { id, client_id, version } = room
  const gone = { type: 'metadata_client.deleted' as const, application_id: id, data: { metadata_client_id: id, client_id } }
  return {
    record: [
      hold(held),
      guard(sql`delete from metadata_clients as m
        where m.environment_id = ${environment_id} and m.id = ${id} and m.version = ${version} and m.listed = 0 and m.disabled = 0
          and ${withoutGrants(environment_id, now)}`),
      insert,
    ],
    follow: [
      followErasedApplication(environment_id, id, now),
      insertEvent(environment_id, originOf(services, bySystem, request_id), gone, now),
    ],
  }
}

/** The decision of an administrator. */
export interface Decision {
  listed: boolean
  disabled: boolean
}

/** Fails as a guard if the record changed since it was read. A client that is no longer admitted ends with everything of it. `hold` stands before it. */
export function decideMetadataClient(current: MetadataClientRow, { listed, disabled }: Decision, { mode }: Held, now: Date): Statement[] {
  const { environment_id, id, version } = current
  const admitted = admits(mode, { listed })
  const ends = (disabled && !current.disabled) || (current.admitted && !admitted)
  return [
    guard(sql`update metadata_clients set ${assignments({ listed, disabled, admitted })}, version = version + 1, updated_at = ${now}
      where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
    ...(ends ? endDisabled(environment_id, 'metadata_client', id, now) : []),
  ]
}

/** Deletes the record. Its grants and consents follow. */
export const deleteMetadataClient = ({ environment_id, id, version }: MetadataClientRow, now: Date): Statement[] => [
  guard(sql`delete from metadata_clients where environment_id = ${environment_id} and id = ${id} and version = ${version}`),
  followErasedApplication(environment_id, id, now),
]

/** The fields of the record that the document changes. */
export function changedBy(current: MetadataClientRow, client: ClientMetadata): string[] {
  const fields = fieldsOf(client)
  return changedFields(Object.keys(fields), current, fields)
}

/** The record with the document that was read now. */
export const withDocument = (current: CountedClient, client: ClientMetadata, read_at: Date, now: Date): CountedClient => ({
  ...current,
  ...fieldsOf(client),
  document_read_at: read_at.toISOString(),
  version: current.version + 1,
  updated_at: now.toISOString(),
})

/** The document was read again, and is the same. */
export const noteReading = ({ environment_id, id }: MetadataClientRow, read_at: Date) =>
  sql`update metadata_clients set document_read_at = ${read_at}
       where environment_id = ${environment_id} and id = ${id} and document_read_at < ${read_at}`

/** Fails as a guard if the record changed since it was read. */
export const storeDocument = (
  { environment_id, id, version }: MetadataClientRow,
  client: ClientMetadata,
  read_at: Date,
  now: Date,
): Statement =>
  guard(sql`update metadata_clients set ${assignments({ ...fieldsOf(client), document_read_at: read_at })}, version = version + 1, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and version = ${version}`)

/**
 * Follows a change of the setting, in its batch. As many rows as the quota allows change at once: they are the number that everything of these
 * clients is compared with.
 */
export function followSettings(environment_id: EnvironmentId, before: MetadataClients, after: MetadataClients, now: Date): Statement[] {
  if (before === after) return []
  const admitted = { off: sql`0`, listed: sql`listed`, any: sql`1` }[after]
  return [
    sql`update metadata_clients set ending = ending + case when admitted = 1 then 1 else 0 end, admitted = ${admitted}, updated_at = ${now}
      where environment_id = ${environment_id} and admitted <> ${admitted}`,
    followUnadmitted(environment_id, sql`admitted = 0 and updated_at = ${now}`, now),
  ]
}
