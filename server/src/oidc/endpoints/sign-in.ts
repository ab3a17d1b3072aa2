/** The forms of sign-in and sign-up. A right password makes a session; then the request goes on where it began. */

import { Email } from '@ostiary/contract/values.ts'
import type { Statement } from '../../db/db.ts'
import { takeAccount } from '../../members/invitations.ts'
import { accountOf, forgetAttempts, sourceOf, takeAttempt } from '../../users/attempts.ts'
import { passwordProblem } from '../../users/password-policy.ts'
import { findCredential, insertUser, userExists } from '../../users/store.ts'
import { isOwnForm, knownDevice, readBrowser } from '../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcParts, redirect } from '../call.ts'
import { establishSession, signInEvent } from '../establish-session.ts'
import { message } from '../hosted-page.ts'
import { beginVisit, isVisit } from '../visit.ts'
import { beginAuthorization, continueUrl, type Interaction, showSignIn, showSignUp } from './authorize.ts'

export const signIn: OidcEndpoint = async (parts, call) => {
  const interaction = await continueInteraction(parts, call)
  if ('answer' in interaction) return interaction.answer
  const email = field(call, 'email').trim()
  const password = field(call, 'password')
  if (!isOwnForm(parts, call, interaction.browser))
    return showSignIn(parts, call, interaction, { email, problem: 'expired_form', wait_seconds: null })
  if (!call.issuer.settings.sign_in.password) return showSignIn(parts, call, interaction, { email, problem: null, wait_seconds: null })
  return checkPassword(parts, call, interaction, { email, password, step: 'sign_in' })
}

export const signUp: OidcEndpoint = async (parts, call) => {
  const interaction = await continueInteraction(parts, call)
  if ('answer' in interaction) return interaction.answer
  const { db, passwords, now, newId } = parts
  const { issuer } = call
  const form = { email: field(call, 'email').trim().normalize('NFKC'), name: field(call, 'name').trim(), password: field(call, 'password') }
  const problems = signUpProblems(call, form)
  if (!isOwnForm(parts, call, interaction.browser)) problems.form = 'expired_form'
  const { invitation } = interaction
  const is_open = invitation ? invitation.takes_accounts : issuer.settings.sign_up.mode === 'open'
  if (!is_open || !issuer.settings.sign_in.password) return redirect(continueUrl(call, interaction.query))
  if (Object.values(problems).some((problem) => problem !== null)) return showSignUp(parts, call, interaction, { ...form, problems })

  // A person with an account signs in with it, or gets the answer to any wrong password. Either way one hash is computed.
  const is_taken = (await findCredential(db, issuer.environment_id, form.email)) !== null
  if (is_taken && !invitation) return checkPassword(parts, call, interaction, { ...form, step: 'sign_up' })
  const too_many = await takeAttempt(db, issuer.environment_id, 'sign-up', sourceOf(call.ip, null), sign_up_limit, now())
  if (too_many !== null) return showSignUp(parts, call, interaction, { ...form, problems: { ...problems, form: 'too_many' } })

  // An invited person may enter another address, so the page says that this one is taken.
  const taken = () => showSignUp(parts, call, interaction, { ...form, problems: { ...problems, email: 'taken' } })
  if (is_taken) return taken()

  const id = newId('usr')
  const password_hash = await passwords.hash(form.password)
  const created = await establishSession(parts, call, interaction, { user_id: id, email: form.email, step: 'sign_up', ...by_password }, [
    ...forAccount(parts, call, interaction),
    insertUser(issuer.environment_id, id, { email: form.email, name: form.name || null }, password_hash, call.now),
    signInEvent(
      parts,
      call,
      { type: 'user.created', user_id: id, data: { email: form.email, method: invitation ? 'invitation' : 'password' } },
      userExists(issuer.environment_id, id),
    ),
  ])
  if (created) return created
  if (!invitation) return checkPassword(parts, call, interaction, { ...form, step: 'sign_up' })
  // Meanwhile the address was taken, or the invitation ended: its page says so.
  return (await findCredential(db, issuer.environment_id, form.email)) ? taken() : redirect(continueUrl(call, interaction.query))
}

const by_password = { method: 'password', amr: ['pwd'] }

/** New accounts from one address: far more than a household makes, far less than a script wants. */
const sign_up_limit = { max_attempts: 200, duration_seconds: 600 }

/** The interaction that the form carries, judged again. */
export async function continueInteraction(parts: OidcParts, call: OidcCall): Promise<Interaction | { answer: Answer }> {
  const query = asQuery(call.form?.get('request') ?? '')
  if (query === null) return { answer: message(call, 'unusable_request') }
  if (query === '') return { answer: message(call, 'session_lost') }
  const begun = await beginInteraction(parts, call, query)
  return 'answer' in begun ? begun : { query, ...begun, browser: await readBrowser(parts, call) }
}

export const beginInteraction = (parts: OidcParts, call: OidcCall, query: string) =>
  isVisit(query) ? beginVisit(parts, call, query) : beginAuthorization(parts, call, query)

/** For the batch that creates an account: an invitation admits a few although sign-up is closed. */
export function forAccount(parts: OidcParts, call: OidcCall, { invitation }: Interaction): Statement[] {
  return invitation ? [takeAccount(parts.root_environment_id, invitation, invitation.token_hash, call.now)] : []
}

const field = (call: OidcCall, name: string) => call.form?.get(name) ?? ''

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
      application_id: interaction.client?.client_id ?? null,
      data: { method: 'password', ip: call.ip },
    }),
  ])
  return showSignIn(parts, call, interaction, { email, problem: 'wrong_credentials', wait_seconds: null })
}
