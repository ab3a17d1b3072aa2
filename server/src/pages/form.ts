// pure
/**
 * Components of forms. Every field has a visible label and refers to its error message. An error is said once: at the field that it
 * concerns, which takes focus where it is the only one, else above the form. Several fields with errors have a list of links there.
 */
import { type Html, html } from '../base/html.ts'
import { alert, warning } from './icons.ts'
import type { PageContext } from './layout.ts'

/**
 * Why a form was not accepted, whatever it asks for. `expired_form`: only the challenge of a passkey has an age; a form token works for as
 * long as its cookie.
 */
export type FormProblem = 'no_cookies' | 'other_token' | 'no_token' | 'other_site' | 'expired_form'

/** The sentence of each cause. */
export function formSentence({ texts: { form }, issuer }: PageContext, problem: FormProblem): string {
  if (problem === 'no_cookies') return form.no_cookies(new URL(issuer).hostname)
  return { other_token: form.other_token, no_token: form.no_token, other_site: form.other_site, expired_form: form.expired }[problem]
}

export const isFormProblem = (problem: string | null): problem is FormProblem =>
  problem !== null && (form_problems as readonly string[]).includes(problem) // as: any text can be looked for

const form_problems = ['no_cookies', 'other_token', 'no_token', 'other_site', 'expired_form'] as const satisfies readonly FormProblem[]

interface Field {
  name: string
  label: string
  /**
   * `digits` and `code` are text that no keyboard changes; the first opens the keys for digits. HTML takes no letters beyond ASCII before
   * the at sign of an `email`, so the form of one has `novalidate`: the service judges the address.
   */
  type: 'text' | 'email' | 'password' | 'digits' | 'code'
  autocomplete: string
  value?: string
  /** Shown after the label, unless it is empty. A field without it is required. */
  optional?: string
  min_length?: number
  /** The rule for the field, always shown. */
  hint?: string
  problem?: string | null
  /** The id of an error message that concerns several fields. */
  shared_problem_id?: string | false
  /** A link beside the label. */
  aside?: Html | false | null
  /** Takes focus when the page opens. At most one element of a page has it. */
  autofocus?: boolean
  /** Shown for password managers, and not to be changed. */
  readonly?: boolean
}

export function field({
  name,
  label,
  type,
  autocomplete,
  value,
  optional,
  min_length,
  hint,
  problem,
  shared_problem_id,
  aside,
  autofocus,
  readonly,
}: Field): Html {
  const described_by = [problem && `${name}-problem`, shared_problem_id, hint && `${name}-hint`].filter(Boolean).join(' ')
  const labelled = html`<label for="${name}">${label}${optional && html` <span>${optional}</span>`}</label>`
  return html`<div class="field">${aside ? html`<div class="row">${labelled}${aside}</div>` : labelled}
${hint && html`<p class="fine" id="${name}-hint">${hint}</p>`}
<input id="${name}" name="${name}" type="${type === 'digits' || type === 'code' ? 'text' : type}" autocomplete="${autocomplete}"${value && html` value="${value}"`}${optional === undefined && !readonly && html` required`}${readonly && html` readonly`}${autofocus && html` autofocus`}${min_length && html` minlength="${min_length}"`}${type === 'email' && html` inputmode="email"`}${type === 'digits' && html` inputmode="numeric"`}${type !== 'text' && html` autocapitalize="none" spellcheck="false"`}${(problem || shared_problem_id) && html` aria-invalid="true"`}${described_by && html` aria-describedby="${described_by}"`}>
${problem && problemOfField(name, problem)}</div>`
}

/** The summary of a form that has no other problem. */
export const formSummary = (context: PageContext, problem: FormProblem | null): Html | null =>
  problem && problemSummary(formSentence(context, problem))

/** The rest of the page of such a form. */
export const refusedForm = (problem: FormProblem | null) => (problem === null ? {} : { has_problem: true, status: 400 })

/** The error of a field, to which the field refers by `aria-describedby`. */
export const problemOfField = (name: string, text: string): Html =>
  html`<p class="wrong" id="${name}-problem">${warning}<span>${text}</span></p>`

/** Leads to the fields with errors, where there are several. The sentence of each is at the field. */
export const linksToFields = ({ texts: { form } }: PageContext, wrong: readonly { name: string; label: string }[]): Html | null =>
  wrong.length < 2
    ? null
    : html`${form.summary(wrong.length)}<ul>${wrong.map(({ name, label }) => html`<li><a href="#${name}">${label}</a></li>`)}</ul>`

/** A summary of the errors. It takes focus when the page opens, so a screen reader begins with it. */
export const problemSummary = (content: Html | string): Html =>
  html`<div class="problem" id="problem" role="alert" tabindex="-1" autofocus>${alert}<div>${content}</div></div>`

export const hidden = (values: Readonly<Record<string, string>>): Html[] =>
  Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
