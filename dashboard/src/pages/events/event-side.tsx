/** One event: its body, the events before and after it, and where webhooks delivered it. */

import type { Event } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { event_labels } from '../../generated/event-kinds.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { curlOf } from '../../parts/curl.ts'
import { Id, type NameOf, useNames } from '../../parts/names.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import type { useQueryState } from '../../parts/search.ts'
import { Facts, Json, Side } from '../../parts/side.tsx'
import { pathOf } from '../../parts/snippets.tsx'
import { Tag } from '../../parts/tag.tsx'
import { ClockTime, Time } from '../../parts/time.tsx'
import { events } from '../../queries/events.ts'
import { deliveries } from '../../queries/webhooks.ts'
import { toOrganization, toPage, toWebhook, useEnvironment } from '../../scope.tsx'
import { MessageStatus } from '../webhook/attempts.tsx'
import { causeOf } from './cause.ts'
import { aboutOf, actorOf, idsOf } from './words.ts'

const eventFilters = ['type', 'user_id', 'application_id', 'request_id'] as const
const words = { type: 'kind', user_id: 'user', application_id: 'application', request_id: 'request' }

type Show = ReturnType<typeof useQueryState>['show']

export function EventSide({ event_id, show }: { event_id: string; show: Show }) {
  const event = useRead(events.one(useEnvironment(), event_id))
  return (
    <Side title={event.data ? event_labels[event.data.type] : 'Event'} onClose={() => show({ chosen: undefined })}>
      <Loaded of={event}>{(event) => <Content event={event} show={show} />}</Loaded>
    </Side>
  )
}

function Content({ event, show }: { event: Event; show: Show }) {
  const { at } = useEnvironment()
  const cause = causeOf(event)
  const nameOf = useNames(idsOf(event))
  const application = nameOf(event.application_id)?.name
  const more = aboutOf(event, nameOf).more.filter((words) => words !== application)
  const { user_id, application_id, request_id } = event
  const { promotion_id } = event.data
  const promotion = typeof promotion_id === 'string' ? promotion_id : null
  const organization_id = organizationOf(event)
  return (
    <>
      <p className="muted">
        <Time at={event.timestamp} /> <Tag mono>{event.type}</Tag> <Tag>No. {event.sequence}</Tag>
      </p>
      {cause ? (
        <div className="note bad">
          <div>
            <p className="strong">{cause.reason}</p>
            <p>{cause.fix}</p>
          </div>
        </div>
      ) : null}
      <Facts
        of={{
          Person: user_id ? <ShownName id={user_id} nameOf={nameOf} label="user id" /> : null,
          Application: application_id ? <ShownName id={application_id} nameOf={nameOf} label="client id" /> : null,
          Details: more.length > 0 ? more.join(' · ') : null,
          By: actorOf(event, nameOf),
          Request: request_id ? <Id value={request_id} label="request id" /> : null,
          Promotion: promotion ? <Id value={promotion} label="promotion id" /> : null,
          Event: <Id value={event.id} label="event id" />,
        }}
      />
      <div className="toolbar">
        {eventFilters.map((name) =>
          event[name] ? (
            <button
              key={name}
              type="button"
              className="btn s"
              onClick={() => show({ [name]: event[name] ?? undefined, chosen: undefined })}
            >
              Same {words[name]}
            </button>
          ) : null,
        )}
        {event.user_id ? (
          <Link className="btn s" {...toPage('/users', { chosen: event.user_id })}>
            Open user
          </Link>
        ) : null}
        {organization_id ? (
          <Link className="btn s" {...toOrganization(organization_id)}>
            Open organization
          </Link>
        ) : null}
        {promotion ? (
          <Link className="btn s" to="/go/$id" params={{ id: promotion }}>
            Open promotion
          </Link>
        ) : null}
        <CopyButton
          look="quiet"
          value={curlOf(location.origin, { path: `${pathOf(at)}/events/${event.id}` })}
          label="the event as curl"
          text="Copy as curl"
        />
      </div>
      <Json of={event} />
      <section>
        <h3>Before and after</h3>
        <Neighbours of={event} show={show} />
      </section>
      <section>
        <h3>Deliveries</h3>
        <DeliveriesOf event_id={event.id} />
      </section>
    </>
  )
}

/** The organization that the event is about, while it can be there. */
const organizationOf = ({ type, data: { organization_id } }: Event) =>
  typeof organization_id === 'string' && type !== 'organization.deleted' ? organization_id : null

/** A name with its id below. */
const ShownName = ({ id, nameOf, label }: { id: string; nameOf: NameOf; label: string }) => (
  <>
    {nameOf(id)?.name ?? 'No longer there'} <Id value={id} label={label} />
  </>
)

function Neighbours({ of: event, show }: { of: Event; show: Show }) {
  const around = useRead(events.around(useEnvironment(), event))
  return (
    <Loaded of={around} rows={3}>
      {({ data }) => (
        <ol className="neighbours small">
          {data.map((each) => (
            <li key={each.id} aria-current={each.id === event.id ? 'true' : undefined}>
              <button type="button" onClick={() => show({ chosen: each.id })}>
                <span className="mono faint">{each.sequence}</span>
                <span className="any">{event_labels[each.type]}</span>
                <span className="faint">
                  <ClockTime at={each.timestamp} in_button />
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  )
}

function DeliveriesOf({ event_id }: { event_id: string }) {
  const found = useRead(deliveries.ofEventToAll(useEnvironment(), event_id))
  return (
    <Loaded of={found} rows={1}>
      {(rows) =>
        rows.every(({ delivery }) => !delivery) ? (
          <p className="muted">{rows.length === 0 ? 'The environment has no webhook.' : 'No webhook got this event.'}</p>
        ) : (
          <ul>
            {rows.map(({ id, slug, delivery }) =>
              delivery ? (
                <li className="list-row" key={id}>
                  <Link className="u" {...toWebhook(id, { message: delivery.id })}>
                    {slug}
                  </Link>
                  <MessageStatus of={delivery} />
                </li>
              ) : null,
            )}
          </ul>
        )
      }
    </Loaded>
  )
}
