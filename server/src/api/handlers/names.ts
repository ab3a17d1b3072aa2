import type { PlatformScope } from '@ostiary/contract/scopes.ts'
import { scopesAllow } from '../../domain/keys/policy.ts'
import { environmentOf } from '../environment.ts'
import type { Handler } from '../handler.ts'
import { findNames, type NamedKind } from '../names.ts'

// biome-ignore format: this table is read by column
/** The scope that a key needs to read the name of an object: the one that reads the object. */
const needed_scopes: Record<NamedKind, PlatformScope> = {
  user:            'users:read',
  application:     'applications:read',
  metadata_client: 'applications:read',
  key:             'auth_keys:read',
  resource_server: 'resource_servers:read',
  role:            'resource_servers:read',
  organization:    'users:read',
  provider:        'providers:read',
  webhook:         'webhooks:read',
  environment:     'environments:read',
  project:         'projects:read',
}

/**
 * A name needs what the object itself needs: a viewer reads no users and no organizations. Administrators and platform keys are named to
 * administrators alone.
 */
export const listNames: Handler<'listNames'> = async (services, call) => {
  const { caller, query } = call
  const environment = await environmentOf(services, call)
  const reader = {
    tenant_id: caller.tenant_id,
    root_environment_id: services.root.environment_id,
    reads: (kind: NamedKind) =>
      caller.key === null
        ? needed_scopes[kind] !== 'users:read' || caller.role !== 'viewer'
        : scopesAllow(caller.key.scopes, needed_scopes[kind]),
    is_administrator: caller.key === null,
  }
  return { data: await findNames(services.db, environment, reader, query.ids?.split(',') ?? []) }
}
