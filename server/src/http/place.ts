/**
 * Where a request arrived, if its host is not that of the base URL. `oidc/host-routing.ts` decides it before the router runs. A request
 * without a place is answered as one to the base URL.
 */
import type { IncomingMessage } from 'node:http'

type RequestTarget =
  /** The host of an issuer. The target of the request was changed to the path of its environment. */
  | { readonly kind: 'issuer'; readonly issuer: string }
  /** No address here: `error` says why. */
  | { readonly kind: 'refused'; readonly error: Error }

const place = Symbol('place')
type Placed = IncomingMessage & { [place]?: RequestTarget }

export function setPlace(request: IncomingMessage, at: RequestTarget): void {
  ;(request as Placed)[place] = at // as: the field is added here
}

export const placeOf = (request: IncomingMessage): RequestTarget | undefined => (request as Placed)[place] // as: see `setPlace`

/** The issuer whose own host the request names; `null` at the base URL. */
export function issuerAtHost(request: IncomingMessage): string | null {
  const at = placeOf(request)
  return at?.kind === 'issuer' ? at.issuer : null
}
