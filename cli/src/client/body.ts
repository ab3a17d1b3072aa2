/** The body of a call: the JSON of `--data`, and the options of its fields over it. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Field } from './fields.ts'
import { reasonOf } from './file-reason.ts'
import type { Io } from './io.ts'
import { isObject } from './show.ts'

/** In MiB. The service refuses larger bodies. */
const most = { ordinary: 1, large: 4 }

type Json = Record<string, unknown>

/** Returns the body, or the mistakes in it. `is_large`: of a route with `large_member`. */
export async function readBody(
  io: Io,
  { fields, is_large }: { fields: readonly Field[]; is_large: boolean },
  values: ReadonlyMap<string, unknown>,
): Promise<{ body: Json } | { mistakes: string[] }> {
  const data = await readData(io, values.get('data'), is_large ? most.large : most.ordinary)
  if ('mistake' in data) return { mistakes: [data.mistake] }
  const body = data.body
  for (const { option, path } of fields) if (values.has(option)) setMember(body, path, values.get(option))
  const missing = fields.filter(({ is_required, path: [name = ''] }) => is_required && !Object.hasOwn(body, name))
  if (missing.length === 0) return { body }
  return { mistakes: missing.map(({ option, help }) => `--${option} is missing${help === '' ? '.' : `: ${help}`}`) }
}

async function readData(io: Io, data: unknown, most_mib: number): Promise<{ body: Json } | { mistake: string }> {
  if (typeof data !== 'string') return { body: {} }
  const source = data === '-' ? 'Standard input' : data.startsWith('@') ? data.slice(1) : '--data'
  let json: string
  try {
    json = data === '-' ? await text(io.input) : data.startsWith('@') ? readFileSync(data.slice(1), 'utf8') : data
  } catch (error) {
    return { mistake: `${source} cannot be read: ${reasonOf(error)}.` }
  }
  if (json.trim() === '') return { mistake: `${source} is empty, and takes a JSON object.` }
  if (Buffer.byteLength(json) > most_mib * 2 ** 20) return { mistake: `${source} is larger than ${most_mib} MiB.` }
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
