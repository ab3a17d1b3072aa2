/** The new key, shown once. The plaintext is only in the state of this dialog. */

import type { ApiKeyWithPlaintext } from '@ostiary/sdk'
import { CodeTabs } from '../../parts/code.tsx'
import { Note } from '../../parts/note.tsx'
import { useRead } from '../../parts/reading.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { inWords } from '../../parts/time.tsx'
import type { KeyReads } from '../../queries/keys.ts'
import { useScope } from '../../scope.tsx'
import { kindOf } from './keys-table.tsx'
import { keySnippets } from './snippets.ts'

interface CreatedProps {
  created: ApiKeyWithPlaintext
  /** Reads the key again, to show its first use. */
  again: ReturnType<KeyReads['firstUse']>
  onRotate: () => void
  onClose: () => void
}

export function CreatedKeyDialog({ created, again, onRotate, onClose }: CreatedProps) {
  const { tenant, project, environment } = useScope()
  const place = project && environment ? `${project.name}, ${environment.name}` : tenant.name
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
      tags={
        <>
          {kindOf(created)} {environment ? <ThisEnvironment /> : null}
        </>
      }
      onClose={onClose}
    >
      <CodeTabs label="Use it" snippets={keySnippets(created, environment?.issuer ?? null, place)} />
      <FirstUse created={created} again={again} />
      <Note>Lost it later? Create a second key, move over, then revoke this one. Rotating ends the old key at once.</Note>
    </SecretOnce>
  )
}

function FirstUse({ created, again }: Pick<CreatedProps, 'created' | 'again'>) {
  const key = useRead(again, { refetchInterval: 3_000 }).data?.data
  const last = key?.last_used_at
  // The record of a rotated key still has the last use of the old one.
  const used = last && last > (created.rotated_at ?? created.created_at) ? last : null
  return (
    <p className="wait" aria-live="polite">
      <span className={used ? 'dot used' : 'dot'} />
      {used ? `First call ${inWords(used, new Date())} from ${key?.last_used_ip}.` : 'Not used yet. This line changes with the first call.'}
    </p>
  )
}
