// pure
/**
 * When a trusted browser stands for the second factor (decision 0192): a person who used one there chose not to be asked again for some
 * days. It satisfies `mfa.mode` and nothing else.
 */
import { day_ms } from '../base/durations.ts'
import type { AuthorizationRequest } from './authorize.ts'
import { isStrong } from './second-factor.ts'

export interface Trust {
  created_at: Date
  expires_at: Date
}

/** A lower setting counts at once, and a higher one makes none longer than the person was promised. */
export const trustLives = ({ created_at, expires_at }: Trust, remember_days: number, now: Date): boolean =>
  expires_at > now && created_at > trustedSince(remember_days, now)

/** A trusted browser that began before this time is over. */
export const trustedSince = (remember_days: number, now: Date): Date => new Date(now.getTime() - remember_days * day_ms)

type Asking = Pick<AuthorizationRequest, 'prompt' | 'max_age'> & Partial<Pick<AuthorizationRequest, 'signed_in_since' | 'acr_values'>>

/**
 * Reports whether a request wants to know more than that the browser is trusted. `signed_in_since` is left of a `prompt=login` or `max_age` that a
 * sign-in has answered: another account that is chosen afterwards must answer it too.
 */
export const asksForEveryFactor = ({ prompt, max_age, signed_in_since, acr_values = [] }: Asking): boolean =>
  prompt.includes('login') || max_age !== undefined || signed_in_since !== undefined || acr_values.some(isStrong)
