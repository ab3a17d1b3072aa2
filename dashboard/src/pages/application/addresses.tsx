/** The addresses of an application, and its scopes and consent. */

import { Checkbox, Radio, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { Application } from '@ostiary/sdk'
import { useState } from 'react'
import { changedMembers, type Edited, EditForm } from '../../parts/edit.tsx'
import { NameField } from '../../parts/fields.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useQueryState } from '../../parts/search.ts'
import { useEnvironment } from '../../scope.tsx'
import { linesOf } from '../applications/create.tsx'
import { redirectUriProblem } from '../applications/redirect-uri.ts'
import { ComparedValue } from '../calls/refused-value.tsx'
import { useApplicationEdit } from './form.tsx'
import { offeredAddress } from './offered-address.ts'

export function Addresses(props: Edited<Application>) {
  const { data: application } = props.base
  const { environment } = useEnvironment()
  const { search } = useQueryState()
  const [name, setName] = useState(application.name)
  const [redirects, setRedirects] = useState(application.redirect_uris.join('\n'))
  const [sign_outs, setSignOuts] = useState(application.post_logout_redirect_uris.join('\n'))
  const [start, setStart] = useState(application.initiate_login_uri ?? '')
  const [backchannel, setBackchannel] = useState(application.backchannel_logout_uri ?? '')
  const [allow_loopback_port, setLoopback] = useState(application.allow_loopback_port)
  const [is_disabled, setDisabled] = useState(application.disabled)
  const change = changedMembers(application, {
    name,
    redirect_uris: linesOf(redirects),
    post_logout_redirect_uris: linesOf(sign_outs),
    initiate_login_uri: start || null,
    backchannel_logout_uri: backchannel || null,
    allow_loopback_port,
    disabled: is_disabled,
  })
  const form = useApplicationEdit(props, change)
  const { error } = form.edit
  const problem = linesOf(redirects)
    .map((uri) => redirectUriProblem(uri, application.application_type, environment.type))
    .find((problem) => problem !== null)
  const offered = offeredAddress(search.redirect_uri, { redirect_uris: linesOf(redirects) }, environment.type)
  const mono = { input: { fontFamily: 'var(--mono)', fontSize: 13 } }
  return (
    <EditForm {...form}>
      <NameField value={name} change={setName} error={error} />
      {search.compare ? <ComparedValue request_id={search.compare} registered={application.redirect_uris} /> : null}
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
        label="Redirect URIs, one per line"
        description="Compared as exact strings. Sign-in only ever returns to one of them."
        required
        autosize={false}
        rows={4}
        styles={mono}
        spellCheck={false}
        value={redirects}
        onChange={(event) => setRedirects(event.currentTarget.value)}
        error={fieldError(error, '/redirect_uris') ?? problem}
      />
      <Textarea
        label="Addresses after sign-out, one per line"
        rows={3}
        styles={mono}
        spellCheck={false}
        value={sign_outs}
        onChange={(event) => setSignOuts(event.currentTarget.value)}
        error={fieldError(error, '/post_logout_redirect_uris')}
      />
      <TextInput
        label="Start of a sign-in (initiate_login_uri)"
        description="Where people are sent to begin again, for example after an expired page."
        value={start}
        onChange={(event) => setStart(event.currentTarget.value)}
        error={fieldError(error, '/initiate_login_uri')}
      />
      <TextInput
        label="Back-channel logout URI"
        description="Gets a logout token when a session ends."
        value={backchannel}
        onChange={(event) => setBackchannel(event.currentTarget.value)}
        error={fieldError(error, '/backchannel_logout_uri')}
      />
      {application.application_type === 'native' ? (
        <Checkbox
          label="Allow any port of a loopback redirect URI"
          description="For programs that listen on a free port of the device, at 127.0.0.1 or [::1]. Not for localhost: it is a name, which a device can resolve to another address."
          checked={allow_loopback_port}
          onChange={(event) => setLoopback(event.currentTarget.checked)}
          error={fieldError(error, '/allow_loopback_port')}
        />
      ) : null}
      <Checkbox
        label="Disabled: refuse every request of this application"
        checked={is_disabled}
        onChange={(event) => setDisabled(event.currentTarget.checked)}
      />
    </EditForm>
  )
}

export function Scopes(props: Edited<Application>) {
  const { data: application } = props.base
  const [scopes, setScopes] = useState(application.allowed_scopes)
  const [consent, setConsent] = useState(application.consent)
  const [logo, setLogo] = useState(application.logo_uri ?? '')
  const [require_pkce, setPkce] = useState(application.require_pkce)
  const { search } = useQueryState()
  const [nonce_replaces_pkce, setNonce] = useState(application.nonce_replaces_pkce)
  const [unknown_scopes, setUnknown] = useState(application.unknown_scopes)
  const is_web = application.application_type === 'web'
  const change = changedMembers(application, {
    allowed_scopes: scopes,
    unknown_scopes,
    consent,
    logo_uri: logo || null,
    require_pkce,
    nonce_replaces_pkce,
  })
  const form = useApplicationEdit(props, change)
  const { error } = form.edit
  return (
    <EditForm {...form}>
      {search.compare ? <ComparedValue request_id={search.compare} registered={application.allowed_scopes} /> : null}
      <TagsInput
        label="Scopes that it may request"
        description="Those of resource servers included."
        value={scopes}
        onChange={setScopes}
        acceptValueOnBlur
        splitChars={[' ', ',']}
        error={fieldError(error, '/allowed_scopes')}
      />
      <Checkbox
        label="Leave unknown scopes out instead of refusing the request"
        description="For a product that asks for scopes of its own, such as groups. What nothing in this environment has is never granted."
        checked={unknown_scopes === 'ignore'}
        onChange={(event) => setUnknown(event.currentTarget.checked ? 'ignore' : 'reject')}
      />
      <Radio.Group label="Consent" value={consent} onChange={(value) => setConsent(value === 'ask' ? 'ask' : 'skip')}>
        <div className="choices-column">
          <Radio value="skip" label="Skip: the application is your own" />
          <Radio value="ask" label="Ask each person once" />
        </div>
      </Radio.Group>
      <TextInput
        label="Logo on the consent page (logo_uri)"
        description="An address of an image. Live takes https only."
        value={logo}
        onChange={(event) => setLogo(event.currentTarget.value)}
        error={fieldError(error, '/logo_uri')}
      />
      <Checkbox
        label="Require PKCE"
        description={
          is_web ? 'Switch it off only for an old client that sends neither PKCE nor a nonce.' : 'Always required of public applications.'
        }
        disabled={!is_web}
        checked={require_pkce}
        onChange={(event) => setPkce(event.currentTarget.checked)}
      />
      {is_web ? (
        <Checkbox
          label="A nonce can take the place of PKCE"
          description="For a client that sends a nonce and compares it in the ID token. A code challenge that is sent is enforced all the same."
          disabled={!require_pkce}
          checked={nonce_replaces_pkce === true}
          onChange={(event) => setNonce(event.currentTarget.checked)}
        />
      ) : null}
    </EditForm>
  )
}
