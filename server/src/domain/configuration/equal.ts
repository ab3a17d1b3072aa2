// pure
/** Reports whether two values of a field are equal. */
import { isRecord } from '../../base/record.ts'

/** The order of a list of texts means nothing, and entries with a name, such as scopes, are paired by it; permissions by their resource server. */
export const areEqual = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    const entries = value.map((entry): [key: string | null, text: string] => [keyOf(entry), canonical(entry)])
    const is_set = entries.every(([key]) => key !== null)
    return `[${(is_set ? entries.sort(([a], [b]) => compare(a ?? '', b ?? '')) : entries).map(([, text]) => text).join(',')}]`
  }
  if (!isRecord(value)) return JSON.stringify(value ?? null)
  const members = Object.entries(value).sort(([a], [b]) => compare(a, b))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function keyOf(entry: unknown): string | null {
  if (typeof entry === 'string') return entry
  const name = isRecord(entry) ? (entry.name ?? entry.resource_server) : null
  return typeof name === 'string' ? name : null
}
