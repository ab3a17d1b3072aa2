/**
 * The environment that a batch is about, by which a distributed database knows the node that has its rows (decision 0148). What is taken for a
 * batch about no environment passes the coordinator. That costs time and nothing else, and so does a wrong answer.
 */
import { idPattern } from '@ostiary/contract/ids.ts'
import type { EncodedValue } from './codec.ts'
import type { Statement } from './db.ts'
import { placeOf } from './placement.ts'

/** The one environment that all statements are about; `null` where there are several, or a table lives elsewhere. */
export function environmentOf(statements: readonly Statement[]): string | null {
  let environment_id: string | null = null
  for (const statement of statements) {
    const own = environmentIn(statement.distributed ?? statement)
    if (own === null || (environment_id !== null && own !== environment_id)) return null
    environment_id = own
  }
  return environment_id
}

function environmentIn({ parts, values }: Statement): string | null {
  let pick = picks.get(parts)
  if (!pick) {
    pick = pickFrom(parts)
    picks.set(parts, pick)
  }
  const value = pick(values)
  return isEnvironmentId(value) ? value : null
}

/** Which of the values of a statement is its environment. */
type Pick = (values: readonly EncodedValue[]) => EncodedValue | undefined
const picks = new WeakMap<readonly string[], Pick>()

function pickFrom(parts: readonly string[]): Pick {
  const text = parts.join('?')
  const places = new Set((text.match(/\b[a-z][a-z0-9_]*\b/g) ?? []).map(placeOf))
  const target = /^\s*(?:insert into|update|delete from) (\w+)/.exec(text)?.[1]
  const writes_elsewhere = target !== undefined && placeOf(target) !== 'environment'
  if (places.has('coordinator') || places.has('scope') || writes_elsewhere) return none
  const compared = parts.findIndex((part) => compares.test(part))
  if (compared !== -1) return (values) => values[compared]
  if (inserts.test(text)) return ([first]) => first
  // Tables that are on every node have the environment as an id, or as a part of another key.
  return places.has('environment') ? none : (values) => values.find(isEnvironmentId)
}

const none: Pick = () => undefined
const compares = /\benvironment_id(?: \|\| '')? = $/
const inserts = /^\s*insert into \w+ \(environment_id\b[^)]*\)\s*(?:values \(|select )\?/

const pattern = idPattern('env')
const isEnvironmentId = (value: EncodedValue | undefined): value is string => typeof value === 'string' && pattern.test(value)
