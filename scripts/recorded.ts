/**
 * Reads what `server/test/support/record.mjs` wrote: the batches of a run, with what each statement does to which table, and the source
 * files that each test file ran. It knows the subset of SQL that the service uses (see `server/src/db/db.ts`): one table after `insert into`, `update` or `delete from`, and the
 * tables that are read after `from` and `join`.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Recorded {
  readonly text: string
  readonly guard: boolean
  /** See `guardOfKey`. */
  readonly is_of_key: boolean
  /** See `atCoordinator` and `onEveryNode`. */
  readonly lives?: 'at the coordinator' | 'on every node' | undefined
  readonly does: 'insert' | 'update' | 'delete' | 'select'
  /** The table that the statement changes; `null` for a query. */
  readonly target: string | null
  /** The tables whose rows decide what the statement does, beside the rows that it changes. */
  readonly reads: ReadonlySet<string>
}

export interface RecordedBatch {
  /** A test file that sent it; the others are not in the record. */
  readonly file: string
  readonly engine: string
  /** Whom it is sent about; `another`: the environment of its handle is not that of a statement. */
  readonly owner: 'environment' | 'another' | 'none' | 'many'
  /** Whether a guard refused it, which is a record beside the one of the batch. */
  readonly is_refused: boolean
  readonly statements: readonly Recorded[]
}

export interface Record {
  /** A combination of statements once for each file and engine. */
  readonly batches: RecordedBatch[]
  /** The source files of which a function ran, by test file. */
  readonly ran: ReadonlyMap<string, ReadonlySet<string>>
}

type Line =
  | ({ id: number } & Pick<Recorded, 'text' | 'guard' | 'is_of_key' | 'lives'>)
  | ({ ids: number[] } & Pick<RecordedBatch, 'file' | 'engine' | 'owner' | 'is_refused'>)
  | { file: string; ran: readonly string[] }

export function readRecord(folder: string): Record {
  const known = new Map<string, Recorded>()
  const ran = new Map<string, Set<string>>()
  const batches = globSync('*.jsonl', { cwd: folder }).flatMap((name) => {
    // A killed process may leave a part of a line.
    const lines = readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .flatMap((line): Line[] => (line.endsWith('}') ? [JSON.parse(line)] : []))
    for (const line of lines) if ('ran' in line) ran.set(line.file, new Set([...(ran.get(line.file) ?? []), ...line.ran]))
    return batchesOf(lines, known)
  })
  return { batches, ran }
}

function batchesOf(lines: readonly Line[], known: Map<string, Recorded>): RecordedBatch[] {
  const by_id = new Map<number, Recorded>()
  const batches: RecordedBatch[] = []
  for (const line of lines) {
    if ('ids' in line) {
      const statements = line.ids.flatMap((id) => by_id.get(id) ?? [])
      batches.push({ file: line.file, engine: line.engine, owner: line.owner, is_refused: line.is_refused, statements })
    }
    if (!('text' in line)) continue
    const key = `${line.guard} ${line.is_of_key} ${line.lives} ${line.text}`
    const statement = known.get(key) ?? { ...parse(line.text, line.guard, line.is_of_key), lives: line.lives }
    known.set(key, statement)
    by_id.set(line.id, statement)
  }
  return batches
}

const verbs = /^(?:(insert) into|(update)|(delete) from) ([a-z_0-9]+)/

/** Parses one statement. */
export function parse(text: string, guard: boolean, is_of_key = false): Recorded {
  const [head = '', insert, update, remove, target = null] = verbs.exec(text) ?? []
  const does = insert ? 'insert' : update ? 'update' : remove ? 'delete' : 'select'
  return { text, guard, is_of_key, does, target, reads: tablesRead(text.slice(head.length)) }
}

const words_after_table = new Set(['where', 'on', 'join', 'left', 'group', 'order', 'limit', 'union', 'having', 'returning', 'and', 'set'])

/** The names after `from` and `join`, also in a list: `from a x, b y`. Names that a statement gives to its own queries are left out. */
function tablesRead(text: string): Set<string> {
  const tokens = text.replace(/'[^']*'/g, "''").match(/[a-z_0-9]+|[(),.]/gi) ?? []
  const found = new Set<string>()
  for (let index = 0; index < tokens.length; index++) {
    const word = tokens[index]
    if (word !== 'from' && word !== 'join') continue
    for (let next = index + 1; isName(tokens[next]); ) {
      found.add(tokens[next] ?? '')
      next += 1
      if (tokens[next] === 'as') next += 1
      if (isName(tokens[next]) && !words_after_table.has(tokens[next] ?? '')) next += 1
      if (tokens[next] !== ',') break
      next += 1
    }
  }
  for (const [, name = ''] of text.matchAll(/\b(\w+) as \(select\b/g)) found.delete(name)
  return found
}

const isName = (token: string | undefined): boolean => token !== undefined && /^[a-z_]/i.test(token)
