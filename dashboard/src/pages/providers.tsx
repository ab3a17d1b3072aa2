/** The identity providers of an environment: their buttons stand on the sign-in page. */
import type { Provider } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { useList } from '../parts/reading.tsx'
import { type Column, Empty, Records } from '../parts/table.tsx'
import { EnvironmentTag, Tag } from '../parts/tag.tsx'
import { useEnvironment } from '../scope.tsx'
import { CreateProvider } from './providers/create.tsx'

export default function Providers() {
  const { client, at, environment } = useEnvironment()
  const [open, setOpen] = useState<'new' | Provider | null>(null)
  const list = useList(['providers', environment.id], (cursor) => client.listProviders({ ...at, cursor }).page())
  const changes = [['providers', environment.id]]
  const enable = useAction(({ id, enabled }: Provider) => client.changeProvider({ ...at, provider_id: id }, { enabled: !enabled }), {
    changes,
  })
  const remove = useAction((provider_id: string) => client.deleteProvider({ ...at, provider_id }), { changes, done: () => setOpen(null) })
  const columns: Column<Provider>[] = [
    {
      head: 'Provider',
      kind: 'first',
      cell: ({ display_name, type }) => (
        <>
          <b>{display_name}</b>
          <span className="muted">{type}</span>
        </>
      ),
    },
    {
      head: 'Status',
      cell: ({ enabled }) =>
        enabled ? (
          <Tag tone="ok" icon="check">
            Enabled
          </Tag>
        ) : (
          <Tag>Off</Tag>
        ),
    },
    {
      head: 'Return address to register there',
      cell: ({ callback_url, display_name }) => (
        <span>
          <code className="any">{callback_url}</code> <CopyButton value={callback_url} label={`the return address of ${display_name}`} />
        </span>
      ),
    },
    {
      head: 'Actions',
      cell: (provider) => (
        <div className="rs">
          <ChangeButton className="btn s" onClick={() => enable.run(provider)} disabled={enable.busy}>
            {provider.enabled ? 'Switch off' : 'Switch on'}
            <span className="vh">: {provider.display_name}</span>
          </ChangeButton>
          <ChangeButton
            className="btn s"
            onClick={() => {
              remove.reset()
              setOpen(provider)
            }}
          >
            Delete<span className="vh">: {provider.display_name}</span>
          </ChangeButton>
        </div>
      ),
    },
  ]
  return (
    <Page
      title="Providers"
      lead="People sign in with an account that they already have. Each provider gets a button on the sign-in page."
      actions={
        <ChangeButton className="btn pri" onClick={() => setOpen('new')}>
          <Icon name="plus" /> Add provider
        </ChangeButton>
      }
    >
      {enable.error ? <Problem error={enable.error} /> : null}
      <Records
        label="Providers"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty>No provider yet. Register an application at Google, Microsoft, GitHub or another provider, and add it here.</Empty>}
      />
      {open === 'new' ? <CreateProvider close={() => setOpen(null)} /> : null}
      {open !== null && open !== 'new' ? (
        <Confirm
          title={`Delete ${open.display_name}?`}
          lead={<EnvironmentTag type={environment.type} />}
          consequence="All identities that are linked to it are deleted. People who have no other way to sign in are locked out."
          keep="Keep the provider"
          act="Delete now"
          typed={open.enabled || environment.type === 'live' ? open.display_name : undefined}
          busy={remove.busy}
          error={remove.error}
          onConfirm={() => remove.run(open.id)}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </Page>
  )
}
