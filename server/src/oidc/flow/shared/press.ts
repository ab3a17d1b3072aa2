/**
 * Proof that a person pressed a button for a request. Any program on a device can open the authorization endpoint with the client_id
 * of a public native client, so for such a client a session alone must not yield a code (`protocol/press.ts`).
 *
 * A step that a person finished adds a mark to the request. The mark is a MAC over the session and the rest of the request, so it is
 * valid for no other session, client, redirect URI or challenge. It is valid for one minute. The service does not store it (decision
 * 0003): a second use within the minute yields a code that only the same client instance can redeem, because the code challenge is
 * part of the request.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Deployment } from '../../../deployment/deployment.ts'
import { copyOf, readQuery } from '../../../http/query.ts'
import type { OidcCall } from '../../call.ts'

const parameter = 'pressed'
const valid_for_ms = 60_000
/** A sign-in that stops halfway ends after this time. */
const kept_for_ms = 600_000

type Services = Pick<Deployment, 'secrets'>

/** Adds the mark to a request. */
export function withPress(services: Services, call: OidcCall, query: string, session_id: string): string {
  const search = withoutPress(query)
  const at = `${call.now.getTime()}`
  search.set(parameter, `${at}.${macOf(services, call, search, { session_id, at })}`)
  return search.toString()
}

/**
 * Returns the request `to` with a new mark where the request `from` has one that a step within the last ten minutes added. For a page
 * between that step and the code which asks for something else: a button of such a page is not valid for another request.
 */
export function keepPress(
  services: Services,
  call: OidcCall,
  { from, to, session_id }: { from: string; to: string; session_id: string },
): string {
  return hasMark(services, call, from, { session_id, valid_for_ms: kept_for_ms }) ? withPress(services, call, to, session_id) : to
}

/** Reports whether the person of this session pressed a button for exactly this request within the last minute. */
export const wasPressed = (services: Services, call: OidcCall, query: string, session_id: string) =>
  hasMark(services, call, query, { session_id, valid_for_ms })

function hasMark(
  services: Services,
  call: OidcCall,
  query: string,
  { session_id, valid_for_ms }: { session_id: string; valid_for_ms: number },
): boolean {
  const [, at, mac] = /^([0-9]{1,15})\.([A-Za-z0-9_-]{43})$/.exec(readQuery(query).get(parameter) ?? '') ?? []
  if (at === undefined || mac === undefined || Math.abs(call.now.getTime() - Number(at)) > valid_for_ms) return false
  const expected = macOf(services, call, withoutPress(query), { session_id, at })
  return timingSafeEqual(Buffer.from(mac), Buffer.from(expected))
}

function withoutPress(query: string): URLSearchParams {
  const search = copyOf(query)
  search.delete(parameter)
  return search
}

function macOf(
  { secrets }: Services,
  call: OidcCall,
  search: URLSearchParams,
  { session_id, at }: { session_id: string; at: string },
): string {
  return secrets.mac('press', JSON.stringify([call.issuer.environment_id, session_id, at, search.toString()])).toString('base64url')
}
