/**
 * Writes the target as a plan leaves it: for each object that changes its statements, its audit entry, its event, and the secret that is made
 * for it. The statements are those of the routes, so that grants end and secrets stay as they do there. Secrets stay unless new ones are sent.
 */
import type { Application } from '@ostiary/contract/application.ts'
import type { ObjectKind } from '@ostiary/contract/configuration.ts'
import type { TenantId } from '@ostiary/contract/ids.ts'
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import type { MadeSecret } from '@ostiary/contract/promotion.ts'
import { makeClientSecret } from '../applications/client-secret.ts'
import { listOrigins } from '../applications/origins.ts'
import { type ApplicationFields, usesClientSecret } from '../applications/rules.ts'
import * as applications from '../applications/store.ts'
import { digestOf } from '../base/digest.ts'
import { flatMapSteps, type Steps } from '../base/steps.ts'
import type { Drafts, ObjectDraft } from '../configuration/drafts.ts'
import { areEqual } from '../configuration/equal.ts'
import * as shown from '../configuration/shown.ts'
import type { Read } from '../configuration/store.ts'
import type { Statement } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { originOf } from '../events/origin.ts'
import type { Actor, NewEvent } from '../events/store.ts'
import type { ProviderFields } from '../providers/kinds.ts'
import * as providers from '../providers/store.ts'
import * as resourceServers from '../resource-servers/store.ts'
import { sealed_columns } from '../secrets/sealed-columns.ts'
import { makeWebhookSecret } from '../webhooks/sign.ts'
import * as webhooks from '../webhooks/store.ts'
import type { SentSecrets } from './secrets.ts'
import { holdWithoutGrants, holdWithoutIdentities } from './usage.ts'

export interface WrittenObject {
  readonly object: ObjectOfConfiguration
  readonly slug: string | null
  readonly id: string | null
  readonly action: 'created' | 'updated' | 'deleted'
  readonly statements: readonly Statement[]
  /** As the API shows it, for the audit log. */
  readonly before: object | null
  readonly after: object | null
  /** Webhooks raise none. */
  readonly event: NewEvent | null
  readonly secret: MadeSecret | null
}

export interface Writing {
  readonly services: Pick<Deployment, 'newId' | 'random' | 'secrets'>
  readonly target: Read
  readonly tenant_id: TenantId
  readonly by: { readonly actor: Actor; readonly request_id: string }
  readonly sent: SentSecrets
  /** What people use is not deleted: the batch fails. */
  readonly deletes_unused_only: boolean
  readonly now: Date
  /** Set by `writeSteps`. */
  readonly names?: resourceServers.NamesWritten
}

/** PostgreSQL writes as many names of scopes in half a second. A batch gives up after less than two. */
const most_names_of_batch = 20_000

/** A promotion of more names leaves them to the worker. */
function whenNamed(objects: Drafts['objects']): resourceServers.NamesWritten {
  const lists = objects.flatMap(({ kind, next }) => (kind === 'resource_server' && Array.isArray(next?.scopes) ? [next.scopes] : []))
  return lists.reduce((sum, { length }) => sum + length, 0) > most_names_of_batch ? 'later' : 'now'
}

/** The objects that differ, in the order in which batches take locks: by kind, and each kind by its ids. */
export function* writeSteps({ objects }: Drafts, asked: Writing): Steps<WrittenObject[]> {
  const writing = { ...asked, names: whenNamed(objects) }
  const written: WrittenObject[] = []
  for (const kind of lock_order_of_kinds) {
    const drafts = objects.filter((draft) => draft.kind === kind)
    const of_kind = yield* flatMapSteps(drafts, (draft) => {
      const one = writers[kind](draft, writing)
      return one === null ? [] : [one]
    })
    written.push(...of_kind.sort((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1)))
  }
  return written
}

/** Resource servers come before the applications that name their scopes. */
const lock_order_of_kinds: readonly ObjectKind[] = ['provider', 'resource_server', 'application', 'webhook']

type ServerFields = resourceServers.ResourceServerFields & { identifier: string }

type Writer = (draft: ObjectDraft, writing: Writing) => WrittenObject | null

/** The names of the fields whose values differ. */
const changedIn = ({ current, next }: ObjectDraft): string[] =>
  Object.keys(next ?? {}).filter((name) => !areEqual(current?.[name] ?? null, next?.[name] ?? null))

const place = ({ target, tenant_id, now }: Writing): shown.NewPlace => ({
  tenant_id,
  project_id: target.settings.project_id,
  environment_id: target.id,
  issuer: target.issuer,
  at: now,
})

const entry = (
  draft: ObjectDraft,
  written: Omit<WrittenObject, 'object' | 'slug' | 'secret'> & { secret?: MadeSecret | null },
): WrittenObject => ({
  object: draft.kind,
  slug: draft.slug,
  secret: null,
  ...written,
})

const writeResourceServer: Writer = (draft, writing) => {
  const { target, services, now, names = 'now' } = writing
  const { slug, next } = draft
  const row = target.rows.resource_server.get(slug)
  if (next === null)
    return row
      ? entry(draft, {
          id: row.id,
          action: 'deleted',
          statements: resourceServers.deleteResourceServer(row),
          before: row,
          after: null,
          event: {
            type: 'resource_server.deleted',
            data: { resource_server_id: row.id, slug, identifier: row.identifier, name: row.name },
          },
        })
      : null
  const fields = next as unknown as ServerFields // as: every field of a resource server is in the document
  if (!row) {
    const id = services.newId('rs')
    return entry(draft, {
      id,
      action: 'created',
      statements: resourceServers.insertResourceServer(target.id, { id, slug, names }, fields, now),
      before: null,
      after: shown.newResourceServer(place(writing), { id, slug }, fields),
      event: { type: 'resource_server.created', data: { resource_server_id: id, slug, identifier: fields.identifier, name: fields.name } },
    })
  }
  const changed = changedIn(draft)
  if (changed.length === 0) return null
  return entry(draft, {
    id: row.id,
    action: 'updated',
    statements: resourceServers.updateResourceServer(row, fields, now, names),
    before: row,
    after: shown.changedResourceServer(row, fields, now),
    event: { type: 'resource_server.updated', data: { resource_server_id: row.id, changed } },
  })
}

const writeApplication: Writer = (draft, writing) => {
  const { target, services, now } = writing
  const { slug, next } = draft
  const row = target.rows.application.get(slug)
  if (next === null)
    return row
      ? entry(draft, {
          id: row.id,
          action: 'deleted',
          statements: [
            ...(writing.deletes_unused_only ? [holdWithoutGrants(target.id, row.id)] : []),
            ...applications.deleteApplication(row, now),
          ],
          before: row,
          after: null,
          event: { type: 'application.deleted', application_id: row.id, data: { slug, name: row.name } },
        })
      : null
  const fields = next as unknown as ApplicationFields & Pick<Application, 'application_type' | 'template'> // as: every field of an application is in the document
  const has_secret = usesClientSecret(fields.token_endpoint_auth_method)
  const made = has_secret && !(row && usesClientSecret(row.token_endpoint_auth_method)) ? makeClientSecret(services) : null
  const secretOf = (id: string): MadeSecret | null => (made === null ? null : { object: 'application', slug, id, client_secret: made })
  const client_secret_hash = made && digestOf(made)
  if (!row) {
    const id = services.newId('app')
    const { application_type, template = null } = fields
    return entry(draft, {
      id,
      action: 'created',
      statements: [
        applications.insertApplication(target.id, { id, slug, application_type, template, client_secret_hash }, fields, now),
        ...listOrigins(target.id, id, fields),
      ],
      before: null,
      after: shown.newApplication(place(writing), { id, slug, application_type, template, has_client_secret: made !== null }, fields),
      event: { type: 'application.created', application_id: id, data: { slug, name: fields.name, application_type } },
      secret: secretOf(id),
    })
  }
  const changed = changedIn(draft)
  if (changed.length === 0) return null
  const drops_secret = row.has_client_secret && !has_secret
  const new_hash = made ? client_secret_hash : drops_secret ? null : undefined
  const after = shown.changedApplication(row, fields, made ? 'made' : drops_secret ? 'ended' : 'stays', now)
  return entry(draft, {
    id: row.id,
    action: 'updated',
    statements: applications.updateApplication(row, fields, new_hash, now),
    before: row,
    after,
    event: { type: 'application.updated', application_id: row.id, data: { changed } },
    secret: secretOf(row.id),
  })
}

const secret_names = ['client_secret', 'private_key'] as const

/** `undefined` keeps what is stored. */
const isStored = (sealed: string | null | undefined, was = false) => (sealed === undefined ? was : sealed !== null)

const writeProvider: Writer = (draft, writing) => {
  const { target, services, by, sent, now } = writing
  const { slug, next } = draft
  const row = target.rows.provider.get(slug)
  if (next === null)
    return row
      ? entry(draft, {
          id: row.id,
          action: 'deleted',
          statements: [
            ...(writing.deletes_unused_only ? holdWithoutIdentities(target.id, row.id) : []),
            ...providers.deleteProvider(row, originOf(services, by.actor, by.request_id), now),
          ],
          before: row,
          after: null,
          event: { type: 'provider.deleted', data: { provider_id: row.id, slug, type: row.type } },
        })
      : null
  const { client_secret: _, private_key: __, ...rest } = next
  const fields = rest as unknown as ProviderFields & { type: providers.ProviderRow['type'] } // as: every field of a provider is in the document
  const id = row?.id ?? services.newId('prv')
  const sealed = Object.fromEntries(
    secret_names.map((name) => {
      const value = sent.get('provider', slug, `/${name}`)
      const stays = row ? undefined : null
      if (next[name] === null) return [name, row?.[`has_${name}`] ? null : stays]
      return [
        name,
        value === undefined ? stays : services.secrets.seal(value, sealed_columns.providers.associatedData(target.id, id, name)),
      ]
    }),
  ) as Record<(typeof secret_names)[number], string | null | undefined> // as: both names have an entry
  const has = {
    has_client_secret: isStored(sealed.client_secret, row?.has_client_secret),
    has_private_key: isStored(sealed.private_key, row?.has_private_key),
  }
  if (!row)
    return entry(draft, {
      id,
      action: 'created',
      statements: [
        providers.insertProvider(
          target.id,
          { id, slug, type: fields.type },
          { fields, sealed: { client_secret: sealed.client_secret ?? null, private_key: sealed.private_key ?? null } },
          now,
        ),
      ],
      before: null,
      after: shown.newProvider(place(writing), { id, slug, type: fields.type, ...has }, fields),
      event: { type: 'provider.created', data: { provider_id: id, slug, type: fields.type } },
    })
  const replaced = secret_names.filter((name) => sealed[name] !== undefined)
  const changed = [...new Set([...changedIn(draft), ...replaced])]
  if (changed.length === 0) return null
  return entry(draft, {
    id,
    action: 'updated',
    statements: providers.updateProvider(row, fields, sealed, now),
    before: row,
    after: shown.changedProvider(row, fields, has, now),
    event: { type: 'provider.updated', data: { provider_id: id, changed } },
  })
}

const writeWebhook: Writer = (draft, writing) => {
  const { target, services, now } = writing
  const { slug, next } = draft
  const row = target.rows.webhook.get(slug)
  if (next === null)
    return row
      ? entry(draft, {
          id: row.id,
          action: 'deleted',
          statements: [webhooks.deleteWebhook(row)],
          before: row,
          after: null,
          event: null,
        })
      : null
  const fields = next as unknown as webhooks.WebhookFields // as: every field of a webhook is in the document
  if (!row) {
    const id = services.newId('whk')
    const secret = makeWebhookSecret(services.random(32))
    const sealed_secret = services.secrets.seal(secret, sealed_columns.webhooks.associatedData(target.id, id))
    return entry(draft, {
      id,
      action: 'created',
      statements: [webhooks.insertWebhook(target.id, { id, slug, sealed_secret }, fields, now)],
      before: null,
      after: shown.newWebhook(place(writing), { id, slug }, fields),
      event: null,
      secret: { object: 'webhook', slug, id, secret },
    })
  }
  if (changedIn(draft).length === 0) return null
  return entry(draft, {
    id: row.id,
    action: 'updated',
    statements: [webhooks.updateWebhook(row, fields, now)],
    before: row,
    after: shown.changedWebhook(row, fields, now),
    event: null,
  })
}

const writers: Readonly<Record<ObjectKind, Writer>> = {
  resource_server: writeResourceServer,
  application: writeApplication,
  provider: writeProvider,
  webhook: writeWebhook,
}
