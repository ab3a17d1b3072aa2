/** A sign-in by email and password. */
import { sign_in_methods } from '@ostiary/contract/sign-in-methods.ts'
import { idIn, reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { sourceOf } from '../../../base/source.ts'
import { accountOf, giveBack, giveBackUnchecked, takeAttempt } from '../../../domain/users/attempts.ts'
import { findDecoy } from '../../../domain/users/decoys.ts'
import { HashingRefused, type Turn } from '../../../domain/users/password.ts'
import { personKeyOf } from '../../../domain/users/person-key.ts'
import { findCredential, findUserHash, replaceHash } from '../../../domain/users/store.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import { busyAnswer, nullIfBusy, too_busy, turnOf } from '../../hashing.ts'
import { knownDevice } from '../../known-browser.ts'
import type { Interaction } from '../shared/begin.ts'
import { recordFailedSignIn } from '../shared/failed-sign-in.ts'
import { finishSignIn } from '../shared/finish-sign-in.ts'
import { showSignIn } from '../shared/screens.ts'

/** How the session begins, in the words of events and statistics and in those of RFC 8176. */
export const by_password = { method: 'password', amr: sign_in_methods.password.amr }

interface Credentials {
  email: string
  password: string
}

/** Stands for the account of an unknown email, so that both cases do the same work. */
const unknown_account = { id: '', password_hash: null, blocked_at: null }

/** Signs in, or shows the sign-in page again. The answer and the work are the same for accounts that exist and those that do not. */
export async function checkPassword(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { email, password }: Credentials,
): Promise<Answer> {
  const { db, passwords } = services
  const { issuer, now } = call
  const { environment_id } = issuer
  const [credential, decoy] = await Promise.all([findCredential(db, environment_id, email), findDecoy(services, environment_id, email)])
  const { id: user_id, password_hash, blocked_at } = credential ?? unknown_account
  call.subject.user_id = credential?.id ?? null
  call.subject.person = personKeyOf(services, environment_id, email)
  const device = knownDevice(services, call, interaction.browser, { user_id, email, password_hash })
  const attempt = { environment_id, account: accountOf(email), source: sourceOf(call.ip), device, now }
  const refused = await takeAttempt(db, attempt, issuer.settings.lockout)
  if (refused) {
    services.counters.count(environment_id, 'sign_in', 'password.limited')
    return showSignIn(services, call, interaction, {
      email,
      problem: refused.limit === 'account' ? 'locked' : 'too_many',
      refusal: locked_out[refused.limit],
      wait_seconds: refused.wait_seconds,
    })
  }

  const turn = turnOf(call, device === null ? null : user_id)
  const whereBusy = async (error: unknown) => {
    if (error instanceof HashingRefused) await db.of(environment_id).batch(giveBackUnchecked(attempt))
    return nullIfBusy(error)
  }
  const showBusy = async () =>
    busyAnswer(await showSignIn(services, call, interaction, { email, problem: 'busy', refusal: too_busy, wait_seconds: null }))
  const checked = await passwords.verify(password_hash, password, turn, decoy).then((form) => ({ form }), whereBusy)
  if (checked === null) return showBusy()
  const { form } = checked
  const is_right = form !== null
  if (credential && is_right && blocked_at === null) {
    const matched = { id: credential.id, password_hash, password }
    const renewed = form === 'normalised' ? matched : await rehash(services, call, turn, matched).catch(whereBusy)
    if (renewed === null) return showBusy()
    const signed_in = { user_id, email, password_hash: renewed.password_hash, step: 'sign_in' as const, ...by_password }
    const answer = await finishSignIn(services, call, interaction, { ...signed_in, first: giveBack(attempt) })
    if (answer) return answer
  }
  const refusal = whyRefused(credential, is_right)
  await recordFailedSignIn(services, call, interaction, { method: 'password', user_id: credential?.id ?? null, refusal })
  return showSignIn(services, call, interaction, { email, problem: 'wrong_credentials', refusal, wait_seconds: null })
}

interface Matched {
  id: string
  password_hash: string | null
  password: string
}

/**
 * A password from before normalisation, or with a hash of another system, gets a hash of ours, of its normalised form. Returns the hash that
 * the account has now. Where another sign-in was first, or no hash can be computed right now, this sign-in continues with the hash that is
 * there.
 *
 * @throws HashingRefused where the hash of another sign-in cannot be checked right now
 */
async function rehash(
  { db, passwords }: OidcServices,
  call: OidcCall,
  turn: Turn,
  { id, password_hash, password }: Matched,
): Promise<Pick<Matched, 'password_hash'>> {
  const { environment_id } = call.issuer
  const next = await passwords.hash(password, turn).catch((error) => {
    if (error instanceof HashingRefused) return null
    throw error
  })
  if (password_hash === null) return { password_hash }
  const replaced = next !== null && (await db.of(environment_id).batch([replaceHash(environment_id, id, { old: password_hash, next })]))
  if (replaced) return { password_hash: next }
  const other = await findUserHash(db, environment_id, id)
  const is_other = other !== null && other !== password_hash && (await passwords.verify(other, password, turn)) === 'normalised'
  return { password_hash: is_other ? other : password_hash }
}

/** For the tenant only: the page is the same in all these cases. */
function whyRefused(credential: Credential | null, is_right: boolean): Refusal {
  if (!credential) return refusal('unknown_account', reason`No user of the environment has the email.`)
  const user = idIn(credential.id)
  if (credential.blocked_at !== null) return refusal('user_blocked', reason`The user ${user} is blocked.`)
  if (credential.password_hash === null) return refusal('wrong_password', reason`The user ${user} has no password.`)
  if (is_right) return refusal('wrong_password', reason`The user ${user} was blocked or got another password during the sign-in.`)
  return refusal('wrong_password', reason`The password for the user ${user} is wrong.`)
}

type Credential = NonNullable<Awaited<ReturnType<typeof findCredential>>>

const locked_out = {
  account: refusal('locked_out', reason`Too many attempts failed for this email. The settings of lockout say how many are allowed.`),
  source: refusal('locked_out', reason`Too many attempts failed from the same address of the network.`),
}
