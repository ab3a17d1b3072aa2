/** How an application is created, changed and deleted: the statements, the records before and after, and the event. */
import type { Application, ApplicationFields } from '@ostiary/contract/objects/application.ts'
import type { Statement } from '../../db/db.ts'
import { begun, type Edit, moved, type ObjectChange, type ObjectPlace } from '../tenancy/objects.ts'
import { type MadeSecret, type Makes, makeClientSecret } from './client-secret.ts'
import { usesClientSecret } from './rules.ts'
import { changeSecrets, type SecretRow, shown } from './secrets.ts'
import { type ApplicationRow, deleteApplication, insertApplication, updateApplication } from './store.ts'

interface WithSecret<After extends object> extends ObjectChange<After> {
  /** Made with the change, and shown once. */
  readonly client_secret: string | null
}

type Facts = Pick<Application, 'id' | 'slug' | 'application_type' | 'template'>

export function created(services: Makes, place: ObjectPlace, facts: Facts, fields: ApplicationFields): WithSecret<ApplicationRow> {
  const { environment_id, at } = place
  const { id, slug, application_type } = facts
  const secret = usesClientSecret(fields.token_endpoint_auth_method) ? makeClientSecret(services) : null
  return {
    statements: insertApplication(environment_id, { ...facts, secret }, fields, at),
    before: null,
    after: {
      ...begun(place, { ...facts, client_id: id }),
      ...fields,
      has_client_secret: secret !== null,
      secret_rotated_at: null,
    },
    event: { type: 'application.created', application_id: id, data: { slug, name: fields.name, application_type } },
    client_secret: secret?.client_secret ?? null,
  }
}

/**
 * A client that stops authenticating with a secret loses it.
 * @param makes_secret whether one that starts gets its secret here; otherwise rotation makes it
 */
export function changed(
  services: Makes,
  current: ApplicationRow,
  { fields, changed, at }: Edit<ApplicationFields>,
  { makes_secret }: { makes_secret: boolean },
): WithSecret<ApplicationRow> {
  const needs_secret = usesClientSecret(fields.token_endpoint_auth_method)
  const starts = needs_secret && !usesClientSecret(current.token_endpoint_auth_method)
  const event = { type: 'application.updated', data: { changed } } as const
  const next = { ...current, ...fields }
  if (makes_secret && starts) return written(current, { next, secret: makeClientSecret(services), event, at })
  return written(current, { next, secret: current.has_client_secret && !needs_secret ? null : undefined, event, at })
}

export const rotated = (services: Makes, current: ApplicationRow, at: Date): WithSecret<ApplicationRow> =>
  written(current, {
    next: current,
    secret: makeClientSecret(services),
    event: { type: 'application.secret_rotated', data: {} },
    at,
  })

interface Written {
  next: ApplicationRow
  /** `undefined` keeps the secrets. */
  secret: MadeSecret | null | undefined
  event: Pick<NonNullable<ObjectChange['event']>, 'type' | 'data'>
  at: Date
}

function written(current: ApplicationRow, { next, secret, event, at }: Written): WithSecret<ApplicationRow> {
  const of_secret =
    secret === undefined ? {} : { has_client_secret: secret !== null, secret_rotated_at: secret === null ? null : at.toISOString() }
  return {
    statements: updateApplication(current, next, secret, at),
    before: current,
    after: { ...next, ...of_secret, ...moved(current, at) },
    event: { ...event, application_id: current.id },
    client_secret: secret?.client_secret ?? null,
  }
}

export const deleted = (current: ApplicationRow, at: Date): ObjectChange<null> => ({
  statements: deleteApplication(current, at),
  before: current,
  after: null,
  event: { type: 'application.deleted', application_id: current.id, data: { slug: current.slug, name: current.name } },
})

interface SecretChange {
  readonly statements: readonly Statement[]
  readonly event: NonNullable<ObjectChange['event']>
}

/** Adds a secret beside those that are kept. */
export function secretAdded(
  services: Makes,
  current: ApplicationRow,
  { kept, label, expires_at }: Pick<SecretRow, 'label' | 'expires_at'> & { kept: readonly SecretRow[] },
  at: Date,
): SecretChange & { after: ReturnType<typeof shown>; client_secret: string } {
  const { client_secret, ...made } = makeClientSecret(services)
  const added = { ...made, id: made.id as SecretRow['id'], label, expires_at } // as: newId gives exactly this
  return {
    statements: changeSecrets(current, { kept, added }, at),
    after: shown({ ...added, slot: 0, created_at: at.toISOString(), last_used_at: null }),
    event: { type: 'application.secret_added', application_id: current.id, data: { client_secret_id: added.id, expires_at } },
    client_secret,
  }
}

export const secretDeleted = (current: ApplicationRow, id: string, kept: readonly SecretRow[], at: Date): SecretChange => ({
  statements: changeSecrets(current, { kept, added: null }, at),
  event: { type: 'application.secret_deleted', application_id: current.id, data: { client_secret_id: id } },
})
