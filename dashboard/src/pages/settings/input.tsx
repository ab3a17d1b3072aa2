/** The control of one setting, with its plain name, its effect, its unit, its range and its default. */
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { duration } from '../../parts/clock.ts'
import { DurationInput } from '../../parts/duration-input.tsx'
import { linesOf } from '../applications/create.tsx'
import type { Field, Value } from './fields.ts'
import { problemOf } from './rules.ts'
import { inWords, shown } from './values.ts'

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
          {choices.map(({ value: choice, label }) => (
            <Checkbox
              key={choice}
              value={choice}
              label={
                <>
                  {label} <code className="xs faint">{choice}</code>
                </>
              }
            />
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
  if (kind === 'seconds') {
    const empty = typeof field.default === 'number' ? field.default : null
    return (
      <DurationInput
        label={label}
        description={help}
        error={problemOf(field, value) ?? error}
        value={number}
        empty={empty}
        change={change}
      />
    )
  }
  return (
    <TextInput
      {...texts}
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

const labelOf = ({ kind, label }: Field) => (kind === 'lines' ? `${label}, one per line` : label)

/** What the field does, with its range and its default. */
function helpOf(field: Field): string {
  const { kind, min, max } = field
  const limit = kind === 'seconds' ? duration : (number: number) => number.toLocaleString('en')
  const range = min === null || max === null ? '' : ` ${limit(min)} to ${limit(max)}.`
  const by_default = ['text', 'set', 'lines'].includes(kind) ? '' : ` Default: ${shown(field, field.default)}.`
  return `${inWords(field)}${range}${by_default}`
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
