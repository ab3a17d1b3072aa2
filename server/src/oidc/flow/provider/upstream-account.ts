/**
 * The account of a person who signed in at a provider. A sign-in is linked to an existing account only by an email that the provider
 * verified, and only where the provider is allowed to link. For an account that never proved the email this is proof from outside (see
 * `domain/accounts/address-proof.ts`). Otherwise the person is asked to sign in to the account here.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { sign_in_methods } from '@ostiary/contract/sign-in-methods.ts'
import { normalised } from '../../../base/normalisation.ts'
import { reason } from '../../../base/reason.ts'
import { type Refusal, refusal } from '../../../base/refusal.ts'
import { isUserName } from '../../../base/user-name.ts'
import type { Db } from '../../../db/db.ts'
import { findOwner, type Owner, proveFromOutside } from '../../../domain/accounts/address-proof.ts'
import { createAccount } from '../../../domain/accounts/create-account.ts'
import { issuerOfProvider } from '../../../domain/providers/kinds.ts'
import type { UpstreamProfile } from '../../../domain/providers/profile.ts'
import {
  findIdentity,
  holdProvider,
  insertIdentity,
  noteIdentityUse,
  type Upstream,
  type UpstreamSubject,
} from '../../../domain/providers/store.ts'
import { personKeyOf } from '../../../domain/users/person-key.ts'
import { aboutUser, isNameTaken, takeName } from '../../../domain/users/store.ts'
import type { ProviderProblemView } from '../../../pages/provider-problem.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import type { Interaction } from '../shared/begin.ts'
import { countFailedSignIn, recordFailedSignIn } from '../shared/failed-sign-in.ts'
import { finishSignIn } from '../shared/finish-sign-in.ts'
import {
  admitsAddress,
  mayCreateAccountOf,
  takeNewAccount,
  too_many_accounts,
  useInvitation,
  waitsForApproval,
} from '../shared/new-account.ts'
import { showProviderProblem, showSignIn } from '../shared/screens.ts'

const refusals = {
  blocked: refusal('user_blocked', reason`The user of this identity is blocked, or was changed during the sign-in.`),
  no_email: refusal('unknown_account', reason`No user has this identity, and the provider sent no usable email.`),
  account_exists: refusal(
    'identifier_taken',
    reason`Another user of the environment has the email, and the identity may not be linked to it: see link_by_verified_email of the provider.`,
  ),
  domain_refused: refusal(
    'validation_failed',
    reason`The domain of the email may not sign up: see sign_up.allowed_domains and blocked_domains.`,
  ),
  sign_up_closed: refusal('unknown_account', reason`No user has this identity, and sign-up is closed.`),
  not_connected: refusal('unknown_account', reason`No user has this identity, and the provider has not verified the email.`),
} satisfies Partial<Record<ProviderProblemView['problem'], Refusal>>

/** A person who comes from a provider. */
interface Arrival {
  readonly services: OidcServices
  readonly call: OidcCall
  readonly interaction: Interaction
  readonly provider: Upstream
  readonly profile: UpstreamProfile
  readonly identity: UpstreamSubject
}

/** Signs in to the account of this profile, links or creates it, or shows why not. */
export async function signInAs(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { provider, profile }: { provider: Upstream; profile: UpstreamProfile },
): Promise<Answer> {
  const { db } = services
  const { environment_id } = call.issuer
  const identity = { provider_id: provider.id, issuer: issuerOfProvider(provider), subject: profile.subject }
  const arrival = { services, call, interaction, provider, profile, identity }
  if (profile.email !== null) call.subject.person = personKeyOf(services, environment_id, profile.email)
  const known = await findIdentity(db, environment_id, identity)
  if (known) {
    const { id: identity_id, ...account } = known
    const first = [noteIdentityUse(environment_id, identity, call.now)]
    const signed_in = await finishSignIn(services, call, interaction, { ...signedIn(arrival), ...account, identity_id, first })
    return signed_in ?? refuse(arrival, 'blocked', known.user_id)
  }
  if (profile.email === null) return refuse(arrival, 'no_email', null)
  const email = normalised(profile.email)
  const existing = await findOwner(db, environment_id, email)
  return existing ? linkTo(arrival, existing) : signUp(arrival, email)
}

function signedIn({ provider, profile }: Arrival) {
  const id_token = provider.sign_out === 'rp_initiated' ? profile.id_token : null
  return {
    step: 'sign_in' as const,
    method: provider.type,
    provider_id: provider.id,
    amr: sign_in_methods.provider.amr,
    upstream: { provider_id: provider.id, sid: profile.sid, id_token },
  }
}

/** `user_id`: the account that the sign-in is refused to. Without one there is nobody whose event it could be. */
async function refuse(
  { services, call, interaction, provider, profile }: Arrival,
  problem: keyof typeof refusals,
  user_id: string | null,
): Promise<Answer> {
  const refusal = refusals[problem]
  call.subject.user_id = user_id
  // The answer to an unverified address takes the same time whether an account has it or not.
  if (user_id === null && problem !== 'not_connected') countFailedSignIn(services, call, provider.type)
  else await recordFailedSignIn(services, call, interaction, { method: provider.type, user_id, refusal })
  return showProviderProblem(call, interaction, provider, { problem, refusal, email: profile.email })
}

/** Links the identity to the account that has its address, and signs in. */
async function linkTo(arrival: Arrival, existing: Owner): Promise<Answer> {
  const { services, call, interaction, provider, profile, identity } = arrival
  const { environment_id } = call.issuer
  // Anyone can enter an address at a provider that does not verify it, so the page does not tell whether an account has it.
  if (!profile.email_verified) return refuse(arrival, 'not_connected', existing.id)
  if (!provider.link_by_verified_email) return refuse(arrival, 'account_exists', existing.id)
  // The provider's verified address is proof from outside, so an unproven account is handed over or replaced.
  const waits = waitsForApproval(call, interaction, existing.email)
  const proof = { environment_id, waits, request_id: call.request_id, now: call.now }
  const { statements, ...account } = proveFromOutside(services, proof, existing)
  // The identity is linked with the session. A person who does not pass the second factor adds no way to sign in.
  const first = [aboutUser(environment_id, existing.id), ...statements]
  const linking = { identity_id: services.newId('mth'), links: identity, first }
  return (
    (await finishSignIn(services, call, interaction, { ...signedIn(arrival), ...account, ...linking })) ??
    refuse(arrival, 'blocked', existing.id)
  )
}

/** Creates an account with the identity, and signs in. */
async function signUp(arrival: Arrival, email: string): Promise<Answer> {
  const { services, call, interaction, provider, profile } = arrival
  if (!mayCreateAccountOf(call, interaction, { email, is_verified: profile.email_verified }))
    return refuse(arrival, profile.email_verified ? 'sign_up_closed' : 'not_connected', null)
  if (!admitsAddress(call, interaction, email)) return refuse(arrival, profile.email_verified ? 'domain_refused' : 'not_connected', null)
  const wait_seconds = await takeNewAccount(services, call)
  if (wait_seconds !== null)
    return showSignIn(services, call, interaction, { email, problem: 'too_many', refusal: too_many_accounts, wait_seconds })
  const sent = provider.accept_preferred_username ? profile.preferred_username : null
  const judge = () => judgeName(services.db, call.issuer.environment_id, sent)
  const judged = await judge()
  let created = await create(arrival, email, judged)
  if (!created && judged.user_name !== null) {
    // Another person may have taken the name in the meantime: then the account begins without it.
    const again = await judge()
    if (again.user_name === null) created = await create(arrival, email, again)
  }
  return created ?? refuse(arrival, profile.email_verified ? 'account_exists' : 'not_connected', null)
}

function create(arrival: Arrival, email: string, { user_name, left_out }: JudgedName): Promise<Answer | null> {
  const { services, call, interaction, provider, profile, identity } = arrival
  const { environment_id } = call.issuer
  const { name, given_name, family_name, picture } = profile
  const identity_id = services.newId('mth')
  // Decision 0026: an operator who configures a provider could claim the address of any administrator.
  const email_verified = profile.email_verified && environment_id !== services.root_environment_id
  const account = {
    ...{ environment_id, request_id: call.request_id, now: call.now },
    user: { email, email_verified, name, given_name, family_name, picture },
    password_hash: null,
    method: provider.type,
    left_out,
    waits: waitsForApproval(call, interaction, email_verified ? email : ''),
  }
  const { user_id, waits, statements } = createAccount(services, account, (user_id) => [
    ...useInvitation(services, call, interaction),
    insertIdentity(environment_id, identity, { id: identity_id, user_id }, call.now),
    ...(user_name === null ? [] : takeName({ environment_id, id: user_id, ...account.user }, user_name)),
  ])
  const hold = [holdProvider(environment_id, provider.id)]
  const began = { step: 'sign_up' as const, user_id, email, password_hash: null, identity_id, waits, asks_name: name === null }
  return finishSignIn(services, call, interaction, { ...signedIn(arrival), ...began, hold, first: statements })
}

interface JudgedName {
  user_name: string | null
  left_out?: { preferred_username: 'taken' | 'unusable' }
}

/** The name that the provider sent, or why it is left out. */
async function judgeName(db: Db, environment_id: EnvironmentId, sent: string | null): Promise<JudgedName> {
  if (sent === null) return { user_name: null }
  if (!isUserName(sent)) return { user_name: null, left_out: { preferred_username: 'unusable' } }
  const is_taken = await isNameTaken(db, environment_id, sent)
  return is_taken ? { user_name: null, left_out: { preferred_username: 'taken' } } : { user_name: sent }
}
