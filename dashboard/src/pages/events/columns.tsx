/** The columns of a list of events: what happened, about whom, by whom, why it failed, when. */
import type { Event } from '@ostiary/sdk'
import { event_labels } from '../../generated/event-kinds.ts'
import type { NameOf } from '../../parts/names.tsx'
import type { Column } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { aboutOf, actorOf, whyOf } from './words.ts'

export function AboutEvent({ event, nameOf }: { event: Event; nameOf: NameOf }) {
  const { subject, more } = aboutOf(event, nameOf)
  return (
    <>
      {subject}
      {more.length > 0 ? <span className="sub">{more.join(' · ')}</span> : null}
    </>
  )
}

/** @param open opens an event beside the list */
export const eventColumns = (nameOf: NameOf, open: (event: Event) => void): Column<Event>[] => [
  {
    head: 'Event',
    kind: 'first',
    cell: (event) => (
      <>
        <button type="button" className="row-button" onClick={() => open(event)}>
          {event_labels[event.type]}
        </button>
        <span className="sub mono">{event.type}</span>
      </>
    ),
  },
  { head: 'About', className: 'any', cell: (event) => <AboutEvent event={event} nameOf={nameOf} /> },
  { head: 'Why', className: 'why', cell: whyOf },
  { head: 'By', className: 'muted any', cell: (event) => actorOf(event, nameOf) },
  { head: 'When', className: 'muted nowrap', cell: ({ timestamp }) => <Time at={timestamp} /> },
]
