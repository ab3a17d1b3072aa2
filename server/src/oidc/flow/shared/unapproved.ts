/**
 * People whose account waits for an approval, or was refused. They pass the first factor and get no session, so they can do nothing else;
 * the page says where they stand. Nobody without that factor learns it.
 */
import { idIn, reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { countForPerson } from '../../../domain/users/attempts.ts'
import { aboutUser, findUnapproved, type Unapproved } from '../../../domain/users/store.ts'
import { type WaitingView, waitingPage } from '../../../pages/waiting.ts'
import { type Answer, type OidcCall, type OidcServices, refused } from '../../call.ts'
import { html, languagesOf, pageContext } from '../../hosted-page.ts'
import type { Interaction } from './begin.ts'
import { continueUrl } from './continue.ts'
import { type SignedIn, showTooOften } from './establish-session.ts'
import { recordFailedSignIn } from './failed-sign-in.ts'
import { linkIdentity } from './link-identity.ts'

/** Makes the account of a sign-up without a session. `null` where the batch did not happen. */
export async function beginWaiting(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  signed_in: SignedIn,
): Promise<Answer | null> {
  const { user_id, email, identity_id, links, hold = [], first = [] } = signed_in
  const link = links && identity_id !== undefined ? await linkIdentity(services, call, { user_id, email, identity_id, links }) : undefined
  if (link === null) return null
  const statements = [aboutUser(call.issuer.environment_id, user_id), ...hold, ...(link?.hold ?? []), ...first, ...(link?.statements ?? [])]
  if (!(await services.db.of(call.issuer.environment_id).batch(statements))) return null
  const found = await findUnapproved(services.db, call.issuer.environment_id, user_id)
  return found && showUnapproved(services, call, interaction, { ...signed_in, found })
}

/**
 * Ends the sign-in to an account that is not approved, with the other changes of the sign-in. `null` for any other account. It counts among
 * the sign-ins of an hour, since each is an event.
 */
export async function stopUnapproved(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  signed_in: SignedIn,
): Promise<Answer | null> {
  const { environment_id } = call.issuer
  const { user_id, hold = [], first = [] } = signed_in
  const found = await findUnapproved(services.db, environment_id, user_id)
  if (!found) return null
  const counted = countForPerson('sign_in', { environment_id, user_id, now: call.now }, services.config.limits.sign_ins_per_person)
  const done = await services.db.of(environment_id).batch([aboutUser(environment_id, user_id), ...hold, ...counted, ...first])
  return done ? showUnapproved(services, call, interaction, { ...signed_in, found }) : showTooOften(services, call, interaction, signed_in)
}

async function showUnapproved(
  services: OidcServices,
  call: OidcCall,
  interaction: Interaction,
  { user_id, method, found }: Pick<SignedIn, 'user_id' | 'method'> & { found: Unapproved },
): Promise<Answer> {
  call.subject.user_id = user_id
  const waits = found.approval.state === 'waiting'
  const id = idIn(user_id)
  const why = refusal('not_approved', waits ? reason`The user ${id} waits for an approval.` : reason`The user ${id} was refused.`)
  await recordFailedSignIn(services, call, interaction, { method, user_id, refusal: why })
  const { query } = interaction
  const view: WaitingView = {
    problem: waits ? 'waiting' : 'refused',
    ends_at: found.erase_at.toISOString(),
    back_url: continueUrl(call, query),
    request_id: call.request_id,
  }
  const page = html(waitingPage(pageContext(call, languagesOf(query), continueUrl(call, query)), view))
  const { problem, ends_at, request_id } = view
  return { ...refused(page, why), again: { page: 'waiting', view: { problem, ends_at, request_id }, address: continueUrl(call, query) } }
}
