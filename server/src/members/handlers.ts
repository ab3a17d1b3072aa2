import type { routes } from '@ostiary/contract/routes.ts'
import type { Tenant } from '@ostiary/contract/tenancy.ts'
import { roles } from '@ostiary/contract/tenancy.ts'
import { anchorLog } from '../audit/chaining.ts'
import { newSecret } from '../deployment.ts'
import type { Caller } from '../http/authenticate.ts'
import type { Handlers } from '../http/mount.ts'
import { readPage, readPageBy } from '../http/pages.ts'
import { ApiError, notFound, quotaExceeded } from '../http/problem.ts'
import { changeVersioned } from '../http/versioned.ts'
import { digestOf } from '../keys/format.ts'
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
import { holdUser, insertUser } from '../users/store.ts'
import { insertInvitation } from './invitations.ts'
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
>

const invitation_ms = 7 * 86_400_000

export function createMemberHandlers(root: Root): Handlers<Table> {
  const root_environment = root.environment_id as `env_${string}` // as: stored by us

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
      readPageBy(deployment, `members.${caller.tenant_id}`, query, store.placeOf, (last, limit) =>
        store.listMembers(deployment.db, root_environment, caller.tenant_id, last, limit),
      ),

    /** Somebody new to the service gets a link to set a password with; it is told once. */
    async addMember(deployment, { caller, body, fail, commit }) {
      const { db, now, newId } = deployment
      refuseAboveOwnRole(caller, body.role)
      const at = now()
      const known = await store.findAccount(db, root_environment, body.email)
      const user_id = known?.id ?? (newId('usr') as `usr_${string}`) // as: newId gives exactly this
      const token = newSecret(deployment)
      const invite = [
        insertUser(root_environment, user_id, { email: body.email }, null, at),
        insertInvitation(root_environment, user_id, digestOf(token), new Date(at.getTime() + invitation_ms)),
      ]
      const member = {
        id: user_id,
        user_id,
        tenant_id: caller.tenant_id,
        email: known?.email ?? body.email,
        name: known?.name ?? null,
        role: body.role,
        last_sign_in_at: known?.last_sign_in_at ?? null,
        created_at: at.toISOString(),
        updated_at: at.toISOString(),
        version: 1,
        invitation_url: known ? null : `${root.issuer}/invitation?token=${token}`,
      }
      const statements = [...(known ? [] : invite), store.insertMember(caller.tenant_id, user_id, body.role, at)]
      const data = { email: body.email, method: 'invitation' }
      const made = { event: { environment_id: root_environment, type: 'user.created', user_id, data } as const }
      const added = await commit({ statements, before: null, answer: member, ...(known ? {} : made) }, at)
      if (!added) return fail('identifier_taken', `${body.email} is a member of this tenant already.`)
      return member
    },

    changeMember: ({ db, now }, { caller, params, body, if_match, fail, commit }) =>
      changeVersioned(
        if_match,
        () => store.findMember(db, root_environment, caller.tenant_id, params.user_id ?? ''),
        async (current) => {
          const { role = current.role } = body
          if (role === current.role) return current
          refuseAboveOwnRole(caller, current.role)
          refuseAboveOwnRole(caller, role)
          const at = now()
          const member = { ...current, role, version: current.version + 1, updated_at: at.toISOString() }
          const changed = await commit(
            {
              statements: [holdTenant(caller.tenant_id), store.updateRole(current, role, at)],

              before: current,
              answer: member,
            },
            at,
          )
          if (changed) return member
          const still = await store.findMember(db, root_environment, caller.tenant_id, current.user_id)
          return still?.version === current.version ? fail('last_owner', 'This is the last owner of the tenant.') : null
        },
      ),

    async removeMember({ db, now }, { caller, params, if_match, fail, commit }) {
      await changeVersioned(
        if_match,
        () => store.findMember(db, root_environment, caller.tenant_id, params.user_id ?? ''),
        async (current) => {
          const leaves = current.user_id === caller.administrator.user_id
          if (!leaves) refuseAboveOwnRole(caller, current.role)
          const removed = await commit(
            { statements: [holdTenant(caller.tenant_id), store.deleteMember(current)], before: current, answer: null },
            now(),
          )
          if (removed) return current
          const still = await store.findMember(db, root_environment, caller.tenant_id, current.user_id)
          return still?.version === current.version
            ? fail('last_owner', 'This is the last owner of the tenant. Make somebody else owner first.')
            : null
        },
      )
      return null
    },
  }
}

/** Only owners make or unmake owners. */
function refuseAboveOwnRole({ role }: Caller, touched: (typeof roles)[number]): void {
  if (role === null || roles.indexOf(role) < roles.indexOf(touched))
    throw new ApiError('insufficient_role', `The role ${touched} is above yours, ${role}.`)
}
