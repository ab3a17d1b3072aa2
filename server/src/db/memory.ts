/**
 * The row cache: keeps the result of a query until a commit changes a table that the query names. It serves an engine that knows of
 * every commit at once. Each result is stored with the version of its tables from before the query, and is used only while the version
 * is the same, so no change can be missed.
 *
 * Memory is bounded in bytes. Values come from requests, so a query with a long value is not cached. Results live in two generations:
 * a used result moves to the young one, and when the young one is full, it becomes the old one and the old one is dropped.
 */
import type { Statement } from './db.ts'
import { createStatementKeys } from './statement-key.ts'

/** The size of one generation. */
const most_bytes = 8 * 1_048_576
/** Keys of rows, such as ids, digests and addresses, are shorter. */
const longest_values = 1_000
/** The size of an entry without its texts. */
const overhead_bytes = 400

export type CachedRead = ReturnType<typeof createRowCache>['read']

interface Entry {
  readonly version: number
  readonly result: Promise<unknown>
  readonly bytes: number
}

/** @param versionOf returns another number after every commit that may change the result of a statement */
export function createRowCache(versionOf: (statement: Statement) => number, limit_bytes = most_bytes) {
  const keyOf = createStatementKeys(longest_values)
  let young = new Map<string, Entry>()
  let old = new Map<string, Entry>()
  let young_bytes = 0
  let old_bytes = 0

  function keep(key: string, entry: Entry): void {
    if (young_bytes + entry.bytes > limit_bytes) [old, old_bytes, young, young_bytes] = [young, young_bytes, new Map(), 0]
    young_bytes += entry.bytes - (young.get(key)?.bytes ?? 0)
    young.set(key, entry)
  }

  function find(key: string, version: number): Entry | undefined {
    const young_one = young.get(key)
    if (young_one) return young_one.version === version ? young_one : undefined
    const old_one = old.get(key)
    if (old_one?.version !== version) return undefined
    keep(key, old_one)
    return old_one
  }

  /** Returns the cached result, or runs the query. The result is shared, so it is frozen. */
  function read<T>(statement: Statement, query: () => T | Promise<T>): Promise<T> {
    try {
      const version = versionOf(statement)
      const key = keyOf(statement)
      const known = key === null ? undefined : find(key, version)
      if (known) return known.result as Promise<T> // as: the same text always returns the same type
      const found = query()
      if (key === null) return Promise.resolve(found)
      const keepFound = (row: T): T => {
        const bytes = overhead_bytes + 2 * key.length + sizeOf(row)
        if (bytes <= limit_bytes / 8) keep(key, { version, result, bytes })
        return Object.freeze(row)
      }
      const result: Promise<T> = found instanceof Promise ? found.then(keepFound) : Promise.resolve(found)
      if (!(found instanceof Promise)) keepFound(found)
      return result
    } catch (error) {
      return Promise.reject(error) // callers expect a rejected promise
    }
  }

  return { read, bytes: () => young_bytes + old_bytes }
}

/** Estimates the size of a decoded row in bytes. Stored values have bounded nesting. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 16 + 2 * value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = 32
  for (const each of Object.values(value)) bytes += 16 + sizeOf(each)
  return bytes
}
