// pure
import { changeableNames, defaultsOf, type FieldsOf, type Table } from '@ostiary/contract/objects/field.ts'
import { mergePatch } from './merge-patch.ts'

/**
 * Applies a merge patch (RFC 7396) to the fields of an object: `null` restores the default of a field, absence keeps what it has. Members
 * that no change can have are left out.
 * @param type of the object, where it decides defaults
 * @param current empty for an object that is created: its patch has the fields without a default
 */
export function patched<T extends Table>(
  table: T,
  type: unknown,
  current: Readonly<Record<string, unknown>> | FieldsOf<T>,
  patch: object,
): FieldsOf<T> {
  const defaults: Readonly<Record<string, unknown>> = defaultsOf(table, type)
  const before = current as Readonly<Record<string, unknown>> // as: read by name
  const sent = patch as Readonly<Record<string, unknown>> // as: read by name
  const value = (name: string) => {
    const now = before[name] ?? defaults[name]
    if (sent[name] === undefined) return now
    return sent[name] === null ? (defaults[name] ?? null) : mergePatch(now, sent[name])
  }
  return Object.fromEntries(changeableNames(table).map((name) => [name, value(name)])) as FieldsOf<T> // as: each of its names
}
