/**
 * The configuration: every variable of the environment this service knows, and the only place that reads them.
 * A mistake is reported by the name of its variable, together with all others; a value that may be secret is never repeated.
 */
import { isIP } from 'node:net'
import { default_limits, type Limits, parseLimits } from './limits.ts'
import type { LogLevel } from './log.ts'
import { type Network, parseNetworks } from './net/networks.ts'

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
  /** The first encrypts, all decrypt. `null`: the generated one in the data directory. */
  readonly master_keys: readonly Buffer[] | null
  readonly trusted_proxies: readonly Network[]
  readonly webhook_allowed_networks: readonly Network[]
  readonly limits: Limits
  readonly log_level: LogLevel | 'silent'
  /** `null`: no metrics. */
  readonly metrics_port: number | null
}

export interface ConfigMistake {
  readonly variable: string
  readonly problem: string
}

type Read<T> = { value: T } | { problem: string }

const variables = [
  'OSTIARY_BASE_URL',
  'OSTIARY_HOST',
  'OSTIARY_PORT',
  'OSTIARY_DATA_DIR',
  'OSTIARY_DATABASE_URL',
  'OSTIARY_REDIS_URL',
  'OSTIARY_MASTER_KEY',
  'OSTIARY_TRUSTED_PROXIES',
  'OSTIARY_WEBHOOK_ALLOWED_NETWORKS',
  'OSTIARY_LIMITS',
  'OSTIARY_LOG_LEVEL',
  'OSTIARY_METRICS_PORT',
] as const

/**
 * The configuration, or every mistake in it. A variable that is empty counts as not set. `usual_log_level` is what holds
 * where OSTIARY_LOG_LEVEL is not set.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  usual_log_level: Config['log_level'] = 'info',
): Config | ConfigMistake[] {
  const mistakes: ConfigMistake[] = []
  const set = (variable: string) => env[variable]?.trim() || null
  const read = <T, F>(variable: (typeof variables)[number], parse: (text: string) => Read<T>, fallback: F): T | F => {
    const text = set(variable)
    const result = text === null ? { value: fallback } : parse(text)
    if ('value' in result) return result.value
    mistakes.push({ variable, problem: result.problem })
    return fallback
  }

  const port = read('OSTIARY_PORT', readPort, 3000)
  const config: Config = {
    base_url: read('OSTIARY_BASE_URL', readBaseUrl, new URL(`http://localhost:${port}`).origin),
    host: read('OSTIARY_HOST', readHost, ['127.0.0.1', '::1']),
    port,
    data_dir: set('OSTIARY_DATA_DIR') ?? '.ostiary',
    database_url: read('OSTIARY_DATABASE_URL', urlReader('postgres', 'postgresql'), null),
    redis_url: read('OSTIARY_REDIS_URL', urlReader('redis', 'rediss'), null),
    master_keys: read('OSTIARY_MASTER_KEY', readMasterKeys, null),
    trusted_proxies: read('OSTIARY_TRUSTED_PROXIES', readNetworks, []),
    webhook_allowed_networks: read('OSTIARY_WEBHOOK_ALLOWED_NETWORKS', readNetworks, []),
    limits: read('OSTIARY_LIMITS', parseLimits, default_limits),
    log_level: read('OSTIARY_LOG_LEVEL', readLogLevel, usual_log_level),
    metrics_port: read('OSTIARY_METRICS_PORT', readPort, null),
  }

  if (set('OSTIARY_DATABASE_URL') && !set('OSTIARY_MASTER_KEY')) {
    mistakes.push({
      variable: 'OSTIARY_MASTER_KEY',
      problem: `Required with OSTIARY_DATABASE_URL, the same for every process. ${how_to_make_a_key}`,
    })
  }
  if (config.metrics_port === config.port && config.port !== 0) {
    mistakes.push({
      variable: 'OSTIARY_METRICS_PORT',
      problem: `Metrics need a port of their own; ${config.port} is where the service listens.`,
    })
  }
  mistakes.push(...unknownVariables(env))
  return mistakes.length > 0 ? mistakes : config
}

/** `http` is accepted, since TLS may end elsewhere or the network be a private one; `doctor` warns of it beyond this machine. */
function readBaseUrl(text: string): Read<string> {
  const example = 'such as https://login.example.com: scheme, host and, where it is not the usual one, port.'
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return { problem: `Expected the public origin, ${example}` }
  const { origin, hostname } = new URL(text)
  if (hostname.includes('*') || /[@?#\\]/.test(text)) return { problem: `Expected nothing but the public origin, ${example}` }
  return origin === text ? { value: origin } : { problem: `Expected an origin without path or trailing slash. Write ${origin}` }
}

function readHost(text: string): Read<string[]> {
  const host = text.replace(/^\[(.*)\]$/, '$1')
  if (host.toLowerCase() === 'localhost') return { value: ['127.0.0.1', '::1'] }
  const is_name = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(host) && !/(^|\.)[0-9]+$/.test(host)
  if (isIP(host) !== 0 || is_name) return { value: [host] }
  return { problem: 'Expected one address to listen on, such as 0.0.0.0, :: or localhost. The port goes into OSTIARY_PORT.' }
}

function readPort(text: string): Read<number> {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  return port <= 65_535 ? { value: port } : { problem: 'Expected a port from 1 to 65535, or 0 for any free one.' }
}

/** The URL is not repeated: it may hold a password. */
function urlReader(...schemes: [string, string]) {
  return (text: string): Read<string> => {
    const scheme = /^([a-z]+):\/\//i.exec(text)?.[1]?.toLowerCase()
    if (scheme && schemes.includes(scheme) && URL.canParse(text)) return { value: text }
    return { problem: `Expected a URL that begins with ${schemes[0]}://. Percent-encode what is special in the user name and password.` }
  }
}

const how_to_make_a_key = 'Make one with: openssl rand -base64 32'

/** RFC 4648 §4, with padding and without stray bits (§3.5), so that no two spellings are one key. */
function readMasterKeys(text: string): Read<Buffer[]> {
  const entries = text.split(',').map((entry) => entry.trim())
  const keys = entries.map((entry) => Buffer.from(entry, 'base64'))
  const wrong = keys.findIndex((key, index) => key.length !== 32 || key.toString('base64') !== entries[index])
  if (wrong === -1) return { value: keys }
  return {
    problem: `${entries.length > 1 ? `Key ${wrong + 1} of ${entries.length}` : 'The key'} is not 32 bytes in base64. ${how_to_make_a_key}`,
  }
}

function readNetworks(text: string): Read<Network[]> {
  const result = parseNetworks(text)
  if ('networks' in result) return { value: result.networks }
  return { problem: result.wrong.map(({ entry, problem }) => `"${entry}": ${problem}`).join(' ') }
}

function readLogLevel(text: string): Read<Config['log_level']> {
  const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const
  const value = levels.find((level) => level === text)
  return value ? { value } : { problem: `Expected one of ${levels.join(', ')}.` }
}

function unknownVariables(env: Readonly<Record<string, string | undefined>>): ConfigMistake[] {
  // Those of the tests are read there; processes that a test starts inherit them.
  const ours = Object.keys(env).filter((name) => name.startsWith('OSTIARY_') && !name.startsWith('OSTIARY_TEST_'))
  const unknown = ours.filter((name) => !variables.some((known) => known === name))
  return unknown.sort().map((variable) => {
    const [meant] = variables
      .filter((known) => distance(known, variable) <= 4)
      .sort((a, b) => distance(a, variable) - distance(b, variable))
    return { variable, problem: meant ? `There is no such variable. Is ${meant} meant?` : 'There is no such variable. Remove it.' }
  })
}

/** How many letters must be added, left out or changed to make one of the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
