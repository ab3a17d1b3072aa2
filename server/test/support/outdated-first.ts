/**
 * On PostgreSQL each request to an issuer, except the forms of its pages, begins with an outdated one, and so begins again from the start.
 * `world()` puts this before the database, so the tests themselves show that the first pass leaves nothing: no row, event or mail, no count,
 * line or outgoing call.
 */
import type { Engine } from '../../src/db/db.ts'

/** No remembered environment is current (`oidc/issuer.ts`). */
export function outdatedFirst(engine: Engine): Engine {
  return {
    ...engine,
    async lookUp(statement, owner) {
      const found = await engine.lookUp(statement, owner)
      return found.columns.includes('current_id') ? { ...found, rows: [] } : found
    },
  }
}
