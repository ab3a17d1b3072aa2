/** Puts methods of a test in the place of those of a database and of all its handles. */
import type { Db, Handle, Statement } from '../../src/db/db.ts'

type Methods = Handle<Statement>
type MethodsOf = (real: Methods) => Partial<Methods>

/** Until the returned function is called. */
export function replaceMethods(db: Db, methodsOf: MethodsOf): () => void {
  const { of, many, all, maybeOne, changeOne, run, batch, batchLater } = db
  const own = { all, maybeOne, changeOne, run, batch, batchLater }
  const replaced = (real: Methods): Methods => ({ ...real, ...methodsOf(real) })
  Object.assign(db, replaced(own), {
    of: (...id: Parameters<typeof of>) => replaced(of(...id) as unknown as Methods),
    many: replaced(many),
  }) // as: a test sends any statement
  return () => void Object.assign(db, own, { of, many })
}

/** A copy of the database with other methods. */
export function withMethods(db: Db, methodsOf: MethodsOf): Db {
  const copy = { ...db }
  replaceMethods(copy, methodsOf)
  return copy
}

/** A database that is nothing but these methods. */
export const onlyMethods = (methods: object): Db => ({ ...methods, of: () => methods, many: methods }) as unknown as Db // as: the methods that the use calls
