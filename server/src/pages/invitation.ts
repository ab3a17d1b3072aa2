// pure
/** Where somebody who was invited sets the first password. */
import { field, hidden, problemSummary } from './form.ts'
import { html } from './html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { passwordText } from './sign-up.ts'
import { brandLine } from './tiles.ts'

export interface InvitationView {
  csrf: string
  token: string
  email: string
  password_rule: { min_length: number; reject_common: boolean }
  problem: 'expired_form' | 'missing' | 'too_short' | 'too_long' | 'common' | null
}

export function invitationPage(context: PageContext, { csrf, token, email, password_rule, problem }: InvitationView): Page {
  const { texts, issuer, branding } = context
  const { min_length, reject_common } = password_rule
  const about_password = problem === null || problem === 'expired_form' ? null : passwordText(texts.sign_up, problem, min_length)
  const told = problem === 'expired_form' ? texts.form.expired : about_password
  const body = html`${brandLine(context)}<h1>${texts.invitation.title(branding.display_name)}</h1><p class="sub">${texts.invitation.text(email)}</p>
${told && problemSummary(told)}
<form method="post" action="${issuer}/invitation">${hidden({ csrf, token })}
${field({ name: 'email', label: texts.form.email, type: 'email', autocomplete: 'username', value: email })}
${field({ name: 'password', label: texts.form.password, type: 'password', autocomplete: 'new-password', min_length, hint: texts.sign_up.password_rule(min_length, reject_common), problem: about_password })}
<button class="b p">${texts.invitation.submit}</button></form>`
  return layout(context, {
    title: texts.invitation.title(branding.display_name),
    body,
    has_problem: told !== null,
    status: told === null ? 200 : 400,
  })
}

export function invitationDonePage(context: PageContext, { email }: { email: string }): Page {
  const { texts } = context
  const body = html`${brandLine(context)}<h1>${texts.invitation.done}</h1><p class="sub">${texts.invitation.done_text(email)}</p>`
  return layout(context, { title: texts.invitation.done, body })
}
