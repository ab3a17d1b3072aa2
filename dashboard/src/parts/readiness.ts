/** The checks of an environment as states, and how many are done. Pure functions. */
import type { Readiness } from '@ostiary/sdk'

/** `not_needed`: there is no object that the check is about, such as a webhook where there is none. */
export type CheckState = 'done' | 'open' | 'not_needed'

export const stateOf = ({ ok, applies }: Pick<Readiness['checks'][number], 'ok' | 'applies'>): CheckState => {
  if (!ok) return 'open'
  return applies ? 'done' : 'not_needed'
}

/** Counts the checks. Those that are not needed are left out: an empty environment has done nothing yet. */
export function countDone(states: readonly CheckState[]): { done: number; of: number } {
  const count = (state: CheckState) => states.filter((each) => each === state).length
  return { done: count('done'), of: count('done') + count('open') }
}

/** Says how many checks are folded, because they are about nothing here. */
export const notNeededWords = (count: number): string => `${count} not needed here`
