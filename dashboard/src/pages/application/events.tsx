/** What happened with an application, newest first. A row opens the event on the page of all events, with the same filter. */
import type { Application, Event } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useList } from '../../parts/reading.tsx'
import { type Column, Empty, Records } from '../../parts/table.tsx'
import { useEnvironment } from '../../scope.tsx'
import { aboutEvent } from '../events/columns.tsx'

export function ApplicationEvents({ application: { id } }: { application: Application }) {
  const { client, at, environment, base } = useEnvironment()
  const filter = { application_id: id }
  const list = useList(['events', environment.id, filter], (cursor) => client.listEvents({ ...at, ...filter, cursor }).page(), {
    refetchInterval: 10_000,
  })
  const columns: Column<Event>[] = [
    {
      head: 'Event',
      kind: 'first',
      cell: ({ id, type }) => (
        <Link className="row-button mono" from={base} to={`${base}/events`} search={{ ...filter, chosen: id }}>
          {type}
        </Link>
      ),
    },
    ...aboutEvent,
  ]
  return (
    <>
      <div className="toolbar">
        <Link className="btn s" from={base} to={`${base}/events`} search={filter}>
          Filter these events
        </Link>
      </div>
      <Records
        label="Events"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty>Nothing has happened with this application yet. Sign-ins through it and changes of it appear here.</Empty>}
      />
    </>
  )
}
