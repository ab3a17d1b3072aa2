/**
 * The API for the dashboard, at `/dashboard/api/{path of the API}`. Only here the cookie is accepted. The gate finds the session before the
 * router runs, replaces the cookie by the access token, and lets the router see the path of the API, so a call takes exactly the
 * way of every other call: authentication, rate limit, role, fresh sign-in, records.
 *
 * A request must say that it comes from the dashboard: by a header that no form can send and that a page of another origin can send only
 * after a preflight, which is never answered, and by `Origin` and `Sec-Fetch-Site` as browsers set them. Hosted pages have the same
 * origin; their policy allows no script of others and no connection.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { reason } from '../../base/reason.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { setPlace } from '../../http/place.ts'
import { ApiError, notFound } from '../../http/problem.ts'
import { useSession } from './session.ts'
import type { DashboardServices } from './tokens.ts'

type Gate = (request: IncomingMessage, response: ServerResponse, handle: RequestListener) => void

const prefix = '/dashboard/api'
const methods: readonly (string | undefined)[] = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']

/** @param addressOf the address that a request comes from */
export function createGate(services: DashboardServices, addressOf: (request: IncomingMessage) => string | null): Gate {
  return (request, response, handle) => {
    const { url = '' } = request
    if (!/^\/dashboard\/api(?:[/?#]|$)/.test(url)) return handle(request, response)
    admit(services, request, url.slice(prefix.length), addressOf)
      .catch((error) => setPlace(request, { kind: 'refused', error }))
      .then(() => handle(request, response))
  }
}

async function admit(
  services: DashboardServices,
  request: IncomingMessage,
  path: string,
  addressOf: (request: IncomingMessage) => string | null,
): Promise<void> {
  const { headers, method } = request
  if (!path.startsWith('/v1/') || !methods.includes(method)) throw notFound(reason`No route of the API has this address.`)
  const refused = foreignRequest(services, request)
  if (refused) throw refused
  if (headers.authorization !== undefined || headers['x-api-key'] !== undefined)
    throw new ApiError('conflicting_credentials', 'A call of the dashboard has no other credential than its cookie.')
  const asking = { ip: addressOf(request), request_id: services.newId('req') }
  const used = await useSession(services, headers.cookie, asking)
  if (!used) throw noSession()
  delete headers.cookie
  headers.authorization = `Bearer ${used.access_token}`
  request.url = path
}

/** Why a request is not from the dashboard, or `null`. */
export function foreignRequest({ config }: Pick<Deployment, 'config'>, { headers, method }: IncomingMessage): ApiError | null {
  const { origin, 'sec-fetch-site': site, 'x-ostiary-dashboard': mark } = headers
  const is_read = method === 'GET' || method === 'HEAD'
  if (mark !== '1')
    return new ApiError(
      'origin_not_allowed',
      'A call of the dashboard has the header X-Ostiary-Dashboard: 1. Other programs use an API key.',
    )
  if (origin === undefined ? !is_read : origin !== config.base_url)
    return new ApiError('origin_not_allowed', 'The dashboard works only at the public address of the service.', {
      reason: reason`The Origin header is missing, or is not the public address of the service.`,
    })
  if (site !== undefined && site !== 'same-origin')
    return new ApiError('origin_not_allowed', 'The call comes from a page of another origin.')
  return null
}

const noSession = () =>
  new ApiError('unauthenticated', 'There is no session of the dashboard. Sign in.', {
    headers: { 'www-authenticate': 'ApiKey, Bearer' },
    reason: reason`The browser has no session of the dashboard, or it has ended.`,
  })
