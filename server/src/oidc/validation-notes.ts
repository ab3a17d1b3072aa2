/** Records tokens that `tokens/validate` calls inactive: once for each key, reason and minute. */
import type { inactiveReasons } from '@ostiary/contract/session.ts'
import { createBoundedMap } from '../base/bounded-map.ts'
import { minute_ms } from '../base/durations.ts'
import { type Reason, reason } from '../base/reason.ts'
import { readIdTokenHint } from './id-token-hint.ts'
import type { Issuer } from './issuer.ts'

type InactiveReason = (typeof inactiveReasons)[number]

/** Of keys and reasons together. More than this only records more. */
const most_remembered = 10_000

/** Reports whether a verdict is the first one of its caller and its reason in this minute. */
export type IsFirstVerdict = (caller_id: string, reason: InactiveReason, now: Date) => boolean

export function createFirstVerdicts(): IsFirstVerdict {
  const minutes = createBoundedMap<string, number>(most_remembered)
  return (caller_id, reason, now) => {
    const kind = `${caller_id} ${reason}`
    const minute = Math.floor(now.getTime() / minute_ms)
    if (minutes.get(kind) === minute) return false
    minutes.set(kind, minute)
    return true
  }
}

const sentences: Record<InactiveReason, Reason> = {
  malformed: reason`The text is not a token of any kind.`,
  unknown: reason`No environment of the project issued the token, or it was changed.`,
  expired: reason`The access token has expired.`,
  revoked: reason`The access token is revoked, or its grant has ended.`,
  session_ended: reason`The session of the access token has ended.`,
  user_blocked: reason`The user of the access token is blocked or deleted.`,
  not_allowed: reason`The user has none of the roles in allowed_roles of the application, or the token lacks a required organization.`,
  environment_mismatch: reason`The token is of another environment of the project.`,
}

/** An ID token proves a sign-in to its application, and is not an access token. */
export function describeInactive(issuer: Issuer, inactive: InactiveReason, token: string): Reason {
  if (inactive === 'unknown' && readIdTokenHint(issuer, token) !== 'invalid') return reason`The text is an ID token, not an access token.`
  return sentences[inactive]
}
