/**
 * Writes the target as a plan leaves it: for each object that changes its statements, its records before and after, its event, and the secret that is
 * made for it, all as its routes do. Secrets stay unless new ones are sent.
 */
import type { TenantId } from '@ostiary/contract/ids.ts'
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import { type Application, application } from '@ostiary/contract/objects/application.ts'
import { type FieldsOf, fieldsOf, secretNames, type Table } from '@ostiary/contract/objects/field.ts'
import type { ObjectKind } from '@ostiary/contract/objects/objects.ts'
import { provider } from '@ostiary/contract/objects/provider.ts'
import { resource_server } from '@ostiary/contract/objects/resource-server.ts'
import { role } from '@ostiary/contract/objects/role.ts'
import { webhook } from '@ostiary/contract/objects/webhook.ts'
import type { MadeSecret } from '@ostiary/contract/promotion.ts'
import { flatMapSteps, type Steps } from '../../base/steps.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import * as applications from '../applications/changes.ts'
import type { ApplicationRow } from '../applications/store.ts'
import type { Fields } from '../configuration/configuration.ts'
import type { Drafts, ObjectDraft } from '../configuration/drafts.ts'
import { areEqual } from '../configuration/equal.ts'
import type { Read } from '../configuration/store.ts'
import { originOf } from '../events/origin.ts'
import type { Actor } from '../events/store.ts'
import * as providers from '../providers/changes.ts'
import type { ProviderRow } from '../providers/store.ts'
import * as resourceServers from '../resource-servers/changes.ts'
import type { NamesWritten, StoredResourceServer } from '../resource-servers/store.ts'
import * as roles from '../roles/changes.ts'
import type { RoleRow } from '../roles/store.ts'
import type { Edit, ObjectChange, ObjectPlace } from '../tenancy/objects.ts'
import * as webhooks from '../webhooks/changes.ts'
import type { WebhookRow } from '../webhooks/store.ts'
import type { SentSecrets } from './secrets.ts'
import { holdWithoutGrants, holdWithoutHolders, holdWithoutIdentities } from './usage.ts'

export interface WrittenObject extends ObjectChange {
  readonly object: ObjectOfConfiguration
  readonly slug: string | null
  readonly id: string | null
  readonly action: 'created' | 'updated' | 'deleted'
  readonly secret: MadeSecret | null
}

export interface Writing {
  readonly services: Pick<Deployment, 'newId' | 'random' | 'secrets'>
  readonly target: Read
  readonly tenant_id: TenantId
  readonly by: { readonly actor: Actor; readonly request_id: string }
  readonly sent: SentSecrets
  /** If an object to delete is in use, the batch fails. */
  readonly deletes_unused_only: boolean
  readonly now: Date
  /** Set by `writeSteps`. */
  readonly names?: NamesWritten
}

/** PostgreSQL writes as many names of scopes in half a second. A batch gives up after less than two. */
const most_names_of_batch = 20_000

/** A promotion of more names leaves them to the worker. */
function whenNamed(objects: Drafts['objects']): NamesWritten {
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

/** Resource servers come before the roles and applications that name their scopes: a role means those that the batch has written. */
const lock_order_of_kinds: readonly ObjectKind[] = ['provider', 'resource_server', 'role', 'application', 'webhook']

type Writer = (draft: ObjectDraft, writing: Writing) => WrittenObject | null

interface Named {
  readonly id: string
  readonly slug: string
}

/** A secret that a change makes, by the name of its member. */
type Made = Pick<MadeSecret, 'client_secret' | 'secret'>
type Change = ObjectChange & { readonly made?: Made | null }

/** An object as the plan leaves it. */
interface Next<T extends Table> {
  readonly fields: FieldsOf<T>
  /** Also what is set at creation, and the names of secrets. */
  readonly document: Fields
}

/** The functions of a kind that its routes use too. */
interface Kind<Row extends Named, T extends Table> {
  readonly table: T
  readonly prefix: Parameters<Deployment['newId']>[0]
  readonly created: (writing: Writing, place: ObjectPlace, named: Pick<Row, 'id' | 'slug'>, next: Next<T>) => Change
  readonly changed: (writing: Writing, row: Row, edit: Edit<FieldsOf<T>>, document: Fields) => Change
  readonly deleted: (writing: Writing, row: Row) => ObjectChange<null>
  /** Names of write-only fields that are replaced, which no comparison shows. */
  readonly replaced?: (writing: Writing, row: Row, document: Fields) => readonly string[]
}

const writer =
  <Row extends Named, T extends Table>({ table, prefix, created, changed, deleted, replaced = () => [] }: Kind<Row, T>): Writer =>
  (draft, writing) => {
    const { kind, slug, next } = draft
    const row = writing.target.rows[kind].get(slug) as unknown as Row | undefined // as: a row of this kind
    const entry = (id: string, action: WrittenObject['action'], { made, ...change }: Change): WrittenObject => ({
      ...change,
      object: kind,
      slug,
      id,
      action,
      secret: made ? { object: kind as MadeSecret['object'], slug, id, ...made } : null, // as: only its kinds make one
    })
    if (next === null) return row ? entry(row.id, 'deleted', deleted(writing, row)) : null
    const fields = fieldsOf(table, next as unknown as FieldsOf<T>) // as: every field that can be changed is in the document
    if (!row) {
      const id: Row['id'] = writing.services.newId(prefix) // the prefix is that of the rows
      return entry(id, 'created', created(writing, placeIn(writing), { id, slug }, { fields, document: next }))
    }
    const names = [...new Set([...changedIn(draft), ...replaced(writing, row, next)])]
    if (names.length === 0) return null
    return entry(row.id, 'updated', changed(writing, row, { fields, changed: names, at: writing.now }, next))
  }

/** The names of the fields whose values differ. */
const changedIn = ({ current, next }: ObjectDraft): string[] =>
  Object.keys(next ?? {}).filter((name) => !areEqual(current?.[name] ?? null, next?.[name] ?? null))

const placeIn = ({ target, tenant_id, now }: Writing): ObjectPlace => ({
  tenant_id,
  project_id: target.settings.project_id,
  environment_id: target.id,
  issuer: target.issuer,
  at: now,
})

const withSecret = ({ client_secret, ...change }: ReturnType<typeof applications.created>): Change => ({
  ...change,
  made: client_secret === null ? null : { client_secret },
})

/** The secrets of a provider that are sent, or removed by the document. `undefined` keeps what is stored. */
function secretsFor({ sent }: Writing, slug: string, next: Fields, row?: ProviderRow): providers.SentSecrets {
  const secretOf = (name: 'client_secret' | 'private_key') =>
    next[name] === null ? (row?.[`has_${name}`] ? null : undefined) : sent.get('provider', slug, `/${name}`)
  return { client_secret: secretOf('client_secret'), private_key: secretOf('private_key') }
}

const writers: Readonly<Record<ObjectKind, Writer>> = {
  resource_server: writer<StoredResourceServer, typeof resource_server>({
    table: resource_server,
    prefix: 'rs',
    created: ({ names }, place, named, { fields, document }) =>
      resourceServers.created(place, { ...named, identifier: String(document.identifier) }, fields, names),
    changed: ({ names }, row, edit) => resourceServers.changed(row, edit, names),
    deleted: ({ now }, row) => resourceServers.deleted(row, now),
  }),
  role: writer<RoleRow, typeof role>({
    table: role,
    prefix: 'rol',
    created: (_, place, named, { fields, document }) => {
      const { kind } = document as unknown as Pick<RoleRow, 'kind'> // as: of its schema
      return roles.created(place, { ...named, kind }, fields)
    },
    changed: (_, row, edit) => roles.changed(row, edit),
    deleted: ({ target, deletes_unused_only }, row) => {
      const deleted = roles.deleted(row)
      return deletes_unused_only ? { ...deleted, statements: [holdWithoutHolders(target.id, row.id), ...deleted.statements] } : deleted
    },
  }),
  application: writer<ApplicationRow, typeof application>({
    table: application,
    prefix: 'app',
    created: ({ services }, place, named, { fields, document }) => {
      const { application_type, template } = document as unknown as Pick<Application, 'application_type' | 'template'> // as: of its schema
      return withSecret(applications.created(services, place, { ...named, application_type, template: template ?? null }, fields))
    },
    changed: ({ services }, row, edit) => withSecret(applications.changed(services, row, edit, { makes_secret: true })),
    deleted: ({ target, deletes_unused_only, now }, row) => {
      const deleted = applications.deleted(row, now)
      return deletes_unused_only ? { ...deleted, statements: [holdWithoutGrants(target.id, row.id), ...deleted.statements] } : deleted
    },
  }),
  provider: writer<ProviderRow, typeof provider>({
    table: provider,
    prefix: 'prv',
    created: (writing, place, named, { fields, document }) => {
      const { type } = document as unknown as Pick<ProviderRow, 'type'> // as: of its schema
      return providers.created(writing.services, place, { ...named, type }, { fields, secrets: secretsFor(writing, named.slug, document) })
    },
    changed: (writing, row, edit, next) => providers.changed(writing.services, row, edit, secretsFor(writing, row.slug, next, row)),
    deleted: ({ services, by, target, deletes_unused_only, now }, row) => {
      const deleted = providers.deleted(row, originOf(services, by.actor, by.request_id), now)
      return deletes_unused_only
        ? { ...deleted, statements: [...holdWithoutIdentities(target.id, row.id), ...deleted.statements] }
        : deleted
    },
    replaced: (writing, row, next) => {
      const secrets = secretsFor(writing, row.slug, next, row)
      return secretNames(provider).filter((name) => secrets[name] !== undefined)
    },
  }),
  webhook: writer<WebhookRow, typeof webhook>({
    table: webhook,
    prefix: 'whk',
    created: ({ services }, place, named, { fields }) => {
      const { secret, ...change } = webhooks.created(services, place, named, fields)
      return { ...change, made: { secret } }
    },
    changed: (_, row, edit) => webhooks.changed(row, edit),
    deleted: (_, row) => webhooks.deleted(row),
  }),
}
