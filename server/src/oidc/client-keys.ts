/**
 * The public keys of clients that publish them at a `jwks_uri`. A cache keeps them for minutes. An assertion that no cached key
 * verifies makes the service read them again, but wrong assertions cannot make it call the server of a client all the time.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { LocalJWKSet } from 'jose'
import { createSharedReads } from '../base/shared-reads.ts'
import type { Deployment } from '../deployment/deployment.ts'

export interface KeyOwner {
  environment_id: EnvironmentId
  client_id: string
  jwks_uri: string
  https_only: boolean
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
  const reads = createSharedReads({ now }, { keep_ms, cool_down_ms, most: most_cached }, read)
  const keyOf = ({ environment_id, client_id, jwks_uri }: KeyOwner) => `${environment_id} ${client_id} ${jwks_uri}`

  async function read({ jwks_uri, https_only, client_id, environment_id }: KeyOwner): Promise<LocalJWKSet> {
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
      throw error
    }
  }

  return {
    /** The keys of the client, at most five minutes old; `null` where its server does not return them. */
    find(owner: KeyOwner): Promise<LocalJWKSet | null> {
      return reads.find(keyOf(owner), owner, timeout_ms).catch(() => null)
    },

    /** Reads the keys again, for an assertion that the keys of `find` did not verify; `null` where the last call is too recent. */
    async findFresh(owner: KeyOwner): Promise<LocalJWKSet | null> {
      const fresh = reads.findFresh(keyOf(owner), owner, timeout_ms)
      return fresh && (await fresh.catch(() => null))
    },
  }
}
