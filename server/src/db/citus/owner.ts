/**
 * Finds where a batch runs in a distributed database: the node that has the rows of one environment, the coordinator, or every node
 * (decision 0148). A wrong answer only costs time, since each node forwards statements about rows that it does not have.
 */
import { idPattern } from '@ostiary/contract/ids.ts'
import type { EncodedValue } from '../codec.ts'
import type { Statement } from '../db.ts'
import { placeOf } from './placement.ts'

/** `environment_id` alone, or beside rows of the coordinator. */
export type Need = 'coordinator' | 'every node' | { readonly environment_id: string; readonly beside_coordinator: boolean }

export function needOf(statements: readonly Statement[]): Need {
  let environment_id: string | null = null
  let beside_coordinator = false
  for (const statement of statements) {
    const need = needIn(statement.distributed ?? statement)
    if (need === 'every node') return need
    if (need === 'coordinator') beside_coordinator = true
    else if (environment_id !== null && environment_id !== need.environment_id) return 'every node'
    else {
      environment_id = need.environment_id
      beside_coordinator ||= need.beside_coordinator
    }
  }
  return environment_id === null ? 'coordinator' : { environment_id, beside_coordinator }
}

function needIn({ parts, values }: Statement): Need {
  let text = texts.get(parts)
  if (!text) {
    text = needOfText(parts)
    texts.set(parts, text)
  }
  if (typeof text === 'string') return text
  const { environment, beside_coordinator, otherwise } = text
  const environment_id = environment(values)
  return isEnvironmentId(environment_id) ? { environment_id, beside_coordinator } : otherwise
}

interface AboutEnvironment {
  /** Which of the values is the environment. */
  environment(values: readonly EncodedValue[]): EncodedValue | undefined
  readonly beside_coordinator: boolean
  /** Where none is. */
  readonly otherwise: 'coordinator' | 'every node'
}

const texts = new WeakMap<readonly string[], 'coordinator' | 'every node' | AboutEnvironment>()

/** Returns where the text of a statement runs. */
export function needOfText(parts: readonly string[]): 'coordinator' | 'every node' | AboutEnvironment {
  const text = parts.join('?').replace(/\s+/g, ' ').replaceAll('( ', '(')
  const places = new Set((text.match(/\b[a-z][a-z0-9_]*\b/g) ?? []).map(placeOf))
  const target = /^ ?(?:insert into|update|delete from) (\w+)/.exec(text)?.[1]
  if (places.has('scope') || (target !== undefined && placeOf(target) === 'everywhere')) return 'every node'
  const beside_coordinator = places.has('coordinator')
  if (!places.has('environment'))
    // Tables that are on every node have the environment as an id, or as a part of another key.
    return beside_coordinator || target !== undefined
      ? 'coordinator'
      : { environment: (values) => values.find(isEnvironmentId), beside_coordinator, otherwise: 'coordinator' }
  const compared = parts.findIndex((part) => compares.test(part))
  if (compared !== -1) return { environment: (values) => values[compared], beside_coordinator, otherwise: 'every node' }
  if (inserts.test(text)) return { environment: ([first]) => first, beside_coordinator, otherwise: 'every node' }
  return 'every node'
}

const compares = /\benvironment_id(?: \|\| '')? = $/
const inserts = /^ ?insert into \w+ \(environment_id\b[^)]*\) (?:values \(|select )\?/

const pattern = idPattern('env')
const isEnvironmentId = (value: EncodedValue | undefined): value is string => typeof value === 'string' && pattern.test(value)
