/** Statements about columns that a value names: an insert, the assignments of an update, and a list of columns. */

import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { placeOf } from './citus/placement.ts'
import type { Value } from './codec.ts'
import { filled, identifiers, join, type OfEnvironment, type Statement, sql } from './db.ts'

/** Columns and their values, or the expressions of them. A column that is `undefined` is left out. */
export type Columns = Readonly<Record<string, Value | Statement | undefined>>

/** The texts between the values, by the names: engines recognise a text by its array. The names are ours, so there are few. */
const texts = new Map<string, readonly string[]>()

function built(key: string, build: () => string[]): readonly string[] {
  const known = texts.get(key) ?? build()
  texts.set(key, known)
  return known
}

/** `insert into table (…) values (…)`, and what follows, such as `on conflict … do nothing`. */
export function insertInto<C extends Columns>(table: string, columns: C, follows?: Statement): Inserting<C> {
  const names = namesOf(columns)
  const begins = () => `insert into ${nameOf(table)} (${names.map(nameOf).join(', ')}) values (`
  const insert = withColumns(`${table}(${names.join()})`, names, columns, () => [begins(), ...names.slice(1).map(() => ', '), ')'])
  const whole = { ...(follows ? join([insert, follows], ' ') : insert), ...livesIn(table) }
  return whole as Statement as Inserting<C> // as: the column says whether it names an environment
}

const at_coordinator: Pick<Statement, 'lives'> = { lives: 'at the coordinator' }
const on_every_node: Pick<Statement, 'lives'> = { lives: 'on every node' }

function livesIn(table: string): Pick<Statement, 'lives'> | null {
  const place = placeOf(table)
  return place === 'coordinator' ? at_coordinator : place === 'everywhere' || place === 'scope' ? on_every_node : null
}

type Inserting<C extends Columns> = C extends { readonly environment_id: EnvironmentId } ? OfEnvironment : Statement

/** `name = …, other = …` for `set` */
export function assignments(columns: Columns): Statement {
  const names = namesOf(columns)
  return withColumns(names.join(), names, columns, () => [...names.map((name, i) => `${i === 0 ? '' : ', '}${nameOf(name)} = `), ''])
}

/** `a.name, a.other`, where `others` has the expressions of columns that are not read as they are stored. */
export const columnsOf = (alias: string, names: readonly string[], others: Readonly<Record<string, Statement>> = {}): Statement =>
  join(
    names.map((name) => (others[name] ? sql`${others[name]} as ${identifiers(name)}` : sql`${identifiers(alias)}.${identifiers(name)}`)),
    ', ',
  )

const namesOf = (columns: Columns) => Object.keys(columns).filter((name) => columns[name] !== undefined)
const nameOf = (name: string): string => identifiers(name).parts[0] ?? ''

const withColumns = (key: string, names: readonly string[], columns: Columns, build: () => string[]): Statement =>
  filled(
    built(key, build),
    names.map((name) => columns[name] as Value | Statement), // as: those that are undefined have no name
  )
