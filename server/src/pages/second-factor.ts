// pure
/** The page that asks for the second factor: a code of an authenticator app, or a recovery code. */
import { field, hidden, problemSummary } from './form.ts'
import { html } from './html.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine } from './tiles.ts'

type Problem = 'wrong' | 'missing' | 'locked' | 'expired_form' | 'no_cookies'

const statuses = { wrong: 400, missing: 400, locked: 429, expired_form: 400, no_cookies: 400 } satisfies Record<Problem, number>

export interface SecondFactorView {
  application_name: string | null
  csrf: string
  request: string
  /** The field that the page shows. */
  using: 'code' | 'recovery_code'
  /** The person has unused recovery codes. */
  has_recovery_codes: boolean
  problem: Problem | null
  wait_seconds: number | null
  /** Returns to the client without signing in. */
  cancel_url: string | null
}

export function secondFactorPage(context: PageContext, view: SecondFactorView): Page {
  const { issuer } = context
  const texts = context.texts.second_factor
  const { csrf, request, using, problem } = view
  const text = problem && problemText(context, view)
  const is_of_field = problem === 'wrong' || problem === 'missing'
  const input = {
    shared_problem_id: is_of_field && ('problem' as const),
    autofocus: problem === null,
  }
  const other = using === 'code' ? 'recovery_code' : 'code'
  const body = html`${brandLine(context)}<h1>${texts.title}</h1><p class="sub">${using === 'code' ? texts.from_app : texts.from_list}</p>
${text && problemSummary(text)}
<form method="post" action="${issuer}/second-factor">${hidden({ csrf, request })}
${
  using === 'code'
    ? field({ name: 'code', label: texts.code, type: 'digits', autocomplete: 'one-time-code', ...input })
    : field({ name: 'recovery_code', label: texts.recovery_code, type: 'code', autocomplete: 'off', ...input })
}
<button class="b p" data-action="continue">${texts.submit}</button></form>
${
  (other === 'code' || view.has_recovery_codes) &&
  html`<form method="post" action="${issuer}/second-factor">${hidden({ csrf, request })}<button class="b" name="use" value="${other}" data-action="${other === 'code' ? 'use-totp' : 'use-recovery-code'}">${other === 'code' ? texts.use_app : texts.use_recovery_code}</button></form>`
}
${view.cancel_url && html`<p class="after"><a href="${view.cancel_url}" data-action="cancel">${context.texts.sign_in.cancel(view.application_name)}</a></p>`}`
  return layout(context, {
    title: texts.title,
    body,
    step: 'second-factor',
    has_problem: problem !== null,
    ...(problem && { status: statuses[problem] }),
  })
}

function problemText({ texts, issuer }: PageContext, { problem, using, wait_seconds }: SecondFactorView): string {
  if (problem === 'locked') return texts.second_factor.locked(wait_seconds)
  if (problem === 'no_cookies') return texts.form.no_cookies(new URL(issuer).hostname)
  if (problem === 'expired_form') return texts.form.expired
  if (using === 'recovery_code') return problem === 'missing' ? texts.second_factor.recovery_missing : texts.second_factor.recovery_wrong
  return problem === 'missing' ? texts.second_factor.code_missing : texts.second_factor.code_wrong
}
