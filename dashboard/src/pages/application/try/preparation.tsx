/** Lists what an application lacks before it can be tried out. In Test one press adds it; in Live a person adds it and removes it again. */

import type { Application } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useAction } from '../../../parts/action.ts'
import { CopyButton } from '../../../parts/copy.tsx'
import { ChangeButton } from '../../../parts/page.tsx'
import { Problem } from '../../../parts/problem.tsx'
import { applications } from '../../../queries/applications.ts'
import { readiness } from '../../../queries/environment.ts'
import { toApplication, useEnvironment } from '../../../scope.tsx'
import { tryCallback } from './run.ts'

export function Preparation({ application, etag }: { application: Application; etag: string | null }) {
  const { client, at, environment } = useEnvironment()
  const address = tryCallback()
  const application_id = application.id
  const add = useAction(
    () =>
      client.changeApplication(
        { ...at, application_id },
        { redirect_uris: [...application.redirect_uris, address] },
        { if_match: etag ?? undefined },
      ),
    {
      changes: [applications.one({ client, at }, application_id).queryKey, applications.all({ at }), readiness.all({ at })],
    },
  )
  return (
    <section className="card pad form">
      <h2>First, allow the redirect URI</h2>
      <p>
        Sign-in returns only to registered addresses, and so it does here: <code className="any">{address}</code>{' '}
        <CopyButton value={address} label="the redirect URI of Try sign-in" />
      </p>
      {environment.type === 'test' ? (
        <>
          <p className="muted">It becomes one of the redirect URIs of {application.name}, where you can remove it.</p>
          <div className="acts">
            <ChangeButton className="btn pri" disabled={add.busy} onClick={() => add.run()}>
              Add this address
            </ChangeButton>
          </div>
        </>
      ) : (
        <p className="muted">
          In Live only you add it, on the tab{' '}
          <Link className="u" {...toApplication(application_id, { tab: 'addresses' })}>
            Addresses
          </Link>
          . Remove it afterwards: the list “Ready for real users” on the overview reports it until then.
        </p>
      )}
      <Problem error={add.error} focus />
    </section>
  )
}
