/** Roles and resource servers of an environment, for tests. */
import type { EnvironmentRole, Permission, RoleKind } from '@ostiary/contract/objects/role.ts'
import { expectStatus, type TestEnvironment, type World } from './world.ts'

let made = 0

interface Fields {
  slug?: string
  kind?: RoleKind
  default?: boolean
  permissions?: readonly Permission[]
}

/** Makes a role and returns its record. */
export async function createRole(w: World, environment: TestEnvironment, fields: Fields = {}): Promise<EnvironmentRole> {
  const { slug = `role-${++made}`, kind = 'user', ...others } = fields
  return expectStatus(201, await w.call('POST', `${environment.path}/roles`, { body: { slug, kind, name: `Role ${slug}`, ...others } }))
}

/** Deletes a role. The rows of its holders follow when a worker comes. */
export async function deleteRole(w: World, environment: TestEnvironment, { id }: { id: string }): Promise<void> {
  expectStatus(204, await w.call('DELETE', `${environment.path}/roles/${id}`))
}

/** Makes a resource server with these scopes. */
export async function createResourceServer(w: World, environment: TestEnvironment, slug: string, scopes: readonly string[]) {
  const body = { slug, name: `API ${slug}`, identifier: `https://${slug}.example.com`, scopes: scopes.map((name) => ({ name })) }
  return expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body }))
}
