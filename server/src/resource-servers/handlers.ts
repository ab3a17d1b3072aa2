import type { ResourceServer, ResourceServerChange } from '@ostiary/contract/resource-server.ts'
import type { routes } from '@ostiary/contract/routes.ts'
import { readPage } from '../api/lists.ts'
import type { Call, Handler } from '../api/mount.ts'
import { changeVersioned } from '../api/versions.ts'
import type { Deployment } from '../deployment.ts'
import { badField, notFound } from '../http/problem.ts'
import { environmentOf } from '../tenancy/environment.ts'
import * as store from './store.ts'

type Table = typeof routes

export const listResourceServers: Handler<Table['listResourceServers']> = async (deployment, call) => {
  const environment = await environmentOf(deployment, call)
  return readPage(deployment, `resource-servers.${environment.id}`, call.query, (rest) =>
    store.listResourceServers(deployment.db, environment.id, rest),
  )
}

export const createResourceServer: Handler<Table['createResourceServer']> = async (deployment, call) => {
  const { now, newId } = deployment
  const { identifier, name } = call.body
  const { tenant_id, project_id, id: environment_id, issuer } = await environmentOf(deployment, call)
  if (identifier === issuer) throw badField(['identifier'], 'This is the issuer itself, which is an audience of every access token.')

  const id = newId('rs') as ResourceServer['id'] // as: newId gives exactly this
  const at = now()
  const server = {
    id,
    tenant_id,
    project_id,
    environment_id,
    identifier,
    ...defaults,
    name,
    ...settled(call.body),
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
    version: 1,
  }
  const created = await call.commit(
    {
      statements: [store.insertResourceServer(environment_id, id, server, at)],
      before: null,
      answer: server,
      event: { environment_id, type: 'resource_server.created', data: { resource_server_id: id, identifier, name } },
    },
    at,
  )
  return created
    ? server
    : call.fail('identifier_taken', `This environment already has a resource server with the identifier ${identifier}`)
}

export const getResourceServer: Handler<Table['getResourceServer']> = async (deployment, call) => {
  const server = await (await finder(deployment, call))()
  if (!server) throw notFound()
  return server
}

/** Looks the resource server of the path up, again and again if need be. */
async function finder(deployment: Deployment, call: Pick<Call<Table['getResourceServer']>, 'caller' | 'params'>) {
  const environment = await environmentOf(deployment, call)
  return () => store.findResourceServer(deployment.db, environment.id, call.params.resource_server_id ?? '')
}

export const changeResourceServer: Handler<Table['changeResourceServer']> = async (deployment, call) =>
  changeVersioned(call.if_match, await finder(deployment, call), async (current) => {
    const { environment_id } = current
    const change = settled(call.body)
    const fields = { ...fieldsOf(current), ...change }
    const changed = Object.keys(change).filter((name) => JSON.stringify(fieldOf(fields, name)) !== JSON.stringify(fieldOf(current, name)))
    if (changed.length === 0) return current
    const at = deployment.now()
    const server = { ...current, ...fields, version: current.version + 1, updated_at: at.toISOString() }
    const written = await call.commit(
      {
        statements: [store.updateResourceServer(current, fields, at)],
        before: current,
        answer: server,
        event: { environment_id, type: 'resource_server.updated', data: { resource_server_id: current.id, changed } },
      },
      at,
    )
    return written ? server : null
  })

/** Grants and applications go on naming it; it is left out of the tokens that are issued from now on. */
export const deleteResourceServer: Handler<Table['deleteResourceServer']> = async (deployment, call) => {
  await changeVersioned(call.if_match, await finder(deployment, call), async (current) => {
    const { environment_id, id, identifier, name } = current
    const at = deployment.now()
    const deleted = await call.commit(
      {
        statements: [store.deleteResourceServer(current)],
        before: current,
        answer: null,
        event: { environment_id, type: 'resource_server.deleted', data: { resource_server_id: id, identifier, name } },
      },
      at,
    )
    return deleted || null
  })
  return null
}

const defaults: Omit<store.ResourceServerFields, 'name'> = { scopes: [], access_token_ttl_seconds: null, access_token_format: 'jwt' }

/** What was sent; `null` puts a field back to its default (RFC 7396). */
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
    ...(access_token_format === undefined ? {} : { access_token_format: access_token_format ?? defaults.access_token_format }),
  }
}

function fieldsOf({ name, scopes, access_token_ttl_seconds, access_token_format }: store.ResourceServerRow): store.ResourceServerFields {
  return { name, scopes, access_token_ttl_seconds, access_token_format }
}

const fieldOf = (fields: object, name: string) => (fields as Record<string, unknown>)[name] // as: reading a field by its name
