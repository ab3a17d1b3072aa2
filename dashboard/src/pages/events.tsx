/** The events of an environment, newest first, with filters in the address. A row opens its body. */
import '../styles/filters.css'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../parts/copy.tsx'
import { curlOf } from '../parts/curl.ts'
import { eventKinds } from '../parts/event-kinds.ts'
import { Chips, NoMatch, TimeRange } from '../parts/filters.tsx'
import { useNames } from '../parts/names.tsx'
import { Page } from '../parts/page.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { Empty, Records } from '../parts/table.tsx'
import { eventFilter } from '../queries/event-filter.ts'
import { events } from '../queries/events.ts'
import { useEnvironment } from '../scope.tsx'
import { eventColumns } from './events/columns.tsx'
import { EventSide } from './events/event-side.tsx'
import { idsOf } from './events/words.ts'

const chips = { type: 'Kind', user_id: 'User', application_id: 'Application', request_id: 'Request', from: 'From', to: 'To' }

/** A kind in words, for its chip. */
const kindName = (kind: string | null | undefined) => {
  const text = eventKinds.find((one) => one.kind === kind)?.text
  return text === undefined ? undefined : { name: text }
}

export default function Events() {
  const here = useEnvironment()
  const { at, base } = here
  const state = useQueryState()
  const { search, show } = state
  const filter = eventFilter(search)
  const is_filtered = Object.values(filter).some((value) => value !== undefined)
  const list = useList(events.list(here, filter), { refetchInterval: 10_000 })
  const nameOf = useNames([search.user_id, search.application_id, ...(list.rows ?? []).flatMap(idsOf)])
  const open = ({ id }: { id: string }) => show({ chosen: id })
  return (
    <Page
      title="Events"
      lead="What happened in this environment, in one order. Webhooks get the same bodies."
      actions={
        <CopyButton
          look="plain"
          value={curlOf(location.origin, { path: `${pathOf(at)}/events`, query: filter })}
          label="the events as curl"
          text="Copy as curl"
        />
      }
    >
      <div className="toolbar">
        <select
          className="in"
          data-filter
          aria-label="Kind"
          value={search.type ?? ''}
          onChange={({ target }) => show({ type: target.value || undefined })}
        >
          <option value="">All kinds</option>
          {eventKinds.map(({ kind, text }) => (
            <option key={kind} value={kind}>
              {text}
            </option>
          ))}
        </select>
        <TimeRange {...state} />
      </div>
      <div className="toolbar">
        <Chips names={chips} nameOf={(value) => nameOf(value) ?? kindName(value)} {...state} />
        {is_filtered ? null : <span className="small muted">Open an event to filter by its kind, user, application or request.</span>}
      </div>
      <Records
        label="Events"
        list={list}
        columns={eventColumns(nameOf, open)}
        open={open}
        keyOf={({ id }) => id}
        empty={
          is_filtered ? (
            <NoMatch names={chips} show={show}>
              No event has these values.
            </NoMatch>
          ) : (
            <Empty
              action={
                <Link className="btn" from={base} to={`${base}/webhooks`}>
                  Add a webhook
                </Link>
              }
              snippet={<ByApi operation="listEvents" path={`${pathOf(at)}/events`} params={at} />}
            >
              Nothing has happened yet. Sign-ins, new users and changes appear here.
            </Empty>
          )
        }
      />
      {search.chosen ? <EventSide key={search.chosen} event_id={search.chosen} show={show} /> : null}
    </Page>
  )
}
