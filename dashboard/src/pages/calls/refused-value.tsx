/** The value that a call was refused for, beside what is registered, with the way to compare both and edit. */
import type { RefusedCall } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useRead } from '../../parts/reading.tsx'
import { markDifference, nearestOf } from '../../parts/uri-difference.ts'
import { applications } from '../../queries/applications.ts'
import { callsOfEnvironment } from '../../queries/calls.ts'
import { environmentKeys } from '../../queries/keys.ts'
import { toApplication, toPage, useEnvironment } from '../../scope.tsx'
import { isRegistered } from './approve-client.tsx'

const names = { redirect_uri: 'redirect URI', scope: 'scope', origin: 'origin', resource: 'resource' }

export function RefusedValue({ call }: { call: RefusedCall }) {
  const here = useEnvironment()
  const { refused, client_id, key_id } = call
  const application = useRead(applications.one(here, client_id ?? ''), {
    enabled: refused !== null && client_id !== null && isRegistered(client_id),
  })
  const key = useRead(environmentKeys(here).one(key_id ?? ''), { enabled: refused?.parameter === 'origin' && key_id !== null })
  if (refused === null) return null
  const { parameter, value } = refused
  const registered =
    parameter === 'redirect_uri'
      ? application.data?.data.redirect_uris
      : parameter === 'scope'
        ? application.data?.data.allowed_scopes
        : parameter === 'origin'
          ? key.data?.data.allowed_origins
          : undefined
  const near = parameter === 'redirect_uri' ? nearestOf(value, registered ?? []) : undefined
  const tab = parameter === 'redirect_uri' ? 'addresses' : 'scopes'
  return (
    <section>
      <h3>The refused {names[parameter]}</h3>
      <dl className="changes">
        <div>
          <dt>Sent</dt>
          <dd>
            <Marked value={value} unlike={near} />
          </dd>
        </div>
        {registered ? (
          <div>
            <dt>Registered</dt>
            <dd>
              {registered.length === 0
                ? 'None'
                : registered.map((one) => <Marked key={one} value={one} unlike={one === near ? value : undefined} />)}
            </dd>
          </div>
        ) : null}
      </dl>
      <p className="toolbar">
        {client_id !== null && isRegistered(client_id) && parameter !== 'origin' && parameter !== 'resource' ? (
          <Link className="btn s" {...toApplication(client_id, { tab, compare: call.id })}>
            Compare and edit
          </Link>
        ) : null}
        {parameter === 'origin' && key_id !== null ? (
          <Link className="btn s" {...toPage('/api-keys', { key: key_id })}>
            Compare and edit
          </Link>
        ) : null}
        {parameter === 'resource' ? (
          <Link className="btn s" {...toPage('/resource-servers')}>
            Resource servers
          </Link>
        ) : null}
      </p>
    </section>
  )
}

/** A value, with a mark on the part in which it differs from the other value. */
function Marked({ value, unlike }: { value: string; unlike: string | undefined }) {
  if (unlike === undefined || unlike === value) return <code>{value}</code>
  const { before, differs, after } = markDifference(value, unlike)
  return (
    <code>
      {before}
      <mark>{differs}</mark>
      {after}
    </code>
  )
}

/** On the page of the application: what the refused call sent, beside the field. It comes from the record, not from the link. */
export function ComparedValue({ request_id, registered }: { request_id: string; registered: readonly string[] }) {
  const here = useEnvironment()
  const refused = useRead(callsOfEnvironment(here).one(request_id), { enabled: here.can('developer') }).data?.call?.refused
  if (!refused) return null
  return (
    <div className="note acc">
      <div>
        <p>
          A refused call sent the {names[refused.parameter]}{' '}
          <Marked value={refused.value} unlike={refused.parameter === 'redirect_uri' ? nearestOf(refused.value, registered) : undefined} />.
        </p>
        <p>Compare it with the list below. It is not entered for you: register it only if it is an address of this application.</p>
      </div>
    </div>
  )
}
