/**
 * The keys by which filters of events enter their indexes (decision 0140). Two ids of 30 characters were most of each entry, so a key has the
 * last characters of one id. Rows that only share these are read too, and the filter compares the whole ids. The first migration has the same
 * expressions. They belong to indexes, so they never change.
 */
import { identifiers, join, type Statement, sql } from './db.ts'

interface Part {
  /** The part as both engines compute it from the column. */
  of(column: Statement): Statement
  /** The part of a value. */
  valueOf(value: string): string
}

/** The last seven characters: of an id of ours, 35 bits of chance. With the dots the start is positive; below it the engines differ. */
const last_characters: Part = {
  of: (column) => sql`substr('......' || ${column}, length(${column}))`,
  valueOf: (id) => `......${id}`.slice(-7),
}

/** The first four characters, and four from the eighth last: few kinds of events have the same ones, of organizations and of their members. */
const characters_of_type: Part = {
  of: (column) => sql`substr(${column}, 1, 4) || substr(${column}, length(${column}) - 7, 4)`,
  valueOf: (type) => type.slice(0, 4) + type.slice(-8, -4),
}

const parts = {
  environment_id: last_characters,
  user_id: last_characters,
  application_id: last_characters,
  request_id: last_characters,
  type: characters_of_type,
}
type Column = keyof typeof parts

// biome-ignore format: this table is read by column
const keys = {
  events_of_type:                 ['environment_id', 'type'],
  events_of_user:                 ['user_id'],
  events_of_user_and_type:        ['user_id', 'type'],
  events_of_application:          ['application_id'],
  events_of_application_and_type: ['application_id', 'type'],
  events_of_request:              ['request_id'],
} as const satisfies Record<string, readonly Column[]>
export type EventIndex = keyof typeof keys

export const event_indexes = Object.keys(keys) as EventIndex[] // as: the keys of the table above

const expressionOf = (index: EventIndex, prefix: Statement) =>
  join(
    keys[index].map((column) => parts[column].of(sql`${prefix}${identifiers(column)}`)),
    ' || ',
  )

/** The expression of an index, as the migration has it. */
export const keyOf = (index: EventIndex): string => expressionOf(index, sql``).parts.join('')

const aliases = { events: sql`events.`, v: sql`v.` }
/** Once for each text, so that engines recognise the statements. */
const expressions = new Map(
  event_indexes.map((index) => [index, { events: expressionOf(index, aliases.events), v: expressionOf(index, aliases.v) }]),
)

/** The condition by which a filter enters an index. It is added to the conditions on the columns themselves. */
export function enters(
  index: EventIndex,
  values: { [C in Column]?: string | undefined },
  alias: keyof typeof aliases = 'events',
): Statement {
  const expression = expressions.get(index)?.[alias] ?? expressionOf(index, aliases[alias])
  return sql`${expression} = ${keys[index].map((column) => parts[column].valueOf(values[column] ?? '')).join('')}`
}
