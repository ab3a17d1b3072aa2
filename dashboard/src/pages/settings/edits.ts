/** The unsaved edits of the settings document: their values, what they change, and saving that. */

import type { Settings, SettingsChange } from '@ostiary/sdk'
import { useEffect, useState } from 'react'
import { useSave, type Version } from '../../parts/save.tsx'
import { readiness } from '../../queries/environment.ts'
import { settings } from '../../queries/settings.ts'
import { useEnvironment } from '../../scope.tsx'
import { type Field, groups, type Value } from './fields.ts'
import { changeOf, isSame, pathOf, valueIn } from './values.ts'

export interface EditedVersion {
  base: Version<Settings>
  /** Keeps the version that the form began with while something is edited. */
  report: (is_edited: boolean) => void
}

/** Saves a change of the document. `labelOf` names a field in the dialog that shows both versions. */
export function useSaveSettings({ base, report }: EditedVersion, labelOf: (pointer: string) => string | undefined) {
  const { client, at } = useEnvironment()
  return useSave({
    base,
    of: settings.one({ client, at }),
    write: (change: SettingsChange, options) => client.responses.changeSettings(at, change, options),
    changes: [readiness.all({ at })],
    done: () => report(false),
    label: labelOf,
  })
}

export function useSettingsEdits({ base, report }: EditedVersion) {
  const [edits, setEdits] = useState<ReadonlyMap<Field, Value>>(new Map())
  const before = (field: Field) => valueIn(base.data, field)
  const changed = [...edits].filter(([field, value]) => !isSame(value, before(field)))
  const is_edited = changed.length > 0
  useEffect(() => {
    report(is_edited)
  }, [is_edited, report])
  const labelOf = (pointer: string) => groups.flatMap(({ fields }) => fields).find((field) => pathOf(field) === pointer)?.label
  const save = useSaveSettings({ base, report }, labelOf)
  return {
    save,
    before,
    changed,
    change: changeOf(changed) as SettingsChange, // as: the fields are those of the document
    current: (field: Field) => (edits.has(field) ? (edits.get(field) ?? null) : before(field)),
    edit: (field: Field) => (value: Value) => {
      save.reset()
      setEdits(new Map(edits).set(field, value))
    },
    discard: () => setEdits(new Map()),
  }
}

export const changesInWords = (count: number) => (count === 1 ? '1 change' : `${count} changes`)
