/** The audit log of a tenant: who changed what, with the state before and after. */
import '../styles/filters.css'
import type { AuditEntry, AuditVerification } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { Copied, CopyButton } from '../parts/copy.tsx'
import { Chips, NoMatch, rangeOf, TimeRange } from '../parts/filters.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { Loaded, useList, useRead } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { Facts, Json, Side } from '../parts/side.tsx'
import { type Column, Records } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useScope } from '../scope.tsx'
import { Export } from './audit/export.tsx'

const chips = { actor_id: 'Who', action: 'Action', object_id: 'Object', from: 'From', to: 'To' }

const whoOf = ({ actor }: AuditEntry) => actor.label ?? actor.id ?? actor.type

export default function AuditLog() {
  const { client, tenant } = useScope()
  const state = useQueryState()
  const { search, show } = state
  const at = { tenant_id: tenant.id }
  const filter = { actor_id: search.actor_id, action: search.action, object_id: search.object_id, ...rangeOf(search) }
  const list = useList(['audit-log', tenant.id, filter], (cursor) => client.listAuditLog({ ...at, ...filter, cursor }).page())
  const columns: Column<AuditEntry>[] = [
    {
      head: 'Action',
      kind: 'first',
      cell: ({ id, action }) => (
        <button type="button" className="row-button mono" onClick={() => show({ chosen: id })}>
          {action}
        </button>
      ),
    },
    { head: 'Who', className: 'any', cell: whoOf },
    { head: 'Object', className: 'mono any', cell: ({ object }) => object.id },
    { head: 'From', className: 'mono faint', cell: ({ ip }) => ip ?? 'the service' },
    { head: 'When', className: 'muted nowrap', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <Page
      title="Audit log"
      lead="Every change in this tenant, chained so that a missing or altered entry shows."
      actions={
        <>
          <Verify />
          <Export
            name={`audit-log-${tenant.slug}`}
            pages={(signal) => client.listAuditLog({ ...at, ...filter, limit: 100 }, { signal }).pages()}
          />
        </>
      }
    >
      <div className="toolbar">
        <TimeRange {...state} />
        <Chips names={chips} {...state} />
      </div>
      <Records
        label="Audit log"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <NoMatch names={chips} show={show}>
            No change has these values.
          </NoMatch>
        }
      />
      {search.chosen ? <EntrySide key={search.chosen} audit_entry_id={search.chosen} show={show} /> : null}
    </Page>
  )
}

function Verify() {
  const { client, tenant } = useScope()
  const [verified, setVerified] = useState<AuditVerification | null>(null)
  const verify = useAction(() => client.verifyAuditLog({ tenant_id: tenant.id }), { done: setVerified })
  return (
    <>
      {verify.error ? <Problem error={verify.error} /> : null}
      {verified ? (
        <output className={verified.intact ? 'note acc' : 'note bad'}>
          {verified.intact ? `The chain is intact: ${verified.entries.toLocaleString('en')} entries.` : verified.problems.join(' ')}
        </output>
      ) : null}
      <ChangeButton needs="admin" disabled={verify.busy} onClick={() => verify.run(undefined)}>
        Verify the chain
      </ChangeButton>
    </>
  )
}

function EntrySide({ audit_entry_id, show }: { audit_entry_id: string; show: ReturnType<typeof useQueryState>['show'] }) {
  const { client, tenant } = useScope()
  const entry = useRead(['audit-entry', audit_entry_id], (signal) =>
    client.getAuditEntry({ tenant_id: tenant.id, audit_entry_id }, { signal }),
  )
  return (
    <Side title={entry.data?.action ?? 'Entry'} onClose={() => show({ chosen: undefined })}>
      <Loaded of={entry}>
        {(entry) => (
          <>
            <Facts
              of={[
                ['Entry', <Copied key="id" value={entry.id} label="entry id" />],
                ['Number', entry.sequence.toLocaleString('en')],
                ['Who', whoOf(entry)],
                ['Object', <Copied key="object" value={entry.object.id} label="object id" />],
                ['Request', entry.request_id ? <Copied key="request" value={entry.request_id} label="request id" /> : 'None'],
                ['From', entry.ip ?? 'the service'],
                ['When', <Time key="at" at={entry.created_at} />],
              ]}
            />
            <div className="toolbar">
              <button type="button" className="btn s" onClick={() => show({ action: entry.action, chosen: undefined })}>
                Same action
              </button>
              <button type="button" className="btn s" onClick={() => show({ object_id: entry.object.id, chosen: undefined })}>
                Same object
              </button>
              {entry.actor.id ? (
                <button type="button" className="btn s" onClick={() => show({ actor_id: entry.actor.id ?? undefined, chosen: undefined })}>
                  Same person or key
                </button>
              ) : null}
              <CopyButton look="quiet" value={location.href} label="link to the entry" text="Copy link" />
            </div>
            <section>
              <h3>Before</h3>
              <Json of={entry.before} />
            </section>
            <section>
              <h3>After</h3>
              <Json of={entry.after} />
            </section>
          </>
        )}
      </Loaded>
    </Side>
  )
}
