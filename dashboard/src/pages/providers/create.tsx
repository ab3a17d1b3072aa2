/** Adds an identity provider. The secret goes to the service and is never shown again. */

import { NativeSelect } from '@mantine/core'
import type { Provider } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { FormDialog, InEnvironment } from '../../parts/form-dialog.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { providers } from '../../queries/providers.ts'
import { useEnvironment } from '../../scope.tsx'
import { ProviderField } from './field.tsx'
import { type FieldName, fieldsOf, kinds } from './kinds.ts'

export function CreateProvider({ close, check }: { close: () => void; check: (provider: Provider) => void }) {
  const { client, at } = useEnvironment()
  const [kind, setKind] = useState(kinds[0])
  const [client_id, setClientId] = useState('')
  const [fields, setFields] = useState<Partial<Record<FieldName, string>>>({})
  const names = fieldsOf(kind)
  const given = Object.fromEntries(names.filter((name) => fields[name]).map((name) => [name, fields[name]]))
  const action = useAction(() => client.createProvider(at, { type: kind.value, client_id, ...given }), {
    changes: [providers.all({ at })],
    done: (provider) => {
      check(provider)
      close()
    },
  })
  return (
    <FormDialog
      title="Add a provider"
      lead={<InEnvironment>You get the redirect URI to register there.</InEnvironment>}
      submit="Add provider"
      action={action}
      onSubmit={() => action.run(undefined)}
      onClose={close}
    >
      <NativeSelect
        label="Provider"
        data={kinds.map(({ value, label }) => ({ value, label }))}
        value={kind.value}
        onChange={(event) => setKind(kinds.find(({ value }) => value === event.currentTarget.value) ?? kinds[0])}
        error={fieldError(action.error, '/type')}
      />
      <ProviderField name="client_id" is_needed value={client_id} change={setClientId} error={action.error} />
      {names.map((name) => (
        <ProviderField
          key={name}
          name={name}
          is_needed={kind.needs.includes(name)}
          value={fields[name] ?? ''}
          change={(value) => setFields((before) => ({ ...before, [name]: value }))}
          error={action.error}
        />
      ))}
    </FormDialog>
  )
}
