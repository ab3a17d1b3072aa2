import { type At, type Here, key, list, one } from './query.ts'

interface Members {
  /** Words of a name, an email or a phone number, or the id of a user. */
  query?: string | undefined
  /** The slug of a role that was given to them. */
  role?: string | undefined
}

const statuses = ['pending', 'accepted', 'ended'] as const
type Status = (typeof statuses)[number]

/** The status of invitations that the address asks for. */
export const invitationStatus = (value: string | undefined): Status | undefined => statuses.find((status) => status === value)

/** A member has the id of its user. */
const withId = <T extends { user_id: string }>(member: T) => ({ ...member, id: member.user_id })

export const organizations = {
  all: ({ at }: At) => key('organizations', at.environment_id),
  /** @param query words of the name, the slug or the external id */
  list: ({ client, at }: Here, query = '') =>
    list(key('organizations', at.environment_id, 'list', query), (cursor) =>
      client.listOrganizations({ ...at, ...(query ? { query } : {}), cursor }).page(),
    ),
  /** With its version, for the forms. */
  one: ({ client, at }: Here, organization_id: string) =>
    one(key('organization', at.environment_id, organization_id), (options) =>
      client.responses.getOrganization({ ...at, organization_id }, options),
    ),
  members: ({ client, at }: Here, organization_id: string, { query, role }: Members = {}) =>
    list(key('members of', at.environment_id, organization_id, 'list', query, role), async (cursor) => {
      const filter = { ...(query ? { query } : {}), ...(role ? { role } : {}) }
      const page = await client.listOrganizationMembers({ ...at, organization_id, ...filter, cursor }).page()
      return { ...page, data: page.data.map(withId) }
    }),
  /** With its version, for the form. */
  member: ({ client, at }: Here, organization_id: string, user_id: string) =>
    one(key('members of', at.environment_id, organization_id, 'one', user_id), async (options) => {
      const answer = await client.responses.getOrganizationMember({ ...at, organization_id, user_id }, options)
      return { ...answer, data: withId(answer.data) }
    }),
  allInvitations: ({ at }: At, organization_id: string) => key('invitations to', at.environment_id, organization_id),
  invitations: ({ client, at }: Here, organization_id: string, status: Status | undefined) =>
    list(key('invitations to', at.environment_id, organization_id, status), (cursor) =>
      client.listOrganizationInvitations({ ...at, organization_id, ...(status ? { status } : {}), cursor }).page(),
    ),
  /** The memberships of a user, each with its organization. */
  ofUser: ({ client, at }: Here, user_id: string) =>
    list(key('memberships', at.environment_id, user_id), async (cursor) => {
      const page = await client.listUserOrganizations({ ...at, user_id, limit: 20, cursor }).page()
      return { ...page, data: page.data.map((membership) => ({ ...membership, id: membership.organization_id })) }
    }),
  /** The keys of the reads that a change of members can change. The organization counts them. */
  afterMembers: ({ at }: At, organization_id: string) => [
    key('organizations', at.environment_id),
    key('organization', at.environment_id, organization_id),
    key('members of', at.environment_id, organization_id, 'list'),
    key('memberships', at.environment_id),
    key('may', at.environment_id),
  ],
}
