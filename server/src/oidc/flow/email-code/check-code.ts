/** Emailed codes as a way in, and as the proof of a sign-up: what a right one does (decision 0041). */
import { idIn, reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import { findOwner, isProven, type Owner } from '../../../domain/accounts/address-proof.ts'
import { giveBackToSource, takeFromSource } from '../../../domain/users/attempts.ts'
import { payloadOf, tryCode } from '../../../domain/users/code-mail.ts'
import { type CodeRow, spendCode } from '../../../domain/users/mailed-codes.ts'
import { personKeyOf } from '../../../domain/users/person-key.ts'
import { aboutUser, findCredential } from '../../../domain/users/store.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import { knownDevice } from '../../known-browser.ts'
import type { Interaction } from '../shared/begin.ts'
import type { SignedIn } from '../shared/establish-session.ts'
import { recordFailedSignIn } from '../shared/failed-sign-in.ts'
import { finishSignIn } from '../shared/finish-sign-in.ts'
import { joinAfterSignIn } from '../shared/join-organization.ts'
import { mayCreateAccount, offersCodes, takeNewAccount, too_many_accounts } from '../shared/new-account.ts'
import { isOffer } from '../shared/visit.ts'
import { accountOfProof, by_code, prove, type RightCode } from './account-by-code.ts'
import { showCode } from './email-code-screen.ts'
import { findPendingCode } from './send-code.ts'

const nobody = { id: '', email: '', password_hash: null, blocked_at: null }

/** Signs in or signs up by a code, or shows the page again. */
export async function checkCode(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { email, code }: { email: string; code: string },
): Promise<Answer> {
  const { environment_id } = call.issuer
  call.subject.person = personKeyOf(services, environment_id, email)
  const credential = await findCredential(services.db, environment_id, email)
  const { id: user_id, password_hash } = credential ?? nobody
  // A known browser has a count of its own, which no stranger behind the same address can use up.
  const device = knownDevice(services, call, interaction.browser, { user_id, email, password_hash })
  const attempt = { environment_id, source: device === null ? sourceOf(call.ip) : `device:${device}`, now: call.now }
  const wait_seconds = await takeFromSource(services.db, 'email_code', attempt)
  if (wait_seconds !== null) {
    services.counters.count(environment_id, 'sign_in', 'email_code.limited')
    return showCode(services, call, interaction, { email, problem: 'too_many', wait_seconds, refusal: too_many })
  }

  const row = await findPendingCode(services, call, interaction, email)
  const is_right = await tryCode(services, environment_id, { row, typed: code }, call.now)
  call.subject.user_id = row?.user_id ?? null
  if (row && is_right) {
    const first = [giveBackToSource('email_code', attempt), spendCode(environment_id, row.id, { tried: true }, call.now)]
    const payload = payloadOf(services, environment_id, row)
    const finish = row.kind === 'sign_up' ? signUpByCode : signInByCode
    const answer = await finish(services, call, interaction, { ...payload, first })
    if (answer) return answer
  }
  const refusal = whyRefused(row, is_right)
  await recordFailedSignIn(services, call, interaction, { method: 'email_code', user_id: row?.user_id ?? null, refusal })
  return showCode(services, call, interaction, { email, problem: 'wrong', refusal })
}

const too_many = refusal('locked_out', reason`Too many emailed codes were wrong from the same address of the network.`)

/** For the tenant only: the page is the same in all these cases. */
function whyRefused(row: CodeRow | null, is_right: boolean): Refusal {
  if (!row) return refusal('wrong_code', reason`This browser has no pending code for the email.`)
  if (is_right) return refusal('wrong_code', reason`The code is right, but the account is blocked, taken or changed, or sign-up is closed.`)
  if (row.user_id === null) return refusal('wrong_code', reason`The code is wrong, has expired or was tried too often.`)
  return refusal('wrong_code', reason`The code for the user ${idIn(row.user_id)} is wrong, has expired or was tried too often.`)
}

type Finish = (services: OidcServices, call: OidcCall, interaction: Interaction, right: RightCode) => Promise<Answer | null>

const signInByCode: Finish = async (services, call, interaction, right) => {
  const owner = await findOwner(services.db, call.issuer.environment_id, right.email)
  if (!offersCodes(call) && !isProofForInvitation(interaction, owner)) return null
  if (!owner) return signUpWithoutForm(services, call, interaction, right)
  if (owner.blocked_at !== null) return null
  const { statements, ...account } = prove(services, call, interaction, { owner })
  const first = [aboutUser(call.issuer.environment_id, owner.id), ...right.first, ...statements]
  const signed_in: SignedIn = { ...by_code, ...account, step: 'sign_in', first }
  return finishSignIn(services, call, interaction, signed_in)
}

/** Where codes are not a way in, one proves the address of the signed-in account that accepts an invitation. */
const isProofForInvitation = ({ invitation, browser }: Interaction, owner: Owner | null) =>
  invitation !== null && owner !== null && !isProven(owner) && browser.sessions.some(({ user_id }) => user_id === owner.id)

/** A sign-up form has counted its account already. */
const signUpWithoutForm: Finish = async (services, call, interaction, right) => {
  if (!mayCreateAccount(call, interaction, right.email)) return null
  const wait_seconds = await takeNewAccount(services, call)
  if (wait_seconds === null) return signUpByCode(services, call, interaction, { ...right, asks_name: true })
  const { email } = right
  return showCode(services, call, interaction, { email, problem: 'too_many', wait_seconds, refusal: too_many_accounts })
}

/**
 * Of several who prove the address at once, one gets the account. An account that had the address without a proof loses it, or
 * is handed over with the password that the person typed.
 */
const signUpByCode: Finish = async (services, call, interaction, right) => {
  const made = await accountOfProof(services, call, interaction, right)
  const { asks_name = false } = right
  const answer = made && (await finishSignIn(services, call, interaction, { ...made.signed_up, asks_name, first: made.statements }))
  // The form that began this sign-up stood on the page of the invitation, so sending it accepted.
  if (!made || !answer || asks_name || !isOffer(interaction)) return answer
  return joinAfterSignIn(services, call, interaction, { user_id: made.signed_up.user_id, answer })
}
