/**
 * Clients whose client id is the URL of a document about themselves (decision 0183). An authorization request reads the document; the token and
 * revocation endpoints use the record, so a client whose host is down keeps the access that it has.
 */
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { Reason } from '../base/reason.ts'
import { reason } from '../base/reason.ts'
import { sourceOf } from '../base/source.ts'
import { findClient } from '../domain/applications/store.ts'
import { bySystem, originOf } from '../domain/events/origin.ts'
import { insertEvent } from '../domain/events/store.ts'
import { admits, changedBy, findByUrl, type MetadataClientRow, noteReading, storeDocument } from '../domain/metadata-clients/store.ts'
import type { Client, OfMetadata } from '../protocol/client.ts'
import { type ClientMetadata, isClientUrl } from '../protocol/client-metadata.ts'
import { isRegistered } from '../protocol/redirect-uris.ts'
import type { OidcCall, OidcServices } from './call.ts'
import type { ReadDocument } from './client-documents.ts'

/** Why a request of a metadata client goes no further. */
export interface RefusedClient {
  code: 'metadata_client_unlisted' | 'metadata_client_unavailable' | 'metadata_client_invalid' | 'metadata_client_busy'
  why: Reason
  retry_after_s?: number
}

/** The client of a request that it sends itself: an application, or a metadata client by its record. */
export async function findSentClient({ db }: OidcServices, { issuer }: OidcCall, client_id: string): Promise<Client | null> {
  const { environment_id, settings } = issuer
  if (!isClientUrl(client_id)) return findClient(db, environment_id, client_id)
  if (settings.oauth.metadata_clients === 'off') return null
  const row = await findByUrl(db, environment_id, client_id)
  return row?.admitted ? ofRecord(row) : null
}

/** The client of an authorization request; `null` where there is none. Reads the document of a metadata client. */
export async function findRequestedClient(
  services: OidcServices,
  call: OidcCall,
  { client_id = '', redirect_uri }: Readonly<Record<string, string>>,
): Promise<{ client: Client | null } | { refused: RefusedClient }> {
  const { issuer } = call
  const mode = issuer.settings.oauth.metadata_clients
  if (mode === 'off' || !isClientUrl(client_id)) return { client: await findClient(services.db, issuer.environment_id, client_id) }
  const row = await findByUrl(services.db, issuer.environment_id, client_id)
  if (row?.disabled) return unlisted(reason`The metadata client is disabled.`)
  if (!admits(mode, { listed: row?.listed ?? false })) return unlisted(reason`No administrator has approved the URL of the client.`)
  const asked = { environment_id: issuer.environment_id, url: client_id, has_record: row !== null, source: sourceOf(call.ip) }
  let read = await services.client_documents.read(asked)
  if ('refused' in read) return refusedBy(read)
  if (redirect_uri !== undefined && !isRegistered(ofDocument(read, row), redirect_uri)) {
    const again = await services.client_documents.read({ ...asked, fresh_after_s: most_outdated_s })
    if (!('refused' in again)) read = again
  }
  if (row !== null) await keepDocument(services, call, row, read)
  return { client: ofDocument(read, row) }
}

/** A redirect URI that an older document lacks may be in the present one. */
const most_outdated_s = 60

const unlisted = (why: Reason) => ({ refused: { code: 'metadata_client_unlisted' as const, why } })

function refusedBy({ refused, why, ...more }: { refused: 'unavailable' | 'invalid' | 'busy'; why: Reason; retry_after_s?: number }) {
  return { refused: { code: `metadata_client_${refused}` as const, why, ...more } }
}

/** Brings the record up to date, for the endpoints that read no document. Of parallel requests one writes it. */
async function keepDocument(
  services: OidcServices,
  { now, request_id }: OidcCall,
  row: MetadataClientRow,
  { client, read_at }: ReadDocument,
) {
  if (Date.parse(row.document_read_at) >= read_at.getTime()) return
  const { environment_id, id, client_id } = row
  const changed = changedBy(row, client)
  if (changed.length === 0) return void (await services.db.of(environment_id).run(noteReading(row, read_at)))
  const event = {
    type: 'metadata_client.updated' as const,
    application_id: id,
    data: { metadata_client_id: id, client_id, changed },
  }
  await services.db
    .of(environment_id)
    .batch([storeDocument(row, client, read_at, now), insertEvent(environment_id, originOf(services, bySystem, request_id), event, now)])
}

/** The fields that every metadata client has in common. */
const common = {
  application_type: 'native',
  post_logout_redirect_uris: [],
  unknown_scopes: 'reject',
  allowed_roles: [],
  organizations: 'none',
  roles_claim: null,
  data_claims: false,
  require_pkce: true,
  nonce_replaces_pkce: false,
  consent: 'ask',
  allow_loopback_port: false,
  logo_uri: null,
  initiate_login_uri: null,
  backchannel_logout_uri: null,
  client_secrets: [],
} as const

type Described = Pick<
  ClientMetadata,
  'client_name' | 'redirect_uris' | 'token_endpoint_auth_method' | 'jwks_uri' | 'scope' | 'allows_refresh' | 'host'
> & { jwks: object | null }

function clientOf(described: Described, { id, disabled, metadata }: { id: string; disabled: boolean; metadata: OfMetadata }): Client {
  const { client_name, redirect_uris, token_endpoint_auth_method, jwks, jwks_uri, scope, allows_refresh } = described
  const isAllowed = (name: string) => (scope === null || scope.includes(name)) && (name !== 'offline_access' || allows_refresh)
  return {
    ...common,
    post_logout_redirect_uris: [],
    allowed_roles: [],
    client_id: id,
    name: client_name,
    redirect_uris: [...redirect_uris],
    token_endpoint_auth_method,
    allowed_scopes: oidcScopes.filter(isAllowed),
    disabled,
    jwks: jwks as Client['jwks'], // as: `readClientMetadata` has read it by the schema of applications
    jwks_uri,
    metadata,
  }
}

const ofRecord = (row: MetadataClientRow): Client =>
  clientOf(row, {
    id: row.id,
    disabled: row.disabled,
    metadata: { url: row.client_id, host: row.host, listed: row.listed, scope: row.scope, unrecorded: null },
  })

/** Without a record the client has its URL as id: nothing is stored by it. */
function ofDocument({ client, read_at }: ReadDocument, row: MetadataClientRow | null): Client {
  const { client_id: url, host, scope } = client
  const unrecorded = row === null ? { document: client, read_at } : null
  return clientOf(client, { id: row?.id ?? url, disabled: false, metadata: { url, host, listed: row?.listed ?? false, scope, unrecorded } })
}

/** The name by which people know a client: that of a metadata client is its own choice, so its host stands beside it. */
export const shownName = ({ name, metadata }: Pick<Client, 'name' | 'metadata'>): string => (metadata ? `${name} (${metadata.host})` : name)
