// pure
/** The sign-up page: email address, optional name, and password with its rule. Also used for invitations. */
import type { SignUpName } from '@ostiary/contract/settings.ts'
import { type Html, html } from '../base/html.ts'
import { longestName } from '../protocol/sign-up.ts'
import { type FormProblem, field, formSentence, hidden, linksToFields, problemSummary } from './form.ts'
import { type InvitationFacts, invitationHeading } from './invitation.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type OfferFacts, offerHeading } from './organization-invitation.ts'
import { brandLine } from './tiles.ts'

export interface SignUpView {
  application_name: string | null
  csrf: string
  request: string
  email: string
  name: string
  /** The setting `sign_up.name`. */
  asks_for_name: SignUpName
  /** `null` where sign-up asks for no password. */
  password_rule: { min_length: number; reject_common: boolean } | null
  /** All errors at once. */
  problems: {
    form: FormProblem | 'too_many' | 'busy' | null
    email: 'missing' | 'malformed' | 'outside' | 'taken' | null
    name: 'missing' | 'not_allowed' | null
    password: 'missing' | 'too_short' | 'too_long' | 'common' | null
  }
  wait_seconds: number | null
  sign_in_url: string
  /** The invitation that the account is for. */
  invitation: InvitationFacts | OfferFacts | null
}

export function signUpPage(context: PageContext, view: SignUpView): Page {
  const { texts, issuer } = context
  const { csrf, request, email, name, asks_for_name, password_rule } = view
  const optional = asks_for_name === 'required' ? {} : { optional: texts.form.optional }
  const problems = fieldProblems(context, view)
  const labels = { email: texts.form.email, name: texts.form.name, password: texts.form.password }
  const wrong = field_names.filter((name) => problems[name] !== null)
  const summary =
    ofForm(context, view) ??
    linksToFields(
      context,
      wrong.map((name) => ({ name, label: labels[name] })),
    )
  // The error summary takes focus where there is one, otherwise the field with an error, or the first empty one.
  const first_empty = email === '' ? 'email' : name === '' || !password_rule ? 'name' : 'password'
  const focused = summary === null && !context.preview && (wrong[0] ?? first_empty)
  const body = html`${view.invitation ? invited(context, view.invitation) : heading(context, view)}
${summary && problemSummary(summary)}
<form method="post" action="${issuer}/sign-up" novalidate>${hidden({ csrf, request })}
${field({ name: 'email', label: texts.form.email, type: 'email', autocomplete: 'username', value: email, problem: problems.email, autofocus: focused === 'email' })}
${field({ name: 'name', label: texts.form.name, type: 'text', autocomplete: 'name', value: name, ...optional, problem: problems.name, autofocus: focused === 'name' })}
${password_rule && newPasswordField(context, password_rule, { problem: problems.password, autofocus: focused === 'password' })}
<button class="b p" data-action="create-account">${isOfOffer(view.invitation) ? texts.organization_invitation.accept_new : texts.sign_up.submit}</button></form>
<p class="after">${texts.sign_up.have_account} <a href="${view.sign_in_url}" data-action="sign-in">${texts.sign_up.sign_in}</a></p>`
  const { form } = view.problems
  const status = form === 'too_many' ? 429 : form === 'busy' ? 503 : 400
  const title = view.invitation ? texts.invitation.title(nameOf(view.invitation)) : texts.sign_up.title
  const step = view.invitation ? 'invitation' : 'sign-up'
  const has_problem = form !== null || wrong.length > 0
  return layout(context, { title, body, step, has_problem, ...(has_problem && { status }) })
}

/** The field for a new password, with its rule stated beforehand. */
export function newPasswordField(
  { texts }: PageContext,
  { min_length, reject_common }: NonNullable<SignUpView['password_rule']>,
  { problem, autofocus }: { problem: string | null; autofocus: boolean },
): Html {
  const hint = texts.sign_up.password_rule(min_length, reject_common)
  return field({
    name: 'password',
    label: texts.form.password,
    type: 'password',
    autocomplete: 'new-password',
    min_length,
    hint,
    problem,
    autofocus,
  })
}

const heading = (context: PageContext, { application_name }: SignUpView) =>
  html`${brandLine(context)}<h1>${context.texts.sign_up.title}</h1>${application_name && html`<p class="sub">${context.texts.sign_in.to_continue(application_name)}</p>`}`

type Invited = InvitationFacts | OfferFacts

const isOfOffer = (invitation: Invited | null): invitation is OfferFacts => invitation !== null && 'organization_name' in invitation

const nameOf = (invitation: Invited): string => (isOfOffer(invitation) ? invitation.organization_name : invitation.tenant_name)

const invited = (context: PageContext, invitation: Invited) =>
  html`${isOfOffer(invitation) ? offerHeading(context, invitation) : invitationHeading(context, invitation)}<p class="hint">${context.texts.invitation.new_account}</p>`

const field_names = ['email', 'name', 'password'] as const
type FieldProblems = Record<(typeof field_names)[number], string | null>

export const nameText = ({ texts: { sign_up: texts } }: PageContext, problem: 'missing' | 'not_allowed', asked: SignUpName): string =>
  problem === 'missing' ? texts.name_missing : texts.name_not_allowed(longestName(asked))

function fieldProblems(context: PageContext, { problems, asks_for_name, password_rule }: SignUpView): FieldProblems {
  const { sign_up: texts } = context.texts
  const email = {
    missing: texts.email_missing,
    malformed: texts.email_malformed,
    outside: texts.email_outside,
    taken: texts.email_taken,
  }
  return {
    email: problems.email && email[problems.email],
    name: problems.name && nameText(context, problems.name, asks_for_name),
    password: problems.password && passwordText(texts, problems.password, password_rule?.min_length ?? 0),
  }
}

export function passwordText(
  texts: PageContext['texts']['sign_up'],
  problem: NonNullable<SignUpView['problems']['password']>,
  min_length: number,
): string {
  const messages = {
    missing: texts.password_missing,
    too_short: texts.password_too_short(min_length),
    too_long: texts.password_too_long,
    common: texts.password_common,
  }
  return messages[problem]
}

/** The error of the whole form. */
function ofForm(context: PageContext, { problems: { form }, wait_seconds }: SignUpView): string | null {
  const { form: texts } = context.texts
  if (form === 'too_many') return texts.too_many(wait_seconds)
  if (form === 'busy') return texts.busy
  return form && formSentence(context, form)
}
