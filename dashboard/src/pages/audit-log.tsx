/** The audit log of a tenant: who changed what, with the state before and after. */
import type { AuditEntry, AuditVerification } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { Facts, Json, Side } from '../parts/side.tsx'
import { type Column, Empty, Records } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useScope } from '../scope.tsx'

export default function AuditLog() {
  const { client, tenant } = useScope()
  const { search, show } = useQueryState()
  const at = { tenant_id: tenant.id }
  const filter = { actor_id: search.actor_id, action: search.action, object_id: search.object_id }
  const names = (['actor_id', 'action', 'object_id'] as const).filter((name) => filter[name] !== undefined)
  const list = useList(['audit-log', tenant.id, filter], (cursor) => client.listAuditLog({ ...at, ...filter, cursor }).page())
  const [verified, setVerified] = useState<AuditVerification | null>(null)
  const verify = useAction(() => client.verifyAuditLog(at), { done: setVerified })
  const chosen = list.rows?.find(({ id }) => id === search.chosen)
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
    { head: 'Who', className: 'any', cell: ({ actor }) => actor.label ?? actor.id ?? actor.type },
    { head: 'Object', className: 'mono any', cell: ({ object }) => object.id },
    { head: 'From', className: 'mono faint', cell: ({ ip }) => ip ?? 'the service' },
    { head: 'When', className: 'muted nowrap', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <Page
      title="Audit log"
      lead="Every change in this tenant, chained so that a missing or altered entry shows."
      actions={
        <ChangeButton needs="admin" disabled={verify.busy} onClick={() => verify.run(undefined)}>
          Verify the chain
        </ChangeButton>
      }
    >
      {verify.error ? <Problem error={verify.error} /> : null}
      {verified ? (
        <output className={verified.intact ? 'note acc' : 'note bad'}>
          {verified.intact ? `The chain is intact: ${verified.entries} entries.` : verified.problems.join(' ')}
        </output>
      ) : null}
      <div className="toolbar">
        {names.map((name) => (
          <button
            key={name}
            type="button"
            className="btn s"
            onClick={() => show({ [name]: undefined })}
            aria-label={`Clear the filter ${name}`}
          >
            {name}: {filter[name]} ×
          </button>
        ))}
      </div>
      <Records label="Audit log" list={list} columns={columns} keyOf={({ id }) => id} empty={<Empty>No change has these values.</Empty>} />
      {chosen ? (
        <Side title={chosen.action} onClose={() => show({ chosen: undefined })}>
          <Facts
            of={[
              ['Who', chosen.actor.label ?? chosen.actor.id ?? chosen.actor.type],
              ['Object', <code key="object">{chosen.object.id}</code>],
              ['Request', <code key="request">{chosen.request_id ?? 'none'}</code>],
              ['From', chosen.ip ?? 'the service'],
              ['When', <Time key="at" at={chosen.created_at} />],
            ]}
          />
          <div className="toolbar">
            <button type="button" className="btn s" onClick={() => show({ action: chosen.action, chosen: undefined })}>
              Same action
            </button>
            <button type="button" className="btn s" onClick={() => show({ object_id: chosen.object.id, chosen: undefined })}>
              Same object
            </button>
          </div>
          <h3>Before</h3>
          <Json of={chosen.before} />
          <h3>After</h3>
          <Json of={chosen.after} />
        </Side>
      ) : null}
    </Page>
  )
}
