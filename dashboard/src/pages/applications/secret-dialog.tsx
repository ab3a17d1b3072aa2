/** A client secret, shown once. */
import type { ApplicationWithSecret } from '@ostiary/sdk'
import { useEffect } from 'react'
import { CodeTabs } from '../../parts/code.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { useEnvironment } from '../../scope.tsx'
import { keepCreatedSecret } from './created-secret.ts'

export function SecretDialog({ application, onClose }: { application: ApplicationWithSecret; onClose: () => void }) {
  const { environment, project } = useEnvironment()
  useEffect(() => keepCreatedSecret(application.id, application.client_secret), [application])
  const code = [
    `# Ostiary, ${project.name}, ${environment.name}: server only`,
    `OSTIARY_ISSUER=${environment.issuer}`,
    `OSTIARY_CLIENT_ID=${application.client_id}`,
    `OSTIARY_CLIENT_SECRET=${application.client_secret}`,
  ].join('\n')
  return (
    <SecretOnce
      what="client secret"
      name={application.name}
      secret={application.client_secret ?? ''}
      tags={<EnvironmentTag type={environment.type} />}
      onClose={onClose}
    >
      <CodeTabs label="Use it" snippets={[{ name: '.env', code }]} />
    </SecretOnce>
  )
}
