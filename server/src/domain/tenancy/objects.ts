/** The common parts of changes of all objects of an environment. A change is a value: a route commits one, a promotion commits many. */
import type { EnvironmentId, ProjectId, TenantId } from '@ostiary/contract/ids.ts'
import type { Statement } from '../../db/db.ts'
import type { NewEvent } from '../events/store.ts'
import type { EnvironmentRow } from './store.ts'

export interface ObjectChange<After extends object | null = object | null> {
  readonly statements: readonly Statement[]
  /** The object as the API shows it, for the audit log; `null` where it is created or deleted. */
  readonly before: object | null
  readonly after: After
  /** Webhooks raise none. */
  readonly event: NewEvent | null
  /** The states by which a fresh sign-in is judged, where equal values can give more than before. */
  readonly judged?: { readonly before: object; readonly after: object }
}

/** Where an object is created, and when. */
export interface ObjectPlace {
  readonly tenant_id: TenantId
  readonly project_id: ProjectId
  readonly environment_id: EnvironmentId
  readonly issuer: string
  readonly at: Date
}

export const placeIn = ({ tenant_id, project_id, id, issuer }: EnvironmentRow, at: Date): ObjectPlace => ({
  tenant_id,
  project_id,
  environment_id: id,
  issuer,
  at,
})

/** The members that every new object has beside its own. */
export const begun = <Named extends object>({ tenant_id, project_id, environment_id, at }: Omit<ObjectPlace, 'issuer'>, named: Named) => ({
  ...named,
  tenant_id,
  project_id,
  environment_id,
  created_at: at.toISOString(),
  updated_at: at.toISOString(),
  version: 1,
})

export const moved = ({ version }: { readonly version: number }, at: Date) => ({ version: version + 1, updated_at: at.toISOString() })

/** How the changeable fields of an object become others. */
export interface Edit<Fields> {
  readonly fields: Fields
  /** The names of the fields that differ, for the event. */
  readonly changed: readonly string[]
  readonly at: Date
}
