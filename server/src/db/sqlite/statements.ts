/** The prepared statements of an embedded database. Each SQL text is prepared at its first use. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { createBoundedMap } from '../../base/bounded-map.ts'
import { onlyChanged, type Result, type Statement } from '../db.ts'

export interface Prepared {
  readonly run: StatementSync
  /**
   * The names of the columns that it returns; none for a change without `returning`. Kept, since asking SQLite takes longer than a short
   * query. A migration changes them for no text: `select *` reads from subqueries only, which name their columns.
   */
  readonly columns: readonly string[]
  /**
   * Every table whose name is in the text. That includes all tables that it reads or writes, since the schema has no trigger, cascade or
   * view (see `server/test/schema.test.ts`).
   */
  readonly tables: readonly string[]
  /** The tables whose rows it changes where it changes any. */
  readonly changes: readonly string[]
}

/** There are few texts, except for lists of values and combinations of filters. */
const most_prepared = 500

export type Statements = ReturnType<typeof createStatements>

export function createStatements(database: DatabaseSync) {
  const by_text = createBoundedMap<string, Prepared>(most_prepared)
  /** The parts of one template are almost always the same array, and this look-up is faster than joining them. */
  const by_parts = new WeakMap<readonly string[], Prepared>()
  let known_tables: readonly string[] | null = null

  function prepareText(text: string): Prepared {
    const run = database.prepare(text)
    run.setReturnArrays(true)
    known_tables ??= tablesOf(database)
    const words = new Set(text.match(/\w+/g))
    const tables = known_tables.filter((table) => words.has(table))
    const columns = run.columns().map(({ name }) => name)
    const prepared = { run, columns, tables, changes: changedTables(text, tables) }
    by_text.set(text, prepared)
    return prepared
  }

  function prepare({ parts }: Statement): Prepared {
    const known = by_parts.get(parts)
    if (known) return known
    const text = parts.join('?')
    const prepared = by_text.get(text) ?? prepareText(text)
    by_parts.set(parts, prepared)
    return prepared
  }

  return {
    prepare,

    execute(statement: Statement): Result {
      const { run, columns } = prepare(statement)
      if (columns.length === 0) return onlyChanged(Number(run.run(...statement.values).changes))
      const rows = run.all(...statement.values) as unknown as unknown[][] // as: see setReturnArrays
      return { changed: rows.length, columns, rows }
    },

    /** Must be called before a migration, which may add tables. */
    schemaChanged(): void {
      known_tables = null
    },
  }
}

const tablesOf = (database: DatabaseSync): string[] =>
  database
    .prepare(`select name from sqlite_schema where type = 'table'`)
    .all()
    .map(({ name }) => String(name))

/** Matches a change of the table that it names first, and of no other. */
const of_first = /^\s*(?:insert into|update|delete from) (\w+)\b/i

/** The tables that a statement may change, of those that it names. A statement of another form may change all of them. */
export function changedTables(text: string, named: readonly string[]): readonly string[] {
  if (/^\s*select\b/i.test(text)) return []
  const [, first] = of_first.exec(text) ?? []
  return first !== undefined && named.includes(first) ? [first] : named
}
