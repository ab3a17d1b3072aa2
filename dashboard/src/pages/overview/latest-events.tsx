/** The latest events of the overview. They are below the first screen, so their code is not part of the first route. */
import { Link } from '@tanstack/react-router'
import { event_labels } from '../../generated/event-kinds.ts'
import { Card } from '../../parts/card.tsx'
import { useNames } from '../../parts/names.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { Heads } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { events } from '../../queries/events.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { AboutEvent } from '../events/columns.tsx'
import { idsOf, whyOf } from '../events/words.ts'

export default function LatestEvents() {
  const here = useEnvironment()
  const { can } = here
  const may = can('developer')
  const latest = useRead(events.latest(here), { enabled: may, refetchInterval: 15_000 })
  const nameOf = useNames((latest.data?.data ?? []).flatMap(idsOf))
  if (!may) return null
  return (
    <Loaded of={latest}>
      {({ data }) => (
        <Card
          title="Latest events"
          beside={
            <Link className="small strong" {...toPage('/events')}>
              All events
            </Link>
          }
        >
          {data.length === 0 ? (
            <p className="pad muted">Nothing has happened yet. Sign-ins, new users and changes appear here.</p>
          ) : (
            <table className="rows ev">
              <Heads of={['Event', 'About', 'Why', 'When']} />
              <tbody>
                {data.map((event) => (
                  <tr key={event.id}>
                    <td>
                      <Link {...toPage('/events', { chosen: event.id })}>{event_labels[event.type]}</Link>
                    </td>
                    <td className="any">
                      <AboutEvent event={event} nameOf={nameOf} />
                    </td>
                    <td className="why">{whyOf(event)}</td>
                    <td className="muted nowrap">
                      <Time at={event.timestamp} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Card>
      )}
    </Loaded>
  )
}
