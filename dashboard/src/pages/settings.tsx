/** The settings of an environment: one document in groups. A save sends only what changed, for the version that was read. */
import type { Settings as Document } from '@ostiary/sdk'
import { type FormEvent, useState } from 'react'
import { Card } from '../parts/card.tsx'
import { Buttons, Dialog } from '../parts/dialog.tsx'
import type { Edited } from '../parts/edit.tsx'
import { Hurt } from '../parts/hurt.tsx'
import { Page } from '../parts/page.tsx'
import { fieldError, Problem } from '../parts/problem.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { Editing } from '../parts/save.tsx'
import { Heads } from '../parts/table.tsx'
import { ThisEnvironment } from '../parts/tag.tsx'
import { impact } from '../queries/impact.ts'
import { settings } from '../queries/settings.ts'
import { useEnvironment } from '../scope.tsx'
import { changesInWords, useSettingsEdits } from './settings/edits.ts'
import { groups } from './settings/fields.ts'
import { FreshSignIn } from './settings/fresh-sign-in.tsx'
import { Input } from './settings/input.tsx'
import { MailSettings } from './settings/mail.tsx'
import { endedBy, problemOf, switchedOff } from './settings/rules.ts'
import { SigningKeys } from './settings/signing-keys.tsx'
import { pathOf, shown } from './settings/values.ts'

export default function Settings() {
  const here = useEnvironment()
  const read = useRead(settings.one(here))
  return (
    <Page title="Settings" lead="What this environment does. Changes take effect at once.">
      <Loaded of={read}>
        {(latest) => (
          <div className="stack">
            <Editing latest={latest}>{(edited) => <Form {...edited} />}</Editing>
            <Editing latest={latest}>{(edited) => <MailSettings {...edited} />}</Editing>
            {here.is_root ? null : <FreshSignIn />}
            <SigningKeys />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** The page of the documentation about a group, with what a change of each field means. */
const DocsOf = ({ title }: { title: string }) => (
  <a className="u small" href={`/docs/settings/${title.toLowerCase().replaceAll(' ', '-')}`}>
    Read more<span className="vh"> about {title}</span>
  </a>
)

function Form(props: Edited<Document>) {
  const here = useEnvironment()
  const { environment, can } = here
  const { save, before, changed, current, edit, discard } = useSettingsEdits(props)
  const [is_reviewing, setReviewing] = useState(false)
  const review = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const is_wrong = changed.some(([field, value]) => problemOf(field, value) !== null)
    if (is_wrong) event.currentTarget.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    setReviewing(changed.length > 0 && !is_wrong)
  }
  return (
    <form className="stack" onSubmit={review}>
      <fieldset disabled={!can('developer')} className="stack">
        {groups.map(({ title, fields }) => (
          <Card key={title} title={title} beside={<DocsOf title={title} />}>
            <div className="settings-rows">
              {fields
                .filter((field) => field.only === null || field.only === environment.type)
                .map((field) => (
                  <Input
                    key={pathOf(field)}
                    field={field}
                    value={current(field)}
                    change={edit(field)}
                    error={fieldError(save.error, pathOf(field))}
                  />
                ))}
            </div>
          </Card>
        ))}
      </fieldset>
      {can('developer') ? null : <p className="muted">Changes need the role developer.</p>}
      {changed.length > 0 ? (
        <div className="settings-save">
          <b className="strong">{changesInWords(changed.length)}</b>
          <button type="submit" className="btn pri">
            Review
          </button>
          <button type="button" className="btn" onClick={discard}>
            Discard
          </button>
        </div>
      ) : null}
      <Dialog
        opened={is_reviewing}
        busy={save.busy}
        onClose={() => setReviewing(false)}
        title="Review the changes"
        lead={<ThisEnvironment />}
        footer={<Buttons keep="Back" onClose={() => setReviewing(false)} act="Save" onAct={save.submit} busy={save.busy} />}
      >
        <table className="small">
          <Heads of={['Setting', 'Now', 'Then']} />
          <tbody>
            {changed.map(([field, value]) => (
              <tr key={pathOf(field)}>
                <td>{field.label}</td>
                <td className="muted">{shown(field, before(field))}</td>
                <td>
                  <span className="strong">{shown(field, value)}</span>
                  {endedBy(field, before(field), value) ? <div className="small muted">{endedBy(field, before(field), value)}</div> : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {switchedOff(changed).map(({ field, method }) => (
          <Hurt key={method} of={impact.ofMethod(here, method)} name={field.label} />
        ))}
        <Problem error={save.error} focus />
      </Dialog>
      {save.dialog}
    </form>
  )
}
