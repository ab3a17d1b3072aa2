/** The endpoints of organizations. Those of their members are in `organization-members.ts`. */
import { DataClaims } from '@ostiary/contract/data-claims.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type Organization, OrganizationChange, type OrganizationQuery } from '@ostiary/contract/organization.ts'
import type { z } from 'zod'
import { changedFields } from '../../base/changed-fields.ts'
import { quotaDetail } from '../../base/config/limits.ts'
import { mergePatch } from '../../base/merge-patch.ts'
import { picked } from '../../base/picked.ts'
import { type PageCall, readPageBy } from '../../domain/lists/lists.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { administratorsOf, countForUser, isEnvironmentFull } from '../../domain/organizations/counts.ts'
import { addMember } from '../../domain/organizations/members.ts'
import { searchOrganizations } from '../../domain/organizations/search.ts'
import * as store from '../../domain/organizations/store.ts'
import { followErasedOrganization } from '../../domain/sessions/endings.ts'
import { createWithSlug } from '../../domain/slugs/choose.ts'
import { begun, moved } from '../../domain/tenancy/objects.ts'
import { found } from '../../http/problem.ts'
import type { Also } from '../commit.ts'
import { environmentOf } from '../environment.ts'
import { inOrder, roleIdsOf } from '../given-roles.ts'
import type { Call, Handler } from '../handler.ts'
import { judgeMerged } from '../merged-data.ts'
import { findNewMembers, type NewMember, newMember, placeOf, refuseFullUsers } from '../new-members.ts'
import type { Services } from '../services.ts'

export const listAuthOrganizations: Handler<'listAuthOrganizations'> = (services, call) =>
  listOf(services, call.caller.environment.id, call)

export const listOrganizations: Handler<'listOrganizations'> = async (services, call) =>
  listOf(services, (await environmentOf(services, call)).id, call)

type ListCall = PageCall & { readonly query: z.output<typeof OrganizationQuery> }

function listOf(services: Services, environment_id: EnvironmentId, call: ListCall) {
  const { slug, external_id, query = '' } = call.query
  const filter = { slug, external_id }
  if (query.trim() !== '') return searchOrganizations(services, environment_id, { ...filter, query }, call)
  const list = JSON.stringify(['organizations', environment_id, slug ?? null, external_id ?? null])
  return readPageBy(services, call, list, {
    keyOf: ({ id }: Organization) => id,
    read: (last, limit) => store.listOrganizations(services.db, environment_id, filter, { last, limit }),
  })
}

export const getAuthOrganization: Handler<'getAuthOrganization'> = ({ db }, { caller, params }) =>
  found(store.findOrganization(db, caller.environment.id, params.organization_id ?? ''))

export const getOrganization: Handler<'getOrganization'> = async (services, call) =>
  found(store.findOrganization(services.db, (await environmentOf(services, call)).id, call.params.organization_id ?? ''))

/** The organization and its first members are one change: all of it, or nothing. */
export const createOrganization: Handler<'createOrganization'> = async (services, call) => {
  const { db, config, now, newId } = services
  const { body, caller, commit, fail } = call
  const { environment } = caller
  const { id: environment_id } = environment
  const { organizations, members_per_organization, organizations_per_user } = config.limits
  const { slug, name, external_id = null, members = [] } = body
  const fields = { external_id, name, metadata: body.metadata ?? {}, claims: body.claims ?? {}, disabled: false }
  const role_ids = await roleIdsOf(
    db,
    environment_id,
    'organization',
    members.map(({ roles = [] }, i) => ({ slugs: roles, path: ['members', i, 'roles'] })),
  )
  const id = newId('org')

  async function create(slug: string): Promise<store.OrganizationRow | null> {
    const at = now()
    const users = await findNewMembers(db, environment_id, members, (i) => ['members', i, 'user_id'])
    const created = { ...begun(placeOf(environment, at), { id, slug }), ...fields, member_count: members.length }
    const added = users.map((user, i): NewMember => {
      const named = { organization_id: id, user_id: user.id, roles: inOrder(members[i]?.roles) }
      return { member: newMember(environment, named, user, at), role_ids: role_ids[i] ?? [] }
    })
    const user_ids = users.map((user) => user.id).sort()
    const written = await commit(
      {
        statements: [
          ...user_ids.map((user_id) => countForUser({ environment_id, user_id }, organizations_per_user)),
          ...store.insertOrganization(environment_id, { id, slug }, fields, { most: organizations, now: at }),
          ...added.flatMap(({ member, role_ids }) => addMember(member, role_ids, { most: members_per_organization, now: at })),
        ],
        before: null,
        answer: created,
        event: { environment_id, type: 'organization.created', data: namesOf(created) },
        also: added.map(addedMember),
      },
      at,
    )
    return written ? created : null
  }

  return createWithSlug(
    services,
    { table: 'organizations', environment_id },
    {
      slug,
      name,
      mark: id.slice(-8),
      create,
      refuse: async () => {
        if (external_id !== null && (await store.findByExternalId(db, environment_id, external_id))) return refuseTaken(call)
        if (await isEnvironmentFull(db, environment_id, organizations)) fail('quota_exceeded', quotaDetail('organizations', config.limits))
        if (members.length > members_per_organization) fail('quota_exceeded', quotaDetail('members_per_organization', config.limits))
        await refuseFullUsers(services, environment_id, members, fail)
      },
      fail,
    },
  )
}

const addedMember = ({ member }: NewMember): Also => {
  const { environment_id, organization_id, user_id, roles } = member
  const data = { organization_id, user_id, roles }
  return {
    before: null,
    after: member,
    event: { environment_id, type: 'organization_member.added', user_id, data, counted: administratorsOf(member) },
  }
}

export const changeOrganization: Handler<'changeOrganization'> = (services, call) => {
  const { db, now } = services
  const { caller, body, if_match, commit } = call
  const environment_id = caller.environment.id
  return changeVersioned(if_match, finder(services, call), async (current) => {
    const fields = merged(current, body)
    const changed = changedFields(Object.keys(body), current, { ...current, ...fields })
    if (changed.length === 0) return current
    const at = now()
    const organization = { ...current, ...fields, ...moved(current, at) }
    const written = await commit(
      {
        statements: store.updateOrganization(current, fields, at),
        before: current,
        answer: organization,
        event: { environment_id, type: 'organization.updated', data: { organization_id: current.id, changed } },
      },
      at,
    )
    if (written) return organization
    const owner = fields.external_id === null ? null : await store.findByExternalId(db, environment_id, fields.external_id)
    return owner !== null && owner !== current.id ? refuseTaken(call) : null
  })
}

/** At once nobody is a member any more. The rows of the members follow. */
export const deleteOrganization: Handler<'deleteOrganization'> = async (services, call) => {
  const environment_id = call.caller.environment.id
  await changeVersioned(call.if_match, finder(services, call), async (current) => {
    const at = services.now()
    const deleted = await call.commit(
      {
        statements: [...store.deleteOrganization(current), followErasedOrganization(environment_id, current.id, at)],
        before: current,
        answer: null,
        event: { environment_id, type: 'organization.deleted', data: namesOf(current) },
      },
      at,
    )
    return deleted || null
  })
  return null
}

const namesOf = ({ id, slug, external_id, name }: Pick<store.OrganizationRow, 'id' | 'slug' | 'external_id' | 'name'>) => ({
  organization_id: id,
  slug,
  external_id,
  name,
})

const finder =
  ({ db }: Services, { caller, params }: Pick<Call<'deleteOrganization'>, 'caller' | 'params'>) =>
  () =>
    store.findOrganization(db, caller.environment.id, params.organization_id ?? '')

const refuseTaken = ({ fail }: Pick<Call<'changeOrganization'>, 'fail'>): never =>
  fail('identifier_taken', 'Another organization of the environment has this external_id.')

const empty = { external_id: null, metadata: {}, claims: {}, disabled: false }
const field_names = ['external_id', 'name', 'metadata', 'claims', 'disabled'] as const

/** Applies a JSON Merge Patch (RFC 7396), including metadata and claims. `null` restores the default of a field. */
function merged(current: store.OrganizationRow, sent: object): store.OrganizationFields {
  const fields = { ...empty, ...(mergePatch(picked(current, field_names), sent) as store.OrganizationFields) } // as: the schemas checked the fields of both
  judgeMerged(sent, fields, { metadata: OrganizationChange.shape.metadata, claims: DataClaims })
  return fields
}
