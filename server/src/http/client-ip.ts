// pure
/** The address that a request comes from. */
import { isWithin, type Network, parseAddress } from '../base/networks.ts'

interface AddressedRequest {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Returns a function that finds the address of a request. Without trusted proxies it reads the address of a connection once. */
export function createClientIpReader(trusted: readonly Network[]): (request: AddressedRequest) => string | null {
  const of_sockets = new WeakMap<object, string | null>()
  return ({ socket, headers }) => {
    if (trusted.length > 0) return clientIp(socket.remoteAddress, headers['x-forwarded-for'], trusted)
    let address = of_sockets.get(socket)
    if (address === undefined) {
      address = clientIp(socket.remoteAddress, undefined, trusted)
      of_sockets.set(socket, address)
    }
    return address
  }
}

/**
 * Returns the address of a request in its canonical spelling. `null` means unknown, and the caller refuses it wherever an address matters.
 * X-Forwarded-For is read from the right: each proxy adds the peer it saw, so an entry is used only while every entry to its right, and
 * the socket, is a trusted proxy. Entries further to the left are written by the client.
 */
export function clientIp(
  socket_address: string | undefined,
  x_forwarded_for: string | readonly string[] | undefined,
  trusted: readonly Network[],
): string | null {
  const peer = socket_address?.replace(/%.*$/, '') ?? ''
  let address = parseAddress(peer)
  // RFC 9110 §5.3: repeated fields are one list
  const entries = fromRight([x_forwarded_for ?? []].flat().join(','))
  while (address && isWithin(address, trusted)) {
    const { value: entry } = entries.next()
    if (entry === undefined) break
    address = parseAddress(withoutPort(entry))
  }
  return address?.toString() ?? null
}

/**
 * Yields the elements of a list from its end. RFC 9110 §5.6.1.2: empty ones are ignored. Entries left of the client's address
 * are written by the client, have any length, and are not read.
 */
function* fromRight(list: string): Generator<string, undefined> {
  for (let end = list.length; end > 0; ) {
    const start = list.lastIndexOf(',', end - 1) + 1
    const entry = list.slice(start, end).trim()
    if (entry !== '') yield entry
    end = start - 1
  }
}

/** Some proxies add the port of the peer: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (entry: string) => entry.replace(/^(?:\[([^\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/, '$1$2')
