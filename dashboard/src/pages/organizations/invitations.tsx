/** The invitations to an organization. The link is mailed, or shown once to the person who invites. */
import type { Answer, EnvironmentRole, OrganizationInvitation as Invitation, Organization } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { CodeTabs } from '../../parts/code.tsx'
import { ConfirmCall } from '../../parts/confirm.tsx'
import { curlOf } from '../../parts/curl.ts'
import { FilterSelect, NoMatch } from '../../parts/filters.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { MailedLink } from '../../parts/mailed-link.tsx'
import { type NameOf, useNames } from '../../parts/names.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useList, useRead } from '../../parts/reading.tsx'
import { useQueryState } from '../../parts/search.ts'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { type Column, hasNone, timeColumn } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { invitationStatus, organizations } from '../../queries/organizations.ts'
import { roles } from '../../queries/roles.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { GivenRoles } from './given-roles.tsx'
import { Invite } from './invite.tsx'

interface InvitationsProps {
  organization: Organization
  title: string
  lead: ReactNode
  /** Between the head of the page and the filter. */
  above: ReactNode
}

export function Invitations({ organization, title, lead, above }: InvitationsProps) {
  const here = useEnvironment()
  const { client } = here
  const organization_id = organization.id
  const { search, show } = useQueryState()
  const status = invitationStatus(search.status)
  const list = useList(organizations.invitations(here, organization_id, status))
  const every = useRead(roles.every(here)).data ?? []
  const nameOf = useNames((list.rows ?? []).map(({ invited_by }) => invited_by.id))
  const [withdrawn, setWithdrawn] = useState<Invitation | null>(null)
  const [sent, setSent] = useState<Answer<Invitation> | null>(null)
  const changes = [organizations.allInvitations(here, organization_id)]
  const resend = useAction((invitation_id: string) => client.responses.resendOrganizationInvitation({ organization_id, invitation_id }), {
    changes,
    secret: true,
    done: setSent,
  })
  return (
    <ListPage
      title={title}
      lead={lead}
      label="Invitations"
      create={{
        words: 'Invite',
        form: (close) => <Invite organization={organization} changes={changes} close={close} onInvited={setSent} />,
      }}
      above={
        <>
          {above}
          <Problem error={resend.error} />
          <output>{sent && sent.data.invitation_url === null ? <MailedLink of={sent} /> : null}</output>
          {status === undefined && hasNone(list) ? null : (
            <div className="toolbar">
              <FilterSelect
                label="Status"
                any="Any status"
                options={statuses}
                value={status}
                choose={(status) => show({ status })}
                is_first={true}
              />
            </div>
          )}
        </>
      }
      list={list}
      columns={columns({ every, nameOf, is_busy: resend.busy, resend: resend.run, withdraw: setWithdrawn })}
      no_match={status ? <NoMatch clear={() => show({ status: undefined })}>No invitation has this status.</NoMatch> : null}
      empty={`No invitation yet. Invite a person by an address: who has it joins ${organization.name}, with an account that exists or a new one.`}
      snippet={<CodeTabs label="The same by the API" snippets={[{ name: 'curl', code: invite(organization_id) }]} />}
    >
      {withdrawn ? (
        <ConfirmCall
          title={`Withdraw the invitation to ${withdrawn.email}?`}
          consequence="Its link stops working at once. The address can be invited again."
          keep="Keep the invitation"
          act="Withdraw now"
          call={() => client.deleteOrganizationInvitation({ organization_id, invitation_id: withdrawn.id })}
          changes={changes}
          onClose={() => setWithdrawn(null)}
        />
      ) : null}
      {sent?.data.invitation_url ? (
        <SecretOnce what="invitation link" name={sent.data.email} secret={sent.data.invitation_url} onClose={() => setSent(null)}>
          <p className="small muted">The link proves nothing: a person who opens it also needs the mail of this address.</p>
        </SecretOnce>
      ) : null}
    </ListPage>
  )
}

/** With a secret key, which names the environment by itself. */
const invite = (organization_id: string) =>
  curlOf(location.origin, {
    path: `/v1/auth/organizations/${organization_id}/invitations`,
    key: 'OSTIARY_SECRET_KEY',
    body: { email: 'sam@example.com' },
  })

const statuses = [
  ['pending', 'Pending'],
  ['accepted', 'Accepted'],
  ['ended', 'Ended'],
] as const

interface ColumnsProps {
  every: readonly EnvironmentRole[]
  nameOf: NameOf
  is_busy: boolean
  resend: (invitation_id: string) => void
  withdraw: (invitation: Invitation) => void
}

const columns = ({ every, nameOf, is_busy, resend, withdraw }: ColumnsProps): Column<Invitation>[] => [
  {
    head: 'Address',
    cell: ({ email, user_id }) => (
      <>
        <b className="any">{email}</b>
        {user_id === null ? null : (
          <Link className="u" {...toPage('/users', { chosen: user_id })}>
            Who accepted<span className="vh"> the invitation to {email}</span>
          </Link>
        )}
      </>
    ),
  },
  { head: 'Roles', cell: ({ roles }) => <GivenRoles every={every} slugs={roles} none="None" /> },
  { head: 'Status', cell: (invitation) => <Status of={invitation} /> },
  { head: 'Invited by', className: 'muted any', cell: ({ invited_by }) => inviterWords(invited_by, nameOf) },
  timeColumn('Invited', ({ created_at }) => created_at),
  {
    head: 'Actions',
    className: 'in-line',
    cell: (invitation) =>
      invitation.status === 'pending' ? (
        <div className="rs">
          <ChangeButton className="btn s" disabled={is_busy} onClick={() => resend(invitation.id)}>
            New link<span className="vh">: {invitation.email}</span>
          </ChangeButton>
          <ChangeButton className="btn s" onClick={() => withdraw(invitation)}>
            Withdraw<span className="vh">: {invitation.email}</span>
          </ChangeButton>
        </div>
      ) : null,
  },
]

const Status = ({ of: { status, expires_at } }: { of: Invitation }) => {
  if (status === 'accepted') return <Tag tone="ok">Accepted</Tag>
  if (status === 'ended') return <Tag>Ended</Tag>
  return (
    <span className="rs">
      <Tag tone="warn" icon="clock">
        Pending
      </Tag>
      <span className="small muted nowrap">
        until <Time at={expires_at} />
      </span>
    </span>
  )
}

/** Keys and administrators are named to administrators, members of the organization as users. */
function inviterWords({ type, id }: Invitation['invited_by'], nameOf: NameOf): string {
  const name = nameOf(id)?.name
  if (type === 'api_key') return name ? `Key “${name}”` : 'A key'
  return name ?? (type === 'system' ? 'Ostiary' : 'A person')
}
