/** The columns of a list of keys, with the menu of each. */
import { Menu } from '@mantine/core'
import type { ApiKey } from '@ostiary/sdk'
import { ActionsMenu } from '../../parts/actions-menu.tsx'
import { duration } from '../../parts/clock.ts'
import { Icon } from '../../parts/icon.tsx'
import { type Column, timeColumn } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { isQuiet } from '../../queries/keys.ts'
import type { End } from './kind.ts'

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
export const keyName = (key: ApiKey) => key.label ?? `${key.start}…${key.last4}`

interface KeysProps {
  second: Column<ApiKey>
  /** The role that this person lacks for changes; `null` where they may change keys. */
  needs: string | null
  show: (key: ApiKey) => void
  end: (end: End, key: ApiKey) => void
}

export const keyColumns = ({ second, needs, show, end }: KeysProps): Column<ApiKey>[] => [
  {
    head: 'Key',
    cell: (key, open) => (
      <>
        <b>
          {open(key.label ?? 'Without a label')} <KeyStatus of={key} />
        </b>
        <code>
          {key.start}…{key.last4}
        </code>
      </>
    ),
  },
  second,
  { head: 'Only from', cell: (key) => <OnlyFrom of={key} /> },
  { head: 'Last used', cell: (key) => <LastUsed of={key} /> },
  timeColumn('Created', ({ created_at }) => created_at),
  {
    head: 'Actions',
    kind: 'actions',
    cell: (key) =>
      key.revoked_at === null ? (
        <ActionsMenu of={keyName(key)}>
          {needs ? <Menu.Label>Needs the role {needs}.</Menu.Label> : null}
          <Menu.Item onClick={() => show(key)}>Details and use</Menu.Item>
          <Menu.Item disabled={needs !== null} onClick={() => end('rotate', key)}>
            Rotate…
          </Menu.Item>
          <Menu.Item disabled={needs !== null} color="var(--bad)" onClick={() => end('revoke', key)}>
            Revoke…
          </Menu.Item>
        </ActionsMenu>
      ) : null,
  },
]

function KeyStatus({ of: { revoked_at, expires_at } }: { of: ApiKey }) {
  if (revoked_at) return <Tag tone="bad">Revoked</Tag>
  return expires_at && Date.parse(expires_at) < Date.now() ? (
    <Tag tone="warn" icon="clock">
      Expired
    </Tag>
  ) : null
}

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
