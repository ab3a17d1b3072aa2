/** Refused calls: one list, which a reason can filter. A row says why, and opens the whole record. */
import '../../styles/filters.css'
import type { Event, Page as PageOf, RefusedCall, RefusedCallSummary } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { deviceOf } from '../../parts/device.ts'
import { Chips, NoMatch, TimeRange, without } from '../../parts/filters.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { useNames } from '../../parts/names.tsx'
import { useList, useRead } from '../../parts/reading.tsx'
import { useQueryState } from '../../parts/search.ts'
import { type Column, timeColumn } from '../../parts/table.tsx'
import { reasonWords } from '../../parts/words.ts'
import { type CallFilter, callFilter } from '../../queries/calls.ts'
import type { List, One } from '../../queries/query.ts'
import type { environment_route } from '../../scope.tsx'
import { CallSide } from './call-side.tsx'
import { idsOfCall, withNames } from './names.ts'
import { StatusTag } from './status-tag.tsx'

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
  const dropped = summary.data?.dropped ?? 0
  const list = useList(source.list(filter), { refetchInterval: 10_000 })
  const nameOf = useNames([application_id, key_id, ...(list.rows ?? []).flatMap(idsOfCall)])
  const is_filtered = Object.values(filter).some((value) => value !== undefined)
  const columns: Column<RefusedCall>[] = [
    {
      head: 'Call',
      cell: ({ code, method, route }, open) => (
        <>
          {open(reasonWords(code))}
          <span className="sub mono any">{code}</span>
          <span className="sub mono any">{`${method} ${route ?? 'no route'}`}</span>
        </>
      ),
    },
    { head: 'Status', cell: (call) => <StatusTag of={call} /> },
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
    timeColumn('When', ({ at }) => at),
  ]
  return (
    <ListPage
      title="Calls"
      label="Refused calls"
      lead={lead}
      above={
        <div className="toolbar">
          <Reasons of={summary.data?.data ?? []} {...state} />
          <TimeRange {...state} />
          <Chips names={chips} nameOf={(value) => (value === search.code ? { name: reasonWords(value) } : nameOf(value))} {...state} />
        </div>
      }
      list={list}
      columns={columns}
      no_match={is_filtered ? <NoMatch clear={() => show(without(chips))}>No refused call has these values.</NoMatch> : null}
      empty="No call was refused. Wrong requests, expired codes and failed sign-ins appear here with their reason."
      side={{ param: 'chosen', of: (id, close) => <CallSide source={source} request_id={id} close={close} /> }}
    >
      {dropped > 0 ? <p className="small muted after">{dropped} more have no record, because there were too many at once.</p> : null}
      {chart}
    </ListPage>
  )
}

type Refused = RefusedCallSummary['data'][number]

/** Groups the refused calls by reason and route, with the count of each. The choice filters the list. */
function Reasons({ of, search, show }: { of: readonly Refused[] } & ReturnType<typeof useQueryState>) {
  const chosen = of.findIndex(({ code, route }) => search.code === code && search.route === (route ?? undefined))
  const choose = (group: Refused | undefined) => show({ code: group?.code, route: group?.route ?? undefined })
  return (
    <select
      className="in"
      data-filter
      aria-label="Reason"
      value={chosen === -1 ? '' : chosen}
      onChange={({ target }) => choose(target.value === '' ? undefined : of[Number(target.value)])}
    >
      <option value="">All reasons</option>
      {of.map(({ code, route, count }, index) => (
        <option key={`${code} ${route}`} value={index}>
          {reasonWords(code)}, {route ?? 'no route'}: {count}
        </option>
      ))}
    </select>
  )
}
