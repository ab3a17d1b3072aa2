// pure
/** When a sign-in asks for a second factor, and what a request for a level (`acr_values`) needs. */
import type { Settings } from '@ostiary/contract/settings.ts'

export const one_factor = 'urn:ostiary:1fa'
export const two_factors = 'urn:ostiary:2fa'
export const by_passkey = 'urn:ostiary:passkey'

/** From the lowest to the highest. A level satisfies a request for a lower one; an unknown acr satisfies none. */
const levels: readonly string[] = [one_factor, two_factors, by_passkey]
/** These levels need no further factor. */
export const strong_levels = [two_factors, by_passkey] as const
export const isStrong = (acr: string) => acr === two_factors || acr === by_passkey
const satisfies = (acr: string, wanted: string) => levels.indexOf(acr) >= levels.indexOf(wanted)

/** The settings, and whether the account has a second factor. */
export interface Factors {
  mode: Settings['mfa']['mode']
  /** A person may enrol a second factor of some kind. */
  can_enrol: boolean
  has_second_factor: boolean
  /** A passkey that the person can use now. It is also a second factor. */
  has_passkey: boolean
  /** For a session of one factor that began in a trusted browser: whether that stands for the second factor. `null` for every other session. */
  trust: boolean | null
}

/** `ask`: for a second factor; `enrol`: the person has none and sets one up first. */
export type Missing = 'nothing' | 'ask' | 'enrol'

/**
 * Returns the step that a sign-in needs after its first factor. An enrolled factor is asked for in every mode, except in a trusted browser;
 * `required` enrols one.
 */
export function missingAfterFirstFactor(
  acr: string,
  { mode, has_second_factor, is_trusted = false }: Pick<Factors, 'mode' | 'has_second_factor'> & { is_trusted?: boolean },
): Missing {
  if (isStrong(acr)) return 'nothing'
  if (has_second_factor) return is_trusted ? 'nothing' : 'ask'
  return mode === 'required' ? 'enrol' : 'nothing'
}

const fresh_ms = 600_000

/** A sign-in of the last ten minutes. */
export const isRecent = ({ auth_time }: { auth_time: Date }, now: Date): boolean => now.getTime() - auth_time.getTime() <= fresh_ms

/**
 * Decision 0046: a sensitive change needs a sign-in of the last ten minutes. It also needs every factor that a new sign-in would ask for:
 * a session of one factor from before the first second factor, or from before `mfa.mode` was `required`, is not proof of the person.
 */
export const isFresh = (
  session: { auth_time: Date; acr: string },
  factors: Pick<Factors, 'mode' | 'has_second_factor'>,
  now: Date,
): boolean => isRecent(session, now) && missingAfterFirstFactor(session.acr, factors) === 'nothing'

/**
 * Returns the step that a session of this level needs before it answers a request.
 *
 * OIDC Core §5.5.1.1: acr_values is voluntary. Unknown levels, and those that the account cannot reach, are dropped; any of the others
 *                     satisfies
 */
export function missingForRequest(acr: string, acr_values: readonly string[], factors: Factors): Missing {
  const { mode, can_enrol, has_second_factor, has_passkey, trust } = factors
  const canReach: Record<string, boolean> = {
    [one_factor]: true,
    [two_factors]: has_second_factor || (mode !== 'off' && can_enrol),
    [by_passkey]: has_passkey,
  }
  const reachable = acr_values.filter((wanted) => canReach[wanted] === true)
  const is_wanted = reachable.length > 0 && !reachable.some((wanted) => satisfies(acr, wanted))
  // A session that rested on a trusted browser is asked for what its sign-in left out.
  const rests_on = trust !== null && has_second_factor ? trust : mode !== 'required'
  if (!is_wanted && (isStrong(acr) || rests_on)) return 'nothing'
  return has_second_factor ? 'ask' : 'enrol'
}

/** Whether a request that is not satisfied by a lower level aims at a passkey, for a person who has one. */
const aimsAtPasskey = (acr_values: readonly string[]): boolean => acr_values.find((wanted) => levels.includes(wanted)) === by_passkey

/**
 * RFC 8176: the methods of a sign-in with those of its second factor. For a request that aims at a passkey the passkey is alone,
 * as it would be in a new sign-in: the level is `by_passkey`, so without `mfa`.
 */
export function withSecondFactor(amr: readonly string[], second: readonly string[], acr_values: readonly string[]): string[] {
  const is_aim = second.includes('user') && aimsAtPasskey(acr_values)
  return [...new Set([...amr.filter((word) => word !== 'mfa'), ...second, ...(is_aim ? [] : ['mfa'])])]
}

/**
 * Whether a person proves the address before the first enrolment in a sign-in, so that a stolen password alone cannot add a factor. An
 * emailed code that was the first factor is that proof. Without mail there is no other way than to enrol at once.
 */
export const enrolmentNeedsMailedCode = ({ sends_mail, proved_by_code }: { sends_mail: boolean; proved_by_code: boolean }): boolean =>
  sends_mail && !proved_by_code
