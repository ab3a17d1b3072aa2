/** Refused calls: one list, which a reason can filter. A row says why, and opens the whole record. */
import '../../styles/filters.css'
import type { RefusedCall, RefusedCallSummary } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { deviceOf } from '../../parts/device.ts'
import { Chips, FilterSelect, NoMatch, TimeRange, without } from '../../parts/filters.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { useNames } from '../../parts/names.tsx'
import { useList, useRead } from '../../parts/reading.tsx'
import { useQueryState } from '../../parts/search.ts'
import { type Column, timeColumn } from '../../parts/table.tsx'
import { reasonWords } from '../../parts/words.ts'
import { callFilter, type callsOfEnvironment, type callsOfTenant } from '../../queries/calls.ts'
import { CallSide } from './call-side.tsx'
import { idsOfCall, withNames } from './names.ts'
import { StatusTag } from './status-tag.tsx'

/** An environment, or a tenant outside of its environments, which has no events. */
export type Source = ReturnType<typeof callsOfEnvironment | typeof callsOfTenant>

const chips = { code: 'Code', route: 'Route', application_id: 'Application', key_id: 'Key', from: 'From', to: 'To' }

interface CallListProps {
  source: Source
  lead: string
  chart?: ReactNode
  actions?: ReactNode
}

export function CallList({ source, lead, chart, actions }: CallListProps) {
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
      actions={actions}
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
    <FilterSelect
      label="Reason"
      any="All reasons"
      options={of.map(({ code, route, count }, index) => [String(index), `${reasonWords(code)}, ${route ?? 'no route'}: ${count}`])}
      value={chosen === -1 ? '' : String(chosen)}
      choose={(index) => choose(index === undefined ? undefined : of[Number(index)])}
      is_first
    />
  )
}
