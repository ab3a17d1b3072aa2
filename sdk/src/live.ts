/** Asks the service whether an access token is valid now, and what it can do now. */
import { TokenError } from './token-error.ts'

export interface LiveOptions {
  /** A secret key of the environment. */
  key: string
  /** The address of the service. It is that of the issuer, unless the issuer has a host of its own: then give it. */
  base_url?: string | undefined
  /** How long the service can take, a second attempt included, in milliseconds. The default is 5,000. */
  timeout_ms?: number | undefined
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined
}

/** The beginning of opaque access tokens, which the service alone can read. */
const opaque_prefix = 'svc_at_'

export const isOpaque = (token: string): boolean => token.startsWith(opaque_prefix)

/**
 * Returns the answer about a valid token. The call changes nothing, so it is repeated once after a broken connection, 502, 503 and 504.
 * @throws TokenError `inactive`, or `service_unavailable` if there is no answer in time or one that is not about the token
 */
export async function askService(token: string, issuer: string, live: LiveOptions): Promise<Record<string, unknown>> {
  const { key, timeout_ms = 5_000 } = live
  if (typeof key !== 'string' || key === '') throw new TypeError('live needs key, a secret key of the environment.')
  const address = `${(live.base_url ?? serviceOf(issuer)).replace(/\/+$/, '')}/v1/auth/tokens/validate`
  const call = live.fetch ?? globalThis.fetch
  const request: RequestInit = {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': key },
    body: JSON.stringify({ token }),
    redirect: 'manual', // a followed redirect would hand the key to another server
    signal: AbortSignal.timeout(timeout_ms),
  }
  const ask = async () => {
    const response = await call(address, request)
    return { status: response.status, text: await response.text() }
  }
  const verdict = await ask()
    .catch(() => null)
    .then((first) => (first === null || first.status >= 502 ? ask() : first))
    .then(verdictIn)
    .catch((cause: unknown) => {
      throw new TokenError('service_unavailable', 'The service cannot be asked about the token.', { cause })
    })
  if (!verdict.active) throw new TokenError('inactive', 'The token is no longer valid.')
  const { active: _, token_type: __, environment_id: ___, ...claims } = verdict
  return claims
}

function verdictIn({ status, text }: { status: number; text: string }): Record<string, unknown> & { active: boolean } {
  const verdict: unknown = status === 200 ? JSON.parse(text) : null
  if (typeof verdict === 'object' && verdict !== null && 'active' in verdict && typeof verdict.active === 'boolean')
    return { ...verdict, active: verdict.active }
  throw new Error(`The answer of the status ${status} is not about a token.`)
}

/** An issuer without a host of its own is below the address of the service. */
function serviceOf(issuer: string): string {
  const [, base_url] = /^(https?:\/\/.+)\/e\/env_[0-9a-z]+$/.exec(issuer) ?? []
  if (base_url === undefined) throw new TypeError('live needs base_url, the address of the service: the issuer has a host of its own.')
  return base_url
}
