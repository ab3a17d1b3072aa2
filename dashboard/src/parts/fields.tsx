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

export const SlugField = ({ value, change, error }: FieldProps) => (
  <TextInput
    label="Slug"
    description="In addresses and scripts. It never changes."
    required
    pattern="[a-z0-9\-]{1,63}"
    {...entered(value, change, error, '/slug')}
  />
)

export const EmailField = ({ value, change, error, is_needed = true }: FieldProps & { is_needed?: boolean }) => (
  <TextInput label="Email" inputMode="email" autoCapitalize="none" required={is_needed} {...entered(value, change, error, '/email')} />
)
