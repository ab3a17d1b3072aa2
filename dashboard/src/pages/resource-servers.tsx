/** The APIs of an environment that take its access tokens, each with its scopes. */

import type { ResourceServer } from '@ostiary/sdk'
import { useState } from 'react'
import { ConfirmCall } from '../parts/confirm.tsx'
import { Hurt } from '../parts/hurt.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { ChangeButton } from '../parts/page.tsx'
import { useList } from '../parts/reading.tsx'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { type Column, timeColumn } from '../parts/table.tsx'
import { impact } from '../queries/impact.ts'
import { resourceServers } from '../queries/resource-servers.ts'
import { useEnvironment } from '../scope.tsx'
import { CreateResourceServer, EditResourceServer } from './resource-servers/dialog.tsx'

type Open = { act: 'edit' | 'delete'; server: ResourceServer }

export default function ResourceServers() {
  const { client, at, environment } = useEnvironment()
  const [open, setOpen] = useState<Open | null>(null)
  const list = useList(resourceServers.list({ client, at }))
  const columns: Column<ResourceServer>[] = [
    {
      head: 'Resource server',
      cell: ({ name, identifier }) => (
        <>
          <b>{name}</b>
          <code className="any">{identifier}</code>
        </>
      ),
    },
    { head: 'Scopes', cell: ({ scopes }) => <ScopeList of={scopes} /> },
    { head: 'Tokens', cell: (server) => tokensOf(server) },
    timeColumn('Created', ({ created_at }) => created_at),
    {
      head: 'Actions',
      cell: (server) => (
        <div className="rs">
          <ChangeButton className="btn s" onClick={() => setOpen({ act: 'edit', server })}>
            Edit<span className="vh">: {server.name}</span>
          </ChangeButton>
          <ChangeButton className="btn s" onClick={() => setOpen({ act: 'delete', server })}>
            Delete<span className="vh">: {server.name}</span>
          </ChangeButton>
        </div>
      ),
    },
  ]
  return (
    <ListPage
      title="Resource servers"
      lead="An API that takes access tokens of this environment. Applications request its scopes."
      create={{ words: 'Add resource server', form: (close) => <CreateResourceServer close={close} /> }}
      list={list}
      columns={columns}
      empty="No resource server yet. Add your API, so that applications get tokens that only this API takes."
      snippet={
        <ByApi
          operation="createResourceServer"
          path={`${pathOf(at)}/resource-servers`}
          params={at}
          body={{ name: 'Orders', identifier: 'https://api.example.com', scopes: [{ name: 'orders:read' }] }}
        />
      }
    >
      {open?.act === 'edit' ? <EditResourceServer resource_server_id={open.server.id} close={() => setOpen(null)} /> : null}
      {open?.act === 'delete' ? (
        <ConfirmCall
          title={`Delete ${open.server.name}?`}
          consequence="Applications get no new tokens for this API. Tokens that are issued stay valid until they expire."
          keep="Keep the resource server"
          act="Delete now"
          typed={environment.type === 'live' ? open.server.name : undefined}
          call={() => client.deleteResourceServer({ ...at, resource_server_id: open.server.id })}
          changes={[resourceServers.all({ at })]}
          onClose={() => setOpen(null)}
        >
          <Hurt of={impact.ofServer({ client, at }, open.server.id)} />
        </ConfirmCall>
      ) : null}
    </ListPage>
  )
}

/** How an API checks its tokens. */
const formats = { jwt: 'JWT, checked by the API itself', opaque: 'Opaque, checked by a call' } as const

const tokensOf = ({ access_token_format, access_token_signing_alg: alg }: ResourceServer) =>
  alg === 'ES256' ? `${formats[access_token_format]}, ES256` : formats[access_token_format]

const ScopeList = ({ of: scopes }: { of: ResourceServer['scopes'] }) =>
  scopes.length === 0 ? (
    <span className="muted">None</span>
  ) : (
    <ul>
      {scopes.map(({ name, description }) => (
        <li key={name}>
          {description ?? name} {description ? <code className="xs faint">{name}</code> : null}
        </li>
      ))}
    </ul>
  )
