/** The name of an object, in the form that creates or edits it. */
import { TextInput } from '@mantine/core'
import { fieldError } from './problem.tsx'

interface NameFieldProps {
  label?: string
  /** The member of the object, as errors name it. */
  member?: string
  value: string
  change: (name: string) => void
  error: unknown
}

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
