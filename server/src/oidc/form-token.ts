/** Form tokens: proof that a form was sent from a page of this issuer in the same browser. */
import { reason } from '../base/reason.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { type Deployment, newSecret } from '../deployment/deployment.ts'
import type { FormProblem } from '../pages/form.ts'
import { type Browser, most_form_seeds } from './browser.ts'
import { header, type OidcCall } from './call.ts'
import { cookie } from './cookies.ts'
import { isTokenOf, sentToken, tokenOf } from './form-seal.ts'

const kept_seconds = 86_400 * 30

/**
 * A form token for this browser, and the cookie that it is bound to where the browser has none yet. That cookie has a name of its own, so
 * that pages that load at once do not replace the cookies of each other. The second part of the token differs on each page, so that a form
 * that is sent again differs from the form of a page that was loaded again (`repeat.ts`).
 */
export function formToken(
  deployment: Pick<Deployment, 'secrets' | 'random'>,
  call: OidcCall,
  browser: Pick<Browser, 'form_seed' | 'form_seeds'>,
): { csrf: string; set_cookie: string[] } {
  const { seed, set_cookie } = formSeed(deployment, call, browser)
  return { csrf: `${tokenOf(deployment, call, seed)}.${deployment.random(16).toString('base64url')}`, set_cookie }
}

/** The seed of this browser, with the cookie of a new one where it has none. Beyond eight the oldest goes. */
export function formSeed(
  deployment: Pick<Deployment, 'random'>,
  call: OidcCall,
  { form_seed, form_seeds }: Pick<Browser, 'form_seed' | 'form_seeds'>,
): { seed: string; set_cookie: string[] } {
  if (form_seed === null) {
    const seed = newSecret(deployment)
    return { seed, set_cookie: [cookie(call, { form: deployment.random(6).toString('base64url') }, seed, kept_seconds)] }
  }
  const oldest = form_seeds.slice(0, -most_form_seeds).filter((one) => one.seed !== form_seed)
  return { seed: form_seed, set_cookie: oldest.map(({ id }) => cookie(call, { form: id }, '', 0)) }
}

/** Returns the part that the form tokens of all pages with one form cookie share. */
export const browserOfToken = (csrf: string): string => csrf.split('.', 1)[0] ?? ''

/**
 * Why a form is not accepted, for its page; `null` where it was sent from a page of this issuer in this browser. The token with its own
 * cookie proves that. Origin and Sec-Fetch-Site only refuse a page of another site: a privacy setting of the browser may withhold both,
 * and `Origin: null` says nothing (decision 0155).
 */
export function formProblem(
  deployment: Pick<Deployment, 'secrets'>,
  call: OidcCall,
  { form_seed }: Pick<Browser, 'form_seed'>,
): Exclude<FormProblem, 'expired_form'> | null {
  if (isOfOtherSite(call)) return 'other_site'
  if (form_seed === null) return 'no_cookies'
  if (sentToken(call) === null) return 'no_token'
  return isTokenOf(deployment, call, form_seed) ? null : 'other_token'
}

const isOfOtherSite = (call: OidcCall): boolean =>
  saysOtherSite({ origin: header(call, 'origin'), site: header(call, 'sec-fetch-site') }, new URL(call.issuer.url).origin)

/** Reports whether the browser says that no page of this origin sent the form. */
export const saysOtherSite = ({ origin, site }: { origin: string | undefined; site: string | undefined }, own: string): boolean =>
  (origin !== undefined && origin !== 'null' && origin !== own) || (site !== undefined && site !== 'same-origin')

export const isOwnForm = (...sent: Parameters<typeof formProblem>): boolean => formProblem(...sent) === null

export const isFormRefused = (problem: string | null): problem is keyof typeof formRefusals =>
  problem !== null && Object.hasOwn(formRefusals, problem)

/** The refusals of `formProblem`. */
export const formRefusals = {
  no_cookies: refusal('form_expired', reason`The browser sent no cookie with the form. It has cookies switched off, or removed them.`),
  other_token: refusal(
    'form_expired',
    reason`The form token belongs to none of the form cookies that the browser sent: its cookie was removed, or is in another browser.`,
  ),
  no_token: refusal('form_expired', reason`The form holds no form token, or a part of one. It was not sent by a page of this issuer.`),
  other_site: refusal('form_expired', reason`The browser says that no page of this site sent the form (Origin, Sec-Fetch-Site).`),
} satisfies Record<Exclude<FormProblem, 'expired_form'>, Refusal>
