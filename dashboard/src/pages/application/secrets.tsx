/** The client secrets of an application: a second one is added, the callers move, and the first one is deleted. */
import { NativeSelect, TextInput } from '@mantine/core'
import type { Application, ClientSecret, ClientSecretWithPlaintext } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { ConfirmCall } from '../../parts/confirm.tsx'
import { entered } from '../../parts/fields.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { useList } from '../../parts/reading.tsx'
import { type Column, Records, timeColumn } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { inWords, Time } from '../../parts/time.tsx'
import { applications } from '../../queries/applications.ts'
import { useEnvironment } from '../../scope.tsx'
import { SecretDialog } from '../applications/secret-dialog.tsx'
import { lifetimes } from '../keys/fields.tsx'
import { endAfter } from '../keys/restrictions.ts'

/** As the service limits them. */
const most_secrets = 2

const nameOf = ({ label, id }: Pick<ClientSecret, 'label' | 'id'>) => label ?? `…${id.slice(-6)}`
const isExpired = ({ expires_at }: ClientSecret) => expires_at !== null && Date.parse(expires_at) <= Date.now()

export function ClientSecrets({ application }: { application: Application }) {
  const here = useEnvironment()
  const { client, at, environment } = here
  const secrets = useList(applications.secrets(here, application.id), { refetchInterval: 10_000 }) // callers move while it stands open
  const [is_adding, setAdding] = useState(false)
  const [added, setAdded] = useState<ClientSecretWithPlaintext | null>(null)
  const [leaving, setLeaving] = useState<ClientSecret | null>(null)
  const changes = [applications.one(here, application.id).queryKey]
  const rows = secrets.rows ?? []
  /** Also reads when it was used last: a caller may have moved to it a moment ago. */
  const leave = (secret: ClientSecret) => {
    setLeaving(secret)
    void secrets.refetch()
  }
  const is_full = rows.length >= most_secrets
  return (
    <>
      <Records
        label="Client secrets"
        list={secrets}
        columns={columnsOf({ rows, remove: leave })}
        empty={<p className="muted">No client secret.</p>}
      />
      <p className="hint">{adviceOn(rows)}</p>
      <div className="acts">
        <ChangeButton
          disabled={is_full}
          {...(is_full ? { why: 'Two is the most. Delete one first.' } : {})}
          onClick={() => setAdding(true)}
        >
          Add a second secret
        </ChangeButton>
      </div>
      {is_adding ? (
        <AddSecret
          application={application}
          onAdded={(secret) => {
            setAdding(false)
            setAdded(secret)
          }}
          onClose={() => setAdding(false)}
        />
      ) : null}
      {added ? (
        <SecretDialog
          application={{ ...application, client_secret: added.client_secret }}
          added={{ lost: 'Delete the secret that did not arrive, then add another one. The first one still works.', remedy: 'Delete it…' }}
          rotate={() => {
            setAdded(null)
            setLeaving(added)
          }}
          onClose={() => setAdded(null)}
        />
      ) : null}
      {leaving ? (
        <ConfirmCall
          title={`Delete the secret ${nameOf(leaving)}?`}
          consequence={consequenceOf(rows.find(({ id }) => id === leaving.id) ?? leaving)}
          keep="Keep the secret"
          act="Delete now"
          typed={environment.type === 'live' ? application.name : undefined}
          call={() => client.deleteClientSecret({ ...at, application_id: application.id, client_secret_id: leaving.id })}
          changes={changes}
          onClose={() => setLeaving(null)}
        />
      ) : null}
    </>
  )
}

/** The next step of a replacement, by what the list says. */
function adviceOn(rows: readonly ClientSecret[]): string {
  const [newer, older] = rows
  if (!newer || !older)
    return 'To replace a secret without a refused call: add a second one, move every caller to it, then delete the first.'
  if (newer.last_used_at === null) return 'Both secrets work. Move the callers to the newer one: it has not been used yet.'
  if (older.last_used_at !== null && older.last_used_at > newer.created_at)
    return `Both secrets work. A caller used the older one after the newer was added, last ${inWords(older.last_used_at, new Date())}. Delete it once that stops.`
  return 'The callers use the newer secret, and none has used the older one since it was added. Delete the older one.'
}

function consequenceOf(secret: ClientSecret): string {
  if (isExpired(secret)) return 'It has expired, so nobody uses it any more.'
  if (secret.last_used_at === null) return 'No caller has used it. From now on each call with it is refused.'
  return `It was last used ${inWords(secret.last_used_at, new Date())}. From now on each call with it is refused. People stay signed in.`
}

interface Columns {
  rows: readonly ClientSecret[]
  remove: (secret: ClientSecret) => void
}

const columnsOf = ({ rows, remove }: Columns): Column<ClientSecret>[] => [
  {
    head: 'Secret',
    cell: (secret) => (
      <b>
        {nameOf(secret)}{' '}
        {isExpired(secret) ? (
          <Tag tone="warn" icon="clock">
            Expired
          </Tag>
        ) : null}
      </b>
    ),
  },
  timeColumn('Added', ({ created_at }) => created_at),
  timeColumn('Last used', ({ last_used_at }) => last_used_at),
  { head: 'Expires', className: 'muted nowrap', cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    head: 'Actions',
    kind: 'actions',
    cell: (secret) => {
      const is_last = !isExpired(secret) && !rows.some((other) => other.id !== secret.id && !isExpired(other))
      return (
        <ChangeButton
          className="btn quiet"
          {...(is_last ? { why: 'The application authenticates with this secret alone.' } : {})}
          onClick={() => remove(secret)}
        >
          Delete<span className="vh"> the secret {nameOf(secret)}</span>
        </ChangeButton>
      )
    },
  },
]

interface AddProps {
  application: Application
  onAdded: (secret: ClientSecretWithPlaintext) => void
  onClose: () => void
}

function AddSecret({ application, onAdded, onClose }: AddProps) {
  const { client, at } = useEnvironment()
  const [label, setLabel] = useState('')
  const [days, setDays] = useState('')
  const action = useAction(
    () =>
      client.addClientSecret(
        { ...at, application_id: application.id },
        { label: label === '' ? null : label, expires_at: endAfter(days, new Date()) },
      ),
    { changes: [applications.one({ client, at }, application.id).queryKey], secret: true, done: onAdded },
  )
  return (
    <FormDialog
      title={`Add a second secret to ${application.name}`}
      submit="Add secret"
      action={action}
      onSubmit={() => action.run()}
      onClose={onClose}
    >
      <TextInput label="Label, so that you know it again" maxLength={100} {...entered(label, setLabel, action.error, '/label')} />
      <NativeSelect label="Expires" data={lifetimes} {...entered(days, setDays, action.error, '/expires_at')} />
    </FormDialog>
  )
}
