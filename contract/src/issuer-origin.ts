/** An issuer with an origin of its own, and the hosts that such issuers can have. */
import { text } from './values.ts'

/**
 * Whether a text is a host as a URL serialises it: a domain name in lower-case ASCII, or an IP address.
 *
 * RFC 1123 §2.1:      a label has 1 to 63 letters, digits and hyphens, and a name at most 253 characters
 * WHATWG URL §3.6:    an IP address has one serialisation
 */
export function isIssuerHost(host: string): boolean {
  if (host.length > 253 || !URL.canParse(`https://${host}`)) return false
  const is_name = host.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  return (is_name || /^\[[0-9a-f:.]+\]$/.test(host)) && new URL(`https://${host}`).origin === `https://${host}`
}

/** RFC 6454 §6.2, RFC 8414 §2: an issuer is https. It has one spelling, because clients compare it as a string. */
export const IssuerOrigin = text(267)
  .refine(isIssuerOrigin, 'Expected an https origin such as https://login.example.com: lower-case ASCII, no default port, no path.')
  .meta({ format: 'uri' })

function isIssuerOrigin(value: string): boolean {
  if (!value.startsWith('https://') || !URL.canParse(value)) return false
  const { origin, hostname } = new URL(value)
  return origin === value && isIssuerHost(hostname)
}
