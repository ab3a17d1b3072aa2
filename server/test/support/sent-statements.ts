/** The statements that the service sends for requests. Of two requests that send the same ones, neither takes longer by what was found. */
import { currentTrace } from '../../src/base/trace.ts'
import type { Db, Statement } from '../../src/db/db.ts'
import { replaceMethods } from './db-methods.ts'

/** Requests with this header have a trace, and background work has none. */
export const traced = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }

/** A process reads its issuers again whenever something of them may have changed, whatever is asked. */
const isOfIssuer = (text: string) => /e\.roles_version|from (signing_keys|es256_keys)/.test(text)

/** Returns a function that does something, and returns the texts of the statements that traced requests sent meanwhile, in order. */
export function recordStatements(db: Db): (act: () => Promise<unknown>) => Promise<string[]> {
  let sent: string[] = []
  const note = (...statements: readonly Statement[]) => {
    if (currentTrace() !== null) sent.push(...statements.map(({ parts }) => parts.join('?')).filter((text) => !isOfIssuer(text)))
  }
  replaceMethods(db, ({ all, maybeOne, changeOne, run, batch, batchLater }) => ({
    all(schema, statement) {
      note(statement)
      return all(schema, statement)
    },
    maybeOne(schema, statement) {
      note(statement)
      return maybeOne(schema, statement)
    },
    changeOne(schema, statement) {
      note(statement)
      return changeOne(schema, statement)
    },
    run(statement) {
      note(statement)
      return run(statement)
    },
    batch(statements) {
      note(...statements)
      return batch(statements)
    },
    batchLater(statements) {
      note(...statements)
      return batchLater(statements)
    },
  }))
  return async (act) => {
    sent = []
    await act()
    return sent
  }
}
