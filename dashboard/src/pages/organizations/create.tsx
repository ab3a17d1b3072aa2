/** Creates an organization, and leads to its page, where the first members are added. */
import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { entered, NameField, SlugField, slugFrom } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { readiness } from '../../queries/environment.ts'
import { organizations } from '../../queries/organizations.ts'
import { toOrganization, useEnvironment } from '../../scope.tsx'

export function CreateOrganization({ close }: { close: () => void }) {
  const { client, at } = useEnvironment()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [slug, setSlug] = useState('')
  const [external_id, setExternalId] = useState('')
  const action = useAction(() => client.createOrganization({ name, ...(slug ? { slug } : {}), ...(external_id ? { external_id } : {}) }), {
    changes: [organizations.all({ at }), readiness.all({ at })],
    done: ({ id }) => void navigate(toOrganization(id)),
  })
  return (
    <FormDialog title="Create an organization" submit="Create organization" action={action} onSubmit={() => action.run()} onClose={close}>
      <NameField value={name} change={setName} error={action.error} />
      <SlugField value={slug} change={setSlug} suggested={slugFrom(name)} error={action.error} />
      <ExternalIdField value={external_id} change={setExternalId} error={action.error} />
    </FormDialog>
  )
}

interface ExternalIdFieldProps {
  value: string
  change: (value: string) => void
  error: unknown
}

export const ExternalIdField = ({ value, change, error }: ExternalIdFieldProps) => (
  <TextInput
    label="External id, optional"
    description="The id of this customer in your own data. Your backend finds the organization by it."
    maxLength={255}
    autoComplete="off"
    spellCheck={false}
    {...entered(value, change, error, '/external_id')}
  />
)
