/** This person, last seven days: why a person did not get in, or how, from an address, an id or a `sub`. */
import type { Obstacle, SignInTrace, TraceStep } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { deviceOf } from '../../parts/device.ts'
import { useNames } from '../../parts/names.tsx'
import { Note } from '../../parts/note.tsx'
import { Page } from '../../parts/page.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { useQueryState } from '../../parts/search.ts'
import { Heads } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { users } from '../../queries/users.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { decisionWords, isRefused, obstacle_words, stepWords } from './trace-words.ts'

export function ThisPerson({ above }: { above: ReactNode }) {
  const { search, show } = useQueryState()
  const person = search.person ?? ''
  const [words, setWords] = useState(person)
  const [asked, setAsked] = useState(person)
  if (asked !== person) {
    // The address changed: by Look, or Back.
    setAsked(person)
    setWords(person)
  }
  const look = (event: FormEvent) => {
    event.preventDefault()
    show({ person: words.trim() || undefined })
  }
  return (
    <Page title="Users" lead="This person, last seven days: why a person did not get in, or how.">
      {above}
      <form className="toolbar" onSubmit={look}>
        <input
          className="in"
          data-filter
          aria-label="Address, id or sub of a person"
          placeholder="A whole address, id or sub"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <button type="submit" className="btn pri">
          Look
        </button>
      </form>
      {person === '' ? (
        <p className="muted">The address need not have an account: what people typed on the sign-in page is found by it, for seven days.</p>
      ) : (
        <Found person={person} />
      )}
    </Page>
  )
}

function Found({ person }: { person: string }) {
  const read = useRead(users.trace(useEnvironment(), person))
  return <Loaded of={read}>{(trace) => <Trace of={trace} person={person} />}</Loaded>
}

function Trace({ of: { user, obstacles, steps, has_more, settings_changed_at }, person }: { of: SignInTrace; person: string }) {
  const nameOf = useNames(steps.flatMap(({ application_id, provider_id }) => [application_id, provider_id]))
  return (
    <div className="stack">
      <p>
        {user ? (
          <>
            <Link className="u" {...toPage('/users', { chosen: user.id })}>
              {user.email ?? user.id}
            </Link>
            , last sign-in <Time at={user.last_sign_in_at} />
          </>
        ) : (
          <>
            <b>{person}</b> has no account here.
          </>
        )}
      </p>
      <Obstacles of={obstacles} />
      {steps.length === 0 ? (
        <p className="muted">Nothing is known of this person in the last seven days.</p>
      ) : (
        <div className="card">
          <table className="rows" aria-label="What happened">
            <Heads of={['When', 'What happened', 'What decided it', 'From']} />
            <tbody>
              {steps.map((step) => (
                <Step key={`${step.event_id} ${step.request_id} ${step.what} ${step.at}`} of={step} nameOf={nameOf} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {has_more ? <p className="muted">These are the newest 200 steps. The events and the calls have all of them.</p> : null}
      <p className="small muted">
        A setting is shown with its value of now. The settings of this environment were last changed <Time at={settings_changed_at} />.
      </p>
    </div>
  )
}

function Obstacles({ of }: { of: readonly Obstacle[] }) {
  if (of.length === 0) return <Note tone="acc">Nothing that the service knows keeps this person from signing in now.</Note>
  return (
    <Note tone="bad">
      <b>What stands in the way now</b>
      <ul>
        {of.map(({ what, until, decided_by }) => (
          <li key={what}>
            {obstacle_words[what]}
            {until === null ? null : (
              <>
                {' '}
                It ends <Time at={until} />.
              </>
            )}
            {decided_by === null ? null : <span className="small muted"> {decisionWords(decided_by)}</span>}
          </li>
        ))}
      </ul>
    </Note>
  )
}

function Step({ of: step, nameOf }: { of: TraceStep; nameOf: ReturnType<typeof useNames> }) {
  const { at, reason, decided_by, application_id, provider_id, event_id, request_id, ip, user_agent, what } = step
  const about = [application_id, provider_id].flatMap((id) => (id === null ? [] : [nameOf(id)?.name ?? id]))
  return (
    <tr>
      <td className="kn nowrap">
        <Time at={at} />
      </td>
      <td data-l="What happened">
        <div>
          {isRefused(step) ? <Tag tone="bad">Refused</Tag> : null}{' '}
          <StepLink {...{ what, event_id, request_id }}>{stepWords(step)}</StepLink>
          {reason === null ? null : <div className="small muted any">{reason}</div>}
          {about.length === 0 ? null : <div className="small muted">{about.join(', ')}</div>}
        </div>
      </td>
      <td data-l="What decided it">{decided_by === null ? <span className="faint">No setting</span> : decisionWords(decided_by)}</td>
      <td className="small muted any" data-l="From">
        <div>
          {ip === null ? null : <code>{ip}</code>} {user_agent === null ? null : deviceOf(user_agent)}
        </div>
      </td>
    </tr>
  )
}

/** The record of a step: its event, or the refused call. A code that was asked for has none. */
function StepLink({ what, event_id, request_id, children }: Pick<TraceStep, 'what' | 'event_id' | 'request_id'> & { children: ReactNode }) {
  const to =
    what === 'refused_call' && request_id !== null
      ? toPage('/calls', { chosen: request_id })
      : event_id !== null
        ? toPage('/events', { chosen: event_id })
        : null
  return to === null ? (
    children
  ) : (
    <Link className="u step" {...to}>
      {children}
    </Link>
  )
}
