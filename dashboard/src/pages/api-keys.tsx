/** The keys of an environment: publishable and secret ones. */

import type { ApiKey, ApiKeyWithPlaintext } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { InEnvironment } from '../parts/form-dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { keyUses, StatisticsCharts } from '../parts/statistics.tsx'
import { Empty, hasNone } from '../parts/table.tsx'
import { EnvironmentTag } from '../parts/tag.tsx'
import { environmentKeys } from '../queries/keys.ts'
import { useEnvironment } from '../scope.tsx'
import { CreateKeyDialog } from './keys/create-dialog.tsx'
import { CreatedKeyDialog } from './keys/created-dialog.tsx'
import { EndKeyDialog } from './keys/end-dialogs.tsx'
import { KeySide } from './keys/key-side.tsx'
import { Keys, kindOf } from './keys/keys-table.tsx'
import { keySnippets } from './keys/snippets.ts'

type Open = { kind: 'create' } | { kind: 'created'; key: ApiKeyWithPlaintext } | { kind: 'rotate' | 'revoke'; key: ApiKey } | null

export default function ApiKeys() {
  const here = useEnvironment()
  const { client, at, tenant, project, environment, can } = here
  const { search, show } = useQueryState()
  const [open, setOpen] = useState<Open>(null)
  const list = useList(environmentKeys.list(here))
  const close = () => {
    setOpen(null)
    show({ new: undefined })
    void list.refetch()
  }
  const is_live = environment.type === 'live'
  const create = (
    <ChangeButton className="btn pri" onClick={() => setOpen({ kind: 'create' })}>
      <Icon name="plus" /> Create key
    </ChangeButton>
  )
  return (
    <Page
      title="API keys"
      lead={
        <>
          Keys of this environment. A publishable key goes into browser code; a secret key stays on your server. For automation across
          projects use a{' '}
          <Link to="/t/$tenant/platform-keys" params={{ tenant: tenant.slug }}>
            platform key
          </Link>
          .
        </>
      }
      actions={hasNone(list) ? null : create}
    >
      <Keys
        list={list}
        needs="developer"
        second={{ head: 'Kind', cell: kindOf }}
        onOpen={(key) => show({ key: key.id })}
        onEnd={(kind, key) => setOpen({ kind, key })}
        empty={
          <Empty
            action={create}
            snippet={
              <ByApi
                operation="createAuthKey"
                path={`${pathOf(at)}/auth-keys`}
                params={at}
                body={{ type: 'auth_secret', label: 'orders' }}
              />
            }
          >
            A key lets your code call Ostiary. Create a publishable key for a web page, or a secret key for your server.
          </Empty>
        }
      />
      {list.rows?.length ? <StatisticsCharts title="Use" kinds={[keyUses(nameOfKey(list.rows))]} /> : null}
      {search.key && open === null ? (
        <KeySide
          needs="developer"
          is_live={is_live}
          lead={<InEnvironment />}
          of={environmentKeys.one(here, search.key)}
          write={(key_id, { scopes: _, ...change }, options) => client.responses.changeAuthKey({ ...at, key_id }, change, options)}
          usage={environmentKeys.usage(here, search.key)}
          onEnd={(kind, key) => setOpen({ kind, key })}
          close={() => show({ key: undefined })}
        />
      ) : null}
      {open?.kind === 'create' || (search.new && open === null && can('developer')) ? (
        <CreateKeyDialog
          kinds
          is_live={is_live}
          lead={
            <>
              For <EnvironmentTag type={environment.type} /> of {project.name}
            </>
          }
          create={({ allowed_origins, ...form }) =>
            client.createAuthKey(at, form.type === 'auth_publishable' ? { ...form, allowed_origins } : form)
          }
          onCreated={(key) => setOpen({ kind: 'created', key })}
          onClose={close}
        />
      ) : null}
      {open?.kind === 'created' ? (
        <CreatedKeyDialog
          created={open.key}
          tags={
            <>
              {kindOf(open.key)} <EnvironmentTag type={environment.type} />
            </>
          }
          snippets={keySnippets(open.key, environment.issuer, `${project.name}, ${environment.name}`)}
          again={environmentKeys.firstUse(here, open.key.id)}
          onRotate={() => setOpen({ kind: 'rotate', key: open.key })}
          onClose={close}
        />
      ) : null}
      {open?.kind === 'rotate' || open?.kind === 'revoke' ? (
        <EndKeyDialog
          kind={open.kind}
          chosen={open.key}
          is_live={is_live}
          tags={
            <>
              <EnvironmentTag type={environment.type} /> {kindOf(open.key)} of {project.name}
            </>
          }
          routes={{
            rotate: (key_id) => client.rotateAuthKey({ ...at, key_id }),
            revoke: (key_id) => client.revokeAuthKey({ ...at, key_id }),
          }}
          usage={environmentKeys.usage(here, open.key.id)}
          createAnother={() => setOpen({ kind: 'create' })}
          onRotated={(key) => setOpen({ kind: 'created', key })}
          onClose={close}
        />
      ) : null}
    </Page>
  )
}

/** Names a key in the chart. Two keys can have the same label, so a part of the key follows. */
const nameOfKey = (keys: readonly ApiKey[]) => (key_id: string) => {
  const key = keys.find(({ id }) => id === key_id)
  return key ? `${key.label ?? 'without a label'} (…${key.last4})` : key_id
}
