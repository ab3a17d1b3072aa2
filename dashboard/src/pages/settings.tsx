/** The settings of an environment: one document in groups. A save sends only what changed, for the version that was read. */
import { type Settings as Document, OstiaryError, type SettingsChange } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Page } from '../parts/page.tsx'
import { fieldError, Problem } from '../parts/problem.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
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
        {({ data, etag }) => (
          <div className="stack">
            <Form key={etag} document={data} etag={etag} reload={() => void read.refetch()} />
            <MailSettings key={`mail ${etag}`} settings={data} etag={etag} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Form({ document, etag, reload }: { document: Document; etag: string | null; reload: () => void }) {
  const { client, at, environment, can } = useEnvironment()
  const [edits, setEdits] = useState<ReadonlyMap<Field, Value>>(new Map())
  const [is_reviewing, setReviewing] = useState(false)
  const changed = [...edits].filter(([field, value]) => !isSame(value, valueIn(document, field)))
  const save = useAction((change: SettingsChange) => client.changeSettings(at, change, { if_match: etag ?? undefined }), {
    changes: [
      ['settings', environment.id],
      ['readiness', environment.id],
    ],
  })
  const is_stale = save.error instanceof OstiaryError && save.error.code === 'stale_version'
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
            {is_stale ? (
              <button type="button" className="btn pri" onClick={reload}>
                Load the new version
              </button>
            ) : (
              <button type="button" className="btn pri" disabled={save.busy} onClick={send}>
                Save
              </button>
            )}
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
    </div>
  )
}
