/** Rotating and revoking a key: the old key stops at once, so the dialog says who used it and leads to the way without interruption. */

import type { ApiKey, ApiKeyWithPlaintext, KeyUsage } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { useAction } from '../../parts/action.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Time } from '../../parts/time.tsx'
import { allKeys } from '../../queries/keys.ts'
import type { One } from '../../queries/query.ts'
import { Usage } from './usage.tsx'

export interface KeyRoutes {
  rotate: (key_id: string) => Promise<ApiKeyWithPlaintext>
  revoke: (key_id: string) => Promise<void>
}

interface EndProps {
  kind: 'rotate' | 'revoke'
  chosen: ApiKey
  routes: KeyRoutes
  usage: One<KeyUsage>
  is_live: boolean
  tags: ReactNode
  createAnother: () => void
  onRotated: (key: ApiKeyWithPlaintext) => void
  onClose: () => void
}

const DAY_MS = 86_400_000
const isRecent = (key: ApiKey) => key.last_used_at !== null && Date.now() - Date.parse(key.last_used_at) < DAY_MS
export const keyName = (key: ApiKey) => key.label ?? `${key.start}…${key.last4}`

export function EndKeyDialog({ kind, chosen, routes, usage, is_live, tags, createAnother, onRotated, onClose }: EndProps) {
  const end = async () => {
    if (kind === 'rotate') return routes.rotate(chosen.id)
    await routes.revoke(chosen.id)
    return null
  }
  const name = keyName(chosen)
  const is_rotation = kind === 'rotate'
  const action = useAction(end, {
    changes: [allKeys],
    secret: is_rotation,
    done: (rotated) => (rotated ? onRotated(rotated) : onClose()),
  })
  return (
    <Confirm
      title={`${is_rotation ? 'Rotate' : 'Revoke'} ${name}?`}
      lead={tags}
      keep="Keep the key"
      act={is_rotation ? 'Rotate now' : 'Revoke now'}
      typed={isRecent(chosen) || is_live ? name : undefined}
      busy={action.busy}
      error={action.error}
      onConfirm={() => action.run(undefined)}
      onClose={onClose}
      consequence={
        <>
          <b className="strong">
            {is_rotation ? 'The old key stops working the moment you rotate.' : 'The key stops working at once, and for good.'}
          </b>{' '}
          There is no grace window. Whatever still sends it will get 401.
        </>
      }
    >
      <dl className="fact">
        <dt>Key</dt>
        <dd className="mono">
          {chosen.start}…{chosen.last4}
        </dd>
        <dt>Last used</dt>
        <dd>
          <b className="strong">
            <Time at={chosen.last_used_at} />
          </b>
        </dd>
        {chosen.last_used_ip ? (
          <>
            <dt>By</dt>
            <dd>
              <code>{chosen.last_used_ip}</code>
            </dd>
          </>
        ) : null}
      </dl>
      <Usage chosen={chosen} of={usage} />
      <div className="note acc">
        <Icon name="info" />
        <span>
          No interruption:{' '}
          <button type="button" className="text-button" disabled={action.busy} onClick={createAnother}>
            create a second key
          </button>
          , move every caller over, wait until this one is quiet, then revoke it.
        </span>
      </div>
    </Confirm>
  )
}
