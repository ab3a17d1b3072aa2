// pure
/** The sign-out pages: the confirmation for requests without a valid id_token_hint, and the result. */
import { hidden } from './form.ts'
import { html } from './html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine, type Person, personLine } from './tiles.ts'

export interface SignOutView {
  csrf: string
  /** The sign-out request as its raw query string. */
  request: string
  /** The application that asks, if known. */
  application_name: string | null
  person: Person
}

/** RP-Initiated Logout 1.0 §2: without a valid id_token_hint the person must confirm, so that a link alone cannot sign people out. */
export function signOutPage(context: PageContext, view: SignOutView): Page {
  const { branding, issuer } = context
  const texts = context.texts.sign_out
  const { csrf, request } = view
  const title = texts.title(branding.display_name)
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${view.application_name && `${texts.asked_by(view.application_name)} `}${texts.signed_in_as}</p>
<div class="who">${personLine(view.person)}</div>
<form method="post" action="${issuer}/sign-out">${hidden({ csrf, request })}
<div class="two"><button class="b" name="decision" value="stay">${texts.stay}</button><button class="b p" name="decision" value="sign_out">${texts.sign_out}</button></div></form>`
  return layout(context, { title, body })
}

export interface SignOutDoneView {
  decision: 'sign_out' | 'stay'
  /** The registered address of the application to return to. A link, never an automatic redirect. */
  back: { url: string; application_name: string | null } | null
  sign_in_url: string | null
  /** Set if the request names an unregistered return address. The page does not show that address, since anyone can choose it. */
  unregistered: { application_name: string | null } | null
}

export function signOutDonePage(context: PageContext, { decision, back, sign_in_url, unregistered }: SignOutDoneView): Page {
  const texts = context.texts.sign_out
  const left = decision === 'sign_out'
  const title = left ? texts.signed_out : texts.stayed
  const again = left ? sign_in_url : null
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${left ? texts.signed_out_detail(context.branding.display_name) : texts.stayed_detail}</p>
${(back || again) && html`<div class="acts">${back && html`<a class="b p" href="${back.url}">${texts.back(back.application_name)}</a>`}${again && html`<a class="b" href="${again}">${texts.sign_in_again}</a>`}</div>`}
${unregistered && html`<p class="fine hint">${texts.unregistered(unregistered.application_name)}</p>`}`
  return layout(context, { title, body, width: 'medium' })
}
