/** The settings of an environment: one document in groups. A save sends only what changed, for the version that was read. */
import type { Settings as Document, SettingsChange } from '@ostiary/sdk'
import { useEffect, useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { Page } from '../parts/page.tsx'
import { fieldError, Problem } from '../parts/problem.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { Editing, useSave, type Version } from '../parts/save.tsx'
import { EnvironmentTag } from '../parts/tag.tsx'
import { useEnvironment } from '../scope.tsx'
import { type Field, groups } from './settings/fields.ts'
import { Input } from './settings/input.tsx'
import { MailSettings } from './settings/mail.tsx'
import { changeOf, isSame, pathOf, shown, type Value, valueIn } from './settings/values.ts'

export default function Settings() {
  const { client, at, environment } = useEnvironment()
  const read = useRead(['settings', environment.id], (signal) => client.responses.getSettings(at, { signal }))
  return (
    <Page title="Settings" lead="What this environment does. Changes take effect at once.">
      <Loaded of={read}>
        {(latest) => (
          <div className="stack">
            <Editing latest={latest}>{(base, report) => <Form key={base.etag} base={base} report={report} />}</Editing>
            <Editing latest={latest}>{(base, report) => <MailSettings key={base.etag} base={base} report={report} />}</Editing>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Form({ base, report }: { base: Version<Document>; report: (is_edited: boolean) => void }) {
  const { data: document } = base
  const { client, at, environment, can } = useEnvironment()
  const [edits, setEdits] = useState<ReadonlyMap<Field, Value>>(new Map())
  const [is_reviewing, setReviewing] = useState(false)
  const changed = [...edits].filter(([field, value]) => !isSame(value, valueIn(document, field)))
  useEffect(() => report(changed.length > 0), [changed.length, report])
  const save = useSave({
    base,
    read: () => client.responses.getSettings(at),
    write: (change: SettingsChange, options) => client.changeSettings(at, change, options),
    changes: [
      ['settings', environment.id],
      ['readiness', environment.id],
    ],
    done: () => report(false),
    label: (pointer) => groups.flatMap(({ fields }) => fields).find((field) => pathOf(field) === pointer)?.label,
  })
  const send = () => save.run(changeOf(changed) as SettingsChange) // as: the fields are those of the document
  const edit = (field: Field) => (value: Value) => setEdits(new Map(edits).set(field, value))
  return (
    <div className="stack">
      <fieldset disabled={!can('developer')} className="stack">
        {groups.map(({ title, fields }) => (
          <section className="card" key={title}>
            <header>
              <h2>{title}</h2>
            </header>
            <div className="settings-grid">
              {fields
                .filter((field) => field.only === undefined || field.only === environment.type)
                .map((field) => (
                  <Input
                    key={pathOf(field)}
                    field={field}
                    value={edits.get(field) ?? (edits.has(field) ? null : valueIn(document, field))}
                    change={edit(field)}
                    error={fieldError(save.error, pathOf(field))}
                  />
                ))}
            </div>
          </section>
        ))}
      </fieldset>
      {can('developer') ? null : <p className="muted">Changes need the role developer.</p>}
      {changed.length > 0 ? (
        <div className="settings-save">
          <b className="strong">{changed.length === 1 ? '1 change' : `${changed.length} changes`}</b>
          <button type="button" className="btn pri" onClick={() => setReviewing(true)}>
            Review
          </button>
          <button type="button" className="btn" onClick={() => setEdits(new Map())}>
            Discard
          </button>
        </div>
      ) : null}
      <Dialog
        opened={is_reviewing}
        onClose={() => setReviewing(false)}
        title="Review the changes"
        lead={<EnvironmentTag type={environment.type} />}
        footer={
          <>
            <button type="button" className="btn" onClick={() => setReviewing(false)}>
              Back
            </button>
            <button type="button" className="btn pri" disabled={save.busy} onClick={send}>
              Save
            </button>
          </>
        }
      >
        <table className="small">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Now</th>
              <th scope="col">Then</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(([field, value]) => (
              <tr key={pathOf(field)}>
                <td>{field.label}</td>
                <td className="muted">{shown(field, valueIn(document, field))}</td>
                <td className="strong">{shown(field, value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {save.error ? <Problem error={save.error} focus /> : null}
      </Dialog>
      {save.dialog}
    </div>
  )
}
