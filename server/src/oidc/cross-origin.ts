/** CORS: the origins whose scripts may read the answer of an endpoint, as `cross_origin` of its route says. */
import type { Route } from '@ostiary/contract/route.ts'
import type { Issuer } from './issuer.ts'

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
  if (origin === undefined || !(await isAllowed(issuer, origin))) return { vary: 'Origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true', // some clients send credentials mode "include"; these endpoints read no cookie
    'access-control-expose-headers': 'WWW-Authenticate, X-Request-Id',
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
