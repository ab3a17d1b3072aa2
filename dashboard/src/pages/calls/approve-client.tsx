/** Approves the address of a program whose sign-in was refused because nobody had. */
import { useAction } from '../../parts/action.ts'
import { useAnnounce } from '../../parts/announce.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { metadataClients } from '../../queries/metadata-clients.ts'
import { useEnvironment } from '../../scope.tsx'

/** Whether the client of a call is an application. A client by address is known by its URL, or by the id of its record. */
export const isRegistered = (client_id: string): boolean => client_id.startsWith('app_')

export function ApproveClient({ client_id }: { client_id: string }) {
  const { client, at } = useEnvironment()
  const announce = useAnnounce()
  const found = useRead(metadataClients.byUrl({ client, at }, client_id))
  const action = useAction(
    (record_id: string | undefined) =>
      record_id === undefined
        ? client.createMetadataClient(at, { client_id })
        : client.changeMetadataClient({ ...at, metadata_client_id: record_id }, { listed: true, disabled: false }),
    { changes: [metadataClients.all({ at })], done: () => announce('Approved. The program can try again.') },
  )
  if (!found.data) return null
  const [record] = found.data.data
  if (record?.listed && !record.disabled) return <p className="note acc">The address of this program is approved. Try it again.</p>
  return (
    <section className="form">
      <h3>{record?.disabled ? 'Unblock and approve this client' : 'Approve this client'}</h3>
      <p>
        The program at <code className="any">{client_id}</code> can then ask everybody here for access to the resource servers that are open
        to such programs.
      </p>
      <p className="muted small">Anybody can send such a call in its name. Approve it only if you know the program and this address.</p>
      <Problem error={action.error} />
      <div className="acts">
        <ChangeButton className="btn" disabled={action.busy} onClick={() => action.run(record?.id)}>
          {record?.disabled ? 'Unblock and approve' : 'Approve this client'}
        </ChangeButton>
      </div>
    </section>
  )
}
