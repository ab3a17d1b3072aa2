/** A JSON object as the text of a field, and the merge patch (RFC 7396) that makes the stored object equal to it. Pure functions. */

export type JsonObject = Readonly<Record<string, unknown>>

export const objectText = (object: JsonObject): string => (Object.keys(object).length === 0 ? '' : JSON.stringify(object, null, 2))

/** The object that a text has, or what is wrong with the text. No text is an empty object. */
export function readObject(text: string): { object: JsonObject } | { problem: string } {
  if (text.trim() === '') return { object: {} }
  try {
    const object: unknown = JSON.parse(text)
    return isObject(object) ? { object } : { problem: 'Use a JSON object, such as {"plan": "team"}.' }
  } catch {
    return { problem: 'This is not JSON. Use an object, such as {"plan": "team"}.' }
  }
}

/** A member that is gone becomes `null`, which removes it. */
export function patchTo(after: JsonObject, before: JsonObject): JsonObject {
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

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
