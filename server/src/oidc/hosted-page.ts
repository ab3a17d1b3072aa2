/** Answers with a hosted page: in the language of the person, with the branding of the environment and the headers of every page. */
import { type Reason, reason } from '../base/reason.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { not_indexed } from '../http/not-indexed.ts'
import { retry_after } from '../http/problem.ts'
import { queryOf, readQuery } from '../http/query.ts'
import type { Page, PageContext } from '../pages/layout.ts'
import { languageFor, languagesAt } from '../pages/locale.ts'
import { type MessageKind, type MessageView, messagePage } from '../pages/message.ts'
import { type ProviderProblemView, providerProblemPage } from '../pages/provider-problem.ts'
import { type WaitingView, waitingPage } from '../pages/waiting.ts'
import type { OAuthError } from '../protocol/oauth-error.ts'
import { type Asked, accountUrl, chosenLocale, languagesAsked } from './account-url.ts'
import { session_gone } from './browser.ts'
import { type Answer, header, type OidcCall, refused } from './call.ts'
import { chosenLanguage } from './chosen-language.ts'
import type { ShownAgain } from './refused-form.ts'

/**
 * @param ui_locales default: the languages that the call itself asks for. The language that the person chose comes first.
 * @param address where the page can be opened again: it then offers the other languages
 */
export function pageContext(
  call: Pick<OidcCall, 'issuer' | 'headers'> & Asked,
  ui_locales: readonly string[] = languagesAsked(call),
  address: string | null = null,
): PageContext {
  const { issuer } = call
  const { branding, links } = issuer.settings
  return {
    issuer: issuer.url,
    environment_type: issuer.type,
    is_own: issuer.is_root && branding.logo_url === null,
    branding: { ...branding, display_name: issuer.display_name },
    links,
    ...languageFor([chosenLanguage(call) ?? '', ...ui_locales].join(' '), header(call, 'accept-language')),
    ...(address !== null && { languages: languagesAt(address) }),
  }
}

/** The context of a page of the account page. `place` are the parameters with which a GET opens it. */
export function accountContext(call: OidcCall, place: Readonly<Record<string, string | null>>): PageContext {
  const chosen_locale = chosenLocale(call)
  return { ...pageContext(call, undefined, accountUrl(call, place)), ...(chosen_locale !== null && { chosen_locale }) }
}

/**
 * Where a browser can repeat a GET below an issuer, for the menu of languages. `url` begins with the path of the issuer. `null` where the
 * query has a return address: on a page of a message it may be one that nobody registered, and no link contains such an address.
 */
export function addressBelow({ url: issuer }: Pick<OidcCall['issuer'], 'url'>, url: string): string | null {
  const query = readQuery(queryOf(url))
  const has_return_address = query.has('redirect_uri') || query.has('post_logout_redirect_uri')
  return has_return_address ? null : `${issuer}${url.replace(/^\/e\/[^/?]*/, '')}`
}

/** Where a GET of the page can be repeated; `null` for other methods. */
export const addressOf = ({ issuer, method, url }: Pick<OidcCall, 'issuer' | 'method' | 'url'>): string | null =>
  method === 'GET' ? addressBelow(issuer, url) : null

/** The languages that a query asks for, where nothing else of it is judged. */
export const languagesOf = (query: string): string[] => (readQuery(query).get('ui_locales') ?? '').slice(0, 200).split(' ')

/** The language that the page before chose, which a form without a request has in a field of its own. */
export const chosenLanguages = ({ form }: Pick<OidcCall, 'form'>): string[] => (form?.get('ui_locales') ?? '').slice(0, 200).split(' ')

export function html(page: Page, status = page.status ?? 200): Answer {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': page.locale,
      'content-security-policy': page.csp,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      ...not_indexed,
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      ...(status === 503 && { 'retry-after': retry_after }),
    },
    body: page.html,
  }
}

/** A page that says what happened and how to continue. Only a Test environment shows the error of the protocol. */
export function message(call: OidcCall, kind: MessageKind, refusal: Refusal, error?: OAuthError): Answer {
  const reason = error ? { error: error.code, detail: error.message } : null
  // Invitations to tenants belong to the environment of administrators, whose issuer is below the address of the service.
  const home_url = kind.startsWith('invitation_') && call.issuer.is_root ? new URL('/', call.issuer.url).href : null
  const view = { kind, request_id: call.request_id, account_url: accountUrl(call), home_url, reason }
  return messageAnswer(pageContext(call, undefined, addressOf(call)), view, refusal)
}

/** A page of a message. Where a form is answered with it, it gets an address of its own (`refused-form.ts`). */
export function messageAnswer(context: PageContext, view: MessageView, refusal: Refusal): Answer {
  const { kind, request_id, reason, account_url, home_url, continue_url = null } = view
  const has = { account: account_url !== null, home: home_url !== null, continue: continue_url !== null }
  const again = { page: 'message', view: { kind, request_id, reason, has }, address: continue_url } as const
  return { ...refused(html(messagePage(context, view)), refusal), again }
}

/** The page of an `Answer.again`. `address` is where the person goes on. */
export function pageAgain(call: OidcCall, shown: ShownAgain, address: string): Answer {
  const context = pageContext(call, undefined, address)
  if (shown.page === 'provider')
    return html(providerProblemPage(context, { ...(shown as unknown as ProviderProblemView), back_url: address })) // as: `showProviderProblem` made it
  if (shown.page === 'waiting') return html(waitingPage(context, { ...(shown as unknown as WaitingView), back_url: address })) // as: `showUnapproved` made it
  const { kind, request_id, reason, has } = shown as unknown as KeptMessage // as: `messageAnswer` made it
  const home_url = has.home ? new URL('/', call.issuer.url).href : null
  const view = { kind, request_id, reason, home_url, account_url: has.account ? accountUrl(call) : null }
  return html(messagePage(context, { ...view, continue_url: has.continue ? address : null }))
}

type KeptMessage = Pick<MessageView, 'kind' | 'request_id' | 'reason'> & { has: Record<'account' | 'home' | 'continue', boolean> }

/** The page for a request that exceeds the limits of `form.ts` or of `asQuery`. */
export const tooLong = (call: OidcCall): Answer =>
  message(call, 'unusable_request', refusal('invalid_request', reason`The request is too long, or has too many parameters.`))

/** The page for a step of a request that this browser did not begin, or began too long ago. */
export const sessionLost = (call: OidcCall, why: Reason): Answer => message(call, 'session_lost', refusal('form_expired', why))

/** The page for a form that lacks what every form of its page has. */
export const formIncomplete = (call: OidcCall, why: Reason): Answer => message(call, 'form_incomplete', refusal('form_expired', why))

/** The page for a form whose session has ended, with the way on: a person who comes back to an open page learns why nothing happened. */
export const sessionEnded = (call: OidcCall, continue_url: string): Answer =>
  messageAnswer(
    pageContext(call),
    { kind: 'session_ended', request_id: call.request_id, account_url: null, home_url: null, reason: null, continue_url },
    session_gone,
  )
