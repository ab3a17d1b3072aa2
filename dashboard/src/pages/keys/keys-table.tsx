/** The list of keys, with the menu of each. */
import { Menu } from '@mantine/core'
import type { ApiKey } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { duration } from '../../parts/clock.ts'
import { Icon } from '../../parts/icon.tsx'
import type { useList } from '../../parts/reading.tsx'
import { type Column, Records } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { useScope } from '../../scope.tsx'
import { keyName } from './end-dialogs.tsx'

const MONTH_MS = 30 * 86_400_000

const kinds = {
  auth_publishable: (
    <Tag tone="acc" icon="globe">
      Publishable
    </Tag>
  ),
  auth_secret: <Tag icon="lock">Secret</Tag>,
  platform_secret: <Tag icon="shield">Platform</Tag>,
}
export const kindOf = (key: ApiKey) => kinds[key.type]

/** Why a key deserves a look: it was not used for 30 days. */
export const isQuiet = (key: ApiKey) => key.revoked_at === null && Date.now() - Date.parse(key.last_used_at ?? key.created_at) > MONTH_MS

interface KeysProps {
  list: ReturnType<typeof useList<ApiKey>>
  needs: 'developer' | 'admin'
  second: Column<ApiKey>
  empty: ReactNode
  onOpen: (key: ApiKey) => void
  onEnd: (kind: 'rotate' | 'revoke', key: ApiKey) => void
}

export function Keys({ list, needs, second, empty, onOpen, onEnd }: KeysProps) {
  const { can } = useScope()
  const columns: Column<ApiKey>[] = [
    { head: 'Key', kind: 'first', cell: (key) => <KeyName of={key} open={() => onOpen(key)} /> },
    second,
    { head: 'Only from', cell: (key) => <OnlyFrom of={key} /> },
    { head: 'Last used', cell: (key) => <LastUsed of={key} /> },
    { head: 'Created', className: 'muted nowrap', cell: (key) => <Time at={key.created_at} /> },
    {
      head: 'Actions',
      kind: 'actions',
      cell: (key) =>
        key.revoked_at === null ? (
          <Menu>
            <Menu.Target>
              <button type="button" className="btn quiet icon" aria-label={`Actions for ${keyName(key)}`}>
                <Icon name="dots" />
              </button>
            </Menu.Target>
            <Menu.Dropdown>
              {can(needs) ? null : <Menu.Label>Needs the role {needs}.</Menu.Label>}
              <Menu.Item onClick={() => onOpen(key)}>Details and use</Menu.Item>
              <Menu.Item disabled={!can(needs)} onClick={() => onEnd('rotate', key)}>
                Rotate…
              </Menu.Item>
              <Menu.Item disabled={!can(needs)} color="var(--bad)" onClick={() => onEnd('revoke', key)}>
                Revoke…
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : null,
    },
  ]
  return (
    <>
      <Records label="Keys" list={list} columns={columns} open={onOpen} keyOf={(key) => key.id} empty={empty} />
      {list.rows && list.rows.length > 0 ? <p className="small faint after">“Last used” may be a few seconds behind.</p> : null}
    </>
  )
}

const KeyName = ({ of: key, open }: { of: ApiKey; open: () => void }) => (
  <>
    <b>
      <button type="button" className="row-button" onClick={open}>
        {key.label ?? 'Without a label'}
      </button>{' '}
      {key.revoked_at ? (
        <Tag tone="bad" icon="cross">
          Revoked
        </Tag>
      ) : null}
      {key.revoked_at === null && key.expires_at && Date.parse(key.expires_at) < Date.now() ? (
        <Tag tone="warn" icon="clock">
          Expired
        </Tag>
      ) : null}
    </b>
    <code>
      {key.start}…{key.last4}
    </code>
  </>
)

const OnlyFrom = ({ of: key }: { of: ApiKey }) => {
  const limits = key.rate_limit ? [`${key.rate_limit.limit} / ${duration(key.rate_limit.window_seconds)}`] : []
  const tags = [...key.allowed_origins, ...key.ip_allowlist, ...limits]
  return (
    <div className="rs">
      {key.allowed_origins.length + key.ip_allowlist.length === 0 ? <span className="faint">Anywhere</span> : null}
      {tags.map((tag) => (
        <Tag key={tag} mono>
          {tag}
        </Tag>
      ))}
    </div>
  )
}

/** The use of the key as it is now. That of its text before the rotation would say that the new one arrived. */
const LastUsed = ({ of: key }: { of: ApiKey }) => {
  if (key.rotated_at !== null && (key.last_used_at === null || key.last_used_at < key.rotated_at))
    return (
      <div>
        Not since its rotation
        <span className="sub">
          rotated <Time at={key.rotated_at} />
        </span>
      </div>
    )
  return <UsedKey of={key} />
}

const UsedKey = ({ of: key }: { of: ApiKey }) => (
  <div>
    <div className={isQuiet(key) ? 'warned' : ''}>
      {isQuiet(key) ? <Icon name="clock" size={13} /> : null} <Time at={key.last_used_at} />
    </div>
    {isQuiet(key) ? (
      <span className="xs faint">Unused for 30 days. Revoke it?</span>
    ) : (
      <span className="xs faint mono">{key.last_used_ip}</span>
    )}
  </div>
)
