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
