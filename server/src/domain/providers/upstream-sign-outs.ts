/**
 * A sign-out that leads through a provider: where the browser goes on once it comes back. It is sealed in a cookie of the browser for ten
 * minutes and stores nothing. The person is signed out before, so a cookie that is lost costs the way on alone.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { digestOf } from '../../base/digest.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { signedOutCookie } from '../../deployment/secrets/sealed-columns.ts'
import { longest_upstream_cookie, upstream_kept_seconds } from './upstream-sign-ins.ts'

const InCookie = z.object({
  provider_id: z.string(),
  state_hash: z.string(),
  to: z.string().nullable(),
  query: z.string(),
  expires_ms: z.int(),
})

/** Where a sign-out goes on. */
export interface Onward {
  /** The address of the application, which it registered; `null` for the page that confirms the sign-out. */
  to: string | null
  /** The request of the sign-out, for that page. */
  query: string
}

type Services = Pick<Deployment, 'secrets' | 'now'>

interface Returning {
  provider_id: string
  state: string
}

/** The sealed way on for the cookie; `null` where it is too large for one. */
export function sealSignOut(
  { secrets, now }: Services,
  environment_id: EnvironmentId,
  { state, ...rest }: Returning & Onward,
): string | null {
  const pending: z.infer<typeof InCookie> = {
    ...rest,
    state_hash: digestOf(state),
    expires_ms: now().getTime() + upstream_kept_seconds * 1_000,
  }
  const sealed = secrets.seal(JSON.stringify(pending), signedOutCookie(environment_id))
  return sealed.length <= longest_upstream_cookie ? sealed : null
}

/** The way on of this browser; `null` where the cookie is of another provider or sign-out, has expired, or is not from this service. */
export function openSignOut(
  { secrets, now }: Services,
  environment_id: EnvironmentId,
  sealed: string,
  { provider_id, state }: Returning,
): Onward | null {
  try {
    const pending = InCookie.parse(JSON.parse(secrets.unseal(sealed, signedOutCookie(environment_id))))
    const is_expected =
      pending.provider_id === provider_id && pending.state_hash === digestOf(state) && pending.expires_ms > now().getTime()
    return is_expected ? { to: pending.to, query: pending.query } : null
  } catch {
    return null // not sealed by this service, or under a master key that is gone
  }
}
