/**
 * The database as the rest of the service sees it. One SQL text runs on every engine: write it with the `sql` tag,
 * in the subset that SQLite and PostgreSQL share. There are no interactive transactions: a change is one statement,
 * or one batch that happens whole or not at all. Entered by `store.ts` files; the engines are beside this file.
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
  /** See `wakes`. */
  readonly wakes?: Sleeper
  /** See `decides`. */
  readonly decides?: true
}

/** Thrown by an engine that undid a batch because a statement that `decides` changed nothing. */
export class Undecided extends Error {
  override readonly name = 'Undecided'
}

/** Who waits for what a batch leaves behind: events to be numbered, jobs to be done. */
export type Sleeper = 'sequencer' | 'queue'

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
  const change = async (statement: Statement) => firstOf(await engine.write([statement]))
  const listeners = new Map<Sleeper, () => void>()
  async function settled(statements: readonly Statement[], written: Promise<readonly Result[]>): Promise<readonly Result[]> {
    const results = await written.catch((error) => {
      if (error instanceof Undecided) return statements.map(() => ({ changed: 0, rows: [] }))
      throw error
    })
    for (const [sleeper, wake] of listeners) if (statements.some((statement) => statement.wakes === sleeper)) wake()
    return results
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
     * Runs statements in order, all or nothing, in one go. Let the first be the conditional mark and the later ones
     * take effect only where that mark stands, so that a batch that lost a race is a no-op.
     *
     * On PostgreSQL batches run side by side, and a statement sees of the others what was committed when it began. Only
     * a row that is written is waited for: the update of it looks again at that row, not at others that its condition
     * reads. So what a batch depends on is safe where its first statement writes the row that whoever takes it away
     * writes first too, and where the statement that asks for it comes after. And rows of one table are written in the
     * order of their keys, so that two batches never wait for each other.
     */
    batch: (statements: readonly Statement[]): Promise<readonly Result[]> => settled(statements, engine.write(statements)),

    /**
     * The same for whoever has other work to do meanwhile: it happens when the function that comes back is called, which
     * must be done, or earlier, together with others. So that many requests that compute at the same time share one commit.
     */
    batchLater(statements: readonly Statement[]): () => Promise<readonly Result[]> {
      const ask = engine.writeLater(statements)
      return () => settled(statements, ask())
    },

    /** Sets what is called after every commit of a batch with a statement that `wakes`. */
    onWake(listener: () => void, sleeper: Sleeper = 'sequencer'): void {
      listeners.set(sleeper, listener)
    },
  }
}

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

/** Marks a statement that leaves work behind: whoever waits for it in this process is woken once it is committed. */
export function wakes(statement: Statement, sleeper: Sleeper = 'sequencer'): Statement {
  return { ...statement, wakes: sleeper }
}

/**
 * Marks a statement that decides about its batch: where it changes nothing, none of the batch happens, and every result
 * says so. It has no `returning`. For what must never be said of a change that did not take place.
 */
export function decides(statement: Statement): Statement {
  return { ...statement, decides: true }
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
