/** The prepared statements of an embedded database: one for each SQL text, made at its first use. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { createBoundedMap } from '../bounded-map.ts'
import type { Result, Row, Statement } from './db.ts'

export interface Prepared {
  readonly run: StatementSync
  /** Asked once: asking takes longer than a short query. */
  readonly has_rows: boolean
  /** Every table whose name is in the text, so at least those it reads or writes. No trigger, cascade or view adds others. */
  readonly tables: readonly string[]
}

/** Texts are few, except for lists of values and combinations of filters. */
const most_prepared = 500

export type Statements = ReturnType<typeof createStatements>

export function createStatements(database: DatabaseSync) {
  const by_text = createBoundedMap<string, Prepared>(most_prepared)
  /** The parts of one template are almost always the same array; joining them takes longer than this look-up. */
  const by_parts = new WeakMap<readonly string[], Prepared>()
  let known_tables: readonly string[] | null = null

  function prepareText(text: string): Prepared {
    const run = database.prepare(text)
    known_tables ??= tablesOf(database)
    const words = new Set(text.match(/\w+/g))
    const prepared = { run, has_rows: run.columns().length > 0, tables: known_tables.filter((table) => words.has(table)) }
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
      const { run, has_rows } = prepare(statement)
      if (!has_rows) return { changed: Number(run.run(...statement.values).changes), rows: [] }
      const rows = run.all(...statement.values) as Row[] // as: node:sqlite returns plain objects
      return { changed: rows.length, rows }
    },

    /** A migration may have added tables. */
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
