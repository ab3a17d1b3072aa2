import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrganizationUse } from '@ostiary/contract/objects/organization-use.ts'
import fc from 'fast-check'
import { OAuthError } from './oauth-error.ts'
import {
  type Access,
  claimOf,
  createAccess,
  type DefinedRole,
  letsIn,
  needsOrganization,
  type RequiringServer,
  type RoleSet,
  rolesHeld,
  slugsOf,
} from './roles.ts'
import { targetOf } from './token-target.ts'

/** A resource server of the model. `made` says in which version each of its scopes was made; 0: it has no such scope. */
interface ModelServer {
  id: string
  slug: string
  identifier: string
  require_roles: boolean
  organizations: OrganizationUse
  made: Readonly<Record<string, number>>
}

interface Model {
  /** Those that are there now. */
  servers: readonly ModelServer[]
  roles: readonly DefinedRole[]
  /** The ids of the roles that the user was given, and those that the member of the organization was given. */
  of_user: readonly string[]
  of_member: readonly string[]
  /** That which was requested, allowed and consented to. A resource server of it can be gone. */
  grant: { scope: readonly string[]; resource: readonly string[]; has_organization: boolean }
  /** The resource servers that the token request names; none: those of the grant. */
  named: readonly string[]
  application: { allowed_scopes: readonly string[]; allowed_roles: readonly string[]; organizations: OrganizationUse }
  disabled_scopes: readonly string[]
}

/** The roles that count. Of the user and of the member, never both. */
const rolesOf = ({ roles, of_user, of_member, grant: { has_organization } }: Model) => {
  const [kind, given] = has_organization ? ['organization', of_member] : ['user', of_user]
  return roles.filter((role) => role.kind === kind && (role.default || given.includes(role.id)))
}

/** The scope or the error of a token request, in words as near to the contract as code can be. */
function modelToken(model: Model): readonly string[] | 'invalid_grant' | 'invalid_target' | 'invalid_scope' {
  const { servers, grant, named, application, disabled_scopes } = model
  const held = rolesOf(model)
  const { allowed_roles } = application
  if (allowed_roles.length > 0 && !held.some(({ slug }) => allowed_roles.includes(slug))) return 'invalid_grant'
  const requested = servers.filter(({ identifier }) => (named.length === 0 ? grant.resource : named).includes(identifier))
  const is_required = [application, ...requested].some(({ organizations }) => organizations === 'required')
  if (is_required && !grant.has_organization) return 'invalid_grant'
  if (named.some((identifier) => requested.every((server) => server.identifier !== identifier))) return 'invalid_target'

  const madeIn = ({ made }: ModelServer, name: string) => made[name] ?? 0
  const isOfServers = (name: string) => requested.some((server) => madeIn(server, name) > 0)
  const isGiven = (server: ModelServer, name: string) =>
    held.some(
      ({ permissions, named }) =>
        permissions.some(({ resource_server, scopes }) => resource_server === server.slug && scopes.includes(name)) &&
        named.some((at) => at.resource_server_id === server.id && madeIn(server, name) <= at.resource_server_version),
    )
  const asked = grant.scope.filter(
    (name) =>
      application.allowed_scopes.includes(name) && !disabled_scopes.includes(name) && (own_scopes.includes(name) || isOfServers(name)),
  )
  const given = asked.filter((name) =>
    requested.every((server) => !server.require_roles || madeIn(server, name) === 0 || isGiven(server, name)),
  )
  const is_nothing_left = asked.some(isOfServers) && !given.some(isOfServers)
  return is_nothing_left || asked.length === 0 ? 'invalid_scope' : given
}

const own_scopes = ['openid', 'profile']
const names = ['read', 'write', 'delete', 'refund']
const letters = ['a', 'b', 'c']
const role_ids = ['rol_1', 'rol_2', 'rol_3', 'rol_4', 'rol_5']
const slugOf = (id: string) => id.replace('rol_', 'role-')

/** Mostly not required, so that most situations are about roles. */
const use = fc.constantFrom<OrganizationUse>('none', 'none', 'none', 'optional', 'optional', 'required')

const server = (letter: string) =>
  fc.record<ModelServer>({
    id: fc.constantFrom(`rs_${letter}`, `rs_${letter}2`), // made again under the old slug and identifier
    slug: fc.constant(letter),
    identifier: fc.constant(`https://${letter}.example`),
    require_roles: fc.boolean(),
    organizations: use,
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
const identifiers = letters.map((letter) => `https://${letter}.example`)
const all_scopes = [...own_scopes, ...names]
/** Most of them. */
const most = (all: readonly string[]) => fc.oneof({ weight: 3, arbitrary: fc.constant([...all]) }, fc.subarray([...all]))
const situation = fc.record<Model>({
  servers: fc.tuple(...letters.map(server)).chain((all) => fc.oneof({ weight: 3, arbitrary: fc.constant(all) }, fc.subarray(all))),
  roles: fc.tuple(...role_ids.map(role)),
  of_user: fc.subarray([...role_ids, 'rol_gone']),
  of_member: fc.subarray([...role_ids, 'rol_gone']),
  grant: fc.record({
    scope: fc.subarray(all_scopes, { minLength: 1 }),
    resource: fc.subarray(identifiers),
    has_organization: fc.boolean(),
  }),
  named: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray(identifiers)),
  application: fc.record({
    allowed_scopes: most(all_scopes),
    allowed_roles: fc.oneof(fc.constant([]), fc.subarray([...role_ids.map(slugOf), 'role-gone'])),
    organizations: use,
  }),
  disabled_scopes: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray(all_scopes)),
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

const client_id = 'app_1'

function accessOf({ servers, roles, application }: Pick<Model, 'servers' | 'roles' | 'application'>) {
  const access = createAccess(requiring(servers))
  for (const each of roles) access.add(each)
  const strict = servers.filter(({ organizations }) => organizations === 'required').map(({ identifier }) => identifier)
  return access.finish([{ client_id, roles_claim: null, data_claims: false, ...application }], strict)
}

/** The answer of this program: the same questions in the same order as the token endpoint asks them. */
function tokenOf({ servers, grant, named, application, disabled_scopes }: Model, access: Access, held: RoleSet) {
  const resource = named.length === 0 ? grant.resource : grant.resource.filter((identifier) => named.includes(identifier))
  if (!letsIn(access, client_id, held)) return 'invalid_grant'
  if (!grant.has_organization && needsOrganization(access, client_id, resource)) return 'invalid_grant'
  const audiences = servers.map(({ identifier, made }) => ({
    ...{ identifier, access_token_ttl_seconds: null, access_token_format: 'jwt' as const, access_token_signing_alg: 'RS256' as const },
    ...{ roles_claim: null, data_claims: false },
    scopes: names.filter((name) => (made[name] ?? 0) > 0).map((name) => ({ name })),
  }))
  const tokens = { access_token_ttl_seconds: 3_600, access_token_format: 'jwt' as const }
  const { allowed_scopes } = application
  try {
    const granted = { scope: grant.scope.join(' '), resource: grant.resource }
    return targetOf(granted, named, { audiences, allowed_scopes, roles_claim: null, access, held, disabled_scopes, tokens }).scope.split(
      ' ',
    )
  } catch (error) {
    return error instanceof OAuthError ? error.code : assert.fail(`${error}`)
  }
}

test('a token gives the scope that the contract says, for an organization or for none, in 20,000 situations', () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(situation, (model) => {
      const named = model.named.filter((identifier) => model.grant.resource.includes(identifier))
      const now = { ...model, named }
      const { has_organization } = model.grant
      const access = accessOf(now)
      const held = rolesHeld(access, has_organization ? 'organization' : 'user', has_organization ? now.of_member : now.of_user)
      const expected = modelToken(now)
      assert.deepEqual(tokenOf(now, access, held), expected)
      assert.deepEqual(
        slugsOf(access, held),
        rolesOf(now)
          .map(({ slug }) => slug)
          .sort(),
      )
      const kind = typeof expected === 'string' ? expected : expected.some((name) => names.includes(name)) ? 'scopes' : 'no scope of an API'
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
    }),
    { numRuns: 20_000 },
  )
  for (const kind of ['invalid_grant', 'invalid_target', 'invalid_scope', 'no scope of an API', 'scopes'])
    assert.ok((seen.get(kind) ?? 0) > 100, `${kind}: ${seen.get(kind)} situations`)
})

test('an application that asks for no role lets everyone in and has no claim', () => {
  const application = { client_id, allowed_roles: [], roles_claim: 'groups', data_claims: false, organizations: 'none' as const }
  const access = createAccess([]).finish([application])
  assert.equal(letsIn(access, 'app_2', rolesHeld(access, 'user', [])), true)
  assert.deepEqual([claimOf(access, client_id), claimOf(access, 'app_2')], ['groups', null])
})
