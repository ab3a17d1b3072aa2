/** Why one call was refused, and what to do. A call that was not refused shows what happened in it. */

import type { Event, Page, RefusedCall } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Copied, CopyButton } from '../../parts/copy.tsx'
import { deviceOf } from '../../parts/device.ts'
import { useNames } from '../../parts/names.tsx'
import { Loaded, useRead } from '../../parts/reading.tsx'
import { Facts, Side } from '../../parts/side.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import type { One } from '../../queries/query.ts'
import { toApplication, toPage, useScope } from '../../scope.tsx'
import { causeOf } from '../events/cause.ts'
import { ApproveClient, isRegistered } from './approve-client.tsx'
import { fixOf, hasPage } from './fixes.ts'
import type { Source } from './list.tsx'
import { idsOfCall, withNames } from './names.ts'
import { RefusedValue } from './refused-value.tsx'
import { Remedy } from './remedy.tsx'
import { StatusTag } from './status-tag.tsx'

interface CallSideProps {
  source: Source
  request_id: string
  close: () => void
}

export function CallSide({ source, request_id, close }: CallSideProps) {
  const found = useRead(source.one(request_id))
  return (
    <Side title={found.data?.call ? 'Refused call' : 'Call'} onClose={close}>
      <Loaded of={found}>
        {({ call }) => (
          <>
            {call ? (
              <Refused call={call} in_environment={source.events !== null} />
            ) : (
              <p className="muted">The service did not refuse this call.</p>
            )}
            {source.events ? (
              <Events of={source.events(request_id)} is_refused={call !== null} />
            ) : call ? null : (
              <Changes request_id={request_id} />
            )}
          </>
        )}
      </Loaded>
    </Side>
  )
}

/** The call again, with the key as a variable and the path as the documents have it. */
const curlOf = (call: RefusedCall) =>
  `curl -i -X ${call.method} ${call.key_id ? '-H "X-API-Key: $OSTIARY_KEY" ' : ''}'${location.origin}${call.route ?? '/'}'`

/** A sentence that begins with the name of a parameter shows it as what it is. */
function withParameter(reason: string) {
  const [parameter] = /^[a-z]+_[a-z_]+(?= )/.exec(reason) ?? []
  if (parameter === undefined) return reason
  return (
    <>
      <code>{parameter}</code>
      {reason.slice(parameter.length)}
    </>
  )
}

function Refused({ call, in_environment }: { call: RefusedCall; in_environment: boolean }) {
  const nameOf = useNames(idsOfCall(call))
  return (
    <>
      <p className="muted">
        <Time at={call.at} /> <StatusTag of={call} /> <Tag mono>{call.code}</Tag>
      </p>
      <div className="note bad cause">
        <div>
          <p className="strong">{withParameter(withNames(call.reason, nameOf))}</p>
          <p className="fix">{fixOf(call.code)}</p>
        </div>
      </div>
      {in_environment ? <RefusedValue call={call} /> : null}
      {in_environment && call.client_id && call.code === 'metadata_client_unlisted' ? <ApproveClient client_id={call.client_id} /> : null}
      {in_environment && call.client_id && call.remedy ? <Remedy application_id={call.client_id} remedy={call.remedy} /> : null}
      <Facts
        of={{
          'Request id': <Copied value={call.id} label="request id" />,
          Route: <code>{`${call.method} ${call.route ?? 'no route'}`}</code>,
          Application:
            call.client_id && in_environment ? <ClientLink client_id={call.client_id} name={nameOf(call.client_id)?.name} /> : null,
          Key: call.key_id ? (
            <Link className="u" to="/go/$id" params={{ id: call.key_id }}>
              {nameOf(call.key_id)?.name ?? `${call.key_start}…`}
            </Link>
          ) : null,
          User:
            call.user_id && in_environment ? (
              <Link className="u" {...toPage('/users', { chosen: call.user_id })}>
                {nameOf(call.user_id)?.name ?? call.user_id}
              </Link>
            ) : (
              call.user_id
            ),
          From: `${deviceOf(call.user_agent)}, ${call.ip ?? 'unknown address'}`,
        }}
      />
      <div className="toolbar">
        {hasPage(call.code) ? (
          <a className="btn s" href={`/docs/errors/${call.code}`}>
            About this code
          </a>
        ) : null}
        <CopyButton look="quiet" value={curlOf(call)} label="the call as curl" text="Copy as curl" />
      </div>
    </>
  )
}

function ClientLink({ client_id, name = client_id }: { client_id: string; name: string | undefined }) {
  return isRegistered(client_id) ? (
    <Link className="u" {...toApplication(client_id, { tab: 'addresses' })}>
      {name}
    </Link>
  ) : (
    <Link className="u any" {...toPage('/applications', { tab: 'by-address' })}>
      {name}
    </Link>
  )
}

/** The events of a call. For a failure, such as a mail that could not be sent, with cause and fix. */
function Events({ of, is_refused }: { of: One<Page<Event>>; is_refused: boolean }) {
  const events = useRead(of, { refetchInterval: 5_000 })
  return (
    <section>
      <h3>What happened in this call</h3>
      <Loaded of={events} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">No event.</p>
          ) : (
            <ul>
              {data.map((event) => {
                const cause = causeOf(event)
                return (
                  <li className="list-row" key={event.id}>
                    <div>
                      <Link className="u mono" {...toPage('/events', { chosen: event.id })}>
                        {event.type}
                      </Link>
                      {cause && !is_refused ? (
                        <div className="cause">
                          <p className="strong">{cause.reason}</p>
                          <p className="fix">{cause.fix}</p>
                        </div>
                      ) : null}
                    </div>
                    <Time at={event.timestamp} />
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}

/** A call of the tenant that was not refused has changed something, or only read. */
function Changes({ request_id }: { request_id: string }) {
  const { tenant } = useScope()
  return (
    <p>
      Changes of the tenant are in the{' '}
      <Link className="u" to="/t/$tenant/audit-log" params={{ tenant: tenant.slug }}>
        audit log
      </Link>
      , each with its request id ({request_id}).
    </p>
  )
}
