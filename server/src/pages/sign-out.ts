// pure
/** The sign-out pages: the confirmation for requests without a valid id_token_hint, and the result. */
import { html } from '../base/html.ts'
import type { NoReturn } from '../protocol/logout.ts'
import { addressComparison } from './address-comparison.ts'
import { type FormProblem, formSummary, hidden, refusedForm } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine, type Person, personLine } from './tiles.ts'

export interface SignOutView {
  csrf: string
  /** The sign-out request as its raw query string. */
  request: string
  /** The application that asks, if known. */
  application_name: string | null
  /** `null` where every session of the browser has expired: the page names nobody then. */
  person: Person | null
  problem: FormProblem | null
}

/** RP-Initiated Logout 1.0 §2: without a valid id_token_hint the person must confirm, so that a link alone cannot sign people out. */
export function signOutPage(context: PageContext, view: SignOutView): Page {
  const { branding, issuer } = context
  const texts = context.texts.sign_out
  const { csrf, request } = view
  const title = texts.title(branding.display_name)
  const body = html`${brandLine(context)}<h1>${title}</h1>${(view.application_name || view.person) && html`<p class="sub">${view.application_name && `${texts.asked_by(view.application_name)} `}${view.person && texts.signed_in_as}</p>`}
${formSummary(context, view.problem)}
${view.person && html`<div class="who">${personLine(view.person)}</div>`}
<form method="post" action="${issuer}/sign-out">${hidden({ csrf, request })}
<div class="two"><button class="b" name="decision" value="stay" data-action="stay-signed-in">${texts.stay}</button><button class="b p" name="decision" value="sign_out" data-action="sign-out">${texts.sign_out}</button></div></form>`
  return layout(context, { title, body, step: 'sign-out', ...refusedForm(view.problem) })
}

export interface SignOutDoneView {
  decision: 'sign_out' | 'stay'
  /** The registered address of the application to return to. A link, never an automatic redirect. */
  back: { url: string; application_name: string | null } | null
  sign_in_url: string | null
  account_url: string
  /** Set if the return address of the request is not used. Only Test shows that address, since anyone can choose it. */
  no_return: {
    why: NoReturn
    application_name: string | null
    received: string
    registered: readonly string[] | null
  } | null
  /** The request names no application. In Test the page then says how to return people to it. */
  is_without_client: boolean
}

export function signOutDonePage(
  context: PageContext,
  { decision, back, sign_in_url, account_url, no_return, is_without_client }: SignOutDoneView,
): Page {
  const texts = context.texts.sign_out
  const left = decision === 'sign_out'
  const title = left ? texts.signed_out : texts.stayed
  const again = left ? sign_in_url : null
  const is_test = context.environment_type === 'test'
  const compared = is_test && no_return?.registered ? { received: no_return.received, registered: no_return.registered } : null
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${left ? texts.signed_out_detail(context.branding.display_name) : texts.stayed_detail}</p>
<div class="acts">${back && html`<a class="b p" href="${back.url}" data-action="continue">${texts.back(back.application_name)}</a>`}${again && html`<a class="b" href="${again}" data-action="continue">${texts.sign_in_again}</a>`}${!back && !again && html`<a class="b" href="${account_url}" data-action="account">${context.texts.message.account}</a>`}</div>
${!back && left && html`<p class="fine hint">${texts.close_page}</p>`}
${no_return && html`<p class="fine hint">${texts.no_return(no_return.application_name, no_return.why)}</p>`}
${compared && addressComparison(context.texts.mismatch, { parameter: 'post_logout_redirect_uri', ...compared })}
${is_test && is_without_client && html`<p class="fine hint dev">${texts.send_client}</p>`}
${(back || again) && html`<p class="after"><a href="${account_url}" data-action="account">${context.texts.message.account}</a></p>`}`
  return layout(context, { title, body, step: left ? 'signed-out' : 'sign-out', width: compared ? 'wide' : 'medium' })
}
