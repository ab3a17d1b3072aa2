import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  claimOf,
  createAccess,
  type DefinedRole,
  leavesNone,
  letsIn,
  type RequiringServer,
  rolesHeld,
  scopeGiven,
  slugsOf,
} from './roles.ts'

/** A resource server of the model. `made` says in which version each of its scopes was made; 0: it has no such scope. */
interface ModelServer {
  id: string
  slug: string
  identifier: string
  require_roles: boolean
  made: Readonly<Record<string, number>>
}

interface Model {
  servers: readonly ModelServer[]
  roles: readonly DefinedRole[]
  held: readonly string[]
  kind: DefinedRole['kind']
}

const isHeld = (role: DefinedRole, { held, kind }: Model) => role.kind === kind && (role.default || held.includes(role.id))

/** The rule of decision 0176, in words as near to it as code can be. */
function modelScope(asked: readonly string[], requested: readonly ModelServer[], model: Model): string[] {
  const stays: string[] = []
  for (const name of asked) {
    let stays_at_all = true
    for (const server of requested) {
      const made = server.made[name] ?? 0
      if (!server.require_roles || made === 0) continue // it does not define the name, or needs no role
      let is_given = false
      for (const role of model.roles) {
        if (!isHeld(role, model)) continue
        for (const permission of role.permissions) {
          if (permission.resource_server !== server.slug || !permission.scopes.includes(name)) continue
          for (const { resource_server_id, resource_server_version } of role.named)
            if (resource_server_id === server.id && made <= resource_server_version) is_given = true
        }
      }
      if (!is_given) stays_at_all = false
    }
    if (stays_at_all) stays.push(name)
  }
  return stays
}

const names = ['read', 'write', 'delete', 'refund']
const letters = ['a', 'b', 'c']
const role_ids = ['rol_1', 'rol_2', 'rol_3', 'rol_4', 'rol_5']
const slugOf = (id: string) => id.replace('rol_', 'role-')

const server = (letter: string) =>
  fc.record<ModelServer>({
    id: fc.constantFrom(`rs_${letter}`, `rs_${letter}2`), // made again under the old slug and identifier
    slug: fc.constant(letter),
    identifier: fc.constant(`https://${letter}.example`),
    require_roles: fc.boolean(),
    made: fc.record(Object.fromEntries(names.map((name) => [name, fc.integer({ min: 0, max: 3 })]))),
  })
const role = (id: string) =>
  fc.record<DefinedRole>({
    id: fc.constant(id),
    slug: fc.constant(slugOf(id)),
    kind: fc.constantFrom('user', 'organization'),
    default: fc.boolean(),
    permissions: fc.uniqueArray(fc.record({ resource_server: fc.constantFrom(...letters, 'gone'), scopes: fc.subarray(names) }), {
      selector: ({ resource_server }) => resource_server,
    }),
    named: fc.uniqueArray(
      fc.record({
        resource_server_id: fc.constantFrom(...letters.map((letter) => `rs_${letter}`), 'rs_gone'),
        resource_server_version: fc.integer({ min: 1, max: 3 }),
      }),
      { selector: ({ resource_server_id }) => resource_server_id },
    ),
  })
const situation = fc.record({
  servers: fc.tuple(...letters.map(server)),
  roles: fc.tuple(...role_ids.map(role)),
  held: fc.subarray([...role_ids, 'rol_gone']),
  kind: fc.constantFrom<DefinedRole['kind']>('user', 'organization'),
  resource: fc.subarray(
    letters.map((letter) => `https://${letter}.example`),
    { minLength: 1 },
  ),
  asked: fc.subarray(['openid', 'profile', ...names], { minLength: 1 }),
  allowed: fc.subarray([...role_ids.map(slugOf), 'role-gone']),
})

/** A version of 1 is not stored where the resource server has the scope from its beginning. */
const requiring = (servers: readonly ModelServer[]): RequiringServer[] =>
  servers
    .filter(({ require_roles }) => require_roles)
    .map(({ made, ...rest }) => ({
      ...rest,
      scopes: Object.entries(made).flatMap(([name, version]) => (version > 0 ? [{ name }] : [])),
      scope_versions: Object.fromEntries(Object.entries(made).filter(([, version]) => version > 1)),
    }))

function accessOf(servers: readonly ModelServer[], roles: readonly DefinedRole[], allowed_roles: readonly string[] = []) {
  const access = createAccess(requiring(servers))
  for (const each of roles) access.add(each)
  return access.finish([{ client_id: 'app_1', allowed_roles, roles_claim: 'groups', data_claims: false, organizations: 'none' }])
}

test('roles give the scope that the contract says, in 20,000 situations', () => {
  fc.assert(
    fc.property(situation, ({ resource, asked, allowed, ...model }) => {
      const { servers, roles, held, kind } = model
      const access = accessOf(servers, roles, allowed)
      const has = rolesHeld(access, kind, held)
      const requested = servers.filter(({ identifier }) => resource.includes(identifier))
      const given = scopeGiven(asked, resource, access, has)
      const expected = modelScope(asked, requested, model)
      assert.deepEqual(given, expected)

      const of_servers = new Set(requested.flatMap(({ made }) => names.filter((name) => (made[name] ?? 0) > 0)))
      const ofServers = (scope: readonly string[]) => scope.filter((name) => of_servers.has(name))
      assert.equal(leavesNone(asked, given, of_servers), ofServers(asked).length > 0 && ofServers(expected).length === 0)

      const slugs = roles
        .filter((each) => isHeld(each, model))
        .map(({ slug }) => slug)
        .sort()
      assert.deepEqual(slugsOf(access, has), slugs)
      assert.equal(letsIn(access, 'app_1', has), allowed.length === 0 || allowed.some((slug) => slugs.includes(slug)))
    }),
    { numRuns: 20_000 },
  )
})

test('an application that asks for no role lets everyone in and has no claim', () => {
  const access = accessOf([], [])
  assert.equal(letsIn(access, 'app_2', rolesHeld(access, 'user', [])), true)
  assert.deepEqual([claimOf(access, 'app_1'), claimOf(access, 'app_2')], ['groups', null])
})
