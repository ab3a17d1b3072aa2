/** The events of an environment, newest first. A row opens its body. */
import type { Event, EventKind } from '@ostiary/sdk'
import { CopyButton } from '../parts/copy.tsx'
import { Page } from '../parts/page.tsx'
import { Loaded, useList, useRead } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { Json, Side } from '../parts/side.tsx'
import { type Column, Empty, Records } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { Time } from '../parts/time.tsx'
import { useEnvironment } from '../scope.tsx'

const filters = ['type', 'user_id', 'application_id', 'request_id'] as const

export default function Events() {
  const { client, at, environment } = useEnvironment()
  const { search, show } = useQueryState()
  const chosen = filters.filter((name) => search[name] !== undefined)
  const filter = {
    type: search.type as EventKind | undefined, // as: the service refuses other kinds
    user_id: search.user_id,
    application_id: search.application_id,
    request_id: search.request_id,
  }
  const list = useList(['events', environment.id, filter], (cursor) => client.listEvents({ ...at, ...filter, cursor }).page(), {
    refetchInterval: 10_000,
  })
  const columns: Column<Event>[] = [
    {
      head: 'Event',
      kind: 'first',
      cell: ({ id, type }) => (
        <button type="button" className="row-button mono" onClick={() => show({ chosen: id })}>
          {type}
        </button>
      ),
    },
    {
      head: 'About',
      className: 'any',
      cell: ({ data, user_id, application_id }) => String(data.email ?? data.name ?? user_id ?? application_id ?? ''),
    },
    { head: 'By', className: 'muted', cell: ({ actor }) => actor.type.replace('_', ' ') },
    { head: 'No.', className: 'mono faint', cell: ({ sequence }) => sequence.toLocaleString('en') },
    { head: 'When', className: 'muted nowrap', cell: ({ timestamp }) => <Time at={timestamp} /> },
  ]
  return (
    <Page title="Events" lead="What happened in this environment, in one order. Webhooks get the same bodies.">
      <div className="toolbar">
        {chosen.map((name) => (
          <button
            key={name}
            type="button"
            className="btn s"
            onClick={() => show({ [name]: undefined })}
            aria-label={`Clear the filter ${name}: ${search[name]}`}
          >
            {name}: {search[name]} ×
          </button>
        ))}
        {chosen.length === 0 ? (
          <span className="small muted">Open an event to filter by its kind, user, application or request.</span>
        ) : null}
      </div>
      <Records
        label="Events"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty>
            {chosen.length > 0 ? 'No event has these values.' : 'Nothing has happened yet. Sign-ins, new users and changes appear here.'}
          </Empty>
        }
      />
      {search.chosen ? <EventSide event_id={search.chosen} show={show} /> : null}
    </Page>
  )
}

function EventSide({ event_id, show }: { event_id: string; show: ReturnType<typeof useQueryState>['show'] }) {
  const { client, at, environment } = useEnvironment()
  const event = useRead(['event', environment.id, event_id], (signal) => client.getEvent({ ...at, event_id }, { signal }))
  return (
    <Side title={event.data?.type ?? 'Event'} onClose={() => show({ chosen: undefined })}>
      <Loaded of={event}>
        {(event) => (
          <>
            <p className="muted">
              <Time at={event.timestamp} /> <Tag>No. {event.sequence}</Tag>{' '}
              <CopyButton look="quiet" value={event.id} label="event id" text="Copy id" />
            </p>
            <div className="toolbar">
              {filters.map((name) =>
                event[name] ? (
                  <button
                    key={name}
                    type="button"
                    className="btn s"
                    onClick={() => show({ [name]: event[name] ?? undefined, chosen: undefined })}
                  >
                    Same {name}
                  </button>
                ) : null,
              )}
            </div>
            <Json of={event} />
          </>
        )}
      </Loaded>
    </Side>
  )
}
