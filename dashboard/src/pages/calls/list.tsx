/** Refused calls: the list, then its groups by code and route. A row says why, and opens the whole record. */
import '../../styles/filters.css'
import type { Event, Page as PageOf, RefusedCall, RefusedCallSummary } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { deviceOf } from '../../parts/device.ts'
import { Chips, NoMatch, TimeRange } from '../../parts/filters.tsx'
import { useNames } from '../../parts/names.tsx'
import { Page } from '../../parts/page.tsx'
import { Loaded, useList, useRead } from '../../parts/reading.tsx'
import { useQueryState } from '../../parts/search.ts'
import { type Column, Empty, Records } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { reasonWords } from '../../parts/words.ts'
import { type CallFilter, callFilter } from '../../queries/calls.ts'
import type { List, One } from '../../queries/query.ts'
import type { environment_route } from '../../scope.tsx'
import { CallSide } from './call-side.tsx'
import { idsOfCall, withNames } from './names.ts'
import { statusWords } from './status.ts'

/** Where the records come from: an environment, or a tenant outside of its environments. */
export interface Source {
  /** The route of the environment; `null` for a tenant. */
  base: typeof environment_route | null
  list: (filter: CallFilter) => List<RefusedCall>
  summary: One<RefusedCallSummary>
  /** One call; `null` for one that was not refused. */
  one: (request_id: string) => One<{ call: RefusedCall | null }>
  /** The events that happened in a call. Only an environment has them. */
  events: ((request_id: string) => One<PageOf<Event>>) | null
}

const chips = { code: 'Code', route: 'Route', application_id: 'Application', key_id: 'Key', from: 'From', to: 'To' }

export function CallList({ source, lead, chart }: { source: Source; lead: string; chart?: ReactNode }) {
  const state = useQueryState()
  const { search, show } = state
  const { application_id, key_id } = search
  const filter = callFilter(search)
  const summary = useRead(source.summary, { refetchInterval: 10_000 })
  const list = useList(source.list(filter), { refetchInterval: 10_000 })
  const nameOf = useNames([application_id, key_id, ...(list.rows ?? []).flatMap(idsOfCall)])
  const is_filtered = Object.values(filter).some((value) => value !== undefined)
  const columns: Column<RefusedCall>[] = [
    {
      head: 'Call',
      kind: 'first',
      cell: ({ id, code, method, route }) => (
        <>
          <button type="button" className="row-button" onClick={() => show({ chosen: id })}>
            {reasonWords(code)}
          </button>
          <span className="sub mono any">{code}</span>
          <span className="sub mono any">{`${method} ${route ?? 'no route'}`}</span>
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Tag tone={status >= 500 ? 'bad' : 'warn'}>{statusWords(status)}</Tag> },
    { head: 'Why', className: 'any', cell: ({ reason }) => withNames(reason, nameOf) },
    {
      head: 'Who',
      className: 'any',
      cell: ({ client_id, user_id, key_id, key_start, user_agent }) => {
        const [who = '', ...more] = [nameOf(user_id)?.name, nameOf(client_id)?.name, nameOf(key_id)?.name ?? key_start].filter(Boolean)
        return (
          <>
            {who}
            <span className="sub">{[...more, deviceOf(user_agent)].join(' · ')}</span>
          </>
        )
      },
    },
    { head: 'When', className: 'muted nowrap', cell: ({ at: moment }) => <Time at={moment} /> },
  ]
  return (
    <Page title="Calls" lead={lead}>
      <div className="toolbar">
        <TimeRange {...state} />
        <Chips names={chips} nameOf={(value) => (value === search.code ? { name: reasonWords(value) } : nameOf(value))} {...state} />
      </div>
      <Records
        label="Refused calls"
        list={list}
        columns={columns}
        open={({ id }) => show({ chosen: id })}
        keyOf={({ id }) => id}
        empty={
          is_filtered ? (
            <NoMatch names={chips} show={show}>
              No refused call has these values.
            </NoMatch>
          ) : (
            <Empty>No call was refused. Wrong requests, expired codes and failed sign-ins appear here with their reason.</Empty>
          )
        }
      />
      <Loaded of={summary} rows={2}>
        {({ data, dropped }) =>
          data.length === 0 ? null : (
            <ul className="groups" aria-label="By code and route">
              {data.slice(0, 12).map(({ code, route, count, last_at }) => (
                <li key={`${code} ${route}`}>
                  <button
                    type="button"
                    className="card"
                    aria-pressed={search.code === code && search.route === (route ?? undefined)}
                    onClick={() => show({ code, route: route ?? undefined })}
                  >
                    <b>{count}</b> {reasonWords(code)}
                    <span className="xs faint mono any">{route ?? 'no route'}</span>
                    <span className="xs faint">
                      <Time at={last_at} in_button />
                    </span>
                  </button>
                </li>
              ))}
              {dropped > 0 ? <li className="small muted">{dropped} more have no record, because there were too many at once.</li> : null}
            </ul>
          )
        }
      </Loaded>
      {chart}
      {search.chosen ? (
        <CallSide key={search.chosen} source={source} request_id={search.chosen} close={() => show({ chosen: undefined })} />
      ) : null}
    </Page>
  )
}
