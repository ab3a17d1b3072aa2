/** The addresses of an application, and its scopes and consent. A save sends only what changed, for the version that was read. */
import { Checkbox, Radio, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { Application, ApplicationChange } from '@ostiary/sdk'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { NameField } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fieldError, Problem } from '../../parts/problem.tsx'
import { useSave as useSaved, type Version } from '../../parts/save.tsx'
import { useQueryState } from '../../parts/search.ts'
import { useEnvironment } from '../../scope.tsx'
import { linesOf } from '../applications/create.tsx'
import { redirectUriProblem } from '../applications/redirect-uri.ts'
import { offeredAddress } from './offered-address.ts'

interface TabProps {
  base: Version<Application>
  report: (is_edited: boolean) => void
}

function useSave({ base, report }: TabProps) {
  const { client, at, environment } = useEnvironment()
  const here = { ...at, application_id: base.data.id }
  return useSaved({
    base,
    read: () => client.responses.getApplication(here),
    write: (change: ApplicationChange, options) => client.changeApplication(here, change, options),
    changes: [
      ['application', environment.id, base.data.id],
      ['applications', environment.id],
    ],
    done: () => report(false),
  })
}

interface FormProps {
  save: ReturnType<typeof useSave>
  change: ApplicationChange
  report: TabProps['report']
  children: ReactNode
}

function Form({ save, change, report, children }: FormProps) {
  const { can } = useEnvironment()
  const is_changed = Object.keys(change).length > 0
  useEffect(() => report(is_changed), [is_changed, report])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run(change)
  }
  return (
    <form className="form" onSubmit={submit}>
      <fieldset disabled={!can('developer')} className="form">
        {children}
      </fieldset>
      {save.error ? <Problem error={save.error} focus /> : null}
      {save.dialog}
      <div className="acts">
        <button type="submit" className="btn pri" disabled={!is_changed || save.busy || !can('developer')}>
          Save
        </button>
        {can('developer') ? null : <span className="muted">Needs the role developer.</span>}
      </div>
    </form>
  )
}

/** The members of `next` that differ from the record. */
function changed(application: Application, next: ApplicationChange): ApplicationChange {
  const before = application as unknown as Record<string, unknown> // as: read by name
  return Object.fromEntries(Object.entries(next).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value)))
}

export function Addresses(props: TabProps) {
  const { data: application } = props.base
  const { environment } = useEnvironment()
  const { search } = useQueryState()
  const [name, setName] = useState(application.name)
  const [redirects, setRedirects] = useState(application.redirect_uris.join('\n'))
  const [sign_outs, setSignOuts] = useState(application.post_logout_redirect_uris.join('\n'))
  const [start, setStart] = useState(application.initiate_login_uri ?? '')
  const [backchannel, setBackchannel] = useState(application.backchannel_logout_uri ?? '')
  const [is_disabled, setDisabled] = useState(application.disabled)
  const save = useSave(props)
  const change = changed(application, {
    name,
    redirect_uris: linesOf(redirects),
    post_logout_redirect_uris: linesOf(sign_outs),
    initiate_login_uri: start || null,
    backchannel_logout_uri: backchannel || null,
    disabled: is_disabled,
  })
  const problem = linesOf(redirects)
    .map((uri) => redirectUriProblem(uri, application.application_type, environment.type))
    .find((problem) => problem !== null)
  const offered = offeredAddress(search.redirect_uri, { redirect_uris: linesOf(redirects) }, environment.type)
  const mono = { input: { fontFamily: 'var(--mono)', fontSize: 13 } }
  return (
    <Form save={save} change={change} report={props.report}>
      <NameField value={name} change={setName} error={save.error} />
      {offered ? (
        <div className="note acc">
          <Icon name="info" />
          <span>
            A sign-in asked to return to <code className="any">{offered}</code>, which is not registered. If it is an address of this
            application,{' '}
            <button type="button" className="text-button" onClick={() => setRedirects([...linesOf(redirects), offered].join('\n'))}>
              add it below
            </button>{' '}
            and save.
          </span>
        </div>
      ) : null}
      <Textarea
        label="Return addresses (redirect_uri), one per line"
        description="Compared as exact strings. Sign-in only ever returns to one of them."
        required
        withAsterisk={false}
        autosize={false}
        rows={4}
        styles={mono}
        spellCheck={false}
        value={redirects}
        onChange={(event) => setRedirects(event.currentTarget.value)}
        error={fieldError(save.error, '/redirect_uris') ?? problem}
      />
      <Textarea
        label="Addresses after sign-out, one per line"
        rows={3}
        styles={mono}
        spellCheck={false}
        value={sign_outs}
        onChange={(event) => setSignOuts(event.currentTarget.value)}
        error={fieldError(save.error, '/post_logout_redirect_uris')}
      />
      <TextInput
        label="Start of a sign-in (initiate_login_uri)"
        description="Where people are sent to begin again, for example after an expired page."
        value={start}
        onChange={(event) => setStart(event.currentTarget.value)}
        error={fieldError(save.error, '/initiate_login_uri')}
      />
      <TextInput
        label="Back-channel sign-out"
        description="Gets a logout token when a session ends."
        value={backchannel}
        onChange={(event) => setBackchannel(event.currentTarget.value)}
        error={fieldError(save.error, '/backchannel_logout_uri')}
      />
      <Checkbox
        label="Disabled: refuse every request of this application"
        checked={is_disabled}
        onChange={(event) => setDisabled(event.currentTarget.checked)}
      />
    </Form>
  )
}

export function Scopes(props: TabProps) {
  const { data: application } = props.base
  const [scopes, setScopes] = useState(application.allowed_scopes)
  const [consent, setConsent] = useState(application.consent)
  const [require_pkce, setPkce] = useState(application.require_pkce)
  const save = useSave(props)
  return (
    <Form save={save} change={changed(application, { allowed_scopes: scopes, consent, require_pkce })} report={props.report}>
      <TagsInput
        label="Scopes that it may request"
        description="Those of resource servers included."
        value={scopes}
        onChange={setScopes}
        acceptValueOnBlur
        splitChars={[' ', ',']}
        error={fieldError(save.error, '/allowed_scopes')}
      />
      <Radio.Group label="Consent" value={consent} onChange={(value) => setConsent(value === 'ask' ? 'ask' : 'skip')}>
        <div className="choices-column">
          <Radio value="skip" label="Skip: the application is your own" />
          <Radio value="ask" label="Ask each person once" />
        </div>
      </Radio.Group>
      <Checkbox
        label="Require PKCE"
        description={
          application.application_type === 'web'
            ? 'Switch it off only for an old client that cannot send it.'
            : 'Always required of public applications.'
        }
        disabled={application.application_type !== 'web'}
        checked={require_pkce}
        onChange={(event) => setPkce(event.currentTarget.checked)}
      />
    </Form>
  )
}
