/** Issues an authorization code for a session of the browser and sends it to the client. */
import { digestOf } from '../../../base/digest.ts'
import { newSecret } from '../../../deployment/deployment.ts'
import { storeCode } from '../../../domain/sessions/authorization-codes.ts'
import type { NextStep } from '../../../protocol/next-step.ts'
import { type Answer, type OidcCall, type OidcServices, redirect } from '../../call.ts'
import { answerClient } from '../shared/answer-client.ts'
import type { Authorization } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'

export async function issueCode(
  services: OidcServices,
  call: OidcCall,
  { request, client, browser, query }: Authorization,
  { session_id, consented_to, organization }: Pick<Extract<NextStep, { kind: 'issue' }>, 'session_id' | 'consented_to' | 'organization'>,
): Promise<Answer> {
  const { issuer, now } = call
  const { tokens, sessions } = issuer.settings
  const session = browser.sessions.find((candidate) => candidate.id === session_id)
  if (!session) return redirect(continueUrl(call, query))
  const code = newSecret(services)
  const stored = await storeCode(
    services.db,
    { environment_id: issuer.environment_id, ...session },
    {
      grant_id: services.newId('grt'),
      code_hash: digestOf(code),
      client_id: client.client_id,
      consented_to,
      organization,
      redirect_uri: request.redirect_uri,
      scope: request.scope,
      resource: request.resource,
      nonce: request.nonce ?? null,
      code_challenge: request.code_challenge ?? null,
      expires_at: after(now, tokens.authorization_code_ttl_seconds),
      session_expires_at: earlier(after(now, sessions.idle_ttl_seconds), session.absolute_expires_at),
      grants_per_person: services.config.limits.grants_per_person,
    },
    now,
  )
  if (stored && client.metadata) services.client_uses.note(issuer.environment_id, client.client_id, now)
  // The session, the membership or the consent changed after it was read: the request starts again with those that exist now.
  return stored ? answerClient(call, client, { ...request, code }) : redirect(continueUrl(call, query))
}

const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)
const earlier = (a: Date, b: Date) => (a < b ? a : b)
