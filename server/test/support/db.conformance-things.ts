/** The tables of the conformance tests. */
import { z } from 'zod'
import { type Db, sql } from '../../src/db/db.ts'

export const things = `create table things (
  id text primary key,
  label text,
  number {int},
  flag {int} not null default 0,
  at {int},
  document text not null default '{}',
  unique (label)
)`
export const children = 'create table children (id text primary key, thing_id text not null references things (id))'

const Thing = z.object({
  id: z.string(),
  label: z.string().nullable(),
  number: z.int().nullable(),
  flag: z.boolean(),
  at: z.date().nullable(),
  document: z.record(z.string(), z.unknown()),
})
const columns = sql`id, label, number, flag, at, document`
export const find = (db: Db, id: string) => db.maybeOne(Thing, sql`select ${columns} from things where id = ${id}`)
export const Id = z.object({ id: z.string() })
export const Number_ = z.object({ number: z.int() })

let ids = 0
export const newId = () => `thing_${++ids}`

/** An empty thing with a new id. */
export async function makeThing(db: Db): Promise<string> {
  const id = newId()
  await db.run(sql`insert into things (id) values (${id})`)
  return id
}
