/** Statements about the columns of one table that are named by a value: an insert, the assignments of an update, and a list of columns. */
import type { Value } from './codec.ts'
import { identifiers, join, type Statement, sql } from './db.ts'

/** Columns and their values. A column that is `undefined` is left out. */
export type Columns = Readonly<Record<string, Value | undefined>>

const present = (columns: Columns) => Object.entries(columns).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))

/** `insert into table (…) values (…)` */
export function insertInto(table: string, columns: Columns): Statement {
  const all = present(columns)
  const values = join(
    all.map(({ value }) => sql`${value}`),
    ', ',
  )
  return sql`insert into ${identifiers(table)} (${identifiers(...all.map(({ name }) => name))}) values (${values})`
}

/** `name = …, other = …` for `set` */
export const assignments = (columns: Columns): Statement =>
  join(
    present(columns).map(({ name, value }) => sql`${identifiers(name)} = ${value}`),
    ', ',
  )

/** `a.name, a.other`, where `others` has the expressions of columns that are not read as they are stored. */
export const columnsOf = (alias: string, names: readonly string[], others: Readonly<Record<string, Statement>> = {}): Statement =>
  join(
    names.map((name) => (others[name] ? sql`${others[name]} as ${identifiers(name)}` : sql`${identifiers(alias)}.${identifiers(name)}`)),
    ', ',
  )
