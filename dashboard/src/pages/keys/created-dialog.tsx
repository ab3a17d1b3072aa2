/** The new key, shown once. The plaintext is only in the state of this dialog. */

import type { ApiKey, ApiKeyWithPlaintext } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { CodeTabs } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useRead } from '../../parts/reading.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import type { Snippet } from '../../parts/snippet.ts'
import { inWords } from '../../parts/time.tsx'
import type { One } from '../../queries/query.ts'

interface CreatedProps {
  created: ApiKeyWithPlaintext
  tags: ReactNode
  snippets: readonly Snippet[]
  /** Reads the key again, to show its first use. */
  again: One<ApiKey>
  onRotate: () => void
  onClose: () => void
}

export function CreatedKeyDialog({ created, tags, snippets, again, onRotate, onClose }: CreatedProps) {
  return (
    <SecretOnce
      what="key"
      name={created.label ?? created.start}
      secret={created.key}
      lost={
        created.rotated_at
          ? 'The old key has stopped working. Rotate the key again.'
          : 'Rotate the key to get a new one, or revoke it in the list.'
      }
      rotate={onRotate}
      tags={tags}
      onClose={onClose}
    >
      <CodeTabs label="Use it" snippets={snippets} />
      <FirstUse created={created} again={again} />
      <div className="note">
        <Icon name="info" />
        <span>Lost it later? Create a second key, move over, then revoke this one. Rotating ends the old key at once.</span>
      </div>
    </SecretOnce>
  )
}

function FirstUse({ created, again }: Pick<CreatedProps, 'created' | 'again'>) {
  const key = useRead(again, { refetchInterval: 3_000 })
  const last = key.data?.last_used_at
  // The record of a rotated key still has the last use of the old one.
  const used = last && last > (created.rotated_at ?? created.created_at) ? last : null
  return (
    <p className="wait" aria-live="polite">
      <span className={used ? 'dot used' : 'dot'} />
      {used
        ? `First call ${inWords(used, new Date())} from ${key.data?.last_used_ip}.`
        : 'Not used yet. This line changes with the first call.'}
    </p>
  )
}
