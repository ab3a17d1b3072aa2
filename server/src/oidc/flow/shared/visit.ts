/**
 * A visit is a sign-in for a hosted page of the issuer instead of a client: the page of an invitation or the account page. An invitation of the
 * root environment is one to a tenant, of any other environment one to an organization (`OfferVisit`). The pages of a visit contain the query of that page, `token=…` or `visit=account…`, in place of an authorization request. Each step of a visit returns
 * to that page.
 */
import { digestOf } from '../../../base/digest.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { type EndOfLink, findByLink, type OpenInvitation } from '../../../domain/members/invitations.ts'
import { findOfferByLink, type OpenOffer } from '../../../domain/organizations/joining.ts'
import { type ReadQuery, readQuery } from '../../../http/query.ts'
import { type AccountAction, isAccountAction } from '../../../pages/account-actions.ts'
import type { AuthorizationRequest } from '../../../protocol/authorize.ts'
import { scopeNames } from '../../../protocol/scope.ts'
import type { Browser } from '../../browser.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import { message } from '../../hosted-page.ts'

export type Visit = InvitationVisit | OfferVisit | AccountVisit

interface AnyVisit {
  query: string
  browser: Browser
  request: Pick<AuthorizationRequest, 'prompt' | 'ui_locales' | 'login_hint' | 'id_token_hint' | 'max_age' | 'of_session'>
  client: null
}

export interface InvitationVisit extends AnyVisit {
  invitation: LinkedInvitation
  account: null
}

export interface OfferVisit extends AnyVisit {
  invitation: LinkedOffer
  account: null
}

export interface AccountVisit extends AnyVisit {
  invitation: null
  account: AccountPlace
}

/** An open invitation with the digest of the link that the person followed. */
interface LinkedInvitation extends OpenInvitation {
  of: 'tenant'
  token_hash: string
}

/** The same to an organization. */
export interface LinkedOffer extends OpenOffer {
  of: 'organization'
  token_hash: string
}

export const isOffer = <V extends { invitation: LinkedInvitation | LinkedOffer | null }>(
  visit: V,
): visit is V & { invitation: LinkedOffer } => visit.invitation?.of === 'organization'

/** The part of the account page that the person wants to see. */
export interface AccountPlace {
  /** `null` for the page itself. */
  action: AccountAction | null
  /** The object of the action. */
  id: string | null
  /** The only account whose session can do this action; `null` for the current one. */
  user_id: string | null
}

/** The page of the visit that a query belongs to. An authorization request names its client (RFC 6749 §4.1.1); a visit names none. */
export function visitOf(query: string): 'invitation' | 'account' | null {
  if (!query.includes('token=') && !query.includes('visit=')) return null
  const search = readQuery(query)
  if (search.has('client_id')) return null
  if (search.get('visit') === 'account') return 'account'
  return search.has('token') ? 'invitation' : null
}

const unknownInvitation = (call: OidcCall): Answer =>
  message(call, 'invitation_unknown', refusal('not_found', reason`No invitation has the link.`))

type Begun<V> = Omit<V, 'query' | 'browser'>

export function beginVisit(
  services: OidcServices,
  call: OidcCall,
  query: string,
): Begun<AccountVisit> | Promise<Begun<InvitationVisit> | Begun<OfferVisit> | { answer: Answer }> {
  return visitOf(query) === 'account' ? beginAccount(query) : beginInvitation(services, call, query)
}

/** Reads which part of the account page is wanted. */
function beginAccount(query: string): Begun<AccountVisit> {
  const search = readQuery(query)
  const action = search.get('action')
  return {
    request: requestOf(search),
    client: null,
    invitation: null,
    account: { action: isAccountAction(action) ? action : null, id: search.get('id'), user_id: search.get('user') },
  }
}

const account_parameters = ['action', 'id', 'user', 'prompt', 'ui_locales']
const longest_parameter = 100

/** The visit of an address of the account page. Parameters that the page does not know are dropped. */
export function accountVisit(page_query: string, browser: Browser): AccountVisit {
  const sent = readQuery(page_query)
  const kept = new URLSearchParams({ visit: 'account' })
  for (const name of account_parameters) {
    const value = sent.get(name)
    if (value !== null && value.length <= longest_parameter) kept.set(name, value)
  }
  const query = kept.toString()
  return { query, ...beginAccount(query), browser }
}

/** Looks up the invitation of the link. Each step calls it, so that an ended invitation also ends for pages that are already open. */
export async function beginInvitation(
  { db, root_environment_id }: OidcServices,
  call: OidcCall,
  query: string,
): Promise<Begun<InvitationVisit> | Begun<OfferVisit> | { answer: Answer }> {
  const search = readQuery(query)
  const token = search.get('token') ?? ''
  const { issuer, now } = call
  const { environment_id } = issuer
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return { answer: unknownInvitation(call) }
  const token_hash = digestOf(token)
  const request = requestOf(search)
  if (environment_id !== root_environment_id) {
    const offer = await findOfferByLink({ db, memberRoles: issuer.memberRoles }, environment_id, token_hash, now)
    if (typeof offer === 'string') return { answer: invitationOver(call, offer) }
    return { request, client: null, invitation: { of: 'organization', ...offer, token_hash }, account: null }
  }
  const found = await findByLink(db, root_environment_id, token_hash, now)
  if (typeof found === 'string') return { answer: invitationOver(call, found) }
  return { request, client: null, invitation: { of: 'tenant', ...found, token_hash }, account: null }
}

const invitationOver = (call: OidcCall, over: EndOfLink | 'unknown'): Answer =>
  over === 'unknown'
    ? unknownInvitation(call)
    : message(call, `invitation_${over}`, refusal('not_found', reason`The invitation of the link is over: ${over}.`))

/** The part of an authorization request that a visit has too. */
function requestOf(search: ReadQuery): AnyVisit['request'] {
  const asked = scopeNames(search.get('prompt') ?? '')
  const prompt = (['login', 'create', 'select_account'] as const).filter((word) => asked.includes(word))
  return {
    prompt,
    ui_locales: scopeNames(search.get('ui_locales') ?? ''),
    login_hint: undefined,
    id_token_hint: undefined,
    max_age: undefined,
    of_session: search.get('of_session') ?? undefined,
  }
}
