// pure
/** The pages of the account page that add a passkey, an authenticator app or a provider, or replace the recovery codes. */
import { html } from '../base/html.ts'
import { problemText } from './account.ts'
import { confirmPage, type FormProblem, type FormView, formLayout, formPage, insteadPage, isOfForm } from './account-forms.ts'
import { accountFields, accountHref } from './account-links.ts'
import { breakable } from './address.ts'
import { appOffer } from './enrolment.ts'
import { field, hidden, problemSummary } from './form.ts'
import type { Page, PageContext } from './layout.ts'
import { type PasskeyCeremony, passkeyBlock, withoutPasskeys } from './passkey-block.ts'
import { passkey_script } from './passkey-script.ts'
import { brandLine } from './tiles.ts'

export interface AddTotpView extends FormView {
  /** A random text. Of the same text the offered app is the same. */
  nonce: string
  otpauth_url: string
  secret: string
  problem: FormProblem | 'wrong_code' | 'missing_code' | 'too_many_apps' | null
}

export function addTotpPage(context: PageContext, view: AddTotpView): Page {
  const { account: texts, enrolment, second_factor } = context.texts
  const { nonce, problem } = view
  const wrong = problem === 'wrong_code' ? texts.problems.wrong_code : problem === 'missing_code' ? second_factor.code_missing : null
  if (problem === 'too_many_apps')
    return insteadPage(context, { title: enrolment.totp_title, why: html`<p class="sub">${texts.problems.too_many_apps}</p>`, ways: [] })
  const summary = isOfForm(problem) ? problemText(context, problem) : null
  const code = field({
    name: 'code',
    label: second_factor.code,
    type: 'digits',
    autocomplete: 'one-time-code',
    problem: wrong,
    autofocus: summary === null,
  })
  return formPage(context, view, {
    title: enrolment.totp_title,
    intro: html`<p class="sub">${enrolment.totp_why}</p>`,
    problem,
    summary,
    fields: html`${hidden({ nonce })}${appOffer(context, view)}
${code}`,
    action: 'add-totp',
    submit: second_factor.submit,
  })
}

export interface NewCodesView extends FormView {
  problem: FormProblem | null
}

/** Confirms that new recovery codes replace the present ones. */
export function newCodesPage(context: PageContext, view: NewCodesView): Page {
  const { new_codes_title: title, new_codes_end: intro, new_codes: submit } = context.texts.account
  return confirmPage(context, view, { title, intro, action: 'new-recovery-codes', submit })
}

export interface AddProviderView extends FormView {
  provider: { id: string; display_name: string }
  email: string
  /** The environment sends mail. */
  is_mailed: boolean
  problem: FormProblem | 'too_many' | null
  /** How long to wait; `null` if unknown. */
  wait_seconds: number | null
}

/** Leads to the provider. It comes back to the account page. */
export function addProviderPage(context: PageContext, view: AddProviderView): Page {
  const { account: texts, form } = context.texts
  const { provider, email, is_mailed, problem, wait_seconds } = view
  const { id, display_name } = provider
  return formPage(context, view, {
    title: texts.connect_title(display_name),
    intro: html`<p class="sub">${texts.connect_intro(display_name, breakable(email), is_mailed)}</p>`,
    problem,
    summary: isOfForm(problem) ? problemText(context, problem) : problem && form.too_many(wait_seconds),
    fields: html`${hidden({ id })}`,
    action: 'add-provider',
    submit: texts.connect_submit(display_name),
  })
}

export interface AddPasskeyView extends FormView {
  ceremony: PasskeyCeremony
  problem: FormProblem | 'expired' | 'refused' | 'known' | 'too_many' | null
}

/** The button appears where the browser can add a passkey. */
export function addPasskeyPage(context: PageContext, { csrf, user_id, ceremony, problem }: AddPasskeyView): Page {
  const { issuer, branding, texts } = context
  const { passkey, account } = texts
  if (problem === 'too_many')
    return insteadPage(context, { title: passkey.add, why: html`<p class="sub">${passkey.too_many}</p>`, ways: [] })
  const summary = problem === null || isOfForm(problem) ? problem && problemText(context, problem) : passkey[problem]
  const form = html`<form method="post" action="${issuer}/account/add-passkey">${accountFields(context, { csrf, user_id }, { credential: '' })}
<button class="b p" data-action="add-passkey">${passkey.add}</button></form>`
  const body = html`${brandLine(context)}<h1>${passkey.add}</h1><p class="sub">${passkey.offer(branding.display_name)}</p>
${summary && problemSummary(summary)}
${passkeyBlock(context, ceremony, form)}
${withoutPasskeys(account.passkey_needs)}
<p class="after"><a href="${accountHref(context)}" data-action="cancel">${account.back}</a></p>`
  return formLayout(context, { title: passkey.add, body, problem, script: passkey_script })
}
