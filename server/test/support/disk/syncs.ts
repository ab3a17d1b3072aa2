// pure
/** Questions about the order of operations in a trace. */
import type { Operation } from './trace.ts'

type SyncBegin = Extract<Operation, { kind: 'sync begin' }>

/** Returns the operations after the last sync that failed, and that sync. */
function afterFailure(operations: readonly Operation[]): { failed: SyncBegin; later: readonly Operation[] } {
  const at = operations.findLastIndex((each) => each.kind === 'sync end' && !each.succeeded)
  const end = operations[at]
  const failed = operations.find((each) => each.kind === 'sync begin' && end?.kind === 'sync end' && each.sync === end.sync)
  if (failed?.kind !== 'sync begin') throw new Error('No sync failed.')
  return { failed, later: operations.slice(at + 1) }
}

/** Returns later syncs of the same file. */
export function syncsAfterFailure(operations: readonly Operation[]): readonly Operation[] {
  const { failed, later } = afterFailure(operations)
  return later.filter((each) => each.kind === 'sync begin' && each.inode === failed.inode)
}

const changing = ['create', 'write', 'truncate', 'unlink', 'rename', 'sync begin']

/** Returns what follows and changes or syncs the database or its log, a line each. */
export function changesAfterFailure(operations: readonly Operation[]): readonly string[] {
  const { later } = afterFailure(operations)
  const names = new Map(operations.flatMap((each) => (each.kind === 'create' || each.kind === 'open' ? [[each.inode, each.name]] : [])))
  const nameOf = (each: Operation) => ('name' in each ? each.name : 'inode' in each ? (names.get(each.inode) ?? '') : '')
  return later
    .filter((each) => changing.includes(each.kind) && nameOf(each).startsWith('ostiary.db'))
    .map((each) => `${each.kind} ${nameOf(each)}`)
}
