/** The audit log of a tenant: who changed what, with the state before and after. */
import '../styles/filters.css'
import type { AuditEntry, AuditVerification } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction } from '../parts/action.ts'
import { CopyButton } from '../parts/copy.tsx'
import { Export } from '../parts/export.tsx'
import { Chips, FilterSelect, NoMatch, TimeRange, without } from '../parts/filters.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Id, useNamesAt } from '../parts/names.tsx'
import { ChangeButton } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { Loaded, useList, useRead } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { Facts, Json, Side } from '../parts/side.tsx'
import { type Column, timeColumn } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { auditFilter, auditLog } from '../queries/audit-log.ts'
import { useScope } from '../scope.tsx'
import { EntryChanges, idsIn } from './audit/changes.tsx'
import { export_head, exportRow } from './audit/export-rows.ts'
import { changesOf, didOf, foundOf, objectOf, organizationOf, placeOf, whoOf } from './audit/sentences.ts'

const chips = { actor_id: 'Who', action: 'Action', object_id: 'Object', from: 'From', to: 'To' }

export default function AuditLog() {
  const { client, tenant } = useScope()
  const state = useQueryState()
  const { search, show } = state
  const filter = auditFilter(search)
  const list = useList(auditLog.list({ client, tenant }, filter))
  const nameOf = useNamesOf(list.rows ?? [])
  const columns: Column<AuditEntry>[] = [
    {
      head: 'What',
      cell: (entry, open) => (
        <>
          {open(
            <span className="sentence">
              <b>{whoOf(entry)}</b> {didOf(entry.action, entry.object.type)} <i>{objectOf(entry, nameOf)}</i>
            </span>,
          )}
          <span className="sub">{summaryOf(entry)}</span>
        </>
      ),
    },
    { head: 'Where', className: 'muted', cell: (entry) => placeOf(entry, nameOf) },
    { head: 'From', className: 'mono faint', cell: ({ ip }) => ip ?? 'the service' },
    timeColumn('When', ({ created_at }) => created_at),
  ]
  return (
    <ListPage
      title="Audit log"
      lead="Every change in this tenant, chained so that a missing or altered entry shows."
      actions={
        <>
          <Verify />
          <Export
            name={`audit-log-${tenant.slug}`}
            of="entries"
            head={export_head}
            rowOf={exportRow}
            rest="Choose a shorter time for the rest."
            pages={(signal) => client.listAuditLog({ tenant_id: tenant.id, ...filter, limit: 100 }, { signal }).pages()}
          />
        </>
      }
      above={
        <div className="toolbar">
          <ByPerson {...state} />
          <ByObject entries={list.rows ?? []} nameOf={nameOf} {...state} />
          <TimeRange {...state} />
          <Chips names={chips} nameOf={(value) => (value === search.action ? { name: didOf(value) } : nameOf(value))} {...state} />
        </div>
      }
      list={list}
      columns={columns}
      no_match={<NoMatch clear={() => show(without(chips))}>No change has these values.</NoMatch>}
      side={{ param: 'chosen', of: (id) => <EntrySide audit_entry_id={id} show={show} /> }}
    />
  )
}

type NameOf = (id: string | null | undefined) => { name: string } | undefined

/**
 * The names of the objects of entries, of members, and of the environments and projects of the objects.
 *
 * @param more other ids of an entry
 */
function useNamesOf(entries: readonly AuditEntry[], more: (entry: AuditEntry) => readonly string[] = () => []): NameOf {
  const people = useRead(auditLog.actors(useScope())).data
  const grouped = Map.groupBy(entries, ({ environment_id }) => environment_id)
  const nameOf = useNamesAt(
    [...grouped].flatMap(([environment_id, some]) => {
      const project_id = some[0]?.project_id
      const ids = some.flatMap((entry) => [entry.object.id, organizationOf(entry), entry.environment_id, entry.project_id, ...more(entry)])
      return environment_id && project_id ? [[{ project_id, environment_id }, ids] as const] : []
    }),
  )
  return (id) => {
    const person = people?.find((one) => one.id === id)
    return nameOf(id) ?? (person?.name ? { name: person.name } : undefined)
  }
}

/** Returns the result of a check, or the first changed fields. Empty for a creation, which has every field, and for a test message. */
function summaryOf(entry: AuditEntry): string {
  const found = foundOf(entry)
  if (found !== null) return found
  if (entry.before === null || entry.after === null || entry.action === 'testWebhook') return ''
  const fields = changesOf(entry).map(({ field }) => field)
  if (fields.length === 0) return ''
  return `Changed: ${fields.length > 3 ? `${fields.slice(0, 3).join(' · ')} and ${fields.length - 3} more` : fields.join(' · ')}`
}

type State = ReturnType<typeof useQueryState>

/** The members and the platform keys, which are all that can change something by hand or by program. */
function ByPerson({ search, show }: State) {
  const found = useRead(auditLog.actors(useScope()))
  const chosen = search.actor_id
  const people = (found.data ?? []).map(({ id, name }) => [id, name ?? ''] as const)
  const unknown = chosen === undefined || people.some(([id]) => id === chosen) ? [] : [[chosen, chosen] as const]
  return (
    <FilterSelect label="Who" any="Anyone" options={[...people, ...unknown]} value={chosen} choose={(actor_id) => show({ actor_id })} />
  )
}

/** The objects of the entries that are shown. */
function ByObject({ entries, nameOf, search, show }: State & { entries: readonly AuditEntry[]; nameOf: NameOf }) {
  const chosen = search.object_id
  const names = new Map(
    entries.map((entry) => [entry.object.id, `${entry.object.type.replaceAll('_', ' ')}: ${objectOf(entry, nameOf) ?? entry.object.id}`]),
  )
  if (chosen !== undefined && !names.has(chosen)) names.set(chosen, nameOf(chosen)?.name ?? chosen)
  return <FilterSelect label="Object" any="Any object" options={[...names]} value={chosen} choose={(object_id) => show({ object_id })} />
}

function Verify() {
  const { client, tenant } = useScope()
  const [verified, setVerified] = useState<AuditVerification | null>(null)
  const verify = useAction(() => client.verifyAuditLog({ tenant_id: tenant.id }), { done: setVerified })
  return (
    <>
      <Problem error={verify.error} />
      {verified ? (
        <output className={verified.intact ? 'note acc' : 'note bad'}>
          {verified.intact ? `The chain is intact: ${verified.entries.toLocaleString('en')} entries.` : verified.problems.join(' ')}
        </output>
      ) : null}
      <ChangeButton needs="admin" disabled={verify.busy} onClick={() => verify.run()}>
        Verify the chain
      </ChangeButton>
    </>
  )
}

function EntrySide({ audit_entry_id, show }: { audit_entry_id: string; show: ReturnType<typeof useQueryState>['show'] }) {
  const { client, tenant } = useScope()
  const entry = useRead(auditLog.one({ client, tenant }, audit_entry_id))
  const nameOf = useNamesOf(entry.data ? [entry.data] : [], idsIn)
  const title = entry.data
    ? `${whoOf(entry.data)} ${didOf(entry.data.action, entry.data.object.type)} ${objectOf(entry.data, nameOf) ?? ''}`
    : 'Entry'
  return (
    <Side title={title} onClose={() => show({ chosen: undefined })}>
      <Loaded of={entry}>
        {(entry) => (
          <>
            <Facts
              of={{
                Who: whoOf(entry),
                Where: placeOf(entry, nameOf) || tenant.name,
                From: entry.ip ?? 'the service',
                When: <Time at={entry.created_at} />,
                Object: <ObjectOf entry={entry} nameOf={nameOf} />,
              }}
            />
            <div className="toolbar">
              {entry.object.type === 'promotion' ? (
                <Link className="btn s" to="/go/$id" params={{ id: entry.object.id }}>
                  Open promotion
                </Link>
              ) : null}
              <OpenOrganization of={entry} />
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
            <EntryChanges entry={entry} nameOf={nameOf} />
            <details>
              <summary>Record and JSON</summary>
              <Facts
                of={{
                  Operation: <code>{entry.action}</code>,
                  Request: entry.request_id ? <Id value={entry.request_id} label="request id" /> : null,
                  Entry: <Id value={entry.id} label="entry id" />,
                  Number: entry.sequence.toLocaleString('en'),
                }}
              />
              <Json of={{ before: entry.before, after: entry.after }} />
            </details>
          </>
        )}
      </Loaded>
    </Side>
  )
}

function OpenOrganization({ of: entry }: { of: AuditEntry }) {
  const id = organizationOf(entry)
  return id === undefined || entry.action === 'deleteOrganization' ? null : (
    <Link className="btn s" to="/go/$id" params={{ id }}>
      Open organization
    </Link>
  )
}

/** The object by its name, which leads to its page, with its id to copy. */
function ObjectOf({ entry: { object }, nameOf }: { entry: AuditEntry; nameOf: NameOf }) {
  const known = nameOf(object.id)
  return (
    <>
      {known ? (
        <Link className="u" to="/go/$id" params={{ id: object.id }}>
          {known.name}
        </Link>
      ) : null}{' '}
      <Id value={object.id} label="object id" />
    </>
  )
}
