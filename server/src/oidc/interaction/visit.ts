/**
 * A visit is a sign-in for a hosted page of the issuer instead of a client; today that page is always an invitation. The pages of a
 * visit hold the query of that page, `token=…`, in place of an authorization request. Each step of a visit returns to that page.
 */
import { digestOf } from '../../digest.ts'
import { findByLink, type OpenInvitation } from '../../members/invitations.ts'
import { reason } from '../../reason.ts'
import { refusal } from '../../refusal.ts'
import type { Browser } from '../browser.ts'
import type { Answer, OidcCall, OidcServices } from '../call.ts'
import { message } from '../hosted-page.ts'
import type { AuthorizationRequest } from '../protocol/authorize.ts'
import { scopeNames } from '../protocol/scope.ts'

export interface Visit {
  query: string
  browser: Browser
  request: Pick<AuthorizationRequest, 'prompt' | 'ui_locales' | 'login_hint' | 'id_token_hint' | 'max_age'>
  client: null
  invitation: LinkedInvitation
}

/** An open invitation with the digest of the link that the person followed. */
interface LinkedInvitation extends OpenInvitation {
  token_hash: string
}

/** Reports whether a query belongs to a visit. An authorization request names its client (RFC 6749 §4.1.1); a visit names none. */
export function isVisit(query: string): boolean {
  if (!query.includes('token=')) return false
  const search = new URLSearchParams(query)
  return search.has('token') && !search.has('client_id')
}

const unknownInvitation = (call: OidcCall): Answer =>
  message(call, 'invitation_unknown', refusal('not_found', reason`No invitation has the link.`))

/** Looks up the invitation of the link. Each step calls it, so that an ended invitation also ends for pages that are already open. */
export async function beginVisit(
  { db, root_environment_id }: OidcServices,
  call: OidcCall,
  query: string,
): Promise<Omit<Visit, 'query' | 'browser'> | { answer: Answer }> {
  const search = new URLSearchParams(query)
  const token = search.get('token') ?? ''
  const { issuer, now } = call
  if (issuer.environment_id !== root_environment_id || !/^[A-Za-z0-9_-]{43}$/.test(token)) return { answer: unknownInvitation(call) }
  const token_hash = digestOf(token)
  const found = await findByLink(db, root_environment_id, token_hash, now)
  if (found === 'unknown') return { answer: unknownInvitation(call) }
  if (typeof found === 'string')
    return { answer: message(call, `invitation_${found}`, refusal('not_found', reason`The invitation of the link is over: ${found}.`)) }
  const asked = scopeNames(search.get('prompt') ?? '')
  const prompt = (['login', 'create', 'select_account'] as const).filter((word) => asked.includes(word))
  return {
    request: {
      prompt,
      ui_locales: scopeNames(search.get('ui_locales') ?? ''),
      login_hint: undefined,
      id_token_hint: undefined,
      max_age: undefined,
    },
    client: null,
    invitation: { ...found, token_hash },
  }
}
