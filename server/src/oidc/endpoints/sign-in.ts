/** The forms of sign-in and sign-up. A right password makes a session; then the request goes on where it began. */

import { Email } from '@ostiary/contract/values.ts'
import type { Statement } from '../../db/db.ts'
import { takeAccount } from '../../members/invitations.ts'
import { longest_email, normalised } from '../../normalisation.ts'
import { accountOf, giveBack, sourceOf, takeAttempt, takeSignUp } from '../../users/attempts.ts'
import { HashingRefused } from '../../users/password.ts'
import { longest_password } from '../../users/password-policy.ts'
import { judgePassword } from '../../users/password-rules.ts'
import { findCredential, insertUser } from '../../users/store.ts'
import { isOwnForm, knownDevice, readBrowser } from '../browser.ts'
import { type Answer, asQuery, type OidcCall, type OidcEndpoint, type OidcServices, redirect } from '../call.ts'
import { establishSession, signInEvent } from '../establish-session.ts'
import { message } from '../hosted-page.ts'
import { beginVisit, isVisit } from '../visit.ts'
import { beginAuthorization, continueUrl, type Interaction, showSignIn, showSignUp } from './authorize.ts'

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
  const { db, passwords, newId } = parts
  const { issuer } = call
  const form = {
    email: normalised(field(call, 'email', longest_email).trim()),
    name: field(call, 'name', longest_name).trim(),
    password: field(call, 'password', longest_password + 1),
  }
  const problems = await signUpProblems(parts, call, form)
  if (isCut(call, 'email', longest_email)) problems.email = 'malformed'
  if (isCut(call, 'name', longest_name)) problems.name = 'too_long'
  if (!isOwnForm(parts, call, interaction.browser)) problems.form = 'expired_form'
  const { invitation } = interaction
  const is_open = invitation ? invitation.takes_accounts : issuer.settings.sign_up.mode === 'open'
  if (!is_open || !issuer.settings.sign_in.password) return redirect(continueUrl(call, interaction.query))
  if (Object.values(problems).some((problem) => problem !== null))
    return showSignUp(parts, call, interaction, { ...form, problems, wait_seconds: null })

  // An address that has an account is a sign-in with that password. Either way one hash is computed.
  const is_taken = (await findCredential(db, issuer.environment_id, form.email)) !== null
  if (is_taken && !invitation) return checkPassword(parts, call, interaction, { ...form, step: 'sign_up' })
  const { environment_id } = issuer
  const wait_seconds = await takeSignUp(db, { environment_id, source: sourceOf(call.ip), now: call.now })
  if (wait_seconds !== null)
    return showSignUp(parts, call, interaction, { ...form, wait_seconds, problems: { ...problems, form: 'too_many' } })

  // An invited person may enter another address, so the page says that this one is taken.
  const taken = () => showSignUp(parts, call, interaction, { ...form, wait_seconds: null, problems: { ...problems, email: 'taken' } })
  if (is_taken) return taken()

  const id = newId('usr')
  const password_hash = await passwords.hash(form.password, { environment_id, signal: call.signal })
  const signed_in = { user_id: id, email: form.email, password_hash, step: 'sign_up' as const, ...by_password }
  const created = await establishSession(parts, call, interaction, signed_in, [
    ...forAccount(parts, call, interaction),
    insertUser(environment_id, id, { email: form.email, name: form.name || null }, password_hash, call.now),
    signInEvent(parts, call, {
      type: 'user.created',
      user_id: id,
      data: { email: form.email, method: invitation ? 'invitation' : 'password' },
    }),
  ])
  if (created) return created
  if (!invitation) return checkPassword(parts, call, interaction, { ...form, step: 'sign_up' })
  // Meanwhile the address was taken, or the invitation ended: its page says so.
  return (await findCredential(db, issuer.environment_id, form.email)) ? taken() : redirect(continueUrl(call, interaction.query))
}

const by_password = { method: 'password', amr: ['pwd'] }

/** The interaction that the form carries, judged again. */
export async function continueInteraction(parts: OidcServices, call: OidcCall): Promise<Interaction | { answer: Answer }> {
  const query = asQuery(call.form?.get('request') ?? '')
  if (query === null) return { answer: message(call, 'unusable_request') }
  if (query === '') return { answer: message(call, 'session_lost') }
  const begun = await beginInteraction(parts, call, query)
  return 'answer' in begun ? begun : { query, ...begun, browser: await readBrowser(parts, call) }
}

export const beginInteraction = (parts: OidcServices, call: OidcCall, query: string) =>
  isVisit(query) ? beginVisit(parts, call, query) : beginAuthorization(parts, call, query)

/** For the batch that creates an account: an invitation admits a few although sign-up is closed. */
export function forAccount(parts: OidcServices, call: OidcCall, { invitation }: Interaction): Statement[] {
  return invitation ? [takeAccount(parts.root_environment_id, invitation, invitation.token_hash, call.now)] : []
}

/** What was typed, cut to a length that nothing we store exceeds: whatever looks at it afterwards takes no longer than that. */
const field = (call: OidcCall, name: string, longest: number) => (call.form?.get(name) ?? '').slice(0, longest)

const isCut = (call: OidcCall, name: string, longest: number) => (call.form?.get(name) ?? '').length > longest

/** In UTF-16 code units: room for 200 characters of any kind. */
const longest_name = 1_000

type SignUpProblems = Parameters<typeof showSignUp>[3]['problems']

interface SignUpForm {
  email: string
  name: string
  password: string
}

async function signUpProblems({ db }: OidcServices, { issuer }: OidcCall, { email, name, password }: SignUpForm): Promise<SignUpProblems> {
  const password_problem = password === '' ? 'missing' : await judgePassword(db, issuer.environment_id, password, { email, name })
  return {
    form: null,
    email: email === '' ? 'missing' : Email.safeParse(email).success ? null : 'malformed',
    name: [...name].length > 200 || /\p{Cc}/u.test(name) ? 'too_long' : null,
    password: password_problem,
  }
}

interface Guess {
  email: string
  password: string
  step: 'sign_in' | 'sign_up'
}

/** Stands for the account of an unknown address, so that the same is computed for both. */
const nobody = { id: '', password_hash: null, blocked_at: null }

/** The same answer, and the same work, for an account that exists and one that does not. */
async function checkPassword(
  parts: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { email, password, step }: Guess,
): Promise<Answer> {
  const { db, passwords } = parts
  const { issuer, now, signal } = call
  const { environment_id } = issuer
  const credential = await findCredential(db, environment_id, email)
  const { id: user_id, password_hash, blocked_at } = credential ?? nobody
  const device = knownDevice(parts, call, interaction.browser, { user_id, email, password_hash })
  const attempt = { environment_id, account: accountOf(email), source: sourceOf(call.ip), device, now }
  const refused = await takeAttempt(db, attempt, issuer.settings.lockout)
  if (refused)
    return showSignIn(parts, call, interaction, {
      email,
      problem: refused.limit === 'account' ? 'locked' : 'too_many',
      wait_seconds: refused.wait_seconds,
    })

  const is_right = await passwords.verify(password_hash, password, { environment_id, signal }).catch(async (error) => {
    if (error instanceof HashingRefused) await db.batch(giveBack(attempt)) // no password was checked
    throw error
  })
  if (is_right && blocked_at === null) {
    const signed_in = { user_id, email, password_hash, step, ...by_password }
    const answer = await establishSession(parts, call, interaction, signed_in, giveBack(attempt))
    if (answer) return answer
  }
  parts.counters.count(environment_id, 'sign_in', 'password.failed')
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
