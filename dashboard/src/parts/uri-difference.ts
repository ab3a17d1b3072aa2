/** Where a URI that was sent differs from a registered one: what both begin and end with, and what is between. Pure functions. */

export interface Marked {
  before: string
  differs: string
  after: string
}

/** The sent URI with the part marked that the registered one does not have. A difference within the host marks the host whole, one of the
 * port alone the port. */
export function markDifference(sent: string, registered: string): Marked {
  let begin = 0
  while (begin < Math.min(sent.length, registered.length) && sent[begin] === registered[begin]) begin++
  let end = 0
  while (end < Math.min(sent.length, registered.length) - begin && sent.at(-1 - end) === registered.at(-1 - end)) end++
  const [from_host, to_host] = hostOf(sent)
  const [host, registered_host] = [hostText(sent), hostText(registered)]
  const is_host = host !== registered_host
  const port = /:\d+$/.exec(host)?.[0].slice(1)
  const is_port = port !== undefined && withoutPort(host) === withoutPort(registered_host)
  const from_part = is_port ? to_host - port.length : from_host
  const from = is_host ? Math.min(begin, from_part) : begin
  const to = is_host ? Math.max(sent.length - end, to_host) : sent.length - end
  return { before: sent.slice(0, from), differs: sent.slice(from, to), after: sent.slice(to) }
}

/** The registered URI that shares most characters at its beginning and end. */
export const nearestOf = (sent: string, registered: readonly string[]): string | undefined =>
  registered.toSorted((a, b) => sharedWith(sent, b) - sharedWith(sent, a))[0]

function sharedWith(sent: string, registered: string): number {
  const shortest = Math.min(sent.length, registered.length)
  let begin = 0
  while (begin < shortest && sent[begin] === registered[begin]) begin++
  let end = 0
  while (end < shortest - begin && sent.at(-1 - end) === registered.at(-1 - end)) end++
  return begin + end
}

/** RFC 3986 §3.2: the authority is between `//` and the next `/`, `?` or `#`. */
function hostOf(uri: string): [from: number, to: number] {
  const [all = '', scheme = ''] = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*/i.exec(uri) ?? []
  return [scheme.length, all.length]
}
const withoutPort = (host: string) => host.replace(/:\d+$/, '')
const hostText = (uri: string) => uri.slice(...hostOf(uri))
