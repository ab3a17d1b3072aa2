/** After the application of a product was created: its secret, once, and the lines for the configuration of the product. */
import type { ApplicationTemplate, ApplicationWithSecret } from '@ostiary/sdk'
import { useEffect } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { ProductSetup } from '../application/product-setup.tsx'
import { keepCreatedSecret } from './created-secret.ts'

interface ProductDialogProps {
  application: ApplicationWithSecret
  template: ApplicationTemplate
  url: string
  rotate: () => void
  onClose: () => void
}

export function ProductDialog({ application, template, url, rotate, onClose }: ProductDialogProps) {
  useEffect(() => {
    keepCreatedSecret(application.id, application.client_secret)
  }, [application])
  const { client_id, client_secret } = application
  const setup = <ProductSetup template={template} values={{ client_id, client_secret, url }} />
  if (!application.has_client_secret)
    return (
      <Dialog
        width={642}
        title={`Set up ${template.name}`}
        onClose={onClose}
        footer={
          <button type="button" className="btn pri" onClick={onClose}>
            Done
          </button>
        }
      >
        {setup}
      </Dialog>
    )
  return (
    <SecretOnce
      what="client secret"
      name={application.name}
      secret={application.client_secret}
      lost="Rotate the secret to get a new one."
      rotate={rotate}
      tags={<ThisEnvironment />}
      onClose={onClose}
    >
      {setup}
    </SecretOnce>
  )
}
