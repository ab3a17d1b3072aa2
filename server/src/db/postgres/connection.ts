/**
 * One connection to PostgreSQL. A batch is one write: Parse, Bind and Execute of each statement, then one Sync. That makes it one
 * transaction and one round trip (PostgreSQL manual, 55.2.4: an error undoes the statements between two Syncs together). A batch does
 * not wait for the answers of earlier ones. Each connection prepares a statement once.
 *
 * On a distributed database each statement of a pipeline is committed by itself. There a batch of several statements is a block, `begin …
 * commit` in the same write. After an error the block has to be left before anything else runs, so what follows is sent when the block is
 * answered. A `rollback` in the same write would leave a warning in the log of the server for each batch that succeeds.
 */
import { Client, type ClientConfig, Query } from 'pg'
import { createBoundedMap } from '../../base/bounded-map.ts'
import { digestOf } from '../../base/digest.ts'
import type { EncodedValue } from '../codec.ts'
import type { Result, Statement } from '../db.ts'
import { withoutMarks } from '../environment.ts'
import { ConnectionLost, isRefusal } from './errors.ts'

export interface Connection {
  /** The number of batches without an answer. */
  readonly pending: number
  /** The process of the server, as `pg_stat_activity` numbers it. */
  readonly server_pid: number
  /** A batch is a block and has no answer. Statements sent now wait for it. */
  readonly is_in_block: boolean
  /** The database is distributed: batches are blocks, and texts have no marks. */
  useBlocks(): void
  /** Rejects with the server's error, which undid the batch, or with `ConnectionLost`. */
  send(statements: readonly Sendable[], is_read?: boolean): Promise<readonly Result[]>
  /** Returns the first value of a statement, sent as text without parameters: what a proxy answers itself may take no other form. */
  ask(text: string): Promise<unknown>
  /** How long the server has sent nothing although answers are due. */
  silence_ms(): number
  /** Reports whether the oldest batch without an answer is a change. Batches behind it wait until it is committed. */
  waitsForChange(): boolean
  /** Waits for the answers that are due. */
  end(): Promise<void>
  destroy(): void
}

/** A statement, or a fixed text without a template. */
type Sendable = Pick<Statement, 'parts' | 'values' | 'distributed'>
type Decode = (text: string) => string | number

/** The columns of a result. */
interface Columns {
  readonly names: readonly string[]
  readonly decoders: readonly Decode[]
}

const no_columns: Columns = { names: [], decoders: [] }

interface Prepared {
  /** The empty name is for one batch. */
  readonly name: string
  /** The batch that prepares the statement. Until its answer arrives, other batches must not rely on it. */
  preparing: object | null
  /** The server may have an older attempt under this name. */
  stale: boolean
  columns: Columns | null
}

const most_prepared = 300

export async function connect(config: ClientConfig, onEnd: (connection: Connection) => void): Promise<Connection> {
  const client = new Client({ ...config, pipeline: true })
  /** Names that the next batch closes before its statements: behind one that fails the server would pass over it. */
  const unneeded = new Set<string>()
  const prepared = createBoundedMap<string, Prepared>(most_prepared, ({ name }) => unneeded.add(name))
  /** For each batch without an answer, whether it is a change. The server answers them in order. */
  const pending: boolean[] = []
  let heard_at = performance.now()
  let has_blocks = false
  /** The statements to send when the open block has its answer; `null` without such a block. */
  let behind_block: (() => void)[] | null = null

  /** Returns the prepared statement for a text and the types of its values. A new one may evict others. */
  function prepare(key: string): Prepared {
    const known = prepared.get(key)
    if (known) return known
    // Named by its text: behind a pooler that mixes sessions, a name never means the statement of another client.
    const name = `s${digestOf(key).slice(0, 32)}`
    const fresh = { name, preparing: null, stale: unneeded.delete(name), columns: null }
    prepared.set(key, fresh)
    return fresh
  }

  function sendStatement(wire: Wire, batch: object, statement_of_one_server: Sendable): Prepared {
    const { parts, values } = (has_blocks && statement_of_one_server.distributed) || statement_of_one_server
    const types = values.map(typeOf)
    const { text, name } = has_blocks ? bareTextOf(parts) : textOf(parts)
    let statement = prepare(`${name} ${types.join()}`)
    if (statement.preparing && statement.preparing !== batch) statement = { name: '', preparing: null, stale: false, columns: null }
    if (statement.columns === null && statement.preparing === null) {
      if (statement.stale) wire.close({ type: 'S', name: statement.name })
      wire.parse({ name: statement.name, text, types })
      wire.bind({ statement: statement.name, values: values.map(wireValue) })
      wire.describe({ type: 'P' })
      statement.preparing = batch
    } else wire.bind({ statement: statement.name, values: values.map(wireValue) })
    wire.execute()
    return statement
  }

  function send(statements: readonly Sendable[], is_read = false): Promise<readonly Result[]> {
    if (!has_blocks) {
      pending.push(!is_read)
      return submitBatch(statements)
    }
    if (is_read || statements.length < 2) return sendWhenFree(statements, is_read)
    return sendWhenFree([begin, ...statements, commit], false, leaveBlock).then((results) => results.slice(1, -1))
  }

  function sendWhenFree(statements: readonly Sendable[], is_read: boolean, afterBlock?: (is_undone: boolean) => void) {
    return new Promise<readonly Result[]>((resolve, reject) => {
      pending.push(!is_read)
      const submit = () => {
        if (afterBlock) behind_block = []
        submitBatch(statements, afterBlock).then(resolve, reject)
      }
      if (behind_block) behind_block.push(submit)
      else submit()
    })
  }

  /** The server still has the block open where a statement failed. */
  function leaveBlock(is_undone: boolean): void {
    const waiting = behind_block ?? []
    behind_block = null
    if (is_undone) sendWhenFree([rollback], false).catch(() => {}) // the connection is gone, and so is the block
    for (const [index, submit] of waiting.entries()) {
      submit()
      const again = behind_block as (() => void)[] | null // as: the block that was submitted holds the others back again
      if (again) {
        again.push(...waiting.slice(index + 1))
        return
      }
    }
  }

  function submitBatch(statements: readonly Sendable[], afterBlock?: (is_undone: boolean) => void): Promise<readonly Result[]> {
    return new Promise((resolve, reject) => {
      const sent: Prepared[] = []
      const results: Result[] = []
      let rows: (readonly unknown[])[] = []
      let fault: unknown = null

      const settle = () => {
        pending.shift()
        heard_at = performance.now()
      }
      // In pipeline mode `pg` accepts only its own query objects, since others might leave a portal open. This one leaves none open, and
      // sends several statements before one Sync.
      const batch = Object.assign(new Query({ text: '' }), {
        submit(connection: unknown) {
          const wire = connection as Wire // as: @types/pg describes an older protocol layer
          wire.stream.cork()
          for (const name of unneeded) wire.close({ type: 'S', name })
          unneeded.clear()
          for (const statement of statements) sent.push(sendStatement(wire, sent, statement))
          wire.sync()
          wire.stream.uncork()
        },
        handleRowDescription({ fields }: { fields: readonly Field[] }) {
          const statement = sent[results.length]
          if (!statement) return
          statement.columns = {
            names: fields.map(({ name }) => name),
            decoders: fields.map(({ dataTypeID }) => decoderOf(dataTypeID)),
          }
        },
        handleDataRow({ fields }: { fields: readonly (string | null)[] }) {
          try {
            rows.push(decoded(fields, sent[results.length]?.columns ?? no_columns))
          } catch (error) {
            fault ??= error // throwing here would end the process
          }
        },
        handleCommandComplete({ text }: { text: string }) {
          heard_at = performance.now()
          const statement = sent[results.length]
          if (statement?.preparing === sent) {
            statement.preparing = null
            statement.columns ??= no_columns
          }
          results.push({ changed: Number(/\d+$/.exec(text)?.[0] ?? 0), columns: (statement?.columns ?? no_columns).names, rows })
          rows = []
        },
        handleReadyForQuery() {
          settle()
          afterBlock?.(false)
          if (fault) reject(fault)
          else resolve(results)
        },
        handleError(error: unknown) {
          settle()
          for (const statement of sent.slice(results.length)) {
            if (statement.preparing !== sent) continue
            statement.preparing = null
            statement.columns = null
            statement.stale = true
          }
          afterBlock?.(true)
          reject(isRefusal(error) ? error : new ConnectionLost('The connection ended.', { cause: error }))
        },
      })
      if (pending.length === 1) heard_at = performance.now()
      client.query(batch)
    })
  }

  const connection: Connection = {
    get pending() {
      return pending.length
    },
    get server_pid() {
      return (client as unknown as { processID: number | null }).processID ?? 0 // as: @types/pg lacks it
    },
    get is_in_block() {
      return behind_block !== null
    },
    useBlocks() {
      has_blocks = true
    },
    send,
    ask: async (text) => (await client.query({ text, rowMode: 'array' })).rows[0]?.[0],
    silence_ms: () => (pending.length === 0 ? 0 : performance.now() - heard_at),
    waitsForChange: () => pending[0] === true,
    end: () => client.end(),
    destroy: () => client.connection.stream.destroy(),
  }
  client.on('error', () => onEnd(connection)) // without a listener it would end the process; the driver rejects the batches in flight
  client.on('end', () => onEnd(connection))
  await client.connect()
  return connection
}

/** The methods of the driver's connection that a query object uses. */
interface Wire {
  stream: { cork(): void; uncork(): void }
  parse(message: { name: string; text: string; types: readonly number[] }): void
  bind(message: { statement: string; values: readonly (string | null)[] }): void
  describe(message: { type: 'P' }): void
  execute(): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}

interface Field {
  name: string
  dataTypeID: number
}

/** A text for the server, and a short name of it: a lookup by the text would read some thousand characters for each statement. */
interface Text {
  readonly text: string
  readonly name: string
}

/** Puts `$1` and so on between the parts, once for each array of parts. */
const textOf = createTexts((parts) => parts)
/** The same without marks. */
const bareTextOf = createTexts(withoutMarks)

function createTexts(written: (parts: readonly string[]) => readonly string[]): (parts: readonly string[]) => Text {
  const texts = new WeakMap<readonly string[], Text>()
  return (parts) => {
    let known = texts.get(parts)
    if (!known) {
      const text = written(parts).reduce((all, part, index) => `${all}$${index}${part}`)
      known = { text, name: digestOf(text) }
      texts.set(parts, known)
    }
    return known
  }
}

const fixed = (text: string): Sendable => ({ parts: [text], values: [] })
const begin = fixed('begin')
const commit = fixed('commit')
const rollback = fixed('rollback')

const int8 = 20
const unspecified = 0

/**
 * Integers are declared as 64 bits wide, since PostgreSQL would infer 32 bits in `$1 = 1`. The server infers the type of texts and nulls,
 * so a null fits every column.
 */
const typeOf = (value: EncodedValue) => (typeof value === 'bigint' ? int8 : unspecified)
const wireValue = (value: EncodedValue) => (typeof value === 'bigint' ? String(value) : value)

/** Decodes numbers and booleans as SQLite has them. Other types stay text. */
function decoderOf(type: number): Decode {
  if (type === 20 || type === 21 || type === 23) return toInteger
  if (type === 700 || type === 701 || type === 1700) return Number // float4, float8 and numeric, the type of a sum of int8
  if (type === 16) return (text) => (text === 't' ? 1 : 0)
  return (text) => text
}

function toInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${text}, which no JavaScript number holds exactly.`)
  return value
}

const decoded = (fields: readonly (string | null)[], { decoders }: Columns): readonly unknown[] =>
  decoders.map((decode, i) => {
    const text = fields[i] ?? null
    return text === null ? null : decode(text)
  })
