/** A field of a provider. A secret is never shown back, so its field is empty. */
import { PasswordInput, TagsInput, Textarea, TextInput } from '@mantine/core'
import { fieldError } from '../../parts/problem.tsx'
import { type FieldName, issuerOf, type KindOfProvider, labels } from './kinds.ts'

interface ProviderFieldProps {
  kind: KindOfProvider
  name: FieldName | 'client_id'
  is_needed: boolean
  value: string
  change: (value: string) => void
  error: unknown
  help?: string | undefined
}

export function ProviderField({ kind, name, is_needed, value, change, error, help }: ProviderFieldProps) {
  const Input = name === 'client_secret' ? PasswordInput : name === 'private_key' ? Textarea : TextInput
  const there = kind.there?.[name]
  const is_elsewhere = name === 'issuer' && issuerOf(kind) !== null
  const notes = [there ? `Called “${there}” there.` : '', is_elsewhere ? `Empty: ${issuerOf(kind)}.` : '', help ?? ''].filter(Boolean)
  return (
    <Input
      label={is_needed ? labels[name] : `${labels[name]}, optional`}
      description={notes.length === 0 ? undefined : notes.join(' ')}
      placeholder={name === 'issuer' ? kind.example : undefined}
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

interface ScopesFieldProps {
  value: string[]
  change: (value: string[]) => void
  error: unknown
}

/** The first sign-in takes the email and the name from what these scopes give. */
export const ScopesField = ({ value, change, error }: ScopesFieldProps) => (
  <TagsInput
    label="What to ask for (scopes)"
    value={value}
    onChange={change}
    acceptValueOnBlur
    splitChars={[' ', ',']}
    error={fieldError(error, '/scopes')}
  />
)
