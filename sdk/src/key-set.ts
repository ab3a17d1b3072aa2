/**
 * The public keys of an issuer: read when they are needed, cached as its headers say (docs/decisions/0048). jose chooses and imports them
 * (docs/decisions/0090).
 */
import { createLocalJWKSet, errors, type JWK, type LocalJWKSet } from 'jose'
import { platform } from './runtime.ts'
import { TokenError } from './token-error.ts'

export type Algorithm = 'RS256' | 'PS256' | 'ES256'

export interface KeySetOptions {
  /** The issuer of the environment. Its keys are at `{issuer}/v1/oauth/jwks.json`. */
  issuer: string
  /** Another address of the keys. */
  jwks_uri?: string | undefined
  /** How long one attempt to read the keys can take, in milliseconds. The default is 5,000. */
  timeout_ms?: number | undefined
  /** The least time between two attempts that an unknown `kid` or a failure causes, in seconds. The default is 30. */
  cooldown_seconds?: number | undefined
  /** How long expired keys are used while the issuer cannot be reached, in seconds. The default is 3,600. */
  max_stale_seconds?: number | undefined
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Replaces the clock, for tests. */
  now?: (() => Date) | undefined
}

// Named by way of WebCrypto, since the declarations of the package must need neither the types of jose nor those of a browser.
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

export interface KeySet {
  /** The key with this id for an algorithm. `null` if the issuer has no such key that can be used. */
  find(kid: string, algorithm: string): Promise<Key | null>
}

const default_max_age_seconds = 300
const longest_max_age_seconds = 86_400
const largest_document = 65_536
const most_keys = 50
// In bits. Shorter ones are weak (RFC 7518 §3.3), longer ones slow.
const modulus_length = { min: 2_048, max: 8_192 }

export function createKeySet(options: KeySetOptions): KeySet {
  const { timeout_ms = 5_000, cooldown_seconds = 30, max_stale_seconds = 3_600, now = platform.now } = options
  const address = options.jwks_uri ?? `${options.issuer}/v1/oauth/jwks.json`
  const cooldown_ms = cooldown_seconds * 1000

  let keys: LocalJWKSet | null = null
  let etag: string | null = null
  let fresh_until_ms = 0
  let tried_at_ms = Number.NEGATIVE_INFINITY
  let last_failure: unknown = null
  let loading: Promise<void> | null = null

  /** Reads the keys, one attempt at a time, and not again within the cooldown. Keeps the old ones after a failure. */
  function refresh(): Promise<void> {
    if (loading) return loading
    // Without any keys nothing works, so a short pause suffices.
    const pause_ms = keys ? cooldown_ms : Math.min(cooldown_ms, 1_000)
    if (now().getTime() - tried_at_ms < pause_ms) return Promise.resolve()
    tried_at_ms = now().getTime()
    loading = load()
      .then(
        () => {
          last_failure = null
        },
        (error: unknown) => {
          last_failure = error
        },
      )
      .finally(() => {
        loading = null
      })
    return loading
  }

  async function load(): Promise<void> {
    const headers = { accept: 'application/json', ...(etag === null ? {} : { 'if-none-match': etag }) }
    const call = options.fetch ?? globalThis.fetch
    const response = await call(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(timeout_ms) })
    if (response.status === 304 && keys) await response.body?.cancel()
    else if (response.status !== 200) throw new Error(`The answer has the status ${response.status}.`)
    else {
      keys = createLocalJWKSet({ keys: keysOf(await limitedText(response)) }) // without the keys that are no longer published
      etag = response.headers.get('etag')
    }
    fresh_until_ms = now().getTime() + lifetimeSeconds(response.headers, cooldown_seconds) * 1000
  }

  return {
    async find(kid, algorithm) {
      if (now().getTime() >= fresh_until_ms) await refresh()
      if (!keys || now().getTime() >= fresh_until_ms + max_stale_seconds * 1000)
        throw new TokenError('keys_unavailable', 'The keys of the issuer cannot be read.', { cause: last_failure })
      const found = await findIn(keys, kid, algorithm)
      if (found) return found
      await refresh()
      return findIn(keys, kid, algorithm)
    },
  }
}

/** RFC 7517 §4: the first key whose kty, use, key_ops, alg and kid fit. One that cannot be imported, or is private, is not a key. */
async function findIn(keys: LocalJWKSet, kid: string, alg: string): Promise<Key | null> {
  const key = await keys({ kid, alg }).catch(async (error: unknown) => {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return null
    const { value } = await error[Symbol.asyncIterator]().next()
    return value ?? null
  })
  const { modulusLength: bits } = { ...(key?.algorithm as { modulusLength?: number } | undefined) } // as: RSA keys alone have it
  return bits === undefined || (bits >= modulus_length.min && bits <= modulus_length.max) ? key : null
}

function keysOf(text: string): JWK[] {
  const { keys } = { ...(JSON.parse(text) as { keys?: unknown }) } // as: its members are checked
  if (!Array.isArray(keys)) throw new Error('The answer is not a JWK Set.')
  return keys.filter((key) => typeof key === 'object' && key !== null && !Array.isArray(key)).slice(0, most_keys)
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (const reader = response.body?.getReader(); reader; ) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
    if (text.length > largest_document) {
      await reader.cancel()
      throw new Error('The JWK Set is too large.')
    }
  }
  return text + decoder.decode()
}

/** RFC 9111 §4.2: max-age less the time in other caches. Never shorter than the cooldown, and at most a day. */
function lifetimeSeconds(headers: Headers, cooldown_seconds: number): number {
  const control = headers.get('cache-control') ?? ''
  const max_age = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(control)?.[1]
  const stated = /no-store|no-cache/i.test(control) ? 0 : max_age === undefined ? default_max_age_seconds : Number(max_age)
  const age = Number(/^\d{1,9}$/.exec(headers.get('age') ?? '')?.[0] ?? 0)
  return Math.min(Math.max(stated - age, cooldown_seconds), longest_max_age_seconds)
}
