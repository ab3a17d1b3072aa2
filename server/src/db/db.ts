/**
 * The database interface of the service. The same SQL text runs on every engine: write it with the `sql` tag, in the subset that SQLite
 * and PostgreSQL share. There are no interactive transactions: a change is one statement, or one batch that takes effect whole or not
 * at all. `store.ts` files use this interface; the engines are beside this file.
 *
 * How a race is decided. Two requests that redeem one code send this batch at the same time:
 *
 *     const redeemed = await db.batch([
 *       guard(sql`update authorization_codes set spent_by = ${attempt} where code_hash = ${code_hash} and spent_by is null`),
 *       sql`insert into refresh_chains … values …`,
 *     ])
 *
 * The database lets one of them update the row first. The update of the other finds `spent_by` set and changes no row, so its
 * guard fails, its whole batch is undone, and `batch` returns `null`. No other statement repeats the condition of a guard, since a
 * batch takes effect only if all its guards succeed. A batch may have several guards, and statements without a guard may come first.
 *
 * On PostgreSQL batches run concurrently, at READ COMMITTED: each statement sees the rows that were committed when it began. A guard
 * that waits for the row it writes evaluates its condition again for that row, but not for rows of other tables that it reads. So a
 * condition on another row is safe in two cases: every batch that makes it false also changes what the guard asks of its own row, or
 * writes a row first that an earlier statement of this batch writes (`holdTenant`, `storeCode`). A comment names that row. A rule that
 * counts rows is such a condition. `requires` asks one about rows that live elsewhere (`placement.ts`) as a statement of its own.
 *
 * The order of locks. A batch keeps the rows that it has written until its end, so two batches that write the same rows in opposite orders
 * would wait for each other. Each batch therefore writes the tables in the order of `lock_order`, and the rows of one table in the order of
 * their keys. A batch about a user begins with the row of the user (`aboutUser`). Every batch that changes a row of that user does, so
 * those rows may follow in any order. An insert under a key that no other batch can choose may be anywhere. Each run of the tests judges
 * the batches that it has sent (`scripts/recorded-laws.ts`, decision 0078).
 */
import { channel } from 'node:diagnostics_channel'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { z } from 'zod'
import { createBoundedMap } from '../base/bounded-map.ts'
import { CannotStart } from '../base/cannot-start.ts'
import { outsideRequests } from '../base/database-time.ts'
import { reason } from '../base/reason.ts'
import { withinTrace } from '../base/trace.ts'
import { Unavailable } from '../base/unavailable.ts'
import { asObjects, decodeFirst, decodeRows, type EncodedValue, encodeValue, no_rows, type Rows, type Value } from './codec.ts'
import { type CachedRead, createRowCache } from './memory.ts'
import { createWrites } from './writes.ts'

/** The order in which batches write rows of different tables, where another batch can hold the row. See the head of this file. */
export const lock_order: readonly string[] = `
  tenants projects environments metadata_clients deployment users providers endings

  sessions half_sign_ins dashboard_sessions shown_codes email_changes disconnections consents organization_disconnections organization_consents
  trusted_browsers passkeys removed_passkeys totp_methods recovery_codes identities user_texts user_words
  authorization_codes refresh_chains opaque_access_tokens revoked_access_tokens grants
  sign_in_attempts mailed_codes passkey_ceremonies upstream_holds upstream_sign_ins returned_upstream_states used_assertions
  kept_answers

  audit_heads promotions promoted_states issuer_origins resource_servers resource_server_scopes
  roles role_resource_servers role_holders applications application_secrets application_origins
  organization_counts organizations organization_members organization_role_holders
  organization_invitations organization_invitation_links
  user_jobs user_job_parts members invitations invitation_links signing_keys es256_keys jwks_readers rotated_keys api_keys key_usage

  webhooks webhook_attempts webhook_messages backchannel_logout_attempts backchannel_logouts
  issuer_certificates expiry_warnings expiry_mails event_counters telemetry_cursors captured_mails events audit_log address_mails mails leases jobs
  counters dropped_calls refused_calls idempotency_records schema_migrations`
  .trim()
  .split(/\s+/)

/** Marks statements. A document from a client cannot have this property, so it is always a value. */
const is_statement: unique symbol = Symbol('made by sql')

/** A statement: the text between the values, and the encoded values. Only this file creates one. */
export interface Statement {
  readonly [is_statement]: true
  readonly parts: readonly string[]
  readonly values: readonly EncodedValue[]
  /** See `leavesWork`. */
  readonly work?: Worker
  /** The number of rows that the statement must change; see `guard`. */
  readonly guard?: number
  /** See `guardOfKey`. */
  readonly is_of_key?: true
  /** See `withoutSync`. */
  readonly without_sync?: true
  /** See `inTwoForms`. */
  readonly distributed?: Statement
  /** See `atCoordinator` and `onEveryNode` in `environment.ts`. */
  readonly lives?: 'at the coordinator' | 'on every node'
}

/** Exists only as a type. */
declare const of_environment: unique symbol

/** A statement with an environment among its values. Only such a one is sent by the handle of an environment. */
export interface OfEnvironment extends Statement {
  readonly [of_environment]: true
}

/**
 * Whom a statement is about: the rows of one environment, tables without an environment, or the rows of many environments. A database that is
 * distributed over several nodes has the rows of an environment on one of them (decision 0143).
 */
export type Owner = EnvironmentId | 'none' | 'many'

/** An engine undid a batch because a guard failed. */
export class GuardFailed extends Error {
  override readonly name = 'GuardFailed'
}

/** A background worker that a batch creates work for: the sequencer numbers events, the queue runs jobs, endings end rows in slices. */
export type Worker = 'sequencer' | 'queue' | 'endings'

export interface Result extends Rows {
  /** Rows inserted, updated or deleted; for a query, rows read. */
  readonly changed: number
}

/**
 * The interface of an engine. `read` sees only committed rows. `write` is atomic, and durable when it resolves. Both give up in less
 * than two seconds, on PostgreSQL with all other calls of the same request together (`database-time.ts`), so callers do longer work in
 * slices.
 */
export interface Engine {
  readonly name: 'sqlite' | 'postgres'
  /**
   * The version of the tables that a statement names: another number after every commit to one of them, by any process. `null` if the
   * engine cannot know without reading.
   */
  readonly versionOf: ((statement: Statement) => number) | null
  /** Returns rows that it has at once as they are: a promise takes as long as a part of a short query. */
  read(statement: Statement, owner: Owner): Rows | Promise<Rows>
  /** Reads rows by a key. Such reads are short, so the engine may send those of one event-loop turn together. */
  lookUp(statement: Statement, owner: Owner): Rows | Promise<Rows>
  write(statements: readonly Statement[], owner: Owner): Promise<readonly Result[]>
  /** Like `write`, but the batch may wait for other batches to share their commit until the returned function is called. */
  writeLater(statements: readonly Statement[], owner: Owner): () => Promise<readonly Result[]>
  schema(): Promise<Schema>
  migrate(migrations: readonly Migration[]): Promise<{ from: number; to: number }>
  /** How busy the connections of this process are. `null` if the engine has none. */
  readonly load: (() => ConnectionLoad) | null
  /**
   * Runs a statement outside of batches and without a limit of time: PostgreSQL makes an index beside changes of its table in no other way.
   * After the signal it is no longer waited for, and the server may complete it. `null` for an engine that knows no such statement.
   */
  readonly runAlone: ((statement: Statement, signal: AbortSignal) => Promise<void>) | null
  /** Resolves when the engine sends nothing more, with the reason, which is for the operator. `null` for an engine that never does. */
  readonly unusable: Promise<Error> | null
  close(): Promise<void>
}

export interface ConnectionLoad {
  readonly open: number
  readonly in_use: number
  /** Batches that wait for a connection, or behind another batch on theirs. */
  readonly waiting: number
}

/** The schema of a database. A program is the number of the newest migration that it knows. */
export interface Schema {
  /** The number of the newest applied migration; 0 for an empty database. */
  readonly number: number
  /** The oldest program that runs on the schema: the latest one that an applied migration names. */
  readonly oldest_program: number
}

/** The schema by the rows of its table. Version 0.1.0 may have had no column for programs. */
export const schemaOf = (rows: readonly Record<string, unknown>[]): Schema => ({
  number: Math.max(0, ...rows.map(({ number }) => Number(number))),
  oldest_program: Math.max(0, ...rows.map(({ number, oldest_program }) => Number(oldest_program ?? number))),
})

export interface Migration {
  readonly number: number
  readonly name: string
  /** The oldest program that runs on the schema after this migration. */
  readonly oldest_program: number
  readonly statements: readonly string[]
}

/** The database is out of reach or too busy. The message says whether nothing changed or the outcome is unknown. */
export class DatabaseUnavailable extends Unavailable {
  override readonly name = 'DatabaseUnavailable'
  readonly detail: string = 'The database is out of reach. Try again shortly.'
  readonly why = reason`The database was out of reach.`
}

/** The database takes no changes: its disk is full or fails, or it is read-only. It can be read. */
export class WritesFail extends DatabaseUnavailable {
  override readonly detail: string = 'The database takes no changes right now. Nothing was changed. Try again shortly.'
  override readonly why = reason`The disk of the database was full or failed, or the database was read-only.`
}

/** A change was made, and the disk of the database has not confirmed it in time: a loss of power may undo it. */
export class Unconfirmed extends WritesFail {
  override readonly detail: string =
    'The disk of the database does not answer in time. It is not known whether the change was made. Look before you try again.'
  override readonly why = reason`The disk of the database did not confirm the change in time.`
}

/** The tables of the database are in places where this process must not send anything. A process that starts again may. */
export class DatabaseRefused extends CannotStart {}

/** Reports each read, each batch and each refusal by a guard to the recorder of the tests, `record.mjs`. A service has no subscriber. */
const reported = channel('ostiary.statements')

/** Reads and changes rows of one owner. */
export interface Handle<Own extends Statement> {
  all<S extends z.ZodObject>(schema: S, statement: Own): Promise<z.output<S>[]>
  /** Returns the row with a key, or `null`. The object may be shared and is frozen. */
  maybeOne<S extends z.ZodObject>(schema: S, statement: Own): Promise<z.output<S> | null>
  /** Runs one changing statement with `returning`, and returns its row. `null` means that no row changed. */
  changeOne<S extends z.ZodObject>(schema: S, statement: Own): Promise<z.output<S> | null>
  /** Runs one changing statement and returns the number of changed rows. */
  run(statement: Own): Promise<number>
  /** Runs statements in order, all or nothing. `null` means that a guard failed and nothing changed. See the head of this file. */
  batch(statements: readonly Statement[]): Promise<readonly Result[] | null>
  /**
   * Like `batch`, for a caller that has other work to do meanwhile. The batch may share a commit with others. The caller must call the
   * returned function, which resolves when the batch is committed.
   */
  batchLater(statements: readonly Statement[]): () => Promise<readonly Result[] | null>
}

export type Db = ReturnType<typeof createDb>

export function createDb(engine: Engine) {
  const cached: CachedRead = engine.versionOf ? createRowCache(engine.versionOf).read : async (_, query) => query()
  const writes = createWrites((error) => error instanceof WritesFail)
  const listeners = new Map<Worker, () => void>()

  async function settled(
    statements: readonly Statement[],
    owner: Owner,
    written: Promise<readonly Result[]>,
  ): Promise<readonly Result[] | null> {
    try {
      const results = await written
      for (const [worker, wake] of listeners)
        if (statements.some(({ work }) => work === worker)) withinTrace(null, () => outsideRequests(wake))
      return results
    } catch (error) {
      if (!(error instanceof GuardFailed)) throw error
      report(engine, statements, owner, true)
      return null
    }
  }

  function handleOf<Own extends Statement>(owner: Owner): Handle<Own> {
    const read = (statement: Statement): Statement => {
      // An engine repeats a read whose connection was lost, so a read must not change rows.
      if (!/^\s*(select|with)\b/i.test(statement.parts[0] ?? '')) throw new TypeError('A read must begin with select.')
      report(engine, [statement], owner)
      return statement
    }
    const batch = (statements: readonly Statement[]) => {
      report(engine, statements, owner)
      return settled(statements, owner, writes.watch(engine.write(statements, owner)))
    }
    const change = async (statement: Statement): Promise<Result> => firstOf((await batch([statement])) ?? [onlyChanged(0)])
    return {
      all: async (schema, statement) => decodeRows(schema, await engine.read(read(statement), owner)),
      maybeOne: (schema, statement) =>
        cached(statement, () => {
          const rows = engine.lookUp(read(statement), owner)
          return rows instanceof Promise ? rows.then((found) => decodeFirst(schema, found)) : decodeFirst(schema, rows)
        }),
      changeOne: async (schema, statement) => decodeFirst(schema, await change(statement)),
      run: async (statement) => (await change(statement)).changed,
      batch,
      batchLater(statements) {
        report(engine, statements, owner)
        const written = engine.writeLater(statements, owner)
        return () => settled(statements, owner, writes.watch(written()))
      },
    }
  }
  /** The embedded database has one node. Only the tests ask whom its statements are about. */
  const has_owners = engine.name === 'postgres' || reported.hasSubscribers
  const whole = handleOf<Statement>('none')

  return {
    ...whole,
    /** The rows of one environment. */
    of: has_owners ? (environment_id: EnvironmentId) => handleOf<OfEnvironment>(environment_id) : (): Handle<OfEnvironment> => whole,
    /** The rows of many environments at once, for workers and commands. A distributed database asks each of its nodes. */
    many: handleOf<Statement>('many'),
    engine: engine.name,
    /**
     * Returns the version of the tables that a statement names, which any commit to them changes. A result of the statement is current
     * while the version stays the same. NaN if the engine cannot know without reading.
     */
    versionOf: engine.versionOf ?? (() => Number.NaN),
    schema: engine.schema,
    migrate: engine.migrate,
    load: engine.load,
    runAlone: engine.runAlone,
    unusable: engine.unusable,
    writes,
    close: engine.close,

    /**
     * Reports whether the database answers and its schema is one that this program runs on: it has every migration that the program
     * knows, and names no later program. It is one short read, since probes poll it.
     */
    async runs(program: number): Promise<boolean> {
      try {
        const newest = sql`select max(number) as number, max(oldest_program) as oldest_program from schema_migrations`
        const { number, oldest_program } = schemaOf(asObjects(await engine.read(newest, 'none')))
        return number >= program && oldest_program <= program
      } catch {
        return false // also without the table: such a database serves no request
      }
    },

    /** Sets the function that runs after each commit of a batch that leaves work for this worker. */
    onWork(worker: Worker, listener: () => void): void {
      listeners.set(worker, listener)
    },
  }
}

function report({ name }: Engine, statements: readonly Statement[], owner: Owner, is_refused = false): void {
  if (reported.hasSubscribers) reported.publish({ engine: name, statements, owner, is_refused })
}

/** The result of a statement that returns nothing and changed so many rows. */
export const onlyChanged = (changed: number): Result => ({ changed, ...no_rows })

function firstOf(results: readonly Result[]): Result {
  const [result] = results
  if (!result) throw new Error('The engine answered no result for a statement.')
  return result
}

/** Decodes the first row of a result of a batch. */
export function rowOf<S extends z.ZodObject>(schema: S, result: Result | undefined): z.output<S> | null {
  return result ? decodeFirst(schema, result) : null
}

/** Decodes every row of a result of a batch. */
export function rowsOf<S extends z.ZodObject>(schema: S, result: Result | undefined): z.output<S>[] {
  return result ? decodeRows(schema, result) : []
}

/**
 * Creates a statement. Values become parameters, and a nested statement becomes part of the text. PostgreSQL needs a `cast` for a value
 * without a context that gives its type, as in `${x} is null` or an integer argument of a function.
 *
 * `environment.ts` has the conditions on the environment of a row.
 */
export function sql<const V extends readonly (Value | Statement)[]>(strings: TemplateStringsArray, ...values: V): Named<V> {
  return filled(strings, values) as Named<V> // as: the types of the values say whether one is an environment
}

/** Like `sql`, for a text that `rows.ts` has built from names of the schema. Each text must be one array, which engines recognise. */
export function filled(strings: readonly string[], values: readonly (Value | Statement)[]): Statement {
  const flat: EncodedValue[] = []
  let nested: (readonly string[] | null)[] | null = null
  let lives: Statement['lives']
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as Value | Statement // as: `i` is an index
    if (isStatement(value)) {
      nested ??= values.map(() => null)
      nested[i] = value.parts
      lives ??= value.lives
      flat.push(...value.values)
    } else flat.push(encodeValue(value))
  }
  const text = { [is_statement]: true as const, parts: nested === null ? strings : partsOf(strings, nested), values: flat }
  return lives ? { ...text, lives } : text
}

/** The type of a statement with these values. */
type Named<V extends readonly unknown[]> = {
  [K in keyof V]: V[K] extends EnvironmentId | OfEnvironment ? V[K] : never
}[number] extends never
  ? Statement
  : OfEnvironment

interface Joined {
  nested: readonly (readonly string[] | null)[]
  parts: readonly string[]
}

const known_parts = new WeakMap<readonly string[], Joined[]>()
/** Combinations of nested statements that are kept for one template. */
const most_combinations = 32

/**
 * Merges a template with its nested texts; `null` stands for a value. The last few results for each template are kept, so the same text
 * is the same array, and engines recognise it without comparing texts.
 */
function partsOf(strings: readonly string[], nested: readonly (readonly string[] | null)[]): readonly string[] {
  const known = known_parts.get(strings) ?? []
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
  known_parts.set(strings, [{ nested, parts }, ...known.slice(0, most_combinations - 1)])
  return parts
}

/**
 * Lists names of tables or columns, for a statement that is built from one of our registries. A value of a request is never a name.
 * @throws TypeError for text that cannot be a name of the schema
 */
export function identifiers(...names: readonly string[]): Statement {
  if (!names.every((name) => /^[a-z][a-z0-9_]*$/.test(name))) throw new TypeError(`These are not names of the schema: ${names.join(', ')}`)
  return fixed(names.map((name) => (reserved.has(name) ? `"${name}"` : name)).join(', '))
}

/** Names of columns that are words of SQL. */
const reserved: ReadonlySet<string> = new Set(['default'])

/** A whole number of ours as text: after `on conflict` of an insert that selects, a distributed database takes no value. */
export function constant(number: number): Statement {
  if (!Number.isSafeInteger(number)) throw new TypeError(`This is not a whole number: ${number}`)
  return fixed(String(number))
}

/** Statements without values, by their text: what contains one of them is recognised by its array. */
const known_fixed = createBoundedMap<string, Statement>(1_000)

function fixed(text: string): Statement {
  const known = known_fixed.get(text)
  if (known) return known
  const made: Statement = { [is_statement]: true, parts: [text], values: [] }
  known_fixed.set(text, made)
  return made
}

/** Marks a statement that creates work for a background worker. The commit of its batch wakes the worker of this process. */
export function leavesWork<S extends Statement>(statement: S, worker: Worker = 'sequencer'): S {
  return { ...statement, work: worker }
}

/**
 * Marks a statement whose commit need not reach the disk before it is answered. A killed process loses nothing. A loss of power can lose
 * it while nothing else was committed afterwards, so it is for rows whose absence does no harm. PostgreSQL commits it like any other.
 */
export function withoutSync<S extends Statement>(statement: S): S {
  return { ...statement, without_sync: true }
}

/**
 * A statement that a distributed database gets in another form. It is for a read about many environments that has no text which such a
 * database runs and that costs one server nothing (decision 0145), and for a condition that costs such a database too much (decision 0148).
 */
export function inTwoForms<S extends Statement>(statement: S, distributed: Statement): S {
  return { ...statement, distributed }
}

/**
 * Marks a statement that must change this number of rows; if it does not, its whole batch is undone. A guard has no `returning`. It
 * contains every condition that the change depends on; see the head of this file.
 */
export function guard<S extends Statement>(statement: S, rows = 1): S {
  return { ...statement, guard: rows }
}

/**
 * A guard of the one row that has a key, so that it changes one row or none. Alone in its batch it needs no failure that undoes it, which
 * costs less: the number of changed rows says whether it succeeded.
 */
export function guardOfKey<S extends Statement>(statement: S): S {
  return { ...guard(statement), is_of_key: true }
}

/**
 * A guard that changes nothing: the batch is undone if the condition is false. It is for a condition on rows that live on other nodes than
 * those that the batch changes (decision 0143), and reads only rows that the batch holds. The exceptions are two of an invitation, its
 * inviter and the session that accepts: their functions say why that is safe (`domain/members/invitations.ts`).
 */
export function requires(condition: Statement): Statement {
  return guard(sql`select 1 as held where ${condition}`)
}

/** Joins statements with a separator, such as a list of conditions or assignments. */
export function join<S extends Statement>(statements: readonly S[], separator: string): S {
  return filled(gaps(statements.length, separator), statements) as S // as: it has the values of all of them
}

/** Lists values, at least one, for `in (…)`. */
export const list = (values: readonly Value[]): Statement => filled(gaps(values.length, ', '), values)

/** The texts around so many values or statements with a separator between them. */
const known_gaps = new Map<string, readonly string[]>()
/** Longer ones are rare, and their engines recognise the whole text. */
const longest_known = 100

function gaps(count: number, separator: string): readonly string[] {
  if (count === 0) throw new TypeError('There is nothing to join.')
  const name = `${count}${separator}`
  const known = known_gaps.get(name)
  if (known) return known
  const made = ['', ...Array.from({ length: count - 1 }, () => separator), '']
  if (count <= longest_known) known_gaps.set(name, made)
  return made
}

function isStatement(value: Value | Statement): value is Statement {
  return typeof value === 'object' && value !== null && is_statement in value
}
