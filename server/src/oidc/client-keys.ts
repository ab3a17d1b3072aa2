/**
 * The public keys of clients that publish them at a `jwks_uri`. A cache keeps them for minutes. An assertion that no cached key
 * verifies makes the service read them again, but wrong assertions cannot make it call the server of a client all the time.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { LocalJWKSet } from 'jose'
import { createBoundedMap } from '../base/bounded-map.ts'
import type { Deployment } from '../deployment/deployment.ts'

export interface KeyOwner {
  environment_id: EnvironmentId
  client_id: string
  jwks_uri: string
  https_only: boolean
}

interface Entry {
  readonly read_at_ms: number
  has_failed: boolean
  readonly keys: Promise<LocalJWKSet | null>
}

/** A key that a client withdraws is refused after this time at the latest. */
const keep_ms = 300_000
/** The shortest time between two calls to the server of a client. */
const cool_down_ms = 10_000
/** Short, because the request of the client waits for it. */
const timeout_ms = 3_000
const limit_bytes = 65_536
const most_cached = 500

export type ClientKeys = ReturnType<typeof createClientKeys>

export function createClientKeys({ outbound, now, log }: Pick<Deployment, 'outbound' | 'now' | 'log'>) {
  const cache = createBoundedMap<string, Entry>(most_cached)
  const cacheKey = ({ environment_id, client_id, jwks_uri }: KeyOwner) => `${environment_id} ${client_id} ${jwks_uri}`

  /** Starts one call for all requests of a client that wait for its keys. */
  function refresh(owner: KeyOwner): Entry {
    const keys = read(owner)
    const entry: Entry = { read_at_ms: now().getTime(), has_failed: false, keys }
    void keys.then((set) => {
      entry.has_failed = set === null
    })
    cache.set(cacheKey(owner), entry)
    return entry
  }

  async function read({ jwks_uri, https_only, client_id, environment_id }: KeyOwner): Promise<LocalJWKSet | null> {
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
      const { createLocalJWKSet } = await import('jose') // takes 15 MB, loaded only where a client has such keys
      return createLocalJWKSet(JSON.parse(body.toString('utf8')))
    } catch (error) {
      log.warn('The keys of a client cannot be read.', { environment_id, client_id }, error)
      return null
    }
  }

  const ageOf = (entry: Entry) => Math.abs(now().getTime() - entry.read_at_ms)

  return {
    /** The keys of the client, at most five minutes old; `null` where its server does not return them. */
    find(owner: KeyOwner): Promise<LocalJWKSet | null> {
      const known = cache.get(cacheKey(owner))
      const is_fresh = known && ageOf(known) < (known.has_failed ? cool_down_ms : keep_ms)
      return (is_fresh ? known : refresh(owner)).keys
    },

    /** Reads the keys again, for an assertion that the keys of `find` did not verify; `null` where the last call is too recent. */
    findFresh(owner: KeyOwner): Promise<LocalJWKSet | null> {
      const known = cache.get(cacheKey(owner))
      return known && ageOf(known) < cool_down_ms ? Promise.resolve(null) : refresh(owner).keys
    },
  }
}
