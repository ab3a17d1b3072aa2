// pure
/** The page that asks for the second factor: a code of an authenticator app, a recovery code, or a passkey, which needs a script. */
import { type Html, html } from '../base/html.ts'
import { box_styles } from './account-styles.ts'
import { type FormProblem, field, formSentence, hidden, isFormProblem, problemSummary } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type PasskeyCeremony, passkeyBlock, withoutPasskeys } from './passkey-block.ts'
import { passkey_script } from './passkey-script.ts'
import { brandLine } from './tiles.ts'

type Problem = 'wrong' | 'missing' | 'passkey_failed' | 'locked' | FormProblem

const statusOf = (problem: Problem) => (problem === 'locked' ? 429 : 400)

export interface SecondFactorView {
  /** The address of the page. Its forms are sent there, so that the page that answers a wrong value can be opened again. */
  page_url: string
  application_name: string | null
  csrf: string
  request: string
  /** The attempt of this tab. */
  attempt: string
  /** The field that the page shows, where the person has an app or recovery codes. */
  using: 'code' | 'recovery_code'
  has_app: boolean
  /** The person has unused recovery codes. */
  has_recovery_codes: boolean
  /** `null` where the person has no passkey, or the issuer can have none. */
  passkey: PasskeyCeremony | null
  /** For how many days the person may choose not to be asked here; `null`: for none. */
  trust: { days: number; is_ticked: boolean } | null
  problem: Problem | null
  wait_seconds: number | null
  /** Returns to the client without signing in. */
  cancel_url: string | null
}

export function secondFactorPage(context: PageContext, view: SecondFactorView): Page {
  const texts = context.texts.second_factor
  const { page_url, csrf, request, attempt, using, problem, passkey } = view
  const takes_codes = view.has_app || view.has_recovery_codes || passkey === null
  const is_of_field = problem === 'wrong' || problem === 'missing'
  const text = problem && problemText(context, view)
  const input = { problem: is_of_field ? text : null, autofocus: problem === null || is_of_field }
  const other = using === 'code' ? 'recovery_code' : 'code'
  const body = html`${brandLine(context)}<h1>${texts.title}</h1><p class="sub">${takes_codes ? (using === 'code' ? texts.from_app : texts.from_list) : texts.passkey_only}</p>
${!is_of_field && text && problemSummary(text)}
${
  takes_codes &&
  html`<form method="post" action="${page_url}">${hidden({ csrf, request, attempt })}
${
  using === 'code'
    ? field({ name: 'code', label: texts.code, type: 'digits', autocomplete: 'one-time-code', ...input })
    : field({ name: 'recovery_code', label: texts.recovery_code, type: 'code', autocomplete: 'off', ...input })
}${using === 'code' && trustBox(context, view)}
<button class="b p" data-action="continue">${texts.submit}</button></form>`
}${passkey && passkeyForm(context, view, passkey, takes_codes)}
${
  takes_codes &&
  (other === 'code' || view.has_recovery_codes) &&
  html`<form method="post" action="${page_url}">${hidden({ csrf, request, attempt })}<button class="b" name="use" value="${other}" data-action="${other === 'code' ? 'use-totp' : 'use-recovery-code'}">${other === 'code' ? texts.use_app : texts.use_recovery_code}</button></form>`
}
<p class="fine hint">${texts.nothing_left(helpOf(context))}</p>
${view.cancel_url && html`<p class="after"><a href="${view.cancel_url}" data-action="cancel">${context.texts.sign_in.cancel(view.application_name)}</a></p>`}`
  return layout(context, {
    title: texts.title,
    body,
    step: 'second-factor',
    has_problem: problem !== null,
    styles: box_styles,
    ...(passkey && { script: passkey_script }),
    ...(problem && { status: statusOf(problem) }),
  })
}

/** The offer not to be asked in this browser for some days. A recovery code does not make it: the person may have lost the device. */
function trustBox({ texts }: PageContext, { trust }: SecondFactorView): Html | null {
  if (trust === null) return null
  return html`<div class="box"><input type="checkbox" id="trust_browser" name="trust_browser" value="1" autocomplete="off" aria-describedby="trust_browser-hint"${trust.is_ticked && html` checked`}><label for="trust_browser">${texts.second_factor.trust(trust.days)}</label></div>
<p class="fine" id="trust_browser-hint">${texts.second_factor.trust_hint}</p>`
}

/** Who can let a person in that has lost every second factor: the help of the tenant, or the tenant by its name. */
const helpOf = ({ links: { support_url }, branding: { display_name } }: PageContext): Html =>
  support_url === null ? html`<b>${display_name}</b>` : html`<a href="${support_url}">${display_name}</a>`

/** Shown by its script. Where the person has no other second factor, the page also says what to do where it does not run. */
function passkeyForm(context: PageContext, view: SecondFactorView, ceremony: PasskeyCeremony, takes_codes: boolean) {
  const { texts } = context
  const { page_url, csrf, request, attempt, using, trust } = view
  // The script takes over what is ticked in the form of the code.
  const has_box = takes_codes && using === 'code'
  const ticked = trust === null ? null : has_box ? hidden({ trust_browser: '' }) : trustBox(context, view)
  const block = passkeyBlock(
    context,
    ceremony,
    html`${takes_codes && html`<p class="or">${texts.sign_in.or}</p>`}<form class="alts" method="post" action="${page_url}">${hidden({ csrf, request, attempt, credential: '' })}${ticked}
<button class="${takes_codes ? 'b' : 'b p'}" data-action="passkey">${texts.passkey.use}</button></form>`,
  )
  return html`${block}${!takes_codes && withoutPasskeys(texts.second_factor.passkey_help)}`
}

function problemText(context: PageContext, { problem, using, wait_seconds }: SecondFactorView): string {
  const { texts } = context
  if (problem === 'locked') return texts.second_factor.locked(wait_seconds)
  if (isFormProblem(problem)) return formSentence(context, problem)
  if (problem === 'passkey_failed') return texts.second_factor.passkey_failed
  if (using === 'recovery_code') return problem === 'missing' ? texts.second_factor.recovery_missing : texts.second_factor.recovery_wrong
  return problem === 'missing' ? texts.second_factor.code_missing : texts.second_factor.code_wrong
}
