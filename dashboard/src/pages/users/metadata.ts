/** The metadata of a user as text, and the merge patch (RFC 7396) that gives a user the metadata of the text. Pure functions. */

export type Metadata = Readonly<Record<string, unknown>>

export const metadataText = (metadata: Metadata): string => (Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, null, 2))

/** The object that a text has, or what is wrong with the text. No text is an empty object. */
export function readMetadata(text: string): { metadata: Metadata } | { problem: string } {
  if (text.trim() === '') return { metadata: {} }
  try {
    const metadata: unknown = JSON.parse(text)
    return isObject(metadata) ? { metadata } : { problem: 'Use a JSON object, such as {"plan": "team"}.' }
  } catch {
    return { problem: 'This is not JSON. Use an object, such as {"plan": "team"}.' }
  }
}

/** A member that is gone becomes `null`, which removes it. */
export function patchTo(after: Metadata, before: Metadata): Metadata {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changes = names.flatMap((name): [string, unknown][] => {
    const [old, next] = [before[name], after[name]]
    if (JSON.stringify(old) === JSON.stringify(next)) return []
    if (!isObject(old) || !isObject(next)) return [[name, next ?? null]]
    const inner = patchTo(next, old)
    return Object.keys(inner).length === 0 ? [] : [[name, inner]] // only the order of its members differs
  })
  return Object.fromEntries(changes)
}

const isObject = (value: unknown): value is Metadata => typeof value === 'object' && value !== null && !Array.isArray(value)
