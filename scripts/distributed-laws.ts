/**
 * The laws by which a statement also runs on a database that is distributed over several nodes (decision 0143). They cost one server
 * nothing. An exception is in `recorded-exceptions.ts`.
 */
import { distributionColumn, placeOf } from '../server/src/db/citus/placement.ts'
import type { Recorded, RecordedBatch } from './recorded.ts'
import { of_all_environments } from './recorded-exceptions.ts'
import { allBlocks, type Block, blocksOf, type Table } from './sql-blocks.ts'

interface Found {
  readonly law: string
  readonly what: string
}

const parsed = new Map<string, Block[]>()

function blocks(text: string): Block[] {
  const known = parsed.get(text) ?? blocksOf(text)
  parsed.set(text, known)
  return known
}

/** The offences of one statement. */
export function* distributedOffences({ text, does, target }: Recorded): Generator<Found> {
  const outer = blocks(text)
  const all = [...allBlocks(outer)]
  if (does === 'insert' && /\bvalues \(/.test(text) && allBlocks(outer.flatMap(({ inner }) => inner)).next().done === false)
    yield { law: 'no insert of values has a subquery', what: text }

  if (does === 'insert' && !/\bvalues \(/.test(text) && / on conflict .*\?/.test(text))
    yield { law: 'an insert that selects has no value after on conflict', what: text }

  const written = placeOf(target ?? '')
  if (does === 'update' || does === 'delete')
    for (const { tables } of all)
      for (const { name } of tables) {
        const read = placeOf(name)
        if (!read || !written || name === target) continue
        const mixes = isDistributed(written) ? read === 'coordinator' : isDistributed(read)
        if (mixes) yield { law: 'no change reads a table that lives elsewhere', what: `${name}, read by: ${text}` }
      }

  if (isSweep(text) || of_all_environments.some(({ write }) => text.startsWith(write))) return
  for (const block of all) yield* withoutEnvironment(block, text)
  yield* environmentsOfOthers(outer, [], text)
}

/** A statement is sent by the handle of its rows, and says where it lives where the handle does not (decision 0148). */
export function* misdirected({ text, target, lives }: Recorded, owner: RecordedBatch['owner']): Generator<Found> {
  const all = [...allBlocks(blocks(text))]
  const places = new Set(all.flatMap((block) => [block.target ?? '', ...block.tables.map(({ name }) => name)]).map(placeOf))
  const changes_every_node = placeOf(target ?? '') === 'everywhere'
  if (owner === 'another') yield { law: 'a handle sends statements about its own environment', what: text }
  if (owner === 'many' ? false : lives !== 'on every node' && (places.has('scope') || changes_every_node))
    yield { law: 'a statement that changes rows of every node says so (onEveryNode)', what: text }
  if (owner === 'environment' && lives === undefined && places.has('coordinator'))
    yield { law: 'a statement about rows of the coordinator says so (atCoordinator)', what: text }
  if (owner === 'none' && places.has('environment') && lives === undefined)
    yield { law: 'a statement about rows of an environment is sent by its handle (db.of), or by that of many (db.many)', what: text }
  if (
    (lives === 'at the coordinator' && !places.has('coordinator')) ||
    (lives === 'on every node' && !places.has('scope') && !changes_every_node)
  )
    yield { law: 'no statement says that it lives elsewhere', what: text }
}

/** A slice of what is over, by the whole keys of rows of any environment, or the next rows in the order of the key. */
const isSweep = (text: string): boolean =>
  /^delete from \w+ where \((environment|scope)_id, [\w, ]+\) in \(select (environment|scope)_id, /.test(text) ||
  /^select .* where \((\w+\.)?environment_id, [\w., ]+\) > \(\?…\)/.test(text)

const isDistributed = (place: string) => place === 'environment' || place === 'scope'

/** Each table of environments is narrowed to one by a value, in its own block. */
function* withoutEnvironment(block: Block, text: string): Generator<Found> {
  const law = 'a statement gives the environment as a value for each table'
  for (const table of block.tables) {
    const column = distributionColumn(table.name)
    if (column !== null && !block.conditions.some((condition) => givesValue(condition, table, column, block)))
      yield { law, what: `${table.alias} of: ${text}` }
  }
  const column = distributionColumn(block.target ?? '')
  if (block.does !== 'insert' || column === null) return
  const given = block.columns.get(column) ?? ''
  const is_given = /^(\?|'|cast \(\?)/.test(given) || [...block.columns.values()].includes('?…') || isColumn(given, column)
  if (!is_given) yield { law, what: `${given} for ${block.target} of: ${text}` }
}

/** The column of a row that the query of an insert reads, whose environment is given there. */
const isColumn = (given: string, column: string): boolean => given === column || given.endsWith(`.${column}`)

function givesValue(condition: string, { alias }: Table, column: string, block: Block): boolean {
  const alone = block.tables.filter(({ name }) => distributionColumn(name) !== null || placeOf(name) === 'coordinator').length === 1
  const names = alone ? [`${alias}.${column}`, column] : [`${alias}.${column}`]
  return names.some((name) => {
    const value = `(\\?|'[^']*')( \\|\\| '')?`
    const side = `${name.replace('.', '\\.')}( \\|\\| '')?`
    const joined = `${side} = \\w+\\.${column} \\|\\| substr \\(\\? , 1 , 0\\)`
    return new RegExp(`^(${side} = ${value}|${value} = ${side}|${joined})$`).test(condition)
  })
}

/** No block compares its environment with that of a row outside of it. */
function* environmentsOfOthers(all: readonly Block[], outside: readonly string[], text: string): Generator<Found> {
  for (const block of all) {
    const own = block.tables.map(({ alias }) => alias)
    for (const condition of block.conditions) {
      const [, left, right] =
        /^(\w+)\.(?:environment|scope)_id(?: \|\| '')? = (\w+)\.(?:environment|scope)_id(?: \|\| '')?$/.exec(condition) ?? []
      if (
        left &&
        right &&
        (!own.includes(left) || !own.includes(right)) &&
        [left, right].some((name) => outside.includes(name) || !own.includes(name))
      )
        yield { law: 'no subquery takes the environment from another row', what: `${condition}, in: ${text}` }
    }
    yield* environmentsOfOthers(block.inner, [...outside, ...own], text)
  }
}
