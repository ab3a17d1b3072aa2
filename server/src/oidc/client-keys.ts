/**
 * The public keys of clients that publish them at a `jwks_uri`. Kept for minutes, read again when an assertion fits none
 * of them, and never so often that somebody's wrong assertions make us call their server on end.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { LocalJWKSet } from 'jose'
import { createBoundedMap } from '../bounded-map.ts'
import type { Deployment } from '../deployment.ts'

export interface KeyPlace {
  environment_id: EnvironmentId
  client_id: string
  jwks_uri: string
  https_only: boolean
}

interface Entry {
  readonly asked_at_ms: number
  has_failed: boolean
  readonly keys: Promise<LocalJWKSet | null>
}

/** A key that a client withdraws is refused after this time. */
const keep_ms = 300_000
/** The least time between two calls to one client's server. */
const cool_down_ms = 10_000
/** The client's own request waits for it. */
const timeout_ms = 3_000
const limit_bytes = 65_536
const most_cached = 500

export type ClientKeys = ReturnType<typeof createClientKeys>

export function createClientKeys({ outbound, now, log }: Pick<Deployment, 'outbound' | 'now' | 'log'>) {
  const cache = createBoundedMap<string, Entry>(most_cached)
  const nameOf = ({ environment_id, client_id, jwks_uri }: KeyPlace) => `${environment_id} ${client_id} ${jwks_uri}`

  /** One call at a time for each client: who comes meanwhile waits for the same. */
  function ask(place: KeyPlace): Entry {
    const keys = read(place)
    const entry: Entry = { asked_at_ms: now().getTime(), has_failed: false, keys }
    void keys.then((set) => {
      entry.has_failed = set === null
    })
    cache.set(nameOf(place), entry)
    return entry
  }

  async function read({ jwks_uri, https_only, client_id, environment_id }: KeyPlace): Promise<LocalJWKSet | null> {
    try {
      const headers = { accept: 'application/jwk-set+json, application/json' }
      const { status, body } = await outbound({
        method: 'GET',
        url: jwks_uri,
        headers,
        https_only,
        timeout_ms,
        limit_bytes,
        beyond_limit: 'fail',
      })
      if (status !== 200) throw new Error(`The status is ${status}.`)
      const { createLocalJWKSet } = await import('jose') // 15 MB that a service without such clients need not carry
      return createLocalJWKSet(JSON.parse(body.toString('utf8')))
    } catch (error) {
      log.warn('The keys of a client cannot be read.', { environment_id, client_id }, error)
      return null
    }
  }

  const ageOf = (entry: Entry) => Math.abs(now().getTime() - entry.asked_at_ms)

  return {
    /** The client's keys, at most five minutes old. `null` where its server does not give them. */
    find(place: KeyPlace): Promise<LocalJWKSet | null> {
      const known = cache.get(nameOf(place))
      const is_good = known && ageOf(known) < (known.has_failed ? cool_down_ms : keep_ms)
      return (is_good ? known : ask(place)).keys
    },

    /** The keys as they are now, after those of `find` did not fit; `null` where it is too early to ask again. */
    findAgain(place: KeyPlace): Promise<LocalJWKSet | null> {
      const known = cache.get(nameOf(place))
      return known && ageOf(known) < cool_down_ms ? Promise.resolve(null) : ask(place).keys
    },
  }
}
