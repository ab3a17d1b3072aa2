/**
 * The database as the rest of the service sees it. One SQL text runs on every engine: write it with the `sql` tag,
 * in the subset that SQLite and PostgreSQL share. There are no interactive transactions: a change is one statement,
 * or one batch that happens whole or not at all. Entered by `store.ts` files; the engines are beside this file.
 *
 * How a race is decided. Two requests that redeem one code send this batch at the same time:
 *
 *     const redeemed = await db.batch([
 *       guard(sql`update authorization_codes set spent_by = ${attempt} where code_hash = ${code_hash} and spent_by is null`),
 *       sql`insert into refresh_tokens … values …`,
 *     ])
 *
 * The database lets one of them update the row first. The update of the other finds `spent_by` set and changes no row, so its
 * guard fails, its whole batch is undone, and `batch` returns `null`. No other statement repeats the condition of a guard: it
 * runs only in a batch whose guards all hold. A batch may have several guards, and may begin with statements that are none.
 *
 * On PostgreSQL batches run side by side, at READ COMMITTED: each statement sees what was committed when it began. A guard that
 * waits for the row it writes evaluates its condition again for that row, but not for rows of other tables that it reads.
 * So a condition on another row is safe only where every batch that ends that condition also writes the guarded row; a comment
 * names it. Where a rule counts rows, the batch first writes a row that all such batches write (`holdTenant`). Batches write
 * rows of one table in the order of their keys, so that two of them never wait for each other.
 */
import type { z } from 'zod'
import { decodeRow, type EncodedValue, encodeValue, type Value } from './codec.ts'
import { createMemory, type Recall } from './memory.ts'

/** No document that a client sends can have this: what it sends is a value, however much it looks like a statement. */
const made_here: unique symbol = Symbol('made by sql')

/** A statement: the text between the values, and the values in the engine's own terms. Made by `sql` only. */
export interface Statement {
  readonly [made_here]: true
  readonly parts: readonly string[]
  readonly values: readonly EncodedValue[]
  /** See `leavesWork`. */
  readonly work?: Worker
  /** The number of rows that the statement must change; see `guard`. */
  readonly guard?: number
}

/** Thrown by an engine that undid a batch because a guard failed. */
export class GuardFailed extends Error {
  override readonly name = 'GuardFailed'
}

/** What picks up the work that a batch leaves behind: the sequencer numbers events, the queue runs jobs. */
export type Worker = 'sequencer' | 'queue'

export type Row = Record<string, unknown>

export interface Result {
  /** Rows inserted, updated or deleted; for a query, rows read. */
  readonly changed: number
  readonly rows: readonly Row[]
}

/**
 * What an engine offers. `read` may see only what is committed; `write` is atomic and durable when it resolves. Both give
 * up in less than two seconds: longer work is done in slices.
 */
export interface Engine {
  readonly name: 'sqlite' | 'postgres'
  /** Another number after every commit, by whomever, to a table that the statement names; `null` where only a read can tell. */
  readonly asOf: ((statement: Statement) => number) | null
  read(statement: Statement): Promise<readonly Row[]>
  /** The same for what is found by a key: such questions take no time, so those of one moment may go out together. */
  lookUp(statement: Statement): Promise<readonly Row[]>
  write(statements: readonly Statement[]): Promise<readonly Result[]>
  /** The same, but in no hurry until the result is asked for: until then it may wait for others to share their commit. */
  writeLater(statements: readonly Statement[]): () => Promise<readonly Result[]>
  /** The number of the newest migration that was applied; 0 for an empty database. */
  schema(): Promise<number>
  migrate(migrations: readonly Migration[]): Promise<{ from: number; to: number }>
  close(): Promise<void>
}

export interface Migration {
  readonly number: number
  readonly name: string
  readonly statements: readonly string[]
}

/** The database cannot be reached or is too busy: nothing was changed, or it is not known. Answered as 503. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

export type Db = ReturnType<typeof createDb>

export function createDb(engine: Engine) {
  /** A lost connection lets an engine read again, so nothing that changes anything may pass as a query. */
  const checked = (statement: Statement): Statement => {
    if (!/^\s*(select|with)\b/i.test(statement.parts[0] ?? '')) throw new TypeError('What is read must begin with select.')
    return statement
  }
  const recall: Recall = engine.asOf ? createMemory(engine.asOf).recall : (_, ask) => ask()
  /** One statement that changes something, with `returning`. */
  const change = async (statement: Statement): Promise<Result> =>
    firstOf((await settled([statement], engine.write([statement]))) ?? [unchanged])
  const listeners = new Map<Worker, () => void>()
  async function settled(statements: readonly Statement[], written: Promise<readonly Result[]>): Promise<readonly Result[] | null> {
    try {
      const results = await written
      for (const [worker, wake] of listeners) if (statements.some(({ work }) => work === worker)) wake()
      return results
    } catch (error) {
      if (error instanceof GuardFailed) return null
      throw error
    }
  }

  return {
    engine: engine.name,
    /**
     * Another number after every commit by anybody to a table that the statement names, so that what it read before can be told
     * from what it would read now; NaN where only a read can tell.
     */
    asOf: engine.asOf ?? (() => Number.NaN),
    schema: engine.schema,
    migrate: engine.migrate,
    close: engine.close,

    /** Whether the database answers. */
    async ping(): Promise<boolean> {
      try {
        await engine.read(sql`select 1 as one`)
        return true
      } catch (error) {
        if (error instanceof DatabaseUnavailable) return false
        throw error
      }
    },

    async all<S extends z.ZodObject>(schema: S, statement: Statement): Promise<z.output<S>[]> {
      return (await engine.read(checked(statement))).map((row) => decodeRow(schema, row))
    },

    /** A row that is found by a key. */
    maybeOne<S extends z.ZodObject>(schema: S, statement: Statement): Promise<z.output<S> | null> {
      return recall(statement, async () => {
        const [row] = await engine.lookUp(checked(statement))
        return row ? decodeRow(schema, row) : null
      })
    },

    /** Runs one changing statement with `returning`; `null` where it changed nothing. */
    async changeOne<S extends z.ZodObject>(schema: S, statement: Statement): Promise<z.output<S> | null> {
      const [row] = (await change(statement)).rows
      return row ? decodeRow(schema, row) : null
    },

    /** Runs one changing statement; tells how many rows it changed. */
    async run(statement: Statement): Promise<number> {
      return (await change(statement)).changed
    },

    /**
     * Runs statements in order, all or nothing. `null` means that a guard failed and nothing happened. See the head of this file.
     */
    batch: (statements: readonly Statement[]): Promise<readonly Result[] | null> => settled(statements, engine.write(statements)),

    /**
     * The same for a caller that has other work to do meanwhile. The batch may share its commit with others; it has happened
     * when the returned function resolves, which the caller must call.
     */
    batchLater(statements: readonly Statement[]): () => Promise<readonly Result[] | null> {
      const written = engine.writeLater(statements)
      return () => settled(statements, written())
    },

    /** Sets the function that is called after every commit of a batch that leaves work for this worker. */
    onWork(worker: Worker, listener: () => void): void {
      listeners.set(worker, listener)
    },
  }
}

const unchanged: Result = { changed: 0, rows: [] }

function firstOf(results: readonly Result[]): Result {
  const [result] = results
  if (!result) throw new Error('The engine answered no result for a statement.')
  return result
}

/** The first row of a result of a batch, decoded. */
export function rowOf<S extends z.ZodObject>(schema: S, result: Result | undefined): z.output<S> | null {
  const row = result?.rows[0]
  return row ? decodeRow(schema, row) : null
}

/** Every row of a result of a batch, decoded. */
export function rowsOf<S extends z.ZodObject>(schema: S, result: Result | undefined): z.output<S>[] {
  return (result?.rows ?? []).map((row) => decodeRow(schema, row))
}

/**
 * Writes a statement. Values become parameters; a nested statement becomes part of the text. A value that stands alone, as
 * in `${x} is null`, or an integer given to a function, needs a `cast`: PostgreSQL wants to know its type.
 *
 * A join compares scopes as in `u.environment_id = g.environment_id || ''`. Without the `|| ''` PostgreSQL concludes that both
 * are the value that the condition names, and while it knows nothing of young tables it begins with all users of the environment.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly (Value | Statement)[]): Statement {
  const flat: EncodedValue[] = []
  const nested: (readonly string[] | null)[] = []
  for (const value of values) {
    const is_nested = isStatement(value)
    nested.push(is_nested ? value.parts : null)
    if (is_nested) flat.push(...value.values)
    else flat.push(encodeValue(value))
  }
  return { [made_here]: true, parts: partsOf(strings, nested), values: flat }
}

interface Joined {
  nested: readonly (readonly string[] | null)[]
  parts: readonly string[]
}

const joined = new WeakMap<TemplateStringsArray, Joined[]>()
const most_joined = 8

/**
 * A template with the texts that are nested in it; `null` where a value stands. The last few of each template are kept, so that the
 * same text is the same array wherever it comes from, and engines know it again without reading it.
 */
function partsOf(strings: TemplateStringsArray, nested: readonly (readonly string[] | null)[]): readonly string[] {
  const known = joined.get(strings) ?? []
  for (const one of known) if (nested.every((parts, i) => parts === one.nested[i])) return one.parts
  const parts = [strings[0] ?? '']
  const append = (text: string) => parts.push(`${parts.pop()}${text}`)
  nested.forEach((inner, i) => {
    if (inner === null) parts.push('')
    else {
      append(inner[0] ?? '')
      parts.push(...inner.slice(1))
    }
    append(strings[i + 1] ?? '')
  })
  joined.set(strings, [{ nested, parts }, ...known.slice(0, most_joined - 1)])
  return parts
}

/**
 * Names of tables or columns with commas between them, for a statement that is built from a table of our own. A name is never a value
 * of a request. @throws TypeError for a name that the schema cannot have
 */
export function identifiers(...names: readonly string[]): Statement {
  if (!names.every((name) => /^[a-z][a-z0-9_]*$/.test(name))) throw new TypeError(`These are not names of the schema: ${names.join(', ')}`)
  return { [made_here]: true, parts: [names.join(', ')], values: [] }
}

/** Says that a statement leaves work behind. The worker of this process is woken when the batch is committed. */
export function leavesWork(statement: Statement, worker: Worker = 'sequencer'): Statement {
  return { ...statement, work: worker }
}

/**
 * Says that a statement must change this number of rows, or its whole batch is undone. A guard has no `returning`.
 * It carries every condition that the change depends on; see the head of this file.
 */
export function guard(statement: Statement, rows = 1): Statement {
  return { ...statement, guard: rows }
}

/** Statements with a separator between them, as in a list of conditions or of assignments. */
export function join(statements: readonly Statement[], separator: string): Statement {
  return statements.reduce((all, next) => ({
    [made_here]: true,
    parts: glued(all.parts, separator, next.parts),
    values: [...all.values, ...next.values],
  }))
}

function glued(left: readonly string[], separator: string, right: readonly string[]): string[] {
  return [...left.slice(0, -1), `${left.at(-1) ?? ''}${separator}${right[0] ?? ''}`, ...right.slice(1)]
}

function isStatement(value: Value | Statement): value is Statement {
  return typeof value === 'object' && value !== null && made_here in value
}
