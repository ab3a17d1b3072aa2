/** The endpoints of administrators, tenants and members. Those of invitations are in `invitation-handlers.ts`. */
import { InvitationId, type TenantId, UserId } from '@ostiary/contract/ids.ts'
import type { routes } from '@ostiary/contract/routes.ts'
import type { Tenant } from '@ostiary/contract/tenancy.ts'
import { readPage, readPageBy } from '../api/lists.ts'
import type { Handlers } from '../api/mount.ts'
import { changeVersioned } from '../api/versions.ts'
import { anchorLog } from '../audit/chaining.ts'
import type { Db } from '../db/db.ts'
import { ApiError, notFound, quotaExceeded } from '../http/problem.ts'
import type { Root } from '../setup/root.ts'
import {
  findTenant,
  haveRoom,
  holdTenant,
  insertTenant,
  isTenantSlugTaken,
  listTenants,
  renameTenant,
  roomForTenant,
} from '../tenancy/store.ts'
import { holdUser } from '../users/store.ts'
import { changeInvitation, createAddMember, createResendInvitation, deleteInvitation, refuseAboveOwnRole } from './invitation-handlers.ts'
import { endInvitationsOf, findPending, pendingAsMember } from './invitations.ts'
import { locate } from './lookup.ts'
import * as store from './store.ts'

type Table = Pick<
  typeof routes,
  | 'me'
  | 'lookup'
  | 'listTenants'
  | 'createTenant'
  | 'getTenant'
  | 'changeTenant'
  | 'listMembers'
  | 'addMember'
  | 'changeMember'
  | 'removeMember'
  | 'resendInvitation'
>

export function createMemberHandlers(root: Root): Handlers<Table> {
  const root_environment = root.environment_id as `env_${string}` // as: stored by us

  /** A member or a pending invitation; an id of any other kind is the id of nothing. */
  const find = async (db: Db, tenant_id: TenantId, id: string, at: Date): Promise<store.MemberRow | null> => {
    if (UserId.safeParse(id).success) return store.findMember(db, root_environment, tenant_id, id)
    return InvitationId.safeParse(id).success ? findPending(db, tenant_id, id, at) : null
  }

  return {
    async me(_, { caller }) {
      const { user_id, email, name, memberships } = caller.administrator
      return { user_id, email, name, root_tenant_id: root.tenant_id, memberships }
    },

    async lookup({ db }, { caller, params }) {
      const located = await locate(
        db,
        caller.administrator.memberships.map((membership) => membership.tenant_id),
        params.id ?? '',
      )
      if (!located) throw notFound()
      return located
    },

    listTenants: (deployment, { caller, query }) => {
      const { user_id } = caller.administrator
      return readPage(deployment, `tenants.${user_id}`, query, (rest) => listTenants(deployment.db, user_id, rest))
    },

    async createTenant({ db, config, secrets, now, newId }, { caller, body, fail, commit }) {
      const { user_id } = caller.administrator
      const { limits } = config
      const at = now()
      const id = newId('ten') as Tenant['id'] // as: newId gives exactly this
      const tenant = { id, ...body, created_at: at.toISOString(), updated_at: at.toISOString(), version: 1 }
      const statements = [
        ...haveRoom(holdUser(root_environment, user_id), roomForTenant(user_id, limits.tenants_per_person)),
        insertTenant(id, { ...body, created_by: user_id }, at),
        anchorLog(secrets, id),
        store.insertMember(id, user_id, 'owner', at),
      ]
      const created = await commit({ statements, before: null, answer: tenant }, at)
      if (created) return tenant
      if (await isTenantSlugTaken(db, body.slug)) return fail('slug_taken', `There is a tenant with the slug "${body.slug}" already.`)
      throw quotaExceeded('tenants_per_person', limits)
    },

    async getTenant({ db }, { caller }) {
      const tenant = await findTenant(db, caller.tenant_id)
      if (!tenant) throw notFound()
      return tenant
    },

    changeTenant: ({ db, now }, { caller, body, if_match, commit }) =>
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
      ),

    listMembers: (deployment, { caller, query }) =>
      readPageBy(deployment, `members.${caller.tenant_id}`, query, store.sortKeyOf, (last, limit) =>
        store.listMembers(
          deployment.db,
          { root_environment_id: root_environment, tenant_id: caller.tenant_id },
          pendingAsMember(caller.tenant_id, deployment.now()),
          { last, limit },
        ),
      ),

    addMember: createAddMember(root),
    resendInvitation: createResendInvitation(root),

    changeMember: ({ db, now }, { caller, params, body, if_match, fail, commit }) =>
      changeVersioned(
        if_match,
        () => find(db, caller.tenant_id, params.member_id ?? '', now()),
        async (current) => {
          const { role = current.role } = body
          if (role === current.role) return current
          const at = now()
          if (current.status === 'pending') return changeInvitation({ caller, commit }, current, role, at)
          refuseAboveOwnRole(caller, current.role)
          refuseAboveOwnRole(caller, role)
          const member = { ...current, role, version: current.version + 1, updated_at: at.toISOString() }
          const statements = [
            holdTenant(caller.tenant_id),
            store.updateRole(current, role, at),
            endInvitationsOf(caller.tenant_id, current.id, at),
          ]
          const changed = await commit({ statements, before: current, answer: member }, at)
          if (changed) return member
          const still = await find(db, caller.tenant_id, current.id, at)
          return still?.version === current.version ? fail('last_owner', 'This is the last owner of the tenant.') : null
        },
      ),

    async removeMember({ db, now }, { caller, params, if_match, fail, commit }) {
      const { member_id = '' } = params
      const leaves = member_id === caller.administrator.user_id
      if (!leaves && (caller.role === 'viewer' || caller.role === 'developer'))
        throw new ApiError('insufficient_role', `This needs the role admin; yours is ${caller.role}.`)
      await changeVersioned(
        if_match,
        () => find(db, caller.tenant_id, member_id, now()),
        async (current) => {
          const at = now()
          if (current.status === 'pending') return (await deleteInvitation({ caller, commit }, current, at)) || null
          if (!leaves) refuseAboveOwnRole(caller, current.role)
          const statements = [holdTenant(caller.tenant_id), store.deleteMember(current), endInvitationsOf(caller.tenant_id, current.id, at)]
          const removed = await commit({ statements, before: current, answer: null }, at)
          if (removed) return current
          const still = await find(db, caller.tenant_id, current.id, at)
          return still?.version === current.version
            ? fail('last_owner', 'This is the last owner of the tenant. Make another member an owner first.')
            : null
        },
      )
      return null
    },
  }
}
