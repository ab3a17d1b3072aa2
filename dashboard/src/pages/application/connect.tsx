/** What code needs to sign people in: addresses and ids to copy, and code with them filled in. */
import type { Application } from '@ostiary/sdk'
import { CodeTabs } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Time } from '../../parts/time.tsx'
import { useEnvironment } from '../../scope.tsx'
import { createdSecret } from '../applications/created-secret.ts'
import { unknown_secret } from './snippets/values.ts'
import { snippetsOf } from './snippets.ts'

export function Connect({ application }: { application: Application }) {
  const { environment } = useEnvironment()
  const { issuer } = environment
  const facts = [
    ['Issuer', issuer],
    ['Discovery URL', `${issuer}/.well-known/openid-configuration`],
    ['Client id', application.client_id],
    ...application.redirect_uris.map((uri, index) => [index === 0 ? 'Redirect URI' : `Redirect URI ${index + 1}`, uri]),
  ] as [string, string][] // as: pairs
  // A secret that was shown a moment ago is not shown again, but need not be pasted by hand either.
  const secret = createdSecret(application.id)
  const filled = {
    fill: (text: string) => text.replaceAll(unknown_secret, () => secret),
    words: 'Copied with the secret that you have just stored.',
  }
  return (
    <div className="stack">
      <section className="card">
        <header>
          <h2>What your code needs</h2>
        </header>
        <dl className="kv">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
                <CopyButton value={value} label={name} />
              </dd>
            </div>
          ))}
          {application.has_client_secret ? (
            <div>
              <dt>Client secret</dt>
              <dd>
                <span className="muted">
                  Shown once, <Time at={application.secret_rotated_at ?? application.created_at} />. Sent as{' '}
                  <code>{application.token_endpoint_auth_method}</code>.
                </span>
              </dd>
            </div>
          ) : null}
        </dl>
      </section>
      <CodeTabs label="Client" snippets={snippetsOf(application, issuer)} filled={secret === '' ? undefined : filled} />
    </div>
  )
}
