// pure
/**
 * Which addresses an outgoing call may reach. A tenant that registers a URL (webhook, `jwks_uri`, provider, back-channel logout)
 * must not make the service call what only the service can reach: its own machine, its network, or the metadata service of its
 * cloud.
 */
import { type Address, isWithin, type Network, parseAddress, parseNetwork } from './networks.ts'

/** The IANA IPv4 Special-Purpose Address Registry (RFC 6890), and other networks that are not global. */
const never_ipv4 = networks(
  '0.0.0.0/8', //          this network, RFC 791 §3.2; many systems treat 0.0.0.0 as loopback
  '10.0.0.0/8', //         private, RFC 1918
  '100.64.0.0/10', //      carrier-grade NAT, RFC 6598; metadata of one cloud
  '127.0.0.0/8', //        loopback, RFC 1122 §3.2.1.3
  '168.63.129.16', //      not in the registry; the host of every guest in one cloud
  '169.254.0.0/16', //     link-local, RFC 3927; metadata of most clouds
  '172.16.0.0/12', //      private, RFC 1918
  '192.0.0.0/24', //       IETF protocol assignments, RFC 6890 §2.1; metadata of one cloud
  '192.0.2.0/24', //       documentation, RFC 5737
  '192.88.99.0/24', //     relays of 6to4, RFC 7526
  '192.168.0.0/16', //     private, RFC 1918
  '198.18.0.0/15', //      benchmarks, RFC 2544
  '198.51.100.0/24', //    documentation, RFC 5737
  '203.0.113.0/24', //     documentation, RFC 5737
  '224.0.0.0/4', //        multicast, RFC 1112 §4
  '240.0.0.0/4', //        reserved, RFC 1112 §4, and broadcast, RFC 919 §7
)

/** RFC 4291 §2.4, RFC 3513 §4: the range assigned as global unicast. Everything else (::/8, ULA, link-local, multicast …) is refused. */
const global_unicast = networks('2000::/3')

/** Special ranges within it, by the IANA IPv6 Special-Purpose Address Registry. 6to4 and Teredo tunnel to IPv4 and are refused. */
const never_ipv6 = networks(
  '2001::/23', //          IETF protocol assignments, RFC 2928: Teredo, benchmarks, ORCHID
  '2001:db8::/32', //      documentation, RFC 3849
  '2002::/16', //          6to4, RFC 3056: contains an IPv4 address
  '3ffe::/16', //          the 6bone, returned by RFC 3701
  '3fff::/20', //          documentation, RFC 9637
)

/** RFC 6052 §2.1: DNS64 maps IPv4 addresses into this range for IPv6-only machines. The embedded IPv4 address decides. */
const nat64 = networks('64:ff9b::/96')

/** Whether the address is reachable from the whole Internet. An unknown range is not. */
export function isPublicAddress(address: Address): boolean {
  if (address.kind() === 'ipv4') return !isWithin(address, never_ipv4)
  if (isWithin(address, nat64)) return isPublicAddress(embeddedIpv4(address))
  return isWithin(address, global_unicast) && !isWithin(address, never_ipv6)
}

/** Whether a call may reach the address: it is public, or the configuration allows its network. */
export function mayReach(address: Address, allowed: readonly Network[]): boolean {
  return isPublicAddress(address) || isWithin(address, allowed)
}

/**
 * The address in the host of a URL; `null` if the host is a name. The URL parser has already normalized decimal, octal,
 * hexadecimal and short forms, full-width digits and percent-encoding.
 */
export function literalAddress(url: URL): Address | null {
  return parseAddress(url.hostname.replace(/^\[(.*)\]$/, '$1'))
}

/** Whether the host of a URL is a forbidden address, decided without DNS, so a registration can be refused at once. */
export function isPrivateLiteral(url: URL, allowed: readonly Network[]): boolean {
  const address = literalAddress(url)
  if (address) return !mayReach(address, allowed)
  return isLocalhost(url.hostname) && !loopbacks.every((loopback) => mayReach(loopback, allowed))
}

/** RFC 6761 §6.3: localhost and its subdomains resolve to both loopback addresses. */
export function isLocalhost(name: string): boolean {
  return /(^|\.)localhost\.?$/.test(name)
}

const loopback_networks = networks('127.0.0.0/8', '::1/128')

/** Whether the host of the URL is this machine: `localhost` with its subdomains, 127.0.0.0/8 or [::1]. Decided without DNS. */
export function isLoopback(url: URL): boolean {
  const address = literalAddress(url)
  return address ? isWithin(address, loopback_networks) : isLocalhost(url.hostname)
}

/** Whether the URL is http on this machine: at `localhost`, 127.0.0.0/8 or [::1]. Decided without DNS. */
export function isHttpLoopback(url: URL): boolean {
  const address = literalAddress(url)
  return url.protocol === 'http:' && (address ? isWithin(address, loopback_networks) : url.hostname === 'localhost')
}

const loopbacks = ['127.0.0.1', '::1'].flatMap((text) => parseAddress(text) ?? [])

function embeddedIpv4(address: Address): Address {
  const embedded = parseAddress(address.toByteArray().slice(12).join('.'))
  if (!embedded) throw new Error('The last four bytes of the address are not an IPv4 address.')
  return embedded
}

function networks(...entries: readonly string[]): Network[] {
  return entries.map((entry) => {
    const network = parseNetwork(entry)
    if (typeof network === 'string') throw new Error(`${entry}: ${network}`)
    return network
  })
}
