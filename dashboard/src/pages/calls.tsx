/** Refused calls: grouped by code and route, then the list. A row says why, and what the caller sent. */
import type { RefusedCall } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../parts/copy.tsx'
import { Page } from '../parts/page.tsx'
import { Loaded, useList, useRead } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { Facts, Side } from '../parts/side.tsx'
import { refusedCalls, StatisticsCharts } from '../parts/statistics.tsx'
import { type Column, Empty, Records } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { Time } from '../parts/time.tsx'
import { useEnvironment } from '../scope.tsx'

export default function Calls() {
  const { client, at, environment } = useEnvironment()
  const { search, show } = useQueryState()
  const filter = { code: search.code, route: search.route, application_id: search.application_id, key_id: search.key_id }
  const summary = useRead(['calls', environment.id, 'summary'], (signal) => client.summariseRefusedCalls(at, { signal }), {
    refetchInterval: 10_000,
  })
  const list = useList(['calls', environment.id, filter], (cursor) => client.listRefusedCalls({ ...at, ...filter, cursor }).page(), {
    refetchInterval: 10_000,
  })
  const is_filtered = Object.values(filter).some((value) => value !== undefined)
  const columns: Column<RefusedCall>[] = [
    {
      head: 'Code',
      kind: 'first',
      cell: ({ id, code }) => (
        <button type="button" className="row-button mono" onClick={() => show({ chosen: id })}>
          {code}
        </button>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Tag tone={status >= 500 ? 'bad' : 'warn'}>{status}</Tag> },
    { head: 'Route', className: 'mono any', cell: ({ method, route }) => `${method} ${route ?? 'no route'}` },
    { head: 'Why', className: 'any', cell: ({ reason }) => reason },
    { head: 'When', className: 'muted nowrap', cell: ({ at: moment }) => <Time at={moment} /> },
  ]
  return (
    <Page
      title="Calls"
      lead="Every call that this environment refused in the last seven days, with the reason. Paste a request id into the search to find one."
    >
      <StatisticsCharts title="Refusals" kinds={[refusedCalls]} />
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
                    <b>{count}</b> <code>{code}</code>
                    <span className="xs faint any">{route ?? 'no route'}</span>
                    <span className="xs faint">
                      <Time at={last_at} />
                    </span>
                  </button>
                </li>
              ))}
              {dropped > 0 ? <li className="small muted">{dropped} more have no record, because there were too many at once.</li> : null}
            </ul>
          )
        }
      </Loaded>
      {is_filtered ? (
        <div className="toolbar">
          <button
            type="button"
            className="btn s"
            onClick={() => show({ code: undefined, route: undefined, application_id: undefined, key_id: undefined })}
          >
            Clear the filter
          </button>
        </div>
      ) : null}
      <Records
        label="Refused calls"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty>No call was refused. Wrong requests, expired codes and failed sign-ins appear here with their reason.</Empty>}
      />
      {search.chosen ? <CallSide request_id={search.chosen} close={() => show({ chosen: undefined })} /> : null}
    </Page>
  )
}

/** The call again, with the key as a variable and the path as the documents have it. */
const curlOf = (call: RefusedCall) =>
  `curl -i -X ${call.method} ${call.key_id ? '-H "X-API-Key: $KEY" ' : ''}'${location.origin}${call.route ?? '/'}'`

function CallSide({ request_id, close }: { request_id: string; close: () => void }) {
  const { client, at, environment, base } = useEnvironment()
  const call = useRead(['call', environment.id, request_id], (signal) => client.getRefusedCall({ ...at, request_id }, { signal }))
  return (
    <Side title={call.data?.code ?? 'Call'} onClose={close}>
      <Loaded of={call}>
        {(call) => (
          <>
            <div className="note bad">{call.reason}</div>
            <Facts
              of={[
                ['Request id', <IdValue key="id" value={call.id} />],
                ['When', <Time key="at" at={call.at} />],
                ['Answer', `${call.status} ${call.code}`],
                ['Route', <code key="route">{`${call.method} ${call.route ?? 'no route'}`}</code>],
                [
                  'Application',
                  call.client_id ? (
                    <Link key="app" to={`${base}/applications/${call.client_id}`}>
                      {call.client_id}
                    </Link>
                  ) : (
                    'None'
                  ),
                ],
                ['Key', call.key_start ? <code key="key">{call.key_start}…</code> : 'None'],
                [
                  'User',
                  call.user_id ? (
                    <Link key="user" to={`${base}/users`} search={{ chosen: call.user_id }}>
                      {call.user_id}
                    </Link>
                  ) : (
                    'None'
                  ),
                ],
                ['From', `${call.ip ?? 'unknown'}, ${call.user_agent ?? 'no user agent'}`],
              ]}
            />
            <div className="toolbar">
              <a className="btn s" href={`/docs/errors/${call.code}`}>
                About this code
              </a>
              <Link className="btn s" to={`${base}/events`} search={{ request_id: call.id }}>
                Events of this call
              </Link>
              <CopyButton look="quiet" value={curlOf(call)} label="the call as curl" text="Copy as curl" />
            </div>
          </>
        )}
      </Loaded>
    </Side>
  )
}

const IdValue = ({ value }: { value: string }) => (
  <>
    <code>{value}</code> <CopyButton value={value} label="request id" />
  </>
)
