// pure
/** The address that a request came from. */
import { isWithin, type Network, parseAddress } from './networks.ts'

/**
 * The address a call came from, in its canonical spelling; `null` means unknown, which the caller refuses wherever an
 * address matters. X-Forwarded-For is read from the right: each proxy attests the peer it saw, so an entry counts only
 * while everything to its right, the socket included, is a trusted proxy. Whatever stands further left was written by a stranger.
 */
export function clientIp(
  socket_address: string | undefined,
  x_forwarded_for: string | readonly string[] | undefined,
  trusted: readonly Network[],
): string | null {
  const peer = socket_address?.replace(/%.*$/, '') ?? ''
  let address = parseAddress(peer)
  // RFC 9110 §5.3: repeated fields are one list; §5.6.1.2: empty elements of a list are ignored
  const attested = [x_forwarded_for ?? []]
    .flat()
    .join(',')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
  while (address && isWithin(address, trusted)) {
    const entry = attested.pop()
    if (entry === undefined) break
    address = parseAddress(withoutPort(entry))
  }
  return address?.toString() ?? null
}

/** Some proxies write the peer's port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (entry: string) => entry.replace(/^(?:\[([^\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/, '$1$2')
