/**
 * Reads what `server/test/support/record.mjs` wrote: the batches of a run, with what each statement does to which table, and the source
 * files that each test file ran.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSql, type Statement } from './sql-blocks.ts'

export interface Recorded extends Pick<Statement, 'does' | 'target' | 'reads'> {
  readonly text: string
  readonly guard: boolean
  /** See `guardOfKey`. */
  readonly is_of_key: boolean
  /** See `atCoordinator` and `onEveryNode`. */
  readonly lives?: 'at the coordinator' | 'on every node' | undefined
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

/** Says what one statement does. */
export function parse(text: string, guard: boolean, is_of_key = false): Recorded {
  const { does, target, reads } = readSql(text)
  return { text, guard, is_of_key, does, target, reads }
}
