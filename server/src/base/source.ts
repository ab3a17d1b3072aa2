// pure
/** The source of a request, under which strangers are counted. */
/** Returns the source of an attempt: an IPv4 address, or an IPv6 /64, which belongs to one subscriber. */
export function sourceOf(ip: string | null): string {
  if (ip === null) return 'unknown'
  return ip.includes(':') ? `ip:${prefix64(ip)}` : `ip:${ip}`
}

/** Returns the network of an address, in which one organisation often has many sources: an IPv4 /24, or an IPv6 /48. */
export function networkOf(ip: string | null): string {
  if (ip === null) return 'unknown'
  return ip.includes(':') ? `net:${prefix64(ip).split(':', 3).join(':')}` : `net:${ip.split('.', 3).join('.')}`
}

/** Returns the first four groups of a canonical IPv6 address. */
function prefix64(ip: string): string {
  const [head = '', tail] = ip.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':').filter(Boolean) ?? []
  const zeros: string[] = tail === undefined ? [] : Array(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
