/** `create --if-absent`: a pipeline that runs again finds what it created and changes nothing. */
import { OstiaryError } from '@ostiary/sdk'
import type { Connection, Request } from './connection.ts'
import { naturalList, type Row } from './derive.ts'
import type { Io } from './io.ts'
import { firstOf, type Scope } from './scope.ts'
import { isObject, visible } from './show.ts'

interface Wanted {
  natural_key: 'slug' | 'email'
  body: Readonly<Record<string, unknown>>
  request: Request
  scope: Scope
}

interface Outcome {
  answer: { data: unknown; replayed: boolean }
  exit_code: number
}

/** The object, and 3 as the exit code if one exists that differs from the wanted values. */
export async function createIfAbsent(io: Io, connection: Connection, row: Row, wanted: Wanted): Promise<Outcome> {
  const existing = await find(connection, row, wanted)
  if (existing !== undefined) return compare(io, existing, wanted)
  try {
    return { answer: await connection.call(row, { ...wanted.request, body: wanted.body }), exit_code: 0 }
  } catch (error) {
    // Another pipeline created it in between.
    const created = error instanceof OstiaryError && error.status === 409 ? await find(connection, row, wanted) : undefined
    if (created === undefined) throw error
    return compare(io, created, wanted)
  }
}

/** The list finds by slug or email; the object itself has all its members. */
async function find(connection: Connection, row: Row, { natural_key, body, scope }: Wanted): Promise<unknown> {
  const list = naturalList(row.route.path)
  return list === null ? undefined : firstOf(connection, { row: list.row, [natural_key]: String(body[natural_key]), scope })
}

function compare(io: Io, existing: unknown, { natural_key, body }: Wanted): Outcome {
  const differences = isObject(existing) ? differencesOf(existing, body, '') : []
  const answer = { data: existing, replayed: false }
  const name = `${natural_key} ${JSON.stringify(visible(String(body[natural_key])))}`
  if (differences.length === 0) {
    io.err(`An object with the ${name} exists already. Nothing was changed.\n`)
    return { answer, exit_code: 0 }
  }
  io.err(`An object with the ${name} exists and differs. Nothing was changed.\n${differences.map((line) => `  ${line}\n`).join('')}`)
  return { answer, exit_code: 3 }
}

/** Returns the members of `wanted` that differ in the record. Members that a record does not show, such as a secret, are not compared. */
function differencesOf(record: Readonly<Record<string, unknown>>, wanted: Readonly<Record<string, unknown>>, above: string): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    if (!Object.hasOwn(record, name)) return []
    const existing = record[name]
    const path = `${above}${name}`
    if (isObject(existing) && isObject(value)) return differencesOf(existing, value, `${path}.`)
    if (isSame(existing, value)) return []
    return [`${visible(path)}: ${visible(JSON.stringify(existing))}, not ${visible(JSON.stringify(value))}`]
  })
}

/** Objects in a list may have more members than the wanted ones, which are their defaults. */
function isSame(existing: unknown, wanted: unknown): boolean {
  if (Array.isArray(existing) && Array.isArray(wanted))
    return existing.length === wanted.length && existing.every((each, index) => isSame(each, wanted[index]))
  if (isObject(existing) && isObject(wanted)) return differencesOf(existing, wanted, '').length === 0
  return existing === wanted
}
