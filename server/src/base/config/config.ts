/**
 * The configuration. Only this file reads environment variables. It reports all mistakes at once, each with the name of its variable,
 * and never repeats a value that may be secret.
 */
import { isIP } from 'node:net'
import type { LogLevel } from '../log.ts'
import { nearest } from '../nearest.ts'
import { type Network, parseNetworks } from '../networks.ts'
import { client_variables, secret_variables } from './client-variables.ts'
import { type IssuerHost, parseIssuerHosts } from './issuer-hosts.ts'
import { default_limits, type Limits, parseLimits } from './limits.ts'

export interface Config {
  /** An origin: no path, no trailing slash. The only source of every absolute URL. */
  readonly base_url: string
  /** The addresses to listen on. */
  readonly host: readonly string[]
  /** 0: any free port. */
  readonly port: number
  readonly data_dir: string
  readonly database_url: string | null
  readonly redis_url: string | null
  /** The first key encrypts, and every key decrypts. `null`: the generated key in the data directory. */
  readonly master_keys: readonly Buffer[] | null
  /** How long a connection stays open without a request. */
  readonly idle_seconds: number
  readonly trusted_proxies: readonly Network[]
  readonly webhook_allowed_networks: readonly Network[]
  /** The proxy of every call to an address that a tenant chose; `null`: they go out directly. */
  readonly egress_proxy: EgressProxy | null
  /** The hosts that environments can take as their issuer. */
  readonly issuer_hosts: readonly IssuerHost[]
  readonly limits: Limits
  readonly log_level: LogLevel | 'silent'
  /** The collector of telemetry, without the path of a signal; `null`: nothing is sent. */
  readonly otlp_url: string | null
  /** `null`: no metrics. */
  /** Where metrics are served: the loopback, unless the setting names another address. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  /** Chains of refresh tokens begin at this time at the earliest; `null`: an hour after the first process of this version. */
}

export interface EgressProxy {
  /** A name or an address, without brackets. */
  readonly host: string
  readonly port: number
  /** The value of Proxy-Authorization. */
  readonly authorization: string | null
}

export interface ConfigMistake {
  readonly variable: string
  readonly problem: string
}

type Parsed<T> = { value: T } | { problem: string }

export const variables = [
  'OSTIARY_BASE_URL',
  'OSTIARY_HOST',
  'OSTIARY_PORT',
  'OSTIARY_DATA_DIR',
  'OSTIARY_DATABASE_URL',
  'OSTIARY_REDIS_URL',
  'OSTIARY_MASTER_KEY',
  'OSTIARY_IDLE_SECONDS',
  'OSTIARY_TRUSTED_PROXIES',
  'OSTIARY_WEBHOOK_ALLOWED_NETWORKS',
  'OSTIARY_EGRESS_PROXY',
  'OSTIARY_ISSUER_HOSTS',
  'OSTIARY_LIMITS',
  'OSTIARY_LOG_LEVEL',
  'OSTIARY_METRICS_PORT',
  'OSTIARY_OTLP_URL',
] as const

/**
 * Returns the configuration, or every mistake in it. An empty variable is treated as not set. `default_log_level` applies if
 * OSTIARY_LOG_LEVEL is not set.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  default_log_level: Config['log_level'] = 'info',
): Config | ConfigMistake[] {
  const mistakes: ConfigMistake[] = []
  const set = (variable: string) => env[variable]?.trim() || null
  const read = <T, F>(variable: (typeof variables)[number], parse: (text: string) => Parsed<T>, fallback: F): T | F => {
    const text = set(variable)
    const result = text === null ? { value: fallback } : parse(text)
    if ('value' in result) return result.value
    mistakes.push({ variable, problem: result.problem })
    return fallback
  }

  const port = read('OSTIARY_PORT', readPort, 3000)
  const base_url = read('OSTIARY_BASE_URL', readBaseUrl, new URL(`http://localhost:${port}`).origin)
  const config: Config = {
    base_url,
    host: read('OSTIARY_HOST', readHost, ['127.0.0.1', '::1']),
    port,
    data_dir: set('OSTIARY_DATA_DIR') ?? '.ostiary',
    database_url: read('OSTIARY_DATABASE_URL', urlReader('postgres', 'postgresql'), null),
    redis_url: read('OSTIARY_REDIS_URL', urlReader('redis', 'rediss'), null),
    master_keys: read('OSTIARY_MASTER_KEY', readMasterKeys, null),
    idle_seconds: read('OSTIARY_IDLE_SECONDS', readIdleSeconds, default_idle_seconds),
    trusted_proxies: read('OSTIARY_TRUSTED_PROXIES', readNetworks, []),
    webhook_allowed_networks: read('OSTIARY_WEBHOOK_ALLOWED_NETWORKS', readNetworks, []),
    egress_proxy: read('OSTIARY_EGRESS_PROXY', readEgressProxy, null),
    issuer_hosts: read('OSTIARY_ISSUER_HOSTS', (text) => parseIssuerHosts(text, base_url), []),
    limits: read('OSTIARY_LIMITS', parseLimits, default_limits),
    log_level: read('OSTIARY_LOG_LEVEL', readLogLevel, default_log_level),
    metrics: read('OSTIARY_METRICS_PORT', readMetricsPort, null),
    otlp_url: read('OSTIARY_OTLP_URL', readOtlpUrl, null),
  }

  if (set('OSTIARY_DATABASE_URL') && !set('OSTIARY_MASTER_KEY')) {
    mistakes.push({
      variable: 'OSTIARY_MASTER_KEY',
      problem: `Required with OSTIARY_DATABASE_URL, the same for every process. ${how_to_make_a_key}`,
    })
  }
  if (config.metrics?.port === config.port && config.port !== 0) {
    mistakes.push({
      variable: 'OSTIARY_METRICS_PORT',
      problem: `Metrics need a port of their own: the service listens on ${config.port}.`,
    })
  }
  mistakes.push(...unknownVariables(env))
  return mistakes.length > 0 ? mistakes : config
}

/** Accepts `http`, since a proxy may terminate TLS. `doctor` warns of `http` for a host that is not this machine. */
function readBaseUrl(text: string): Parsed<string> {
  const example = 'such as https://login.example.com: scheme, host and, unless it is the default, port.'
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return { problem: `Expected the public origin, ${example}` }
  const { origin, hostname } = new URL(text)
  if (hostname.includes('*') || /[@?#\\]/.test(text)) return { problem: `Expected only the public origin, ${example}` }
  return origin === text ? { value: origin } : { problem: `Expected an origin without path or trailing slash. Write ${origin}` }
}

function readHost(text: string): Parsed<string[]> {
  const host = text.replace(/^\[(.*)\]$/, '$1')
  if (host.toLowerCase() === 'localhost') return { value: ['127.0.0.1', '::1'] }
  const is_name = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(host) && !/(^|\.)[0-9]+$/.test(host)
  if (isIP(host) !== 0 || is_name) return { value: [host] }
  return { problem: 'Expected one address to listen on, such as 0.0.0.0, :: or localhost. The port goes into OSTIARY_PORT.' }
}

function readPort(text: string): Parsed<number> {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port <= 65_535 ? { value: port } : { problem: 'Expected a port from 1 to 65535, or 0 for any free one.' }
}

/** Longer than the 60 seconds after which most load balancers close an idle connection. */
const default_idle_seconds = 72

function readIdleSeconds(text: string): Parsed<number> {
  const seconds = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (seconds >= 5 && seconds <= 900) return { value: seconds }
  return { problem: 'Expected seconds from 5 to 900, more than after which your proxy closes an idle connection.' }
}

/** Metrics say much about a deployment and need no credential, so they leave the machine only where the setting says so. */
function readMetricsPort(text: string): Parsed<NonNullable<Config['metrics']>> {
  const [, host, digits = text] = /^(?:(.+):)([0-9]+)$/.exec(text) ?? []
  const port = readPort(digits)
  const address = host === undefined ? '127.0.0.1' : host.replace(/^\[(.*)\]$/, '$1')
  if ('problem' in port) return { problem: `${port.problem} An address before it is optional: 10.0.0.7:9464.` }
  if (isIP(address) === 0) return { problem: 'Expected a port, or an IP address with a port, such as 10.0.0.7:9464 or [::1]:9464.' }
  return { value: { host: address, port: port.value } }
}

/** Credentials are headers of the exporters, so that no message can repeat them: OTEL_EXPORTER_OTLP_HEADERS. */
function readOtlpUrl(text: string): Parsed<string> {
  const problem = 'Expected the address of a collector for OTLP over HTTP, such as http://collector:4318, without /v1/logs and final slash.'
  const is_plain = /^https?:\/\/[^/@?#\\\s]+(\/[^@?#\\\s]*[^/@?#\\\s])?$/i.test(text) && URL.canParse(text)
  return is_plain && !/\/v1\/(logs|traces|metrics)$/.test(text) ? { value: text } : { problem }
}

/** The message does not repeat the URL, which may contain a password. */
function urlReader(...schemes: [string, string]) {
  return (text: string): Parsed<string> => {
    const scheme = /^([a-z]+):\/\//i.exec(text)?.[1]?.toLowerCase()
    if (scheme && schemes.includes(scheme) && URL.canParse(text)) return { value: text }
    return { problem: `Expected a URL that begins with ${schemes[0]}://. Percent-encode special characters in the user name and password.` }
  }
}

/** The message does not repeat the URL, which may contain a password. */
function readEgressProxy(text: string): Parsed<EgressProxy> {
  const problem = 'Expected http://host:port or http://user:password@host:port, without a path, of a proxy that takes CONNECT.'
  const url = /^http:\/\/(?:[^@/?#\\\s]+@)?[^@/?#\\\s]+:[0-9]{1,5}$/i.test(text) ? URL.parse(text) : null
  if (url === null) return { problem }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(url.port || 80)
  const credentials = credentialsOf(url)
  if (port === 0 || credentials === null) return { problem: `${problem} Encode special characters of the password (RFC 3986 §2.1).` }
  const authorization = credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`
  return { value: { host, port, authorization } }
}

/** RFC 7617 §2: a user name has no colon, and neither part has control characters. */
function credentialsOf({ username, password }: URL): string | null {
  try {
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)]
    return user.includes(':') || /\p{Cc}/u.test(user + secret) ? null : `${user}:${secret}`
  } catch {
    return null
  }
}

/** Variables by which many programs choose a proxy. Ostiary does not read their values. */
const proxy_variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']

/** Those that are set, in either spelling, for `doctor`. */
export function ineffectiveProxyVariables(env: Readonly<Record<string, string | undefined>> = process.env): string[] {
  return [...proxy_variables, ...proxy_variables.map((name) => name.toLowerCase())].filter((name) => env[name])
}

const how_to_make_a_key = 'Create one with: openssl rand -base64 32'

/** RFC 4648 §4, with padding and with zero pad bits (§3.5), so that a key has one spelling. */
function readMasterKeys(text: string): Parsed<Buffer[]> {
  const entries = text.split(',').map((entry) => entry.trim())
  const keys = entries.map((entry) => Buffer.from(entry, 'base64'))
  const wrong = keys.findIndex((key, index) => key.length !== 32 || key.toString('base64') !== entries[index])
  if (wrong === -1) return { value: keys }
  return {
    problem: `${entries.length > 1 ? `Key ${wrong + 1} of ${entries.length}` : 'The key'} is not 32 bytes in base64. ${how_to_make_a_key}`,
  }
}

function readNetworks(text: string): Parsed<Network[]> {
  const result = parseNetworks(text)
  if ('networks' in result) return { value: result.networks }
  return { problem: result.wrong.map(({ entry, problem }) => `"${entry}": ${problem}`).join(' ') }
}

function readLogLevel(text: string): Parsed<Config['log_level']> {
  const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const
  const value = levels.find((level) => level === text)
  return value ? { value } : { problem: `Expected one of ${levels.join(', ')}.` }
}

function unknownVariables(env: Readonly<Record<string, string | undefined>>): ConfigMistake[] {
  // The tests read their own variables, and the processes that they start inherit them.
  const ours = Object.keys(env).filter((name) => name.startsWith('OSTIARY_') && !name.startsWith('OSTIARY_TEST_'))
  const unknown = ours.filter(
    (name) => ![...variables, ...client_variables].some((known) => known === name) && !name.startsWith(secret_variables),
  )
  return unknown.sort().map((variable) => {
    const closest = nearest(variable, variables, 4)
    return { variable, problem: closest ? `There is no such variable. Did you mean ${closest}?` : 'There is no such variable. Remove it.' }
  })
}

/**
 * Gives Node's thread pool at least so many threads, before its first use: libuv reads the variable then. On Windows it has read it at the
 * start of the process, so there only a variable of the operator counts.
 */
export function widenThreadPool(threads: number): void {
  const name = 'UV_THREADPOOL_SIZE'
  if (Number(process.env[name] ?? 0) < threads) process.env[name] = String(threads)
}
