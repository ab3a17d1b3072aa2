/** The control of a field of the settings or of an object, by its look. */
import { Checkbox, NativeSelect, PasswordInput, Radio, TagsInput, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Look } from '../generated/objects.ts'
import { DurationInput } from './duration-input.tsx'
import { textOf, valueIn } from './field-text.ts'
import { entered } from './fields.tsx'

export interface FieldInputProps<Value> {
  look: Look
  label: string
  description: ReactNode
  error: ReactNode
  value: Value
  change: (value: Value) => void
  /** An empty text stays a text; otherwise its value is `null`. */
  required?: boolean
  disabled?: boolean
  is_secret?: boolean
  /** The value of an empty duration, in seconds. */
  empty?: number | null
  placeholder?: string | undefined
  maxLength?: number | undefined
  type?: 'url' | undefined
  min?: number | undefined
  max?: number | undefined
}

export function FieldInput<Value>({ look, value: given, change, is_secret = false, empty = null, ...props }: FieldInputProps<Value>) {
  const value: unknown = given
  const enter = change as (value: unknown) => void // as: the look says of which type its values are
  if (look === 'switch') return <Checkbox {...props} checked={value === true} onChange={(event) => enter(event.currentTarget.checked)} />
  if (look === 'seconds') return <DurationInput {...props} value={typeof value === 'number' ? value : null} empty={empty} change={enter} />
  if (look === 'words') return <TagsInput {...props} value={value as string[]} onChange={enter} acceptValueOnBlur splitChars={[' ', ',']} /> // as: by the look
  if (look === 'date') return <TextInput {...props} type="date" {...dayOf(value, enter)} />
  if (typeof look === 'object') return <Choices {...props} look={look} value={value} change={enter} />
  return <Written {...props} look={look} value={value} change={enter} is_secret={is_secret} />
}

type PartProps = Omit<FieldInputProps<unknown>, 'empty'>

function Choices({ look, value, change, ...props }: PartProps & { look: Readonly<Record<string, string>> }) {
  const choices = Object.entries(look)
  if (Array.isArray(value))
    return (
      // In the order of the choices, so that the same set is the same value.
      <Checkbox.Group {...props} value={value} onChange={(chosen) => change(Object.keys(look).filter((name) => chosen.includes(name)))}>
        <div className="choices-column">
          {choices.map(([name, label]) => (
            <Checkbox
              key={name}
              value={name}
              label={
                <>
                  {label} <code className="xs faint">{name}</code>
                </>
              }
            />
          ))}
        </div>
      </Checkbox.Group>
    )
  if (choices.length === 2)
    return (
      <Radio.Group {...props} value={String(value)} onChange={change}>
        <div className="choices-column">
          {choices.map(([name, label]) => (
            <Radio key={name} value={name} label={label} />
          ))}
        </div>
      </Radio.Group>
    )
  return <NativeSelect {...props} data={choices.map(([name, label]) => ({ value: name, label }))} {...entered(String(value), change)} />
}

/** The text is kept as it was typed; only its content is used. */
function Written({ look, value, change, is_secret, ...props }: PartProps) {
  const [typed, setTyped] = useState('')
  const read = (text: string) => valueIn(look, text) ?? (props.required ? '' : null)
  const is_ours = JSON.stringify(read(typed)) === JSON.stringify(value)
  const texts = {
    ...props,
    label: look === 'list' || look === 'scopes' ? `${props.label}, one per line` : props.label,
    spellCheck: false,
    autoComplete: 'off',
    value: is_ours ? typed : textOf(look, value),
    onChange: ({ currentTarget: { value: text } }: { currentTarget: { value: string } }) => {
      setTyped(text)
      change(read(text))
    },
  }
  if (look === 'number') return <TextInput {...texts} type="number" />
  if (look === 'text') return is_secret ? <PasswordInput {...texts} /> : <TextInput {...texts} />
  const is_prose = look === 'scopes'
  return <Textarea {...texts} autosize minRows={2} maxRows={16} classNames={is_prose ? {} : { input: 'mono' }} />
}

/** A day stands for its beginning in UTC. */
const dayOf = (value: unknown, enter: (value: string | null) => void) => ({
  value: typeof value === 'string' ? value.slice(0, 10) : '',
  onChange: ({ currentTarget: { value: day } }: { currentTarget: { value: string } }) => enter(day === '' ? null : `${day}T00:00:00.000Z`),
})
