/**
 * Warns before something ends, at 30, 7 and 1 days, once each (decision 0189). A row for each object has its last warning. The batch of a warning
 * writes that row and the event, and its guard fails where the row says so already: of several processes, and after a restart, one warns. Another
 * time of the object starts again.
 */
import type { EventKind } from '@ostiary/contract/event.ts'
import { expiringKinds } from '@ostiary/contract/expiry.ts'
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { guard, list, type Statement, sql } from '../../db/db.ts'
import { insertInto } from '../../db/rows.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { bySystem, originOf } from '../events/origin.ts'
import { insertEvent, type NewEvent } from '../events/store.ts'
import { type Expiring, readExpiring, type Walked } from './sources.ts'
import { type Stage, stageOf } from './stages.ts'

type Warned = Pick<Deployment, 'db' | 'newId' | 'now'>

/** The root tenant and its environment, for what belongs to the deployment. */
export interface OfDeployment {
  readonly tenant_id: string
  readonly environment_id: EnvironmentId
}

const rows_at_once = 200

/** Looks at everything that ends within 30 days, and warns of what has come to another stage. */
export async function warnOfEnds(services: Warned, root: OfDeployment, isStopping: () => boolean): Promise<void> {
  for (const kind of expiringKinds) {
    let after: Walked | null = null
    while (!isStopping()) {
      const page: Expiring[] = await readExpiring(services.db, kind, { after, limit: rows_at_once }, services.now())
      await warnOf(services, root, page)
      after = page.at(-1) ?? null
      if (page.length < rows_at_once) break
    }
  }
}

const LastWarning = z.object({ environment_id: EnvironmentId, object_id: z.string(), days: z.int(), expires_at: z.date() })

/** Warns of each that is in a stage of which its last warning was not. */
async function warnOf({ db, newId, now }: Warned, root: OfDeployment, ending: readonly Expiring[]): Promise<void> {
  if (ending.length === 0) return
  const last = await db.many.all(
    LastWarning,
    sql`select environment_id, object_id, days, expires_at from expiry_warnings where object_id in (${list(ending.map(({ id }) => id))})`,
  )
  const warned = new Map(last.map((row) => [`${row.environment_id} ${row.object_id}`, row]))
  for (const one of ending) {
    const at = now()
    const days = stageOf(one.expires_at, at)
    const environment_id = one.environment_id ?? root.environment_id
    const before = warned.get(`${environment_id} ${one.id}`)
    if (days === null || (before && before.days <= days && before.expires_at.getTime() === one.expires_at.getTime())) continue
    const event = eventOf(one, days)
    await db
      .of(environment_id)
      .batch([
        insertWarning(environment_id, one.kind === 'certificate' ? { ...one, tenant_id: root.tenant_id } : one, days, at),
        ...(event ? [insertEvent(environment_id, originOf({ newId }, bySystem, null), event, at)] : []),
      ])
  }
}

/** Fails as a guard where the last warning was of this stage or a later one, for the same time. */
function insertWarning(
  environment_id: EnvironmentId,
  { id, tenant_id, kind, name, expires_at }: Omit<Expiring, 'tenant_id'> & { tenant_id: string },
  days: Stage,
  now: Date,
): Statement {
  const row = { environment_id, object_id: id, tenant_id, kind, name, days, expires_at, warned_at: now }
  return guard(
    insertInto(
      'expiry_warnings',
      row,
      sql`on conflict (environment_id, object_id) do update
        set name = excluded.name, days = excluded.days, expires_at = excluded.expires_at, warned_at = excluded.warned_at
        where expiry_warnings.expires_at <> excluded.expires_at or expiry_warnings.days > excluded.days`,
    ),
  )
}

/** An object of a tenant or of the deployment has no event. */
function eventOf({ kind, id, application_id, expires_at }: Expiring, days: Stage): NewEvent | null {
  const facts = { expires_at: expires_at.toISOString(), days }
  const raise = (type: EventKind, data: Record<string, unknown>) => ({ type, application_id, data: { ...data, ...facts } })
  if (kind === 'client_secret') return raise('application.secret_expiring', { client_secret_id: id })
  if (kind === 'auth_key') return raise('auth_key.expiring', { key_id: id })
  if (kind === 'provider_secret') return raise('provider.secret_expiring', { provider_id: id })
  return null
}
