/** The events of an environment, newest first, with filters in the address. A row opens its body. */
import '../styles/filters.css'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../parts/copy.tsx'
import { curlOf } from '../parts/curl.ts'
import { eventKinds } from '../parts/event-kinds.ts'
import { Chips, FilterSelect, NoMatch, TimeRange, without } from '../parts/filters.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { useNames } from '../parts/names.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { eventFilter } from '../queries/event-filter.ts'
import { events } from '../queries/events.ts'
import { toPage, useEnvironment } from '../scope.tsx'
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
  const { at } = here
  const state = useQueryState()
  const { search, show } = state
  const filter = eventFilter(search)
  const is_filtered = Object.values(filter).some((value) => value !== undefined)
  const list = useList(events.list(here, filter), { refetchInterval: 10_000 })
  const nameOf = useNames([search.user_id, search.application_id, ...(list.rows ?? []).flatMap(idsOf)])
  return (
    <ListPage
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
      above={
        <>
          <div className="toolbar">
            <FilterSelect
              label="Kind"
              any="All kinds"
              options={eventKinds.map(({ kind, text }) => [kind, text])}
              value={search.type}
              choose={(type) => show({ type })}
              is_first
            />
            <TimeRange {...state} />
          </div>
          <div className="toolbar">
            <Chips names={chips} nameOf={(value) => nameOf(value) ?? kindName(value)} {...state} />
            {is_filtered ? null : <span className="small muted">Open an event to filter by its kind, user, application or request.</span>}
          </div>
        </>
      }
      list={list}
      columns={eventColumns(nameOf)}
      no_match={is_filtered ? <NoMatch clear={() => show(without(chips))}>No event has these values.</NoMatch> : null}
      empty="Nothing has happened yet. Sign-ins, new users and changes appear here."
      first={
        <Link className="btn" {...toPage('/webhooks')}>
          Add a webhook
        </Link>
      }
      snippet={<ByApi operation="listEvents" path={`${pathOf(at)}/events`} params={at} />}
      side={{ param: 'chosen', of: (id) => <EventSide event_id={id} show={show} /> }}
    />
  )
}
