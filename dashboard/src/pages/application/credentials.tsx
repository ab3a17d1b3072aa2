/** How an application authenticates, and the rotation of its secret. */
import type { Application, ApplicationWithSecret } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Facts } from '../../parts/side.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { useEnvironment } from '../../scope.tsx'
import { SecretDialog } from '../applications/secret-dialog.tsx'

export function Credentials({ application }: { application: Application }) {
  const { client, at, environment } = useEnvironment()
  const [is_open, setOpen] = useState(false)
  const [created, setCreated] = useState<ApplicationWithSecret | null>(null)
  const action = useAction(() => client.rotateClientSecret({ ...at, application_id: application.id }), {
    changes: [['application', environment.id, application.id]],
    done: (rotated) => {
      setOpen(false)
      setCreated(rotated)
    },
  })
  return (
    <section className="card pad form">
      <Facts
        of={[
          ['Client id', <code key="id">{application.client_id}</code>],
          ['Authentication', <code key="method">{application.token_endpoint_auth_method}</code>],
          [
            'Client secret',
            application.has_client_secret ? 'Set. It cannot be shown again.' : 'None: a public application keeps no secret.',
          ],
          ['Last rotated', <Time key="at" at={application.secret_rotated_at} />],
        ]}
      />
      {application.has_client_secret ? (
        <div className="acts">
          <ChangeButton onClick={() => setOpen(true)}>Rotate secret</ChangeButton>
        </div>
      ) : null}
      {is_open ? (
        <Confirm
          title={`Rotate the secret of ${application.name}?`}
          lead={<EnvironmentTag type={environment.type} />}
          consequence={
            <>
              <b className="strong">The old secret stops working the moment you rotate.</b> There is no grace window: until the application
              has the new one, nobody can sign in through it.
            </>
          }
          keep="Keep the secret"
          act="Rotate now"
          typed={environment.type === 'live' ? application.name : undefined}
          busy={action.busy}
          error={action.error}
          onConfirm={() => action.run(undefined)}
          onClose={() => setOpen(false)}
        />
      ) : null}
      {created ? (
        <SecretDialog
          application={created}
          rotate={() => {
            setCreated(null)
            setOpen(true)
          }}
          onClose={() => setCreated(null)}
        />
      ) : null}
    </section>
  )
}
