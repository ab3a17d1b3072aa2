/** A field of a provider. A secret is never shown back, so its field is empty. */
import { PasswordInput, Textarea, TextInput } from '@mantine/core'
import { fieldError } from '../../parts/problem.tsx'
import { type FieldName, labels } from './kinds.ts'

interface ProviderFieldProps {
  name: FieldName | 'client_id'
  is_needed: boolean
  value: string
  change: (value: string) => void
  error: unknown
  help?: string | undefined
}

export function ProviderField({ name, is_needed, value, change, error, help }: ProviderFieldProps) {
  const Input = name === 'client_secret' ? PasswordInput : name === 'private_key' ? Textarea : TextInput
  return (
    <Input
      label={is_needed ? labels[name] : `${labels[name]}, optional`}
      description={help}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required={is_needed}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      error={fieldError(error, `/${name}`)}
    />
  )
}
