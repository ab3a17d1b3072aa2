/**
 * The laws by which a statement also runs on a database that is distributed over several nodes (decision 0143). They cost one server
 * nothing. An exception is in `recorded-exceptions.ts`.
 */
import type { Node } from 'libpg-query'
import { distributionColumn, placeOf } from '../server/src/db/citus/placement.ts'
import type { Recorded, RecordedBatch } from './recorded.ts'
import { of_all_environments } from './recorded-exceptions.ts'
import { type Block, columnOf, every, givenTo, isOfValues, isValue, only, readSql, type Statement, selected, sides } from './sql-blocks.ts'

interface Found {
  readonly law: string
  readonly what: string
}

/** The offences of one statement. */
export function* distributedOffences({ text, does, target }: Recorded): Generator<Found> {
  const statement = readSql(text)
  const { insert, blocks } = statement
  if (insert && isOfValues(insert) && blocks.length > 0) yield { law: 'no insert of values has a subquery', what: text }
  if (insert && !isOfValues(insert) && every('ParamRef', insert.onConflictClause).length > 0)
    yield { law: 'an insert that selects has no value after on conflict', what: text }

  const written = placeOf(target ?? '')
  if (does === 'update' || does === 'delete')
    for (const { tables } of blocks)
      for (const { name } of tables) {
        const read = placeOf(name)
        if (!read || !written || name === target) continue
        const mixes = isDistributed(written) ? read === 'coordinator' : isDistributed(read)
        if (mixes) yield { law: 'no change reads a table that lives elsewhere', what: `${name}, read by: ${text}` }
      }

  if (isSweep(statement) || of_all_environments.some(({ write }) => text.startsWith(write))) return
  yield* insertsWithoutEnvironment(statement, text)
  for (const block of blocks) yield* [...readsWithoutEnvironment(block, text), ...environmentsOfOthers(block, text)]
}

/** A statement is sent by the handle of its rows, and says where it lives where the handle does not (decision 0148). */
export function* misdirected({ text, target, lives }: Recorded, owner: RecordedBatch['owner']): Generator<Found> {
  const tables = readSql(text).blocks.flatMap((block) => block.tables.map(({ name }) => name))
  const places = new Set([target ?? '', ...tables].map(placeOf))
  const changes_every_node = placeOf(target ?? '') === 'everywhere'
  if (owner === 'another') yield { law: 'a handle sends statements about its own environment', what: text }
  if (owner !== 'many' && lives !== 'on every node' && (places.has('scope') || changes_every_node))
    yield { law: 'a statement that changes rows of every node says so (onEveryNode)', what: text }
  if (owner === 'environment' && lives === undefined && places.has('coordinator'))
    yield { law: 'a statement about rows of the coordinator says so (atCoordinator)', what: text }
  if (owner === 'none' && places.has('environment') && lives === undefined)
    yield { law: 'a statement about rows of an environment is sent by its handle (db.of), or by that of many (db.many)', what: text }
  if (
    (lives === 'at the coordinator' && !places.has('coordinator')) ||
    (lives === 'on every node' && !places.has('scope') && !changes_every_node)
  )
    yield { law: 'no statement says that it lives elsewhere', what: text }
}

const isDistributed = (place: string) => place === 'environment' || place === 'scope'
const isScope = (column: string | undefined) => column === 'environment_id' || column === 'scope_id'

/** A slice of what is over, by the whole keys of rows of any environment, or the next rows in the order of the key. */
function isSweep({ does, blocks, conditions }: Statement): boolean {
  if (does === 'delete') return conditions.some(isOfKeys)
  return does === 'select' && blocks.some((block) => block.conditions.some(isAfterKey))
}

/** `(environment_id, id) in (select environment_id, id …)` */
function isOfKeys(condition: Node): boolean {
  const { testexpr, subselect } = only('SubLink', condition) ?? {}
  const [first] = selected(only('SelectStmt', subselect) ?? {})
  return beginsWithScope(testexpr) && isScope(columnOf(first).column)
}

/** `(environment_id, id) > (?, ?)` */
function isAfterKey(condition: Node): boolean {
  const [key, values] = sides(condition, '>') ?? []
  return beginsWithScope(key) && isValue(values)
}

const beginsWithScope = (key: Node | undefined) => isScope(columnOf(only('RowExpr', key)?.args?.[0]).column)

const gives_value = 'a statement gives the environment as a value for each table'

/** Each table of environments is narrowed to one by a value, in its own block. */
function* readsWithoutEnvironment({ tables, conditions }: Block, text: string): Generator<Found> {
  const is_alone = tables.filter(({ name }) => distributionColumn(name) !== null || placeOf(name) === 'coordinator').length === 1
  for (const { name, alias } of tables) {
    const column = distributionColumn(name)
    const isOwn = (node: Node | undefined) => {
      const named = columnOf(node)
      if (named.column === name) return true // a query of a full-text table, which the embedded engine has: its numbers have the environment in them
      return named.column === column && (named.table === alias || (named.table === undefined && is_alone))
    }
    if (column !== null && !conditions.some((condition) => givesValue(condition, isOwn)))
      yield { law: gives_value, what: `${alias} of: ${text}` }
  }
}

/** Whether a condition compares a column with a value, or with the column of another row and a value without using it. */
function givesValue(condition: Node, isOwn: (node: Node | undefined) => boolean): boolean {
  const [left, right] = sides(withoutTest(condition), '=') ?? []
  return (isOwn(left) && (isValue(right) || hasValue(right))) || (isOwn(right) && isValue(left))
}

/** The condition in `(…) is true`, a mark that a distributed database does not get. */
function withoutTest(condition: Node): Node {
  const { arg, booltesttype } = only('BooleanTest', condition) ?? {}
  return arg && booltesttype === 'IS_TRUE' ? arg : condition
}

/** `environment_id || substr(?, 1, 0)`. The tree leaves out a zero. */
function hasValue(node: Node | undefined): boolean {
  const [other, mark] = sides(node, '||') ?? []
  const { funcname, args: [value, , length] = [] } = only('FuncCall', mark) ?? {}
  const number = only('A_Const', length)?.ival
  const is_empty = only('String', funcname?.[0])?.sval === 'substr' && number !== undefined && !number.ival
  return isScope(columnOf(other).column) && is_empty && isValue(value)
}

/** Each row of an insert has the environment as a value, or from a row that its query reads, where the law of reads gives it. */
function* insertsWithoutEnvironment({ insert, target }: Statement, text: string): Generator<Found> {
  const column = distributionColumn(target ?? '')
  if (!insert || column === null) return
  const is_given = givenTo(column, insert).every((node) => isValue(node) || columnOf(node).column === column)
  if (!is_given) yield { law: gives_value, what: `${target} of: ${text}` }
}

/** No block compares its environment with that of a row outside of it. */
function* environmentsOfOthers({ tables, conditions }: Block, text: string): Generator<Found> {
  for (const condition of conditions) {
    const compared = (sides(condition, '=') ?? []).map((side) => columnOf(side))
    const are_scopes = compared.length > 0 && compared.every(({ column, table }) => isScope(column) && table !== undefined)
    const other = compared.find(({ table }) => tables.every(({ alias }) => alias !== table))
    if (are_scopes && other) yield { law: 'no subquery takes the environment from another row', what: `${other.table}, in: ${text}` }
  }
}
