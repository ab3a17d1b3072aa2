// pure
/**
 * OSTIARY_ISSUER_HOSTS: the hosts that environments can take as their issuer, each bound to one tenant. An exact entry decides before a
 * wildcard. The host of the base URL and its parent domains are never covered: a page on a parent domain could set cookies for the
 * service and use its passkeys.
 */
import { isIssuerHost } from '@ostiary/contract/issuer-origin.ts'

export interface IssuerHost {
  /** A host, or `*.` and a suffix: every host with one label more. */
  readonly pattern: string
  /** `null`: bound to no tenant, which is possible while there is only one. */
  readonly tenant_slug: string | null
}

interface Hosts {
  readonly base_url: string
  readonly issuer_hosts: readonly IssuerHost[]
}

/** The entry that covers a host in lower case; `null` where no issuer can have the host. */
export function coveringEntry({ base_url, issuer_hosts }: Hosts, host: string): IssuerHost | null {
  if (issuer_hosts.length === 0 || isOrContains(host, new URL(base_url).hostname)) return null
  const wildcard = `*.${host.slice(host.indexOf('.') + 1)}`
  const find = (pattern: string) => issuer_hosts.find((entry) => entry.pattern === pattern)
  return find(host) ?? (host.includes('.') ? find(wildcard) : undefined) ?? null
}

/** Reports whether `host` is the other host or a parent domain of it. */
const isOrContains = (host: string, other: string) => host === other || other.endsWith(`.${host}`)

/** Reads OSTIARY_ISSUER_HOSTS. Reports every mistake in it. */
export function parseIssuerHosts(text: string, base_url: string): { value: IssuerHost[] } | { problem: string } {
  const entries = text.split(',').map((entry) => entry.trim())
  const parsed = entries.map((entry) => parseEntry(entry, base_url))
  const problems = parsed.flatMap((each, i) => ('problem' in each ? [`"${entries[i]}": ${each.problem}`] : []))
  const value = parsed.flatMap((each) => ('problem' in each ? [] : [each]))
  const repeated = value.filter(({ pattern }, i) => value.findIndex((other) => other.pattern === pattern) < i)
  problems.push(...repeated.map(({ pattern }) => `"${pattern}" is listed twice. A host belongs to one tenant.`))
  return problems.length > 0 ? { problem: problems.join(' ') } : { value }
}

function parseEntry(entry: string, base_url: string): IssuerHost | { problem: string } {
  const [, host = '', slug] = /^([^=]*)(?:=(.*))?$/s.exec(entry) ?? []
  const pattern = host.trim().toLowerCase()
  const is_wildcard = pattern.startsWith('*.')
  const name = is_wildcard ? pattern.slice(2) : pattern
  const tenant_slug = slug === undefined ? null : slug.trim()
  // A wildcard stands for one label, so with a label it must be a name: no IP address has one.
  if (!isIssuerHost(name) || (is_wildcard && !isIssuerHost(`a.${name}`)))
    return { problem: 'Expected a host such as login.example.com or *.login.example.com, in ASCII, without scheme, port and path.' }
  if (!is_wildcard && isOrContains(name, new URL(base_url).hostname))
    return { problem: 'This is the host of OSTIARY_BASE_URL or a parent domain of it, which no issuer can have.' }
  if (tenant_slug !== null && !/^[a-z0-9-]{1,63}$/.test(tenant_slug))
    return { problem: 'Expected the slug of a tenant after "=": 1 to 63 of a-z, 0-9 and hyphen.' }
  return { pattern, tenant_slug }
}
