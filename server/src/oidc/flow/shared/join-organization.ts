/** Joins an organization by an invitation, or declines it. Its page and the account page call it. */
import type { Statement } from '../../../db/db.ts'
import { findApplication } from '../../../domain/applications/store.ts'
import { byUser, originOf } from '../../../domain/events/origin.ts'
import { insertEvent, type NewEvent } from '../../../domain/events/store.ts'
import { administratorsOf, isOrganizationFull, isUserFull, settleOrganization, settleUser } from '../../../domain/organizations/counts.ts'
import { acceptOffer, declineOffer, type OpenOffer } from '../../../domain/organizations/joining.ts'
import { findMember } from '../../../domain/organizations/members.ts'
import { holdSession } from '../../../domain/sessions/sessions.ts'
import { holdProvenOwner } from '../../../domain/users/store.ts'
import { accountUrl } from '../../account-url.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import { beginInvitation, isOffer, type LinkedOffer, type OfferVisit } from './visit.ts'

interface Joining<O extends OpenOffer> {
  offer: O
  user_id: string
  /** The first statements of each try, which fail where the address is not proved. They hold the user. */
  first: readonly Statement[]
  /** Looks the invitation up again; an answer says why it is over. */
  again: () => Promise<O | Answer>
}

/** The result: the person joined, the word of why not for the page, or the answer of an invitation that is over. */
interface Joined<O> {
  offer: O
  over: 'joined' | 'changed' | 'full' | Answer
}

/** Accepts in one batch with `first`. A batch that fails because the counters count what is gone, or because something changed, is tried again. */
export async function join<O extends OpenOffer & { token_hash?: string }>(
  services: OidcServices,
  call: OidcCall,
  { offer: begun, user_id, first, again }: Joining<O>,
): Promise<Joined<O>> {
  const { db, config } = services
  const { environment_id } = call.issuer
  const { organizations_per_user, members_per_organization } = config.limits
  let offer = begun
  for (let tries = 0; tries < most_tries; tries++) {
    const { token_hash = null } = offer
    const accepted = acceptOffer(offer, { user_id, token_hash, limits: config.limits, now: call.now })
    if (await db.of(environment_id).batch([...first, ...accepted, ...joinedEvents(services, call, offer, user_id)]))
      return { offer, over: 'joined' }
    const found = await again()
    if ('status' in found) return { offer, over: found }
    offer = found
    const { organization_id } = offer
    if (await findMember(db, { environment_id, organization_id, user_id })) break
    const is_user_full = await isUserFull(db, environment_id, user_id, organizations_per_user)
    if (is_user_full && !(await settleUser(db, environment_id, user_id))) return { offer, over: 'full' }
    const is_full = await isOrganizationFull(db, environment_id, organization_id, members_per_organization)
    if (is_full && !(await settleOrganization(db, environment_id, organization_id))) return { offer, over: 'full' }
  }
  return { offer, over: 'changed' }
}

/** Looks up the invitation of the link again, for the next try. */
export const againOf = (services: OidcServices, call: OidcCall, visit: OfferVisit) => async (): Promise<LinkedOffer | Answer> => {
  const begun = await beginInvitation(services, call, visit.query)
  if ('answer' in begun) return begun.answer
  return isOffer(begun) ? begun.invitation : visit.invitation
}

/**
 * Joins after a sign-in that began on the page of the invitation and proved its address. `answer` is that of the sign-in. One that is not complete,
 * and an acceptance that fails, leave it as it is: it leads to the page of the invitation, which says what is left to do.
 */
export async function joinAfterSignIn(
  services: OidcServices,
  call: OidcCall,
  visit: OfferVisit,
  { user_id, answer }: { user_id: string; answer: Answer },
): Promise<Answer> {
  if (!String(answer.headers.location).startsWith(`${call.issuer.url}/invitation?`)) return answer
  const first = [holdProvenOwner(call.issuer.environment_id, user_id, visit.invitation.email)]
  const { offer, over } = await join(services, call, { offer: visit.invitation, user_id, first, again: againOf(services, call, visit) })
  if (over !== 'joined') return answer
  return { ...answer, headers: { ...answer.headers, location: await afterJoining(services, call, offer) } }
}

/** A try fails where another change was first. The person can press again. */
const most_tries = 5

function joinedEvents(services: OidcServices, call: OidcCall, offer: OpenOffer, user_id: string): Statement[] {
  const { environment_id, organization_id, id: invitation_id } = offer
  const roles = slugsOf(offer)
  const event = (raised: NewEvent) => insertEvent(environment_id, originOf(services, byUser(user_id), call.request_id), raised, call.now)
  return [
    event({ type: 'organization_invitation.accepted', user_id, data: { organization_id, invitation_id, user_id, roles } }),
    event({
      type: 'organization_member.added',
      user_id,
      data: { organization_id, user_id, roles },
      counted: administratorsOf({ environment_id, organization_id, user_id }),
    }),
  ]
}

const slugsOf = ({ roles }: OpenOffer): string[] => roles.map(({ slug }) => slug).sort()

/** Ends an invitation for an account that has proved its address. False where it changed or ended. */
export async function decline(
  services: OidcServices,
  call: OidcCall,
  offer: OpenOffer,
  session: { id: string; user_id: string },
): Promise<boolean> {
  const { environment_id, organization_id, id: invitation_id, email } = offer
  const { user_id } = session
  const data = { organization_id, invitation_id, roles: slugsOf(offer), reason: 'declined' }
  const origin = originOf(services, byUser(user_id), call.request_id)
  const declined = await services.db
    .of(environment_id)
    .batch([
      holdProvenOwner(environment_id, user_id, email),
      holdSession(environment_id, session, call.now),
      ...declineOffer(offer, call.now),
      insertEvent(environment_id, origin, { type: 'organization_invitation.ended', user_id, data }, call.now),
    ])
  return declined !== null
}

/** Where the person goes on: the application that the invitation names begins a sign-in there (OpenID Connect Core §4), else the account page. */
export async function afterJoining(services: OidcServices, call: OidcCall, offer: OpenOffer): Promise<string> {
  const { environment_id, organization_id, application_id } = offer
  const application = application_id === null ? null : await findApplication(services.db, environment_id, application_id)
  if (!application || application.disabled || application.initiate_login_uri === null) return accountUrl(call)
  const url = new URL(application.initiate_login_uri)
  url.searchParams.set('iss', call.issuer.url)
  url.searchParams.set('organization', organization_id)
  return url.href
}
