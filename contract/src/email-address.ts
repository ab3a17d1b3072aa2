/** The email addresses of people: ASCII (RFC 5321) and international (RFC 6531). Callers first check the length of the text. */

/** RFC 5321 §4.5.3.1: in octets, as the address travels. */
const longest = { address: 254, local: 64, domain: 253, label: 63 }

const octets = (text: string) => new TextEncoder().encode(text).length

/**
 * Returns the domain as A-labels in lower case (RFC 5890 §2.3.2.1), which compares and travels; `null` if it is not a domain name. The
 * mapping is UTS #46, as in browsers.
 */
export function aLabelsOf(domain: string): string | null {
  if (
    domain.length > longest.domain ||
    !/^(?!-)[\p{L}\p{M}\p{N}.-]+(?<!-)$/u.test(domain) ||
    /\.-|-\./.test(domain) ||
    !URL.canParse(`http://${domain}`)
  )
    return null
  const { hostname } = new URL(`http://${domain}`)
  const labels = hostname.split('.')
  const last = labels.at(-1) ?? ''
  const is_name = labels.every((label) => label.length <= longest.label && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label))
  return is_name && labels.length > 1 && hostname.length <= longest.domain && /^(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(last) ? hostname : null
}

/**
 * Reports whether a text is an address with letters beyond ASCII in either part, or with A-labels. NFKC leaves it as it is, it has no
 * invisible characters, and its local part does not mix scripts whose letters look alike or run in other directions.
 */
export function isInternationalAddress(value: string): boolean {
  const [, local = '', domain = ''] = /^([\p{L}\p{M}\p{N}_'+.-]+)@([^@]+)$/u.exec(value) ?? []
  if (local === '' || /^[\p{M}.]|\.\.|\.$/u.test(local) || octets(local) > longest.local) return false
  if (value.normalize('NFKC') !== value || /\p{Default_Ignorable_Code_Point}/u.test(value) || mixesScripts(local)) return false
  const labels = aLabelsOf(domain)
  return labels !== null && octets(local) + 1 + labels.length <= longest.address
}

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
]

/** UTS #39 §5.1. Latin letters beside those of other scripts, such as Japanese, are usual. */
const mixesScripts = (text: string) => scripts.filter((script) => script.test(text)).length > 1
