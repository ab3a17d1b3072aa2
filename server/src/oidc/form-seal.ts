/** The form token that belongs to a form cookie: a MAC, so that only this service can make one. */
import { timingSafeEqual } from 'node:crypto'
import type { Deployment } from '../deployment/deployment.ts'
import type { OidcCall } from './call.ts'

export function tokenOf({ secrets }: Pick<Deployment, 'secrets'>, call: Pick<OidcCall, 'issuer'>, seed: string): string {
  return secrets.mac('form', `${call.issuer.environment_id}.${seed}`).toString('base64url')
}

/** Returns the token in the form, without the part that differs on each page; `null` if it contains none. */
export function sentToken({ form }: Pick<OidcCall, 'form'>): string | null {
  const [, token = null] = /^([A-Za-z0-9_-]{43})(?:\.[A-Za-z0-9_-]{22})?$/.exec(form?.get('csrf') ?? '') ?? []
  return token
}

/** Reports whether the form of the call contains the token of this cookie. */
export function isTokenOf(services: Pick<Deployment, 'secrets'>, call: OidcCall, seed: string): boolean {
  const sent = sentToken(call)
  if (sent === null) return false
  const [a, b] = [Buffer.from(sent), Buffer.from(tokenOf(services, call, seed))]
  return a.length === b.length && timingSafeEqual(a, b)
}
