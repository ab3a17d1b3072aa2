/** Statements about columns that a value names: an insert, the assignments of an update, and a list of columns. */

import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { placeOf } from './citus/placement.ts'
import type { Value } from './codec.ts'
import { identifiers, isStatement, join, type OfEnvironment, type Statement, sql, withText } from './db.ts'

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
  const insert = filled(`${table}(${names.join()})`, names, columns, () => [begins(), ...names.slice(1).map(() => ', '), ')'])
  const whole = { ...(follows ? followed(insert, follows) : insert), ...livesIn(table) }
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
  return filled(names.join(), names, columns, () => [...names.map((name, i) => `${i === 0 ? '' : ', '}${nameOf(name)} = `), ''])
}

/** `a.name, a.other`, where `others` has the expressions of columns that are not read as they are stored. */
export const columnsOf = (alias: string, names: readonly string[], others: Readonly<Record<string, Statement>> = {}): Statement =>
  join(
    names.map((name) => (others[name] ? sql`${others[name]} as ${identifiers(name)}` : sql`${identifiers(alias)}.${identifiers(name)}`)),
    ', ',
  )

/** The texts of two statements, by the array of the first. */
const longer = new WeakMap<readonly string[], Map<string, readonly string[]>>()

function followed(first: Statement, second: Statement): Statement {
  const known = longer.get(first.parts) ?? new Map<string, readonly string[]>()
  longer.set(first.parts, known)
  const text = second.parts.join('?')
  const { parts, values } = join([first, second], ' ')
  const same = known.get(text) ?? parts
  known.set(text, same)
  return { ...first, parts: same, values }
}

const namesOf = (columns: Columns) => Object.keys(columns).filter((name) => columns[name] !== undefined)
const nameOf = (name: string): string => identifiers(name).parts[0] ?? ''

/** Fills the values into a text that is built once. Expressions make a text of their own. */
function filled(key: string, names: readonly string[], columns: Columns, build: () => string[]): Statement {
  const parts = built(key, build)
  const values = names.map((name) => columns[name] as Value | Statement) // as: those that are undefined have no name
  if (values.every((value) => !isStatement(value))) return withText(parts, values as Value[]) // as: just checked
  const pieces = values.map((value, i) => sql`${withText([parts[i] ?? ''], [])}${value}`)
  return join([...pieces, withText([parts.at(-1) ?? ''], [])], '')
}
