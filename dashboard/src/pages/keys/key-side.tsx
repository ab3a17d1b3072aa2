/** One key: what it is, where it may be used from, and who used it. */

import type { ApiKey } from '@ostiary/sdk'
import { useState } from 'react'
import { duration } from '../../parts/clock.ts'
import { Copied } from '../../parts/copy.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { Editing } from '../../parts/save.tsx'
import { Facts, Side } from '../../parts/side.tsx'
import { Time } from '../../parts/time.tsx'
import { isQuiet, type KeyReads } from '../../queries/keys.ts'
import { EditKey } from './edit-dialog.tsx'
import { keyName, kindOf } from './keys-table.tsx'
import type { End, KindOfKeys } from './kind.ts'
import { Usage } from './usage.tsx'

interface KeySideProps {
  needs: 'developer' | 'admin'
  of: ReturnType<KeyReads['one']>
  usage: ReturnType<KeyReads['usage']>
  write: KindOfKeys['change']
  end: (end: End, key: ApiKey) => void
  close: () => void
}

export function KeySide({ needs, of, usage, write, end, close }: KeySideProps) {
  const [is_editing, setEditing] = useState(false)
  const found = useRead(of)
  return (
    <Side title={found.data ? keyName(found.data.data) : 'Key'} onClose={close}>
      <Loaded of={found}>
        {(latest) => {
          const key = latest.data
          return (
            <>
              {isQuiet(key) ? <div className="note warn">Unused for 30 days. If nothing needs it any more, revoke it.</div> : null}
              {key.revoked_at ? <div className="note bad">Revoked. Every call with it gets 401, and it cannot come back.</div> : null}
              <Facts
                of={{
                  Id: <Copied value={key.id} label="key id" />,
                  Key: (
                    <code>
                      {key.start}…{key.last4}
                    </code>
                  ),
                  Kind: kindOf(key),
                  Scopes: key.scopes.length > 0 ? key.scopes.join(', ') : null,
                  Origins: key.allowed_origins.join(', ') || 'None',
                  Addresses: key.ip_allowlist.join(', ') || 'Anywhere',
                  'Rate limit': key.rate_limit ? `${key.rate_limit.limit} in ${duration(key.rate_limit.window_seconds)}` : 'The default',
                  'Last used': (
                    <span>
                      <Time at={key.last_used_at} /> {key.last_used_ip ? <code>{key.last_used_ip}</code> : null}
                    </span>
                  ),
                  Expires: <Time at={key.expires_at} />,
                  Rotated: <Time at={key.rotated_at} />,
                  Created: <Time at={key.created_at} />,
                  Revoked: key.revoked_at ? <Time at={key.revoked_at} /> : null,
                }}
              />
              <section>
                <h3>Used in the last 24 hours</h3>
                <Usage chosen={key} of={usage} />
              </section>
              {key.revoked_at ? null : (
                <div className="toolbar">
                  <ChangeButton needs={needs} onClick={() => setEditing(true)}>
                    Edit…
                  </ChangeButton>
                  <ChangeButton needs={needs} onClick={() => end('rotate', key)}>
                    Rotate…
                  </ChangeButton>
                  <ChangeButton needs={needs} className="btn bad" onClick={() => end('revoke', key)}>
                    Revoke…
                  </ChangeButton>
                </div>
              )}
              {is_editing ? (
                <Editing latest={latest}>
                  {(edited) => (
                    <EditKey
                      {...edited}
                      of={of}
                      write={(change, options) => write(key.id, change, options)}
                      close={() => setEditing(false)}
                    />
                  )}
                </Editing>
              ) : null}
            </>
          )
        }}
      </Loaded>
    </Side>
  )
}
