/** How a resource server is created, changed and deleted: the statements, the records before and after, and the event. */
import type { ResourceServer, ResourceServerFields } from '@ostiary/contract/objects/resource-server.ts'
import { begun, type Edit, moved, type ObjectChange, type ObjectPlace } from '../tenancy/objects.ts'
import {
  deleteResourceServer,
  insertResourceServer,
  type NamesWritten,
  type ResourceServerRow,
  type StoredResourceServer,
  shownServer,
  updateResourceServer,
} from './store.ts'

/** @param names when the names of its scopes are written */
export function created(
  place: ObjectPlace,
  { id, slug, identifier }: Pick<ResourceServer, 'id' | 'slug' | 'identifier'>,
  fields: ResourceServerFields,
  names: NamesWritten = 'now',
): ObjectChange<ResourceServerRow> {
  return {
    statements: insertResourceServer(place.environment_id, { id, slug, names }, { identifier, ...fields }, place.at),
    before: null,
    after: { ...begun(place, { id, slug }), identifier, ...fields },
    event: { type: 'resource_server.created', data: { resource_server_id: id, slug, identifier, name: fields.name } },
  }
}

export const changed = (
  current: StoredResourceServer,
  { fields, changed, at }: Edit<ResourceServerFields>,
  names: NamesWritten = 'now',
): ObjectChange<ResourceServerRow> => ({
  statements: updateResourceServer(current, fields, at, names),
  before: shownServer(current),
  after: { ...shownServer(current), ...fields, ...moved(current, at) },
  event: { type: 'resource_server.updated', data: { resource_server_id: current.id, changed } },
})

export function deleted(current: StoredResourceServer, at: Date): ObjectChange<null> {
  const { id, slug, identifier, name } = current
  return {
    statements: deleteResourceServer(current, at),
    before: shownServer(current),
    after: null,
    event: { type: 'resource_server.deleted', data: { resource_server_id: id, slug, identifier, name } },
  }
}
