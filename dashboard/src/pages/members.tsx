/** The members of a tenant and its open invitations. */

import { NativeSelect } from '@mantine/core'
import type { Answer, Invitation, Member } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { Confirm, ConfirmCall } from '../parts/confirm.tsx'
import { EmailField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { MailedLink } from '../parts/mailed-link.tsx'
import { ChangeButton } from '../parts/page.tsx'
import { fieldError, Problem } from '../parts/problem.tsx'
import { useList } from '../parts/reading.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { type Column, timeColumn } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { members } from '../queries/members.ts'
import { me as own } from '../queries/tenancy.ts'
import { atLeast, type Role, roles, useScope } from '../scope.tsx'

const rights: Record<Role, string> = {
  viewer: 'reads',
  developer: 'changes projects and environments',
  admin: 'also keys of the platform, members and the audit log',
  owner: 'also the tenant and its owners',
}

export default function Members() {
  const { client, tenant, is_root, me } = useScope()
  const [open, setOpen] = useState<{ act: 'remove'; member: Member } | { act: 'lower'; member: Member; role: Role } | null>(null)
  const [invited, setInvited] = useState<Answer<Invitation> | null>(null)
  const list = useList(members.list({ client, tenant }))
  const changes = [members.all({ tenant })]
  const owners = (list.rows ?? []).filter(({ role, status }) => role === 'owner' && status === 'active')
  /** As far as the rows show it. The service decides. */
  const isLastOwner = ({ id }: Member) => !list.hasNextPage && owners.length === 1 && owners[0]?.id === id
  const change = useAction(
    ({ id, role }: { id: string; role: Role }) => client.changeMember({ tenant_id: tenant.id, member_id: id }, { role }),
    // A role that rises is saved without a dialog, so another one can be open by then.
    { changes: [...changes, own.queryKey], done: () => setOpen((now) => (now === open ? null : now)) },
  )
  const ask = (next: NonNullable<typeof open>) => {
    change.reset()
    setOpen(next)
  }
  const save = (member: Member, role: Role) => {
    if (member.id === me.user_id && !atLeast(role, member.role)) ask({ act: 'lower', member, role })
    else change.run({ id: member.id, role })
  }
  const resend = useAction((id: string) => client.responses.resendInvitation({ tenant_id: tenant.id, member_id: id }), {
    changes,
    secret: true,
    done: setInvited,
  })
  const columns: Column<Member>[] = [
    {
      head: 'Person',
      cell: ({ name, email, id }) => (
        <>
          <b>{name ?? email ?? id}</b>
          {name && email ? <span className="muted">{email}</span> : null}
        </>
      ),
    },
    {
      head: 'Role',
      cell: (member) => (
        <RoleField
          key={member.role}
          of={member}
          is_last_owner={isLastOwner(member)}
          is_busy={change.busy}
          save={(role) => save(member, role)}
        />
      ),
    },
    {
      head: 'Status',
      cell: ({ status }) =>
        status === 'active' ? (
          <Tag tone="ok">Member</Tag>
        ) : (
          <Tag tone="warn" icon="clock">
            Invited
          </Tag>
        ),
    },
    timeColumn('Last sign-in', ({ last_sign_in_at }) => last_sign_in_at),
    {
      head: 'Actions',
      cell: (member) => (
        <div className="rs">
          {member.status === 'pending' ? (
            <ChangeButton needs="admin" className="btn s" disabled={resend.busy} onClick={() => resend.run(member.id)}>
              New link<span className="vh">: {member.email}</span>
            </ChangeButton>
          ) : null}
          <ChangeButton
            needs="admin"
            className="btn s"
            why={isLastOwner(member) ? 'The last owner stays.' : undefined}
            onClick={() => ask({ act: 'remove', member })}
          >
            Remove<span className="vh">: {member.email}</span>
          </ChangeButton>
        </div>
      ),
    },
  ]
  const error = (open === null ? change.error : null) ?? resend.error
  return (
    <ListPage
      title="Members"
      lead={
        is_root
          ? 'Who runs this deployment. The last operator cannot be removed.'
          : `Who administers ${tenant.name}. The last owner cannot be removed or lowered.`
      }
      create={{ words: 'Invite', needs: 'admin', form: (close) => <Invite close={close} onInvited={setInvited} /> }}
      above={
        <>
          <Problem error={error} />
          <output>{invited && invited.data.invitation_url === null ? <MailedLink of={invited} /> : null}</output>
        </>
      }
      list={list}
      columns={columns}
      empty="No member."
    >
      {open?.act === 'remove' ? (
        <ConfirmCall
          title={`Remove ${open.member.email ?? open.member.id}?`}
          consequence={
            open.member.status === 'active'
              ? `This person loses access to ${tenant.name} at once. Invitations that they sent end too.`
              : 'The link of the invitation stops working.'
          }
          keep="Keep"
          act="Remove now"
          call={() => client.removeMember({ tenant_id: tenant.id, member_id: open.member.id })}
          changes={changes}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open?.act === 'lower' ? (
        <Confirm
          title={`Become ${open.role} yourself?`}
          consequence={`You lose the rights of ${open.member.role} in ${tenant.name} at once, and invitations that you may no longer send end. Only a member who has them can give them back.`}
          keep={`Stay ${open.member.role}`}
          act="Lower my role now"
          busy={change.busy}
          error={change.error}
          onConfirm={() => change.run({ id: open.member.id, role: open.role })}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {invited?.data.invitation_url ? (
        <SecretOnce
          what="invitation link"
          name={invited.data.email ?? ''}
          secret={invited.data.invitation_url}
          onClose={() => setInvited(null)}
        />
      ) : null}
    </ListPage>
  )
}

interface RoleFieldProps {
  of: Member
  is_last_owner: boolean
  is_busy: boolean
  save: (role: Role) => void
}

/** Saved by a button, because some browsers report each role that the arrow keys pass. */
function RoleField({ of: { id, role, email }, is_last_owner, is_busy, save }: RoleFieldProps) {
  const { can, is_root } = useScope()
  const [chosen, setChosen] = useState(role)
  if (!can('admin') || is_last_owner || is_root) return role
  return (
    <div className="rs">
      <NativeSelect
        size="xs"
        aria-label={`Role of ${email ?? id}`}
        data={roles.filter((each) => each !== 'owner' || can('owner') || role === 'owner')}
        value={chosen}
        onChange={(event) => setChosen(roles.find((each) => each === event.currentTarget.value) ?? role)}
      />
      {chosen === role ? null : (
        <button type="button" className="btn s" disabled={is_busy} onClick={() => save(chosen)}>
          Save<span className="vh">: role of {email ?? id}</span>
        </button>
      )}
    </div>
  )
}

function Invite({ close, onInvited }: { close: () => void; onInvited: (invitation: Answer<Invitation>) => void }) {
  const { client, tenant, can, is_root } = useScope()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>(is_root ? 'owner' : 'developer') // all operators are owners
  const action = useAction(() => client.responses.addMember({ tenant_id: tenant.id }, { email, role }), {
    changes: [members.all({ tenant })],
    secret: true,
    done: (invitation) => {
      close()
      onInvited(invitation)
    },
  })
  const submit = () => action.run()
  return (
    <FormDialog
      title="Invite a member"
      lead={`To ${tenant.name}. The link works for seven days, for the account that accepts it.`}
      submit="Invite"
      action={action}
      onSubmit={submit}
      onClose={close}
    >
      <EmailField value={email} change={setEmail} error={action.error} />
      <NativeSelect
        label="Role"
        description={`A ${role} ${rights[role]}.`}
        data={is_root ? ['owner'] : roles.filter((each) => each !== 'owner' || can('owner'))}
        value={role}
        onChange={(event) => setRole(roles.find((each) => each === event.currentTarget.value) ?? 'viewer')}
        error={fieldError(action.error, '/role')}
      />
    </FormDialog>
  )
}
