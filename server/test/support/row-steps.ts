/** Reads and writes of three small tables, which the processes of `row-memory.test.ts` send to each other and a model repeats. */
import { z } from 'zod'
import { type Db, type Statement, sql } from '../../src/db/db.ts'

export const tables = {
  number: 1,
  name: 'tests',
  oldest_program: 1,
  statements: ['a', 'b', 'c'].map((name) => `create table ${name} (id {int} primary key, n {int} not null)`),
}

export interface Read {
  readonly read: 'one' | 'joined' | 'sum'
  readonly id: number
}

export interface Write {
  readonly write: 'set' | 'add' | 'delete' | 'copy' | 'replace' | 'with'
  readonly id: number
  readonly n: number
}

export type Step = Read | Write

const Found = z.object({ n: z.int().nullable() })

/** Statements of each form that the engine knows, and of others. */
const statements: Record<Write['write'], (step: Write) => Statement> = {
  set: ({ id, n }) => sql`insert into a (id, n) values (${id}, ${n}) on conflict (id) do update set n = excluded.n`,
  add: ({ id, n }) => sql`update a set n = n + ${n} where id = ${id}`,
  delete: ({ id }) => sql`delete from a where id = ${id}`,
  copy: ({ id }) => sql`insert into b (id, n) select id, n from a where id = ${id} on conflict (id) do update set n = excluded.n`,
  replace: ({ id, n }) => sql`replace into c (id, n) values (${id}, ${n})`,
  with: ({ id }) =>
    sql`with found as (select n from b where id = ${id}) update c set n = (select n from found) where exists (select 1 from found)`,
}

const queries: Record<Read['read'], (id: number) => Statement> = {
  one: (id) => sql`select n from a where id = ${id}`,
  joined: (id) => sql`select a.n + b.n as n from a join b on b.id = a.id where a.id = ${id}`,
  sum: (id) => sql`select sum(n) as n from c where id <= ${id}`,
}

/** Returns the number that was read; `null` for none, and after a write. */
export async function takeStep(db: Db, step: Step): Promise<number | null> {
  if ('read' in step) return (await db.maybeOne(Found, queries[step.read](step.id)))?.n ?? null
  await db.run(statements[step.write](step))
  return null
}

export type Model = Readonly<Record<'a' | 'b' | 'c', ReadonlyMap<number, number>>>

export const empty: Model = { a: new Map(), b: new Map(), c: new Map() }

/** Returns the model after a write. */
export function written({ a, b, c }: Model, { write, id, n }: Write): Model {
  const copied = a.get(id)
  const found = b.get(id)
  switch (write) {
    case 'set':
      return { a: new Map(a).set(id, n), b, c }
    case 'add':
      return { a: copied === undefined ? a : new Map(a).set(id, copied + n), b, c }
    case 'delete':
      return { a: new Map([...a].filter(([each]) => each !== id)), b, c }
    case 'copy':
      return { a, b: copied === undefined ? b : new Map(b).set(id, copied), c }
    case 'replace':
      return { a, b, c: new Map(c).set(id, n) }
    case 'with':
      return { a, b, c: found === undefined ? c : new Map([...c.keys()].map((each) => [each, found])) }
  }
}

/** Returns what a read of the model gives. */
export function readFrom({ a, b, c }: Model, { read, id }: Read): number | null {
  const [of_a, of_b] = [a.get(id), b.get(id)]
  if (read === 'one') return of_a ?? null
  if (read === 'joined') return of_a === undefined || of_b === undefined ? null : of_a + of_b
  const summed = [...c].filter(([each]) => each <= id)
  return summed.length === 0 ? null : summed.reduce((sum, [, n]) => sum + n, 0)
}
