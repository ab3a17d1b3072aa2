/**
 * The claim `sub` of a user: what was given at the creation, else the id (decision 0208). The column is null where none was given, and is
 * read here alone. Events, sessions and users are subjects that do not know each other, so this stands below them.
 */
import { type Statement, sql } from './db.ts'

/** The `sub` of a row of `users` with this alias. */
export const subOf = (u: Statement): Statement => sql`coalesce(${u}.sub, ${u}.id)`

/** The same of a row that names its user, such as a session. It keeps the `sub` after the user is gone, for its logout tokens. */
export const subOfOwner = (row: Statement): Statement => sql`coalesce(${row}.sub, ${row}.user_id)`
