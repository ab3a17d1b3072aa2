/**
 * On Citus each batch of two or more statements first fails at its end, once for each combination of statements, and then takes effect. The failed
 * one leaves nothing on any node, and the batch that is sent right behind it takes effect. `world()` puts this before the database in a run on
 * Citus, so the tests themselves make the table of batches.
 */
import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { Client } from 'pg'
import { placeOf } from '../../src/db/citus/placement.ts'
import { type Engine, type Owner, type Result, type Statement, sql } from '../../src/db/db.ts'

/** It fails on the node of another environment, as the last one of a batch. */
const failing = sql`insert into consents (environment_id, user_id) values ('env_that_fails', null)`
const hasFailed = (error: unknown): boolean => /null value in column "user_id"/.test(String(error))

const textOf = ({ parts, guard }: Statement): string => `${guard ?? ''} ${parts.join('?')}`
const targetsOf = (statements: readonly Statement[]): string[] => [
  ...new Set(statements.flatMap(({ parts }) => /^\s*(?:insert into|update|delete from) (\w+)/.exec(parts[0] ?? '')?.[1] ?? [])),
]

/** The gate of all writes of the processes of one database: one that judges a batch runs alone. */
interface Gate {
  running: Set<Promise<unknown>>
  judging: Promise<unknown> | null
}
const gates = new Map<string, Gate>()
const tried = new Set<string>()

/** The batches that tests hold up now. Meanwhile no batch is judged: it would wait for a held one, and others for it. */
export const held_by_tests = new Set<object>()

/** @param nodes the URLs of the database on each node */
export function undoneFirst(engine: Engine, nodes: readonly string[]): Engine {
  const gate: Gate = gates.get(nodes[0] ?? '') ?? { running: new Set(), judging: null }
  gates.set(nodes[0] ?? '', gate)
  let clients: Promise<Client[]> | null = null
  function connected(): Promise<Client[]> {
    clients ??= Promise.all(
      nodes.map(async (connectionString) => {
        const client = new Client({ connectionString })
        client.on('error', () => {}) // a test may end the server
        await client.connect()
        return client
      }),
    )
    return clients
  }

  /** Counts and digests of the tables: of those that are on each node from each, of the others from the first. */
  async function digestOf(tables: readonly string[]): Promise<string> {
    const all = await connected()
    const found = await Promise.all(
      all.map(async (client, index) => {
        const here = tables.filter((table) => index === 0 || placeOf(table) === 'everywhere')
        if (here.length === 0) return []
        const query = here.map(
          (table) => `select '${table}' as name, count(*), coalesce(sum(hashtext(cast(t as text))), 0) as digest from ${table} t`,
        )
        return (await client.query(query.join(' union all '))).rows
      }),
    )
    return JSON.stringify(found.map((rows) => rows.sort((a, b) => (a.name < b.name ? -1 : 1))))
  }

  async function judge(statements: readonly Statement[], owner: Owner, key: string): Promise<readonly Result[]> {
    const tables = targetsOf(statements)
    const before = await digestOf(tables)
    const outcome = await engine.write([...statements, failing], owner).catch((error: unknown) => error)
    assert.equal(await digestOf(tables), before, `A batch that failed left something behind: ${key}`)
    // Where a guard refuses the batch, another batch of these statements may still succeed.
    if (!hasFailed(outcome)) return engine.write(statements, owner)
    tried.add(key)
    note(key)
    const [failed, behind] = await Promise.allSettled([engine.write([...statements, failing], owner), engine.write(statements, owner)])
    assert.equal(failed.status, 'rejected')
    if (behind.status === 'rejected') throw behind.reason
    return behind.value
  }

  async function write(statements: readonly Statement[], owner: Owner): Promise<readonly Result[]> {
    while (gate.judging) await gate.judging.catch(() => {})
    const key = statements.map(textOf).join('; ')
    if (statements.length < 2 || tried.has(key) || held_by_tests.size > 0) {
      const written = engine.write(statements, owner)
      gate.running.add(written)
      return written.finally(() => gate.running.delete(written))
    }
    const judged = Promise.allSettled(gate.running).then(() => judge(statements, owner, key))
    gate.judging = judged
    return judged.finally(() => {
      if (gate.judging === judged) gate.judging = null
    })
  }

  return {
    ...engine,
    write,
    writeLater(statements, owner) {
      const written = write(statements, owner)
      written.catch(() => {}) // the caller gets the error from `written`
      return () => written
    },
    async close() {
      for (const client of clients ? await clients : []) await client.end()
      await engine.close()
    },
  }
}

/** Each process of a run appends to the file of the run. */
function note(key: string): void {
  const path = process.env.OSTIARY_TEST_CITUS_BATCHES
  if (path) appendFileSync(path, `${JSON.stringify(key)}\n`)
}
