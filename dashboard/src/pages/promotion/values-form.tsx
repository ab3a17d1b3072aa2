/** The values that belong to the target. The source's value is shown beside each field as an example, never in it. */
import { Textarea, TextInput } from '@mantine/core'
import type { PromotionCreation } from '@ostiary/sdk'
import { type FormEvent, useEffect, useMemo, useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { textOf } from '../../parts/field-text.ts'
import { Problem } from '../../parts/problem.tsx'
import { useFirst } from '../../parts/table.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { useProject } from '../../scope.tsx'
import { linesOf } from '../compare/values.ts'
import { exampleAt, useAbout } from './about.tsx'
import { callOf } from './again.ts'
import { Details } from './details.tsx'
import { type Asked, askedOf, marksOf, type Texts, unsent, valuesWith } from './given.ts'
import { keyOf, kindWords, type Place } from './words.ts'

interface PlanAction {
  run: (call: PromotionCreation) => void
  busy: boolean
  error: unknown
  /** The values of the call that was sent last, in its order. */
  sent: readonly Place[]
}

/** The id of a field, to which a check leads. */
const fieldId = (key: string) => `value-${key.replaceAll('/', '-')}`

/** The texts that were typed, and what keeps others. */
export type Typed = readonly [texts: Texts, setTexts: (texts: Texts) => void]

interface Props {
  plan: PlanAction
  /** The field to which a check leads, which gets the focus. */
  wanted: { key: string } | null
  typed: Typed
}

export function ValuesForm({ plan, wanted, typed: [typed, setTexts] }: Props) {
  const { promotion, target, names } = useAbout()
  const { can } = useProject()
  const asked = useMemo(() => askedOf(promotion), [promotion])
  const groups = useMemo(() => [...Map.groupBy(asked, ({ object, slug }) => keyOf({ object, slug }))], [asked])
  const texts = useMemo(() => unsent(typed, asked), [typed, asked])
  const { first, more, reach } = useFirst(groups, 'objects')
  const [reached, setReached] = useState(wanted)
  if (wanted !== reached) {
    setReached(wanted)
    reach(groups.findIndex(([, fields]) => fields.some(({ key }) => key === wanted?.key)))
  }
  useEffect(() => {
    if (wanted) document.getElementById(fieldId(wanted.key))?.focus()
  }, [wanted])
  const call = callOf(promotion)
  if (call === null || asked.length === 0) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    plan.run({ ...call, values: valuesWith(promotion.values, asked, texts) })
  }
  const marks = marksOf(plan.error, plan.sent, new Set(asked.map(({ key }) => key)))
  // Refused fields are shown, wherever they are in the list.
  const shown = [...first, ...groups.slice(first.length).filter(([, fields]) => fields.some(({ key }) => marks.at.has(key)))]
  // While a value is missing, the plan cannot be applied, and this is the next step.
  const is_needed = asked.some((each) => each.is_needed)
  const input = (each: Asked) => (
    <ValueField
      key={each.key}
      asked={each}
      text={texts.get(each.key) ?? textOf(each.field.look, each.given)}
      error={marks.at.get(each.key) ?? (texts.has(each.key) ? undefined : (each.error ?? undefined))}
      change={(text) => setTexts(new Map(texts).set(each.key, text))}
    />
  )
  return (
    <Card id="values" title={<>Values for {target.name}</>} beside={<EnvironmentTag type={target.type} />}>
      <form className="pad stack" onSubmit={submit}>
        <p className="muted">These belong to {target.name} alone, so they are never copied. Nothing changes before you apply the plan.</p>
        <fieldset disabled={!can('developer') || plan.busy} className="stack">
          {shown.map(([key, fields]) => {
            const [{ object, slug } = { object: 'settings' as const, slug: null }] = fields
            const asked_first = fields.filter(({ is_needed, given }) => is_needed || given !== undefined)
            const more = fields.filter((each) => !asked_first.includes(each))
            return (
              <div key={key} className="of-object">
                <h3>
                  {slug === null ? 'Settings' : names(object, slug)} <span className="muted">{slug === null ? '' : kindWords(object)}</span>
                </h3>
                {asked_first.map(input)}
                {more.length > 0 ? (
                  <Details
                    summary={
                      <>
                        More values<span className="vh"> of {slug === null ? 'the settings' : names(object, slug)}</span>
                      </>
                    }
                    is_marked={more.some((each) => marks.at.has(each.key))}
                  >
                    {() => more.map(input)}
                  </Details>
                ) : null}
              </div>
            )
          })}
          {more}
        </fieldset>
        <Problem error={plan.error} focus is_at_fields={marks.is_all} />
        <p className="row">
          <button type="submit" className={`btn${is_needed ? ' pri' : ''}`} disabled={texts.size === 0 || plan.busy || !can('developer')}>
            Plan with these values
          </button>{' '}
          {can('developer') ? null : <span className="muted">Needs the role developer.</span>}
        </p>
      </form>
    </Card>
  )
}

interface ValueFieldProps {
  asked: Asked
  text: string
  error: string | undefined
  change: (text: string) => void
}

function ValueField({ asked, text, error, change }: ValueFieldProps) {
  const about = useAbout()
  const { object, slug, field, is_needed, key } = asked
  const { pointer, look, label } = field
  const is_list = look === 'list'
  const example = exampleAt(about, object, slug, pointer)
  const props = {
    id: fieldId(key),
    label: is_list ? `${label}, one per line` : label,
    withAsterisk: is_needed,
    value: text,
    error,
    spellCheck: false,
    autoComplete: 'off',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
  }
  return (
    <div className="value-field">
      {is_list || look === 'json' ? <Textarea {...props} autosize minRows={2} /> : <TextInput {...props} />}
      {about.source ? (
        <p className="example small muted">
          <span>{about.source.name} has</span>{' '}
          {example === undefined || example === null || (Array.isArray(example) && example.length === 0)
            ? 'no value'
            : linesOf(look, example).map((line) => <code key={line}>{line}</code>)}
        </p>
      ) : null}
    </div>
  )
}
