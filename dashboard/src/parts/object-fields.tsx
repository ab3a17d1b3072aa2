/**
 * The fields of an object in a form: a list of their names gives their controls, with the words that the comparison has too.
 *
 *   const fields = useObjectFields('webhook', webhook, ['url', 'description'])   fields.values, fields.change, fields.enter({ url })
 *   <ObjectFields of={fields} error={edit.error} but={{ url: { type: 'url' } }} />
 */
import type { Application, EnvironmentRole, Provider, ResourceServer, Webhook } from '@ostiary/sdk'
import { Fragment, type ReactNode, useState } from 'react'
import { type ObjectField, objects } from '../generated/objects.ts'
import { changedMembers } from './edit.tsx'
import { FieldInput, type FieldInputProps } from './field-input.tsx'
import { fieldError } from './problem.tsx'

interface Records {
  application: Application
  provider: Provider & { client_secret: string | null; private_key: string | null }
  resource_server: ResourceServer
  role: EnvironmentRole
  webhook: Webhook
}
type Kind = keyof Records
type NameOf<K extends Kind> = keyof Records[K] & keyof (typeof objects)[K]['fields'] & string

interface Entered<K extends Kind, N extends NameOf<K>> {
  kind: K
  names: readonly N[]
  values: Pick<Records[K], N>
  enter: (part: Partial<Pick<Records[K], N>>) => void
}

const wordsOf = (kind: Kind): Readonly<Record<string, ObjectField>> => objects[kind].fields

/** The label of a field, by its JSON pointer. */
export const labelsOf = (kind: Kind) => (pointer: string) => wordsOf(kind)[pointer.split('/')[1] ?? '']?.label

/** @param record what is stored; of a new object what differs from its defaults */
export function useObjectFields<K extends Kind, N extends NameOf<K>>(kind: K, record: Partial<Records[K]>, names: readonly N[]) {
  type Values = Pick<Records[K], N>
  const [entered, setEntered] = useState<Partial<Values>>({})
  const before = Object.fromEntries(names.map((name) => [name, name in record ? record[name] : wordsOf(kind)[name]?.initial])) as Values // as: each by its name
  const values: Values = { ...before, ...entered }
  const enter = (part: Partial<Values>) => setEntered((now) => ({ ...now, ...part }))
  return { kind, names, values, change: changedMembers(before, values), enter }
}

type Said = Partial<Omit<FieldInputProps<unknown>, 'value' | 'change'>> & { above?: ReactNode; below?: ReactNode }

interface ObjectFieldsProps<K extends Kind, N extends NameOf<K>> {
  of: Entered<K, N>
  /** The error of the last attempt, which may name fields. */
  error: unknown
  /** The props of a field that replace the common ones; `null` for a field that the form does not show now. */
  but?: { readonly [Name in N]?: Said | null }
}

export function ObjectFields<K extends Kind, N extends NameOf<K>>({
  of: { kind, names, values, enter },
  error,
  but = {},
}: ObjectFieldsProps<K, N>) {
  return names.map((name) => {
    const said: Said | null = but[name] === undefined ? {} : but[name]
    const words = wordsOf(kind)[name]
    if (said === null || !words) return null
    const { look, label, hint, class: of, is_required, max_length } = words
    const { above, below, error: problem, required = is_required, ...props } = said
    return (
      <Fragment key={name}>
        {above}
        <FieldInput
          look={look}
          label={required || (look !== 'text' && look !== 'date' && look !== 'lines') ? label : `${label}, optional`}
          description={hint}
          value={values[name]}
          change={(value) => enter({ [name]: value } as Partial<typeof values>)} // as: a field by its name
          error={fieldError(error, `/${name}`) ?? problem}
          required={required}
          is_secret={of === 'secret'}
          maxLength={max_length ?? undefined}
          {...props}
        />
        {below}
      </Fragment>
    )
  })
}
