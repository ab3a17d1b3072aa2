/** How an application is created, changed and deleted: the statements, the records before and after, and the event. */
import type { Application, ApplicationFields } from '@ostiary/contract/objects/application.ts'
import { digestOf } from '../../base/digest.ts'
import { begun, type Edit, moved, type ObjectChange, type ObjectPlace } from '../tenancy/objects.ts'
import { type Makes, makeClientSecret } from './client-secret.ts'
import { usesClientSecret } from './rules.ts'
import { type ApplicationRow, deleteApplication, insertApplication, updateApplication } from './store.ts'

interface WithSecret<After extends object> extends ObjectChange<After> {
  /** Made with the change, and shown once. */
  readonly client_secret: string | null
}

type Facts = Pick<Application, 'id' | 'slug' | 'application_type' | 'template'>

export function created(services: Makes, place: ObjectPlace, facts: Facts, fields: ApplicationFields): WithSecret<ApplicationRow> {
  const { environment_id, at } = place
  const { id, slug, application_type } = facts
  const client_secret = usesClientSecret(fields.token_endpoint_auth_method) ? makeClientSecret(services) : null
  const client_secret_hash = client_secret && digestOf(client_secret)
  return {
    statements: insertApplication(environment_id, { ...facts, client_secret_hash }, fields, at),
    before: null,
    after: {
      ...begun(place, { ...facts, client_id: id }),
      ...fields,
      has_client_secret: client_secret !== null,
      secret_rotated_at: null,
    },
    event: { type: 'application.created', application_id: id, data: { slug, name: fields.name, application_type } },
    client_secret,
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
  /** `undefined` keeps the secret. */
  secret: string | null | undefined
  event: Pick<NonNullable<ObjectChange['event']>, 'type' | 'data'>
  at: Date
}

function written(current: ApplicationRow, { next, secret, event, at }: Written): WithSecret<ApplicationRow> {
  const of_secret =
    secret === undefined ? {} : { has_client_secret: secret !== null, secret_rotated_at: secret === null ? null : at.toISOString() }
  return {
    statements: updateApplication(current, next, secret && digestOf(secret), at),
    before: current,
    after: { ...next, ...of_secret, ...moved(current, at) },
    event: { ...event, application_id: current.id },
    client_secret: secret ?? null,
  }
}

export const deleted = (current: ApplicationRow, at: Date): ObjectChange<null> => ({
  statements: deleteApplication(current, at),
  before: current,
  after: null,
  event: { type: 'application.deleted', application_id: current.id, data: { slug: current.slug, name: current.name } },
})
