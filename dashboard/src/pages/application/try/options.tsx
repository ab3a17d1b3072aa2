/** The parameters of a run: scopes, resource, prompt, the age of the sign-in, and the client secret where the exchange needs one. */

import { NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import type { Application } from '@ostiary/sdk'
import { useEffect, useId, useState } from 'react'
import { useList, useRead } from '../../../parts/reading.tsx'
import { useRested } from '../../../parts/rested.ts'
import { organizations } from '../../../queries/organizations.ts'
import { resourceServers } from '../../../queries/resource-servers.ts'
import { users } from '../../../queries/users.ts'
import { useEnvironment } from '../../../scope.tsx'
import { demo_people, demo_scopes, ordersApi } from './demo.ts'
import type { Options } from './oidc.ts'
import { needsSecret } from './run.ts'

const standard = ['openid', 'profile', 'email']
const prompts = [
  { value: '', label: 'None given: as an application usually asks' },
  { value: 'login', label: 'login: ask again for the sign-in' },
  { value: 'create', label: 'create: begin with a new account' },
  { value: 'select_account', label: 'select_account: choose an account' },
  { value: 'consent', label: 'consent: ask again for consent' },
  { value: 'none', label: 'none: ask for nothing, or fail' },
]

type SetOption = (name: keyof Options, value: string) => void

/**
 * The scopes that the application may request, and in Test the demo user and the scopes of the API of the demo, if they are there. An organization is named only where the application
 * or the resource server uses organizations: elsewhere it would be ignored.
 */
export function useOptions(application: Application) {
  const { allowed_scopes } = application
  const here = useEnvironment()
  const { environment, can } = here
  const scope = standard.filter((name) => name === 'openid' || allowed_scopes.includes(name)).join(' ')
  const [options, setOptions] = useState<Options>({ scope, resource: '', prompt: '', max_age: '', organization: '', login_hint: '' })
  const demo = useRead(users.withEmail(here, demo_people.administrator), { enabled: environment.type === 'test' && can('developer') })
  const has_demo = demo.data?.data.length === 1
  const read = useRead(resourceServers.hundred(here))
  const servers = read.data?.data ?? []
  const of_demo = servers.some(({ identifier }) => identifier === ordersApi())
    ? demo_scopes.filter((name) => allowed_scopes.includes(name)).join(' ')
    : ''
  useEffect(() => {
    if (has_demo) setOptions((before) => (before.login_hint === '' ? { ...before, login_hint: demo_people.administrator } : before))
  }, [has_demo])
  useEffect(() => {
    const resource = ordersApi()
    if (of_demo) setOptions((before) => (before.scope === scope ? { ...before, scope: `${scope} ${of_demo}`, resource } : before))
  }, [of_demo, scope])
  const asked = [application, ...servers.filter(({ identifier }) => identifier === options.resource)]
  const uses_organizations = asked.some(({ organizations }) => organizations !== 'none')
  const setOption: SetOption = (name, value) => setOptions((before) => ({ ...before, [name]: value }))
  const chosen = uses_organizations ? options : { ...options, organization: '' }
  return { options: chosen, setOption, servers, uses_organizations, is_reading: read.isLoading }
}

interface RunOptionsProps extends ReturnType<typeof useOptions> {
  application: Application
  secret: string
  setSecret: (secret: string) => void
}

export function RunOptions({ application, options, setOption, servers, uses_organizations, secret, setSecret }: RunOptionsProps) {
  const text = (name: keyof Options) => ({
    value: options[name],
    onChange: (event: { currentTarget: { value: string } }) => setOption(name, event.currentTarget.value),
  })
  const has_key = application.token_endpoint_auth_method === 'private_key_jwt'
  return (
    <div className="try-options">
      {needsSecret(application) && !has_key ? (
        <PasswordInput
          label="Client secret"
          description="Kept in the memory of this tab only. Without it the run ends at the code."
          autoComplete="off"
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value.trim())}
        />
      ) : null}
      {has_key ? (
        <p className="muted small">
          {application.name} signs its requests with a private key, which does not belong in a browser. The run ends at the code.
        </p>
      ) : null}
      <details>
        <summary>Options</summary>
        <div className="form">
          <TextInput label="Scopes" spellCheck={false} {...text('scope')} />
          <NativeSelect
            label="Resource server (resource)"
            data={[
              { value: '', label: 'None' },
              ...servers.map(({ identifier, name }) => ({ value: identifier, label: `${name}, ${identifier}` })),
            ]}
            {...text('resource')}
          />
          {uses_organizations ? <OrganizationField {...text('organization')} /> : null}
          <NativeSelect label="Prompt" data={prompts} {...text('prompt')} />
          <TextInput
            label="Longest age of the sign-in (max_age), in seconds"
            type="number"
            min={0}
            placeholder="No limit"
            {...text('max_age')}
          />
          <TextInput label="Who signs in (login_hint)" type="email" placeholder="Nobody in particular" {...text('login_hint')} />
        </div>
      </details>
    </div>
  )
}

interface OrganizationFieldProps {
  value: string
  onChange: (event: { currentTarget: { value: string } }) => void
}

/** Offers the organizations of the environment that have the entered words. */
function OrganizationField({ value, onChange }: OrganizationFieldProps) {
  const here = useEnvironment()
  const id = useId()
  const asked = useRested(value.trim())
  const found = useList(organizations.list(here, asked === 'none' ? '' : asked), { enabled: here.can('developer') })
  return (
    <>
      <TextInput
        label="Organization (organization)"
        description="An id, a slug, or none. Without it the person chooses, if there is a choice."
        placeholder="Not named"
        spellCheck={false}
        autoComplete="off"
        list={id}
        value={value}
        onChange={onChange}
      />
      <datalist id={id}>
        <option value="none" label="In no organization" />
        {found.rows?.map(({ id, slug, name }) => (
          <option key={id} value={slug} label={name} />
        ))}
      </datalist>
    </>
  )
}
