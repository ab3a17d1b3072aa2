// pure
/**
 * Parses internet addresses and networks, and checks whether an address is within a network.
 *
 * RFC 4291 §2.5.5.2: an IPv4-mapped IPv6 address is its IPv4, everywhere
 * RFC 4007 §11:      a zone identifier has a meaning on one machine only and is not part of an address
 */
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export interface Network {
  readonly base: Address
  readonly prefix: number
}

const longest_address = 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255'.length

/** Accepts IPv4 as four plain decimals and IPv6 as in RFC 4291 §2.2 without a zone. Returns `null` for other text. */
export function parseAddress(text: string): Address | null {
  if (text.length > longest_address) return null // before any regular expression
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const hexadecimal = text.replace(/(?<=:)[0-9.]+\.[0-9.]+$/, (dotted) => hexadecimalOf(dotted) ?? 'x')
  if (!/^[0-9a-fA-F:]*$/.test(hexadecimal) || !ipaddr.IPv6.isValid(hexadecimal)) return null
  const address = ipaddr.IPv6.parse(hexadecimal)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Accepts an address, or a network in CIDR notation (RFC 4632 §3.1) whose host bits are zero. Returns a string that names the problem. */
export function parseNetwork(text: string): Network | string {
  const [address_text = '', prefix_text, ...rest] = text.split('/')
  const address = parseAddress(address_text)
  if (!address || rest.length > 0) return 'Expected an IPv4 or IPv6 address, or a network such as 10.0.0.0/8 or 2001:db8::/32.'

  const bits = address.kind() === 'ipv4' ? 32 : 128
  if (prefix_text === undefined) return { base: address, prefix: bits }

  const mapped = bits === 32 && address_text.includes(':') ? 96 : 0
  const prefix = /^(0|[1-9][0-9]{0,2})$/.test(prefix_text) ? Number(prefix_text) - mapped : Number.NaN
  if (!(prefix >= 0 && prefix <= bits)) return `The prefix length after the slash must be a number from ${mapped} to ${mapped + bits}.`

  const base = firstOf(address, prefix)
  if (base.toString() === address.toString()) return { base, prefix }
  return `The address has bits beyond its prefix. Write ${base}/${prefix} for the network, or ${address} for the one address.`
}

/** Parses a comma-separated list, such as OSTIARY_TRUSTED_PROXIES. Returns its networks, or every wrong entry with the problem. */
export function parseNetworks(list: string): { networks: Network[] } | { wrong: { entry: string; problem: string }[] } {
  const entries = list.split(',').map(trim).filter(Boolean)
  const networks: Network[] = []
  const wrong: { entry: string; problem: string }[] = []
  for (const entry of entries) {
    const network = parseNetwork(entry)
    if (typeof network === 'string') wrong.push({ entry, problem: network })
    else networks.push(network)
  }
  return wrong.length > 0 ? { wrong } : { networks }
}

/** An IPv4 network contains only IPv4 addresses, and an IPv6 network only IPv6 addresses, so `::/0` contains no IPv4 address. */
export function isWithin(address: Address, networks: readonly Network[]): boolean {
  return networks.some(({ base, prefix }) => base.kind() === address.kind() && address.match(base, prefix))
}

const trim = (text: string) => text.trim()

/** Writes the dotted tail of an IPv6 address in hexadecimal. The library would accept octal there, and read `::1.2.3.4` as mapped. */
function hexadecimalOf(dotted: string): string | null {
  if (!ipaddr.IPv4.isValidFourPartDecimal(dotted)) return null
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(dotted).octets
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

function firstOf(address: Address, prefix: number): Address {
  const bytes = address.toByteArray().map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - index * 8))))
  return ipaddr.fromByteArray(bytes)
}
