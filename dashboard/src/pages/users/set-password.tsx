/** Sets the password of a user. The person signs in again everywhere, and gets a mail about it. */
import { PasswordInput } from '@mantine/core'
import type { User } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { entered } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useRead } from '../../parts/reading.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { settings } from '../../queries/settings.ts'
import { users } from '../../queries/users.ts'
import { useEnvironment } from '../../scope.tsx'

interface NewPasswordFieldProps {
  value: string
  change: (value: string) => void
  error: unknown
}

/** A password that the administrator gives to another person: a password manager must not fill in the own one. */
export function NewPasswordField({ value, change, error }: NewPasswordFieldProps) {
  const in_force = useRead(settings.plain(useEnvironment())).data
  return (
    <PasswordInput
      label="Password"
      description={in_force ? `At least ${in_force.password.min_length} characters. It is never shown again.` : undefined}
      required
      autoComplete="new-password"
      {...entered(value, change, error, '/password')}
    />
  )
}

export function SetPassword({ user, close }: { user: User; close: () => void }) {
  const here = useEnvironment()
  const { client } = here
  const [password, setPassword] = useState('')
  const action = useAction(() => client.changeUser({ user_id: user.id }, { password }), {
    changes: users.access(here, user.id),
    done: close,
  })
  return (
    <FormDialog
      title={user.has_password ? 'Replace the password' : 'Set a password'}
      lead={
        <>
          <ThisEnvironment /> {user.email ?? user.id}. All sessions and tokens of this person end.
          {user.email === null ? null : ' A mail says that the password was changed.'}
        </>
      }
      submit={user.has_password ? 'Replace it' : 'Set it'}
      action={action}
      onSubmit={() => action.run()}
      onClose={close}
    >
      <NewPasswordField value={password} change={setPassword} error={action.error} />
    </FormDialog>
  )
}
