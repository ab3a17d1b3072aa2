/** Adds a user, who gets an invitation by mail or a password, or begins without either. */
import { TextInput } from '@mantine/core'
import type { User } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { ChoiceCards } from '../../parts/choice-cards.tsx'
import { EmailField, entered } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useRead } from '../../parts/reading.tsx'
import { settings } from '../../queries/settings.ts'
import { users } from '../../queries/users.ts'
import { useEnvironment } from '../../scope.tsx'
import { NewPasswordField } from './set-password.tsx'
import { type Beginning, beginningsIn } from './ways-in.ts'

export interface Added {
  user: User
  way: Beginning
  /** Why the invitation was not mailed; `null` where it was, or none was asked for. */
  error: unknown
}

const choices: readonly { value: Beginning; name: string; text: string }[] = [
  { value: 'invitation', name: 'Mail an invitation', text: 'A link, with which the person chooses a password. It works for 24 hours.' },
  { value: 'password', name: 'Set a password', text: 'You give it to the person. Nothing is mailed.' },
  { value: 'neither', name: 'No password', text: 'The person signs in by a code or a provider. Nothing is mailed now.' },
]

export function AddUser({ close, onAdded }: { close: () => void; onAdded: (added: Added) => void }) {
  const here = useEnvironment()
  const { client, at } = here
  const in_force = useRead(settings.plain(here)).data
  const beginnings = in_force ? beginningsIn(in_force) : []
  const [chosen, setChosen] = useState<Beginning | null>(null)
  const way = chosen ?? beginnings[0] ?? 'neither'
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const add = async (): Promise<Added> => {
    const user = await client.createUser({ email, ...(name ? { name } : {}), ...(way === 'password' ? { password } : {}) })
    if (way !== 'invitation') return { user, way, error: null }
    // The user exists by now, so a mail that fails must not lead to a second try.
    return client.sendReset({ user_id: user.id }).then(
      () => ({ user, way, error: null }),
      (error: unknown) => ({ user, way, error }),
    )
  }
  const action = useAction(add, { changes: [users.all({ at })], done: onAdded })
  return (
    <FormDialog
      title="Add a user"
      submit="Add user"
      action={action}
      disabled={in_force === undefined}
      onSubmit={() => action.run()}
      onClose={close}
    >
      <EmailField value={email} change={setEmail} error={action.error} />
      <TextInput label="Name, optional" {...entered(name, setName, action.error, '/name')} />
      {beginnings.length > 1 ? (
        <ChoiceCards
          legend="How does the person begin?"
          options={choices.filter(({ value }) => beginnings.includes(value))}
          value={way}
          choose={setChosen}
        />
      ) : null}
      {way === 'password' ? <NewPasswordField value={password} change={setPassword} error={action.error} /> : null}
    </FormDialog>
  )
}
