/**
 * Conditions on the environment of a row. A statement about an environment gives its id as a value for each table that it reads, so that a
 * database which is distributed by environments finds the one node that has them all (decision 0143).
 *
 * A mark follows the column in these conditions: with it PostgreSQL and SQLite enter no index by the environment alone. Only this file
 * writes it, and the engine of a distributed database takes it away (`withoutMarks`), since a node is found by the bare column and the value.
 *
 * - A join by `sameEnvironment` compares the scopes of both rows, and has the value without using it. By a value alone PostgreSQL knows that all
 *   rows are of one environment, and while it has no statistics for new tables, it reads all users of the environment first.
 * - A statement about one user or account that sorts, groups or names several of them uses `inEnvironment`. SQLite prefers an index by the
 *   environment for the order or the group, and reads the whole environment.
 * - A list of a large object that ends by its limit uses `likelyInEnvironment`. PostgreSQL takes an equation of a computed value for one that few
 *   rows meet, so it would read and sort all rows of the object, and not walk over an index until the limit.
 * - A subquery by the whole key of a row compares the bare column with the value.
 *
 * `server/test/statement-plans.test.ts` has the statements about one user, account or token. Add yours.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { identifiers, type OfEnvironment, type Statement, sql } from './db.ts'

const known = new Map<string, Statement>()

/** Builds a text once for its names, so that engines recognise it. */
function once(names: string, build: () => Statement): Statement {
  const built = known.get(names) ?? build()
  known.set(names, built)
  return built
}

/** The same condition with another environment, for one whose values are all the environment. */
export function aboutEnvironment(condition: Statement, environment_id: EnvironmentId): OfEnvironment {
  return { ...condition, values: condition.values.map(() => environment_id) } as Statement as OfEnvironment // as: its values are the environment
}

/** A row is of the environment; no index is entered by that. */
export const inEnvironment = (environment_id: EnvironmentId, alias = ''): OfEnvironment =>
  aboutEnvironment(
    once(alias, () => sql`${unindexed(alias)} = ${''}`),
    environment_id,
  )

/** A row is of the environment, as most are that meet the other conditions; no index is entered by that. */
export const likelyInEnvironment = (environment_id: EnvironmentId, alias: string): OfEnvironment =>
  aboutEnvironment(
    once(`${alias}?`, () => sql`(${identifiers(alias)}.environment_id = ${''}) is true`),
    environment_id,
  )

/** Two rows are of the environment: the first is found by the key of which the scope of the second is the beginning. */
export const sameEnvironment = (own: string, other: string, environment_id: EnvironmentId): OfEnvironment =>
  aboutEnvironment(
    once(`${own} ${other}`, () => sql`${identifiers(own)}.environment_id = ${identifiers(other)}.environment_id || substr(${''}, 1, 0)`),
    environment_id,
  )

/** The column as an expression that PostgreSQL and SQLite do not take for the column of an index. */
export const unindexed = (alias = '', column = 'environment_id'): Statement =>
  once(`${alias}.${column}`, () => {
    const name = identifiers(column)
    return alias === '' ? sql`${name} || ''` : sql`${identifiers(alias)}.${name} || ''`
  })

/** The text between the values without marks, for an engine that finds the node of a row by the bare column and the value. */
export const withoutMarks = (parts: readonly string[]): string[] =>
  parts.map((part, index) => {
    const bare = part.replaceAll(/\benvironment_id \|\| ''/g, 'environment_id').replace(before_value, '')
    const before = parts[index - 1] ?? ''
    if (before_likely.test(before)) return bare.replace(after_likely, ')')
    return before_value.test(before) ? bare.replace(after_value, '') : bare
  })

const before_value = /\w+\.environment_id \|\| substr\($/
const after_value = /^, 1, 0\)/
const before_likely = /\(\w+\.environment_id = $/
const after_likely = /^\) is true/

/**
 * Marks a statement about rows of the coordinator, or a change of rows that are on every node: a distributed database sends the batch of an
 * environment elsewhere for it (decision 0148). `insertInto` knows it by the table.
 */
const living =
  (lives: NonNullable<Statement['lives']>): typeof sql =>
  (strings, ...values) => ({ ...sql(strings, ...values), lives })

/** `sql` for a statement about rows of the coordinator. */
export const atCoordinator = living('at the coordinator')
/** `sql` for a change of rows that each node has. */
export const onEveryNode = living('on every node')
