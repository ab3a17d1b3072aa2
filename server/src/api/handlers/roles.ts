import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type Permission, type RoleFields, type RoleKind, role } from '@ostiary/contract/objects/role.ts'
import { changedFields } from '../../base/changed-fields.ts'
import { quotaDetail } from '../../base/config/limits.ts'
import { patched } from '../../base/patched.ts'
import { requires, type Statement } from '../../db/db.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import type { NamedServer } from '../../domain/resource-servers/scope-versions.ts'
import { findNamedServers } from '../../domain/resource-servers/store.ts'
import * as changes from '../../domain/roles/changes.ts'
import { givesMore, inEffect, writtenNow } from '../../domain/roles/permissions.ts'
import { previewRole as preview } from '../../domain/roles/preview.ts'
import { countScopes, roleProblems, too_many_default } from '../../domain/roles/rules.ts'
import * as store from '../../domain/roles/store.ts'
import { placeIn } from '../../domain/tenancy/objects.ts'
import { isThereRoom } from '../../domain/tenancy/store.ts'
import { badField, found, notFound, overQuota, pointerTo, validationFailed } from '../../http/problem.ts'
import { environmentOf, finderOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import { commitChange, createObject, deleteObject, listObjects } from '../objects.ts'
import type { Services } from '../services.ts'

const table = 'roles'

export const listRoles: Handler<'listRoles'> = (services, call) => listObjects(services, call, 'roles', store.listRoles)

export const createRole: Handler<'createRole'> = async (services, call) => {
  const { config, now, newId } = services
  const { slug, kind, name } = call.body
  const environment = await environmentOf(services, call)
  const { id: environment_id } = environment
  const fields = patched(role, undefined, {}, call.body)
  await refuseProblems(services, { environment_id, kind, fields, stored: [] })
  const id = newId('rol')
  const room = roomForDefaultOf({ environment_id, kind, id }, fields)
  return createObject(services, call, {
    scope: { table, environment_id },
    slug,
    name,
    room: store.roomForRole(environment_id, config.limits.roles),
    created: (slug) => {
      const change = changes.created(placeIn(environment, now()), { id, slug, kind }, fields)
      return { ...change, statements: [...room.map(requires), ...change.statements] }
    },
    refuseWithoutRoom: () => call.fail('quota_exceeded', quotaDetail('roles', config.limits)),
    refuse: () => refuseDefault(services, room),
  })
}

export const getRole: Handler<'getRole'> = async (services, call) => found((await finder(services, call))())

const finder = (services: Services, call: Pick<Call<'getRole'>, 'caller' | 'params'>) =>
  finderOf(services, call, store.findRole, call.params.role_id)

/** Permissions that are sent again are a change where they give something that they did not give any more. */
export const changeRole: Handler<'changeRole'> = async (services, call) => {
  const { body, commit } = call
  const { id: environment_id } = await environmentOf(services, call)
  return changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const { kind } = current
    const fields = patched(role, undefined, current, body)
    const servers = await refuseProblems(services, { environment_id, kind, fields, stored: current.permissions })
    const given = await givenBy(services, current, fields, body.permissions === undefined ? null : servers)
    const names = changedFields(Object.keys(body), current, { ...current, ...fields })
    const changed = given.is_more && !names.includes('permissions') ? [...names, 'permissions'] : names
    if (changed.length === 0) return current
    const room = current.default ? [] : roomForDefaultOf(current, fields)
    await refuseDefault(services, room)
    const at = services.now()
    const { statements, ...change } = changes.changed(current, { fields, changed, at })
    const judged = { before: { ...current, permissions: given.before }, after: { ...current, ...fields, permissions: given.after } }
    return (await commitChange(commit, { ...change, statements: [...room.map(requires), ...statements], judged }, at)) ? change.after : null
  })
}

export const deleteRole: Handler<'deleteRole'> = async (services, call) => {
  await deleteObject(services, call, await finder(services, call), changes.deleted)
  return null
}

/** Checks a change as the change itself would be, and writes nothing. */
export const previewRole: Handler<'previewRole'> = async (services, call) => {
  const { id: environment_id } = await environmentOf(services, call)
  const current = await store.findRole(services.db, environment_id, call.params.role_id ?? '')
  if (!current) throw notFound()
  const { kind, permissions: stored } = current
  const fields = patched(role, undefined, current, call.body)
  const servers = await refuseProblems(services, { environment_id, kind, fields, stored })
  await refuseDefault(services, current.default ? [] : roomForDefaultOf(current, fields))
  return preview(services.db, current, { fields, servers, is_written: call.body.permissions !== undefined })
}

interface Given {
  readonly before: readonly Permission[]
  readonly after: readonly Permission[]
  readonly is_more: boolean
}

/** Returns the part of the permissions that gives something, before and after a change. `servers` are those of the permissions that are sent; `null` where none are. */
async function givenBy(
  { db }: Services,
  current: store.RoleRow,
  { permissions }: RoleFields,
  servers: NamedServer[] | null,
): Promise<Given> {
  if (servers === null) return { before: [], after: [], is_more: false }
  const written = await store.findWrittenVersions(db, current.environment_id, current.id)
  const before = inEffect(current.permissions, servers, written)
  const after = inEffect(permissions, servers, writtenNow(servers))
  return { before, after, is_more: givesMore(before, after) }
}

interface Judged {
  readonly environment_id: EnvironmentId
  readonly kind: RoleKind
  readonly fields: RoleFields
  readonly stored: readonly Permission[]
}

/** Returns the resource servers that the permissions name, and those that the stored ones name. */
async function refuseProblems({ db, config }: Services, { environment_id, kind, fields, stored }: Judged): Promise<NamedServer[]> {
  if (countScopes(fields.permissions) > Math.max(config.limits.role_permissions, countScopes(stored)))
    throw overQuota(['permissions'], quotaDetail('role_permissions', config.limits))
  const slugs = [...fields.permissions, ...stored].map(({ resource_server }) => resource_server)
  const servers = await findNamedServers(db, environment_id, [...new Set(slugs)])
  const scopes = new Map(servers.map(({ slug, scopes }) => [slug, new Set(scopes.map(({ name }) => name))]))
  const problems = roleProblems(kind, fields, { scopesOf: (slug) => scopes.get(slug), stored })
  if (problems.length > 0)
    throw validationFailed(problems.map(({ path, detail }) => ({ pointer: pointerTo(path), code: 'not_allowed', detail })))
  return servers
}

/** The condition on the other roles of the kind, where everyone will have this one. */
const roomForDefaultOf = (
  { environment_id, kind, id }: Pick<store.RoleRow, 'environment_id' | 'kind'> & { id: string },
  fields: RoleFields,
): Statement[] => (fields.default ? [store.roomForDefault(environment_id, kind, id)] : [])

async function refuseDefault({ db }: Services, room: readonly Statement[]): Promise<void> {
  for (const condition of room) if (!(await isThereRoom(db, condition))) throw badField(['default'], too_many_default)
}
