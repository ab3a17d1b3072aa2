/**
 * The laws of batches, judged from what a run recorded (`recorded.ts`): the order of locks, guards that read rows which nothing holds,
 * and changes of any number of rows. The head of `server/src/db/db.ts` says why. An exception is in `recorded-exceptions.ts`.
 */

import type { Node } from 'libpg-query'
import { placeOf } from '../server/src/db/citus/placement.ts'
import { lock_order } from '../server/src/db/db.ts'
import { changedTables } from '../server/src/db/sqlite/statements.ts'
import { distributedOffences, misdirected } from './distributed-laws.ts'
import type { Recorded, RecordedBatch } from './recorded.ts'
import {
  free_inserts,
  held_by,
  holders_of_user,
  of_tests,
  rows_of_environment,
  rows_of_user,
  stated_guards,
  stated_sizes,
  stated_writes,
  ways_in,
} from './recorded-exceptions.ts'
import { columnOf, isOfValues, isValue, only, readSql, sides } from './sql-blocks.ts'

/** A table and the columns of its unique keys. */
export type Keys = ReadonlyMap<string, readonly (readonly string[])[]>

export interface Offence {
  readonly law: string
  readonly what: string
  readonly file: string
}

/** The laws that a record breaks, each offence once. */
export function judgeRecord(batches: readonly RecordedBatch[], keys: Keys): Offence[] {
  const offences = new Map<string, Offence>()
  for (const { file, owner, statements: sent } of batches) {
    const statements = sent.filter(({ text }) => !of_tests.some((start) => text.startsWith(start)))
    const found = [
      ...ungrammatical(statements),
      ...misorders(statements),
      ...unheldReads(statements),
      ...withoutUser(statements),
      ...unbounded(statements, keys),
      ...ofNoKey(statements, keys),
      ...uncounted(statements),
      ...marksOthers(statements),
      ...statements.flatMap((statement) => [...distributedOffences(statement), ...misdirected(statement, owner)]),
    ]
    for (const offence of found) if (!offences.has(offence.what)) offences.set(offence.what, { ...offence, file })
  }
  return [...offences.values()]
}

type Found = Omit<Offence, 'file'>

/** The other laws know nothing of a text that is not parsed. */
function* ungrammatical(statements: readonly Recorded[]): Generator<Found> {
  for (const { text } of statements) {
    const { error } = readSql(text)
    if (error !== null) yield { law: 'a statement is in the grammar of PostgreSQL', what: `${error}: ${text}` }
  }
}

/** The row cache forgets the rows of the table that a statement changes, by the beginning of its text. */
function* marksOthers(statements: readonly Recorded[]): Generator<Found> {
  for (const { target, text } of statements) {
    if (target === null || changedTables(text, [target, 'another']).join() === target) continue
    yield { law: 'a statement marks the table that it changes, and no other', what: text }
  }
}

/**
 * The table of which a statement may wait for a row; `null`: none. An insert waits for nobody under a key that no other batch can choose,
 * or after the row that every such insert waits for.
 */
function locked({ does, target, text }: Recorded, taken: readonly string[] = []): string | null {
  if (target === null || does !== 'insert') return target
  const is_free = free_inserts.has(target) && !readSql(text).insert?.onConflictClause
  return is_free || (held_by[target] ?? []).some((holder) => taken.includes(holder)) ? null : target
}

/**
 * The tables of which a batch may wait for a row, in order, each once. A batch that holds the row of a user waits for none of the rows of
 * that user, since every batch that changes one holds the user; likewise for the row of an environment.
 */
function waitsFor(statements: readonly Recorded[]): string[] {
  const taken: string[] = []
  const written: string[] = []
  for (const statement of statements) {
    const table = locked(statement, written)
    const is_held =
      (rows_of_user.has(table ?? '') && holders_of_user.some((holder) => taken.includes(holder))) ||
      (rows_of_environment.has(table ?? '') && taken.includes('environments'))
    if (table !== null && !taken.includes(table) && !is_held) taken.push(table)
    if (statement.target !== null) written.push(statement.target)
  }
  return taken
}

function* misorders(statements: readonly Recorded[]): Generator<Found> {
  const tables = waitsFor(statements)
  for (const [index, table] of tables.entries()) {
    const place = lock_order.indexOf(table)
    if (place === -1) yield { law: 'each table has a place in lock_order', what: table }
    const late = tables.slice(0, index).filter((other) => lock_order.indexOf(other) > place)
    if (late.length > 0)
      yield {
        law: 'batches take locks in one order',
        what: `${tables.join(' > ')}: ${table} stands before ${late.join(', ')} in lock_order`,
      }
  }
}

const heldBy = (table: string): readonly string[] => [...(rows_of_user.has(table) ? holders_of_user : []), ...(held_by[table] ?? [])]

/** A batch of one statement that sets a column to itself changes nothing: it asks whether a condition is true. */
function isQuestion([first, ...others]: readonly Recorded[]): boolean {
  const sets = readSql(first?.text ?? '').update?.targetList?.map((target) => only('ResTarget', target))
  return others.length === 0 && sets !== undefined && sets.every((set) => columnOf(set?.val).column === set?.name)
}

/** On PostgreSQL a condition on a row that another batch may be changing is decided by the row as it was. */
function* unheldReads(statements: readonly Recorded[]): Generator<Found> {
  if (isQuestion(statements)) return
  for (const [index, statement] of statements.entries()) {
    if (!statement.guard) continue
    const held = new Set(statements.slice(0, index).flatMap((earlier) => locked(earlier) ?? []))
    for (const table of statement.reads) {
      if (held.has(table) || heldBy(table).some((holder) => held.has(holder))) continue
      if (stated_guards.some(({ write, reads }) => statement.text.startsWith(write) && reads.includes(table))) continue
      yield { law: 'a guard reads only rows that its batch holds', what: `${table}, read by: ${statement.text}` }
    }
  }
}

/** A batch that changes a way in, or a row of a user beside others, begins with the row of the user. */
function* withoutUser(statements: readonly Recorded[]): Generator<Found> {
  const first = statements.findIndex(({ target }) => target !== null && rows_of_user.has(target))
  if (first === -1 || statements.slice(0, first).some((statement) => holders_of_user.includes(locked(statement) ?? ''))) return
  const waits_for_others = waitsFor(statements).length > 1
  for (const { target, text } of statements) {
    if (target === null || !rows_of_user.has(target) || (!ways_in.has(target) && !waits_for_others)) continue
    const allowed = stated_writes.find(({ write }) => text.startsWith(write))
    if (!allowed || (waits_for_others && !allowed.beside))
      yield { law: 'a batch about a user begins with aboutUser', what: `${waitsFor(statements).join(' > ')}: ${text}` }
  }
}

function* unbounded(statements: readonly Recorded[], keys: Keys): Generator<Found> {
  for (const { does, target, text } of statements)
    if (
      target !== null &&
      (does === 'update' || does === 'delete') &&
      !isBounded(text, keys.get(target) ?? []) &&
      !stated_sizes.some(({ write }) => text.startsWith(write))
    )
      yield { law: 'no statement changes any number of rows', what: text }
}

/** A guard of a key may be committed before its number of rows is known, so its conditions allow one row at most. */
function* ofNoKey(statements: readonly Recorded[], keys: Keys): Generator<Found> {
  for (const { is_of_key, text, target } of statements) {
    if (!is_of_key) continue
    const equations = readSql(text).conditions.map((condition) => sides(condition, '=') ?? [])
    const given = new Set(equations.map(([left, right]) => (isValue(right) ? columnOf(left).column : undefined)))
    const is_one = (keys.get(target ?? '') ?? []).some((key) => key.every((column) => given.has(column)))
    if (!is_one) yield { law: 'a guard of a key gives a value for each column of a unique key', what: text }
  }
}

/**
 * Of an insert that selects and may meet a row, a distributed database counts the rows that it read. A caller that asks whether it wrote
 * one asks for the row.
 */
function* uncounted(statements: readonly Recorded[]): Generator<Found> {
  const [alone] = statements
  if (statements.length !== 1 || alone?.does !== 'insert' || alone.guard || placeOf(alone.target ?? '') === 'coordinator') return
  const { insert } = readSql(alone.text)
  if (insert?.onConflictClause && !isOfValues(insert) && !insert.returningClause)
    yield { law: 'an insert that selects, alone in its batch, returns what it wrote', what: alone.text }
}

/** Whether an update or a deletion names one of these keys, each column by one value or by a list, or the rows of a query with a limit. */
function isBounded(text: string, keys: readonly (readonly string[])[]): boolean {
  const { conditions } = readSql(text)
  if (conditions.some(isLimitedList)) return true
  const named = new Set(conditions.flatMap(columnsOf))
  return keys.some((key) => key.every((column) => named.has(column)))
}

/** `id in (select id … limit ?)` */
function isLimitedList(condition: Node): boolean {
  const { testexpr, subselect } = only('SubLink', condition) ?? {}
  return testexpr !== undefined && only('SelectStmt', subselect)?.limitCount !== undefined
}

/** The columns of `id = …`, `id in (…)` and `(a, b) in ((…), …)`. A list that a query returns may have any length. */
function columnsOf(condition: Node): (string | undefined)[] {
  const [compared] = sides(condition, '=') ?? sides(condition, '=', 'AEXPR_IN') ?? []
  const columns = only('RowExpr', compared)?.args ?? [compared]
  return columns.map((node) => columnOf(node).column)
}
