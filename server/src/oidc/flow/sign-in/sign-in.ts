/** The forms of sign-in and sign-up. Success makes a session and continues the request. */
import { accountAddress } from '../../../base/email.ts'
import { sendsMail } from '../../../base/mail-settings.ts'
import { longest_email } from '../../../base/normalisation.ts'
import { reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import { createAccount } from '../../../domain/accounts/create-account.ts'
import { giveBackToSource } from '../../../domain/users/attempts.ts'
import { longest_password } from '../../../domain/users/password-policy.ts'
import { judgePassword } from '../../../domain/users/password-rules.ts'
import { personKeyOf } from '../../../domain/users/person-key.ts'
import { findCredential } from '../../../domain/users/store.ts'
import type { SignUpView } from '../../../pages/sign-up.ts'
import { asksForSignUp, nameProblem } from '../../../protocol/sign-up.ts'
import { type Answer, fieldOf, type OidcCall, type OidcEndpoint, type OidcServices, redirect, refused, typedOf } from '../../call.ts'
import { formProblem, formRefusals, isFormRefused } from '../../form-token.ts'
import { busyAnswer, hashUnlessBusy, too_busy } from '../../hashing.ts'
import { sendCode } from '../email-code/send-code.ts'
import { continueInteraction } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'
import { finishSignIn } from '../shared/finish-sign-in.ts'
import {
  admitsAddress,
  mayCreateAccount,
  offersCodes,
  takeNewAccount,
  too_many_accounts,
  useInvitation,
  waitsForApproval,
} from '../shared/new-account.ts'
import { no_problems, showSignIn, showSignUp } from '../shared/screens.ts'
import { by_password, checkPassword } from './check-password.ts'

export const signIn: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const email = typedOf(call, 'email', longest_email)
  const password = fieldOf(call, 'password', longest_password)
  const problem = formProblem(services, call, interaction.browser)
  if (problem) return showSignIn(services, call, interaction, { email, problem, refusal: formRefusals[problem], wait_seconds: null })
  if (call.form?.get('method') === 'email_code' && offersCodes(call))
    return sendCode(services, call, interaction, { kind: 'sign_in', email })
  if (!call.issuer.settings.sign_in.password) return showSignIn(services, call, interaction, { email, problem: null, wait_seconds: null })
  const empty = email === '' ? 'missing_email' : password === '' ? 'missing_password' : null
  if (empty) return showSignIn(services, call, interaction, { email, problem: empty, refusal: field_missing, wait_seconds: null })
  // No account has an email or password of this length, so no hash is computed.
  if (email.length > longest_email || password.length > longest_password)
    return showSignIn(services, call, interaction, { email, problem: 'wrong_credentials', refusal: too_long, wait_seconds: null })
  return checkPassword(services, call, interaction, { email, password })
}

export const signUp: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const { db } = services
  const { issuer, now } = call
  const { environment_id } = issuer
  const typed = typedOf(call, 'email', longest_email)
  const address = accountAddress(typed)
  if (address !== null) call.subject.person = personKeyOf(services, environment_id, address)
  const form = {
    email: address ?? typed,
    name: typedOf(call, 'name', longest_name),
    password: fieldOf(call, 'password', longest_password),
  }
  const problems = await signUpProblems(services, call, form)
  if (address === null) problems.email = typed === '' ? 'missing' : 'malformed'
  // With mail the page is that of any other address, and the mail says it.
  else if (!sendsMail(issuer.settings.email) && !admitsAddress(call, interaction, address)) problems.email = 'outside'
  problems.form = formProblem(services, call, interaction.browser)
  if (!mayCreateAccount(call, interaction, null) || !asksForSignUp(call.issuer.settings))
    return refused(redirect(continueUrl(call, interaction.query)), sign_up_closed)
  const showAgain = (change: Partial<SignUpView['problems']>, wait_seconds: number | null = null) =>
    showSignUp(services, call, interaction, {
      ...form,
      problems: { ...problems, ...change },
      refusal: refusalOf({ ...problems, ...change }),
      wait_seconds,
    })
  if (Object.values(problems).some((problem) => problem !== null)) return showAgain({})

  const wait_seconds = await takeNewAccount(services, call)
  if (wait_seconds !== null) return showAgain({ form: 'too_many' }, wait_seconds)
  const hash = () => hashUnlessBusy(services, call, form.password, { marked_account: null })
  async function showBusy(): Promise<Answer> {
    await db.of(environment_id).run(giveBackToSource('new_account', { environment_id, source: sourceOf(call.ip), now }))
    return busyAnswer(showAgain({ form: 'busy' }))
  }
  // With mail, neither an account nor a session begins before the code, and nothing here depends on whether the email is taken.
  if (sendsMail(issuer.settings.email)) {
    const password_hash = issuer.settings.sign_in.password ? await hash() : null
    if (password_hash === null && issuer.settings.sign_in.password) return showBusy()
    return sendCode(services, call, interaction, { kind: 'sign_up', email: form.email, name: form.name || null, password_hash })
  }

  // The page says that an email is taken, and checks no password for it (decision 0035). The limit bounds how many can be tried.
  const isTaken = async () => (await findCredential(db, environment_id, form.email)) !== null
  if (await isTaken()) return showAgain({ email: 'taken' })

  const password_hash = await hash()
  if (password_hash === null) return showBusy()
  const { email } = form
  const account = {
    ...{ environment_id, request_id: call.request_id, now },
    user: { email, name: form.name || null },
    password_hash,
    method: interaction.invitation ? 'invitation' : 'password',
    waits: waitsForApproval(call, interaction, email),
  }
  const { user_id, waits, statements } = createAccount(services, account, () => useInvitation(services, call, interaction))
  const signed_in = { user_id, email, password_hash, waits, step: 'sign_up' as const, ...by_password, first: statements }
  const created = await finishSignIn(services, call, interaction, signed_in)
  // Otherwise the email was taken, or the invitation ended, after both were read.
  if (created) return created
  return (await isTaken()) ? showAgain({ email: 'taken' }) : refused(redirect(continueUrl(call, interaction.query)), account_not_created)
}

const field_missing = refusal('validation_failed', reason`The form has no email or no password.`)
const too_long = refusal('unknown_account', reason`The email or the password is longer than any that an account can have.`)
const sign_up_closed = refusal('unknown_account', reason`The environment, or the invitation, creates no account with a password.`)
const account_not_created = refusal('not_found', reason`The invitation ended during the sign-up.`)

/** Names the fields with problems, and never their values. */
function refusalOf({ form, email, name, password }: SignUpView['problems']): Refusal {
  if (isFormRefused(form)) return formRefusals[form]
  if (form === 'too_many') return too_many_accounts
  if (form === 'busy') return too_busy
  if (email === 'taken') return refusal('identifier_taken', reason`Another user of the environment has the email.`)
  const problems = [
    ...(email === null ? [] : [reason` email ${email}`]),
    ...(name === null ? [] : [reason` name ${name}`]),
    ...(password === null ? [] : [reason` password ${password}`]),
  ]
  return refusal(
    'validation_failed',
    problems.reduce((all, problem) => reason`${all}${problem}`, reason`The form of the sign-up has problems:`),
  )
}

/** In UTF-16 code units. The page shows again what was typed, even where it is longer than a stored name. */
const longest_name = 1_000

interface SignUpForm {
  email: string
  name: string
  password: string
}

async function signUpProblems(
  { db }: OidcServices,
  { issuer }: OidcCall,
  { email, name, password }: SignUpForm,
): Promise<SignUpView['problems']> {
  return {
    ...no_problems,
    name: nameProblem(name, issuer.settings.sign_up.name),
    password: !issuer.settings.sign_in.password
      ? null
      : password === ''
        ? 'missing'
        : await judgePassword(db, issuer.environment_id, password, { email, name }),
  }
}
