/** The address at which an interaction continues after a step, and the request as that address receives it. */
import type { Deployment } from '../../../deployment/deployment.ts'
import { copyOf, readQuery } from '../../../http/query.ts'
import type { Client } from '../../../protocol/client.ts'
import { withSession } from '../../../protocol/next-step.ts'
import { needsPress } from '../../../protocol/press.ts'
import { scopeNames } from '../../../protocol/scope.ts'
import type { OidcCall } from '../../call.ts'
import { withPress } from './press.ts'
import { visitOf } from './visit.ts'

/** The authorization endpoint, or for a visit its page. */
export function continueUrl({ issuer }: OidcCall, query: string): string {
  const visit = visitOf(query)
  if (visit !== 'account') return `${issuer.url}${visit === 'invitation' ? '/invitation' : '/oauth/authorize'}?${query}`
  const search = copyOf(query)
  for (const name of ['visit', 'signed_in_since']) search.delete(name)
  return `${issuer.url}/account${search.size > 0 ? `?${search}` : ''}`
}

/** The same after a step that the person of this session finished, which is a press. `query` is the request without what the step satisfied. */
export function continueRequest(
  services: Pick<Deployment, 'secrets'>,
  call: OidcCall,
  { client, query, session_id }: { client: Client | null; query: string; session_id: string },
): string {
  const own = visitOf(query) === 'account' ? query : withSession(query, session_id)
  const needs_press = client !== null && needsPress(client, readQuery(query).get('redirect_uri') ?? '')
  return continueUrl(call, needs_press ? withPress(services, call, own, session_id) : own)
}

/** The request with another step first, for any account. `login` and `consent` stay where the client asked for them. */
export function withPrompt(query: string, prompt: 'login' | 'create' | 'select_account'): string {
  const search = copyOf(query)
  const kept = scopeNames(search.get('prompt') ?? '').filter((word) => word === 'login' || word === 'consent')
  search.set('prompt', [...new Set([prompt, ...kept])].join(' '))
  search.delete('of_session')
  return search.toString()
}
