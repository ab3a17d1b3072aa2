/** Rotating and revoking a key: the old key stops at once, so the dialog says who used it and leads to the way without interruption. */

import type { ApiKey, ApiKeyWithPlaintext } from '@ostiary/sdk'
import { useAction } from '../../parts/action.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Hurt } from '../../parts/hurt.tsx'
import { Note } from '../../parts/note.tsx'
import { Facts } from '../../parts/side.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { allKeys } from '../../queries/keys.ts'
import { useScope } from '../../scope.tsx'
import { keyName, kindOf } from './keys-table.tsx'
import type { End, KindOfKeys } from './kind.ts'
import { Usage } from './usage.tsx'

interface EndProps {
  end: End
  chosen: ApiKey
  kind: KindOfKeys
  createAnother: () => void
  onRotated: (key: ApiKeyWithPlaintext) => void
  onClose: () => void
}

const DAY_MS = 86_400_000
const isRecent = (key: ApiKey) => key.last_used_at !== null && Date.now() - Date.parse(key.last_used_at) < DAY_MS

export function EndKeyDialog({ end, chosen, kind, createAnother, onRotated, onClose }: EndProps) {
  const { project, environment } = useScope()
  const name = keyName(chosen)
  const is_rotation = end === 'rotate'
  const action = useAction(async () => (is_rotation ? kind.rotate(chosen.id) : kind.revoke(chosen.id)), {
    changes: [allKeys],
    secret: is_rotation,
    done: (rotated) => (rotated ? onRotated(rotated) : onClose()),
  })
  return (
    <Confirm
      title={`${is_rotation ? 'Rotate' : 'Revoke'} ${name}?`}
      lead={
        project && environment ? (
          <>
            <ThisEnvironment /> {kindOf(chosen)} of {project.name}
          </>
        ) : (
          kindOf(chosen)
        )
      }
      keep="Keep the key"
      act={is_rotation ? 'Rotate now' : 'Revoke now'}
      typed={isRecent(chosen) || environment?.type === 'live' ? name : undefined}
      busy={action.busy}
      error={action.error}
      onConfirm={() => action.run()}
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
      <Facts
        of={{
          Key: (
            <code>
              {chosen.start}…{chosen.last4}
            </code>
          ),
          'Last used': (
            <b className="strong">
              <Time at={chosen.last_used_at} />
            </b>
          ),
          By: chosen.last_used_ip ? <code>{chosen.last_used_ip}</code> : null,
        }}
      />
      {kind.impact ? <Hurt of={kind.impact(chosen.id)} /> : null}
      <Usage chosen={chosen} of={kind.reads.usage(chosen.id)} />
      <Note tone="acc">
        No interruption:{' '}
        <button type="button" className="text-button" disabled={action.busy} onClick={createAnother}>
          create a second key
        </button>
        , move every caller over, wait until this one is quiet, then revoke it.
      </Note>
    </Confirm>
  )
}
