/** Edits the profile of a user: email, name, metadata and claims. */
import { Checkbox, TextInput } from '@mantine/core'
import type { User, UserChange } from '@ostiary/sdk'
import { useState } from 'react'
import { type Edited, useEdit } from '../../parts/edit.tsx'
import { EmailField, entered } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { JsonField, useJsonObject } from '../../parts/json-field.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Editing } from '../../parts/save.tsx'
import { users } from '../../queries/users.ts'
import { useEnvironment } from '../../scope.tsx'

export function EditUser({ user_id, close }: { user_id: string; close: () => void }) {
  const read = useRead(users.version(useEnvironment(), user_id))
  return read.data ? <Editing latest={read.data}>{(edited) => <Form {...edited} close={close} />}</Editing> : null
}

function Form({ base, report, close }: Edited<User> & { close: () => void }) {
  const here = useEnvironment()
  const { client } = here
  const { data: user } = base
  const [email, setEmail] = useState(user.email ?? '')
  const [name, setName] = useState(user.name ?? '')
  const metadata = useJsonObject(user.metadata)
  const claims = useJsonObject(user.claims)
  const [ticked, setTicked] = useState<boolean | null>(null)
  const is_new_email = email.toLowerCase() !== (user.email ?? '').toLowerCase()
  const kept = user.email_verified && !is_new_email // what the service does by itself
  const is_proved = ticked ?? kept
  const change: UserChange = {
    ...(email === (user.email ?? '') ? {} : { email }),
    ...(is_proved === kept ? {} : { email_verified: is_proved }),
    ...(name === (user.name ?? '') ? {} : { name: name === '' ? null : name }),
    ...(metadata.patch ? { metadata: metadata.patch } : {}),
    ...(claims.patch ? { claims: claims.patch } : {}),
  }
  const edit = useEdit({
    base,
    report,
    change,
    of: users.version(here, user.id),
    write: (sent: UserChange, options) => client.responses.changeUser({ user_id: user.id }, sent, options),
    changes: users.access(here, user.id),
    label: (pointer) => ({ '/email_verified': 'Email is verified' })[pointer],
    done: close,
  })
  return (
    <FormDialog
      title={`Edit ${user.email ?? user.id}`}
      submit="Save"
      action={edit}
      disabled={!edit.is_edited || metadata.problem !== undefined || claims.problem !== undefined}
      onSubmit={edit.submit}
      onClose={close}
    >
      <EmailField is_needed={user.email !== null} value={email} change={setEmail} error={edit.error} />
      <Checkbox
        label="The person has verified this email"
        description="A new email is not verified. Applications see whether it is, and only a verified one joins an account of a provider."
        checked={is_proved}
        onChange={(event) => setTicked(event.currentTarget.checked)}
        error={fieldError(edit.error, '/email_verified')}
      />
      <TextInput label="Name, optional" {...entered(name, setName, edit.error, '/name')} />
      <JsonField
        of={metadata}
        label="Metadata, optional"
        description="Your own data as a JSON object, at most 16 KiB. No token carries it."
        error={fieldError(edit.error, '/metadata')}
      />
      {here.is_root ? null : (
        <JsonField
          of={claims}
          label="Claims, optional"
          description="Data for tokens that ask for it: a JSON object of at most 1,024 bytes, 20 names and 3 levels. Put nothing secret here."
          error={fieldError(edit.error, '/claims')}
        />
      )}
      {edit.dialog}
    </FormDialog>
  )
}
