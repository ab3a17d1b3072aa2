/** Rows that are planted while the service is stopped: far more than requests could create in the time of a survey. */
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { type Db, type Statement, sql } from '../server/src/db/db.ts'
import { createIndexWalk } from '../server/src/domain/users/index-walk.ts'

/** A batch has several statements, and the engines stop one that takes longer than two seconds. */
const rows_per_statement = 2_000
const zeros = '0'.repeat(23)

/** The id of the planted row with this number. It sorts before those that the service makes. */
export const plantedId = (prefix: string, number: number): string => `${prefix}_000${(zeros + number).slice(-23)}`

/** The same in SQL. */
export const plantedIdOf = (prefix: string, number: Statement): Statement =>
  sql`${`${prefix}_000`} || substr('00000000000000000000000' || ${number}, length('00000000000000000000000' || ${number}) - 22)`

/** Runs statements for the numbers below `count`, which are the rows `n.i` of the query that they get. */
export async function inParts(count: number, statements: (numbers: Statement) => Statement[], db: Db): Promise<void> {
  for (let first = 0; first < count; first += rows_per_statement) {
    const last = Math.min(count, first + rows_per_statement) - 1
    const numbers = sql`with recursive numbers (i) as (select cast(${first} as bigint) union all select i + 1 from numbers where i < ${last}) select i from numbers`
    await db.batch(statements(numbers))
  }
}

/** Makes the index of the search for planted users, as a service does after an upgrade. Returns how many seconds it took. */
export async function indexUsers(db: Db): Promise<number> {
  await db.run(sql`delete from deployment where name = 'user_search'`)
  const began = performance.now()
  await createIndexWalk({ db, now: () => new Date(), random: randomBytes }).finish()
  return (performance.now() - began) / 1_000
}

/** As autovacuum does within a minute. So many rows come at once here alone, and PostgreSQL would plan for the few from before. */
export async function refreshStatistics(database_url: string): Promise<void> {
  const client = new Client({ connectionString: database_url })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}
