/** The endpoints of metadata clients (decision 0183). */
import { quotaDetail } from '../../base/config/limits.ts'
import { reason } from '../../base/reason.ts'
import { sourceOf } from '../../base/source.ts'
import { readPage } from '../../domain/lists/lists.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import * as store from '../../domain/metadata-clients/store.ts'
import { begun } from '../../domain/tenancy/objects.ts'
import { findSettings } from '../../domain/tenancy/store.ts'
import { badField, documentsBusy, found, notFound, refusedDocument, tooBusy } from '../../http/problem.ts'
import type { ReadDocument } from '../../oidc/client-documents.ts'
import { isClientUrl } from '../../protocol/client-metadata.ts'
import { environmentOf, finderOf, type PlatformCall } from '../environment.ts'
import type { AnyCall, Call, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const listMetadataClients: Handler<'listMetadataClients'> = async (services, call) => {
  const { id } = await environmentOf(services, call)
  const { client_id } = call.query
  const list = JSON.stringify(['metadata-clients', id, client_id ?? null])
  const page = await readPage(services, call, list, (rest) => store.listMetadataClients(services.db, id, client_id, rest))
  return { ...page, data: page.data.map(withoutVersion) }
}

const withoutVersion = (row: store.CountedClient) => {
  const { version: _, ...record } = store.shown(row)
  return record
}

export const getMetadataClient: Handler<'getMetadataClient'> = async (services, call) =>
  store.shown(await found((await finder(services, call))()))

const finder = (services: Services, call: Pick<Call<'getMetadataClient'>, 'caller' | 'params'>) =>
  finderOf(services, call, store.findMetadataClient, call.params.metadata_client_id)

/** The settings of the environment, which the batch of a change holds. */
async function settingsOf({ db }: Services, { caller, params }: PlatformCall): Promise<store.Held> {
  const row = await findSettings(db, caller.tenant_id, params.project_id ?? '', params.environment_id ?? '')
  if (!row) throw notFound()
  const { environment_id, version } = row
  return { tenant_id: caller.tenant_id, environment_id, settings_version: version, mode: store.modeOf(row) }
}

const most_tries = 10

export const createMetadataClient: Handler<'createMetadataClient'> = async (services, call) => {
  const { config, db, now, newId } = services
  const { body, commit, fail } = call
  const { client_id, listed = true } = body
  const environment = await environmentOf(services, call)
  const environment_id = environment.id
  if (!isClientUrl(client_id))
    throw badField(
      ['client_id'],
      'Expected the https URL of a document, with a path, as a URL parser writes it: no query, fragment or user info.',
    )
  const refuseTaken = () =>
    fail('identifier_taken', 'The environment has a record of this URL. Change that one.', {
      reason: reason`The environment has a record of the URL.`,
    })
  if (await store.findByUrl(db, environment_id, client_id)) refuseTaken()
  const { client, read_at } = await readNow(services, call, environment_id, client_id)
  const id = newId('mcl')
  for (let tries = 0; tries < most_tries; tries++) {
    const at = now()
    const held = await settingsOf(services, call)
    const most = config.limits.metadata_clients
    const room = await store.roomFor(db, environment_id, most, at)
    if (room === 'full') return fail('quota_exceeded', quotaDetail('metadata_clients', config.limits))
    const { client_name, host, redirect_uris, token_endpoint_auth_method } = client
    const record = {
      ...begun({ ...environment, environment_id, at }, { id, client_id }),
      ...{ client_name, host, redirect_uris: [...redirect_uris], token_endpoint_auth_method },
      ...{
        listed,
        disabled: false,
        added_by: 'administrator' as const,
        people: 0,
        document_read_at: read_at.toISOString(),
        last_used_at: null,
      },
    }
    const data = { metadata_client_id: id, client_id, added_by: record.added_by }
    const added = { id, client, read_at, listed, added_by: record.added_by }
    const adding = store.addMetadataClient(services, held, added, { room, most, now: at, request_id: call.request_id })
    const written = await commit(
      {
        statements: [...adding.record, ...adding.follow],
        before: null,
        answer: record,
        event: { environment_id, type: 'metadata_client.created', application_id: id, data },
      },
      at,
    )
    if (written) return record
    if (await store.findByUrl(db, environment_id, client_id)) refuseTaken()
  }
  return tooBusy('environment')()
}

/** Reads the document at once. It counts as one of a URL with a record, so that strangers cannot keep administrators out. */
async function readNow(
  { client_documents }: Services,
  { ip }: Pick<AnyCall, 'ip'>,
  environment_id: store.MetadataClientRow['environment_id'],
  url: string,
): Promise<ReadDocument> {
  const read = await client_documents.read({ environment_id, url, has_record: true, source: sourceOf(ip), fresh: true })
  if (!('refused' in read)) return read
  throw read.refused === 'busy' ? documentsBusy(read.why, read.retry_after_s) : refusedDocument(`metadata_${read.refused}`, read.why)
}

export const changeMetadataClient: Handler<'changeMetadataClient'> = async (services, call) => {
  const { now } = services
  const { body, commit, if_match } = call
  const changed = await changeVersioned(if_match, await finder(services, call), async (current) => {
    const { listed = current.listed, disabled = current.disabled } = body
    const names = (['listed', 'disabled'] as const).filter((name) => current[name] !== { listed, disabled }[name])
    if (names.length === 0) return current
    const at = now()
    const { environment_id, id, client_id } = current
    const held = await settingsOf(services, call)
    const record = { ...current, listed, disabled, version: current.version + 1, updated_at: at.toISOString() }
    const written = await commit(
      {
        first: [store.hold(held)],
        statements: store.decideMetadataClient(current, { listed, disabled }, held, at),
        before: store.shown(current),
        answer: store.shown(record),
        event: {
          environment_id,
          type: 'metadata_client.updated',
          application_id: id,
          data: { metadata_client_id: id, client_id, changed: names },
        },
      },
      at,
    )
    return written ? record : null
  })
  return store.shown(changed)
}

/** At once no token of the client is valid. Its grants and consents follow. */
export const deleteMetadataClient: Handler<'deleteMetadataClient'> = async (services, call) => {
  await changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const at = services.now()
    const { environment_id, id, client_id } = current
    const deleted = await call.commit(
      {
        statements: store.deleteMetadataClient(current, at),
        before: store.shown(current),
        answer: null,
        event: { environment_id, type: 'metadata_client.deleted', application_id: id, data: { metadata_client_id: id, client_id } },
      },
      at,
    )
    return deleted || null
  })
  return null
}

export const readMetadataClient: Handler<'readMetadataClient'> = async (services, call) => {
  const { now } = services
  const find = await finder(services, call)
  let read: ReadDocument | undefined
  const changed = await changeVersioned(call.if_match, find, async (current) => {
    read ??= await readNow(services, call, current.environment_id, current.client_id)
    const { client, read_at } = read
    const at = now()
    const names = store.changedBy(current, client)
    const { environment_id, id, client_id } = current
    const record = store.withDocument(current, client, read_at, at)
    const event = {
      environment_id,
      type: 'metadata_client.updated' as const,
      application_id: id,
      data: { metadata_client_id: id, client_id, changed: names },
    }
    const written = await call.commit(
      {
        statements: [store.storeDocument(current, client, read_at, at)],
        before: store.shown(current),
        answer: store.shown(record),
        ...(names.length > 0 && { event }),
      },
      at,
    )
    return written ? record : null
  })
  return store.shown(changed)
}
