// pure
/** Which form of an answer the caller prefers (RFC 9110 §12.5.1). */

/** Whether `type` is wanted rather than JSON: named itself, and not with less weight than JSON where that is named too. */
export function prefers(accept: string | undefined, type: string): boolean {
  const weights = new Map((accept ?? '').split(',').map(weightOf))
  const weight = weights.get(type) ?? 0
  return weight > 0 && weight >= (weights.get('application/json') ?? 0)
}

/** RFC 9110 §12.4.2: a weight from 0 to 1, 1 where there is none. */
function weightOf(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.map((parameter) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameter)?.[1]).find((q) => q !== undefined)
  return [type, weight === undefined ? 1 : Number(weight)]
}
