// pure
/** The source of a read of the JWKS: an IPv4 /24 or an IPv6 /48, with the first word of the user agent, such as `203.0.113.0/24 node`. */

/** In characters. A library names itself in fewer. */
const longest_word = 60

export function sourceOfReader(ip: string | null, user_agent: string | undefined): string {
  const [word = ''] = /^[!-~]+/.exec(user_agent ?? '') ?? []
  return `${networkOf(ip)} ${word === '' ? 'unknown' : word.slice(0, longest_word)}`
}

function networkOf(ip: string | null): string {
  if (ip === null) return 'unknown'
  if (!ip.includes(':')) return `${ip.split('.', 3).join('.')}.0/24`
  const [head = '', tail] = ip.split('::')
  const left = head.split(':').filter(Boolean)
  const zeros: string[] = tail === undefined ? [] : Array(Math.max(0, 3 - left.length)).fill('0')
  return `${[...left, ...zeros].slice(0, 3).join(':')}::/48`
}
