/** Changes an application by one press so that it accepts calls like a refused one. */
import { useAction } from '../../parts/action.ts'
import { useAnnounce } from '../../parts/announce.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { applications } from '../../queries/applications.ts'
import { useEnvironment } from '../../scope.tsx'
import { type Remedy as Change, isProved, remaining, wordsOf } from './remedies.ts'

export function Remedy({ application_id, remedy }: { application_id: string; remedy: Change }) {
  const { client, at } = useEnvironment()
  const announce = useAnnounce()
  const here = { ...at, application_id }
  const of = applications.one({ client, at }, application_id)
  const read = useRead(of)
  const action = useAction((change: Change) => client.changeApplication(here, change, { if_match: read.data?.etag ?? undefined }), {
    changes: [of.queryKey, applications.all({ at })],
    done: () => announce('Changed. The application can try again.'),
  })
  if (!read.data) return null // it was deleted, or is on its way
  const { data: application } = read.data
  const change = remaining(remedy, application)
  if (!change) return <p className="note acc">{application.name} is set so that it accepts such a call. Try it again.</p>
  const all = wordsOf(change)
  return (
    <section className="form">
      <h3>Let {application.name} in</h3>
      {all.map(({ does, consequence }) => (
        <p key={does}>
          <b className="strong">{does}.</b> {consequence}
        </p>
      ))}
      {isProved(change) ? null : (
        <p className="muted small">Anybody can send such a call in its name. Change it only if {application.name} itself sent this one.</p>
      )}
      <Problem error={action.error} />
      <div className="acts">
        <ChangeButton disabled={action.busy} onClick={() => action.run(change)}>
          {all.length === 1 ? all[0]?.does : 'Change both'}
        </ChangeButton>
      </div>
    </section>
  )
}
