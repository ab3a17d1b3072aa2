/**
 * Who may do what in the demo: an API that needs roles (`site/demo-api.ts`), a role that may delete and one that only reads, and a customer
 * whose two members have one each. It is a batch of its own, after that of the demo: all of it is in one environment.
 */
import { resource_server } from '@ostiary/contract/objects/resource-server.ts'
import { type Permission, role } from '@ostiary/contract/objects/role.ts'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import type { Limits } from '../base/config/limits.ts'
import { patched } from '../base/patched.ts'
import type { Statement } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { countForUser } from '../domain/organizations/counts.ts'
import { addMember } from '../domain/organizations/members.ts'
import { insertOrganization } from '../domain/organizations/store.ts'
import * as resourceServers from '../domain/resource-servers/changes.ts'
import * as roles from '../domain/roles/changes.ts'
import type { ObjectPlace } from '../domain/tenancy/objects.ts'
import { insertUser } from '../domain/users/store.ts'

export const reads_orders = 'orders:read'
export const deletes_orders = 'orders:delete'

/** The address of the API of the demo, which is the `aud` of access tokens for it. */
export const ordersApi = (base_url: string): string => base_url + serviceRoutes.demoOrders.path

interface Making {
  base_url: string
  limits: Limits
  newId: Deployment['newId']
}

/** Put it after the insert of the administrator. */
export function demoAccess(
  place: ObjectPlace,
  { base_url, limits, newId }: Making,
  people: { administrator: string; viewer: { email: string; password_hash: string } },
): Statement[] {
  const { environment_id, at } = place
  const slug = 'orders'
  const api = patched(
    resource_server,
    undefined,
    {},
    {
      name: 'Orders',
      require_roles: true,
      organizations: 'required',
      roles_claim: 'roles',
      scopes: [
        { name: reads_orders, description: 'Read the orders of your company' },
        { name: deletes_orders, description: 'Delete orders of your company' },
      ],
    },
  )
  const given = { administrator: newId('rol'), viewer: newId('rol') }
  const permissions = (...scopes: string[]): Permission[] => [{ resource_server: slug, scopes }]
  const roleOf = (slug: keyof typeof given, fields: object) =>
    roles.created(place, { id: given[slug], slug, kind: 'organization' }, patched(role, undefined, {}, fields)).statements
  const organization_id = newId('org')
  const customer = { name: 'Blue Door Ltd', external_id: null, metadata: {}, claims: {}, disabled: false }
  const users = { administrator: people.administrator, viewer: newId('usr') }
  const names = ['administrator', 'viewer'] as const
  const member = (name: (typeof names)[number]) => ({ environment_id, organization_id, user_id: users[name] })
  const { email, password_hash } = people.viewer
  const viewer = { email, email_verified: true, name: 'Vera Viewer', given_name: 'Vera', family_name: 'Viewer', locale: 'en' }
  return [
    ...resourceServers.created(place, { id: newId('rs'), slug, identifier: ordersApi(base_url) }, api).statements,
    ...roleOf('administrator', { name: 'Administrator', administers: true, permissions: permissions(reads_orders, deletes_orders) }),
    ...roleOf('viewer', { name: 'Viewer', permissions: permissions(reads_orders) }),
    ...insertUser({ environment_id, id: users.viewer }, viewer, password_hash, at),
    ...names.map((name) => countForUser(member(name), limits.organizations_per_user)),
    ...insertOrganization(environment_id, { id: organization_id, slug: 'blue-door' }, customer, { most: limits.organizations, now: at }),
    ...names.flatMap((name) => addMember(member(name), [given[name]], { most: limits.members_per_organization, now: at })),
  ]
}
