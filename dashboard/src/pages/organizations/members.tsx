/** The members of an organization, with their roles in it. */
import type { EnvironmentRole, Organization } from '@ostiary/sdk'
import { type ReactNode, useState } from 'react'
import { CodeTabs } from '../../parts/code.tsx'
import { ConfirmCall } from '../../parts/confirm.tsx'
import { curlOf } from '../../parts/curl.ts'
import { FilterSelect, NoMatch, SearchField } from '../../parts/filters.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { useList, useRead } from '../../parts/reading.tsx'
import { useQueryState } from '../../parts/search.ts'
import { type Column, timeColumn } from '../../parts/table.tsx'
import { organizations } from '../../queries/organizations.ts'
import { roles } from '../../queries/roles.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { AddMember } from './add-member.tsx'
import { ChangeRoles } from './change-roles.tsx'
import { GivenRoles } from './given-roles.tsx'
import { type Member, memberName } from './member.ts'
import { everyMemberHas, ofMembers } from './role-words.ts'

type Open = { act: 'roles' | 'remove'; member: Member }

interface MembersProps {
  organization: Organization
  title: string
  lead: ReactNode
  /** Between the head of the page and the filters. */
  above: ReactNode
}

export function Members({ organization, title, lead, above }: MembersProps) {
  const here = useEnvironment()
  const { search, show } = useQueryState()
  const [open, setOpen] = useState<Open | null>(null)
  const { query, role } = search
  const list = useList(organizations.members(here, organization.id, { query, role }))
  const every = useRead(roles.every(here)).data ?? []
  const close = () => setOpen(null)
  const defaults = everyMemberHas(every)
  return (
    <ListPage
      title={title}
      lead={lead}
      label="Members"
      create={{ words: 'Add member', form: (close) => <AddMember organization={organization} close={close} /> }}
      above={
        <>
          {above}
          <div className="toolbar">
            <SearchField
              label="Search members"
              placeholder="Words of a name or an email"
              value={query ?? ''}
              change={(text) => show({ query: text || undefined })}
            />
            <ByRole every={every} chosen={role} choose={(role) => show({ role })} />
            {defaults ? <span className="small muted">{defaults}</span> : null}
          </div>
        </>
      }
      list={list}
      columns={columns(every, setOpen)}
      link={({ user_id }) => toPage('/users', { chosen: user_id })}
      no_match={
        query || role ? (
          <NoMatch clear={() => show({ query: undefined, role: undefined })}>
            {query ? 'No member has these words.' : 'No member was given this role.'}
          </NoMatch>
        ) : null
      }
      empty="No member yet. Add the users who belong to this organization, each with their roles in it."
      snippet={<CodeTabs label="The same by the API" snippets={[{ name: 'curl', code: addMember(organization.id) }]} />}
    >
      {open?.act === 'roles' ? <ChangeRoles organization={organization} member={open.member} close={close} /> : null}
      {open?.act === 'remove' ? <RemoveMember organization={organization} member={open.member} close={close} /> : null}
    </ListPage>
  )
}

/** With a secret key, which names the environment by itself. */
const addMember = (organization_id: string) =>
  curlOf(location.origin, {
    path: `/v1/auth/organizations/${organization_id}/members`,
    key: 'OSTIARY_SECRET_KEY',
    body: { user_id: 'the-user-id' },
  })

const columns = (every: readonly EnvironmentRole[], open: (next: Open) => void): Column<Member>[] => [
  {
    head: 'Member',
    cell: (member, opener) => (
      <>
        <b>{opener(memberName(member))}</b>
        {member.name && member.email ? <span className="muted">{member.name}</span> : null}
      </>
    ),
  },
  {
    head: 'Roles',
    cell: ({ roles }) => <GivenRoles every={every} slugs={roles} none="None was given" />,
  },
  timeColumn('Last used', ({ last_used_at }) => last_used_at),
  timeColumn('Added', ({ created_at }) => created_at),
  {
    head: 'Actions',
    className: 'in-line',
    cell: (member) => (
      <div className="rs">
        <ChangeButton className="btn s" onClick={() => open({ act: 'roles', member })}>
          Roles<span className="vh">: {memberName(member)}</span>
        </ChangeButton>
        <ChangeButton className="btn s" onClick={() => open({ act: 'remove', member })}>
          Remove<span className="vh">: {memberName(member)}</span>
        </ChangeButton>
      </div>
    ),
  },
]

interface ByRoleProps {
  every: readonly EnvironmentRole[]
  chosen: string | undefined
  choose: (slug: string | undefined) => void
}

/** A role of the address that is gone stays a choice, so that the field says why the list is empty. */
function ByRole({ every, chosen, choose }: ByRoleProps) {
  const offered = ofMembers(every).map(({ slug, name }) => [slug, name] as const)
  const unknown = chosen === undefined || offered.some(([slug]) => slug === chosen) ? [] : [[chosen, chosen] as const]
  if (offered.length + unknown.length === 0) return null
  return <FilterSelect label="Role" any="All roles" options={[...offered, ...unknown]} value={chosen} choose={choose} />
}

function RemoveMember({ organization, member, close }: { organization: Organization; member: Member; close: () => void }) {
  const { client, at } = useEnvironment()
  const { id: organization_id, name } = organization
  const { user_id } = member
  return (
    <ConfirmCall
      title={`Remove ${memberName(member)}?`}
      consequence={`The person loses ${name} at once, and applications lose the tokens that they have for it. The account stays. A person who is added again signs in to it again.`}
      keep="Keep the member"
      act="Remove now"
      call={() => client.removeOrganizationMember({ organization_id, user_id })}
      changes={organizations.afterMembers({ at }, organization_id)}
      onClose={close}
    />
  )
}
