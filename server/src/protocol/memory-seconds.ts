// pure
/** How long the document of a client is remembered. */

const least_s = 60
const most_s = 3_600
const without_age_s = 300

/**
 * Reads `Cache-Control` of an answer. We choose bounds, so that neither a change waits for long nor a client is asked at each request.
 *
 * RFC 9111 §5.2:   directives are separated by commas, and their names have no case
 * RFC 9111 §4.2.1: an answer whose max-age is not a number, or given several times, counts as the shortest
 */
export function memorySeconds(cache_control: string | undefined): number {
  const directives = (cache_control ?? '').split(',').map((directive) => directive.trim().toLowerCase())
  if (directives.some((directive) => /^no-(?:store|cache)(?:$|\s*=)/.test(directive))) return least_s
  const ages = directives.filter((directive) => /^max-age(?:$|\s*=)/.test(directive)).map(secondsOf)
  return ages.length === 0 ? without_age_s : Math.max(least_s, Math.min(most_s, ...ages))
}

function secondsOf(directive: string): number {
  const [, digits] = /^max-age\s*=\s*"?(\d+)"?$/.exec(directive) ?? []
  return digits === undefined ? 0 : Number(digits)
}
