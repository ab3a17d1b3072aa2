/** After the application of a product was created: its secret, once, and the lines for the configuration of the product. */
import type { ApplicationTemplate, ApplicationWithSecret } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { fillSetup, unmetNeeds } from '../../generated/template-setup.ts'
import { CodeTabs } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useRead } from '../../parts/reading.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { settings } from '../../queries/settings.ts'
import { templates } from '../../queries/templates.ts'
import { useEnvironment } from '../../scope.tsx'
import { keepCreatedSecret } from './created-secret.ts'

interface ProductDialogProps {
  application: ApplicationWithSecret
  template: ApplicationTemplate
  url: string
  rotate: () => void
  onClose: () => void
}

export function ProductDialog({ application, template, url, rotate, onClose }: ProductDialogProps) {
  const { environment } = useEnvironment()
  useEffect(() => {
    keepCreatedSecret(application.id, application.client_secret)
  }, [application])
  const setup = <Setup application={application} template={template} url={url} />
  if (!application.has_client_secret)
    return (
      <Dialog
        opened
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
      tags={<EnvironmentTag type={environment.type} />}
      onClose={onClose}
    >
      {setup}
    </SecretOnce>
  )
}

function Setup({ application, template, url }: Pick<ProductDialogProps, 'application' | 'template' | 'url'>) {
  const here = useEnvironment()
  const read = useRead(settings.plain(here)).data
  const { client_id, client_secret } = application
  const values = { issuer: here.environment.issuer, client_id, client_secret, url }
  const unmet = read ? unmetNeeds(template.needs, read) : []
  return (
    <>
      <CodeTabs
        label={`Set up ${template.name}`}
        snippets={template.setup.map((step) => ({ name: step.title, code: fillSetup(step, values) }))}
      />
      {unmet.map((sentence) => (
        <p className="note warn" key={sentence}>
          {sentence}
        </p>
      ))}
      {template.notes.length > 0 ? (
        <ul>
          {template.notes.map((note) => (
            <li key={note}>{note.replaceAll('`', '')}</li>
          ))}
        </ul>
      ) : null}
      <FirstSignIn application_id={application.id} />
      <p>
        <a href={template.source} target="_blank" rel="noreferrer">
          Documentation of {template.name}
        </a>
      </p>
    </>
  )
}

const again_ms = 5_000

/** What comes through the application while the dialog is open: the first sign-in, or why it was refused. */
function FirstSignIn({ application_id }: { application_id: string }) {
  const here = useEnvironment()
  const { data } = useRead(templates.arrivals(here, application_id), { refetchInterval: again_ms })
  const refused = data?.refused ?? null
  return (
    <output>
      {data?.has_sign_in ? (
        'A person has signed in through it.'
      ) : refused ? (
        <>
          The first sign-in was refused: {refused.reason}{' '}
          <Link className="u" from={here.base} to={`${here.base}/calls`} search={{ chosen: refused.id }} target="_blank">
            Open the call
          </Link>
        </>
      ) : (
        'Waiting for the first sign-in.'
      )}
    </output>
  )
}
