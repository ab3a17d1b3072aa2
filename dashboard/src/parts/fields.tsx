/** Fields that several forms have. */
import { TextInput } from '@mantine/core'
import { fieldError } from './problem.tsx'

/** The props of a text field or a choice: its value, and the error of the last attempt that names it. */
export const entered = <T extends string>(value: T, change: (value: T) => void, error?: unknown, pointer = '') => ({
  value,
  onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value as T), // as: a choice has these values
  error: fieldError(error, pointer),
})

interface FieldProps {
  value: string
  change: (value: string) => void
  /** The error of the last attempt, which may name the field. */
  error: unknown
}

/** The name of an object. */
export const NameField = ({ value, change, error }: FieldProps) => (
  <TextInput label="Name" required maxLength={100} {...entered(value, change, error, '/name')} />
)

/** The slug that a name suggests. */
export const slugFrom = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 63)

/** @param suggested what the service makes of the name, for a field that may be empty */
export const SlugField = ({ value, change, error, suggested }: FieldProps & { suggested?: string }) => {
  const is_needed = suggested === undefined
  return (
    <TextInput
      label={is_needed ? 'Slug' : 'Slug, optional'}
      description={
        is_needed ? 'In addresses and scripts. It never changes.' : 'In addresses and requests, else made from the name. It never changes.'
      }
      required={is_needed}
      placeholder={suggested}
      pattern="[a-z0-9\-]{1,63}"
      {...entered(value, change, error, '/slug')}
    />
  )
}

export const EmailField = ({ value, change, error, is_needed = true }: FieldProps & { is_needed?: boolean }) => (
  <TextInput label="Email" inputMode="email" autoCapitalize="none" required={is_needed} {...entered(value, change, error, '/email')} />
)
