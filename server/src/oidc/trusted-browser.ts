/**
 * The secret of a trusted browser (decision 0192), in a cookie of its own for each account. It is read after the first factor alone, and by
 * itself it gives no access.
 */

import { digestOf } from '../base/digest.ts'
import { day_ms } from '../base/durations.ts'
import { asLine } from '../base/text.ts'
import type { Statement } from '../db/db.ts'
import { newSecret } from '../deployment/deployment.ts'
import { byUser, originOf } from '../domain/events/origin.ts'
import { insertEvent } from '../domain/events/store.ts'
import { findTrusted, insertTrusted, type TrustRule } from '../domain/users/trusted-browsers.ts'
import { most_sessions } from './browser.ts'
import { header, type OidcCall, type OidcServices } from './call.ts'
import { cookie, cookieName, cookiesOf } from './cookies.ts'

/** For how many days a person may trust a browser; 0 where the environment offers it not. Administrators always use every factor. */
export const rememberDays = ({ issuer }: Pick<OidcCall, 'issuer'>): number => (issuer.is_root ? 0 : issuer.settings.mfa.remember_days)

export const trustRule = (call: Pick<OidcCall, 'issuer' | 'now'>): TrustRule => ({ remember_days: rememberDays(call), now: call.now })

/** The name of the cookie tells accounts apart and says nothing about them. */
const tagOf = (user_id: string): string => digestOf(user_id).slice(0, 16)

function secretOf(call: OidcCall, user_id: string): string | null {
  const value = cookiesOf(call).get(cookieName(call, { trusted: tagOf(user_id) })) ?? ''
  return /^[A-Za-z0-9_-]{43}$/.test(value) ? value : null
}

/** The id of the trusted browser that this browser is for the user; `null` if none of them counts. */
export async function trustedBrowserOf({ db }: OidcServices, call: OidcCall, user_id: string): Promise<string | null> {
  const rule = trustRule(call)
  const secret = rule.remember_days === 0 ? null : secretOf(call, user_id)
  if (secret === null) return null
  return findTrusted(db, { environment_id: call.issuer.environment_id, id: user_id }, digestOf(secret), rule)
}

/** Trusts this browser: the statements for the batch of the second factor, and the cookies, of which the oldest beyond the most goes. */
export function trustBrowser(services: OidcServices, call: OidcCall, user_id: string): { statements: Statement[]; set_cookie: string[] } {
  const { issuer, now, request_id, ip } = call
  const { environment_id } = issuer
  const rule = trustRule(call)
  const [id, secret, before] = [services.newId('tbr'), newSecret(services), secretOf(call, user_id)]
  const user_agent = asLine(header(call, 'user-agent') ?? '', 300) || null
  const row = { id, secret_hash: digestOf(secret), replaces: before === null ? null : digestOf(before), ip, user_agent }
  const event = { type: 'trusted_browser.added', user_id, data: { trusted_browser_id: id } } as const
  return {
    statements: [
      ...insertTrusted({ environment_id, id: user_id }, row, rule),
      insertEvent(environment_id, originOf(services, byUser(user_id), request_id), event, now),
    ],
    set_cookie: [...tooMany(call, user_id), cookie(call, { trusted: tagOf(user_id) }, secret, (rule.remember_days * day_ms) / 1000)],
  }
}

/** Removes the cookies of the oldest accounts where the browser has as many as it can have sessions. */
function tooMany(call: OidcCall, user_id: string): string[] {
  const beginning = cookieName(call, { trusted: '' })
  const tags = [...cookiesOf(call).keys()].filter((name) => name.startsWith(beginning)).map((name) => name.slice(beginning.length))
  const others = tags.filter((tag) => tag !== tagOf(user_id) && /^[0-9a-f]{16}$/.test(tag))
  return others.slice(0, Math.max(0, others.length + 1 - most_sessions)).map((tag) => cookie(call, { trusted: tag }, '', 0))
}
