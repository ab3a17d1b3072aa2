// pure
/** The media type that a client prefers (RFC 9110 §12.5.1). */

/** Reports whether `Accept` names `type` with at least the weight of JSON. */
export function prefers(accept: string | undefined, type: string): boolean {
  const weights = new Map((accept ?? '').split(',').map(weightOf))
  const weight = weights.get(type) ?? 0
  return weight > 0 && weight >= (weights.get('application/json') ?? 0)
}

/** RFC 9110 §12.4.2: a weight is from 0 to 1; the default is 1. */
function weightOf(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.map((parameter) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameter)?.[1]).find((q) => q !== undefined)
  return [type, weight === undefined ? 1 : Number(weight)]
}
