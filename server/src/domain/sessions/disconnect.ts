/** A person or a backend takes back everything that an application got from a user. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { guard, type Statement } from '../../db/db.ts'
import type { Origin } from '../events/store.ts'
import { revokeConsent } from './consents.ts'
import { type AtApplication, endAtApplication } from './endings.ts'
import { endGrant } from './grants.ts'

/**
 * Disconnects an application from a user, for no organization or for one: removes the consent and ends every grant. Put it after `holdUser`. With `grant_id` it fails as a
 * guard if that grant is not valid.
 */
export function disconnectApplication(
  environment_id: EnvironmentId,
  which: AtApplication & { grant_id?: string },
  origin: Origin,
  now: Date,
): Statement[] {
  const { grant_id } = which
  return [
    ...(grant_id === undefined ? [] : [guard(endGrant(environment_id, grant_id, 'disconnected', now))]),
    ...endAtApplication(environment_id, which, now),
    ...revokeConsent(environment_id, which, origin, now),
  ]
}
