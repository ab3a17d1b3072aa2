/**
 * A sign-in that leads to a hosted page of the issuer instead of a client: today to an invitation. Its pages carry the query of that
 * page, `token=…`, where those of an authorization request carry the request, and every step ends at that page again.
 */
import { digestOf } from '../digest.ts'
import { findByLink, type OpenInvitation } from '../members/invitations.ts'
import type { Answer, OidcCall, OidcServices } from './call.ts'
import type { Visit } from './endpoints/authorize.ts'
import { message } from './hosted-page.ts'
import { scopeNames } from './protocol/scope.ts'

/** An open invitation with the link that the person followed. */
export interface LinkedInvitation extends OpenInvitation {
  token_hash: string
}

/** An authorization request names its client (RFC 6749 §4.1.1). */
export function isVisit(query: string): boolean {
  if (!query.includes('token=')) return false
  const search = new URLSearchParams(query)
  return search.has('token') && !search.has('client_id')
}

/** Looks the link up again at every step, so that it ends for pages that are open already. */
export async function beginVisit(
  { db, root_environment_id }: OidcServices,
  call: OidcCall,
  query: string,
): Promise<Omit<Visit, 'query' | 'browser'> | { answer: Answer }> {
  const search = new URLSearchParams(query)
  const token = search.get('token') ?? ''
  const { issuer, now } = call
  if (issuer.environment_id !== root_environment_id || !/^[A-Za-z0-9_-]{43}$/.test(token))
    return { answer: message(call, 'invitation_unknown') }
  const token_hash = digestOf(token)
  const found = await findByLink(db, root_environment_id, token_hash, now)
  if (found === 'unknown') return { answer: message(call, 'invitation_unknown') }
  if (found === 'ended') return { answer: message(call, 'invitation_ended') }
  const asked = scopeNames(search.get('prompt') ?? '')
  const prompt = (['login', 'create', 'select_account'] as const).filter((word) => asked.includes(word))
  return {
    request: { prompt, ui_locales: [], login_hint: undefined, id_token_hint: undefined, max_age: undefined },
    client: null,
    invitation: { ...found, token_hash },
  }
}
