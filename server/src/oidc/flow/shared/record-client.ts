/** The record of a metadata client, which the first consent of a person makes (decision 0183). */
import type { TenantId } from '@ostiary/contract/ids.ts'
import { byUser, originOf } from '../../../domain/events/origin.ts'
import { insertEvent } from '../../../domain/events/store.ts'
import { type Adding, addMetadataClient, findByUrl, roomFor } from '../../../domain/metadata-clients/store.ts'
import type { Client } from '../../../protocol/client.ts'
import type { OidcCall, OidcServices } from '../../call.ts'

interface Recording {
  /** The id by which grants and consents know the client. */
  application_id: string
  /** Statements of the batch that stores the consent. */
  adding: Adding
}

const nothing: Adding = { record: [], follow: [] }

/** Where another request was first, the record of that one is used. */
export async function recordOf(services: OidcServices, call: OidcCall, client: Client, user_id: string): Promise<Recording | 'full'> {
  const unrecorded = client.metadata?.unrecorded
  if (!unrecorded) return { application_id: client.client_id, adding: nothing }
  const { db, newId, config } = services
  const { issuer, now, request_id } = call
  const { tenant_id, environment_id, settings, settings_version } = issuer
  const url = unrecorded.document.client_id
  const known = await findByUrl(db, environment_id, url)
  if (known) return { application_id: known.id, adding: nothing }
  const most = config.limits.metadata_clients
  const room = await roomFor(db, environment_id, most, now)
  if (room === 'full') return 'full'
  const id = newId('mcl')
  const held = { tenant_id: tenant_id as TenantId, environment_id, settings_version, mode: settings.oauth.metadata_clients } // as: the id of the tenant of the issuer
  const record = { id, client: unrecorded.document, read_at: unrecorded.read_at, listed: false, added_by: 'person' as const }
  const { record: written, follow } = addMetadataClient(services, held, record, { room, most, now, request_id })
  const event = {
    type: 'metadata_client.created' as const,
    user_id,
    application_id: id,
    data: { metadata_client_id: id, client_id: url, added_by: record.added_by },
  }
  return {
    application_id: id,
    adding: {
      record: written,
      follow: [...follow, insertEvent(environment_id, originOf(services, byUser(user_id), request_id), event, now)],
    },
  }
}

/** Whether a person can be asked: a first consent needs room for the record. */
export async function hasRoomFor(services: OidcServices, call: OidcCall, client: Client): Promise<boolean> {
  if (!client.metadata?.unrecorded) return true
  return (await roomFor(services.db, call.issuer.environment_id, services.config.limits.metadata_clients, call.now)) !== 'full'
}
