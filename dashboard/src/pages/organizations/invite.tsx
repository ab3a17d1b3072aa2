/** Invites an address to an organization. */
import { NativeSelect } from '@mantine/core'
import type { Answer, Organization, OrganizationInvitation } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { ChoiceCards } from '../../parts/choice-cards.tsx'
import { EmailField, entered } from '../../parts/fields.tsx'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { useRead } from '../../parts/reading.tsx'
import { applications } from '../../queries/applications.ts'
import type { Key } from '../../queries/query.ts'
import { useEnvironment } from '../../scope.tsx'
import { RoleBoxes } from './role-boxes.tsx'

interface InviteProps {
  organization: Organization
  changes: readonly Key[]
  close: () => void
  onInvited: (invitation: Answer<OrganizationInvitation>) => void
}

const ways = [
  { value: 'mail', name: 'Mail the link', text: 'To this address, with the name of the organization.' },
  { value: 'show', name: 'Show the link to me', text: 'Once, after this. You pass it on; nothing is mailed now.' },
] as const

export function Invite({ organization, changes, close, onInvited }: InviteProps) {
  const { client } = useEnvironment()
  const { id: organization_id, name } = organization
  const [email, setEmail] = useState('')
  const [given, setGiven] = useState<readonly string[]>([])
  const [application_id, setApplication] = useState('')
  const [way, setWay] = useState<'mail' | 'show'>('mail')
  const body = {
    email,
    ...(given.length > 0 ? { roles: [...given] } : {}),
    ...(application_id === '' ? {} : { application_id }),
    ...(way === 'show' ? { send_email: false } : {}),
  }
  const action = useAction(() => client.responses.inviteToOrganization({ organization_id }, body), {
    changes,
    secret: true,
    done: (invitation) => {
      close()
      onInvited(invitation)
    },
  })
  return (
    <FormDialog
      title="Invite a person"
      lead={
        <InEnvironment>
          To <bdi>{name}</bdi>. The link works for seven days, for a person who proves the address.
        </InEnvironment>
      }
      submit="Invite"
      action={action}
      onSubmit={() => action.run()}
      onClose={close}
    >
      <EmailField value={email} change={setEmail} error={action.error} />
      <RoleBoxes value={given} change={setGiven} error={action.error} />
      <Afterwards value={application_id} change={setApplication} error={action.error} />
      <ChoiceCards legend="How does the person get the link?" options={ways} value={way} choose={setWay} />
    </FormDialog>
  )
}

interface AfterwardsProps {
  value: string
  change: (application_id: string) => void
  error: unknown
}

/** Only an application that says where a sign-in begins can be sent to. Without one there is no choice. */
function Afterwards({ value, change, error }: AfterwardsProps) {
  const newest = useRead(applications.newest(useEnvironment(), 100)).data?.data ?? []
  const offered = newest.filter(({ initiate_login_uri, disabled }) => initiate_login_uri !== null && !disabled)
  if (offered.length === 0) return null
  return (
    <NativeSelect
      label="Where the person goes afterwards"
      description="An application whose start of a sign-in (initiate_login_uri) is set."
      data={[{ value: '', label: 'Their account page' }, ...offered.map(({ id, name }) => ({ value: id, label: name }))]}
      {...entered(value, change, error, '/application_id')}
    />
  )
}
