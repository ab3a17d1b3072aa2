/** The programs that nobody registered: each has the address of a document about itself as its client id. */
import { TextInput } from '@mantine/core'
import type { MetadataClient, MetadataClientChange } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { ConfirmCall } from '../../parts/confirm.tsx'
import { entered } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { Note } from '../../parts/note.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useList, useRead } from '../../parts/reading.tsx'
import { ByApi, pathOf } from '../../parts/snippets.tsx'
import { type Column, timeColumn } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { metadataClients } from '../../queries/metadata-clients.ts'
import { settings } from '../../queries/settings.ts'
import { toPage, useEnvironment } from '../../scope.tsx'

type Asked = { act: 'block' | 'delete'; of: MetadataClient }

export function ConnectedByAddress({ title, above }: { title: string; above: ReactNode }) {
  const { client, at } = useEnvironment()
  const list = useList(metadataClients.list({ client, at }))
  const [asked, setAsked] = useState<Asked | null>(null)
  const changes = [metadataClients.all({ at })]
  const change = useAction(
    ({ of, to }: { of: MetadataClient; to: MetadataClientChange }) => client.changeMetadataClient({ ...at, metadata_client_id: of.id }, to),
    { changes },
  )
  const close = () => setAsked(null)
  return (
    <ListPage
      title={title}
      label="Connected by address"
      lead="Programs that nobody registered, such as MCP clients. Their client id is the address of a document about themselves."
      create={{ words: 'Approve an address', in_root: false, form: (done) => <ApproveAddress close={done} /> }}
      above={
        <>
          {above}
          <Admitted />
          <Problem error={change.error} />
        </>
      }
      list={list}
      columns={columns({ change: (of, to) => change.run({ of, to }), is_busy: change.busy, ask: setAsked })}
      empty="No program has connected by its address. Approve the address of one, or let people decide by the setting."
      snippet={
        <ByApi
          operation="createMetadataClient"
          path={`${pathOf(at)}/metadata-clients`}
          params={at}
          body={{ client_id: 'https://agent.example.com/client.json' }}
        />
      }
    >
      {asked?.act === 'block' ? (
        <ConfirmCall
          title={`Block ${asked.of.client_name}?`}
          consequence={`Everybody who uses the program at ${asked.of.host} loses its access at once, and nobody can allow it again.`}
          keep="Keep its access"
          act="Block now"
          call={() => client.changeMetadataClient({ ...at, metadata_client_id: asked.of.id }, { disabled: true })}
          changes={changes}
          onClose={close}
        />
      ) : null}
      {asked?.act === 'delete' ? (
        <ConfirmCall
          title={`Delete ${asked.of.client_name}?`}
          consequence={`Everybody who uses the program at ${asked.of.host} loses its access at once. It can connect again where the setting lets it: to keep it out, block it.`}
          keep="Keep the program"
          act="Delete now"
          call={() => client.deleteMetadataClient({ ...at, metadata_client_id: asked.of.id })}
          changes={changes}
          onClose={close}
        />
      ) : null}
    </ListPage>
  )
}

/** Which programs the setting lets in, if that is not all of them. */
function Admitted() {
  const mode = useRead(settings.plain(useEnvironment())).data?.oauth.metadata_clients
  if (mode === undefined || mode === 'any') return null
  return (
    <Note tone="acc">
      {mode === 'off' ? 'The setting lets none of them in.' : 'The setting lets only approved ones in.'}{' '}
      <Link className="u" {...toPage('/settings')}>
        Settings
      </Link>
    </Note>
  )
}

interface ColumnsProps {
  change: (of: MetadataClient, to: MetadataClientChange) => void
  is_busy: boolean
  ask: (asked: Asked) => void
}

/** More are not counted. */
const most_people = 1_000
const numbers = new Intl.NumberFormat('en')
const peopleWords = (people: number): string => `${numbers.format(people)}${people < most_people ? '' : ' or more'}`

const columns = ({ change, is_busy, ask }: ColumnsProps): Column<MetadataClient>[] => [
  {
    head: 'Program',
    cell: ({ client_name, client_id, host }) => (
      <>
        <b className="any">{host}</b>
        <span className="sub any">
          It calls itself <bdi>{client_name}</bdi>
        </span>
        <code className="any">{client_id}</code>
      </>
    ),
  },
  { head: 'Status', cell: (of) => <Status of={of} /> },
  {
    head: 'Added by',
    className: 'muted',
    cell: ({ added_by }) => (added_by === 'person' ? 'A person who allowed it' : 'An administrator'),
  },
  { head: 'People', cell: ({ people }) => peopleWords(people) },
  timeColumn('Last used', ({ last_used_at }) => last_used_at),
  {
    head: 'Actions',
    cell: (of) => (
      <div className="rs">
        {of.listed ? null : (
          <ChangeButton in_root={false} className="btn s" disabled={is_busy} onClick={() => change(of, { listed: true })}>
            Approve<span className="vh">: {of.host}</span>
          </ChangeButton>
        )}
        {of.disabled ? (
          <ChangeButton in_root={false} className="btn s" disabled={is_busy} onClick={() => change(of, { disabled: false })}>
            Unblock<span className="vh">: {of.host}</span>
          </ChangeButton>
        ) : (
          <ChangeButton in_root={false} className="btn s" onClick={() => ask({ act: 'block', of })}>
            Block…<span className="vh">: {of.host}</span>
          </ChangeButton>
        )}
        <ChangeButton in_root={false} className="btn s" onClick={() => ask({ act: 'delete', of })}>
          Delete…<span className="vh">: {of.host}</span>
        </ChangeButton>
      </div>
    ),
  },
]

function Status({ of: { listed, disabled } }: { of: MetadataClient }) {
  if (disabled)
    return (
      <Tag tone="bad" icon="cross">
        Blocked
      </Tag>
    )
  return listed ? <Tag tone="ok">Approved</Tag> : <Tag>Not checked</Tag>
}

function ApproveAddress({ close }: { close: () => void }) {
  const { client, at } = useEnvironment()
  const [client_id, setUrl] = useState('')
  const action = useAction(() => client.createMetadataClient(at, { client_id }), { changes: [metadataClients.all({ at })], done: close })
  return (
    <FormDialog title="Approve an address" submit="Read and approve" action={action} onSubmit={() => action.run()} onClose={close}>
      <TextInput
        label="Address of the document"
        description="The client id that the program sends: an https URL, to the last character. The document is read now."
        type="url"
        required
        {...entered(client_id, setUrl, action.error, '/client_id')}
      />
    </FormDialog>
  )
}
