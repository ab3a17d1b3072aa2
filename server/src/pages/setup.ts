// pure
/** The page of the first start: the form for the first tenant, or what to do instead. */
import { html } from '../base/html.ts'
import { field, hidden, problemSummary } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { newPasswordField, passwordText } from './sign-up.ts'
import { brandLine } from './tiles.ts'

export interface SetupView {
  /** Of the link. The form sends it again. */
  token: string
  values: { tenant_name: string; slug: string; email: string }
  problems: {
    form: 'foreign' | null
    tenant_name: 'wrong' | null
    slug: 'wrong' | 'taken' | null
    email: 'wrong' | 'taken' | null
    password: 'missing' | 'too_short' | 'too_long' | 'common' | null
  }
}

const password_rule = { min_length: 12, reject_common: true }

export function setupPage(context: PageContext, { token, values, problems }: SetupView): Page {
  const { texts, issuer } = context
  const { setup } = texts.dashboard
  const shown = {
    tenant_name: problems.tenant_name && setup.tenant_name_wrong,
    slug: problems.slug && (problems.slug === 'taken' ? setup.slug_taken : setup.slug_wrong),
    email: problems.email && (problems.email === 'taken' ? setup.email_taken : setup.email_wrong),
    password: problems.password && passwordText(texts.sign_up, problems.password, password_rule.min_length),
  }
  const wrong = Object.entries(shown).filter(([, text]) => text !== null)
  const list = html`<ul>${wrong.map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`)}</ul>`
  const summary = problems.form
    ? problemSummary(setup.ended)
    : wrong.length > 0
      ? problemSummary(html`${texts.form.summary(wrong.length)}${list}`)
      : null
  const body = html`${brandLine(context)}<h1>${setup.title}</h1><p class="sub">${setup.text}</p>
${summary}
<form method="post" action="${issuer}/setup" novalidate>${hidden({ token })}
${field({ name: 'tenant_name', label: setup.tenant_name, type: 'text', autocomplete: 'organization', value: values.tenant_name, hint: setup.tenant_name_hint, problem: shown.tenant_name, autofocus: summary === null })}
${field({ name: 'slug', label: setup.slug, type: 'code', autocomplete: 'off', value: values.slug, optional: texts.form.optional, hint: setup.slug_hint, problem: shown.slug })}
${field({ name: 'email', label: setup.email, type: 'email', autocomplete: 'username', value: values.email, problem: shown.email })}
${newPasswordField(context, password_rule, { problem: shown.password, autofocus: false })}
<button class="b p">${setup.submit}</button></form>`
  return layout(context, { title: setup.title, body, has_problem: summary !== null, ...(summary && { status: 400 }) })
}

/** For a visitor without the token of the link. */
export function setupCommandPage(context: PageContext): Page {
  const { setup } = context.texts.dashboard
  const body = html`${brandLine(context)}<h1>${setup.command_title}</h1><p class="sub">${setup.command_text}</p>
<p class="fine hint"><code>npx ostiary bootstrap --email you@example.com --tenant Acme --password-stdin</code></p>`
  return layout(context, { title: setup.command_title, body, width: 'medium', align: 'top' })
}

export function setUpPage(context: PageContext): Page {
  const { setup } = context.texts.dashboard
  const body = html`${brandLine(context)}<h1>${setup.done_title}</h1><p class="sub">${setup.done_text}</p>
<div class="acts"><a class="b p" href="${context.issuer}/dashboard">${setup.open}</a></div>`
  return layout(context, { title: setup.done_title, body, width: 'medium', align: 'top' })
}
