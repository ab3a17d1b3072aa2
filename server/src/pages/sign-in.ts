// pure
/**
 * The sign-in page: one page with every sign-in method. Asking for the email address first would reveal who has an account, and
 * password managers fill a form that has both fields.
 */
import type { ProviderType } from '@ostiary/contract/objects/provider.ts'
import { type FirstFactor, first_factors } from '@ostiary/contract/sign-in-methods.ts'
import { type Html, html } from '../base/html.ts'
import { type FormProblem, field, formSentence, hidden, isFormProblem, problemSummary } from './form.ts'
import { passkey as icon } from './icons.ts'
import { layout, type Page, type PageContext } from './layout.ts'
import { type PasskeyCeremony, passkeyBlock } from './passkey-block.ts'
import { passkey_script } from './passkey-script.ts'
import { providerIcons } from './provider-icons.ts'
import { brandLine } from './tiles.ts'

/** The problem of one field, shown at the field. */
type FieldProblem = 'missing_email' | 'malformed_email' | 'missing_password'
type Problem =
  | 'wrong_credentials'
  | FieldProblem
  | 'locked'
  | FormProblem
  | 'too_many'
  | 'too_often'
  | 'second_factor'
  | 'attempt_over'
  | 'passkey_failed'
  | 'unknown_passkey'
  | 'busy'

/** `locked` and `too_many` look the same for existing and unknown accounts. `too_often` follows only a sign-in that was right. */
const statuses = {
  wrong_credentials: 400,
  missing_email: 400,
  malformed_email: 400,
  missing_password: 400,
  locked: 429,
  expired_form: 400,
  no_cookies: 400,
  other_token: 400,
  no_token: 400,
  other_site: 400,
  too_many: 429,
  too_often: 429,
  second_factor: 400,
  attempt_over: 400,
  passkey_failed: 400,
  unknown_passkey: 400,
  busy: 503,
} satisfies Record<Problem, number>

/** A passkey and a provider have a part of their own. */
export type FormMethod = Exclude<FirstFactor, 'passkey' | 'provider'>

export interface SignInView {
  application_name: string | null
  /** The sign-in leads to the account page, or confirms who wants to change something there; `null` for any other sign-in. */
  account: 'page' | 'change' | null
  csrf: string
  /** The raw query string of the authorization request. The next step validates it again. */
  request: string
  /** The email address of the previous attempt, or the client's login_hint. */
  email: string
  problem: Problem | null
  /** How long to wait; `null` if unknown. */
  wait_seconds: number | null
  /** Those of the form with the address. */
  methods: Record<FormMethod, boolean>
  /** How the last sign-in on this device began: `email_code`, `passkey` or the id of a provider. Other values mark nothing. */
  last_used: string | null
  /** Where a password can be reset. */
  forgot_url: string | null
  /** `null` where people cannot sign in with a passkey. */
  passkey: PasskeyCeremony | null
  /** Upstream providers. */
  providers: readonly { id: string; type: ProviderType; display_name: string }[]
  sign_up_url: string | null
  /** The account chooser, if this browser has signed-in accounts. */
  other_accounts_url: string | null
  /** Returns to the client without signing in. */
  cancel_url: string | null
}

export function signInPage(context: PageContext, view: SignInView): Page {
  const texts = context.texts.sign_in
  const problem = view.problem === null || isOfField(view.problem) ? null : problemText(context, view.problem, view.wait_seconds)
  const links = [
    view.sign_up_url && html`${texts.new_here} <a href="${view.sign_up_url}" data-action="create-account">${texts.sign_up}</a>`,
    view.other_accounts_url && html`<a href="${view.other_accounts_url}" data-action="use-other-account">${texts.other_accounts}</a>`,
    view.cancel_url && html`<a href="${view.cancel_url}" data-action="cancel">${texts.cancel(view.application_name)}</a>`,
  ]
  const body = html`${brandLine(context)}<h1>${texts.title}</h1>${destination(context, view)}
${problem && problemSummary(problem)}
${parts.map((part) => part(context, view))}
${links.map((link) => link && html`<p class="after">${link}</p>`)}`
  return layout(context, {
    title: texts.title,
    body,
    step: 'sign-in',
    has_problem: view.problem !== null,
    ...(view.problem && { status: statuses[view.problem] }),
    ...(view.passkey && { script: passkey_script }),
  })
}

function destination({ texts: { sign_in: texts } }: PageContext, { application_name, account }: SignInView) {
  if (account !== null) return html`<p class="sub">${account === 'page' ? texts.to_account : texts.to_change}</p>`
  return application_name && html`<p class="sub">${texts.to_continue(application_name)}</p>`
}

type Part = (context: PageContext, view: SignInView) => Html | false | null

/** The part of the page that has each method. */
const part_of: Record<FirstFactor, Part> = { password: addressPart, email_code: addressPart, passkey: passkeyForm, provider: providerForm }
const parts = [...new Set(first_factors.map((method) => part_of[method]))]

function addressPart(context: PageContext, view: SignInView): Html {
  const { sign_in: texts } = context.texts
  const { passkey, providers } = view
  const has_form = hasForm(view)
  return html`${has_form && addressForm(context, view)}${!has_form && !passkey && providers.length === 0 && html`<p class="hint">${texts.no_method}</p>`}
${has_form && providers.length > 0 && html`<p class="or">${texts.or}</p>`}`
}

const hasForm = ({ methods }: SignInView) => Object.values(methods).some((is_on) => is_on)

/**
 * One form for the password and the emailed code, so that the address is typed once. Its first button is the one that Enter presses.
 * The error summary takes focus where there is one, then the field with an error, otherwise the first empty field: the password where the
 * address is known.
 */
function addressForm(context: PageContext, view: SignInView) {
  const { issuer, texts, preview } = context
  const { csrf, request, email, problem, methods, passkey, forgot_url } = view
  const shared_problem_id = problem === 'wrong_credentials' && 'problem'
  const wrong = fieldProblems(context, problem)
  const first_empty = problem === null && (email === '' || !methods.password ? 'email' : 'password')
  const focused = !preview && (wrong.email ? 'email' : wrong.password ? 'password' : first_empty)
  const forgot = forgot_url !== null && html`<a href="${forgot_url}" data-action="forgot-password">${texts.sign_in.forgot}</a>`
  return html`<form method="post" action="${issuer}/sign-in" novalidate>${hidden({ csrf, request })}
${field({ name: 'email', label: texts.form.email, type: 'email', autocomplete: passkey ? 'username webauthn' : 'username', value: email, problem: wrong.email, shared_problem_id, autofocus: focused === 'email' })}
${methods.password && field({ name: 'password', label: texts.form.password, type: 'password', autocomplete: 'current-password', problem: wrong.password, shared_problem_id, aside: forgot, autofocus: focused === 'password' })}
${form_methods.map((method) => methods[method] && buttons[method](context, view))}</form>`
}

const buttons: Record<FormMethod, (context: PageContext, view: SignInView) => Html> = {
  password: ({ texts }) => html`<button class="b p" name="method" value="password" data-action="password">${texts.sign_in.submit}</button>`,
  email_code: (context, view) => {
    const { sign_in: texts } = context.texts
    const { password } = view.methods
    return html`<button class="${password ? 'b' : 'b p'}" name="method" value="email_code" data-action="email-code"${password && described(view, 'email_code')} formnovalidate>${password ? html`${texts.email_code_instead}${lastUsed(context, view, 'email_code')}` : texts.email_code}</button>`
  },
}
const form_methods = first_factors.filter((method): method is FormMethod => Object.hasOwn(buttons, method))

/** Shown by its script, since a passkey needs one. */
function passkeyForm(context: PageContext, view: SignInView): Html | null {
  const { issuer, texts } = context
  const { csrf, request, methods, providers, passkey } = view
  if (!passkey) return null
  return passkeyBlock(
    context,
    passkey,
    html`${methods.password && providers.length === 0 && html`<p class="or">${texts.sign_in.or}</p>`}<form class="alts" method="post" action="${issuer}/passkey">${hidden({ csrf, request, credential: '' })}
<button class="${hasForm(view) || providers.length > 0 ? 'b' : 'b p'}" data-action="passkey"${described(view, 'passkey')}>${icon}${texts.passkey.use}${lastUsed(context, view, 'passkey')}</button></form>`,
  )
}

/**
 * The mark of the method that was used last. The first button needs none: Enter presses it. The mark is below the text of its button, which
 * it describes: the button keeps its name.
 */
const lastUsed = ({ texts }: PageContext, { last_used }: SignInView, method: string) =>
  last_used === method && html`<span class="tag last" id="last-used" aria-hidden="true">${texts.sign_in.last_used}</span>`

const described = ({ last_used }: SignInView, method: string) => last_used === method && html` aria-describedby="last-used"`

/** One form for all providers. The pressed button names the provider. */
function providerForm(context: PageContext, view: SignInView): Html | null {
  const { issuer, texts } = context
  const { csrf, request, providers } = view
  if (providers.length === 0) return null
  const buttons = providers.map(
    ({ id, type, display_name }) =>
      html`<button class="b" name="provider" value="${id}" data-action="provider" data-id="${id}"${described(view, id)}>${providerIcons[type]}${texts.sign_in.with_provider(display_name)}${lastUsed(context, view, id)}</button>`,
  )
  return html`<form class="alts" method="post" action="${issuer}/federate">${hidden({ csrf, request })}${buttons}</form>`
}

const isOfField = (problem: Problem): problem is FieldProblem =>
  problem === 'missing_email' || problem === 'malformed_email' || problem === 'missing_password'

function fieldProblems({ texts: { sign_in, sign_up } }: PageContext, problem: Problem | null) {
  const email = problem === 'missing_email' ? sign_up.email_missing : problem === 'malformed_email' ? sign_up.email_malformed : null
  return { email, password: problem === 'missing_password' ? sign_in.password_missing : null }
}

function problemText(context: PageContext, problem: Exclude<Problem, FieldProblem>, wait_seconds: number | null): string {
  const { texts } = context
  if (isFormProblem(problem)) return formSentence(context, problem)
  if (problem === 'wrong_credentials') return texts.sign_in.wrong_credentials
  if (problem === 'passkey_failed') return texts.passkey.failed
  if (problem === 'unknown_passkey') return texts.passkey.unknown
  if (problem === 'locked') return texts.sign_in.locked(wait_seconds)
  if (problem === 'attempt_over') return texts.sign_in.attempt_over
  if (problem === 'second_factor') return texts.second_factor.ended
  if (problem === 'too_often') return texts.sign_in.too_often(wait_seconds)
  if (problem === 'too_many') return texts.form.too_many(wait_seconds)
  return texts.form.busy
}
