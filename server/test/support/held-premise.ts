/** Holds the answer to the question whether a remembered issuer is current (`oidc/issuer.ts`), and sees what reaches its request before. */
import { confirmation } from '../../src/base/premise.ts'
import type { Engine, Statement } from '../../src/db/db.ts'

const isQuestion = ({ parts }: Statement) => parts.some((part) => part.includes('as current_id'))
/** The question that is asked in turn. */
const isStamp = ({ parts }: Statement) => parts.some((part) => part.includes('as stamp'))

export function createHold() {
  let gate: PromiseWithResolvers<void> | null = null
  const seen = { questions: 0, stamps: 0, early: [] as string[] }

  /** What work on a premise gets from the database, or has changed there, before the answer. */
  function watched<T>(what: string, call: () => T | Promise<T>): Promise<T> {
    const is_premised = confirmation() !== null
    const done = Promise.resolve(call())
    if (is_premised)
      done.then(
        () => {
          if (gate) seen.early.push(what)
        },
        () => {},
      )
    return done
  }

  return {
    seen,
    /** Stands before the database of a service. */
    database: (engine: Engine): Engine => ({
      ...engine,
      read: (statement, owner) => watched('a read', () => engine.read(statement, owner)),
      async lookUp(statement, owner) {
        if (isStamp(statement)) seen.stamps += 1
        const rows = await watched('a look-up', () => engine.lookUp(statement, owner))
        if (!isQuestion(statement)) return rows
        seen.questions += 1
        await gate?.promise
        return rows
      },
      write: (statements, owner) => watched('a write', () => engine.write(statements, owner)),
      writeLater(statements, owner) {
        const written = engine.writeLater(statements, owner)
        return () => watched('a write', written)
      },
    }),
    close() {
      gate = Promise.withResolvers()
      Object.assign(seen, { questions: 0, stamps: 0, early: [] })
    },
    open() {
      gate?.resolve()
      gate = null
    },
  }
}
