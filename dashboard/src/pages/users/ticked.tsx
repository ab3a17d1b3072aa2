/** The same done to all ticked users, as a job of the service, and how far the job is. */
import type { User } from '@ostiary/sdk'
import { useEffect, useState } from 'react'
import { ConfirmCall } from '../../parts/confirm.tsx'
import { Note } from '../../parts/note.tsx'
import { ChangeButton } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useRead } from '../../parts/reading.tsx'
import { readAgain } from '../../queries/query.ts'
import { users } from '../../queries/users.ts'
import { useEnvironment } from '../../scope.tsx'

type Action = 'block' | 'unblock' | 'end_sessions' | 'delete'

interface Words {
  act: string
  title: (whom: string) => string
  consequence: string
  keep: string
}

const words: Record<Action, Words> = {
  block: {
    act: 'Block',
    title: (whom) => `Block ${whom}?`,
    consequence: 'All their sessions and tokens end at once, and they cannot sign in.',
    keep: 'Keep them unblocked',
  },
  unblock: {
    act: 'Unblock',
    title: (whom) => `Unblock ${whom}?`,
    consequence: 'They can sign in again.',
    keep: 'Keep them blocked',
  },
  end_sessions: {
    act: 'Sign out',
    title: (whom) => `Sign ${whom} out everywhere?`,
    consequence: 'All their sessions and tokens end at once. They sign in again on every device.',
    keep: 'Keep the sessions',
  },
  delete: {
    act: 'Delete',
    title: (whom) => `Delete ${whom}?`,
    consequence: 'Their accounts, with all ways in, sessions and consents, are gone for good.',
    keep: 'Keep the users',
  },
}

const actions = Object.keys(words) as Action[] // as: the keys of the table
const usersOf = (count: number) => (count === 1 ? '1 user' : `${count.toLocaleString('en')} users`)

export function Ticked({
  ticked,
  shown,
  tick,
}: {
  ticked: ReadonlySet<string>
  shown: readonly User[]
  tick: (ids: readonly string[]) => void
}) {
  const { client, environment } = useEnvironment()
  const [asked, setAsked] = useState<Action | null>(null)
  const [job_id, setJobId] = useState<string | null>(null)
  const whom = usersOf(ticked.size)
  const is_serious = asked === 'delete' || (environment.type === 'live' && asked !== 'unblock')
  return (
    <>
      {job_id === null ? null : <Progress key={job_id} id={job_id} />}
      {ticked.size === 0 ? null : (
        <fieldset className="toolbar ticked" aria-label="Ticked users">
          <b aria-live="polite">{whom} ticked</b>
          {actions.map((action) => (
            <ChangeButton key={action} className="btn s" in_root={false} onClick={() => setAsked(action)}>
              {words[action].act}
              <span className="vh"> the ticked users</span>
            </ChangeButton>
          ))}
          {shown.some(({ id }) => !ticked.has(id)) ? (
            <button type="button" className="btn quiet s" onClick={() => tick([...ticked, ...shown.map(({ id }) => id)])}>
              Tick all {usersOf(shown.length)} of the list
            </button>
          ) : null}
          <button type="button" className="btn quiet s" onClick={() => tick([])}>
            Untick all
          </button>
        </fieldset>
      )}
      {asked === null ? null : (
        <ConfirmCall
          title={words[asked].title(whom)}
          consequence={words[asked].consequence}
          keep={words[asked].keep}
          act={`${words[asked].act} now`}
          typed={is_serious ? whom : undefined}
          call={() => client.createUserJob({ action: asked, user_ids: [...ticked] })}
          changes={[]}
          done={({ id }) => {
            setAsked(null)
            setJobId(id)
            tick([])
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

const poll_ms = 1_000

/** How far a job is. The list is read again at its end. */
function Progress({ id }: { id: string }) {
  const here = useEnvironment()
  const [is_over, setOver] = useState(false)
  const job = useRead(users.job(here, id), { refetchInterval: is_over ? false : poll_ms })
  const is_done = job.data?.status === 'done'
  const { environment_id } = here.at
  useEffect(() => {
    if (!is_done) return
    setOver(true)
    readAgain([users.all({ at: { project_id: '', environment_id } })])
  }, [is_done, environment_id])
  if (job.data === undefined) return <Problem error={job.error} />
  const { action, total, done, failed, skipped } = job.data
  const left = [failed > 0 ? `${usersOf(failed)} could not be changed` : '', skipped > 0 ? `${usersOf(skipped)} were gone` : ''].filter(
    Boolean,
  )
  return (
    <output>
      <Note tone={is_done && failed > 0 ? 'warn' : 'acc'}>
        {words[action].act}: {is_done ? 'done for' : `${done.toLocaleString('en')} of`} {usersOf(is_done ? done : total)}
        {left.length > 0 ? `; ${left.join(', ')}` : ''}.
      </Note>
    </output>
  )
}
