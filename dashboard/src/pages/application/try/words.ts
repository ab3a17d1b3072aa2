/** Explains the claims of a token, and the remedy of a failed step. */
import { duration } from '../../../parts/clock.ts'
import { claimsOf, type Tokens } from './oidc.ts'

export type TokenName = 'id' | 'access' | 'userinfo'

const notes: Record<string, string> = {
  iss: 'The issuer. Compare it with the one you trust.',
  sub: 'It never changes: store this one.',
  'id.aud': 'This application.',
  'access.aud': 'The APIs that may accept the token.',
  nonce: 'The value that this page sent: the token belongs to this sign-in.',
  at_hash: 'Binds the ID token to the access token.',
  sid: 'The session at the issuer. A back-channel logout names it.',
  amr: 'How the person signed in.',
  acr: 'How strong the sign-in was.',
  scope: 'What the token may be used for.',
  jti: 'The id of the token.',
  client_id: 'The application that the token was issued to.',
  grant_id: 'One person, one application, one sign-in. When the grant ends, so does the token.',
  email: 'May change. Show it, but do not identify people by it.',
  org_id: 'The organization that the person acts in. Compare it with the one that you asked for.',
  org_slug: 'The slug of the organization, which never changes.',
  roles: 'The roles of the person, by their slugs: in the organization, if the token has one.',
  org_name: 'The name of the organization, which may change.',
  email_verified: 'Whether the person has verified that the address is theirs.',
}
const times = ['exp', 'iat', 'nbf', 'auth_time', 'updated_at']

export function noteOf(token: TokenName, claim: string, value: unknown, now: Date): string {
  if (times.includes(claim) && typeof value === 'number') return timeInWords(value, now)
  return notes[`${token}.${claim}`] ?? notes[claim] ?? ''
}

const clock = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

/** `1795195874` is `20 Nov 2026, 17:31:14 UTC, in 59 min`. */
function timeInWords(seconds: number, now: Date): string {
  const left = seconds - Math.round(now.getTime() / 1_000)
  return `${clock.format(seconds * 1_000)} UTC, ${left === 0 ? 'now' : left > 0 ? `in ${roughly(left)}` : `${roughly(-left)} ago`}`
}

/** Of more than two minutes the seconds do not matter. */
const roughly = (seconds: number) =>
  duration(seconds < 120 ? seconds : seconds < 7_200 ? seconds - (seconds % 60) : seconds - (seconds % 3_600))

/** The time that a step took. */
export const took = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`)

/** The scopes of a request that the token does not have. */
export function notGiven(asked: string, given: string): string[] {
  const has = given.split(' ')
  return [...new Set(asked.split(/\s+/))].filter((name) => name !== '' && !has.includes(name))
}

/** The organization of the tokens, by the first token that can be read; `null` for none. */
export function orgIdOf({ id_token, access_token }: Tokens): string | null {
  const { org_id } = (id_token === undefined ? null : claimsOf(id_token)) ?? claimsOf(access_token) ?? {}
  return typeof org_id === 'string' ? org_id : null
}

const fixes: Record<string, string> = {
  access_denied:
    'The person cancelled, may not sign in, is not a member of the organization, or has no role that lets them in or gives one of the scopes. The record of the user says what they can do.',
  invalid_scope:
    'Choose scopes that the application may request: they are on the tab Scopes and consent. Scopes of an API need its resource.',
  invalid_target: 'Enter the identifier of a resource server of this environment.',
  login_required: 'Nobody is signed in in this browser. Run it without the prompt “none”.',
  consent_required: 'The application asks for consent. Run it without the prompt “none”.',
  interaction_required: 'The person has to do something. Run it without the prompt “none”.',
  invalid_client: 'The secret is not the current one of this application. Paste it again, or rotate it on the tab Credentials.',
  invalid_grant: 'A code works once and for a short time. Run it again.',
  unauthorized_client: 'The application may not do this. Look at its settings.',
  unreachable: 'The service may be restarting, or its issuer does not allow calls from this page (cors.allowed_origins in Settings).',
  id_token: 'Run it again. If it stays, look at the signing keys of the environment.',
  blocked_window: 'Allow windows for this page in the browser, then run it again.',
  insecure: 'Open the dashboard by https, or at localhost.',
}
export const fixOf = (code: string): string => fixes[code] ?? 'Look at the reason, change it, and run it again.'
