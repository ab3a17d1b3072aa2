/** Domains of email addresses: one, or all below one. */
import { aLabelsOf } from './email-address.ts'
import { text } from './values.ts'

/** `example.com`, or `*.example.com` for all below it and not itself. As it is compared: lower case, A-labels (RFC 5890 §2.3.2.1). */
export const DomainPattern = text(255).refine((value) => {
  const domain = value.startsWith('*.') ? value.slice(2) : value
  return aLabelsOf(domain) === domain
}, 'Expected a domain such as example.com, or *.example.com, in lower case; an international one as xn--….')

/** Whether the domain of an address is one of these. An address can have a label that no domain name has, such as `x-`: below a domain it is too. */
export function isInDomains(email: string, patterns: readonly string[]): boolean {
  const written = email.slice(email.lastIndexOf('@') + 1)
  const domain = aLabelsOf(written) ?? written.toLowerCase()
  return patterns.some((pattern) => (pattern.startsWith('*.') ? domain.endsWith(pattern.slice(1)) : domain === pattern))
}
