/** The columns of a list of events: what happened, about whom, by whom, why it failed, when. */
import type { Event } from '@ostiary/sdk'
import { event_labels } from '../../generated/event-kinds.ts'
import type { NameOf } from '../../parts/names.tsx'
import { type Column, timeColumn } from '../../parts/table.tsx'
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

export const eventColumns = (nameOf: NameOf): Column<Event>[] => [
  {
    head: 'Event',
    cell: ({ type }, open) => (
      <>
        {open(event_labels[type])}
        <span className="sub mono">{type}</span>
      </>
    ),
  },
  { head: 'About', className: 'any', cell: (event) => <AboutEvent event={event} nameOf={nameOf} /> },
  { head: 'Why', className: 'why', cell: whyOf },
  { head: 'By', className: 'muted any', cell: (event) => actorOf(event, nameOf) },
  timeColumn('When', ({ timestamp }) => timestamp),
]
