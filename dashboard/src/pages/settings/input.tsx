/** The control of one setting, with its plain name, its effect, its unit, its range and its default. */
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { duration } from '../../parts/clock.ts'
import { linesOf } from '../applications/create.tsx'
import type { Field, Value } from './fields.ts'
import { problemOf } from './rules.ts'
import { plain, shown } from './values.ts'

const order: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

interface InputProps {
  field: Field
  value: Value
  change: (value: Value) => void
  error: string | undefined
}

export function Input({ field, value, change, error }: InputProps) {
  const { kind } = field
  const label = labelOf(field)
  const choices = field.choices ?? []
  const help = helpOf(field)
  if (kind === 'switch')
    return (
      <Checkbox
        label={label}
        description={help}
        checked={value === true}
        error={error}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    )
  const texts = { label, description: help, error, inputWrapperOrder: order }
  const list = Array.isArray(value) ? value : []
  if (kind === 'set')
    return (
      // In the order of the choices, so that the same set is the same value.
      <Checkbox.Group
        {...texts}
        value={list}
        onChange={(chosen) => change(choices.map(({ value }) => value).filter((choice) => chosen.includes(choice)))}
      >
        <div className="choices-column">
          {choices.map(({ value: choice }) => (
            <Checkbox key={choice} value={choice} label={<code>{choice}</code>} />
          ))}
        </div>
      </Checkbox.Group>
    )
  if (kind === 'lines') return <Lines texts={texts} value={list} change={change} />
  if (kind === 'choice')
    return <NativeSelect {...texts} data={[...choices]} value={String(value)} onChange={(event) => change(event.currentTarget.value)} />
  if (kind === 'text')
    return (
      <TextInput {...texts} value={value === null ? '' : String(value)} onChange={(event) => change(event.currentTarget.value || null)} />
    )
  const number = typeof value === 'number' ? value : null
  const unit = kind === 'seconds' && number !== null ? ` Now ${duration(number)}.` : ''
  return (
    <TextInput
      {...texts}
      description={`${help}${unit}`}
      error={problemOf(field, value) ?? error}
      type="number"
      min={field.min ?? undefined}
      max={field.max ?? undefined}
      placeholder={String(field.default)}
      value={number ?? ''}
      onChange={(event) => change(event.currentTarget.value === '' ? null : Number(event.currentTarget.value))}
    />
  )
}

/** The label with its unit. */
const labelOf = ({ kind, label }: Field) =>
  kind === 'seconds' ? `${label}, in seconds` : kind === 'lines' ? `${label}, one per line` : label

/** What the field does, with its range and its default. */
function helpOf(field: Field): string {
  const { kind, min, max } = field
  const range = min === null || max === null ? '' : ` ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`
  const by_default = ['text', 'set', 'lines'].includes(kind) ? '' : ` Default: ${shown(field, field.default)}.`
  return `${plain(field.help)}${range}${by_default}`
}

interface LinesProps {
  texts: object
  value: readonly string[]
  change: (value: readonly string[]) => void
}

/** One value per line. The text is kept as it was typed; only what is in it counts. */
function Lines({ texts, value, change }: LinesProps) {
  const [text, setText] = useState(value.join('\n'))
  const is_ours = JSON.stringify(linesOf(text)) === JSON.stringify(value)
  return (
    <Textarea
      {...texts}
      autosize
      minRows={2}
      spellCheck={false}
      value={is_ours ? text : value.join('\n')}
      onChange={(event) => {
        setText(event.currentTarget.value)
        change(linesOf(event.currentTarget.value))
      }}
    />
  )
}
