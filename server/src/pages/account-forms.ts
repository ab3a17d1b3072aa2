// pure
/** The pages of the account page with one form, which ask for a value or confirm, and the page after the deletion. */
import { type Html, html } from '../base/html.ts'
import { problemText } from './account.ts'
import { type AccountAction, type Removable, removals, type WhyMethodStays } from './account-actions.ts'
import { accountFields, accountHref } from './account-links.ts'
import { account_form_styles } from './account-styles.ts'
import { breakable } from './address.ts'
import { datesOf } from './dates.ts'
import { type FormProblem as AnyFormProblem, field, hidden, isFormProblem, linksToFields, problemOfField, problemSummary } from './form.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { brandLine } from './tiles.ts'

export interface FormView {
  csrf: string
  user_id: string
}

/** The problems of every form. */
export type FormProblem = AnyFormProblem | 'changed' | 'too_many_changes'

const statuses: Record<string, number> = {
  changed: 409,
  too_many_changes: 429,
  too_many: 429,
  busy: 503,
}

/** `path` is the end of the form's address. Each page leads back to the account page. */
export function formPage(
  context: PageContext,
  { csrf, user_id }: FormView,
  { title, intro, problem, summary, fields, action, path = action, submit, look = 'p' }: FormParts,
): Page {
  const { issuer, texts } = context
  const body = html`${brandLine(context)}<h1>${title}</h1>${intro}
${summary && problemSummary(summary)}
<form method="post" action="${issuer}/account/${path}" novalidate>${accountFields(context, { csrf, user_id })}
${fields}
<button class="b ${look}" data-action="${action}">${submit}</button></form>
<p class="after"><a href="${accountHref(context)}" data-action="cancel">${texts.account.back}</a></p>`
  return formLayout(context, { title, body, problem })
}

/** The layout of a page with a form. */
export const formLayout = (
  context: PageContext,
  { problem, ...content }: { title: string; body: Html; problem: string | null; script?: string },
): Page =>
  layout(context, {
    ...content,
    step: 'account',
    has_problem: problem !== null,
    styles: account_form_styles,
    ...(problem !== null && { status: statuses[problem] ?? 400 }),
  })

/** A page whose form has a button alone. */
export const confirmPage = (
  context: PageContext,
  view: FormView & { problem: FormProblem | null },
  parts: Pick<FormParts, 'title' | 'action' | 'submit'> & { intro: string },
): Page =>
  formPage(context, view, {
    ...parts,
    intro: html`<p class="sub">${parts.intro}</p>`,
    problem: view.problem,
    summary: view.problem && problemText(context, view.problem),
    fields: null,
  })

interface FormParts {
  title: string
  intro: Html | null
  problem: string | null
  summary: Html | string | null
  fields: Html | null
  action: AccountAction
  path?: string
  submit: string
  look?: 'p' | 'danger'
}

export const isOfForm = (problem: string | null): problem is FormProblem =>
  isFormProblem(problem) || problem === 'changed' || problem === 'too_many_changes'

/** The fields of the profile that a person can change. */
export const profile_fields = ['name', 'given_name', 'family_name', 'nickname', 'locale', 'zoneinfo'] as const
export type ProfileField = (typeof profile_fields)[number]

export interface ProfileView extends FormView {
  values: Readonly<Record<ProfileField, string>>
  /** The languages to choose from. The present one is added. */
  languages: readonly string[]
  problem: FormProblem | null
  wrong: readonly ProfileField[]
}

const autocomplete: Record<Exclude<ProfileField, 'locale'>, string> = {
  name: 'name',
  given_name: 'given-name',
  family_name: 'family-name',
  nickname: 'nickname',
  zoneinfo: 'off',
}

export function profilePage(context: PageContext, view: ProfileView): Page {
  const texts = context.texts.account
  const { values, wrong, problem } = view
  const named: Record<ProfileField, string> = texts.fields
  const summary = problem
    ? problemText(context, problem)
    : linksToFields(
        context,
        wrong.map((name) => ({ name, label: named[name] })),
      )
  const focused = summary === null && (wrong[0] ?? 'name')
  const fields = profile_fields.map((name) =>
    name === 'locale'
      ? languageField(context, view, focused === 'locale')
      : field({
          name,
          label: named[name],
          type: 'text',
          autocomplete: autocomplete[name],
          value: values[name],
          optional: context.texts.form.optional,
          problem: wrong.includes(name) ? texts.wrong[name] : null,
          ...(name === 'zoneinfo' && { hint: texts.zone_hint }),
          autofocus: focused === name,
        }),
  )
  return formPage(context, view, {
    title: texts.profile_title,
    intro: null,
    problem: problem ?? (wrong.length > 0 ? 'wrong' : null),
    summary,
    fields: html`${fields}`,
    action: 'change-name',
    submit: texts.save,
  })
}

function languageField(
  { texts: { account: texts, form } }: PageContext,
  { values: { locale }, languages, wrong }: ProfileView,
  autofocus: boolean,
): Html {
  const all = [...new Set(['', locale, ...languages])]
  const options = all.map(
    (tag) =>
      html`<option value="${tag}"${tag === locale && html` selected`}>${tag === '' ? texts.no_language : texts.languageName(tag)}</option>`,
  )
  const problem = wrong.includes('locale') ? texts.wrong.locale : null
  return html`<div class="field"><label for="locale">${texts.fields.locale} <span>${form.optional}</span></label>
<select id="locale" name="locale" autocomplete="language"${autofocus && html` autofocus`}${problem && html` aria-invalid="true" aria-describedby="locale-problem"`}>${options}</select>
${problem && problemOfField('locale', problem)}</div>`
}

export interface PasswordView extends FormView {
  email: string
  has_password: boolean
  rule: { min_length: number; reject_common: boolean }
  /** The environment sends mail. */
  is_mailed: boolean
  problem: FormProblem | 'busy' | 'missing' | 'too_short' | 'too_long' | 'common' | null
}

export function passwordPage(context: PageContext, view: PasswordView): Page {
  const { account: texts, sign_up, form } = context.texts
  const { email, has_password, rule, is_mailed, problem } = view
  const of_password = {
    missing: sign_up.password_missing,
    too_short: sign_up.password_too_short(rule.min_length),
    too_long: sign_up.password_too_long,
    common: sign_up.password_common,
  }
  const wrong = problem === null || problem === 'busy' || isOfForm(problem) ? null : of_password[problem]
  const of_form = problem === 'busy' ? form.busy : isOfForm(problem) ? problemText(context, problem) : null
  const summary = of_form
  // Password managers store a password with the address beside it.
  const fields = html`${field({ name: 'email', label: form.email, type: 'email', autocomplete: 'username', value: email, readonly: true })}
${field({ name: 'password', label: texts.new_password, type: 'password', autocomplete: 'new-password', min_length: rule.min_length, hint: sign_up.password_rule(rule.min_length, rule.reject_common), problem: wrong, autofocus: summary === null })}`
  return formPage(context, view, {
    title: has_password ? texts.password_title : texts.first_password_title,
    intro: html`<p class="sub">${texts.password_ends(is_mailed)}</p>`,
    problem,
    summary,
    fields,
    action: 'change-password',
    submit: texts.save_password,
  })
}

/** A way in or a second factor that the person can add. */
export type Addition =
  | { action: 'change-password' | 'add-passkey' | 'add-totp' }
  | { action: 'add-provider'; id: string; display_name: string }

export interface RemovalView extends FormView {
  method: { id: string; type: Removable; name: string | null }
  /** This session began with the method and ends with it. */
  ends_this: boolean
  /** Why the removal is refused, and what the person can add so that it is not. */
  stays: { why: WhyMethodStays; until: readonly Addition[] } | null
  problem: FormProblem | null
}

export function removalPage(context: PageContext, view: RemovalView): Page {
  const texts = context.texts.account
  const { method, ends_this, stays, problem } = view
  const action = removals[method.type]
  const name = method.name ?? texts.methods[method.type]
  if (stays) return methodStaysPage(context, { name, user_id: view.user_id, ...stays })
  return formPage(context, view, {
    title: texts.removal_title(name),
    intro: html`<p class="sub">${method.type === 'totp' ? texts.totp_removal : texts.removal_ends(name, ends_this)}</p>`,
    problem,
    summary: problem && problemText(context, problem),
    fields: html`${hidden({ action, id: method.id })}`,
    action,
    path: 'remove-method',
    submit: texts.remove,
    look: 'danger',
  })
}

export interface LeaveView extends FormView {
  organization: { id: string; name: string }
  problem: FormProblem | null
}

/** Confirms that a person leaves an organization. */
export function leavePage(context: PageContext, view: LeaveView): Page {
  const texts = context.texts.account
  const { organization, problem } = view
  return formPage(context, view, {
    title: texts.leave_title(organization.name),
    intro: html`<p class="sub">${texts.leave_text(organization.name)}</p>`,
    problem,
    summary: problem && problemText(context, problem),
    fields: html`${hidden({ id: organization.id })}`,
    action: 'leave-organization',
    path: 'leave-organization',
    submit: texts.leave,
    look: 'danger',
  })
}

/** The last member who administers an organization stays, until another does. */
export const lastAdministratorPage = (context: PageContext, name: string): Page =>
  insteadPage(context, {
    title: context.texts.account.leave_title(name),
    why: html`<p class="sub">${context.texts.account.last_administrator(name)}</p>`,
    ways: [],
  })

/** A page without a form: a press would be refused, so it offers what the person can do instead. */
export function insteadPage(context: PageContext, { title, why, ways }: { title: string; why: Html; ways: readonly Html[] }): Page {
  const { texts } = context
  const body = html`${brandLine(context)}<h1>${title}</h1>${why}
${ways.length > 0 && html`<div class="acts">${ways}</div>`}
<p class="after"><a href="${accountHref(context)}" data-action="account">${texts.account.back}</a></p>`
  return layout(context, { title, body, step: 'account', width: 'medium', styles: account_form_styles, status: 409 })
}

function methodStaysPage(
  context: PageContext,
  { name, user_id, why, until }: { name: string; user_id: string; why: WhyMethodStays; until: readonly Addition[] },
): Page {
  const texts = context.texts.account
  const named = (addition: Addition) => {
    if (addition.action === 'add-provider') return texts.connect_title(addition.display_name)
    if (addition.action === 'change-password') return texts.set_password
    return addition.action === 'add-passkey' ? context.texts.passkey.add : texts.add_totp
  }
  const ways = until.map((addition, place) => {
    const { action } = addition
    const url = accountHref(context, { action, ...('id' in addition && { id: addition.id }), user: user_id })
    return html`<a class="${place === 0 ? 'b p' : 'b'}" href="${url}" data-action="${action}">${named(addition)}</a>`
  })
  return insteadPage(context, {
    title: texts.stays_title(name),
    why: html`<p class="sub">${texts.stays_why[why]}${until.length > 0 && ` ${texts.stays_until}`}</p>`,
    ways,
  })
}

export interface ExportView extends FormView {
  problem: FormProblem | null
}

/** Shown after a sign-in that the export asked for, since a download needs a press. */
export function exportPage(context: PageContext, view: ExportView): Page {
  const texts = context.texts.account
  return confirmPage(context, view, { title: texts.export_title, intro: texts.export_detail, action: 'export', submit: texts.export })
}

export interface DeletionView extends FormView {
  email: string
  problem: FormProblem | 'wrong_address' | null
  /** When the account is erased; `null`: at once. */
  deletes_at: Date | null
  /** The tenants of which the person is the last owner, with the pages of their members. */
  tenants: readonly { name: string; members_url: string }[]
}

export function deletionPage(context: PageContext, view: DeletionView): Page {
  const texts = context.texts.account
  const { email, problem, tenants, deletes_at } = view
  if (tenants.length > 0) {
    const ways = tenants.map(
      ({ name, members_url }, place) =>
        html`<a class="${place === 0 ? 'b p' : 'b'}" href="${members_url}" data-action="continue">${texts.members_of(name)}</a>`,
    )
    return insteadPage(context, { title: texts.last_owner_title, why: html`<p class="sub">${texts.last_owner}</p>`, ways })
  }
  const wrong = problem === 'wrong_address' ? texts.problems.wrong_address : null
  const summary = isOfForm(problem) ? problemText(context, problem) : null
  const what =
    deletes_at === null
      ? { text: texts.deletion(breakable(email)), lines: texts.kept }
      : { text: texts.deletion_later(breakable(email), dayAndTime(context, deletes_at)), lines: texts.kept_later }
  const intro = html`<p class="sub">${what.text}</p><ul class="kept">${what.lines.map((line) => html`<li>${line}</li>`)}</ul>`
  return formPage(context, view, {
    title: texts.delete_title,
    intro,
    problem,
    summary,
    fields: field({
      name: 'email',
      label: texts.type_address,
      type: 'email',
      autocomplete: 'off',
      problem: wrong,
      autofocus: summary === null,
    }),
    action: 'delete-account',
    submit: texts.delete,
    look: 'danger',
  })
}

const dayAndTime = ({ texts }: PageContext, at: Date): Html => datesOf(texts.account.date_locale, null).moment(at)

/** `deletes_at`: when a closed account is erased; `null` for one that is gone. */
export function deletedPage(context: PageContext, { is_mailed, deletes_at }: { is_mailed: boolean; deletes_at: Date | null }): Page {
  const texts = context.texts.account
  const { title, text } =
    deletes_at === null
      ? { title: texts.deleted_title, text: texts.deleted(is_mailed) }
      : { title: texts.closed_title, text: texts.closed(dayAndTime(context, deletes_at), is_mailed) }
  const body = html`${brandLine(context)}<h1>${title}</h1><p class="sub">${text}</p>
<div class="acts"><a class="b" href="${accountHref(context)}" data-action="sign-in">${context.texts.reset.back}</a></div>`
  return layout(context, { title, body, step: 'account', width: 'medium' })
}
