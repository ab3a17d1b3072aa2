/** Form tokens: proof that a form was sent from a page of this issuer in the same browser. */
import { timingSafeEqual } from 'node:crypto'
import { reason } from '../base/reason.ts'
import { refusal } from '../base/refusal.ts'
import { type Deployment, newSecret } from '../deployment/deployment.ts'
import type { Browser } from './browser.ts'
import { header, type OidcCall } from './call.ts'
import { cookie } from './cookies.ts'

/**
 * A form token for this browser, and the cookie that it is bound to where the browser has none yet. Its second part differs on each
 * page, so that a form that is sent again differs from the form of a page that was loaded again (`repeat.ts`).
 */
export function formToken(
  deployment: Pick<Deployment, 'secrets' | 'random'>,
  call: OidcCall,
  browser: Browser,
): { csrf: string; set_cookie: string[] } {
  const seed = browser.form_seed ?? newSecret(deployment)
  const csrf = `${tokenOf(deployment, call, seed)}.${deployment.random(16).toString('base64url')}`
  return { csrf, set_cookie: browser.form_seed === null ? [cookie(call, 'form', seed, 86_400 * 30)] : [] }
}

/** What the form tokens of all pages of a browser have in common. */
export const browserOfToken = (csrf: string): string => csrf.split('.', 1)[0] ?? ''

/**
 * Reports whether a form was sent from a page of this issuer in this browser. It checks the form token, and Origin and Sec-Fetch-Site
 * where the browser sends them.
 */
export function isOwnForm(deployment: Pick<Deployment, 'secrets'>, call: OidcCall, browser: Pick<Browser, 'form_seed'>): boolean {
  const origin = header(call, 'origin')
  const site = header(call, 'sec-fetch-site')
  if (origin !== undefined && origin !== new URL(call.issuer.url).origin) return false
  if (site !== undefined && site !== 'same-origin') return false
  const [, token = ''] = /^([A-Za-z0-9_-]{43})(?:\.[A-Za-z0-9_-]{22})?$/.exec(call.form?.get('csrf') ?? '') ?? []
  const sent = Buffer.from(token)
  const expected = Buffer.from(browser.form_seed === null ? '' : tokenOf(deployment, call, browser.form_seed))
  return expected.length > 0 && sent.length === expected.length && timingSafeEqual(sent, expected)
}

/**
 * Why a form is not accepted, for its page; `null` where it is. Without the cookie of its token the browser has cookies turned off, or
 * has removed them.
 */
export function formProblem(
  deployment: Pick<Deployment, 'secrets'>,
  call: OidcCall,
  browser: Browser,
): 'no_cookies' | 'expired_form' | null {
  if (browser.form_seed === null) return 'no_cookies'
  return isOwnForm(deployment, call, browser) ? null : 'expired_form'
}

function tokenOf({ secrets }: Pick<Deployment, 'secrets'>, call: OidcCall, seed: string): string {
  return secrets.mac('form', `${call.issuer.environment_id}.${seed}`).toString('base64url')
}

/** The refusal of a form that `isOwnForm` does not accept. */
export const foreign_form = refusal('form_expired', reason`The form token is missing, has expired or belongs to another browser.`)

export const no_cookies = refusal(
  'form_expired',
  reason`The browser sent no cookie with the form. It has cookies switched off, or removed them.`,
)

/** The refusals of `formProblem`. */
export const formRefusals = { no_cookies, expired_form: foreign_form }
