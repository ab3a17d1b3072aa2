// pure
/** Asks a person who has no name for one, in a sign-in: after the factors, and before the consent (decision 0116). */
import { html } from '../base/html.ts'
import { breakable } from './address.ts'
import { type FormProblem, field, formSentence, hidden, isFormProblem, problemSummary } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { nameText } from './sign-up.ts'
import { avatar, brandLine } from './tiles.ts'

export interface AskNameView {
  application_name: string
  csrf: string
  request: string
  session_id: string
  person: { email: string; name: string | null }
  /** The name as it was typed. */
  name: string
  /** The person can leave the name out. */
  may_skip: boolean
  problem: 'missing' | 'not_allowed' | FormProblem | null
  not_you_url: string
  cancel_url: string | null
}

export function askNamePage(context: PageContext, view: AskNameView): Page {
  const { texts, issuer } = context
  const { application_name, csrf, request, session_id, person, name, may_skip, not_you_url, cancel_url } = view
  const wrong = view.problem === 'missing' || view.problem === 'not_allowed' ? nameText(context, view.problem, 'required') : null
  const summary = summaryOf(context, view)
  const fields = hidden({ csrf, request, session: session_id })
  const optional = may_skip ? { optional: texts.form.optional } : {}
  const body = html`${brandLine(context)}<h1>${texts.profile.title}</h1><p class="sub">${texts.profile.why(application_name)}</p>
<div class="who">${avatar(person)}<span class="name">${breakable(person.email)}</span><a href="${not_you_url}" data-action="use-other-account">${texts.consent.not_you}</a></div>
${summary}
<form method="post" action="${issuer}/profile" novalidate>${fields}
${field({ name: 'name', label: texts.form.name, type: 'text', autocomplete: 'name', value: name, problem: wrong, autofocus: summary === null, ...optional })}
<button class="b p" data-action="save-profile">${texts.profile.save}</button></form>
${may_skip && html`<form method="post" action="${issuer}/profile">${fields}<button class="b" name="decision" value="not-now" data-action="not-now">${texts.passkey.not_now}</button></form>`}
${!may_skip && cancel_url && html`<p class="after"><a href="${cancel_url}" data-action="cancel">${texts.sign_in.cancel(application_name)}</a></p>`}`
  return layout(context, {
    title: texts.profile.title,
    body,
    step: 'profile',
    has_problem: view.problem !== null,
    ...(view.problem && { status: 400 }),
  })
}

const summaryOf = (context: PageContext, { problem }: AskNameView) =>
  isFormProblem(problem) ? problemSummary(formSentence(context, problem)) : null
