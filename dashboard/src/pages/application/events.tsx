/** Lists the events of an application, newest first. A row opens the event on the page of all events, with the same filter. */

import type { Application } from '@ostiary/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { useNames } from '../../parts/names.tsx'
import { useList } from '../../parts/reading.tsx'
import { Empty, Records } from '../../parts/table.tsx'
import { events } from '../../queries/events.ts'
import { toPage, useEnvironment } from '../../scope.tsx'
import { eventColumns } from '../events/columns.tsx'
import { idsOf } from '../events/words.ts'

export function ApplicationEvents({ application: { id } }: { application: Application }) {
  const navigate = useNavigate()
  const filter = { application_id: id }
  const list = useList(events.list(useEnvironment(), filter), { refetchInterval: 10_000 })
  const nameOf = useNames((list.rows ?? []).flatMap(idsOf))
  return (
    <>
      <div className="toolbar">
        <Link className="btn s" {...toPage('/events', filter)}>
          Filter these events
        </Link>
      </div>
      <Records
        label="Events"
        list={list}
        columns={eventColumns(nameOf)}
        open={({ id }) => void navigate(toPage('/events', { ...filter, chosen: id }))}
        empty={<Empty>Nothing has happened with this application yet. Sign-ins through it and changes of it appear here.</Empty>}
      />
    </>
  )
}
