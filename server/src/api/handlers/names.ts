import { scopesAllow } from '../../keys/policy.ts'
import { environmentOf } from '../environment.ts'
import type { Handler } from '../handler.ts'
import { findNames } from '../names.ts'

/** Addresses of users need what the list of users needs; those of administrators a membership. */
export const listNames: Handler<'listNames'> = async (services, call) => {
  const { caller, query } = call
  const environment = await environmentOf(services, call)
  const reader = {
    tenant_id: caller.tenant_id,
    root_environment_id: services.root.environment_id,
    reads_users: caller.key === null ? caller.role !== 'viewer' : scopesAllow(caller.key.scopes, 'users:read'),
    reads_members: caller.key === null,
  }
  return { data: await findNames(services.db, environment, reader, query.ids?.split(',') ?? []) }
}
