/** Email addresses on their way to a mail server. */
import { domainToASCII } from 'node:url'

/** RFC 5891 §5: the domain as A-labels, which every server understands. */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = domainToASCII(address.slice(at + 1))
  return domain === '' ? address : `${address.slice(0, at)}@${domain}`
}
