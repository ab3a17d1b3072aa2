import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accessOf, type DefinedRole, leavesNone, type RequiringServer, rolesHeld, scopeGiven } from './roles.ts'

/** A resource server of the model. `made` counts how often each of its scopes was made; 0: it has no such scope. */
interface ModelServer {
  id: string
  identifier: string
  require_roles: boolean
  made: Readonly<Record<string, number>>
}

/** access.md §3, in words as near to it as code can be. */
function modelScope(
  asked: readonly string[],
  { servers, roles, held }: { servers: readonly ModelServer[]; roles: readonly DefinedRole[]; held: readonly string[] },
  kind: DefinedRole['kind'],
): string[] {
  const stays: string[] = []
  for (const name of asked) {
    let stays_at_all = true
    for (const server of servers) {
      if (!server.require_roles || !server.made[name]) continue // it does not define the name, or needs no role
      let is_given = false
      for (const role of roles) {
        if (role.kind !== kind) continue
        if (!role.default && !held.includes(role.id)) continue
        for (const permission of role.permissions)
          for (const scope of permission.scopes)
            if (permission.resource_server_id === server.id && scope.name === name && scope.number === server.made[name]) is_given = true
      }
      if (!is_given) stays_at_all = false
    }
    if (stays_at_all) stays.push(name)
  }
  return stays
}

const names = ['read', 'write', 'delete', 'refund']
const server_ids = ['rs_a', 'rs_b', 'rs_c']
const role_ids = ['rol_1', 'rol_2', 'rol_3', 'rol_4', 'rol_5']

const server = (id: string) =>
  fc.record<ModelServer>({
    id: fc.constantFrom(id, `${id}2`), // made again under the old identifier
    identifier: fc.constant(`https://${id}.example`),
    require_roles: fc.boolean(),
    made: fc.record(Object.fromEntries(names.map((name) => [name, fc.integer({ min: 0, max: 2 })]))),
  })
const permission = fc.record({
  resource_server_id: fc.constantFrom(...server_ids, 'rs_gone'),
  scopes: fc.array(fc.record({ name: fc.constantFrom(...names), number: fc.integer({ min: 1, max: 2 }) }), { maxLength: 4 }),
})
const role = (id: string) =>
  fc.record<DefinedRole>({
    id: fc.constant(id),
    slug: fc.constant(id.replace('rol_', 'role-')),
    kind: fc.constantFrom('user', 'organization'),
    default: fc.boolean(),
    permissions: fc.array(permission, { maxLength: 3 }),
  })
const situation = fc.record({
  servers: fc.tuple(...server_ids.map(server)),
  roles: fc.tuple(...role_ids.map(role)),
  held: fc.subarray([...role_ids, 'rol_gone']),
  kind: fc.constantFrom<DefinedRole['kind']>('user', 'organization'),
  resource: fc.subarray(
    server_ids.map((id) => `https://${id}.example`),
    { minLength: 1 },
  ),
  asked: fc.subarray(['openid', 'profile', ...names], { minLength: 1 }),
})

const requiring = (servers: readonly ModelServer[]): RequiringServer[] =>
  servers
    .filter(({ require_roles }) => require_roles)
    .map(({ id, identifier, made }) => ({
      id,
      identifier,
      scopes: Object.entries(made).flatMap(([name, number]) => (number > 0 ? [{ name, number }] : [])),
    }))

test('roles give the scope that the contract says, in 20,000 situations', () => {
  fc.assert(
    fc.property(situation, ({ servers, roles, held, kind, resource, asked }) => {
      const access = accessOf(roles, requiring(servers))
      const given = scopeGiven(asked, resource, access, rolesHeld(access, kind, held))
      const requested = servers.filter(({ identifier }) => resource.includes(identifier))
      const model = modelScope(asked, { servers: requested, roles, held }, kind)
      assert.deepEqual(given, model)
      const ofServers = (scope: readonly string[]) => scope.filter((name) => names.includes(name))
      assert.equal(leavesNone(asked, given), ofServers(asked).length > 0 && ofServers(model).length === 0)
    }),
    { numRuns: 20_000 },
  )
})
