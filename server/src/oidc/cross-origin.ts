/** CORS: the origins whose scripts may read the answer of an endpoint, as `cross_origin` of its route says. */
import type { Route } from '@ostiary/contract/route.ts'
import type { Issuer } from './issuer.ts'

const exposed = 'WWW-Authenticate, X-Request-Id'

/** Whether an origin is one of the environment's own applications. */
export type OriginCheck = (issuer: Issuer, origin: string) => Promise<boolean>

export async function crossOriginHeaders(
  { cross_origin }: Route,
  issuer: Issuer,
  origin: string | undefined,
  isAllowed: OriginCheck,
): Promise<Record<string, string>> {
  if (cross_origin === undefined) return {}
  if (cross_origin === 'every') return { 'access-control-allow-origin': '*' }
  const is_named = origin !== undefined && (await isAllowed(issuer, origin))
  // A preflight names no client, and an administrator need not know where metadata clients run. Without credentials a script sends only what it has.
  if (!is_named && origin !== undefined && cross_origin === 'clients' && issuer.settings.oauth.metadata_clients !== 'off')
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed, vary: 'Origin' }
  if (!is_named) return { vary: 'Origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true', // some clients send credentials mode "include"; these endpoints read no cookie
    'access-control-expose-headers': exposed,
    vary: 'Origin',
  }
}

/** The answer to a preflight request, from the headers of `crossOriginHeaders`. */
export function preflightHeaders(cross_origin: Record<string, string>): Record<string, string> {
  if (!('access-control-allow-origin' in cross_origin)) return cross_origin
  return {
    ...cross_origin,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'Authorization, Content-Type, Accept, traceparent, tracestate',
    'access-control-max-age': '600',
  }
}
