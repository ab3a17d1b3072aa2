import type { Owner, Statement } from '../db.ts'

/**
 * Where a batch runs in a distributed database: on the node that has the rows of one environment, at the coordinator, or on every node
 * (decision 0148). `environment_id` alone, or beside rows of the coordinator.
 */
export type Need = 'coordinator' | 'every node' | { readonly environment_id: string; readonly beside_coordinator: boolean }

/** A wrong answer only costs time, since each node forwards statements about rows that it does not have. */
export function needOf(owner: Owner, statements: readonly Statement[]): Need {
  if (owner === 'many' || statements.some(({ lives }) => lives === 'on every node')) return 'every node'
  if (owner === 'none') return 'coordinator'
  return { environment_id: owner, beside_coordinator: statements.some(({ lives }) => lives === 'at the coordinator') }
}
