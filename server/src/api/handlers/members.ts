/** The endpoints of administrators, tenants and members. Those of invitations are in `invitations.ts`. */
import { type TenantId, UserId } from '@ostiary/contract/ids.ts'
import { quotaDetail } from '../../base/config/limits.ts'
import { reason } from '../../base/reason.ts'
import { anchorLog } from '../../domain/audit/chaining.ts'
import { readPageBy } from '../../domain/lists/lists.ts'
import { readNamedPage } from '../../domain/lists/search.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { endInvitationsOf, findPendingInvitation, pendingAsMember } from '../../domain/members/invitations.ts'
import * as store from '../../domain/members/store.ts'
import {
  findTenant,
  holdTenant,
  insertTenant,
  isTenantSlugTaken,
  listTenants as listTenantsOf,
  renameTenant,
  roomForTenant,
} from '../../domain/tenancy/store.ts'
import { holdUser } from '../../domain/users/store.ts'
import { found, notFound } from '../../http/problem.ts'
import type { Handler } from '../handler.ts'
import { locate } from '../lookup.ts'
import type { Services } from '../services.ts'
import { changeInvitation, deleteInvitation, refuseAboveOwnRole } from './invitations.ts'

export { addMember, resendInvitation } from './invitations.ts'

export const me: Handler<'me'> = async ({ root }, { caller }) => {
  const { user_id, email, name, memberships } = caller.administrator
  return { user_id, email, name, root_tenant_id: root.tenant_id, memberships }
}

export const lookup: Handler<'lookup'> = async ({ db, refused_calls }, { caller, params }) => {
  await refused_calls.write() // the id may be of a call that was just refused
  const located = await locate(
    db,
    caller.administrator.memberships.map((membership) => membership.tenant_id),
    params.id ?? '',
  )
  if (!located) throw notFound()
  return located
}

export const listTenants: Handler<'listTenants'> = (services, call) => {
  const { user_id } = call.caller.administrator
  return readNamedPage(services, call, `tenants.${user_id}`, (rest) => listTenantsOf(services.db, user_id, rest))
}

export const createTenant: Handler<'createTenant'> = async (services, { caller, body, fail, commit }) => {
  const { db, config, secrets, now, newId } = services
  const { user_id } = caller.administrator
  const { limits } = config
  const at = now()
  const id = newId('ten')
  const tenant = { id, ...body, created_at: at.toISOString(), updated_at: at.toISOString(), version: 1 }
  const statements = [
    insertTenant(id, { ...body, created_by: user_id }, at),
    holdUser(rootEnvironment(services), user_id),
    roomForTenant(user_id, limits.tenants_per_person),
    anchorLog(secrets, id),
    store.insertMember(id, user_id, 'owner', at),
  ]
  const created = await commit({ statements, before: null, answer: tenant }, at)
  if (created) return tenant
  if (await isTenantSlugTaken(db, body.slug))
    return fail('slug_taken', `A tenant with the slug "${body.slug}" already exists.`, { reason: reason`Another tenant has the slug.` })
  return fail('quota_exceeded', quotaDetail('tenants_per_person', limits))
}

export const getTenant: Handler<'getTenant'> = async ({ db }, { caller }) => found(findTenant(db, caller.tenant_id))

export const changeTenant: Handler<'changeTenant'> = ({ db, now }, { caller, body, if_match, commit }) =>
  changeVersioned(
    if_match,
    () => findTenant(db, caller.tenant_id),
    async (current) => {
      const { name = current.name } = body
      if (name === current.name) return current
      const at = now()
      const tenant = { ...current, name, version: current.version + 1, updated_at: at.toISOString() }
      const changed = await commit({ statements: [renameTenant(current, name, at)], before: current, answer: tenant }, at)
      return changed ? tenant : null
    },
  )

export const listMembers: Handler<'listMembers'> = (services, call) => {
  const { tenant_id } = call.caller
  const scope = { root_environment_id: rootEnvironment(services), tenant_id }
  const pending = pendingAsMember(tenant_id, services.now())
  return readPageBy(services, call, `members.${tenant_id}`, {
    keyOf: store.memberSortKey,
    read: (last, limit) => store.listMembers(services.db, scope, pending, { last, limit }),
  })
}

export const getMember: Handler<'getMember'> = async (services, { caller, params }) =>
  found(findMemberOrInvitation(services, caller.tenant_id, params.member_id ?? '', services.now()))

export const changeMember: Handler<'changeMember'> = (services, call) => {
  const { caller, params, body, if_match, fail, commit } = call
  return changeVersioned(
    if_match,
    () => findMemberOrInvitation(services, caller.tenant_id, params.member_id ?? '', services.now()),
    async (current) => {
      const { role = current.role } = body
      if (role === current.role) return current
      const at = services.now()
      if (current.status === 'pending') return changeInvitation(services, call, current, { role, at })
      refuseAboveOwnRole(call, current.role)
      refuseAboveOwnRole(call, role)
      const member = { ...current, role, version: current.version + 1, updated_at: at.toISOString() }
      const statements = [
        holdTenant(caller.tenant_id),
        store.updateRole(current, role, at),
        endInvitationsOf(caller.tenant_id, current.id, at),
      ]
      const changed = await commit({ statements, before: current, answer: member }, at)
      if (changed) return member
      const still = await findMemberOrInvitation(services, caller.tenant_id, current.id, at)
      return still?.version === current.version ? fail('last_owner', 'This is the last owner of the tenant.') : null
    },
  )
}

export const removeMember: Handler<'removeMember'> = async (services, call) => {
  const { caller, params, if_match, fail, commit } = call
  const { member_id = '' } = params
  const is_self = member_id === caller.administrator.user_id
  if (!is_self && (caller.role === 'viewer' || caller.role === 'developer'))
    return fail('insufficient_role', `This needs the role admin; yours is ${caller.role}.`)
  await changeVersioned(
    if_match,
    () => findMemberOrInvitation(services, caller.tenant_id, member_id, services.now()),
    async (current) => {
      const at = services.now()
      if (current.status === 'pending') return (await deleteInvitation(call, current, at)) || null
      if (!is_self) refuseAboveOwnRole(call, current.role)
      const statements = [holdTenant(caller.tenant_id), store.deleteMember(current), endInvitationsOf(caller.tenant_id, current.id, at)]
      const removed = await commit({ statements, before: current, answer: null }, at)
      if (removed) return current
      const still = await findMemberOrInvitation(services, caller.tenant_id, current.id, at)
      return still?.version === current.version
        ? fail('last_owner', 'This is the last owner of the tenant. Make another member an owner first.')
        : null
    },
  )
  return null
}

/** `null` for the id of any other kind of object. */
async function findMemberOrInvitation(services: Services, tenant_id: TenantId, id: string, at: Date): Promise<store.MemberRow | null> {
  const { db } = services
  if (UserId.safeParse(id).success) return store.findMember(db, rootEnvironment(services), tenant_id, id)
  return findPendingInvitation(db, tenant_id, id, at)
}

const rootEnvironment = ({ root }: Pick<Services, 'root'>) => root.environment_id
