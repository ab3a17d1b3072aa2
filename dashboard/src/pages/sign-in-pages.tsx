/** How the sign-in pages look and what they offer: the form on the left, the page as it would be on the right. */
import '../styles/sign-in-pages.css'
import { TextInput } from '@mantine/core'
import { OstiaryError, type Settings } from '@ostiary/sdk'
import { type FormEvent, useState } from 'react'
import { Card } from '../parts/card.tsx'
import type { Edited } from '../parts/edit.tsx'
import { Page } from '../parts/page.tsx'
import { fieldError, Problem } from '../parts/problem.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { Editing } from '../parts/save.tsx'
import { settings } from '../queries/settings.ts'
import { useEnvironment } from '../scope.tsx'
import { changesInWords, useSettingsEdits } from './settings/edits.ts'
import { groups } from './settings/fields.ts'
import { Input, type InputProps } from './settings/input.tsx'
import { inWords, pathOf } from './settings/values.ts'
import { contrastInWords } from './sign-in-pages/contrast.ts'
import { Preview } from './sign-in-pages/preview.tsx'

const parts = [
  { title: 'Look', of: ['branding'] },
  { title: 'Links', of: ['links'] },
  { title: 'What people can use', of: ['sign_in', 'sign_up'] },
]
const all = groups.flatMap(({ fields }) => fields)

export default function SignInPages() {
  const read = useRead(settings.one(useEnvironment()))
  return (
    <Page title="Sign-in pages" lead="What people see when they sign in. The preview shows changes before they are saved.">
      <Loaded of={read}>{(latest) => <Editing latest={latest}>{(edited) => <Form {...edited} />}</Editing>}</Loaded>
    </Page>
  )
}

function Form(props: Edited<Settings>) {
  const { environment, can } = useEnvironment()
  const { save, changed, change, current, edit, discard } = useSettingsEdits(props)
  const [refused, setRefused] = useState<unknown>(null)
  const error = save.error ?? (refused instanceof OstiaryError && refused.status === 422 ? refused : null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.submit()
  }
  return (
    <div className="sign-in-pages">
      <form className="stack" onSubmit={submit}>
        <fieldset disabled={!can('developer') || save.busy} className="stack">
          {parts.map(({ title, of }) => (
            <Card key={title} title={title}>
              <div className="pad form">
                {all
                  .filter(({ group, only }) => of.includes(group) && (only === null || only === environment.type))
                  .map((field) => (
                    <Control
                      key={pathOf(field)}
                      field={field}
                      value={current(field)}
                      change={edit(field)}
                      error={fieldError(error, pathOf(field))}
                    />
                  ))}
              </div>
            </Card>
          ))}
        </fieldset>
        <Problem error={save.error} focus />
        {save.dialog}
        {can('developer') ? (
          <div className="settings-save">
            <b className="strong">{changesInWords(changed.length)}</b>
            <button type="submit" className="btn pri" disabled={changed.length === 0 || save.busy}>
              Save
            </button>
            <button type="button" className="btn" disabled={changed.length === 0} onClick={discard}>
              Discard
            </button>
          </div>
        ) : (
          <p className="muted">Changes need the role developer.</p>
        )}
      </form>
      <Preview change={change} report={setRefused} />
    </div>
  )
}

function Control(props: InputProps) {
  const { field, value } = props
  if (pathOf(field) === '/branding/primary_color') return <Colour {...props} />
  const is_new_logo = pathOf(field) === '/branding/logo_url' && value !== null
  return (
    <div>
      <Input {...props} />
      {is_new_logo ? <p className="xs faint">The preview shows a new logo after it is saved.</p> : null}
    </div>
  )
}

/** The colour as text and from the picker of the browser, with what it does to the text on it. */
function Colour({ field, value, change, error }: InputProps) {
  const colour = typeof value === 'string' ? value : ''
  const is_valid = /^#[0-9a-f]{6}$/i.test(colour)
  return (
    <div className="colour">
      <TextInput
        label={field.label}
        description={inWords(field)}
        placeholder="#0b6472"
        spellCheck={false}
        value={colour}
        onChange={(event) => change(event.currentTarget.value.trim() || null)}
        error={error}
      />
      <input
        type="color"
        aria-label="Pick the colour"
        value={is_valid ? colour.toLowerCase() : '#0b6472'}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {is_valid ? (
        <ul className="contrast" aria-label="Contrast">
          {contrastInWords(colour).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
