/** The platform keys of a tenant: they automate set-up across projects, by scopes. */

import type { ApiKey, ApiKeyWithPlaintext } from '@ostiary/sdk'
import { useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { ByApi } from '../parts/snippets.tsx'
import { Empty, hasNone } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { platformKeys } from '../queries/keys.ts'
import { useScope } from '../scope.tsx'
import { CreateKeyDialog } from './keys/create-dialog.tsx'
import { CreatedKeyDialog } from './keys/created-dialog.tsx'
import { EndKeyDialog } from './keys/end-dialogs.tsx'
import { KeySide } from './keys/key-side.tsx'
import { Keys } from './keys/keys-table.tsx'
import { type KeyScope, ScopePicker } from './keys/scope-picker.tsx'
import { keySnippets } from './keys/snippets.ts'

type Open = { kind: 'create' } | { kind: 'created'; key: ApiKeyWithPlaintext } | { kind: 'rotate' | 'revoke'; key: ApiKey } | null

export default function PlatformKeys() {
  const { client, tenant, can } = useScope()
  const { search, show } = useQueryState()
  const [open, setOpen] = useState<Open>(null)
  const at = { tenant_id: tenant.id }
  const here = { client, tenant }
  const list = useList(platformKeys.list(here))
  const close = () => {
    setOpen(null)
    show({ new: undefined })
    void list.refetch()
  }
  const create = (
    <ChangeButton needs="admin" className="btn pri" onClick={() => setOpen({ kind: 'create' })}>
      <Icon name="plus" /> Create key
    </ChangeButton>
  )
  return (
    <Page
      title="Platform keys"
      lead={`Keys of ${tenant.name} for automation: they create projects and set up environments. They cannot make keys of their own kind.`}
      actions={hasNone(list) ? null : create}
    >
      <Keys
        list={list}
        needs="admin"
        second={{
          head: 'Scopes',
          cell: (key) =>
            key.scopes.includes('*') ? (
              <Tag tone="warn">Everything, also future</Tag>
            ) : key.scopes.length > 3 ? (
              `${key.scopes.length} scopes`
            ) : (
              key.scopes.join(', ')
            ),
        }}
        onOpen={(key) => show({ key: key.id })}
        onEnd={(kind, key) => setOpen({ kind, key })}
        empty={
          <Empty action={create} snippet={<ByApi operation="listProjects" path="/v1/platform/projects" />}>
            No platform key. Create one for a pipeline that sets up projects.
          </Empty>
        }
      />
      {search.key && open === null ? (
        <KeySide
          needs="admin"
          is_live
          lead={`For ${tenant.name}, all projects.`}
          of={platformKeys.one(here, search.key)}
          write={(key_id, change, options) => client.responses.changePlatformKey({ ...at, key_id }, change, options)}
          usage={platformKeys.usage(here, search.key)}
          onEnd={(kind, key) => setOpen({ kind, key })}
          close={() => show({ key: undefined })}
        />
      ) : null}
      {open?.kind === 'create' || (search.new && open === null && can('admin')) ? (
        <CreatePlatformKey onCreated={(key) => setOpen({ kind: 'created', key })} onClose={close} />
      ) : null}
      {open?.kind === 'created' ? (
        <CreatedKeyDialog
          created={open.key}
          tags={<Tag icon="shield">Platform</Tag>}
          snippets={keySnippets(open.key, null, tenant.name)}
          again={platformKeys.firstUse(here, open.key.id)}
          onRotate={() => setOpen({ kind: 'rotate', key: open.key })}
          onClose={close}
        />
      ) : null}
      {open?.kind === 'rotate' || open?.kind === 'revoke' ? (
        <EndKeyDialog
          kind={open.kind}
          chosen={open.key}
          is_live={false}
          tags={<Tag icon="shield">Platform</Tag>}
          routes={{
            rotate: (key_id) => client.rotatePlatformKey({ ...at, key_id }),
            revoke: (key_id) => client.revokePlatformKey({ ...at, key_id }),
          }}
          usage={platformKeys.usage(here, open.key.id)}
          createAnother={() => setOpen({ kind: 'create' })}
          onRotated={(key) => setOpen({ kind: 'created', key })}
          onClose={close}
        />
      ) : null}
    </Page>
  )
}

/** Its scopes are part of the dialog, so that each key begins without any. */
function CreatePlatformKey({ onCreated, onClose }: { onCreated: (key: ApiKeyWithPlaintext) => void; onClose: () => void }) {
  const { client, tenant } = useScope()
  const [scopes, setScopes] = useState<KeyScope[]>([])
  return (
    <CreateKeyDialog
      kinds={false}
      is_live
      lead={`For ${tenant.name}, all projects.`}
      create={({ type: _, allowed_origins: __, ...form }) => client.createPlatformKey({ tenant_id: tenant.id }, { ...form, scopes })}
      onCreated={onCreated}
      onClose={onClose}
    >
      <ScopePicker value={scopes} onChange={setScopes} />
    </CreateKeyDialog>
  )
}
