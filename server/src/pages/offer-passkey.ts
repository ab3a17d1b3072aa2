// pure
/** Offers a passkey after a sign-in by another method. Without scripts, which a passkey needs, the page only continues. */
import { html } from '../base/html.ts'
import { type FormProblem, formSentence, hidden, isFormProblem, problemSummary } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type PasskeyCeremony, passkeyBlock } from './passkey-block.ts'
import { passkey_script } from './passkey-script.ts'
import { brandLine } from './tiles.ts'

export interface OfferPasskeyView {
  csrf: string
  request: string
  session_id: string
  ceremony: PasskeyCeremony
  problem: 'expired' | 'refused' | 'known' | 'too_many' | 'limited' | FormProblem | null
}

export function offerPasskeyPage(context: PageContext, { csrf, request, session_id, ceremony, problem }: OfferPasskeyView): Page {
  const { issuer, branding } = context
  const texts = context.texts.passkey
  const fields = hidden({ csrf, request, session: session_id })
  const action = `${issuer}/offer-passkey`
  const body = html`${brandLine(context)}<h1>${texts.offer_title}</h1><p class="sub">${texts.offer(branding.display_name)}</p>
${problem && problemSummary(isFormProblem(problem) ? formSentence(context, problem) : texts[problem])}
${
  problem !== 'too_many' &&
  problem !== 'limited' &&
  passkeyBlock(
    context,
    ceremony,
    html`<form method="post" action="${action}">${fields}${hidden({ credential: '' })}<button class="b p" data-action="continue">${texts.add}</button></form>`,
  )
}
<form method="post" action="${action}">${fields}<button class="b" name="decision" value="not-now" data-action="not-now">${texts.not_now}</button></form>`
  return layout(context, {
    title: texts.offer_title,
    body,
    step: 'offer-passkey',
    script: passkey_script,
    has_problem: problem !== null,
    ...(problem && { status: problem === 'limited' ? 429 : 400 }),
  })
}

/**
 * Lets the browser create a passkey by itself. It is gone before a person reads it: the script posts what came of it. Without scripts the
 * button continues.
 */
export function automaticPasskeyPage(
  context: PageContext,
  { csrf, request, session_id, ceremony }: Omit<OfferPasskeyView, 'problem'>,
): Page {
  const texts = context.texts.passkey
  const fields = hidden({ csrf, request, session: session_id, automatic: '1' })
  const action = `${context.issuer}/offer-passkey`
  const body = html`${brandLine(context)}<h1>${texts.automatic_title}</h1><p class="sub">${texts.automatic}</p>
${passkeyBlock(
  context,
  { ...ceremony, is_automatic: true },
  html`<form method="post" action="${action}">${fields}${hidden({ credential: '' })}<button class="b p" data-action="continue">${context.texts.second_factor.submit}</button></form>`,
)}
<form method="post" action="${action}">${fields}<button class="b" data-action="not-now">${context.texts.second_factor.submit}</button></form>`
  return layout(context, { title: texts.automatic_title, body, step: 'offer-passkey', script: passkey_script })
}
