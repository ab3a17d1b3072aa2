/** Changes the roles of a member, for the version that was read. */
import type { Organization, OrganizationMemberChange } from '@ostiary/sdk'
import { useState } from 'react'
import { type Edited, useEdit } from '../../parts/edit.tsx'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Editing } from '../../parts/save.tsx'
import { organizations } from '../../queries/organizations.ts'
import { useEnvironment } from '../../scope.tsx'
import { type Member, memberName } from './member.ts'
import { RoleBoxes } from './role-boxes.tsx'

interface ChangeRolesProps {
  organization: Organization
  member: Member
  close: () => void
}

export function ChangeRoles({ organization, member, close }: ChangeRolesProps) {
  const read = useRead(organizations.member(useEnvironment(), organization.id, member.user_id))
  if (read.data)
    return <Editing latest={read.data}>{(edited) => <RolesDialog {...edited} organization={organization} close={close} />}</Editing>
  return read.error ? (
    <FormDialog title={titleOf(member)} submit="Save" disabled action={{ busy: false, error: read.error }} onSubmit={close} onClose={close}>
      {null}
    </FormDialog>
  ) : null
}

const titleOf = (member: Member) => `Roles of ${memberName(member)}`

function RolesDialog({ base, report, organization, close }: Edited<Member> & Omit<ChangeRolesProps, 'member'>) {
  const here = useEnvironment()
  const { client } = here
  const { user_id, roles: stored } = base.data
  const [given, setGiven] = useState<readonly string[]>(stored)
  const change: OrganizationMemberChange = String(given) === String(stored) ? {} : { roles: [...given] }
  const edit = useEdit({
    base,
    report,
    change,
    of: organizations.member(here, organization.id, user_id),
    write: async (sent: OrganizationMemberChange, options) => {
      const answer = await client.responses.changeOrganizationMember({ organization_id: organization.id, user_id }, sent, options)
      return { ...answer, data: { ...answer.data, id: user_id } }
    },
    changes: organizations.afterMembers(here, organization.id),
    done: close,
  })
  const submit = () => (edit.is_edited ? edit.submit() : close())
  return (
    <>
      <FormDialog
        title={titleOf(base.data)}
        lead={
          <InEnvironment>
            Only in <bdi>{organization.name}</bdi>, from the next request on.
          </InEnvironment>
        }
        submit="Save"
        action={edit}
        onSubmit={submit}
        onClose={close}
      >
        <RoleBoxes value={given} stored={stored} change={setGiven} error={edit.error} />
      </FormDialog>
      {edit.dialog}
    </>
  )
}
