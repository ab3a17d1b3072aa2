/**
 * An engine that holds a request to its premise (`base/premise.ts`). The question goes out beside the first look-ups of the request. Their
 * results, and their failures, reach it after the answer; a change is sent after it.
 */
import { confirmation } from '../../base/premise.ts'
import type { Engine } from '../db.ts'

export function premised(engine: Engine): Engine {
  return {
    ...engine,
    read: (statement, owner) => beside(() => engine.read(statement, owner)),
    lookUp: (statement, owner) => beside(() => engine.lookUp(statement, owner)),
    write: (statements, owner) => behind(() => engine.write(statements, owner)),
    writeLater(statements, owner) {
      const confirmed = confirmation()
      if (!confirmed) return engine.writeLater(statements, owner)
      const written = confirmed.then(() => engine.writeLater(statements, owner)())
      written.catch(() => {}) // the caller gets the error from `written`
      return () => written
    },
  }
}

function beside<T>(query: () => T | Promise<T>): T | Promise<T> {
  const confirmed = confirmation()
  if (!confirmed) return query()
  const found = Promise.resolve(query())
  found.catch(() => {}) // the caller gets the error after the confirmation
  return confirmed.then(() => found)
}

function behind<T>(change: () => Promise<T>): Promise<T> {
  const confirmed = confirmation()
  return confirmed ? confirmed.then(change) : change()
}
