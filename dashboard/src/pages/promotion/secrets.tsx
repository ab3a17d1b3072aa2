/** The secrets that a step made, shown once: each with copy, and all of them as a file. */
import type { MadeSecret } from '@ostiary/sdk'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { download } from '../../parts/download.ts'
import { Icon } from '../../parts/icon.tsx'
import { useStoring } from '../../parts/secret-once.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { useAbout } from './about.tsx'
import { fileOf } from './secrets-file.ts'

export function SecretsOnce({ secrets, close }: { secrets: readonly MadeSecret[]; close: () => void }) {
  const { target, names } = useAbout()
  const storing = useStoring('secrets', close, true)
  const kindOf = ({ client_secret }: MadeSecret) => (client_secret === undefined ? 'secret of the webhook' : 'client secret')
  return (
    <Dialog
      alert
      onClose={storing.close}
      width={642}
      title={secrets.length === 1 ? 'Copy the secret now' : 'Copy the secrets now'}
      lead={`This is the only time ${secrets.length === 1 ? 'it is' : 'they are'} shown. Ostiary cannot show ${secrets.length === 1 ? 'it' : 'them'} again.`}
      footer={
        <>
          <label className="tick">
            <input type="checkbox" checked={storing.is_stored} onChange={({ target }) => storing.setStored(target.checked)} /> I have stored
            these secrets
          </label>
          <button
            type="button"
            className="btn"
            onClick={() => download(new Blob([fileOf(secrets)], { type: 'text/plain' }), `${target.slug}-secrets.env`)}
          >
            <Icon name="save" /> Download
          </button>
          <button type="button" className="btn pri" disabled={!storing.is_stored} onClick={storing.close}>
            Done
          </button>
        </>
      }
    >
      {secrets.map((secret) => (
        <div key={secret.id}>
          <div className="lab labelled">
            {names(secret.object, secret.slug ?? '')}, {kindOf(secret)} <EnvironmentTag type={target.type} />
          </div>
          <div className="once">
            <code>{secret.client_secret ?? secret.secret}</code>
            <CopyButton
              look={secrets.length === 1 && !storing.is_stored ? 'primary' : 'plain'}
              value={secret.client_secret ?? secret.secret ?? ''}
              label={`the ${kindOf(secret)} of ${names(secret.object, secret.slug ?? '')}`}
            />
          </div>
        </div>
      ))}
    </Dialog>
  )
}
