/** Fields that several forms have. */
import { TextInput } from '@mantine/core'
import { fieldError } from './problem.tsx'

interface FieldProps {
  value: string
  change: (value: string) => void
  /** The error of the last attempt, which may name the field. */
  error: unknown
}

interface NameFieldProps extends FieldProps {
  label?: string
  /** The member of the object, as errors name it. */
  member?: string
}

/** The name of an object. */
export const NameField = ({ label = 'Name', member = 'name', value, change, error }: NameFieldProps) => (
  <TextInput
    label={label}
    required
    withAsterisk={false}
    maxLength={100}
    value={value}
    onChange={(event) => change(event.currentTarget.value)}
    error={fieldError(error, `/${member}`)}
  />
)

export const EmailField = ({ value, change, error }: FieldProps) => (
  <TextInput
    label="Email"
    inputMode="email"
    autoCapitalize="none"
    required
    withAsterisk={false}
    value={value}
    onChange={(event) => change(event.currentTarget.value)}
    error={fieldError(error, '/email')}
  />
)
