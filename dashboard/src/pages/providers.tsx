/** The identity providers of an environment: their buttons are on the sign-in page. */
import { Menu } from '@mantine/core'
import type { Provider } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { ActionsMenu } from '../parts/actions-menu.tsx'
import { useAnnounce } from '../parts/announce.tsx'
import { ConfirmCall } from '../parts/confirm.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Hurt } from '../parts/hurt.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { ChangeButton } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { useList, useRead } from '../parts/reading.tsx'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import type { Column } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { Time } from '../parts/time.tsx'
import { Uri } from '../parts/uri.tsx'
import { applications } from '../queries/applications.ts'
import { impact } from '../queries/impact.ts'
import { providers } from '../queries/providers.ts'
import { toApplication, useEnvironment } from '../scope.tsx'
import { causeWords, provider_can_be_read } from './providers/causes.ts'
import { CreateProvider } from './providers/create.tsx'
import { EditProvider } from './providers/edit.tsx'
import { distinctNames, kindOf } from './providers/kinds.ts'
import { ProviderMark } from './providers/mark.tsx'
import { SwitchOff } from './providers/switch-off.tsx'

type Open = { act: 'edit' | 'switch_off' | 'delete'; provider: Provider }

export default function Providers() {
  const { client, at, environment, can } = useEnvironment()
  const [open, setOpen] = useState<Open | null>(null)
  const may = can('developer')
  const list = useList(providers.list({ client, at }))
  const nameOf = distinctNames(list.rows ?? [])
  const changes = [providers.all({ at })]
  const enable = useAction(
    async (provider_id: string) => {
      const { etag } = await client.responses.getProvider({ ...at, provider_id }) // a row has no version
      return client.changeProvider({ ...at, provider_id }, { enabled: true }, { if_match: etag ?? undefined })
    },
    { changes },
  )
  const announce = useAnnounce()
  const [passed, setPassed] = useState<string | null>(null)
  const check = useAction((provider_id: string) => client.checkProvider({ ...at, provider_id }), {
    changes,
    done: ({ ok, detail }, provider_id) => {
      setPassed(ok ? provider_id : null)
      announce(ok ? provider_can_be_read : (detail ?? 'The check failed.'))
    },
  })
  const checkChanged = (provider: Provider) => (hasMetadata(provider) ? check.run(provider.id) : undefined)
  const ask = (act: 'switch_off' | 'delete', provider: Provider) => {
    enable.reset()
    setOpen({ act, provider })
  }
  const columns: Column<Provider>[] = [
    {
      head: 'Provider',
      className: 'of-provider',
      cell: (provider) => (
        <>
          <b>
            <ProviderMark type={provider.type} /> {nameOf(provider)}
          </b>
          {kindOf(provider.type).label === nameOf(provider) ? null : <span className="muted">{kindOf(provider.type).label}</span>}
        </>
      ),
    },
    {
      head: 'Status',
      cell: (provider) => <Status provider={provider} has_passed={passed === provider.id} />,
    },
    {
      head: 'Redirect URI to register there',
      className: 'whole',
      cell: (provider) => (
        <span>
          <Uri value={provider.callback_url} />{' '}
          <CopyButton value={provider.callback_url} label={`the redirect URI of ${nameOf(provider)}`} />
        </span>
      ),
    },
    {
      head: 'Actions',
      className: 'in-line',
      cell: (provider) => (
        <div className="rs">
          <TryIt name={nameOf(provider)} enabled={provider.enabled} />
          <ChangeButton className="btn s" onClick={() => setOpen({ act: 'edit', provider })}>
            Edit<span className="vh">: {nameOf(provider)}</span>
          </ChangeButton>
          <ActionsMenu of={nameOf(provider)}>
            {may ? null : <Menu.Label>Needs the role developer.</Menu.Label>}
            {hasMetadata(provider) ? (
              <Menu.Item disabled={!may || check.busy} onClick={() => check.run(provider.id)}>
                Check
              </Menu.Item>
            ) : null}
            {provider.enabled ? (
              <Menu.Item disabled={!may} onClick={() => ask('switch_off', provider)}>
                Switch off…
              </Menu.Item>
            ) : (
              <Menu.Item disabled={!may || enable.busy} onClick={() => enable.run(provider.id)}>
                Switch on
              </Menu.Item>
            )}
            <Menu.Item disabled={!may} color="var(--bad)" onClick={() => ask('delete', provider)}>
              Delete…
            </Menu.Item>
          </ActionsMenu>
        </div>
      ),
    },
  ]
  return (
    <ListPage
      title="Providers"
      lead="People sign in with an account that they already have. Each provider gets a button on the sign-in page."
      create={{ words: 'Add provider', form: (close) => <CreateProvider close={close} check={checkChanged} /> }}
      above={
        open === null ? (
          <>
            <Problem error={enable.error} />
            <Problem error={check.error} />
          </>
        ) : null
      }
      list={list}
      columns={columns}
      empty="No provider yet. Register an application at Google, Microsoft, GitHub or another provider, and add it here."
      snippet={
        <ByApi
          operation="createProvider"
          path={`${pathOf(at)}/providers`}
          params={at}
          body={{ type: 'github', client_id: 'ID', client_secret: 'SECRET' }}
        />
      }
    >
      {open?.act === 'edit' ? <EditProvider provider_id={open.provider.id} close={() => setOpen(null)} check={checkChanged} /> : null}
      {open?.act === 'switch_off' ? <SwitchOff provider={open.provider} name={nameOf(open.provider)} close={() => setOpen(null)} /> : null}
      {open?.act === 'delete' ? (
        <ConfirmCall
          title={`Delete ${nameOf(open.provider)}?`}
          consequence="All identities that are linked to it are deleted, and the sessions that began with them end. People who have no other way to sign in are locked out."
          keep="Keep the provider"
          act="Delete now"
          typed={open.provider.enabled || environment.type === 'live' ? nameOf(open.provider) : undefined}
          call={() => client.deleteProvider({ ...at, provider_id: open.provider.id })}
          changes={changes}
          onClose={() => setOpen(null)}
        >
          <Hurt of={impact.ofProvider({ client, at }, open.provider.id)} />
        </ConfirmCall>
      ) : null}
    </ListPage>
  )
}

/** A sign-in by the provider needs an application to come back to. The newest one is taken. */
function TryIt({ name, enabled }: { name: string; enabled: boolean }) {
  const [first] = useRead(applications.newest(useEnvironment())).data?.data ?? []
  if (!first || !enabled)
    return (
      <button type="button" className="btn s" disabled title={enabled ? 'Needs an application.' : 'Switch it on first.'}>
        Try it
        <span className="vh">
          : {name} ({enabled ? 'Needs an application.' : 'Switch it on first.'})
        </span>
      </button>
    )
  return (
    <Link className="btn s" {...toApplication(first.id, { tab: 'try', provider: name })}>
      Try it<span className="vh">: {name}</span>
    </Link>
  )
}

/** GitHub has neither metadata nor keys that could be checked. */
const hasMetadata = ({ type }: Provider) => type !== 'github'

/** Whether it is on, and how the last sign-in or check ended. */
function Status({ provider: { enabled, last_success_at, last_failure }, has_passed }: { provider: Provider; has_passed: boolean }) {
  const has_failed = last_failure !== null && last_failure.at >= (last_success_at ?? '')
  return (
    <>
      {enabled ? <Tag tone={has_failed ? 'warn' : 'ok'}>{has_failed ? 'Failing' : 'Enabled'}</Tag> : <Tag>Off</Tag>}
      {has_failed ? (
        <span className="sub any">
          <a className="u" href={`/docs/errors/${last_failure.cause}`}>
            {causeWords(last_failure.cause)}
          </a>
          . {last_failure.detail} <Time at={last_failure.at} />
        </span>
      ) : last_success_at ? (
        <span className="sub">
          Last sign-in <Time at={last_success_at} />
        </span>
      ) : null}
      {has_passed ? <span className="sub">{provider_can_be_read}</span> : null}
    </>
  )
}
