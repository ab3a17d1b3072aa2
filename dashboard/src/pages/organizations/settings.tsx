/** The settings of an organization: its names and data, whether it is on, and its end. */
import type { Organization, OrganizationChange } from '@ostiary/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { Confirm, ConfirmCall } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copy.tsx'
import { type Edited, EditForm, useEdit } from '../../parts/edit.tsx'
import { NameField } from '../../parts/fields.tsx'
import { JsonField, useJsonObject } from '../../parts/json-field.tsx'
import { Id } from '../../parts/names.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useSave, type Version } from '../../parts/save.tsx'
import { Facts } from '../../parts/side.tsx'
import { Time } from '../../parts/time.tsx'
import { organizations } from '../../queries/organizations.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { ExternalIdField } from './create.tsx'
import { savingOrganization } from './saving.ts'

export function OrganizationSettings({ base, report }: Edited<Organization>) {
  const here = useEnvironment()
  const { data: organization } = base
  const [name, setName] = useState(organization.name)
  const [external_id, setExternalId] = useState(organization.external_id ?? '')
  const metadata = useJsonObject(organization.metadata)
  const claims = useJsonObject(organization.claims)
  const change: OrganizationChange = {
    ...(name === organization.name ? {} : { name }),
    ...(external_id === (organization.external_id ?? '') ? {} : { external_id: external_id || null }),
    ...(metadata.patch ? { metadata: metadata.patch } : {}),
    ...(claims.patch ? { claims: claims.patch } : {}),
  }
  const edit = useEdit({ ...savingOrganization(here, base), report, change })
  return (
    <EditForm edit={edit} incomplete={metadata.problem !== undefined || claims.problem !== undefined}>
      <Facts
        of={{
          Id: <Id value={organization.id} label="organization id" />,
          Slug: <Copied value={organization.slug} label="slug" />,
          Created: <Time at={organization.created_at} />,
        }}
      />
      <NameField value={name} change={setName} error={edit.error} />
      <ExternalIdField value={external_id} change={setExternalId} error={edit.error} />
      <JsonField
        of={metadata}
        label="Metadata, optional"
        description="Your own data as a JSON object, at most 16 KiB. No token carries it."
        error={fieldError(edit.error, '/metadata')}
      />
      <JsonField
        of={claims}
        label="Claims, optional"
        description="Data for tokens that ask for it: a JSON object of at most 1,024 bytes, 20 names and 3 levels. Put nothing secret here."
        error={fieldError(edit.error, '/claims')}
      />
    </EditForm>
  )
}

export function Disable({ latest }: { latest: Version<Organization> }) {
  const [is_open, setOpen] = useState(false)
  const save = useSave({ ...savingOrganization(useEnvironment(), latest), done: () => setOpen(false) })
  return (
    <Card title="Disable">
      <div className="pad">
        <p>Nobody acts in a disabled organization. Its members and their roles are kept, and you can enable it again.</p>
        <p className="after">
          <ChangeButton onClick={() => setOpen(true)}>Disable organization…</ChangeButton>
        </p>
      </div>
      {is_open ? (
        <Confirm
          title={`Disable ${latest.data.name}?`}
          consequence="From the next request on nobody acts in it: applications lose the tokens that its members have for it. After you enable it, people sign in to it again."
          keep="Keep it enabled"
          act="Disable now"
          busy={save.busy}
          error={save.error}
          onConfirm={() => save.run({ disabled: true })}
          onClose={() => {
            save.reset()
            setOpen(false)
          }}
        />
      ) : null}
      {save.dialog}
    </Card>
  )
}

const numbers = new Intl.NumberFormat('en')
const lossOf = (members: number) =>
  members === 0
    ? 'It has no members.'
    : members === 1
      ? 'Its one member loses it at once, and keeps the account.'
      : `Its ${numbers.format(members)} members lose it at once, and keep their accounts.`

export function Delete({ organization }: { organization: Organization }) {
  const { client, at } = useEnvironment()
  const navigate = useNavigate()
  const [is_open, setOpen] = useState(false)
  const { id: organization_id, name, member_count } = organization
  return (
    <Card title="Delete">
      <div className="pad">
        <p>The organization and all memberships are gone for good. The members keep their accounts.</p>
        <p className="after">
          <ChangeButton className="btn bad" onClick={() => setOpen(true)}>
            Delete organization…
          </ChangeButton>
        </p>
      </div>
      {is_open ? (
        <ConfirmCall
          title={`Delete ${name}?`}
          consequence={`${lossOf(member_count)} Applications lose the tokens for it. Another organization can take its slug and its external id.`}
          keep="Keep the organization"
          act="Delete now"
          typed={name}
          call={() => client.deleteOrganization({ organization_id })}
          changes={[organizations.all({ at })]}
          done={() => void navigate({ ...toPage('/organizations'), ignoreBlocker: true })}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Card>
  )
}
