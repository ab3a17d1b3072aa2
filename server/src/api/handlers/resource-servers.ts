import { type ResourceServerFields, resource_server } from '@ostiary/contract/objects/resource-server.ts'
import { quotaDetail } from '../../base/config/limits.ts'
import { patched } from '../../base/patched.ts'
import { reason } from '../../base/reason.ts'
import * as changes from '../../domain/resource-servers/changes.ts'
import { identifierProblem, signingAlgProblem } from '../../domain/resource-servers/rules.ts'
import * as store from '../../domain/resource-servers/store.ts'
import { placeIn } from '../../domain/tenancy/objects.ts'
import { badField, found } from '../../http/problem.ts'
import { environmentOf, finderOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import { changeObject, createObject, deleteObject, listObjects } from '../objects.ts'
import type { Services } from '../services.ts'

const table = 'resource_servers'

export const listResourceServers: Handler<'listResourceServers'> = (services, call) =>
  listObjects(services, call, 'resource-servers', store.listResourceServers)

export const createResourceServer: Handler<'createResourceServer'> = async (services, call) => {
  const { config, db, now, newId } = services
  const { slug, identifier, name } = call.body
  const environment = await environmentOf(services, call)
  const { id: environment_id, issuer } = environment
  const problem = identifierProblem(identifier, issuer)
  if (problem !== null) throw badField(['identifier'], problem)

  const id = newId('rs')
  const fields = accepted(patched(resource_server, undefined, {}, call.body))
  return createObject(services, call, {
    scope: { table, environment_id },
    slug,
    name,
    room: store.roomForResourceServer(environment_id, config.limits.resource_servers),
    created: (slug) => changes.created(placeIn(environment, now()), { id, slug, identifier }, fields),
    refuseWithoutRoom: () => call.fail('quota_exceeded', quotaDetail('resource_servers', config.limits)),
    refuse: async () => {
      if ((await store.findAudiences(db, environment_id, [identifier])).length > 0)
        call.fail('identifier_taken', `This environment already has a resource server with the identifier ${identifier}.`, {
          reason: reason`Another resource server of the environment has the identifier.`,
        })
    },
  })
}

export const getResourceServer: Handler<'getResourceServer'> = async (services, call) =>
  store.shownServer(await found((await finder(services, call))()))

const finder = (services: Services, call: Pick<Call<'getResourceServer'>, 'caller' | 'params'>) =>
  finderOf(services, call, store.findResourceServer, call.params.resource_server_id)

export const changeResourceServer: Handler<'changeResourceServer'> = async (services, call) =>
  store.shownServer(
    await changeObject(services, call, {
      find: await finder(services, call),
      next: (current) => accepted(patched(resource_server, undefined, current, call.body)),
      changed: changes.changed,
    }),
  )

/** The fields. Throws where they do not go together. */
function accepted(fields: ResourceServerFields): ResourceServerFields {
  const problem = signingAlgProblem(fields)
  if (problem !== null) throw badField(['access_token_signing_alg'], problem)
  return fields
}

/** Grants and applications keep the identifier. New tokens are no longer issued for it. */
export const deleteResourceServer: Handler<'deleteResourceServer'> = async (services, call) => {
  await deleteObject(services, call, await finder(services, call), changes.deleted)
  return null
}
