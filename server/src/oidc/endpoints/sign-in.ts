/** The forms of sign-in and sign-up. A right password makes a session; then the request goes on where it began. */

import { Email } from '@ostiary/contract/values.ts'
import { longest_email, normalised } from '../../normalisation.ts'
import { accountOf, forgetAttempts, sourceOf, takeAttempt } from '../../users/attempts.ts'
import { longest_password, passwordProblem } from '../../users/password-policy.ts'
import { findCredential, insertUser } from '../../users/store.ts'
import { isOwnForm, knownDevice, readBrowser } from '../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcParts, redirect } from '../call.ts'
import { establishSession, signInEvent } from '../establish-session.ts'
import { message } from '../hosted-page.ts'
import { authorizeUrl, beginAuthorization, type Interaction, showSignIn, showSignUp } from './authorize.ts'

export const signIn: OidcEndpoint = async (parts, call) => {
  const interaction = await continueInteraction(parts, call)
  if ('answer' in interaction) return interaction.answer
  const email = field(call, 'email', longest_email).trim()
  const password = field(call, 'password', longest_password)
  if (!isOwnForm(parts, call, interaction.browser))
    return showSignIn(parts, call, interaction, { email, problem: 'expired_form', wait_seconds: null })
  if (!call.issuer.settings.sign_in.password) return showSignIn(parts, call, interaction, { email, problem: null, wait_seconds: null })
  // No account has such an address or password, so nothing needs to be computed to say so.
  if (isCut(call, 'email', longest_email) || isCut(call, 'password', longest_password))
    return showSignIn(parts, call, interaction, { email, problem: 'wrong_credentials', wait_seconds: null })
  return checkPassword(parts, call, interaction, { email, password, step: 'sign_in' })
}

export const signUp: OidcEndpoint = async (parts, call) => {
  const interaction = await continueInteraction(parts, call)
  if ('answer' in interaction) return interaction.answer
  const { db, passwords, now, newId } = parts
  const { issuer } = call
  const form = {
    email: normalised(field(call, 'email', longest_email).trim()),
    name: field(call, 'name', longest_name).trim(),
    password: field(call, 'password', longest_password + 1),
  }
  const problems = signUpProblems(call, form)
  if (isCut(call, 'email', longest_email)) problems.email = 'malformed'
  if (isCut(call, 'name', longest_name)) problems.name = 'too_long'
  if (!isOwnForm(parts, call, interaction.browser)) problems.form = 'expired_form'
  const is_open = issuer.settings.sign_up.mode === 'open' && issuer.settings.sign_in.password
  if (!is_open) return redirect(authorizeUrl(call, interaction.query))
  if (Object.values(problems).some((problem) => problem !== null)) return showSignUp(parts, call, interaction, { ...form, problems })

  // Whoever has an account already signs in with it, or is told what any wrong password is told. Either way one hash is computed.
  if (await findCredential(db, issuer.environment_id, form.email))
    return checkPassword(parts, call, interaction, { ...form, step: 'sign_up' })
  const too_many = await takeAttempt(db, issuer.environment_id, 'sign-up', sourceOf(call.ip, null), sign_up_limit, now())
  if (too_many !== null) return showSignUp(parts, call, interaction, { ...form, problems: { ...problems, form: 'too_many' } })

  const id = newId('usr')
  const password_hash = await passwords.hash(form.password)
  const created = await establishSession(parts, call, interaction, { user_id: id, email: form.email, step: 'sign_up', ...by_password }, [
    insertUser(issuer.environment_id, id, { email: form.email, name: form.name || null }, password_hash, call.now),
    signInEvent(parts, call, { type: 'user.created', user_id: id, data: { email: form.email, method: 'password' } }),
  ])
  return created ?? checkPassword(parts, call, interaction, { ...form, step: 'sign_up' })
}

const by_password = { method: 'password', amr: ['pwd'] }

/** New accounts from one address: far more than a household makes, far less than a script wants. */
const sign_up_limit = { max_attempts: 200, duration_seconds: 600 }

/** The request that the form carries, judged anew. */
export async function continueInteraction(parts: OidcParts, call: OidcCall): Promise<Interaction | { answer: Answer }> {
  const query = asQuery(call.form?.get('request') ?? '')
  if (query === null) return { answer: message(call, 'unusable_request') }
  if (query === '') return { answer: message(call, 'session_lost') }
  const begun = await beginAuthorization(parts, call, query)
  return 'answer' in begun ? begun : { query, ...begun, browser: await readBrowser(parts, call) }
}

/** What was typed, cut to a length that nothing we store exceeds: whatever looks at it afterwards takes no longer than that. */
const field = (call: OidcCall, name: string, longest: number) => (call.form?.get(name) ?? '').slice(0, longest)

const isCut = (call: OidcCall, name: string, longest: number) => (call.form?.get(name) ?? '').length > longest

/** In UTF-16 code units: room for 200 characters of any kind. */
const longest_name = 1_000

type SignUpProblems = Parameters<typeof showSignUp>[3]['problems']

function signUpProblems(
  { issuer }: OidcCall,
  { email, name, password }: { email: string; name: string; password: string },
): SignUpProblems {
  const password_problem = password === '' ? 'missing' : passwordProblem(password, email, issuer.settings.password)
  return {
    form: null,
    email: email === '' ? 'missing' : Email.safeParse(email).success ? null : 'malformed',
    name: [...name].length > 200 || /\p{Cc}/u.test(name) ? 'too_long' : null,
    password: password_problem,
  }
}

interface Attempt {
  email: string
  password: string
  step: 'sign_in' | 'sign_up'
}

/** The same answer, and the same work, for an account that exists and one that does not. */
async function checkPassword(
  parts: OidcParts,
  call: OidcCall,
  interaction: Interaction,
  { email, password, step }: Attempt,
): Promise<Answer> {
  const { db, passwords } = parts
  const { issuer } = call
  const account = accountOf(email)
  const source = sourceOf(call.ip, knownDevice(parts, call, interaction.browser, account))
  const wait_seconds = await takeAttempt(db, issuer.environment_id, account, source, issuer.settings.lockout, call.now)
  if (wait_seconds !== null) return showSignIn(parts, call, interaction, { email, problem: 'locked', wait_seconds })

  const credential = await findCredential(db, issuer.environment_id, email)
  const is_right = await passwords.verify(credential?.password_hash ?? null, password)
  if (credential && is_right && credential.blocked_at === null) {
    const signed_in = await establishSession(parts, call, interaction, { user_id: credential.id, email, step, ...by_password }, [
      forgetAttempts(issuer.environment_id, account, source),
    ])
    if (signed_in) return signed_in
  }
  parts.counters.count(issuer.environment_id, 'sign_in', 'password.failed')
  await db.batch([
    signInEvent(parts, call, {
      type: 'sign_in.failed',
      user_id: credential?.id ?? null,
      application_id: interaction.client.client_id,
      data: { method: 'password', ip: call.ip },
    }),
  ])
  return showSignIn(parts, call, interaction, { email, problem: 'wrong_credentials', wait_seconds: null })
}
