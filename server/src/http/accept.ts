// pure
/** The media type that a client prefers (RFC 9110 §12.5.1), and whether it is a browser. */

/** No client sends more; reading 30,000 characters would take milliseconds. */
const longest = 1_000

/** Reports whether `Accept` names `type` with at least the weight of JSON. A longer list than clients send is not read. */
export function prefers(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept.length > longest) return false
  const weights = new Map(accept.split(',').map(weightOf))
  const weight = weights.get(type) ?? 0
  return weight > 0 && weight >= (weights.get('application/json') ?? 0)
}

interface Headers {
  accept?: string | undefined
  authorization?: string | undefined
  'x-api-key'?: string | string[] | undefined
}

/**
 * Reports whether a client gets its answer as a page: it asks for HTML, as a browser does when a person opens an address. A request with
 * an API credential comes from a program, whatever it accepts: no browser sends one by itself.
 */
export function wantsPage({ accept, authorization, 'x-api-key': key }: Headers): boolean {
  return prefers(accept, 'text/html') && authorization === undefined && key === undefined
}

/** RFC 9110 §12.4.2: a weight is from 0 to 1; the default is 1. */
function weightOf(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.map((parameter) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameter)?.[1]).find((q) => q !== undefined)
  return [type, weight === undefined ? 1 : Number(weight)]
}
