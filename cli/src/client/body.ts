/** The body of a call: the JSON of `--data`, and the options of its fields over it. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Field } from './fields.ts'
import { reasonOf } from './file-reason.ts'
import type { Io } from './io.ts'
import { isObject } from './show.ts'

const most_bytes = 1_048_576 // a larger body is refused by the service

type Json = Record<string, unknown>

/** Returns the body, or the mistakes in it. */
export async function readBody(
  io: Io,
  fields: readonly Field[],
  values: ReadonlyMap<string, unknown>,
): Promise<{ body: Json } | { mistakes: string[] }> {
  const data = await readData(io, values.get('data'))
  if ('mistake' in data) return { mistakes: [data.mistake] }
  const body = data.body
  for (const { option, path } of fields) if (values.has(option)) setMember(body, path, values.get(option))
  const missing = fields.filter(({ is_required, path: [name = ''] }) => is_required && !Object.hasOwn(body, name))
  if (missing.length === 0) return { body }
  return { mistakes: missing.map(({ option, help }) => `--${option} is missing${help === '' ? '.' : `: ${help}`}`) }
}

async function readData(io: Io, data: unknown): Promise<{ body: Json } | { mistake: string }> {
  if (typeof data !== 'string') return { body: {} }
  const source = data === '-' ? 'Standard input' : data.startsWith('@') ? data.slice(1) : '--data'
  let json: string
  try {
    json = data === '-' ? await text(io.input) : data.startsWith('@') ? readFileSync(data.slice(1), 'utf8') : data
  } catch (error) {
    return { mistake: `${source} cannot be read: ${reasonOf(error)}.` }
  }
  if (json.trim() === '') return { mistake: `${source} is empty, and takes a JSON object.` }
  if (json.length > most_bytes) return { mistake: `${source} is larger than 1 MiB.` }
  try {
    const body: unknown = JSON.parse(json)
    return isObject(body) ? { body } : { mistake: `${source} is not a JSON object.` }
  } catch {
    return { mistake: `${source} is not JSON.` }
  }
}

/** Sets a member, and makes the objects on the way to it. */
function setMember(body: Json, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    body[name] = value
    return
  }
  const inner = body[name]
  const group: Json = isObject(inner) ? inner : {}
  body[name] = group
  setMember(group, rest, value)
}
