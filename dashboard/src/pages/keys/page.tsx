/** The page of keys, for both kinds: its list, the side of one key, and what creates, rotates and revokes them. */

import type { ApiKey, ApiKeyWithPlaintext } from '@ostiary/sdk'
import { useState } from 'react'
import { ListPage } from '../../parts/list-page.tsx'
import { useList } from '../../parts/reading.tsx'
import { useQueryState } from '../../parts/search.ts'
import { useScope } from '../../scope.tsx'
import { CreateKeyDialog } from './create-dialog.tsx'
import { CreatedKeyDialog } from './created-dialog.tsx'
import { EndKeyDialog } from './end-dialogs.tsx'
import { KeySide } from './key-side.tsx'
import { keyColumns } from './keys-table.tsx'
import type { End, KindOfKeys } from './kind.ts'

type Open = { created: ApiKeyWithPlaintext } | { end: End; key: ApiKey } | null

export function KeysPage(kind: KindOfKeys) {
  const { title, lead, needs, second, empty, snippet, reads, use } = kind
  const { can } = useScope()
  const { show } = useQueryState()
  const [open, setOpen] = useState<Open>(null)
  const list = useList(reads.list)
  const end = (end: End, key: ApiKey) => setOpen({ end, key })
  const showCreated = (created: ApiKeyWithPlaintext) => setOpen({ created })
  const close = () => {
    setOpen(null)
    void list.refetch()
  }
  return (
    <ListPage
      title={title}
      label="Keys"
      lead={lead}
      create={{
        words: 'Create key',
        needs,
        form: (close) => (
          <CreateKeyDialog
            create={kind.create}
            onCreated={(key) => {
              close()
              showCreated(key)
            }}
            onClose={close}
          />
        ),
      }}
      list={list}
      columns={keyColumns({ second, needs: can(needs) ? null : needs, end, show: (key) => show({ key: key.id }) })}
      empty={empty}
      snippet={snippet}
      side={{
        param: 'key',
        of: (id, close) =>
          open ? null : <KeySide needs={needs} of={reads.one(id)} usage={reads.usage(id)} write={kind.change} end={end} close={close} />,
      }}
    >
      {list.rows?.length ? (
        <>
          <p className="small faint after">“Last used” may be a few seconds behind.</p>
          {use?.(list.rows)}
        </>
      ) : null}
      {open && 'created' in open ? (
        <CreatedKeyDialog
          created={open.created}
          again={reads.firstUse(open.created.id)}
          onRotate={() => end('rotate', open.created)}
          onClose={close}
        />
      ) : null}
      {open && 'end' in open ? (
        <EndKeyDialog
          end={open.end}
          chosen={open.key}
          kind={kind}
          createAnother={() => {
            setOpen(null)
            show({ new: '1' })
          }}
          onRotated={showCreated}
          onClose={close}
        />
      ) : null}
    </ListPage>
  )
}
