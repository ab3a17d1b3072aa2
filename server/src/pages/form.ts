// pure
/** The parts that forms are made of. Every field has a visible label, and its error is tied to it. */
import { type Html, html } from './html.ts'
import { alert, warning } from './icons.ts'

interface Field {
  name: string
  label: string
  type: 'text' | 'email' | 'password'
  autocomplete: string
  value?: string
  /** Shown after the label; a field without it is required. */
  optional?: string
  min_length?: number
  /** What the field wants, said before anybody gets it wrong. */
  hint?: string
  problem?: string | null
  /** The id of a problem that concerns several fields and is told elsewhere. */
  told_in?: string | false
}

export function field({ name, label, type, autocomplete, value, optional, min_length, hint, problem, told_in }: Field): Html {
  const described_by = [problem && `${name}-problem`, told_in, hint && `${name}-hint`].filter(Boolean).join(' ')
  return html`<div class="field"><label for="${name}">${label}${optional && html` <span>${optional}</span>`}</label>
${hint && html`<p class="fine" id="${name}-hint">${hint}</p>`}
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${value && html` value="${value}"`}${!optional && html` required`}${min_length && html` minlength="${min_length}"`}${type === 'email' && html` inputmode="email"`}${type !== 'text' && html` autocapitalize="none" spellcheck="false"`}${(problem || told_in) && html` aria-invalid="true"`}${described_by && html` aria-describedby="${described_by}"`}>
${problem && html`<p class="wrong" id="${name}-problem">${warning}<span>${problem}</span></p>`}</div>`
}

/** Takes focus when the page opens, so that whoever does not see the page begins with what went wrong. */
export const problemSummary = (content: Html | string): Html =>
  html`<div class="problem" id="problem" role="alert" tabindex="-1" autofocus>${alert}<div>${content}</div></div>`

export const hidden = (values: Readonly<Record<string, string>>): Html[] =>
  Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
