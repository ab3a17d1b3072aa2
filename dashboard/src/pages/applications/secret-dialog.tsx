/** A client secret, shown once. The page of the application rotates one that did not arrive. */
import type { ApplicationWithSecret } from '@ostiary/sdk'
import { useEffect } from 'react'
import { CodeTabs } from '../../parts/code.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { useEnvironment } from '../../scope.tsx'
import { clientSecretLine, envLines } from '../application/snippets/values.ts'
import { keepCreatedSecret } from './created-secret.ts'

interface SecretDialogProps {
  application: Pick<ApplicationWithSecret, 'id' | 'client_id' | 'name' | 'client_secret' | 'secret_rotated_at'>
  rotate: () => void
  onClose: () => void
  /** The words of a secret that was added beside another one. */
  added?: { lost: string; remedy: string }
}

export function SecretDialog({ application, rotate, onClose, added }: SecretDialogProps) {
  const { environment } = useEnvironment()
  useEffect(() => {
    keepCreatedSecret(application.id, application.client_secret)
  }, [application])
  const values = { issuer: environment.issuer, client_id: application.client_id }
  const code = envLines(values, clientSecretLine(application.client_secret ?? '')).join('\n')
  return (
    <SecretOnce
      what="client secret"
      name={application.name}
      secret={application.client_secret}
      lost={
        added?.lost ??
        (application.secret_rotated_at
          ? 'The old secret has stopped working, so nobody can sign in through the application. Rotate the secret again now.'
          : 'Rotate the secret to get a new one.')
      }
      {...(added ? { remedy: added.remedy } : {})}
      rotate={rotate}
      tags={<ThisEnvironment />}
      onClose={onClose}
    >
      <CodeTabs label="Use it" snippets={[{ name: '.env', code }]} />
    </SecretOnce>
  )
}
