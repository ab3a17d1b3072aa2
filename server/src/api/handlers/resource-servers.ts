import { resource_server_defaults } from '@ostiary/contract/object-defaults.ts'
import type { ResourceServerChange } from '@ostiary/contract/resource-server.ts'
import { changedFields } from '../../base/changed-fields.ts'
import { reason } from '../../base/reason.ts'
import { quotaDetail } from '../../config/limits.ts'
import { changedResourceServer, newResourceServer } from '../../configuration/shown.ts'
import { badField, notFound } from '../../http/problem.ts'
import { readNamedPage } from '../../lists/search.ts'
import { changeVersioned } from '../../lists/versions.ts'
import { identifierProblem } from '../../resource-servers/rules.ts'
import * as store from '../../resource-servers/store.ts'
import { createWithSlug, slugStatements } from '../../slugs/choose.ts'
import { haveRoom, holdEnvironment, isThereRoom } from '../../tenancy/store.ts'
import { environmentOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

const table = 'resource_servers'

export const listResourceServers: Handler<'listResourceServers'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return readNamedPage(services, call, `resource-servers.${environment.id}`, (rest) =>
    store.listResourceServers(services.db, environment.id, rest),
  )
}

export const createResourceServer: Handler<'createResourceServer'> = async (services, call) => {
  const { config, db, now, newId } = services
  const { slug, identifier, name } = call.body
  const { tenant_id, project_id, id: environment_id, issuer } = await environmentOf(services, call)
  const problem = identifierProblem(identifier, issuer)
  if (problem !== null) throw badField(['identifier'], problem)

  const id = newId('rs')
  const at = now()
  const room = store.roomForResourceServer(environment_id, config.limits.resource_servers)
  const fields = { identifier, ...resource_server_defaults, name, ...settled(call.body) }
  const server = (slug: string) => newResourceServer({ tenant_id, project_id, environment_id, issuer, at }, { id, slug }, fields)
  const create = async (slug: string) => {
    const answer = server(slug)
    const created = await call.commit(
      {
        statements: [
          ...haveRoom(holdEnvironment(tenant_id, environment_id), room),
          ...store.insertResourceServer(environment_id, { id, slug }, answer, at),
        ],
        before: null,
        answer,
        event: { environment_id, type: 'resource_server.created', data: { resource_server_id: id, slug, identifier, name } },
      },
      at,
    )
    return created ? answer : null
  }
  const scope = { table, environment_id } as const
  return createWithSlug(services, scope, {
    slug,
    name,
    create,
    refuse: async () => {
      if (!(await isThereRoom(db, room))) call.fail('quota_exceeded', quotaDetail('resource_servers', config.limits))
      if ((await store.findAudiences(db, environment_id, [identifier])).length > 0)
        call.fail('identifier_taken', `This environment already has a resource server with the identifier ${identifier}.`, {
          reason: reason`Another resource server of the environment has the identifier.`,
        })
    },
    fail: call.fail,
  })
}

export const getResourceServer: Handler<'getResourceServer'> = async (services, call) => {
  const server = await (await finder(services, call))()
  if (!server) throw notFound()
  return server
}

/** Returns a function that reads the resource server of the path, which `changeVersioned` calls before every try. */
async function finder(services: Services, call: Pick<Call<'getResourceServer'>, 'caller' | 'params'>) {
  const environment = await environmentOf(services, call)
  return () => store.findResourceServer(services.db, environment.id, call.params.resource_server_id ?? '')
}

export const changeResourceServer: Handler<'changeResourceServer'> = async (services, call) =>
  changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const { environment_id } = current
    const { slug = current.slug } = call.body
    const given_slug = await slugStatements(services.db, { table, environment_id }, { current, sent: call.body.slug }, call.fail)
    const fields = { ...fieldsOf(current), ...settled(call.body) }
    const next = { ...current, slug, ...fields }
    const changed = changedFields(Object.keys(call.body), current, next)
    if (changed.length === 0) return current
    const at = services.now()
    const server = changedResourceServer(next, fields, at)
    const written = await call.commit(
      {
        statements: [...store.updateResourceServer(current, fields, at), ...given_slug],
        before: current,
        answer: server,
        event: { environment_id, type: 'resource_server.updated', data: { resource_server_id: current.id, changed } },
      },
      at,
    )
    return written ? server : null
  })

/** Grants and applications keep the identifier. New tokens are no longer issued for it. */
export const deleteResourceServer: Handler<'deleteResourceServer'> = async (services, call) => {
  await changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const { environment_id, id, slug, identifier, name } = current
    const at = services.now()
    const deleted = await call.commit(
      {
        statements: store.deleteResourceServer(current),
        before: current,
        answer: null,
        event: { environment_id, type: 'resource_server.deleted', data: { resource_server_id: id, slug, identifier, name } },
      },
      at,
    )
    return deleted || null
  })
  return null
}

/** The fields of a change. `null` restores the default of a field (RFC 7396). */
function settled({
  name,
  scopes,
  access_token_ttl_seconds,
  access_token_format,
}: ResourceServerChange): Partial<store.ResourceServerFields> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes: scopes ?? [] }),
    ...(access_token_ttl_seconds === undefined ? {} : { access_token_ttl_seconds }),
    ...(access_token_format === undefined
      ? {}
      : { access_token_format: access_token_format ?? resource_server_defaults.access_token_format }),
  }
}

function fieldsOf({ name, scopes, access_token_ttl_seconds, access_token_format }: store.ResourceServerRow): store.ResourceServerFields {
  return { name, scopes, access_token_ttl_seconds, access_token_format }
}
