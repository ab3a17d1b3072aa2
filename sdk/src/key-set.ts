/** The public keys of an issuer: read when they are needed, cached as its headers say. See docs/decisions/0048. */
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

export interface KeySet {
  /** Whether the key with this id made the signature. `null` if the issuer has no such key for the algorithm. */
  verify(kid: string, algorithm: Algorithm, signed: Uint8Array, signature: Uint8Array): Promise<boolean | null>
}

// biome-ignore format: this table is read by column
const algorithms = {
  RS256: { kty: 'RSA', members: ['n', 'e'],        imported: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, verified: { name: 'RSASSA-PKCS1-v1_5' } },
  PS256: { kty: 'RSA', members: ['n', 'e'],        imported: { name: 'RSA-PSS', hash: 'SHA-256' },           verified: { name: 'RSA-PSS', saltLength: 32 } },
  ES256: { kty: 'EC',  members: ['crv', 'x', 'y'], imported: { name: 'ECDSA', namedCurve: 'P-256' },         verified: { name: 'ECDSA', hash: 'SHA-256' } },
} as const

type Jwk = Record<string, unknown>
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>
const default_max_age_seconds = 300
const longest_max_age_seconds = 86_400
const largest_document = 65_536
const most_keys = 50
// A modulus of 2048 to 8192 bits: shorter ones are weak (RFC 7518 §3.3), longer ones slow.
const modulus_length = { min: 342, max: 1_366 }

export function createKeySet(options: KeySetOptions): KeySet {
  const { timeout_ms = 5_000, cooldown_seconds = 30, max_stale_seconds = 3_600, now = platform.now } = options
  const address = options.jwks_uri ?? `${options.issuer}/v1/oauth/jwks.json`
  const cooldown_ms = cooldown_seconds * 1000

  let keys: readonly Jwk[] | null = null
  let imported = new Map<string, Promise<Key | null>>()
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
      keys = keysOf(await limitedText(response))
      imported = new Map() // a key that is no longer published must not verify
      etag = response.headers.get('etag')
    }
    fresh_until_ms = now().getTime() + lifetimeSeconds(response.headers, cooldown_seconds) * 1000
  }

  function find(kid: string, algorithm: Algorithm): Promise<Key | null> | null {
    const name = `${algorithm} ${kid}`
    const known = imported.get(name)
    if (known) return known
    const jwk = keys?.find((key) => key.kid === kid && fits(key, algorithm))
    if (!jwk) return null
    const { members, kty, imported: parameters } = algorithms[algorithm]
    const public_members = Object.fromEntries(members.map((member) => [member, jwk[member]]))
    // A key that cannot be imported is no key.
    const key = crypto.subtle.importKey('jwk', { kty, ...public_members }, parameters, false, ['verify']).catch(() => null)
    imported.set(name, key)
    return key
  }

  return {
    async verify(kid, algorithm, signed, signature) {
      if (now().getTime() >= fresh_until_ms) await refresh()
      if (!keys || now().getTime() >= fresh_until_ms + max_stale_seconds * 1000)
        throw new TokenError('keys_unavailable', 'The keys of the issuer cannot be read.', { cause: last_failure })
      let found = find(kid, algorithm)
      if (!found) {
        await refresh()
        found = find(kid, algorithm)
      }
      const key = await found
      return key && crypto.subtle.verify(algorithms[algorithm].verified, key, new Uint8Array(signature), new Uint8Array(signed))
    },
  }
}

/** RFC 7517 §4.2, §4.4: a key for another use or another algorithm does not fit. */
function fits(key: Jwk, algorithm: Algorithm): boolean {
  const { kty, members } = algorithms[algorithm]
  if (key.kty !== kty || !members.every((member) => isBase64url(key[member]))) return false
  if (kty === 'RSA' && !(String(key.n).length >= modulus_length.min && String(key.n).length <= modulus_length.max)) return false
  return (key.use ?? 'sig') === 'sig' && (key.alg ?? algorithm) === algorithm
}

const isBase64url = (value: unknown) => typeof value === 'string' && /^[\w-]+$/.test(value)

function keysOf(text: string): Jwk[] {
  const { keys } = { ...(JSON.parse(text) as { keys?: unknown }) } // as: its members are checked
  if (!Array.isArray(keys)) throw new Error('The answer is not a JWK Set.')
  return keys.filter((key) => typeof key === 'object' && key !== null).slice(0, most_keys)
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
