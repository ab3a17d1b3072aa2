/** The unsaved edits of the settings document: their values, what they change, and saving that. */

import type { Settings, SettingsChange } from '@ostiary/sdk'
import { useState } from 'react'
import { type Edited, useEdit } from '../../parts/edit.tsx'
import { readiness } from '../../queries/environment.ts'
import { settings } from '../../queries/settings.ts'
import { useEnvironment } from '../../scope.tsx'
import { type Field, groups, type Value } from './fields.ts'
import { changeOf, isSame, pathOf, valueIn } from './values.ts'

/** Edits the document. `label` names a field in the dialog that shows both versions. */
export function useSettingsEdit(
  { base, report }: Edited<Settings>,
  change: SettingsChange,
  label: (pointer: string) => string | undefined,
) {
  const { client, at } = useEnvironment()
  return useEdit({
    base,
    report,
    change,
    of: settings.one({ client, at }),
    write: (change: SettingsChange, options) => client.responses.changeSettings(at, change, options),
    changes: [readiness.all({ at })],
    label,
  })
}

export function useSettingsEdits({ base, report }: Edited<Settings>) {
  const [edits, setEdits] = useState<ReadonlyMap<Field, Value>>(new Map())
  const before = (field: Field) => valueIn(base.data, field)
  const changed = [...edits].filter(([field, value]) => !isSame(value, before(field)))
  const change = changeOf(changed) as SettingsChange // as: the fields are those of the document
  const labelOf = (pointer: string) => groups.flatMap(({ fields }) => fields).find((field) => pathOf(field) === pointer)?.label
  const save = useSettingsEdit({ base, report }, change, labelOf)
  return {
    save,
    before,
    changed,
    change,
    current: (field: Field) => (edits.has(field) ? (edits.get(field) ?? null) : before(field)),
    edit: (field: Field) => (value: Value) => {
      save.reset()
      setEdits(new Map(edits).set(field, value))
    },
    discard: () => setEdits(new Map()),
  }
}

export const changesInWords = (count: number) => (count === 1 ? '1 change' : `${count} changes`)
