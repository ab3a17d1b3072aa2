/** The endpoints of the members of organizations. A member is found while both the organization and the user are there. */
import { type EnvironmentId, UserId } from '@ostiary/contract/ids.ts'
import type { OrganizationMemberQuery, UserOrganization } from '@ostiary/contract/organization.ts'
import type { z } from 'zod'
import { quotaDetail } from '../../base/config/limits.ts'
import { reason } from '../../base/reason.ts'
import { untilWritten } from '../../base/until-written.ts'
import { type PageCall, readPageBy } from '../../domain/lists/lists.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import {
  administratorsOf,
  countForUser,
  holdOrganization,
  isOrganizationFull,
  settleOrganization,
} from '../../domain/organizations/counts.ts'
import * as store from '../../domain/organizations/members.ts'
import { searchMembers } from '../../domain/organizations/search.ts'
import { findOrganization } from '../../domain/organizations/store.ts'
import { moved } from '../../domain/tenancy/objects.ts'
import { findUser, holdUser } from '../../domain/users/store.ts'
import { found, tooBusy } from '../../http/problem.ts'
import { environmentOf } from '../environment.ts'
import { inOrder, roleIdsOf } from '../given-roles.ts'
import type { AnyCall, Handler } from '../handler.ts'
import { findNewMembers, newMember, refuseFullUsers } from '../new-members.ts'
import type { Services } from '../services.ts'

export const listAuthOrganizationMembers: Handler<'listAuthOrganizationMembers'> = (services, call) =>
  listOf(services, call.caller.environment.id, call)

export const listOrganizationMembers: Handler<'listOrganizationMembers'> = async (services, call) =>
  listOf(services, (await environmentOf(services, call)).id, call)

type ListCall = PageCall & Pick<AnyCall, 'params'> & { readonly query: z.output<typeof OrganizationMemberQuery> }

/** The last added first. `query` is the whole id of a user, or words to search for. */
async function listOf(services: Services, environment_id: EnvironmentId, call: ListCall) {
  const { id: organization_id } = await organizationOf(services, environment_id, call)
  const { role, query = '' } = call.query
  const user_id = UserId.safeParse(query).success ? query : undefined
  const read = () => {
    if (user_id === undefined && query.trim() !== '') return searchMembers(services, environment_id, { organization_id, role, query }, call)
    const list = JSON.stringify(['members', environment_id, organization_id, role ?? null, user_id ?? null])
    return readPageBy(services, call, list, {
      keyOf: ({ membership }: store.ListedMember) => String(membership),
      read: (last, limit) => store.listMembers(services.db, environment_id, { organization_id, role, user_id }, { last, limit }),
    })
  }
  const page = await read()
  return { ...page, data: page.data.map(({ membership: _, ...member }) => member) }
}

const organizationOf = ({ db }: Services, environment_id: EnvironmentId, { params }: Pick<AnyCall, 'params'>) =>
  found(findOrganization(db, environment_id, params.organization_id ?? ''))

export const getAuthOrganizationMember: Handler<'getAuthOrganizationMember'> = (services, call) =>
  found(finder(services, call.caller.environment.id, call)())

export const getOrganizationMember: Handler<'getOrganizationMember'> = async (services, call) =>
  found(finder(services, (await environmentOf(services, call)).id, call)())

const finder =
  ({ db }: Services, environment_id: EnvironmentId, { params: { organization_id = '', user_id = '' } }: Pick<AnyCall, 'params'>) =>
  () =>
    store.findMember(db, { environment_id, organization_id, user_id })

export const listAuthUserOrganizations: Handler<'listAuthUserOrganizations'> = (services, call) =>
  listOrganizationsOf(services, call.caller.environment.id, call)

export const listUserOrganizations: Handler<'listUserOrganizations'> = async (services, call) =>
  listOrganizationsOf(services, (await environmentOf(services, call)).id, call)

async function listOrganizationsOf(services: Services, environment_id: EnvironmentId, call: PageCall & Pick<AnyCall, 'params'>) {
  const { id } = await found(findUser(services.db, environment_id, call.params.user_id ?? ''))
  return readPageBy(services, call, `organizations.${id}`, {
    keyOf: ({ organization_id }: UserOrganization) => organization_id,
    read: (last, limit) => store.listOrganizationsOf(services.db, environment_id, id, { last, limit }),
  })
}

export const addOrganizationMember: Handler<'addOrganizationMember'> = async (services, call) => {
  const { db, config, now } = services
  const { body, caller, commit, fail } = call
  const { environment } = caller
  const { id: environment_id } = environment
  const { members_per_organization, organizations_per_user } = config.limits
  const [role_ids = []] = await roleIdsOf(db, environment_id, 'organization', [{ slugs: body.roles ?? [], path: ['roles'] }])

  return untilWritten(
    most_tries,
    async () => {
      const { id: organization_id } = await organizationOf(services, environment_id, call)
      const [user] = await findNewMembers(db, environment_id, [body], () => ['user_id'])
      if (!user) return null
      const at = now()
      const roles = inOrder(body.roles)
      const member = newMember(environment, { organization_id, user_id: body.user_id, roles }, user, at)
      if (await store.findMember(db, member))
        return fail('already_member', 'The user is a member of the organization.', {
          reason: reason`The user is a member of the organization.`,
        })
      const data = { organization_id, user_id: body.user_id, roles }
      const added = await commit(
        {
          statements: [
            countForUser(member, organizations_per_user),
            ...store.addMember(member, role_ids, { most: members_per_organization, now: at }),
          ],
          before: null,
          answer: member,
          event: { environment_id, type: 'organization_member.added', user_id: body.user_id, data, counted: administratorsOf(member) },
        },
        at,
      )
      if (added) return member
      await refuseFullUsers(services, environment_id, [body], fail)
      if (
        (await isOrganizationFull(db, environment_id, organization_id, members_per_organization)) &&
        !(await settleOrganization(db, environment_id, organization_id))
      )
        return fail('quota_exceeded', quotaDetail('members_per_organization', config.limits))
      return null
    },
    tooBusy('organization'),
  )
}

/** One of several concurrent additions succeeds at each try. */
const most_tries = 500

/** The batch holds the organization, so that the number of administrators in the event is exact. */
export const changeOrganizationMember: Handler<'changeOrganizationMember'> = (services, call) => {
  const { db, now } = services
  const environment_id = call.caller.environment.id
  return changeVersioned(call.if_match, finder(services, environment_id, call), async (current) => {
    if (call.body.roles === undefined) return current
    const roles = inOrder(call.body.roles ?? [])
    const [role_ids = []] = await roleIdsOf(db, environment_id, 'organization', [{ slugs: call.body.roles ?? [], path: ['roles'] }])
    if (JSON.stringify(roles) === JSON.stringify(current.roles)) return current
    const at = now()
    const { organization_id, user_id } = current
    const member = { ...current, roles, ...moved(current, at) }
    const changed = await call.commit(
      {
        statements: [holdUser(environment_id, user_id), holdOrganization(current), ...store.setMemberRoles(current, role_ids, at)],
        before: current,
        answer: member,
        event: {
          environment_id,
          type: 'organization_member.updated',
          user_id,
          data: { organization_id, user_id, roles, previous_roles: current.roles },
          counted: administratorsOf(current),
        },
      },
      at,
    )
    return changed ? member : null
  })
}

export const removeOrganizationMember: Handler<'removeOrganizationMember'> = async (services, call) => {
  const environment_id = call.caller.environment.id
  await changeVersioned(call.if_match, finder(services, environment_id, call), async (current) => {
    const at = services.now()
    const { organization_id, user_id, roles } = current
    const removed = await call.commit(
      {
        statements: store.removeMember(current, at),
        before: current,
        answer: null,
        event: {
          environment_id,
          type: 'organization_member.removed',
          user_id,
          data: { organization_id, user_id, roles },
          counted: administratorsOf(current),
        },
      },
      at,
    )
    return removed || null
  })
  return null
}
