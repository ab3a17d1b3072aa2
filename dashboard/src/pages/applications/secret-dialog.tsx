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
  application: ApplicationWithSecret
  rotate: () => void
  onClose: () => void
}

export function SecretDialog({ application, rotate, onClose }: SecretDialogProps) {
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
        application.secret_rotated_at
          ? 'The old secret has stopped working, so nobody can sign in through the application. Rotate the secret again now.'
          : 'Rotate the secret to get a new one.'
      }
      rotate={rotate}
      tags={<ThisEnvironment />}
      onClose={onClose}
    >
      <CodeTabs label="Use it" snippets={[{ name: '.env', code }]} />
    </SecretOnce>
  )
}
