/** The limits of a query and of a form at every route: a longer one is not parsed (docs/decisions/0169-one-rule-for-queries.md). */

/** No request of an application, a browser or a program has as many parameters. */
export const most_parameters = 200

/** Reports whether a query or form has more parameters than any request. It counts no further than that. */
export function hasTooMany(query: string): boolean {
  if (query.length <= most_parameters) return false
  let parameters = 1
  for (let at = query.indexOf('&'); at !== -1 && parameters <= most_parameters; at = query.indexOf('&', at + 1)) parameters += 1
  return parameters > most_parameters
}

/** The query of the target of a request, without the question mark. */
export function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

/**
 * The same parameters in a form that is decoded at once. Where a percent sign begins no character of UTF-8, each reading of the query would
 * throw and catch an error for each such parameter, and a page reads its query several times.
 */
export function wellFormed(query: string): string {
  if (!query.includes('%')) return query
  try {
    decodeURIComponent(query)
    return query
  } catch {
    return new URLSearchParams(query).toString()
  }
}

/** A query that was parsed and is only read. */
export type ReadQuery = Pick<URLSearchParams, 'get' | 'has' | typeof Symbol.iterator>

/** A shorter query is parsed in less time than a request takes to notice. */
const long = 256
let last: { query: string; encoded: string | null; read: URLSearchParams } = { query: '', encoded: null, read: new URLSearchParams() }

/** Reads a query. The steps and the page of one request read the same one several times, so the last long one is kept. */
export function readQuery(query: string): ReadQuery {
  return parsed(query)
}

/** The parameters of a query by name: a repeated one has all its values. */
export function parametersOf(query: string): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of readQuery(query)) {
    const before = parameters[name]
    if (before === undefined) parameters[name] = value
    else if (typeof before === 'string') parameters[name] = [before, value]
    else before.push(value)
  }
  return parameters
}

/** The parameters of a query, to be changed. */
export const copyOf = (query: string): URLSearchParams => new URLSearchParams(parsed(query))

/** A query in the form in which a browser encodes it. */
export function encodedAgain(query: string): string {
  const read = parsed(query)
  if (read !== last.read) return read.toString()
  last.encoded ??= read.toString()
  return last.encoded
}

function parsed(query: string): URLSearchParams {
  if (query.length < long) return new URLSearchParams(query)
  if (query !== last.query && query !== last.encoded) last = { query, encoded: null, read: new URLSearchParams(query) }
  return last.read
}
