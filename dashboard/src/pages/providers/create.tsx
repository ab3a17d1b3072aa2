/** Adds an identity provider. The secret goes to the service and is never shown again. */
import { NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import type { NewProvider } from '@ostiary/sdk'
import { type FormEvent, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { fieldError, Problem } from '../../parts/problem.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { useEnvironment } from '../../scope.tsx'

type Kind = NewProvider['type']
type Name = 'issuer' | 'team_id' | 'key_id' | 'client_secret' | 'private_key'

interface KindOfProvider {
  value: Kind
  label: string
  /** The fields that this kind needs besides the client id. */
  needs: readonly Name[]
  /** A field that it can have. */
  can?: Name
}
const kinds: readonly [KindOfProvider, ...KindOfProvider[]] = [
  { value: 'google', label: 'Google', needs: ['client_secret'] },
  { value: 'microsoft', label: 'Microsoft', needs: ['issuer', 'client_secret'] },
  { value: 'github', label: 'GitHub', needs: ['client_secret'] },
  { value: 'gitlab', label: 'GitLab', needs: ['client_secret'], can: 'issuer' },
  { value: 'apple', label: 'Apple', needs: ['team_id', 'key_id', 'private_key'] },
  { value: 'oidc', label: 'OpenID Connect', needs: ['issuer'], can: 'client_secret' },
]
const labels: Record<Name, string> = {
  issuer: 'Issuer',
  team_id: 'Team id',
  key_id: 'Key id',
  client_secret: 'Client secret',
  private_key: 'Private key (PEM)',
}

export function CreateProvider({ close }: { close: () => void }) {
  const { client, at, environment, project } = useEnvironment()
  const [kind, setKind] = useState(kinds[0])
  const [client_id, setClientId] = useState('')
  const [fields, setFields] = useState<Partial<Record<Name, string>>>({})
  const names = kind.can ? [...kind.needs, kind.can] : kind.needs
  const given = Object.fromEntries(names.filter((name) => fields[name]).map((name) => [name, fields[name]]))
  const action = useAction(() => client.createProvider(at, { type: kind.value, client_id, ...given }), {
    changes: [['providers', environment.id]],
    done: close,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    action.run(undefined)
  }
  return (
    <Dialog
      opened
      onClose={close}
      title="Add a provider"
      lead={
        <>
          For <EnvironmentTag type={environment.type} /> of {project.name}. You get the return address to register there.
        </>
      }
      footer={
        <>
          <button type="button" className="btn" onClick={close}>
            Cancel
          </button>
          <button type="submit" form="new-provider" className="btn pri" disabled={action.busy}>
            Add provider
          </button>
        </>
      }
    >
      <form id="new-provider" onSubmit={submit}>
        <NativeSelect
          label="Provider"
          data={kinds.map(({ value, label }) => ({ value, label }))}
          value={kind.value}
          onChange={(event) => setKind(kinds.find(({ value }) => value === event.currentTarget.value) ?? kinds[0])}
          error={fieldError(action.error, '/type')}
        />
        <TextInput
          label="Client id"
          required
          withAsterisk={false}
          autoComplete="off"
          spellCheck={false}
          value={client_id}
          onChange={(event) => setClientId(event.currentTarget.value)}
          error={fieldError(action.error, '/client_id')}
        />
        {names.map((name) => {
          const is_needed = kind.needs.includes(name)
          const Input = name === 'client_secret' ? PasswordInput : name === 'private_key' ? Textarea : TextInput
          return (
            <Input
              key={name}
              label={is_needed ? labels[name] : `${labels[name]}, optional`}
              required={is_needed}
              withAsterisk={false}
              autoComplete="off"
              spellCheck={false}
              value={fields[name] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget
                setFields((before) => ({ ...before, [name]: value }))
              }}
              error={fieldError(action.error, `/${name}`)}
            />
          )
        })}
        {action.error ? <Problem error={action.error} focus /> : null}
      </form>
    </Dialog>
  )
}
